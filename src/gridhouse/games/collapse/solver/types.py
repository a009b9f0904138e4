"""Types of the solver's arguments, for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import numpy as np

    Board = np.ndarray[Any, np.dtype[np.int8]]  # of bytes
    Zeros = Callable[[Any, str], Any]  # NumPy's zeros, or a function that makes lists
    Records = Callable[..., Any]  # core.records.to_records, or a function that makes positions

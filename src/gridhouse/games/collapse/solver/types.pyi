"""Types of the solver's arguments, which only type checkers read."""

from collections.abc import Callable
from typing import Any

import numpy as np

Board = np.ndarray[Any, np.dtype[np.int8]]  # of bytes
Zeros = Callable[[Any, str], Any]  # NumPy's zeros, or a function that makes lists
Records = Callable[..., Any]  # core.records.to_records, or a function that makes positions

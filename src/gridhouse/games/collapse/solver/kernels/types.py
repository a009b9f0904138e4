"""The types of the kernels' arguments, which differ between interpreted and compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Zeros = Callable[[Any, str], Any]  # NumPy's zeros, or what makes lists
    Records = Callable[..., Any]  # core.records.to_records, or what makes lists of positions


class Ints(Protocol):
    """Whole numbers by index: an array, or a list where kernels run interpreted."""

    def __getitem__(self, index: int, /) -> int:
        """Return a number."""

    def __setitem__(self, index: int, value: int, /) -> None:
        """Replace a number."""

    def __len__(self) -> int:
        """Return the number of numbers."""


class Floats(Protocol):
    """Numbers by index, in the same way."""

    def __getitem__(self, index: int, /) -> float:
        """Return a number."""

    def __setitem__(self, index: int, value: float, /) -> None:
        """Replace a number."""

    def __len__(self) -> int:
        """Return the number of numbers."""

"""Lists as the course's module ``stdarray`` makes them; Python 3.8 or later."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def create1D(length: int, value: object = None) -> list[Any]:
    """Return a list of equal values."""
    return [value] * length


def create2D(rows: int, cols: int, value: object = None) -> list[list[Any]]:
    """Return a list of rows of equal values."""
    return [[value] * cols for _ in range(rows)]

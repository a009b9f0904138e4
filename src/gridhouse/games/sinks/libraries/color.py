"""In the place of the course's module ``color``, which belongs to ``stddraw``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    """Return what stands for a name of the module."""
    import stddraw  # the one beside it, with which it is put beside a program

    return getattr(stddraw, name)

"""Arrays that lie as the processor reads memory."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

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


LINE = 64  # bytes that come from memory at once
MEGABYTE = 1 << 20


def zeros(count: int, kind: str) -> Any:
    """Return so many zeros of a NumPy type, aligned to a 64-byte cache line.

    NumPy's own arrays begin 16 bytes later, if they are large, and a bucket of a table that is as
    long as a line then lies in two: both have to be waited for.
    """
    import numpy as np

    size = np.dtype(kind).itemsize
    room = np.zeros(count + LINE // size, kind)
    skip = -room.ctypes.data % LINE // size
    return room[skip : skip + count]

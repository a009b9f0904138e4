"""Arrays that are aligned to cache lines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    import numpy as np

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


LINE = 64  # bytes of a cache line
MEGABYTE = 1 << 20


def zeros(count: int, kind: str) -> np.ndarray[Any, Any]:
    """Return zeros of a NumPy type, aligned to a cache line.

    Large arrays of NumPy start 16 bytes after a cache line.  Each bucket of a table that is as long
    as a line would then take two reads of memory.
    """
    import numpy as np

    size = np.dtype(kind).itemsize
    padded = np.zeros(count + LINE // size, kind)
    skip = -padded.ctypes.data % LINE // size
    return padded[skip : skip + count]

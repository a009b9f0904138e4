"""Arrays that are aligned to cache lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

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

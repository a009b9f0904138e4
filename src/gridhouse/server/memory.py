"""How a process of the house uses memory: collections of garbage, and what is given back."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

GC_THRESHOLDS = (300, 5, 13_000)  # of the three generations, as gc.set_threshold takes them
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # the options of mallopt(3)
LARGE = 1 << 20  # bytes
ARENAS = 2


def settle() -> None:
    """Collect garbage with short pauses only, from now on, when the modules are loaded.

    A full collection would delay every page by a tenth of a second.  Loaded modules are therefore
    frozen, and full collections come after some minutes, not after so many objects: requests leave
    few reference cycles.  Those of the two younger generations are frequent instead, because each
    takes as long as it has objects.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def give_back_freed_memory() -> None:
    """Have the allocator give each large block back to the system as soon as it is freed.

    By itself glibc raises the size from which it does so, up to 32 MiB, with each block that is
    freed.  Freed tables of players are then kept between blocks in use, more with every hour.  And
    it gives each thread an arena of its own, in which what other threads could use stays free.
    """
    with suppress(AttributeError, OSError, TypeError):  # another system, another allocator
        allocator = ctypes.CDLL(None)
        allocator.mallopt(M_MMAP_THRESHOLD, LARGE)
        allocator.mallopt(M_ARENA_MAX, ARENAS)

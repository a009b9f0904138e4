"""Kernels that beam searches share: duplicate detection, and selection of the best children."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np


HISTOGRAM_SIZE = 4096  # scores that are told apart, from the lowest one on
CHECK_SHIFT = 30  # the bits of a key from here on tell positions in the same slot apart
SLOTS_PER_NODE = 8
MIN_SLOTS = 1 << 17


class Memory(NamedTuple):
    """The arrays of a beam, but for its nodes.

    ``seen`` has by the lowest bits of a key the others of the position expanded last there.
    ``back_pointers`` is by step and place the parent's place and the move.  ``histogram`` and
    ``order`` are scratch.
    """

    children: np.ndarray
    seen: np.ndarray
    histogram: np.ndarray
    order: np.ndarray
    back_pointers: np.ndarray


def num_slots(width: int) -> int:
    """Return the size of ``seen`` for a beam; a smaller array is faster, and finds less."""
    return max(MIN_SLOTS, 1 << (SLOTS_PER_NODE * width - 1).bit_length())


def was_expanded(seen: np.ndarray, key: int) -> bool:
    """Tell whether a position was expanded lately; ``seen`` has a power of two of slots."""
    found: bool = seen[key & (len(seen) - 1)] == key >> CHECK_SHIFT
    return found


def note_expanded(seen: np.ndarray, key: int) -> None:
    """Note that a position is expanded; others may come again by other paths, and are not noted."""
    seen[key & (len(seen) - 1)] = key >> CHECK_SHIFT


def select_best(memory: Memory, count: int, width: int, begin: int) -> int:
    """Select the best of ``count`` children that were not expanded yet; return their number.

    Their numbers are written into the back pointers from ``begin`` on, at most ``width`` of them,
    best first.  Of children with the same key the best one is selected.
    """
    found = 0
    for place in range(sort_best(memory, count, width)):
        child = memory.order[place]
        key = memory.children[child].key
        if was_expanded(memory.seen, key):
            continue
        note_expanded(memory.seen, key)
        memory.back_pointers[begin + found] = child
        found += 1
        if found == width:
            break
    return found


def sort_best(memory: Memory, count: int, width: int) -> int:
    """Write the numbers of the best children in order; return their number.

    A counting sort: at least ``width`` of ``count`` children, if there are, and all children of the
    scores of these.  Scores far above the lowest count as one.
    """
    children = memory.children
    histogram = memory.histogram
    low = children[0].score
    for child in range(count):
        low = min(low, children[child].score)
    for score in range(HISTOGRAM_SIZE):
        histogram[score] = 0
    for child in range(count):
        histogram[min(children[child].score - low, HISTOGRAM_SIZE - 1)] += 1
    listed = 0
    last = HISTOGRAM_SIZE - 1
    for score in range(HISTOGRAM_SIZE):
        here = histogram[score]
        histogram[score] = listed  # where the children of this score begin
        listed += here
        if listed >= width:
            last = score
            break
    for child in range(count):
        score = min(children[child].score - low, HISTOGRAM_SIZE - 1)
        if score <= last:
            memory.order[histogram[score]] = child
            histogram[score] += 1
    return int(listed)

"""What beam searches share: which positions were met lately, and where the best ones end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

BINS = 4096
MARK = 30  # the bits of a key from here on tell positions in the same place apart
SHARE = 8  # places for each position of a step
LEAST = 1 << 17  # places that the narrowest beam has


def places(width: int) -> int:
    """Return how many places to remember positions a beam gets: the fewer, the faster they are."""
    return max(LEAST, 1 << (SHARE * width - 1).bit_length())


def is_seen(seen: Any, key: int) -> bool:
    """Tell whether a position went on lately; ``seen`` has a power of two of places."""
    found: bool = seen[key & (len(seen) - 1)] == key >> MARK
    return found


def remember(seen: Any, key: int) -> None:
    """Note that a position goes on; only such are noted, as others may come again by other ways."""
    seen[key & (len(seen) - 1)] = key >> MARK


def pick(
    children: Any, count: int, most: int, bins: Any, ranks: Any, seen: Any, picked: Any, begin: int
) -> int:
    """Write the numbers of the children that go on from ``begin`` on; return how many they are.

    Those are the best, at most so many and the best first, without those that were seen: of
    positions that count as one the best goes on.
    """
    found = 0
    for place in range(rank(children, count, most, bins, ranks)):
        at = ranks[place]
        key = children[at].key
        if is_seen(seen, key):
            continue
        remember(seen, key)
        picked[begin + found] = at
        found += 1
        if found == most:
            break
    return found


def rank(children: Any, count: int, most: int, bins: Any, ranks: Any) -> int:
    """List the children of the lowest scores in their order; return how many they are.

    Those are at least so many, if there are so many.  Scores far above the lowest count as one.
    """
    low = children[0].score
    for at in range(count):
        low = min(low, children[at].score)
    for at in range(BINS):
        bins[at] = 0
    for at in range(count):
        bins[min(children[at].score - low, BINS - 1)] += 1
    listed = 0
    last = BINS - 1
    for at in range(BINS):
        here = bins[at]
        bins[at] = listed  # where those of this score begin
        listed += here
        if listed >= most:
            last = at
            break
    for at in range(count):
        place = min(children[at].score - low, BINS - 1)
        if place <= last:
            ranks[bins[place]] = at
            bins[place] += 1
    return int(listed)

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
    children: Any, count: int, most: int, limit: int, seen: Any, picked: Any, begin: int
) -> int:
    """Write the numbers of the children that go on from ``begin`` on; return how many they are.

    Those are at most so many, none of a score above the limit and none that was seen.
    """
    found = 0
    for at in range(count):
        child = children[at]
        if child.score > limit or is_seen(seen, child.key):
            continue
        remember(seen, child.key)
        picked[begin + found] = at
        found += 1
        if found == most:
            break
    return found


def threshold(children: Any, count: int, width: int, bins: Any) -> int:
    """Return the lowest score that at least ``width`` children do not exceed, if so many there are.

    Scores far above the lowest count as one.
    """
    low = children[0].score
    for at in range(count):
        low = min(low, children[at].score)
    for at in range(BINS):
        bins[at] = 0
    for at in range(count):
        bins[min(children[at].score - low, BINS - 1)] += 1
    total = 0
    last = BINS - 1
    for at in range(BINS):
        total += bins[at]
        if total >= width:
            last = at
            break
    limit: int = low + last
    return limit

"""What beam searches share: which positions were met lately, and where the best ones end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

BINS = 4096


def is_seen(seen: Any, key: int) -> bool:
    """Tell whether a position went on lately; ``seen`` has a power of two of places."""
    found: bool = seen[key & (len(seen) - 1)] == key
    return found


def remember(seen: Any, key: int) -> None:
    """Note that a position goes on; only such are noted, as others may come again by other ways."""
    seen[key & (len(seen) - 1)] = key


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

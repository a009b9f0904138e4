"""What differs between two boards, for a page that has the first of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gridhouse.server.tables.messages import Splice

KEPT = 16  # answers: those who play and those who watch often see the same


@lru_cache(maxsize=KEPT)
def splices(before: tuple[str, ...], now: tuple[str, ...]) -> list[Splice] | None:
    """Return how the lines of one board become those of another, the last splice first.

    Both boards are given in parts of one or more lines, most of which they have in common.  None if
    most of it is new, so that the whole board is better.
    """
    if len(before) == len(now):  # as after most moves
        pairs = enumerate(zip(before, now, strict=True))
        spans = [(at, at + 1, at, at + 1) for at, (old, new) in pairs if old != new]
    else:  # all between what they have in common at both ends
        shorter = min(len(before), len(now))
        first = next((at for at in range(shorter) if before[at] != now[at]), shorter)
        left = range(shorter - first)
        rest = next((at for at in left if before[~at] != now[~at]), len(left))
        spans = [(first, len(before) - rest, first, len(now) - rest)]
    size = sum(len(part) for *_, start, stop in spans for part in now[start:stop])
    if 2 * size > sum(map(len, now)):
        return None
    found: list[Splice] = []
    at = lines = 0
    for start, stop, first, end in spans:
        lines += count_lines(before, at, start)
        gone = count_lines(before, start, stop)
        come = [line for part in now[first:end] for line in part.split("\n")]
        found.append((lines, gone, come))
        at, lines = stop, lines + gone
    return found[::-1]


def count_lines(parts: tuple[str, ...], start: int, stop: int) -> int:
    """Return the number of lines of some parts; an empty part is an empty line."""
    return "\n".join(parts[start:stop]).count("\n") + 1 if start < stop else 0

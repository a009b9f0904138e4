"""A small position by what it is: the cells open to each digit, and all blocking sets.

Few cells have few blocking sets, and these tell by themselves what a move leaves: of the sets that
its cell is in, those of its digit need one cell less, and those of the other can never be filled.
That is much faster than to look up the lines.  ``groups`` lists the sets of 0 before ``first``,
then those of 1; no set holds another of its digit, and each has two cells or more.
"""

from __future__ import annotations

from gridhouse.core import bits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def copy(to: Any, frame: Any) -> None:
    """Copy the sets."""
    to.first = frame.first
    to.num_groups = frame.num_groups
    for i in range(frame.num_groups):
        to.groups[i] = frame.groups[i]


def start_of(frame: Any, digit: int) -> int:
    """Return where the sets of a digit begin."""
    return int(frame.first) if digit else 0


def end_of(frame: Any, digit: int) -> int:
    """Return where the sets of a digit end."""
    return int(frame.num_groups) if digit else int(frame.first)


def end_at(frame: Any, digit: int, end: int) -> None:
    """Let the sets of a digit end earlier."""
    gap = end_of(frame, digit) - end
    if digit == 0:
        frame.first = end
        for i in range(end, frame.num_groups - gap):
            frame.groups[i] = frame.groups[i + gap]
    frame.num_groups -= gap


def remove(frame: Any, cells: int, digit: int) -> None:
    """Take a digit away from cells: the sets that they are in can never be filled."""
    frame.opened[digit] &= ~cells
    start = start_of(frame, digit)
    kept = start
    for i in range(start, end_of(frame, digit)):
        group = frame.groups[i]
        frame.groups[kept] = group
        kept += int(group & cells == 0)
    end_at(frame, digit, kept)


def play(frame: Any, cell: int, digit: int) -> None:
    """Write a digit into a cell that is open to it."""
    bit = 1 << cell
    frame.opened[digit] ^= bit
    if frame.opened[1 - digit] & bit:
        remove(frame, bit, 1 - digit)
    start = start_of(frame, digit)
    shrunk = start
    dead = 0
    for i in range(start, end_of(frame, digit)):
        group = frame.groups[i]
        if group & bit:
            group ^= bit
            frame.groups[i] = frame.groups[shrunk]
            frame.groups[shrunk] = group
            shrunk += 1
            if group & (group - 1) == 0:
                dead |= group
    kept = shrunk
    for i in range(shrunk, end_of(frame, digit)):
        group = frame.groups[i]
        frame.groups[kept] = group
        kept += int(not holds_any(frame, group, start, shrunk))
    end_at(frame, digit, kept)
    if dead:
        remove(frame, dead, digit)


def holds_any(frame: Any, group: int, start: int, stop: int) -> bool:
    """Tell whether one of the listed sets is part of a set."""
    found = False
    for i in range(start, stop):
        found = found or frame.groups[i] & ~group == 0
    return found


def held(frame: Any, digit: int) -> int:
    """Return the cells that are in sets of a digit."""
    result = 0
    for i in range(start_of(frame, digit), end_of(frame, digit)):
        result |= frame.groups[i]
    return int(result)


def doubtful(frame: Any) -> int:
    """Return the cells from which sets that meet nowhere else can take both digits."""
    result = 0
    for i in range(frame.first):
        for j in range(frame.first, frame.num_groups):
            both = frame.groups[i] & frame.groups[j]
            if both & (both - 1) == 0:
                result |= both
    return int(result)


def can_spoil(frame: Any, cell: int) -> bool:
    """Tell whether one move leaves a cell without any digit."""
    bit = 1 << cell
    if frame.opened[0] & frame.opened[1] & bit:
        return False
    # The cell is in no set of a digit that it is not open to.
    for i in range(frame.num_groups):
        if frame.groups[i] & bit and bits.population(frame.groups[i]) == 2:
            return True
    return False


def beside(frame: Any, part: int) -> int:
    """Return a part with the sets that it has a cell of."""
    for i in range(frame.num_groups):
        if frame.groups[i] & part:
            part |= frame.groups[i]
    return part

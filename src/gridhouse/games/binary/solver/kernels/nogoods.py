"""A small position by what it is: the cells open to each digit, and all blocking sets.

Few cells have few blocking sets, and these tell by themselves what a move leaves: of the sets that
its cell is in, those of its digit need one cell less, and those of the other can never be filled.
That is much faster than to look up the lines.  ``groups`` lists the sets of 0 before ``first``,
then those of 1; no set holds another of its digit, and each has two cells or more.
"""

from __future__ import annotations

INLINED = True
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
    if frame.opened[digit] & cells:
        frame.opened[digit] &= ~cells
        start = start_of(frame, digit)
        end_at(frame, digit, drop(frame, frame, start, start, end_of(frame, digit), cells))


def play(to: Any, frame: Any, cell: int, digit: int) -> None:
    """Make the position that a digit in a cell that is open to it leads to."""
    bit = 1 << cell
    to.opened[digit] = frame.opened[digit] ^ bit
    to.opened[1 - digit] = frame.opened[1 - digit] & ~bit
    if digit:
        to.first = drop(to, frame, 0, 0, frame.first, bit)
        to.num_groups = shrink(to, frame, to.first, frame.first, frame.num_groups, bit, 1)
    else:
        to.first = shrink(to, frame, 0, 0, frame.first, bit, 0)
        to.num_groups = drop(to, frame, to.first, frame.first, frame.num_groups, bit)


def drop(to: Any, frame: Any, at: int, start: int, stop: int, cells: int) -> int:
    """List sets that have none of these cells from a place on; return where they end."""
    for i in range(start, stop):
        group = frame.groups[i]
        to.groups[at] = group
        at += int(group & cells == 0)
    return at


def shrink(to: Any, frame: Any, at: int, start: int, stop: int, bit: int, digit: int) -> int:
    """List sets of the digit that now stands in a cell, from a place on; return where they end.

    Those with the cell need it no more, and what holds such a one is no least set any more.  What
    is left with one cell closes that.
    """
    begin = at
    dead = 0
    for i in range(start, stop):
        group = frame.groups[i]
        rest = group & ~bit
        shrinks = int(rest != group)
        is_last = int(rest & (rest - 1) == 0)
        to.groups[at] = rest
        at += shrinks & ~is_last
        dead |= rest & -(shrinks & is_last)
    end = at
    for i in range(start, stop):
        group = frame.groups[i]
        to.groups[at] = group
        at += int(group & (bit | dead) == 0 and not holds_any(to, group, begin, end))
    to.opened[digit] &= ~dead
    return at


def holds_any(frame: Any, group: int, start: int, stop: int) -> bool:
    """Tell whether one of the listed sets is part of a set."""
    found = False
    for i in range(start, stop):
        found = found or frame.groups[i] & ~group == 0
    return found


def held(frame: Any) -> int:
    """Return the cells that are in sets."""
    result = 0
    for i in range(frame.num_groups):
        result |= frame.groups[i]
    return int(result)


def beside(frame: Any, part: int) -> int:
    """Return a part with the sets that it has a cell of."""
    for i in range(frame.num_groups):
        if frame.groups[i] & part:
            part |= frame.groups[i]
    return part

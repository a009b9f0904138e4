"""The key of a small position by what it is: the same wherever it stands and however it lies.

What can still happen depends on nothing but which cells are open to which digits, and on the
blocking sets of each digit.  So cells get numbers by what is known of each without regard to its
place, and the key is made of all sets, their cells by these numbers.  Equal keys mean positions
that are one but for their cells' names, and maybe with digits exchanged.  Where two cells cannot be
told apart, their places decide: then like positions may have unlike keys, which costs time only.
"""

from __future__ import annotations

from gridhouse.core import bits, chance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 9  # cells of a small position
SIZE_BITS = 4
COUNT_BITS = 7  # of how many sets of a size there are; the least has two cells
FLAG = 60  # a bit of a mark that no more are added to
OPEN_SALT = 4 << 40
SET_SALT = 5 << 40


def key(frame: Any, first: int, count: int) -> int:
    """Return the key of a position from its blocking sets: those of 0 before ``first``, then of 1.

    They are listed in ``groups``.
    """
    swap = int(sizes(frame, 0, 0, first) > sizes(frame, 1, first, count))
    mark(frame, first, count, swap)
    zeros, ones = rank(frame, swap)
    total = chance.code(OPEN_SALT | zeros << MOST | ones)
    for i in range(count):
        digit = int(i >= first) ^ swap
        total += chance.code(SET_SALT | ranked(frame, frame.groups[i]) << 1 | digit)
    return int(total & chance.KEY)


def sizes(frame: Any, digit: int, start: int, stop: int) -> int:
    """Return how many cells a digit has, and how many sets of each size, as one number."""
    total = bits.population(frame.opened[digit])
    for i in range(start, stop):
        total += 1 << COUNT_BITS * (bits.population(frame.groups[i]) - 1)
    return int(total)


def mark(frame: Any, first: int, count: int, swap: int) -> None:
    """Mark each cell by the sets that it is in, and by what it is open to."""
    rest = frame.opened[0] | frame.opened[1]
    while rest:
        cell = bits.lowest(rest)
        rest &= rest - 1
        frame.marks[cell] = (frame.opened[swap] >> cell & 1) << FLAG
    for i in range(count):
        cells = frame.groups[i]
        digit = int(i >= first)
        size = bits.population(cells)
        both = bits.population(cells & frame.opened[1 - digit])
        weight = chance.code(((digit ^ swap) << SIZE_BITS | size) << SIZE_BITS | both)
        while cells:
            cell = bits.lowest(cells)
            cells &= cells - 1
            frame.marks[cell] = (frame.marks[cell] + weight) & chance.KEY


def rank(frame: Any, swap: int) -> tuple[int, int]:
    """Give the cells numbers in the order of their marks; return the sets open to each digit."""
    rest = frame.opened[0] | frame.opened[1]
    count = 0
    while rest:
        cell = bits.lowest(rest)
        rest &= rest - 1
        frame.order[count] = cell
        # The place makes all unlike, which is ranked faster than with a look at ties.
        frame.places[count] = frame.marks[cell] >> SIZE_BITS << SIZE_BITS | count
        count += 1
    zeros = 0
    ones = 0
    for i in range(count):
        cell = frame.order[i]
        before = 0
        for j in range(count):
            before += int(frame.places[j] < frame.places[i])
        frame.ranks[cell] = 1 << before
        zeros |= (frame.opened[swap] >> cell & 1) << before
        ones |= (frame.opened[1 - swap] >> cell & 1) << before
    return zeros, ones


def ranked(frame: Any, cells: int) -> int:
    """Return a set of cells by their numbers."""
    result = 0
    while cells:
        cell = bits.lowest(cells)
        cells &= cells - 1
        result |= frame.ranks[cell]
    return result

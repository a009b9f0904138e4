"""The key of a small position by what it is: the same wherever it stands and however it lies.

What can still happen depends on nothing but which cells are open to which digits, and on the
blocking sets of each digit.  So cells get numbers by what is known of each without regard to its
place, and the key is made of all sets, their cells by these numbers.  Equal keys mean positions
that are one but for their cells' names, and maybe with digits exchanged.  Where two cells cannot be
told apart, their places decide: then like positions may have unlike keys, which costs time only.

Loops over the cells of a set end at another step every time, which a processor cannot foresee, so
that sets are taken whole: marks of all cells stand in lanes of one word, and names for each three
cells in a table.
"""

from __future__ import annotations

from gridhouse.core import bits, chance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INLINED = True  # see ``core.compiling``
MOST = 12  # cells of a small position
# A lane of sixteen bits holds what is known of a cell: marks by the sets of either digit that it
# is in, what it is open to, and its place, by which no two are alike.  A word has four lanes.
TIE_BITS = 4
MARK_BITS = 5
WORDS = 4
TIES = 0x000F000F000F000F  # where places stand
PLACES = 0x0003000200010000
LANES = 0x0001000100010001  # the lowest bit of each
APART = 1 | 1 << 15 | 1 << 30 | 1 << 45  # a factor that moves four bits to as many lanes
COUNT_BITS = 5  # of how many sets of a size there are; the least has two cells
CHUNK = 3  # cells that are renamed at once
CHUNKS = MOST // CHUNK << CHUNK
OPEN_SALT = 4 << 40
SET_SALT = 5 << 40


def key(frame: Any, first: int, count: int) -> int:
    """Return the key of a position from its blocking sets: those of 0 before ``first``, then of 1.

    They are listed in ``groups``.
    """
    live = frame.opened[0] | frame.opened[1]
    zeros = bits.extract(frame.opened[0], live)
    ones = bits.extract(frame.opened[1], live)
    zero_low, zero_middle, zero_high, zero_sizes = weigh(frame, live, 0, first)
    one_low, one_middle, one_high, one_sizes = weigh(frame, live, first, count)
    swap = int(zero_sizes + bits.population(zeros) > one_sizes + bits.population(ones))
    if swap:
        zero_low, one_low = one_low, zero_low
        zero_middle, one_middle = one_middle, zero_middle
        zero_high, one_high = one_high, zero_high
        zeros, ones = ones, zeros
    frame.lanes[0] = lanes(zero_low, one_low, zeros, ones, 0)
    frame.lanes[1] = lanes(zero_middle, one_middle, zeros, ones, 4)
    frame.lanes[2] = lanes(zero_high, one_high, zeros, ones, 8)
    frame.lanes[3] = -1
    name(frame, bits.population(live))
    total = chance.zobrist(OPEN_SALT | named(frame, zeros) << MOST | named(frame, ones))
    for i in range(first):
        total += chance.zobrist(SET_SALT | named(frame, frame.numbered[i]) << 1 | swap)
    for i in range(first, count):
        total += chance.zobrist(SET_SALT | named(frame, frame.numbered[i]) << 1 | (1 - swap))
    return int(total & chance.KEY)


def spread(cells: int, start: int) -> int:
    """Return four of a set's cells with a lane for each."""
    return (cells >> start & 15) * APART & LANES


def weigh(frame: Any, live: int, start: int, stop: int) -> tuple[int, int, int, int]:
    """Return marks of all cells by the sets that they are in, and how many sets there are by size.

    Cells of the sets get numbers in the order of their places.
    """
    low = 0
    middle = 0
    high = 0
    sizes = 0
    for i in range(start, stop):
        cells = bits.extract(frame.groups[i], live)
        frame.numbered[i] = cells
        size = bits.population(cells)
        weight = size * size - 3
        low += spread(cells, 0) * weight
        middle += spread(cells, 4) * weight
        high += spread(cells, 8) * weight
        sizes += 1 << COUNT_BITS * (size - 1)
    return low, middle, high, sizes


def lanes(first: int, second: int, opened: int, others: int, start: int) -> int:
    """Return what is known of four cells; of cells that there are not, more than of any other."""
    marks = (first << MARK_BITS) + second << 2 | spread(opened, start) << 1 | spread(others, start)
    none = spread(~(opened | others), start) * 0xFFFF
    return int((marks << TIE_BITS) & ~TIES | PLACES + start * LANES | none)


def name(frame: Any, count: int) -> None:
    """Give so many cells numbers in the order of their lanes, and names by these."""
    for cell in range(0, count, CHUNK):
        low = 1 << bits.rank(frame.lanes, cell)
        middle = 1 << bits.rank(frame.lanes, cell + 1)
        high = 1 << bits.rank(frame.lanes, cell + 2)
        at = cell // CHUNK << CHUNK
        frame.names[at + 1] = low
        frame.names[at + 2] = middle
        frame.names[at + 3] = low | middle
        frame.names[at + 4] = high
        frame.names[at + 5] = low | high
        frame.names[at + 6] = middle | high
        frame.names[at + 7] = low | middle | high


def named(frame: Any, cells: int) -> int:
    """Return a set of cells by their names."""
    return int(
        frame.names[cells & 7]
        | frame.names[8 | cells >> 3 & 7]
        | frame.names[16 | cells >> 6 & 7]
        | frame.names[24 | cells >> 9]
    )

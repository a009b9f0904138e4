"""What a line of many cells still forbids, found by rule where a table would be too large.

Beside what ``_lines`` says: a window of three places that can still be filled makes a blocking set
of its open cells, and where one more of the digit is too many, every set of as many open cells that
fits without a triple is one.  So the open cells, the windows and how many of the digit are left
tell the family without listing it.  Entries are kept in a small cache of each line, by its code.
"""

from __future__ import annotations

from gridhouse.core import bits, chance
from gridhouse.games.binary import _lines
from gridhouse.games.binary._lines import BLOCK_SALT, HALF, MOST_LINES, OPEN_SALT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 20  # cells of a line
CAP_SALT = 3 << 40
NEVER = -64  # as many cells as a line cannot hold


def recall(layout: Any, at: int, entry: Any, code: int) -> None:
    """Make an entry that of a line's code, unless it is already; ``at`` tells the digit too."""
    if entry.code == code + 1:
        return
    entry.code = code + 1
    entry.masks = 0
    entry.ahead = 0
    entry.back = 0
    entry.joints = 0
    line = at % MOST_LINES
    stones = layout.others[at]
    opened = 0
    rest = code
    for cell in range(layout.lengths[line]):
        place = layout.places[line * MOST + cell]
        stones |= (rest % 3 & 1) << place
        opened |= (rest % 3 >> 1) << place
        rest //= 3
    left = (layout.span[line] + 1) // 2 - bits.population(stones)
    dead = opened if left <= 0 else opened & beside_pairs(stones)
    if dead:
        entry.masks = as_cells(layout, line, dead)
    elif opened:
        describe(layout, line, entry, stones, opened, left)


def beside_pairs(stones: int) -> int:
    """Return the places where a stone would complete three in a row."""
    ahead = stones & stones >> 1
    around = stones & stones >> 2
    return ahead << 2 | ahead >> 1 | around << 1


def as_cells(layout: Any, line: int, places: int) -> int:
    """Return a set of places as one of the line's cells."""
    cells = 0
    for cell in range(layout.lengths[line]):
        cells |= (places >> layout.places[line * MOST + cell] & 1) << cell
    return cells


def most(stones: int, opened: int, length: int) -> int:
    """Return how many open cells can take the digit at once, if only triples are forbidden."""
    none = 0
    one = NEVER
    two = NEVER
    for place in range(length):
        best = max(none, one, two)
        if stones >> place & 1:
            none, one, two = NEVER, none, one
        elif opened >> place & 1:
            none, one, two = best, none + 1, one + 1
        else:
            none, one, two = best, NEVER, NEVER
    return max(none, one, two)


def describe(layout: Any, line: int, entry: Any, stones: int, opened: int, left: int) -> None:
    """Fill an entry for a line in which nothing is forbidden yet."""
    length = layout.span[line]
    ahead = chance.code(OPEN_SALT | opened)
    back = chance.code(OPEN_SALT | _lines.reversed_places(opened, length))
    is_capped = most(stones, opened, length) > left
    touched = opened if is_capped else 0
    last = 0
    for place in range(length - 2):
        window = 7 << place
        block = window & opened
        size = bits.population(block)
        if window & ~(stones | opened) or block == last or size < 2:
            continue
        # Three open cells say nothing new beside a stone, which makes two of them a set.
        if size == 3 and stones & (1 << place + 3 | (1 << place) >> 1):
            continue
        last = block
        touched |= block
        join(layout, line, entry, block)
        if not is_capped or left >= size:
            ahead += chance.code(BLOCK_SALT | block)
            back += chance.code(BLOCK_SALT | _lines.reversed_places(block, length))
    if is_capped:
        ahead += chance.code(CAP_SALT | left)
        back += chance.code(CAP_SALT | left)
        join(layout, line, entry, opened)
    entry.ahead = ahead & chance.KEY
    entry.back = back & chance.KEY
    entry.masks = as_cells(layout, line, touched) << HALF


def join(layout: Any, line: int, entry: Any, block: int) -> None:
    """Note that the cells from a set's first to its last belong together."""
    cells = as_cells(layout, line, block)
    entry.joints |= (1 << bits.length(cells) - 1) - (cells & -cells)


def joined(entry: Any, cell: int) -> int:
    """Return the cells that belong together with one of a line's, itself among them."""
    touched = entry.masks >> HALF
    if not touched >> cell & 1:
        return 0
    low = cell
    while low and entry.joints >> low - 1 & 1:
        low -= 1
    high = cell
    while entry.joints >> high & 1:
        high += 1
    return int(touched & ((2 << high) - (1 << low)))

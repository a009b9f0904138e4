"""What one line of the board still forbids: a table entry for every way its cells may stand.

Seen from one digit, a cell of a line is a *stone* of that digit, *open* to it, or neither.  These
three ways, as a number in base three (0 neither, 1 stone, 2 open, least significant cell first),
are the line's *code*.  What the line will ever forbid is its family of least *blocking sets*: sets
of open cells that cannot all take the digit, though all but any one of them can.  Two codes with
the same open cells and the same family have the same future, whatever stones made them so.
"""

from __future__ import annotations

from gridhouse.core import bits, chance, position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 9  # cells of a line that a table is made for; see ``_long`` for longer ones
MOST_LINES = 40  # of a board
HALF = 24  # bits for each of the two masks of an entry
LOW = (1 << HALF) - 1
APART = 2 * HALF  # the bit that says that blocking sets do not all belong together

# Blocking sets and sets of open cells are hashed apart.
BLOCK_SALT = 1 << 40
OPEN_SALT = 2 << 40


class Entry(position.Position):
    """What a code says: open cells that are forbidden already, open cells that may become so.

    ``masks`` holds both, the forbidden ones in its lower half, and a bit above that says whether
    blocking sets fall apart.  ``ahead`` and ``back`` are hashes of the future of the line, read
    from either end.  ``count`` blocking sets are listed from ``first`` on.  In long lines none are,
    the entry is that of ``code`` less one, and bits of ``joints`` say that a cell belongs together
    with the next.
    """

    entry = position.field("int8")
    masks = position.field("int64")
    ahead = position.field("int64")
    back = position.field("int64")
    first = position.field("int32")
    count = position.field("int32")
    code = position.field("int64")
    joints = position.field("int64")


class Line(position.Position):
    """A line for one digit: its cells' places, the stones elsewhere in it, and its limit."""

    line = position.field("int8")
    length = position.field("int32")  # of the line on the board
    cap = position.field("int32")  # how many of the digit it may hold
    stones = position.field("int64")  # of the digit, on places that are not among the cells
    cells = position.field("int32")
    entries = position.field("int64")  # where its part of the table begins
    near = position.field("int64")  # where what shares a blocking set begins
    by_cells = position.field("int8")  # whether hashes leave out which cells are open
    place = position.field("int32", MOST)


def spread_out(line: Any, cells: int) -> int:
    """Return the places of a set of the line's cells."""
    places = 0
    for cell in range(line.cells):
        if cells >> cell & 1:
            places |= 1 << line.place[cell]
    return places


def is_allowed(line: Any, cells: int) -> bool:
    """Tell whether so many cells may hold the digit at once."""
    places = line.stones | spread_out(line, cells)
    if bits.population(places) > line.cap:
        return False
    return not places & places >> 1 & places >> 2


def reversed_places(places: int, size: int) -> int:
    """Return the places as they are counted from the other end."""
    result = 0
    for place in range(size):
        if places >> place & 1:
            result |= 1 << (size - 1 - place)
    return result


def is_block(line: Any, stones: int, cells: int) -> bool:
    """Tell whether the cells cannot all take the digit, though all but any one of them can."""
    if is_allowed(line, stones | cells):
        return False
    rest = cells
    while rest:
        last = rest & -rest
        rest ^= last
        if not is_allowed(line, stones | cells ^ last):
            return False
    return True


def forbidden(line: Any, stones: int, opened: int) -> int:
    """Return the open cells that cannot take the digit any more."""
    dead = 0
    rest = opened
    while rest:
        cell = rest & -rest
        rest ^= cell
        if not is_allowed(line, stones | cell):
            dead |= cell
    return dead


def fill(line: Any, table: Any, near: Any, blocks: Any, first: int) -> int:
    """Fill a line's part of the table; return how far ``blocks`` is used, from ``first`` on.

    Where ``blocks`` is too short, sets are counted but not written.
    """
    count = 1
    for _ in range(line.cells):
        count *= 3
    for code in range(count):
        entry = table[line.entries + code]
        entry.first = first
        first = describe(line, entry, near, 0, blocks, code)
    return first


def describe(line: Any, entry: Any, near: Any, begin: int, blocks: Any, code: int) -> int:
    """Fill the entry of a code; return how far ``blocks`` is used.

    ``near`` gets, from ``begin`` on, for each code and each of its cells the cells that share a
    blocking set with it, directly or through others.
    """
    stones = 0
    opened = 0
    rest = code
    for cell in range(line.cells):
        way = rest % 3
        rest //= 3
        stones |= (way & 1) << cell
        opened |= (way >> 1) << cell
    if not is_allowed(line, stones):
        return int(entry.first)
    entry.masks = forbidden(line, stones, opened)
    if entry.masks:
        return int(entry.first)
    at = begin + line.near + code * line.cells
    return list_blocks(line, entry, near, at, blocks, stones, opened)


def list_blocks(
    line: Any, entry: Any, near: Any, at: int, blocks: Any, stones: int, opened: int
) -> int:
    """Fill an entry by the family of blocking sets; return how far ``blocks`` is used."""
    ahead = 0
    back = 0
    if opened and not line.by_cells:
        places = spread_out(line, opened)
        ahead = chance.zobrist(OPEN_SALT | places)
        back = chance.zobrist(OPEN_SALT | reversed_places(places, line.length))
    first = entry.first
    touched = 0
    cells = opened
    while cells:
        if is_block(line, stones, cells):
            places = spread_out(line, cells)
            ahead += chance.zobrist(BLOCK_SALT | places)
            back += chance.zobrist(BLOCK_SALT | reversed_places(places, line.length))
            touched |= cells
            join(line, near, at, cells)
            first = list_block(blocks, first, cells)
        cells = (cells - 1) & opened
    entry.count = first - entry.first
    entry.ahead = ahead & chance.KEY
    entry.back = back & chance.KEY
    entry.masks = touched << HALF
    if touched and near[at + bits.lowest(touched)] != touched:
        entry.masks |= 1 << APART
    return int(first)


def join(line: Any, near: Any, at: int, cells: int) -> None:
    """Note that the cells, and all that any of them was joined with before, belong together."""
    joined = cells
    for cell in range(line.cells):
        joined |= near[at + cell] if cells >> cell & 1 else 0
    for cell in range(line.cells):
        if joined >> cell & 1:
            near[at + cell] = joined


def list_block(blocks: Any, first: int, cells: int) -> int:
    """Write a blocking set where there is room for it; return how far ``blocks`` is used."""
    if first < len(blocks):
        blocks[first] = cells
    return first + 1

"""A position of the Binary Game as its search keeps it: what can still happen.

For each digit that is the cells open to it, and the codes of all lines (see ``_lines``).  Positions
with the same future, or with one that is its mirror image, have one key; some are known to be won
or lost without a search: where nothing that is left can be taken away, and where every move has an
answer in a symmetry (see ``docs/binary.md``).

Everything is given as records, and runs interpreted and compiled.
"""

from __future__ import annotations

from gridhouse.core import bits, chance, position
from gridhouse.games.binary import _long, _structure
from gridhouse.games.binary._lines import HALF, LOW, MOST_LINES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_CELLS = 63
MOST_MOVES = 2 * MOST_CELLS
# As many blocking sets as a small position can have: in lines of so many cells together no more
# than 126 sets of which none holds another, in rows and in columns, for both digits.
MOST_GROUPS = 512
SYMMETRIES = 16

LOSS = 0
WIN = 1
UNKNOWN = -1

# What may be switched off, to see what it earns.
PAIRING = 1
PARITY = 2
COMPONENTS = 4
LOOKUP = 8
SYMMETRY = 16
ORDER = 32
STRUCTURE = 64
ALL = 127


class Layout(position.Position):
    """The board of a search: where its cells stand, its lines, its symmetries."""

    layout = position.integer("int8")
    num_cells = position.integer("int32")
    num_rows = position.integer("int32")
    num_lines = position.integer("int32")
    num_symmetries = position.integer("int32")
    switches = position.integer("int32")
    limit = position.integer("int32")  # cells up to which proof numbers are not used
    row = position.integers("int32", MOST_CELLS)
    col = position.integers("int32", MOST_CELLS)
    row_step = position.integers("int64", MOST_CELLS)  # of a line's code, a power of three
    col_step = position.integers("int64", MOST_CELLS)
    row_place = position.integers("int32", MOST_CELLS)
    col_place = position.integers("int32", MOST_CELLS)
    board = position.integers("int64", MOST_LINES)  # the cells of a line
    lengths = position.integers("int32", MOST_LINES)  # how many they are
    blocks = position.integer("int64")  # where the lists of blocking sets begin
    first = position.integers("int64", MOST_LINES)  # where a line's sets of cells begin
    entries = position.integers("int64", 2 * MOST_LINES)  # where its entries begin, a digit each
    near = position.integers("int64", 2 * MOST_LINES)
    num_long = position.integer("int32")  # lines whose entries are found by rule
    only = position.integer("int32")  # one and the line that all cells stand in, if it is long
    slots = position.integers("int32", 2 * MOST_LINES)  # of a long line's cache, else 0
    turned = position.integers("int32", SYMMETRIES)  # whether rows become columns
    swapped = position.integers("int32", SYMMETRIES)  # whether digits change
    flipped = position.integers("int32", SYMMETRIES)  # bit 0: rows run backwards, 1: columns
    image = position.integers("int32", SYMMETRIES * MOST_CELLS)
    goes = position.integers("int32", SYMMETRIES * MOST_LINES)  # where a line goes
    runs = position.integers("int32", SYMMETRIES * MOST_LINES)  # whether it runs backwards there
    factor = position.integers("int64", 2 * MOST_LINES)
    span = position.integers("int32", MOST_LINES)  # the length of a line on the board
    others = position.integers("int64", 2 * MOST_LINES)  # its stones that are not among its cells
    places = position.integers("int32", MOST_LINES * _long.MOST)  # where its cells stand in it


class Frame(position.Position):
    """A ply: a position with its heap, and what is known of its moves."""

    frame = position.integer("int8")
    opened = position.integers("int64", 2)
    codes = position.integers("int64", 2 * MOST_LINES)
    heap = position.integer("int64")
    key = position.integer("int64")
    num_images = position.integer("int32")  # that were looked at for the key
    risk = position.integer("int64")
    num_groups = position.integer("int32")
    groups = position.integers("int64", MOST_GROUPS)  # sets of cells that a line joins, or blocks
    marks = position.integers("int64", MOST_CELLS)
    ranks = position.integers("int64", MOST_CELLS)
    order = position.integers("int64", _structure.MOST)
    count = position.integer("int32")
    last = position.integer("int32")  # the move that is being tried
    winner = position.integer("int32")  # a move that won, or -1
    num_parts = position.integer("int32")
    part = position.integer("int32")
    nimber = position.integer("int64")
    best = position.integer("int32")
    least = position.integer("int64")
    second = position.integer("int64")
    greatest = position.integer("int64")
    left = position.integer("int64")
    keys = position.integers("int64", MOST_MOVES)
    scores = position.integers("int64", MOST_MOVES)
    zeros = position.integers("int64", MOST_MOVES)
    ones = position.integers("int64", MOST_MOVES)
    risks = position.integers("int64", MOST_MOVES)
    heaps = position.integers("int32", MOST_MOVES)
    moves = position.integers("int32", MOST_MOVES)
    proofs = position.integers("int64", MOST_MOVES)
    disproofs = position.integers("int64", MOST_MOVES)
    parts = position.integers("int64", MOST_CELLS)


def copy(to: Any, frame: Any, num_lines: int) -> None:
    """Copy a position with its heap."""
    to.heap = frame.heap
    for digit in range(2):
        to.opened[digit] = frame.opened[digit]
        for line in range(digit * MOST_LINES, digit * MOST_LINES + num_lines):
            to.codes[line] = frame.codes[line]


def close(frame: Any, layout: Any, cells: int, digit: int) -> None:
    """Take a digit away from open cells."""
    frame.opened[digit] &= ~cells
    base = digit * MOST_LINES
    while cells:
        cell = bits.lowest(cells)
        cells &= cells - 1
        frame.codes[base + layout.row[cell]] -= 2 * layout.row_step[cell]
        frame.codes[base + layout.col[cell]] -= 2 * layout.col_step[cell]


def keep(frame: Any, layout: Any, zeros: int, ones: int) -> None:
    """Close all cells but these."""
    close(frame, layout, frame.opened[0] & ~zeros, 0)
    close(frame, layout, frame.opened[1] & ~ones, 1)


def recall(frame: Any, layout: Any, table: Any) -> None:
    """Have the entries of long lines as they stand in their caches, before they are looked at."""
    if layout.num_long:
        for at in range(2 * MOST_LINES):
            if layout.slots[at]:
                entry_of(layout, table, at, frame.codes[at])


def entry_of(layout: Any, table: Any, at: int, code: int) -> Any:
    """Return the entry of a long line's code; lines of the digit 1 come after ``MOST_LINES``."""
    entry = table[layout.entries[at] + code % layout.slots[at]]
    _long.recall(layout, at, entry, code)
    return entry


def entry_at(frame: Any, layout: Any, table: Any, at: int) -> Any:
    """Return the entry of a line as it stands, which ``recall`` has seen to."""
    code = frame.codes[at]
    if layout.slots[at]:
        code %= layout.slots[at]
    return table[layout.entries[at] + code]


def play(frame: Any, layout: Any, table: Any, sets: Any, cell: int, digit: int) -> None:
    """Write a digit into a cell that is open to it."""
    bit = 1 << cell
    row = layout.row[cell]
    col = layout.col[cell]
    base = digit * MOST_LINES
    frame.codes[base + row] -= layout.row_step[cell]
    frame.codes[base + col] -= layout.col_step[cell]
    frame.opened[digit] ^= bit
    if frame.opened[1 - digit] & bit:
        close(frame, layout, bit, 1 - digit)
    recall(frame, layout, table)
    dead = sets[layout.first[row] + (entry_at(frame, layout, table, base + row).masks & LOW)]
    dead |= sets[layout.first[col] + (entry_at(frame, layout, table, base + col).masks & LOW)]
    if dead:
        close(frame, layout, dead, digit)


def touched(
    frame: Any, layout: Any, table: Any, sets: Any, digit: int, start: int, stop: int
) -> int:
    """Return the cells in the given lines that a digit may yet be taken away from."""
    result = 0
    for line in range(start, stop):
        at = digit * MOST_LINES + line
        masks = entry_at(frame, layout, table, at).masks
        result |= sets[layout.first[line] + (masks >> HALF)]
    return int(result)


def clash(frame: Any, layout: Any, table: Any, sets: Any, line: int, place: int) -> bool:
    """Tell whether one line alone can take both digits from a cell: by sets that do not meet."""
    zeros = entry_at(frame, layout, table, line)
    ones = entry_at(frame, layout, table, MOST_LINES + line)
    if zeros.count == 0 or ones.count == 0:
        return True  # the sets are not listed: they may
    bit = 1 << place
    for i in range(zeros.first, zeros.first + zeros.count):
        zero = sets[layout.blocks + i]
        if zero & bit:
            for j in range(ones.first, ones.first + ones.count):
                if sets[layout.blocks + j] & (bit | zero) == bit:
                    return True
    return False


def in_doubt(frame: Any, layout: Any, table: Any, sets: Any, cells: int, by_row: int) -> int:
    """Return those of the cells that one line can take both digits from."""
    risk = 0
    while cells:
        cell = bits.lowest(cells)
        cells &= cells - 1
        if by_row >> cell & 1:
            is_at_risk = clash(frame, layout, table, sets, layout.row[cell], layout.row_place[cell])
        else:
            is_at_risk = clash(frame, layout, table, sets, layout.col[cell], layout.col_place[cell])
        if is_at_risk:
            risk |= 1 << cell
    return risk


def is_spoilt_by(
    frame: Any, layout: Any, table: Any, digit: int, line: int, place: int, others: int
) -> bool:
    """Tell whether the digit in some other open cell of the line takes it from a place at once."""
    at = digit * MOST_LINES + line
    while others:
        cell = bits.lowest(others)
        others &= others - 1
        step = layout.row_step[cell] if line < layout.num_rows else layout.col_step[cell]
        code = frame.codes[at] - step
        if layout.slots[at]:
            masks = entry_of(layout, table, at, code).masks
        else:
            masks = table[layout.entries[at] + code].masks
        if masks >> place & 1:
            return True
    return False


def can_spoil(frame: Any, layout: Any, table: Any, cell: int) -> bool:
    """Tell whether one move leaves a cell without any digit."""
    bit = 1 << cell
    if frame.opened[0] & frame.opened[1] & bit:
        return False
    digit = 0 if frame.opened[0] & bit else 1
    others = frame.opened[digit] & ~bit
    row = layout.row[cell]
    col = layout.col[cell]
    return is_spoilt_by(
        frame, layout, table, digit, row, layout.row_place[cell], others & layout.board[row]
    ) or is_spoilt_by(
        frame, layout, table, digit, col, layout.col_place[cell], others & layout.board[col]
    )


def settle(frame: Any, layout: Any, table: Any, sets: Any) -> int:
    """Take away moves that nothing touches, counting them; return who wins if that is plain."""
    recall(frame, layout, table)
    rows = layout.num_rows
    lines = layout.num_lines
    zero_rows = touched(frame, layout, table, sets, 0, 0, rows)
    zero_cols = touched(frame, layout, table, sets, 0, rows, lines)
    one_rows = touched(frame, layout, table, sets, 1, 0, rows)
    one_cols = touched(frame, layout, table, sets, 1, rows, lines)
    zeros = zero_rows | zero_cols
    ones = one_rows | one_cols
    alone = (frame.opened[0] | frame.opened[1]) & ~(zeros | ones)
    if alone:
        frame.heap ^= bits.population(alone) & 1
        close(frame, layout, alone & frame.opened[0], 0)
        close(frame, layout, alone & frame.opened[1], 1)
    live = frame.opened[0] | frame.opened[1]
    frame.risk = live
    if live == 0:
        return WIN if frame.heap else LOSS
    if not layout.switches & PARITY:
        return UNKNOWN
    risk = (zeros & ~frame.opened[1]) | (ones & ~frame.opened[0])
    risk |= (zero_rows & one_cols) | (zero_cols & one_rows)
    doubt = zeros & ones & ~risk
    if doubt:
        risk |= in_doubt(frame, layout, table, sets, doubt, zero_rows)
    frame.risk = risk
    return count_out(frame, layout, table, bits.population(live) & 1)


def count_out(frame: Any, layout: Any, table: Any, odd: int) -> int:
    """Return who wins if the number of moves left tells it; ``odd`` if the live cells are.

    A cell is at risk if it may come to stay empty for good.  If none is, the number of moves left
    is known.  If one is, a player with the right number plays there; the other can only spoil it
    at once.
    """
    risk = frame.risk
    if risk & (risk - 1):
        return UNKNOWN
    if risk == 0 or (frame.heap < 2 and frame.heap != odd):
        return WIN if frame.heap != odd else LOSS
    if can_spoil(frame, layout, table, bits.lowest(risk)):
        return WIN if frame.heap < 2 else UNKNOWN
    return WIN if frame.heap != odd else LOSS


def image_key(frame: Any, layout: Any, table: Any, symmetry: int) -> int:
    """Return the key of the position's image under a symmetry."""
    total = 0
    swap = layout.swapped[symmetry]
    for digit in range(2):
        goes = (digit ^ swap) * MOST_LINES
        for line in range(layout.num_lines):
            entry = entry_at(frame, layout, table, digit * MOST_LINES + line)
            at = symmetry * MOST_LINES + line
            future = entry.back if layout.runs[at] else entry.ahead
            total += layout.factor[goes + layout.goes[at]] * future
    total &= chance.KEY
    return int(total ^ (total >> 29))


def choices(first: int, second: int) -> int:
    """Return as two bits which of two ways is to be taken: the lesser sum's, or both."""
    if first == second:
        return 3
    return 1 if first < second else 2


def list_blocks(frame: Any, layout: Any, table: Any, sets: Any, digit: int) -> None:
    """List all blocking sets of a digit behind the groups that are listed."""
    for line in range(layout.num_lines):
        entry = entry_at(frame, layout, table, digit * MOST_LINES + line)
        for i in range(entry.first, entry.first + entry.count):
            cells = sets[layout.blocks + i]
            frame.groups[frame.num_groups] = sets[layout.first[line] + cells]
            frame.num_groups += 1


def is_small(frame: Any, layout: Any) -> bool:
    """Tell whether a position's key is made from its structure; long lines do not list theirs."""
    return bool(
        layout.switches & STRUCTURE
        and layout.num_long == 0
        and bits.population(frame.opened[0] | frame.opened[1]) <= _structure.MOST
    )


def set_key(frame: Any, layout: Any, table: Any, sets: Any) -> None:
    """Set the key, the same for all images of the position, and how many had to be looked at.

    Sums that an image has in another order tell which image to take; where they are equal, the
    least key of those left is taken.
    """
    frame.num_images = 1
    if is_small(frame, layout):
        frame.num_groups = 0
        list_blocks(frame, layout, table, sets, 0)
        first = frame.num_groups
        list_blocks(frame, layout, table, sets, 1)
        frame.key = _structure.key(frame, first, frame.num_groups)
        return
    if layout.only:
        line = layout.only - 1
        frame.key = _long.row_key(layout, line, frame.codes[line], frame.codes[MOST_LINES + line])
        return
    recall(frame, layout, table)
    frame.key = image_key(frame, layout, table, 0)
    if layout.num_symmetries == 1:
        return
    sums_zero = 0
    sums_one = 0
    down = 0
    up = 0
    right = 0
    left = 0
    rows = layout.num_rows
    for line in range(layout.num_lines):
        entry = entry_at(frame, layout, table, line)
        zero = entry.ahead + entry.back
        entry = entry_at(frame, layout, table, MOST_LINES + line)
        one = entry.ahead + entry.back
        sums_zero += zero
        sums_one += one
        both = (zero + one) & chance.KEY
        if line < rows:
            down += layout.factor[line] * both
            up += layout.factor[rows - 1 - line] * both
        else:
            right += layout.factor[line - rows] * both
            left += layout.factor[layout.num_lines - 1 - line] * both
    least_image(
        frame,
        layout,
        table,
        choices(sums_zero & chance.KEY, sums_one & chance.KEY),
        choices(down & chance.KEY, up & chance.KEY),
        choices(right & chance.KEY, left & chance.KEY),
        choices(
            min(down & chance.KEY, up & chance.KEY), min(right & chance.KEY, left & chance.KEY)
        ),
    )


def least_image(
    frame: Any, layout: Any, table: Any, swaps: int, ups: int, lefts: int, turns: int
) -> None:
    """Set the least key of the images under the symmetries left, and how many they are."""
    count = 0
    for symmetry in range(layout.num_symmetries):
        if (
            swaps >> layout.swapped[symmetry] & 1
            and ups >> (layout.flipped[symmetry] & 1) & 1
            and lefts >> (layout.flipped[symmetry] >> 1) & 1
            and (layout.num_symmetries < SYMMETRIES or turns >> layout.turned[symmetry] & 1)
        ):
            key = frame.key if symmetry == 0 else image_key(frame, layout, table, symmetry)
            if count == 0 or key < frame.key:
                frame.key = key
            count += 1
    frame.num_images = count


def is_paired(frame: Any, layout: Any, table: Any, sets: Any) -> bool:
    """Tell whether the reply at a symmetry's image will always be there: then the nimber is 0.

    The symmetry leaves the position as it is and no open cell in its place, and is its own
    inverse.  A digit takes nothing from the other one, so a reply with the other digit is safe.
    One with the same digit is safe, now and later, if no blocking set holds a cell and its image:
    what blocks later is part of what blocks now.
    """
    own = image_key(frame, layout, table, 0)
    for symmetry in range(1, layout.num_symmetries):
        if image_key(frame, layout, table, symmetry) == own and answers(
            frame, layout, table, sets, symmetry
        ):
            return True
    return False


def answers(frame: Any, layout: Any, table: Any, sets: Any, symmetry: int) -> bool:
    """Tell whether every move can be answered at its image, now and later."""
    swap = layout.swapped[symmetry]
    base = symmetry * MOST_CELLS
    for digit in range(2):
        cells = frame.opened[digit]
        while cells:
            cell = bits.lowest(cells)
            cells &= cells - 1
            image = layout.image[base + cell]
            if image == cell or layout.image[base + image] != cell:
                return False
            if swap == 0:
                near = beside(frame, layout, table, sets, cell, digit)
                near |= above(frame, layout, table, sets, cell, digit)
                if near >> image & 1:
                    return False
    return True


def joined(frame: Any, layout: Any, table: Any, sets: Any, at: int, place: int) -> int:
    """Return the cells of a line that share blocking sets with one, directly or through others."""
    if layout.slots[at]:
        return int(_long.joined(entry_at(frame, layout, table, at), place))
    return int(sets[layout.near[at] + frame.codes[at] * layout.lengths[at % MOST_LINES] + place])


def list_groups(frame: Any, layout: Any, table: Any, sets: Any, live: int) -> int:
    """List the sets of cells that lines join, for each digit; return what the first cell is in.

    That is all that was seen to be joined with it on the way; the list ends when it is everything.
    """
    recall(frame, layout, table)
    frame.num_groups = 0
    part = live & -live
    for digit in range(2):
        for line in range(layout.num_lines):
            at = digit * MOST_LINES + line
            rest = entry_at(frame, layout, table, at).masks >> HALF
            while rest:
                joint = joined(frame, layout, table, sets, at, bits.lowest(rest))
                group = sets[layout.first[line] + joint]
                frame.groups[frame.num_groups] = group
                frame.num_groups += 1
                rest &= ~joint
                if group & part:
                    part |= group
                    if part == live:
                        return int(part)
    return int(part)


def beside(frame: Any, layout: Any, table: Any, sets: Any, cell: int, digit: int) -> int:
    """Return the cells that a cell is joined with in its row, for a digit."""
    line = layout.row[cell]
    group = joined(frame, layout, table, sets, digit * MOST_LINES + line, layout.row_place[cell])
    return int(sets[layout.first[line] + group])


def above(frame: Any, layout: Any, table: Any, sets: Any, cell: int, digit: int) -> int:
    """Return the cells that a cell is joined with in its column, for a digit."""
    line = layout.col[cell]
    group = joined(frame, layout, table, sets, digit * MOST_LINES + line, layout.col_place[cell])
    return int(sets[layout.first[line] + group])

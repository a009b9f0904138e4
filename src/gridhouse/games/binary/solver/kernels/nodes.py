"""A position of the Binary Game as its search keeps it: what can still happen.

For each digit that is the cells open to it, and the codes of all lines (see ``_lines``), or of few
cells the blocking sets (see ``_compact``).  Positions with the same future, or with one that is its
mirror image, have one key; who wins is known without a search where nothing that is left can be
taken away.

Everything is given as records, and runs interpreted and compiled.
"""

from __future__ import annotations

from gridhouse.core import bits, chance, position
from gridhouse.games.binary.solver.kernels import canonical_key, long_lines, nogoods
from gridhouse.games.binary.solver.kernels.line_tables import APART, HALF, LOW, MOST_LINES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INLINED = True  # see ``core.compiling``
MOST_CELLS = 63
MOST_MOVES = 2 * MOST_CELLS
HALF_WORD = 32
HALF_CELLS = (1 << HALF_WORD) - 1
OPEN_SALT = 6 << 40
# More blocking sets than a small position can have.  Of sets in lines none holds another: in a row
# of nine and one of three cells that is 126 and 3 at most, and fewer in columns, for each digit.
MOST_GROUPS = 512
SYMMETRIES = 16

# Sums that tell which images to look at: of each digit, and of lines in order, from either end.
SUMS = 6
DOWN = 2
UP = 3
RIGHT = 4
LEFT = 5

LOSS = 0
WIN = 1
UNKNOWN = -1

# What may be switched off, to see what it earns.
COMPONENTS = 1
LOOKUP = 2
SYMMETRY = 4
ORDER = 8
STRUCTURE = 16
ALL = 31


class Layout(position.Position):
    """The board of a search: where its cells stand, its lines, its symmetries."""

    layout = position.field("int8")
    num_cells = position.field("int32")
    num_rows = position.field("int32")
    num_lines = position.field("int32")
    num_symmetries = position.field("int32")
    switches = position.field("int32")
    limit = position.field("int32")  # cells up to which proof numbers are not used
    row = position.field("int32", MOST_CELLS)
    col = position.field("int32", MOST_CELLS)
    row_step = position.field("int64", MOST_CELLS)  # of a line's code, a power of three
    col_step = position.field("int64", MOST_CELLS)
    lengths = position.field("int32", MOST_LINES)  # how many cells a line has
    blocks = position.field("int64")  # where the lists of blocking sets begin
    first = position.field("int64", MOST_LINES)  # where a line's sets of cells begin
    entries = position.field("int64", 2 * MOST_LINES)  # where its entries begin, a digit each
    near = position.field("int64", 2 * MOST_LINES)
    num_long = position.field("int32")  # lines whose entries are found by rule
    # Whether the key tells by itself which cells are open, and not by the lines that they are in.
    by_cells = position.field("int8")
    only = position.field("int32")  # one and the line that all cells stand in, if it is long
    slots = position.field("int32", 2 * MOST_LINES)  # of a long line's cache, else 0
    turned = position.field("int32", SYMMETRIES)  # whether rows become columns
    swapped = position.field("int32", SYMMETRIES)  # whether digits change
    flipped = position.field("int32", SYMMETRIES)  # bit 0: rows run backwards, 1: columns
    goes = position.field("int32", SYMMETRIES * MOST_LINES)  # where a line goes
    runs = position.field("int32", SYMMETRIES * MOST_LINES)  # whether it runs backwards there
    factor = position.field("int64", 2 * MOST_LINES)
    span = position.field("int32", MOST_LINES)  # the length of a line on the board
    others = position.field("int64", 2 * MOST_LINES)  # its stones that are not among its cells
    places = position.field("int32", MOST_LINES * long_lines.MOST)  # where its cells stand in it


class Frame(position.Position):
    """A ply: a position with its heap, and what is known of its moves."""

    frame = position.field("int8")
    opened = position.field("int64", 2)
    codes = position.field("int64", 2 * MOST_LINES)
    # What the lines come to, by what ``refresh`` last saw of them.
    stale = position.field("int64", 2)  # the lines whose codes are others now
    held = position.field("int64", 2 * MOST_LINES)  # the cells in blocking sets of a line
    holding = position.field("int64", 2)  # the lines that have such sets
    apart = position.field("int64", 2)  # and those whose sets do not all belong together
    ahead = position.field("int64", 2 * MOST_LINES)
    back = position.field("int64", 2 * MOST_LINES)
    total = position.field("int64")  # of the key, if there are no symmetries; else the sums
    sums = position.field("int64", SUMS)
    heap = position.field("int64")
    key = position.field("int64")
    num_groups = position.field("int32")
    groups = position.field("int64", MOST_GROUPS)  # sets of cells that a line joins, or blocks
    compact = position.field("int8")  # whether the groups take the place of the lines
    first = position.field("int32")  # where the groups of the digit 1 begin, if so
    numbered = position.field("int64", MOST_GROUPS)
    lanes = position.field("int64", canonical_key.WORDS)
    names = position.field("int64", canonical_key.CHUNKS)
    value = position.field("int32")  # who wins, if it is decided statically
    made = position.field("int32")  # the move that led here, -1 for one in the heap
    zeros_left = position.field("int64")  # the moves whose positions are still to be made
    ones_left = position.field("int64")
    killer = position.field("int32")  # the move that last won in this ply
    first_move = position.field("int32")  # that is to be made before these, or -1
    heaps_left = position.field("int64")
    num_made = position.field("int32")  # of these positions, and those looked at
    num_done = position.field("int32")
    count = position.field("int32")
    last = position.field("int32")  # the move that is being tried
    winner = position.field("int32")  # a move that won, or -1
    num_parts = position.field("int32")
    part = position.field("int32")
    nimber = position.field("int64")
    best = position.field("int32")
    least = position.field("int64")
    second = position.field("int64")
    greatest = position.field("int64")
    left = position.field("int64")
    keys = position.field("int64", MOST_MOVES)
    scores = position.field("int64", MOST_MOVES)
    zeros = position.field("int64", MOST_MOVES)
    ones = position.field("int64", MOST_MOVES)
    heaps = position.field("int32", MOST_MOVES)
    moves = position.field("int32", MOST_MOVES)
    proofs = position.field("int64", MOST_MOVES)
    disproofs = position.field("int64", MOST_MOVES)
    parts = position.field("int64", MOST_CELLS)


def copy(to: Any, frame: Any, num_lines: int) -> None:
    """Copy a position with its heap."""
    to.heap = frame.heap
    to.compact = frame.compact
    if frame.compact:
        for digit in range(2):
            to.opened[digit] = frame.opened[digit]
            to.stale[digit] = 0
        nogoods.copy(to, frame)
        return
    to.total = frame.total
    for at in range(SUMS):
        to.sums[at] = frame.sums[at]
    for digit in range(2):
        to.opened[digit] = frame.opened[digit]
        to.stale[digit] = frame.stale[digit]
        to.holding[digit] = frame.holding[digit]
        to.apart[digit] = frame.apart[digit]
        for at in range(digit * MOST_LINES, digit * MOST_LINES + num_lines):
            to.codes[at] = frame.codes[at]
            to.held[at] = frame.held[at]
            to.ahead[at] = frame.ahead[at]
            to.back[at] = frame.back[at]


def close(frame: Any, layout: Any, cells: int, digit: int) -> None:
    """Take a digit away from open cells."""
    if frame.compact:
        nogoods.remove(frame, cells, digit)
        return
    frame.opened[digit] &= ~cells
    base = digit * MOST_LINES
    while cells:
        cell = bits.lowest(cells)
        cells &= cells - 1
        row = layout.row[cell]
        col = layout.col[cell]
        frame.codes[base + row] -= 2 * layout.row_step[cell]
        frame.codes[base + col] -= 2 * layout.col_step[cell]
        outdate(frame, layout, digit, row, cell)
        outdate(frame, layout, digit, col, cell)


def outdate(frame: Any, layout: Any, digit: int, line: int, cell: int) -> None:
    """Have a line looked up again if a cell that is not open any more makes it another one.

    That needs a blocking set with the cell.
    """
    held = frame.held[digit * MOST_LINES + line]
    is_other = held >> cell & 1 if layout.by_cells else 1
    frame.stale[digit] |= is_other << line


def keep(frame: Any, layout: Any, zeros: int, ones: int) -> None:
    """Close all cells but these."""
    close(frame, layout, frame.opened[0] & ~zeros, 0)
    close(frame, layout, frame.opened[1] & ~ones, 1)


def entry_of(layout: Any, table: Any, at: int, code: int) -> Any:
    """Return the entry of a line's code; lines of the digit 1 come after ``MOST_LINES``."""
    if layout.slots[at]:
        entry = table[layout.entries[at] + code % layout.slots[at]]
        long_lines.recall(layout, at, entry, code)
        return entry
    return table[layout.entries[at] + code]


def refresh(frame: Any, layout: Any, table: Any, sets: Any) -> None:
    """Look up the lines whose codes have changed."""
    for digit in range(2):
        stale = frame.stale[digit]
        frame.stale[digit] = 0
        while stale:
            line = bits.lowest(stale)
            stale &= stale - 1
            look_up(frame, layout, table, sets, digit, line)


def look_up(frame: Any, layout: Any, table: Any, sets: Any, digit: int, line: int) -> None:
    """Cache what a line forbids a digit."""
    at = digit * MOST_LINES + line
    entry = entry_of(layout, table, at, frame.codes[at])
    held = entry.masks >> HALF & LOW
    frame.held[at] = sets[layout.first[line] + held]
    rest = ~(1 << line)
    frame.holding[digit] = frame.holding[digit] & rest | int(held != 0) << line
    frame.apart[digit] = frame.apart[digit] & rest | (entry.masks >> APART & 1) << line
    if layout.num_symmetries == 1:
        add(frame, layout.factor[at], entry.ahead - frame.ahead[at])
    else:
        more = entry.ahead - frame.ahead[at] + entry.back - frame.back[at]
        add_to_sums(frame, layout, digit, line, more)
    frame.ahead[at] = entry.ahead
    frame.back[at] = entry.back


def add(frame: Any, factor: int, more: int) -> None:
    """Add to what the key is made of, where there are no symmetries."""
    frame.total = (frame.total + factor * more) & chance.KEY


def add_to_sums(frame: Any, layout: Any, digit: int, line: int, more: int) -> None:
    """Add a line's part to the sums that tell which images to look at."""
    rows = layout.num_rows
    first = line
    last = rows - 1 - line
    ahead = DOWN
    if line >= rows:
        first = line - rows
        last = layout.num_lines - 1 - line
        ahead = RIGHT
    frame.sums[digit] = (frame.sums[digit] + more) & chance.KEY
    frame.sums[ahead] = (frame.sums[ahead] + layout.factor[first] * more) & chance.KEY
    frame.sums[ahead + 1] = (frame.sums[ahead + 1] + layout.factor[last] * more) & chance.KEY


def follow(to: Any, frame: Any, layout: Any, table: Any, sets: Any, cell: int, digit: int) -> None:
    """Make the position that a digit in a cell that is open to it leads to."""
    if frame.compact:
        to.heap = frame.heap
        to.compact = 1
        to.stale[0] = 0
        to.stale[1] = 0
        nogoods.play(to, frame, cell, digit)
        return
    copy(to, frame, layout.num_lines)
    play(to, layout, table, sets, cell, digit)


def play(frame: Any, layout: Any, table: Any, sets: Any, cell: int, digit: int) -> None:
    """Write a digit into a cell that is open to it, in a position that is not compact."""
    refresh(frame, layout, table, sets)
    bit = 1 << cell
    row = layout.row[cell]
    col = layout.col[cell]
    base = digit * MOST_LINES
    frame.codes[base + row] -= layout.row_step[cell]
    frame.codes[base + col] -= layout.col_step[cell]
    outdate(frame, layout, digit, row, cell)
    outdate(frame, layout, digit, col, cell)
    frame.opened[digit] ^= bit
    if frame.opened[1 - digit] & bit:
        close(frame, layout, bit, 1 - digit)
    dead = 0
    if frame.held[base + row] & bit:
        across = entry_of(layout, table, base + row, frame.codes[base + row])
        dead |= sets[layout.first[row] + (across.masks & LOW)]
    if frame.held[base + col] & bit:
        down = entry_of(layout, table, base + col, frame.codes[base + col])
        dead |= sets[layout.first[col] + (down.masks & LOW)]
    if dead:
        close(frame, layout, dead, digit)


def touched(frame: Any, layout: Any, digit: int) -> int:
    """Return the cells that a digit may yet be taken away from."""
    result = 0
    for at in range(digit * MOST_LINES, digit * MOST_LINES + layout.num_lines):
        result |= frame.held[at]
    return int(result)


def settle(frame: Any, layout: Any, table: Any, sets: Any) -> int:
    """Take away the cells that no blocking set holds, counting them; tell who wins if none is left.

    Few cells that are left are kept as a small position.
    """
    if frame.compact:
        held = nogoods.held(frame)
        frame.heap ^= bits.population((frame.opened[0] | frame.opened[1]) & ~held) & 1
        frame.opened[0] &= held
        frame.opened[1] &= held
    else:
        refresh(frame, layout, table, sets)
        held = touched(frame, layout, 0) | touched(frame, layout, 1)
        frame.heap ^= bits.population((frame.opened[0] | frame.opened[1]) & ~held) & 1
        close(frame, layout, frame.opened[0] & ~held, 0)
        close(frame, layout, frame.opened[1] & ~held, 1)
        make_compact(frame, layout, table, sets)
    if frame.opened[0] | frame.opened[1]:
        return UNKNOWN
    return WIN if frame.heap else LOSS


def at_risk(frame: Any, layout: Any) -> int:
    """Return the cells that may come to stay empty; of a small position, all.

    Blocking sets can take all digits from such a cell.  Whether sets of both digits meet elsewhere
    as well, so that they cannot both be filled, is not looked at.  The position must be settled.
    """
    live = frame.opened[0] | frame.opened[1]
    if frame.compact:
        return int(live)
    live &= touched(frame, layout, 0) | ~frame.opened[0]
    return int(live & (touched(frame, layout, 1) | ~frame.opened[1]))


def image_key(frame: Any, layout: Any, symmetry: int) -> int:
    """Return the key of the position's image under a symmetry."""
    total = 0
    swap = layout.swapped[symmetry]
    for digit in range(2):
        goes = (digit ^ swap) * MOST_LINES
        for line in range(layout.num_lines):
            at = symmetry * MOST_LINES + line
            place = digit * MOST_LINES + line
            future = frame.back[place] if layout.runs[at] else frame.ahead[place]
            total += layout.factor[goes + layout.goes[at]] * future
    return folded(total)


def folded(total: int) -> int:
    """Return a sum as a key."""
    total &= chance.KEY
    return int(total ^ (total >> 29))


def open_code(frame: Any) -> int:
    """Return a code of the cells that are open to each digit."""
    total = 0
    for digit in range(2):
        opened = frame.opened[digit]
        total += chance.zobrist(OPEN_SALT | digit << HALF_WORD | opened & HALF_CELLS)
        total += chance.zobrist(OPEN_SALT | (2 | digit) << HALF_WORD | opened >> HALF_WORD)
    return int(total)


def choices(first: int, second: int) -> int:
    """Return as two bits which of two ways is to be taken: the lesser sum's, or both."""
    if first == second:
        return 3
    return 1 if first < second else 2


def list_blocks(frame: Any, layout: Any, table: Any, sets: Any, digit: int) -> None:
    """List all blocking sets of a digit behind the groups that are listed."""
    lines = frame.holding[digit]
    while lines:
        line = bits.lowest(lines)
        lines &= lines - 1
        at = digit * MOST_LINES + line
        entry = entry_of(layout, table, at, frame.codes[at])
        for i in range(entry.first, entry.first + entry.count):
            cells = sets[layout.blocks + i]
            frame.groups[frame.num_groups] = sets[layout.first[line] + cells]
            frame.num_groups += 1


def make_compact(frame: Any, layout: Any, table: Any, sets: Any) -> None:
    """Keep a position of few cells by its blocking sets; long lines do not list theirs."""
    live = frame.opened[0] | frame.opened[1]
    if (
        frame.compact
        or layout.num_long
        or not layout.switches & STRUCTURE
        or bits.population(live) > canonical_key.MOST
    ):
        return
    refresh(frame, layout, table, sets)
    frame.num_groups = 0
    list_blocks(frame, layout, table, sets, 0)
    frame.first = frame.num_groups
    list_blocks(frame, layout, table, sets, 1)
    frame.compact = 1


def set_key(frame: Any, layout: Any, table: Any, sets: Any) -> None:
    """Set the key, the same for all images of the position.

    A position of few cells has been made compact before.  Sums that an image has in another order
    tell which image to take; where they are equal, the least key of those left is taken.
    """
    if frame.compact:
        frame.key = canonical_key.key(frame, frame.first, frame.num_groups)
        return
    if layout.only:
        line = layout.only - 1
        frame.key = long_lines.row_key(
            layout, line, frame.codes[line], frame.codes[MOST_LINES + line]
        )
        return
    refresh(frame, layout, table, sets)
    if layout.num_symmetries == 1:
        frame.key = folded(frame.total + open_code(frame) if layout.by_cells else frame.total)
        return
    sums = frame.sums
    least_image(
        frame,
        layout,
        choices(sums[0], sums[1]),
        choices(sums[DOWN], sums[UP]),
        choices(sums[RIGHT], sums[LEFT]),
        choices(min(sums[DOWN], sums[UP]), min(sums[RIGHT], sums[LEFT])),
    )


def least_image(frame: Any, layout: Any, swaps: int, ups: int, lefts: int, turns: int) -> None:
    """Set the least key of the images under the symmetries left."""
    frame.key = chance.KEY
    for symmetry in range(layout.num_symmetries):
        if (
            swaps >> layout.swapped[symmetry] & 1
            and ups >> (layout.flipped[symmetry] & 1) & 1
            and lefts >> (layout.flipped[symmetry] >> 1) & 1
            and (layout.num_symmetries < SYMMETRIES or turns >> layout.turned[symmetry] & 1)
        ):
            frame.key = min(frame.key, image_key(frame, layout, symmetry))


def joined(frame: Any, layout: Any, table: Any, sets: Any, at: int, place: int) -> int:
    """Return the cells of a line that share blocking sets with one, directly or through others."""
    if layout.slots[at]:
        return int(long_lines.joined(entry_of(layout, table, at, frame.codes[at]), place))
    return int(sets[layout.near[at] + frame.codes[at] * layout.lengths[at % MOST_LINES] + place])


def list_groups(frame: Any, layout: Any, table: Any, sets: Any, live: int) -> int:
    """List the sets of cells that lines join, for each digit; return what the first cell is in.

    That is all that was seen to be joined with it on the way; the list ends when it is everything.
    """
    if frame.compact:
        return nogoods.beside(frame, live & -live)
    refresh(frame, layout, table, sets)
    frame.num_groups = 0
    part = live & -live
    for digit in range(2):
        lines = frame.holding[digit]
        while lines:
            line = bits.lowest(lines)
            lines &= lines - 1
            at = digit * MOST_LINES + line
            if frame.apart[digit] >> line & 1:
                part = list_joints(frame, layout, table, sets, at, part)
            else:
                part = list_group(frame, frame.held[at], part)
            if part == live:
                return int(part)
    return int(part)


def list_group(frame: Any, group: int, part: int) -> int:
    """List a set of cells; return a part with it if it has one of these cells."""
    frame.groups[frame.num_groups] = group
    frame.num_groups += 1
    return part | group if group & part else part


def list_joints(frame: Any, layout: Any, table: Any, sets: Any, at: int, part: int) -> int:
    """List the sets that a line joins; return a part with those that it has a cell of."""
    line = at % MOST_LINES
    rest = entry_of(layout, table, at, frame.codes[at]).masks >> HALF & LOW
    while rest:
        joint = joined(frame, layout, table, sets, at, bits.lowest(rest))
        part = list_group(frame, sets[layout.first[line] + joint], part)
        rest &= ~joint
    return part

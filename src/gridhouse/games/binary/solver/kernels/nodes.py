"""A node of the search: a position with a nim heap beside it, its key, and a list of its moves.

A position is kept as the candidates of each digit and the codes of all lines (see ``line_tables``),
or, if it has few cells, as its minimal nogoods (see ``nogoods``).  Positions with the same future,
or with one that is its mirror image, have one key.
"""

from __future__ import annotations

from gridhouse.core import bits, chance
from gridhouse.games.binary.solver.kernels import canonical_key, long_lines, nogoods
from gridhouse.games.binary.solver.kernels.records import (
    LOSS,
    MOST_LINES,
    STRUCTURE,
    SYMMETRIES,
    UNKNOWN,
    WIN,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.solver.kernels.records import BoardTables, Entry, Layout, Node

INLINED = True  # see ``core.specialize``
HALF_WORD = 32
HALF_CELLS = (1 << HALF_WORD) - 1
CANDIDATES_SALT = 6 << 40

# Invariants: sums of lines' hashes for digits 0 and 1, and with factors of lines in either order.
ROWS_DOWN = 2
ROWS_UP = 3
COLS_RIGHT = 4
COLS_LEFT = 5


def copy(to: Node, node: Node, num_lines: int) -> None:
    """Copy a position with its heap."""
    to.heap = node.heap
    to.is_compact = node.is_compact
    if node.is_compact:
        for digit in range(2):
            to.candidates[digit] = node.candidates[digit]
            to.stale_lines[digit] = 0
        nogoods.copy(to, node)
        return
    to.hash_sum = node.hash_sum
    for at in range(len(node.invariants)):
        to.invariants[at] = node.invariants[at]
    for digit in range(2):
        to.candidates[digit] = node.candidates[digit]
        to.stale_lines[digit] = node.stale_lines[digit]
        to.nogood_lines[digit] = node.nogood_lines[digit]
        to.split_lines[digit] = node.split_lines[digit]
        for at in range(digit * MOST_LINES, digit * MOST_LINES + num_lines):
            to.codes[at] = node.codes[at]
            to.nogood_cells[at] = node.nogood_cells[at]
            to.forward_hashes[at] = node.forward_hashes[at]
            to.backward_hashes[at] = node.backward_hashes[at]


def remove_candidates(node: Node, layout: Layout, cells: int, digit: int) -> None:
    """Remove candidates of a digit."""
    if node.is_compact:
        nogoods.remove_candidates(node, cells, digit)
        return
    node.candidates[digit] &= ~cells
    base = digit * MOST_LINES
    while cells:
        cell = bits.lowest(cells)
        cells &= cells - 1
        row = layout.row[cell]
        col = layout.col[cell]
        node.codes[base + row] -= 2 * layout.row_step[cell]
        node.codes[base + col] -= 2 * layout.col_step[cell]
        mark_stale(node, layout, digit, row, cell)
        mark_stale(node, layout, digit, col, cell)


def mark_stale(node: Node, layout: Layout, digit: int, line: int, cell: int) -> None:
    """Have a line looked up again if that a cell is no candidate any more changes its nogoods.

    A cell without a nogood changes none; but where lines hash candidates, it changes the hash.
    """
    in_nogood = node.nogood_cells[digit * MOST_LINES + line] >> cell & 1
    node.stale_lines[digit] |= (in_nogood if layout.keys_candidates else 1) << line


def restrict(node: Node, layout: Layout, zeros: int, ones: int) -> None:
    """Remove all candidates but these."""
    remove_candidates(node, layout, node.candidates[0] & ~zeros, 0)
    remove_candidates(node, layout, node.candidates[1] & ~ones, 1)


def entry_of(board: BoardTables, at: int, code: int) -> Entry:
    """Return the entry of a line's code."""
    layout = board.layout
    if layout.cache_sizes[at]:
        entry = board.entries[layout.entry_base[at] + code % layout.cache_sizes[at]]
        long_lines.fetch(layout, at, entry, code)
        return entry
    return board.entries[layout.entry_base[at] + code]


def refresh(node: Node, board: BoardTables) -> None:
    """Look up the lines whose codes have changed."""
    for digit in range(2):
        stale = node.stale_lines[digit]
        node.stale_lines[digit] = 0
        while stale:
            line = bits.lowest(stale)
            stale &= stale - 1
            refresh_line(node, board, digit, line)


def refresh_line(node: Node, board: BoardTables, digit: int, line: int) -> None:
    """Cache the nogoods' cells and the hashes of a line, and update the sums of hashes."""
    layout = board.layout
    at = digit * MOST_LINES + line
    entry = entry_of(board, at, node.codes[at])
    cells = entry.nogood_cells
    node.nogood_cells[at] = board.subsets[layout.subset_base[line] + cells]
    others = ~(1 << line)
    node.nogood_lines[digit] = node.nogood_lines[digit] & others | int(cells != 0) << line
    node.split_lines[digit] = node.split_lines[digit] & others | entry.is_split << line
    change = entry.forward_hash - node.forward_hashes[at]
    if layout.num_symmetries == 1:
        node.hash_sum = (node.hash_sum + layout.factors[at] * change) & chance.KEY
    else:
        change += entry.backward_hash - node.backward_hashes[at]
        add_to_invariants(node, layout, digit, line, change)
    node.forward_hashes[at] = entry.forward_hash
    node.backward_hashes[at] = entry.backward_hash


def add_to_invariants(node: Node, layout: Layout, digit: int, line: int, change: int) -> None:
    """Add the change of a line's hash to the invariants."""
    rows = layout.num_rows
    first = line
    last = rows - 1 - line
    at = ROWS_DOWN
    if line >= rows:
        first = line - rows
        last = layout.num_lines - 1 - line
        at = COLS_RIGHT
    sums = node.invariants
    sums[digit] = (sums[digit] + change) & chance.KEY
    sums[at] = (sums[at] + layout.factors[first] * change) & chance.KEY
    sums[at + 1] = (sums[at + 1] + layout.factors[last] * change) & chance.KEY


def make_child(to: Node, node: Node, board: BoardTables, cell: int, digit: int) -> None:
    """Make the child that a digit leads to in a cell that can take it."""
    if node.is_compact:
        to.heap = node.heap
        to.is_compact = 1
        to.stale_lines[0] = 0
        to.stale_lines[1] = 0
        nogoods.play(to, node, cell, digit)
        return
    copy(to, node, board.layout.num_lines)
    play(to, board, cell, digit)


def play(node: Node, board: BoardTables, cell: int, digit: int) -> None:
    """Write a digit into a cell that can take it, in a position that is not compact."""
    refresh(node, board)
    layout = board.layout
    bit = 1 << cell
    row = layout.row[cell]
    col = layout.col[cell]
    base = digit * MOST_LINES
    node.codes[base + row] -= layout.row_step[cell]
    node.codes[base + col] -= layout.col_step[cell]
    mark_stale(node, layout, digit, row, cell)
    mark_stale(node, layout, digit, col, cell)
    node.candidates[digit] ^= bit
    if node.candidates[1 - digit] & bit:
        remove_candidates(node, layout, bit, 1 - digit)
    forbidden = 0
    if node.nogood_cells[base + row] & bit:
        across = entry_of(board, base + row, node.codes[base + row])
        forbidden |= board.subsets[layout.subset_base[row] + across.forbidden]
    if node.nogood_cells[base + col] & bit:
        down = entry_of(board, base + col, node.codes[base + col])
        forbidden |= board.subsets[layout.subset_base[col] + down.forbidden]
    if forbidden:
        remove_candidates(node, layout, forbidden, digit)


def cells_in_nogoods(node: Node, layout: Layout, digit: int) -> int:
    """Return the cells that may yet be lost to a digit, of a position that is not compact."""
    result = 0
    for at in range(digit * MOST_LINES, digit * MOST_LINES + layout.num_lines):
        result |= node.nogood_cells[at]
    return result


def simplify(node: Node, board: BoardTables) -> None:
    """Move cells without nogoods into the heap, and make a position of few cells compact.

    Such a cell takes one move whatever else happens, so two of them cancel out.
    """
    if node.is_compact:
        cells = nogoods.all_cells(node)
    else:
        refresh(node, board)
        layout = board.layout
        cells = cells_in_nogoods(node, layout, 0) | cells_in_nogoods(node, layout, 1)
    node.heap ^= bits.population((node.candidates[0] | node.candidates[1]) & ~cells) & 1
    if node.is_compact:
        node.candidates[0] &= cells
        node.candidates[1] &= cells
    else:
        restrict(node, board.layout, cells, cells)
        compact(node, board)


def static_outcome(node: Node) -> int:
    """Return who wins if only the heap is left of a simplified position, else UNKNOWN."""
    if node.candidates[0] | node.candidates[1]:
        return UNKNOWN
    return WIN if node.heap else LOSS


def contested_cells(node: Node, layout: Layout) -> int:
    """Return the cells that may stay empty; of a compact position, all.

    Nogoods can take all digits from such a cell.  Nogoods that exclude each other are not looked
    for.  The position must be simplified.
    """
    cells = node.candidates[0] | node.candidates[1]
    if node.is_compact:
        return cells
    cells &= cells_in_nogoods(node, layout, 0) | ~node.candidates[0]
    return cells & (cells_in_nogoods(node, layout, 1) | ~node.candidates[1])


def count_contested(node: Node, board: BoardTables) -> int:
    """Simplify a position; return how many of its cells are contested, 0 if only a heap is left."""
    simplify(node, board)
    return bits.population(contested_cells(node, board.layout))


def append_nogoods(node: Node, board: BoardTables, digit: int) -> None:
    """Append all nogoods of a digit's lines to the list."""
    layout = board.layout
    lines = node.nogood_lines[digit]
    while lines:
        line = bits.lowest(lines)
        lines &= lines - 1
        at = digit * MOST_LINES + line
        entry = entry_of(board, at, node.codes[at])
        for i in range(entry.first_nogood, entry.first_nogood + entry.num_nogoods):
            cells = board.subsets[layout.nogood_base + i]
            node.nogoods[node.num_nogoods] = board.subsets[layout.subset_base[line] + cells]
            node.num_nogoods += 1


def compact(node: Node, board: BoardTables) -> None:
    """Keep a position of few cells as its nogoods, unless a line is long and does not list them."""
    layout = board.layout
    if (
        node.is_compact
        or layout.num_long
        or not layout.techniques & STRUCTURE
        or bits.population(node.candidates[0] | node.candidates[1]) > canonical_key.MOST_CELLS
    ):
        return
    refresh(node, board)
    node.num_nogoods = 0
    append_nogoods(node, board, 0)
    node.num_zero_nogoods = node.num_nogoods
    append_nogoods(node, board, 1)
    node.is_compact = 1


def set_key(node: Node, board: BoardTables) -> None:
    """Set the key of a simplified position, the same for all its images under symmetries."""
    layout = board.layout
    if node.is_compact:
        node.key = canonical_key.canonical_key(node)
    elif layout.only_line:
        line = layout.only_line - 1
        node.key = long_lines.row_key(layout, line, node.codes[line], node.codes[MOST_LINES + line])
    else:
        refresh(node, board)
        if layout.num_symmetries > 1:
            node.key = least_image_key(node, layout)
        else:
            hashed = candidates_hash(node) if layout.keys_candidates else 0
            node.key = mixed(node.hash_sum + hashed)


def candidates_hash(node: Node) -> int:
    """Return a hash of the candidates of both digits."""
    total = 0
    for digit in range(2):
        cells = node.candidates[digit]
        total += chance.zobrist(CANDIDATES_SALT | digit << HALF_WORD | cells & HALF_CELLS)
        total += chance.zobrist(CANDIDATES_SALT | (2 | digit) << HALF_WORD | cells >> HALF_WORD)
    return total


def mixed(total: int) -> int:
    """Return a sum of hashes as a key."""
    total &= chance.KEY
    return total ^ (total >> 29)


def least_image_key(node: Node, layout: Layout) -> int:
    """Return the least key of the position's images under symmetries.

    Only those symmetries count that bring each pair of invariants into ascending order.
    """
    sums = node.invariants
    swaps = orders(sums[0], sums[1])
    vertical = orders(sums[ROWS_DOWN], sums[ROWS_UP])
    horizontal = orders(sums[COLS_RIGHT], sums[COLS_LEFT])
    transposes = orders(min(sums[ROWS_DOWN], sums[ROWS_UP]), min(sums[COLS_RIGHT], sums[COLS_LEFT]))
    least = chance.KEY
    for symmetry in range(layout.num_symmetries):
        if (
            swaps >> layout.swaps_digits[symmetry] & 1
            and vertical >> (layout.flips[symmetry] & 1) & 1
            and horizontal >> (layout.flips[symmetry] >> 1) & 1
            and (
                layout.num_symmetries < SYMMETRIES or transposes >> layout.transposes[symmetry] & 1
            )
        ):
            least = min(least, image_key(node, layout, symmetry))
    return least


def orders(first: int, second: int) -> int:
    """Return whether two invariants are in ascending order as they are (bit 0) or exchanged (1)."""
    if first == second:
        return 3
    return 1 if first < second else 2


def image_key(node: Node, layout: Layout, symmetry: int) -> int:
    """Return the key of the position's image under a symmetry."""
    total = 0
    swap = layout.swaps_digits[symmetry]
    for digit in range(2):
        image_base = (digit ^ swap) * MOST_LINES
        for line in range(layout.num_lines):
            image = symmetry * MOST_LINES + line
            at = digit * MOST_LINES + line
            is_reversed = layout.is_reversed[image]
            hashed = node.backward_hashes[at] if is_reversed else node.forward_hashes[at]
            total += layout.factors[image_base + layout.image_lines[image]] * hashed
    return mixed(total)


def connected_cells(node: Node, board: BoardTables, at: int, cell: int) -> int:
    """Return the cells of a line connected with one of them by nogoods."""
    layout = board.layout
    code = node.codes[at]
    if layout.cache_sizes[at]:
        return long_lines.connected_cells(entry_of(board, at, code), cell)
    return board.subsets[layout.connected_base[at] + code * layout.lengths[at % MOST_LINES] + cell]


def list_groups(node: Node, board: BoardTables, cells: int) -> int:
    """List groups of connected cells of each line and digit; return those seen with the first.

    These are cells that were found to be connected with the first of ``cells`` on the way; the
    list ends when it is all of them.  The nogoods of a compact position are its groups.
    """
    if node.is_compact:
        return nogoods.with_neighbours(node, cells & -cells)
    refresh(node, board)
    node.num_nogoods = 0
    part = cells & -cells
    for digit in range(2):
        lines = node.nogood_lines[digit]
        while lines:
            line = bits.lowest(lines)
            lines &= lines - 1
            at = digit * MOST_LINES + line
            if node.split_lines[digit] >> line & 1:
                part = append_groups(node, board, at, part)
            else:
                part = append_group(node, node.nogood_cells[at], part)
            if part == cells:
                return part
    return part


def append_group(node: Node, group: int, part: int) -> int:
    """List a group of cells; return a part with it if it has one of these cells."""
    node.nogoods[node.num_nogoods] = group
    node.num_nogoods += 1
    return part | group if group & part else part


def append_groups(node: Node, board: BoardTables, at: int, part: int) -> int:
    """List the groups of a split line; return a part with those that it has a cell of."""
    line = at % MOST_LINES
    rest = entry_of(board, at, node.codes[at]).nogood_cells
    while rest:
        group = connected_cells(node, board, at, bits.lowest(rest))
        part = append_group(node, board.subsets[board.layout.subset_base[line] + group], part)
        rest &= ~group
    return part

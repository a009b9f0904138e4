"""Bitboards, for exact searches: picks, keys and dead cells by operations on whole words.

A board has four bit planes, which together hold the kind of each cell: 0 for a blank cell, all four
bits for a wall.  A plane is ``WORDS`` words.  A word holds as many whole columns as fit, from the
left, each from the bottom up.  A pick extracts the cells that stay (PEXT) and deposits them at the
bottom of their columns (PDEP).

The module is specialized for one word and for eight words a plane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import bits, chance, position
from gridhouse.games.collapse.solver.kernels import byte_board

if TYPE_CHECKING:
    from gridhouse.core.arrays import Ints

WORDS = 1  # of a plane, in this specialization
WORD_COUNTS = (1, 8)  # of all specializations
MOST_WORDS = WORD_COUNTS[-1]
MOST_COLUMNS = 512
PLANES = 4
WALL = 15
WORD_BITS = 62  # that are used
PACKED_ROWS = 15  # the four planes of a column of up to 15 rows fit into a word
NO_KIND = 0
SALT = 0x165667B19E3779F9


class Workspace(position.Position):
    """The geometry of a search's boards, and scratch memory for one board.

    A word holds ``cols_per_word`` columns of ``rows`` cells.  ``column_mask`` is its first column,
    ``below_top`` all cells but the highest of each column, ``last_shift`` the shift to its last
    column.  ``decode`` fills the masks of a board: by kind and word, all others by word.
    """

    workspace = position.field("int8")
    rows = position.field("int64")
    cols_per_word = position.field("int64")
    last_shift = position.field("int64")
    column_mask = position.field("int64")
    below_top = position.field("int64")
    num_kinds = position.field("int64")
    kinds = position.field("int64", byte_board.KINDS)
    word = position.field("int32", MOST_COLUMNS)  # by column
    shift = position.field("int32", MOST_COLUMNS)
    column_of_bit = position.field("int32", 64)
    weights = position.field("int64", byte_board.KINDS + 1)  # by kind: points of a cell
    width = position.field("int64")
    forward = position.field("int64")  # the hash from left to right,
    backward = position.field("int64")  # and from right to left
    codes = position.field("int64", MOST_COLUMNS)  # of the columns
    links = position.field("int8", MOST_COLUMNS)
    masks = position.field("int64", byte_board.KINDS * MOST_WORDS)
    cells = position.field("int64", MOST_WORDS)
    walls = position.field("int64", MOST_WORDS)
    dead = position.field("int64", MOST_WORDS)
    grouped = position.field("int64", MOST_WORDS)  # the cells of a kind with an equal neighbour
    group = position.field("int64", MOST_WORDS)


def words_needed(rows: int, cols: int) -> int:
    """Return the words of a plane, one of ``WORD_COUNTS``; 0 for a board that is too large."""
    if rows > WORD_BITS or cols > MOST_COLUMNS:
        return 0
    needed = -(-cols // (WORD_BITS // rows))
    return next((size for size in WORD_COUNTS if size >= needed), 0)


def set_geometry(space: Workspace, rows: int, kinds: list[int], weights: list[int]) -> None:
    """Prepare a workspace for boards of ``rows`` rows with these kinds; not compiled."""
    space.rows = rows
    space.cols_per_word = per_word = WORD_BITS // rows
    space.last_shift = (per_word - 1) * rows
    space.column_mask = (1 << rows) - 1
    space.below_top = sum(((1 << (rows - 1)) - 1) << rows * col for col in range(per_word))
    space.num_kinds = len(kinds)
    for index, kind in enumerate(kinds):
        space.kinds[index] = kind
    space.weights[:] = weights
    # All at once: to write a record's entries one by one takes milliseconds.
    space.word[:] = [col // per_word for col in range(MOST_COLUMNS)]
    space.shift[:] = [col % per_word * rows for col in range(MOST_COLUMNS)]
    space.column_of_bit[:] = [bit // rows for bit in range(64)]


def pack(cells: Ints, stride: int, board: Ints, space: Workspace) -> None:
    """Write a board of bytes as a bitboard."""
    for at in range(len(board)):
        board[at] = 0
    for at in range(stride, len(cells)):
        kind = int(cells[at])
        if kind != 0:
            col = at // stride - 1
            cell = 1 << (space.shift[col] + at % stride)
            for plane in range(PLANES):
                if kind == byte_board.WALL or kind >> plane & 1 != 0:
                    board[plane * WORDS + space.word[col]] |= cell


def decode(board: Ints, space: Workspace) -> None:
    """Fill the masks of a board: all cells, the walls and each kind; count its columns."""
    space.width = 0
    for word in range(WORDS):
        first, second = int(board[word]), int(board[WORDS + word])
        third, fourth = int(board[2 * WORDS + word]), int(board[3 * WORDS + word])
        cells = first | second | third | fourth
        space.cells[word] = cells
        space.walls[word] = first & second & third & fourth
        for index in range(space.num_kinds):
            kind = int(space.kinds[index])
            mask = cells & (first ^ ((kind & 1) - 1)) & (second ^ ((kind >> 1 & 1) - 1))
            mask &= (third ^ ((kind >> 2 & 1) - 1)) & (fourth ^ ((kind >> 3) - 1))
            space.masks[kind * WORDS + word] = mask
        if cells != 0:
            space.width = (
                word * space.cols_per_word + space.column_of_bit[bits.length(cells) - 1] + 1
            )


def column_bits(words: Ints, base: int, col: int, space: Workspace) -> int:
    """Return the bits of a column in a plane or mask that begins at ``words[base]``."""
    return int((words[base + space.word[col]] >> space.shift[col]) & space.column_mask)


def copy(words: Ints, to: Ints, count: int) -> None:
    """Copy the first ``count`` words."""
    for word in range(count):
        to[word] = words[word]


def size_of(board: Ints) -> int:
    """Return the number of cells of a board."""
    size = 0
    for word in range(WORDS):
        cells = 0
        for plane in range(word, PLANES * WORDS, WORDS):
            cells |= int(board[plane])
        size += bits.population(cells)
    return size


def count_of(words: Ints, base: int) -> int:
    """Return the number of bits of a mask that begins at ``words[base]``."""
    count = 0
    for word in range(base, base + WORDS):
        count += bits.population(int(words[word]))
    return count


# Groups and picks.


def find_grouped(kind: int, space: Workspace) -> None:
    """Write the cells of a kind that have an equal neighbour to ``grouped``."""
    masks, grouped = space.masks, space.grouped
    rows, last, column = space.rows, space.last_shift, space.column_mask
    base = kind * WORDS
    for word in range(WORDS):
        grouped[word] = 0
    for word in range(WORDS):
        mask = int(masks[base + word])
        up = mask & (mask >> 1) & space.below_top
        right = mask & (mask >> rows)
        grouped[word] |= up | (up << 1) | right | (right << rows)
        if word + 1 < WORDS:
            right = (mask >> last) & int(masks[base + word + 1]) & column
            grouped[word] |= right << last
            grouped[word + 1] |= right


def flood(kind: int, word: int, seed: int, space: Workspace) -> None:
    """Write the group of a cell to ``group``."""
    masks, group = space.masks, space.group
    rows, last, below_top = space.rows, space.last_shift, space.below_top
    for other in range(WORDS):
        group[other] = 0
    group[word] = seed
    grew = True
    while grew:
        grew = False
        for other in range(WORDS):
            here = int(group[other])
            more = here | ((here & below_top) << 1) | ((here >> 1) & below_top)
            more |= (here << rows) | (here >> rows)
            if other > 0:
                more |= int(group[other - 1]) >> last
            if other + 1 < WORDS:
                more |= (int(group[other + 1]) & space.column_mask) << last
            more &= int(masks[kind * WORDS + other])
            if more != here:
                group[other] = more
                grew = True


def fall(board: Ints, after: Ints, space: Workspace) -> int:
    """Write the board ``after`` its ``group`` is picked and return its key.

    The board must have been decoded, and its columns hashed.
    """
    rows, column, place = space.rows, space.column_mask, space.column_of_bit
    is_emptied = False
    low = MOST_COLUMNS
    high = 0
    for word in range(WORDS):
        group = int(space.group[word])
        if group == 0:
            for plane in range(word, PLANES * WORDS, WORDS):
                after[plane] = board[plane]
            continue
        cells = int(space.cells[word])
        fallen = cells
        first, end = int(place[bits.lowest(group)]), int(place[bits.length(group) - 1]) + 1
        low = min(low, word * space.cols_per_word + first)
        high = word * space.cols_per_word + end
        for col in range(first, end):
            shift = col * rows
            stack = (cells >> shift) & column
            left = stack >> bits.population((group >> shift) & column)
            fallen ^= (stack ^ left) << shift
            if left == 0:
                is_emptied = True
        rest = cells & ~group
        for plane in range(word, PLANES * WORDS, WORDS):
            after[plane] = bits.deposit(bits.extract(int(board[plane]), rest), fallen)
    if is_emptied:
        close_gaps(after, space)
        return key_of(after, space)
    forward, backward = int(space.forward), int(space.backward)
    width = int(space.width)
    for col in range(low, high):
        code = column_code(after, col, space)
        known = int(space.codes[col])
        forward += column_hash(code, col) - column_hash(known, col)
        backward += column_hash(code, width - 1 - col) - column_hash(known, width - 1 - col)
    return min(forward & chance.KEY, backward & chance.KEY)


def close_gaps(board: Ints, space: Workspace) -> None:
    """Close the gaps of empty columns."""
    target = 0
    for col in range(space.width):
        some = 0
        for plane in range(0, PLANES * WORDS, WORDS):
            some |= column_bits(board, plane, col, space)
        if some != 0:
            if target < col:
                for plane in range(0, PLANES * WORDS, WORDS):
                    own = column_bits(board, plane, col, space)
                    board[plane + space.word[col]] ^= own << space.shift[col]
                    board[plane + space.word[target]] |= own << space.shift[target]
            target += 1


# Keys, the same for mirror images: sums of a hash of each column and its place.


def column_code(board: Ints, col: int, space: Workspace) -> int:
    """Return a number that identifies a column, 0 if it is empty."""
    code = 0
    if space.rows <= PACKED_ROWS:
        for plane in range(0, PLANES * WORDS, WORDS):
            code = (code << space.rows) | column_bits(board, plane, col, space)
        return code
    for plane in range(0, PLANES * WORDS, WORDS):
        own = column_bits(board, plane, col, space)
        code = byte_board.extend_hash(code, own) if code | own != 0 else 0
    return code


def column_hash(code: int, col: int) -> int:
    """Return the hash of a column's code and place."""
    mixed = ((code + (col + 1) * SALT) * byte_board.MIX) & chance.KEY
    mixed = ((mixed ^ (mixed >> 29)) * byte_board.OTHER_MIX) & chance.KEY
    return mixed ^ (mixed >> 31)


def key_of(board: Ints, space: Workspace) -> int:
    """Return a 61-bit hash of a board and its mirror image."""
    width = 0
    while width < MOST_COLUMNS and has_column(board, width, space):
        width += 1
    forward = 0
    backward = 0
    for col in range(width):
        code = column_code(board, col, space)
        forward += column_hash(code, col)
        backward += column_hash(code, width - 1 - col)
    return min(forward & chance.KEY, backward & chance.KEY)


def has_column(board: Ints, col: int, space: Workspace) -> bool:
    """Tell whether a board has a column."""
    return space.word[col] < WORDS and column_code(board, col, space) != 0


def hash_columns(board: Ints, space: Workspace) -> None:
    """Write the column codes and both hashes of a decoded board, for its children's keys."""
    width = int(space.width)
    forward = 0
    backward = 0
    for col in range(width):
        code = column_code(board, col, space)
        space.codes[col] = code
        forward += column_hash(code, col)
        backward += column_hash(code, width - 1 - col)
    space.forward = forward & chance.KEY
    space.backward = backward & chance.KEY


# Dead cells (see ``dead_cells``).


def find_dead(skipped: int, space: Workspace) -> None:
    """Write the dead cells to ``dead``, or those dead as long as the ``skipped`` kind stays."""
    dead = space.dead
    copy(space.cells, dead, WORDS)
    for index in range(space.num_kinds):
        kind = int(space.kinds[index])
        if kind != skipped:
            find_grouped(kind, space)
            for word in range(WORDS):
                dead[word] &= ~space.grouped[word]
    grew = True
    while grew:
        grew = False
        for index in range(space.num_kinds):
            kind = int(space.kinds[index])
            if kind != skipped and revive(kind, space) > 0:
                grew = True


def revive(kind: int, space: Workspace) -> int:
    """Take cells of a kind that may meet others from the dead cells; return their number."""
    dead = space.dead
    revived = 0
    for word in range(WORDS):
        waiting = int(space.masks[kind * WORDS + word] & dead[word])
        while waiting != 0:
            cell = waiting & -waiting
            waiting ^= cell
            if may_meet(kind, word, cell, space):
                dead[word] ^= cell
                revived += 1
    return revived


def may_meet(kind: int, word: int, cell: int, space: Workspace) -> bool:
    """Tell whether a cell may come to lie beside an equal one if only live cells are removed."""
    base = kind * WORDS
    place = int(space.column_of_bit[bits.lowest(cell)])
    cell >>= place * space.rows
    col = word * space.cols_per_word + place
    dead = column_bits(space.dead, 0, col, space)
    if meets_in_column(cell, column_bits(space.masks, base, col, space), dead):
        return True
    levels = levels_of(cell, dead)
    return meets_beside(base, levels, col, 1, space) or meets_beside(base, levels, col, -1, space)


def meets_beside(base: int, levels: int, col: int, step: int, space: Workspace) -> bool:
    """Tell whether a cell of a mask may come to lie beside a column, in direction ``step``."""
    dead = 0
    col += step
    while 0 <= col < space.width and dead == 0:
        dead = column_bits(space.dead, 0, col, space)
        if levels & reachable_levels(column_bits(space.masks, base, col, space), dead) != 0:
            return True
        col += step
    return False


def levels_of(cell: int, dead: int) -> int:
    """Return the levels that a cell may sink to, given the dead cells of its column."""
    return (cell << 1) - (1 << bits.population(dead & (cell - 1)))


def reachable_levels(own: int, dead: int) -> int:
    """Return the levels that any of a column's cells may sink to."""
    result = 0
    while own != 0:
        cell = own & -own
        own ^= cell
        result |= levels_of(cell, dead)
    return result


def meets_in_column(cell: int, own: int, dead: int) -> bool:
    """Tell whether no dead cell separates a cell from an equal one of its column."""
    above = own & ~((cell << 1) - 1)
    if above != 0 and dead & ((above & -above) - 1) & ~((cell << 1) - 1) == 0:
        return True
    below = own & (cell - 1)
    return below != 0 and dead & (cell - 1) & -(2 << (bits.length(below) - 1)) == 0


def residual_bound(room: int, space: Workspace) -> int:
    """Return a lower bound on the cost of kinds of which two or three cells are left.

    The last two cells of a digit go together or not at all, of three all or two.  So all of them
    have to meet while all are there.  Returns 0 if the bound could not be above ``room``.
    Overwrites ``dead``.
    """
    most = 0
    for index in range(space.num_kinds):
        most += residual_cost(int(space.kinds[index]), space)
    if most <= room:
        return 0
    bound = 0
    for index in range(space.num_kinds):
        kind = int(space.kinds[index])
        cost = residual_cost(kind, space)
        if cost > 0:
            find_dead(kind, space)
            if not all_meet(kind, space):
                bound += cost
    return bound


def residual_cost(kind: int, space: Workspace) -> int:
    """Return the cost of the last two or three cells of a kind if they never all meet, else 0."""
    count = count_of(space.masks, kind * WORDS)
    if count < 2 or count > 3 or space.weights[kind] == 0:
        return 0
    find_grouped(kind, space)
    if count_of(space.grouped, 0) == count:
        return 0
    return int(space.weights[kind]) * (2 if count == 2 else 1)


def all_meet(kind: int, space: Workspace) -> bool:
    """Tell whether every cell of a kind may come to lie beside an equal one."""
    for word in range(WORDS):
        rest = int(space.masks[kind * WORDS + word])
        while rest != 0:
            cell = rest & -rest
            rest ^= cell
            if not may_meet(kind, word, cell, space):
                return False
    return True


# Parts: columns that no group ever joins with others.


def build_walls(board: Ints, space: Workspace) -> int:
    """Replace the dead cells of a board by walls and return their cost."""
    cost = 0
    for index in range(space.num_kinds):
        kind = int(space.kinds[index])
        for word in range(WORDS):
            at = kind * WORDS + word
            dead = int(space.masks[at] & space.dead[word])
            if dead != 0:
                cost += bits.population(dead) * int(space.weights[kind])
                space.masks[at] ^= dead
                space.walls[word] |= dead
                for plane in range(word, PLANES * WORDS, WORDS):
                    board[plane] |= dead
    return cost


def link_columns(space: Workspace) -> None:
    """Write to ``links`` for each column whether a cell up to it may meet one of a later column.

    Only walls are dead.  If cells of several columns may meet one of a later column, all columns
    from the first of them on are linked, which may be too many.
    """
    width = int(space.width)
    for col in range(width):
        space.links[col] = 0
    for index in range(space.num_kinds):
        base = int(space.kinds[index]) * WORDS
        beside = 0
        first = 0
        for col in range(width):
            dead = column_bits(space.walls, 0, col, space)
            reached = reachable_levels(column_bits(space.masks, base, col, space), dead)
            if beside & reached != 0:
                for link in range(first, col):
                    space.links[link] = 1
            if dead != 0 or beside == 0:
                beside = reached
                first = col
            else:
                beside |= reached


def copy_part(board: Ints, part: Ints, begin: int, end: int, space: Workspace) -> int:
    """Copy columns of a board as a board of its own; return the number of its cells but walls.

    Walls above all other cells of a column are left out, except one that keeps the column open.
    """
    for at in range(len(part)):
        part[at] = 0
    size = 0
    for col in range(begin, end):
        walls = column_bits(space.walls, 0, col, space)
        others = column_bits(space.cells, 0, col, space) & ~walls
        kept = 1
        if others != 0:
            size += bits.population(others)
            kept = (1 << bits.length(others)) - 1
            if walls != 0 and walls & kept == 0:
                kept = 2 * kept + 1
        to = col - begin
        for plane in range(0, PLANES * WORDS, WORDS):
            own = column_bits(board, plane, col, space) & kept
            part[plane + space.word[to]] |= own << space.shift[to]
    return size


def ordering_score(space: Workspace) -> int:
    """Return an estimate of the cost of cells that are not dead and have no equal neighbour."""
    result = 0
    for index in range(space.num_kinds):
        kind = int(space.kinds[index])
        find_grouped(kind, space)
        isolated = count_of(space.masks, kind * WORDS) - count_of(space.grouped, 0)
        result += isolated * (2 + 2 * int(space.weights[kind]))
    return result


def final_bonus(space: Workspace) -> int:
    """Return SameGame's bonus for a board without groups: positive if it is empty."""
    taken = 0
    total = 0
    for index in range(space.num_kinds):
        count = count_of(space.masks, space.kinds[index] * WORDS)
        total += count
        if count > 0:
            taken += (count - 2) ** 2
    return -taken if total > 0 else byte_board.CLEARED

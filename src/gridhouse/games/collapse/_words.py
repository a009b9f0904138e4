"""Boards as words of bits, for the exact search: picks, keys, and what can ever be removed.

A board has four planes: a cell's kind is read across them, bit by bit, 0 being a blank and all
four a wall.  A plane is ``WORDS`` words, each of which holds as many whole columns as fit, from the
left, every column from the bottom up.  So equal cells, their groups and what a pick leaves are
found for all cells of a word at once: what stays is extracted, and deposited where the columns end
then.

``find_dead`` is that of ``_bound`` in words, and ``owed`` says what it costs besides that
the last cells of a digit cannot all go.

Specialized for one word and for eight, so that loops over them are taken apart.
"""

from __future__ import annotations

from typing import Any

from gridhouse.core import bits, chance, position
from gridhouse.games.collapse import _board

WORDS = 1  # of a plane; bound to other numbers for larger boards
SIZES = (1, 8)  # the numbers of words that it is specialized for
MOST_WORDS = SIZES[-1]
MOST_COLUMNS = 512
PLANES = 4
WALL = 15
LENGTH = 62  # bits of a word that are used
PACKED_ROWS = 15  # in all four planes of a column of so many rows fit into a word
NO_KIND = 0
SALT = 0x165667B19E3779F9


class Frame(position.Position):
    """The shape of a search's boards, and scratch memory for the one that is looked at.

    A word holds ``spread`` columns of ``rows`` cells; ``column`` is the lowest of them, ``inner``
    all cells that are not the highest of a column, and ``last`` the place of the last column.  The
    bits of ``masks`` are by kind and word, those of all others by word.
    """

    frame = position.field("int8")
    rows = position.field("int64")
    spread = position.field("int64")
    last = position.field("int64")
    column = position.field("int64")
    inner = position.field("int64")
    kinds = position.field("int64")
    kind = position.field("int64", _board.KINDS)
    word = position.field("int32", MOST_COLUMNS)
    shift = position.field("int32", MOST_COLUMNS)
    place = position.field("int32", 64)  # the column of a bit
    wide = position.field("int64")
    ahead = position.field("int64")
    back = position.field("int64")
    codes = position.field("int64", MOST_COLUMNS)
    links = position.field("int8", MOST_COLUMNS)
    masks = position.field("int64", _board.KINDS * MOST_WORDS)
    cells = position.field("int64", MOST_WORDS)
    walls = position.field("int64", MOST_WORDS)
    dead = position.field("int64", MOST_WORDS)
    near = position.field("int64", MOST_WORDS)
    group = position.field("int64", MOST_WORDS)


def words_of(rows: int, cols: int) -> int:
    """Return how many words a plane of a board has, one of ``SIZES``, or 0 if these are too few."""
    if rows > LENGTH or cols > MOST_COLUMNS:
        return 0
    needed = -(-cols // (LENGTH // rows))
    return next((size for size in SIZES if size >= needed), 0)


def shape(frame: Any, rows: int, kinds: list[int]) -> None:
    """Prepare a frame for boards of so many rows and these kinds."""
    frame.rows = rows
    frame.spread = spread = LENGTH // rows
    frame.last = (spread - 1) * rows
    frame.column = (1 << rows) - 1
    frame.inner = sum(((1 << (rows - 1)) - 1) << rows * col for col in range(spread))
    frame.kinds = len(kinds)
    for index, kind in enumerate(kinds):
        frame.kind[index] = kind
    # All at once: to write into a record place by place takes milliseconds.
    frame.word[:] = [col // spread for col in range(MOST_COLUMNS)]
    frame.shift[:] = [col % spread * rows for col in range(MOST_COLUMNS)]
    frame.place[:] = [bit // rows for bit in range(64)]


def pack(cells: Any, stride: int, board: Any, frame: Frame) -> None:
    """Write a board of bytes as words."""
    for at in range(len(board)):
        board[at] = 0
    for at in range(stride, len(cells)):
        kind = int(cells[at])
        if kind != 0:
            col = at // stride - 1
            cell = 1 << (frame.shift[col] + at % stride)
            for plane in range(PLANES):
                if kind == _board.WALL or kind >> plane & 1 != 0:
                    board[plane * WORDS + frame.word[col]] |= cell


def read(board: Any, frame: Frame) -> None:
    """Find all cells of a board, the walls, and those of each kind, and count its columns."""
    frame.wide = 0
    for word in range(WORDS):
        first, second = int(board[word]), int(board[WORDS + word])
        third, fourth = int(board[2 * WORDS + word]), int(board[3 * WORDS + word])
        cells = first | second | third | fourth
        frame.cells[word] = cells
        frame.walls[word] = first & second & third & fourth
        for index in range(frame.kinds):
            kind = int(frame.kind[index])
            mask = cells & (first ^ ((kind & 1) - 1)) & (second ^ ((kind >> 1 & 1) - 1))
            mask &= (third ^ ((kind >> 2 & 1) - 1)) & (fourth ^ ((kind >> 3) - 1))
            frame.masks[kind * WORDS + word] = mask
        if cells != 0:
            frame.wide = word * frame.spread + frame.place[bits.length(cells) - 1] + 1


def column_of(words: Any, base: int, col: int, frame: Frame) -> int:
    """Return the bits of a column, from the words that begin at a place."""
    return int((words[base + frame.word[col]] >> frame.shift[col]) & frame.column)


def copy(words: Any, to: Any, count: int) -> None:
    """Copy so many words."""
    for word in range(count):
        to[word] = words[word]


def size_of(board: Any) -> int:
    """Return how many cells a board has."""
    size = 0
    for word in range(WORDS):
        cells = 0
        for plane in range(word, PLANES * WORDS, WORDS):
            cells |= int(board[plane])
        size += bits.population(cells)
    return size


def count_of(words: Any, base: int) -> int:
    """Return how many bits are set."""
    count = 0
    for word in range(base, base + WORDS):
        count += bits.population(int(words[word]))
    return count


# Groups and picks.


def find_near(kind: int, frame: Frame) -> None:
    """Note the cells of a kind that have an equal neighbour in ``near``."""
    masks, near = frame.masks, frame.near
    rows, last, column = frame.rows, frame.last, frame.column
    base = kind * WORDS
    for word in range(WORDS):
        near[word] = 0
    for word in range(WORDS):
        mask = int(masks[base + word])
        up = mask & (mask >> 1) & frame.inner
        right = mask & (mask >> rows)
        near[word] |= up | (up << 1) | right | (right << rows)
        if word + 1 < WORDS:
            right = (mask >> last) & int(masks[base + word + 1]) & column
            near[word] |= right << last
            near[word + 1] |= right


def flood(kind: int, word: int, seed: int, frame: Frame) -> None:
    """Note the group of a cell in ``group``."""
    masks, group = frame.masks, frame.group
    rows, last, inner = frame.rows, frame.last, frame.inner
    for other in range(WORDS):
        group[other] = 0
    group[word] = seed
    grew = True
    while grew:
        grew = False
        for other in range(WORDS):
            here = int(group[other])
            more = here | ((here & inner) << 1) | ((here >> 1) & inner)
            more |= (here << rows) | (here >> rows)
            if other > 0:
                more |= int(group[other - 1]) >> last
            if other + 1 < WORDS:
                more |= (int(group[other + 1]) & frame.column) << last
            more &= int(masks[kind * WORDS + other])
            if more != here:
                group[other] = more
                grew = True


def fall(board: Any, after: Any, frame: Frame) -> int:
    """Write what a board is ``after`` its ``group`` has gone; return the key of that.

    The board must have been read, and its codes noted.
    """
    rows, column, place = frame.rows, frame.column, frame.place
    is_emptied = False
    low = MOST_COLUMNS
    high = 0
    for word in range(WORDS):
        group = int(frame.group[word])
        if group == 0:
            for plane in range(word, PLANES * WORDS, WORDS):
                after[plane] = board[plane]
            continue
        cells = int(frame.cells[word])
        heaps = cells
        first, end = int(place[bits.lowest(group)]), int(place[bits.length(group) - 1]) + 1
        low = min(low, word * frame.spread + first)
        high = word * frame.spread + end
        for col in range(first, end):
            shift = col * rows
            heap = (cells >> shift) & column
            left = heap >> bits.population((group >> shift) & column)
            heaps ^= (heap ^ left) << shift
            if left == 0:
                is_emptied = True
        rest = cells & ~group
        for plane in range(word, PLANES * WORDS, WORDS):
            after[plane] = bits.deposit(bits.extract(int(board[plane]), rest), heaps)
    if is_emptied:
        close(after, frame)
        return key_of(after, frame)
    ahead, back = int(frame.ahead), int(frame.back)
    wide = int(frame.wide)
    for col in range(low, high):
        code = code_of(after, col, frame)
        known = int(frame.codes[col])
        ahead += placed(code, col) - placed(known, col)
        back += placed(code, wide - 1 - col) - placed(known, wide - 1 - col)
    return min(ahead & chance.KEY, back & chance.KEY)


def close(board: Any, frame: Frame) -> None:
    """Move the columns of a board together where some have vanished."""
    target = 0
    for col in range(frame.wide):
        some = 0
        for plane in range(0, PLANES * WORDS, WORDS):
            some |= column_of(board, plane, col, frame)
        if some != 0:
            if target < col:
                for plane in range(0, PLANES * WORDS, WORDS):
                    own = column_of(board, plane, col, frame)
                    board[plane + frame.word[col]] ^= own << frame.shift[col]
                    board[plane + frame.word[target]] |= own << frame.shift[target]
            target += 1


# Keys, the same for mirror images: sums over all columns, of what holds for each and its place.


def code_of(board: Any, col: int, frame: Frame) -> int:
    """Return what tells a column from others, 0 if it is empty."""
    code = 0
    if frame.rows <= PACKED_ROWS:
        for plane in range(0, PLANES * WORDS, WORDS):
            code = (code << frame.rows) | column_of(board, plane, col, frame)
        return code
    for plane in range(0, PLANES * WORDS, WORDS):
        own = column_of(board, plane, col, frame)
        code = _board.joined(code, own) if code | own != 0 else 0
    return code


def placed(code: int, col: int) -> int:
    """Return what a column of a code counts in a place."""
    mixed = ((code + (col + 1) * SALT) * _board.MIX) & chance.KEY
    mixed = ((mixed ^ (mixed >> 29)) * _board.OTHER_MIX) & chance.KEY
    return mixed ^ (mixed >> 31)


def key_of(board: Any, frame: Frame) -> int:
    """Return 61 bits for a board, the same for its mirror image."""
    wide = 0
    while wide < MOST_COLUMNS and is_there(board, wide, frame):
        wide += 1
    ahead = 0
    back = 0
    for col in range(wide):
        code = code_of(board, col, frame)
        ahead += placed(code, col)
        back += placed(code, wide - 1 - col)
    return min(ahead & chance.KEY, back & chance.KEY)


def is_there(board: Any, col: int, frame: Frame) -> bool:
    """Tell whether a board has a column."""
    return frame.word[col] < WORDS and code_of(board, col, frame) != 0


def note_codes(board: Any, frame: Frame) -> None:
    """Note the codes of a board that was read, from which keys of what picks leave are made."""
    wide = int(frame.wide)
    ahead = 0
    back = 0
    for col in range(wide):
        code = code_of(board, col, frame)
        frame.codes[col] = code
        ahead += placed(code, col)
        back += placed(code, wide - 1 - col)
    frame.ahead = ahead & chance.KEY
    frame.back = back & chance.KEY


# What can ever be removed.


def find_dead(skipped: int, frame: Frame) -> None:
    """Note all cells in ``dead`` that can never be removed while a kind, if any, stays."""
    dead = frame.dead
    copy(frame.cells, dead, WORDS)
    for index in range(frame.kinds):
        kind = int(frame.kind[index])
        if kind != skipped:
            find_near(kind, frame)
            for word in range(WORDS):
                dead[word] &= ~frame.near[word]
    grew = True
    while grew:
        grew = False
        for index in range(frame.kinds):
            kind = int(frame.kind[index])
            if kind != skipped and revive(kind, frame):
                grew = True


def revive(kind: int, frame: Frame) -> bool:
    """Take cells of a kind that may meet others from the dead ones, and tell if there were any."""
    dead = frame.dead
    found = False
    for word in range(WORDS):
        waiting = int(frame.masks[kind * WORDS + word] & dead[word])
        while waiting != 0:
            cell = waiting & -waiting
            waiting ^= cell
            if may_meet(kind, word, cell, frame):
                dead[word] ^= cell
                found = True
    return found


def may_meet(kind: int, word: int, cell: int, frame: Frame) -> bool:
    """Tell whether a cell of a word may come to lie beside an equal one by what is not dead."""
    base = kind * WORDS
    place = int(frame.place[bits.lowest(cell)])
    cell >>= place * frame.rows
    col = word * frame.spread + place
    dead = column_of(frame.dead, 0, col, frame)
    if is_met_in_column(cell, column_of(frame.masks, base, col, frame), dead):
        return True
    levels = levels_of(cell, dead)
    return is_met_beside(base, levels, col, 1, frame) or is_met_beside(base, levels, col, -1, frame)


def is_met_beside(base: int, levels: int, col: int, step: int, frame: Frame) -> bool:
    """Tell whether a cell of a mask may come to lie at some levels beside a column, on one side."""
    dead = 0
    col += step
    while 0 <= col < frame.wide and dead == 0:
        dead = column_of(frame.dead, 0, col, frame)
        if levels & reach(column_of(frame.masks, base, col, frame), dead) != 0:
            return True
        col += step
    return False


def levels_of(cell: int, dead: int) -> int:
    """Return the levels that a cell may sink to, by what is dead in its column."""
    return (cell << 1) - (1 << bits.population(dead & (cell - 1)))


def reach(own: int, dead: int) -> int:
    """Return the levels that some cells of a column may sink to."""
    result = 0
    while own != 0:
        cell = own & -own
        own ^= cell
        result |= levels_of(cell, dead)
    return result


def is_met_in_column(cell: int, own: int, dead: int) -> bool:
    """Tell whether an equal cell of the same column is parted from a cell by nothing dead."""
    above = own & ~((cell << 1) - 1)
    if above != 0 and dead & ((above & -above) - 1) & ~((cell << 1) - 1) == 0:
        return True
    below = own & (cell - 1)
    return below != 0 and dead & (cell - 1) & -(2 << (bits.length(below) - 1)) == 0


def owed(room: int, frame: Frame, weights: Any) -> int:
    """Return what must stay of kinds of which two or three cells are left.

    That is 0 where it could not be above a room anyway.  The last two of a digit go together or not
    at all, and of three all or two.  So they all have to meet while all are there.  Changes what is
    noted as dead.
    """
    most = 0
    for index in range(frame.kinds):
        most += at_stake(frame.kind[index], frame, weights)
    if most <= room:
        return 0
    cost = 0
    for index in range(frame.kinds):
        kind = int(frame.kind[index])
        stake = at_stake(kind, frame, weights)
        if stake > 0:
            find_dead(kind, frame)
            if not all_meet(kind, frame):
                cost += stake
    return cost


def at_stake(kind: int, frame: Frame, weights: Any) -> int:
    """Return what the last two or three cells of a kind cost if they cannot all go at once."""
    count = count_of(frame.masks, kind * WORDS)
    if count < 2 or count > 3 or weights[kind] == 0:
        return 0
    find_near(kind, frame)
    if count_of(frame.near, 0) == count:
        return 0
    return int(weights[kind]) * (2 if count == 2 else 1)


def all_meet(kind: int, frame: Frame) -> bool:
    """Tell whether every cell of a kind may come to lie beside another by what is not dead."""
    for word in range(WORDS):
        rest = int(frame.masks[kind * WORDS + word])
        while rest != 0:
            cell = rest & -rest
            rest ^= cell
            if not may_meet(kind, word, cell, frame):
                return False
    return True


# Parts.


def build_walls(board: Any, frame: Frame, weights: Any) -> int:
    """Turn the dead cells of a board into walls, and return what they cost."""
    cost = 0
    for index in range(frame.kinds):
        kind = int(frame.kind[index])
        for word in range(WORDS):
            at = kind * WORDS + word
            dead = int(frame.masks[at] & frame.dead[word])
            if dead != 0:
                cost += bits.population(dead) * int(weights[kind])
                frame.masks[at] ^= dead
                frame.walls[word] |= dead
                for plane in range(word, PLANES * WORDS, WORDS):
                    board[plane] |= dead
    return cost


def link_columns(frame: Frame) -> None:
    """Note for each column whether a cell up to it may come to lie beside a later one.

    Walls alone are dead.  Where cells of several columns may come to lie beside a later one, all
    columns from the first of them are linked, which may be too many.
    """
    wide = int(frame.wide)
    for col in range(wide):
        frame.links[col] = 0
    for index in range(frame.kinds):
        base = int(frame.kind[index]) * WORDS
        beside = 0
        first = 0
        for col in range(wide):
            dead = column_of(frame.walls, 0, col, frame)
            reached = reach(column_of(frame.masks, base, col, frame), dead)
            if beside & reached != 0:
                for link in range(first, col):
                    frame.links[link] = 1
            if dead != 0 or beside == 0:
                beside = reached
                first = col
            else:
                beside |= reached


def copy_part(board: Any, part: Any, begin: int, end: int, frame: Frame) -> bool:
    """Copy some columns of a board as a board of their own; tell if they hold more than walls.

    Walls above all other cells of a column do nothing, as long as some wall keeps the column.
    """
    for at in range(len(part)):
        part[at] = 0
    some = False
    for col in range(begin, end):
        walls = column_of(frame.walls, 0, col, frame)
        others = column_of(frame.cells, 0, col, frame) & ~walls
        kept = 1
        if others != 0:
            some = True
            kept = (1 << bits.length(others)) - 1
            if walls != 0 and walls & kept == 0:
                kept = 2 * kept + 1
        to = col - begin
        for plane in range(0, PLANES * WORDS, WORDS):
            own = column_of(board, plane, col, frame) & kept
            part[plane + frame.word[to]] |= own << frame.shift[to]
    return some


def promise(frame: Frame, weights: Any) -> int:
    """Return how bad the cells look that are not dead and have no equal neighbour."""
    result = 0
    for index in range(frame.kinds):
        kind = int(frame.kind[index])
        find_near(kind, frame)
        alone = count_of(frame.masks, kind * WORDS) - count_of(frame.near, 0)
        result += alone * (2 + 2 * int(weights[kind]))
    return result


def final_bonus(frame: Frame) -> int:
    """Return what SameGame gives for a board without groups, or takes, with its sign changed."""
    taken = 0
    total = 0
    for index in range(frame.kinds):
        count = count_of(frame.masks, frame.kind[index] * WORDS)
        total += count
        if count > 0:
            taken += (count - 2) ** 2
    return -taken if total > 0 else _board.CLEARED

"""Exact search for the least that can be left, with a memory of all parts of boards seen.

Only what is left at the end counts, so a board is the same however it was reached, and cells that
can never be removed (see ``_bound``) are paid for as soon as they are found.  From then on they are
walls without a digit.  Where no cells on both sides of a column's edge can ever touch, the board
falls apart into parts that are searched one by one.  Parts are remembered by a key that is the same
for their mirror images.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core import arrays, bits, chance, position
from gridhouse.games.collapse import _board, _bound, _pairs

if TYPE_CHECKING:
    from gridhouse.games.collapse._board import Work

NOTHING = -1
NOWHERE = -1
MANY = 1 << 40
OFFSET = 1 << 40  # keeps scores in the table positive
WAYS = 4  # entries that a key may be in
KEPT_PAIRS = 512  # of a part, for what its picks lead to
LOOK_CELLS = 50  # a part of fewer cells is sooner searched than looked at closer
LOOK_RATE = 8  # one look in so many should settle a part
LOOK_AGAIN = 32  # where that is not so, one part in so many is looked at all the same
FULL = 2  # why a search stopped: there was no room for more parts
NOISE = 1 << 8  # parts of a point of the noise in a child's value
LEAST = 17  # where the cost begins in the data of an entry
EXACT = 1 << 16
SIZES = EXACT - 1


class Child(position.Position):
    """What a pick leads to: what stays for good, and the rows of the parts left to search."""

    child = position.integer("int8")
    key = position.integer("int64")
    place = position.integer("int32")  # of the child that comes here in order
    cell = position.integer("int32")
    begin = position.integer("int32")
    count = position.integer("int32")
    dead = position.integer("int64")
    least = position.integer("int64")
    value = position.integer("int64")


class Part(position.Position):
    """A part of a board: its key, and the least it can leave as far as is known."""

    part = position.integer("int8")
    key = position.integer("int64")
    least = position.integer("int64")
    parent = position.integer("int32")  # the row of the part that a pick made this one from
    cell = position.integer("int32")  # that was picked
    shift = position.integer("int32")  # columns on the left that belong to other parts
    pairs = position.integer("int32")  # how many are known, if they are


class Memory(NamedTuple):
    """Parts of boards, their pairs, and children, one ply behind the other, and the tables.

    An entry of a table is what is known of a part, packed, and its key joined with that.  Two
    threads may write at once: a mixture of two entries has a key that nothing asks for (Hyatt and
    Mann, 2002).
    """

    boards: Any
    parts: Any
    ones: Any
    others: Any
    children: Any
    table: Any
    bounds: Any


def make_memory(rows: int, table: int, size: int, zeros: Any, to_records: Any) -> Memory:
    """Return memory for boards of so many bytes, so many rows and entries, a power of two."""
    return Memory(
        boards=zeros((rows, size), "int8"),
        parts=to_records(Part(), rows),
        ones=zeros((rows, KEPT_PAIRS), "int32"),
        others=zeros((rows, KEPT_PAIRS), "int32"),
        children=to_records(Child(), rows),
        table=arrays.zeros(2 * table, "int64"),
        bounds=arrays.zeros(2 * table, "int64"),
    )


def bucket(table: Any, key: Any, ways: int) -> Any:
    """Return where the entries begin that a key may be in, so many of them; or of many keys."""
    return 2 * (key & (len(table) // 2 - ways))


def look_up(table: Any, key: int) -> int:
    """Return what is known of a part, or NOTHING: its least cost, if that is exact, its size."""
    first = bucket(table, key, WAYS)
    for slot in range(first, first + 2 * WAYS, 2):
        data = int(table[slot])
        if table[slot + 1] ^ data == key and data != 0:
            return data
    return NOTHING


def remember(table: Any, key: int, least: int, is_exact: bool, size: int) -> None:
    """Keep what is known of a part in the place of the same or of the smallest part."""
    first = bucket(table, key, WAYS)
    place = first
    smallest = MANY
    for slot in range(first, first + 2 * WAYS, 2):
        data = int(table[slot])
        if table[slot + 1] ^ data == key:
            place = slot
            break
        if data & SIZES < smallest:
            smallest = data & SIZES
            place = slot
    data = (least << LEAST) | (int(is_exact) * EXACT) | size
    table[place] = data
    table[place + 1] = key ^ data


def enlarged(table: Any, ways: int, times: int) -> Any:
    """Return a table of so many times the size with the same entries.

    An entry may be in so many ways, and stays in its own.
    """
    table = table.copy()  # another thread may write to it meanwhile
    used = table[1::2].nonzero()[0]
    data, marks = table[2 * used], table[2 * used + 1]
    larger = arrays.zeros(times * len(table), "int64")
    places = bucket(larger, data ^ marks, ways) + 2 * (used % ways)
    larger[places] = data
    larger[places + 1] = marks
    return larger


def solve(
    memory: Memory,
    row: int,
    space: int,
    child: int,
    stride: int,
    budget: int,
    work: Work,
    control: Any,
) -> int:
    """Return the least that a part can leave if that is within the budget, else a bound above it.

    Rows from ``space`` on and children from ``child`` on are free.  The result means nothing once
    ``stop`` is set.
    """
    key = int(memory.parts[row].key)
    known = look_up(memory.table, key)
    lowest = 0
    if known != NOTHING:
        lowest = known >> LEAST
        if lowest > budget or known & EXACT != 0:
            return lowest
    _board.count_node(control)
    size = min(cells_of(memory.boards[row], stride), SIZES)
    end = expand(memory, row, space, child, size, stride, budget, work, control)
    if control.stop != 0:
        return 0
    # A part has a live cell, so it has a group.
    space = int(memory.children[end - 1].begin + memory.children[end - 1].count)
    sort_children(memory, child, end)
    best = MANY
    bound = MANY
    for order in range(child, end):
        index = int(memory.children[order].place)
        limit = min(best - 1, budget)
        cost = int(memory.children[index].least)
        begin = int(memory.children[index].begin)
        for part in range(begin, begin + memory.children[index].count):
            if cost > limit:
                break
            expected = int(memory.parts[part].least)
            cost -= expected
            cost += solve(memory, part, space, end, stride, limit - cost, work, control)
            if control.stop != 0:
                return 0
        if cost <= limit:
            best = cost
            if best <= lowest:
                break
        else:
            note_bound(memory, int(memory.children[index].key), cost)
        bound = min(bound, cost)
    is_exact = best <= budget
    lowest = best if is_exact else max(lowest, bound)
    remember(memory.table, key, lowest, is_exact, size)
    return lowest


def expand(
    memory: Memory,
    row: int,
    space: int,
    child: int,
    size: int,
    stride: int,
    budget: int,
    work: Work,
    control: Any,
) -> int:
    """List the children of a part of so many cells, and return where the list ends.

    Where a closer look finds dead cells, or parts, there is one child: the part without those.
    """
    if is_worth_a_look(size, control):
        look_closer(memory, row, space, child, stride, budget, work, control)
        if control.stop != 0:
            return child
        if memory.children[child].count != 1 or memory.parts[space].key != memory.parts[row].key:
            return child + 1
    return list_children(memory, row, space, child, stride, budget, work, control)


def is_worth_a_look(size: int, control: Any) -> bool:
    """Tell whether to look closer at a part: if that has settled enough parts of its size."""
    if control.closer == 0 or size < LOOK_CELLS:
        return False
    kind = min(size, _board.MOST_CELLS - 1)
    is_rare = (control.settled[kind] + 1) * LOOK_RATE < control.looked[kind]
    return not is_rare or control.nodes % LOOK_AGAIN == 0


def bound_slot(memory: Memory, key: int) -> int:
    """Return where the least that a board leaves is noted."""
    return int(bucket(memory.bounds, key, 1))


def bound_of(memory: Memory, key: int) -> int:
    """Return the least that a board leaves as far as is noted."""
    slot = bound_slot(memory, key)
    data = int(memory.bounds[slot])
    return data if memory.bounds[slot + 1] ^ data == key else 0


def note_bound(memory: Memory, key: int, least: int) -> None:
    """Note the least that a board leaves before it was looked at for dead cells and parts."""
    slot = bound_slot(memory, key)
    memory.bounds[slot] = least
    memory.bounds[slot + 1] = key ^ least


def cells_of(board: Any, stride: int) -> int:
    """Return how many cells a board has."""
    count = 0
    base = stride
    while board[base] != 0:
        at = base
        while board[at] != 0:
            at += 1
        count += at - base
        base += stride
    return count


def sort_children(memory: Memory, begin: int, end: int) -> None:
    """Bring children into the order of their values."""
    children = memory.children
    for index in range(begin, end):
        children[index].place = index
    for index in range(begin + 1, end):
        place = children[index].place
        value = children[place].value
        hole = index
        while hole > begin and children[children[hole - 1].place].value > value:
            children[hole].place = children[hole - 1].place
            hole -= 1
        children[hole].place = place


def list_children(
    memory: Memory,
    row: int,
    space: int,
    child: int,
    stride: int,
    budget: int,
    work: Work,
    control: Any,
) -> int:
    """List what the picks of a part lead to, and return where the list ends.

    Of children whose cost is above the budget nothing but a bound of it is found out.
    """
    board = memory.boards[row]
    groups = _board.find_groups(board, stride, work)
    if child + groups >= len(memory.children):
        control.stop = FULL
        return child
    wide = _board.note_columns(board, stride, work)
    # First all keys, so that what is known of them is near when it is asked for.
    for group in range(groups):
        begin, end = int(work.start[group]), int(work.start[group + 1])
        after = memory.children[child + group]
        after.cell = work.members[begin]
        kind = int(board[after.cell])
        # A cell that is the last of its digit stays.
        after.dead = int(control.weights[kind]) if end - begin == work.counts[kind] - 1 else 0
        after.key = NOTHING  # nobody asks for this one
        if after.dead <= budget:
            after.key = _board.key_after(board, stride, begin, end, wide, work)
            bits.prefetch(memory.bounds, bound_slot(memory, int(after.key)))
    for index in range(child, child + groups):
        after = memory.children[index]
        if after.dead <= budget:
            after.dead = bound_of(memory, int(after.key))
        if after.dead > budget:
            give_up(after, space)
        else:
            space = make_child(memory, row, space, index, stride, budget, work, control)
    return child + groups


def give_up(child: Any, space: int) -> None:
    """Note that a child costs too much to be looked at."""
    child.begin = space
    child.count = 0
    child.least = child.dead
    child.value = MANY


def make_child(
    memory: Memory,
    row: int,
    space: int,
    index: int,
    stride: int,
    budget: int,
    work: Work,
    control: Any,
) -> int:
    """Make what a pick leads to, its key being known; return the first row that is still free."""
    child = memory.children[index]
    bits.prefetch(memory.table, bucket(memory.table, int(child.key), WAYS))
    if not start_child(memory, row, space, index, stride, control):
        return space
    board = memory.boards[space]
    if child.cell != NOWHERE:
        end = _board.flood(board, stride, child.cell, 0, _board.next_stamp(work), work)
        _board.remove(board, stride, work.members, 0, end)
    _board.find_groups(board, stride, work)
    dead = _bound.find_dead(board, stride, work)
    work.pairs = _pairs.UNKNOWN
    return take_apart(memory, row, space, index, dead, stride, budget, work, control)


def start_child(
    memory: Memory, row: int, space: int, index: int, stride: int, control: Any
) -> bool:
    """Begin a child with a copy of a part's board, if there is room for what it may fall into."""
    boards = memory.boards
    child = memory.children[index]
    child.begin = space
    child.count = 0
    parts = len(boards[0]) // stride
    if index + 1 >= len(memory.children) or space + parts + 1 >= len(boards):
        control.stop = FULL
        return False
    board = boards[space]
    source = boards[row]
    for at in range(len(board)):
        board[at] = source[at]
    return True


def look_closer(
    memory: Memory,
    row: int,
    space: int,
    index: int,
    stride: int,
    budget: int,
    work: Work,
    control: Any,
) -> None:
    """Make a child of a part itself by what its pairs of cells tell."""
    child = memory.children[index]
    if not start_child(memory, row, space, index, stride, control):
        return
    child.cell = NOWHERE
    child.key = memory.parts[row].key
    board = memory.boards[space]
    _board.find_groups(board, stride, work)
    dead = find_pairs(memory, row, _bound.find_dead(board, stride, work), stride, work)
    take_apart(memory, row, space, index, dead, stride, budget, work, control)
    kind = min(cells_of(memory.boards[row], stride), _board.MOST_CELLS - 1)
    control.looked[kind] += 1
    control.settled[kind] += int(child.least > budget)


def find_pairs(memory: Memory, row: int, dead: int, stride: int, work: Work) -> int:
    """Find the pairs of a part that may meet, and more dead cells; return how many there are."""
    part = memory.parts[row]
    board = memory.boards[row]
    parent = int(part.parent)
    ones, others = memory.ones, memory.others
    known = int(memory.parts[parent].pairs)
    if known == _pairs.UNKNOWN:
        _pairs.list_pairs(board, stride, work)
    else:
        for pair in range(known):
            work.ones[pair] = ones[parent][pair]
            work.others[pair] = others[parent][pair]
        work.pairs = known
        source = memory.boards[parent]
        _pairs.follow(source, board, stride, int(part.cell), int(part.shift), work)
    dead = _pairs.find_dead(board, stride, dead, work)
    if work.pairs <= KEPT_PAIRS:
        part.pairs = work.pairs
        for pair in range(work.pairs):
            ones[row][pair] = work.ones[pair]
            others[row][pair] = work.others[pair]
    return dead


def take_apart(
    memory: Memory,
    row: int,
    space: int,
    index: int,
    dead: int,
    stride: int,
    budget: int,
    work: Work,
    control: Any,
) -> int:
    """Pay for a child's dead cells and part what is left; return the next free row."""
    child = memory.children[index]
    board = memory.boards[space]
    cost = 0
    for at in range(dead):
        cell = work.alone[at]
        cost += int(control.weights[int(board[cell])])
        board[cell] = _board.WALL
    child.dead = cost
    if cost > budget:
        note_bound(memory, int(child.key), cost)
        give_up(child, space)
        return space
    child.count = split(memory, space, int(child.key), stride, work)
    child.least = cost
    for part in range(space, space + child.count):
        child.least += memory.parts[part].least
        memory.parts[part].parent = row
        memory.parts[part].cell = child.cell
        memory.parts[part].pairs = _pairs.UNKNOWN
    child.value = child.least * 50 + promise(dead, board, work, control)
    child.value = child.value * NOISE + chance.draw(control, int(control.noise) * NOISE + 1)
    return space + int(child.count)


def promise(dead: int, board: Any, work: Work, control: Any) -> int:
    """Return how bad the cells look that are not dead and have no equal neighbour."""
    result = 0
    for index in range(dead, work.counts[2 * _board.KINDS]):
        result += 2 + 2 * int(control.weights[int(board[work.alone[index]])])
    return result


def split(memory: Memory, row: int, key: int, stride: int, work: Work) -> int:
    """Put the parts of a board into its own and the next rows, and return how many there are.

    The key is that of the board before its dead cells became walls.
    """
    board = memory.boards[row]
    wide = _board.wide_of(board, stride)
    if wide == 0:
        return 0
    _bound.find_walls(board, stride, work)
    if work.pairs != _pairs.UNKNOWN:
        _pairs.link_columns(wide, work)
    elif work.walls[wide + 1] == 0:
        memory.parts[row].shift = 0
        enter(memory, row, key)
        return 1
    else:
        _bound.link_columns(board, stride, wide, work)
    count = 0
    begin = 1
    for col in range(1, wide + 1):
        if work.links[col] == 0:
            count += copy_part(memory, row, row + 1 + count, begin, col, stride, work)
            begin = col + 1
    # The first row held the board itself; the last part moves there.
    if count > 0:
        source = memory.boards[row + count]
        for at in range(len(board)):
            board[at] = source[at]
        memory.parts[row].shift = memory.parts[row + count].shift
        for part in range(row, row + count):
            enter(memory, part, _board.board_key(memory.boards[part], stride, work))
    return count


def copy_part(
    memory: Memory, row: int, target: int, begin: int, end: int, stride: int, work: Work
) -> int:
    """Copy some columns of a board into a row of their own; return 0 if all they hold is walls.

    Walls above all other cells of a column do nothing, as long as some wall keeps the column.
    """
    board = memory.boards[row]
    part = memory.boards[target]
    memory.parts[target].shift = begin - 1
    for at in range(len(part)):
        part[at] = 0
    some = 0
    for col in range(begin, end + 1):
        base = col * stride
        top = base
        while board[top] != 0:
            top += 1
        last = top - 1
        while last >= base and board[last] == _board.WALL:
            last -= 1
        walls = int(work.lowest[last]) if last >= base else 0
        if last >= base:
            some = 1
        if walls == 0 and last + 1 < top:
            last += 1
        for at in range(base, last + 1):
            part[at + (1 - begin) * stride] = board[at]
    return some


def enter(memory: Memory, row: int, key: int) -> None:
    """Note a part's key, and what is known of it."""
    part = memory.parts[row]
    part.key = key
    known = look_up(memory.table, key)
    part.least = 0 if known == NOTHING else known >> LEAST


def begin(memory: Memory, stride: int, budget: int, work: Work, control: Any) -> int:
    """Put the parts of the board in the first row behind it; return the first row after them.

    What is known of the whole is then in the first of the children.  The caller solves the parts:
    compiled code that calls ``solve``, which calls itself, crashes when it comes from Numba's cache
    on disk (0.68).
    """
    child = memory.children[0]
    child.cell = NOWHERE
    child.key = _board.board_key(memory.boards[0], stride, work)
    child.dead = bound_of(memory, int(child.key))
    memory.parts[0].pairs = _pairs.UNKNOWN
    if child.dead > budget:
        give_up(child, 1)
        return 1
    return make_child(memory, 0, 1, 0, stride, budget, work, control)


def recall(memory: Memory, space: int) -> int:
    """Return what the board that ``begin`` took leaves at least, or MANY if that is not known."""
    for part in range(1, space):
        known = look_up(memory.table, int(memory.parts[part].key))
        if known == NOTHING or known & EXACT == 0:
            return MANY
    return int(memory.children[0].least)


def best_score(memory: Memory, row: int, child: int, stride: int, work: Work, control: Any) -> int:
    """Return the most that SameGame gives from the board in a row on, by plain exhaustion.

    Means nothing once ``stop`` is set.
    """
    board = memory.boards[row]
    key = _board.board_key(board, stride, work)
    known = look_up(memory.table, key)
    if known != NOTHING:
        return (known >> LEAST) - OFFSET
    groups = _board.find_groups(board, stride, work)
    if groups == 0:
        return _board.final_bonus(work)
    _board.count_node(control)
    if child + groups >= len(memory.children) or row + 1 >= len(memory.boards):
        control.stop = FULL
    for group in range(groups):
        if control.stop == 0:
            memory.children[child + group].cell = work.members[work.start[group]]
    best = -OFFSET
    for index in range(child, child + groups):
        if control.stop != 0:
            return 0
        after = memory.boards[row + 1]
        for at in range(len(board)):
            after[at] = board[at]
        cell = int(memory.children[index].cell)
        end = _board.flood(after, stride, cell, 0, _board.next_stamp(work), work)
        _board.remove(after, stride, work.members, 0, end)
        score = (end - 2) ** 2
        score += best_score(memory, row + 1, child + groups, stride, work, control)
        best = max(best, score)
    if control.stop == 0:
        remember(memory.table, key, best + OFFSET, True, min(cells_of(board, stride), SIZES))
    return best

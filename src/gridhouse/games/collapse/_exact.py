"""Exact search for the least that can be left, with a memory of all parts of boards seen.

Only what is left at the end counts, so a board is the same however it was reached, and cells that
can never be removed (see ``_bound``) are paid for as soon as they are found.  From then on they are
walls without a digit.  Where no cells on both sides of a column's edge can ever touch, the board
falls apart into parts that are searched one by one.  Parts are remembered by a key that is the same
for their mirror images.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core import arrays, bits, position
from gridhouse.games.collapse import _board, _words

if TYPE_CHECKING:
    from gridhouse.games.collapse._words import Frame

NOTHING = -1
MANY = 1 << 40
OFFSET = 1 << 40  # keeps scores in the table positive
WAYS = 4  # entries that a key may be in
ENTRY = 16  # bytes
FULL = 2  # why a search stopped: there was no room for more parts
LEAST = 17  # where the cost begins in the data of an entry
EXACT = 1 << 16
SIZES = EXACT - 1


class Child(position.Position):
    """What the pick of some of a kind's cells leads to: what stays, the rows of the parts left."""

    child = position.field("int8")
    key = position.field("int64")
    place = position.field("int32")  # of the child that comes here in order
    word = position.field("int32")  # of a cell of the group,
    cell = position.field("int64")  # and its bit there
    kind = position.field("int32")
    gone = position.field("int32")  # cells of the group
    left = position.field("int32")  # other cells of its kind
    begin = position.field("int32")
    count = position.field("int32")
    dead = position.field("int64")
    least = position.field("int64")
    value = position.field("int64")


class Part(position.Position):
    """A part of a board: its key, and the least it can leave as far as is known."""

    part = position.field("int8")
    key = position.field("int64")
    least = position.field("int64")


class Memory(NamedTuple):
    """The boards of parts and of children, one ply behind the other, and the tables.

    Boards are words (see ``_words``).  An entry of a table is what is known of a part, packed, and
    its key joined with that.  Two threads may write at once: a mixture of two entries has a key
    that nothing asks for (Hyatt and Mann, 2002).
    """

    boards: Any
    parts: Any
    drafts: Any
    children: Any
    table: Any
    bounds: Any


def make_memory(rows: int, table: int, words: int, zeros: Any, to_records: Any) -> Memory:
    """Return memory for so many boards of so many words a plane, and entries, a power of two."""
    size = _words.PLANES * words
    return Memory(
        boards=zeros((rows, size), "int64"),
        parts=to_records(Part(), rows),
        drafts=zeros((rows, size), "int64"),
        children=to_records(Child(), rows),
        table=arrays.zeros(2 * table, "int64"),
        bounds=arrays.zeros(2 * table, "int64"),
    )


def entries_within(size: int) -> int:
    """Return how many entries each of both tables may have in so many bytes, a power of two."""
    return max(WAYS, (1 << (size // (2 * ENTRY)).bit_length()) // 2)


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
    memory: Memory, row: int, space: int, child: int, budget: int, frame: Frame, control: Any
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
    end = list_children(memory, row, space, child, budget, frame, control)
    if control.stop != 0:
        return 0
    # A part has a live cell, so it has a group.
    space = int(memory.children[end - 1].begin + memory.children[end - 1].count)
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
            cost += solve(memory, part, space, end, limit - cost, frame, control)
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
    remember(memory.table, key, lowest, is_exact, _words.size_of(memory.boards[row]))
    return lowest


def list_children(
    memory: Memory,
    row: int,
    space: int,
    child: int,
    budget: int,
    frame: Frame,
    control: Any,
) -> int:
    """List what the picks of a part lead to, in order, and return where the list ends."""
    end = list_picks(memory, row, child, frame, control)
    for index in range(child, end):
        if control.stop == 0:
            space = judge(memory, index, space, budget, frame, control)
    sort_children(memory, child, end)
    return end


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


def list_picks(memory: Memory, row: int, child: int, frame: Frame, control: Any) -> int:
    """List what the picks of a part lead to as children, and return where the list ends.

    First all keys, so that what is known of them is near when it is asked for.
    """
    board = memory.boards[row]
    _words.read(board, frame)
    _words.note_codes(board, frame)
    near = frame.near
    for place in range(frame.kinds):
        kind = int(frame.kind[place])
        count = _words.count_of(frame.masks, kind * _words.WORDS)
        _words.find_near(kind, frame)
        for word in range(_words.WORDS):
            while near[word] != 0:
                if child + 1 >= len(memory.children):
                    control.stop = FULL
                    return child
                cell = int(near[word] & -near[word])
                _words.flood(kind, word, cell, frame)
                for other in range(word, _words.WORDS):
                    near[other] &= ~frame.group[other]
                after = memory.children[child]
                after.word = word
                after.cell = cell
                after.kind = kind
                after.gone = _words.count_of(frame.group, 0)
                after.left = count - after.gone
                after.key = _words.fall(board, memory.drafts[child], frame)
                bits.prefetch(memory.bounds, bound_slot(memory, int(after.key)))
                bits.prefetch(memory.table, bucket(memory.table, int(after.key), WAYS))
                child += 1
    return child


def judge(memory: Memory, index: int, space: int, budget: int, frame: Frame, control: Any) -> int:
    """Find out what a child costs at least and its parts; return the first row that is still free.

    Of one whose cost is above the budget nothing but a bound of it is found out.
    """
    child = memory.children[index]
    child.dead = bound_of(memory, int(child.key))
    if child.left == 1:  # a cell that is the last of its digit stays
        child.dead = max(child.dead, int(control.weights[child.kind]))
    if child.dead > budget:
        give_up(child, space)
        return space
    return take_apart(memory, index, space, budget, frame, control)


def give_up(child: Any, space: int) -> None:
    """Note that a child costs too much to be looked at."""
    child.begin = space
    child.count = 0
    child.least = child.dead
    child.value = MANY


def take_apart(
    memory: Memory, index: int, space: int, budget: int, frame: Frame, control: Any
) -> int:
    """Find the dead cells of a child and its parts; return the first row that is still free."""
    child = memory.children[index]
    draft = memory.drafts[index]
    _words.read(draft, frame)
    if space + frame.wide + 1 >= len(memory.boards):
        control.stop = FULL
        return space
    _words.find_dead(_words.NO_KIND, frame)
    child.dead = _words.build_walls(draft, frame, control.weights)
    if child.dead <= budget:
        owed = _words.owed(budget - child.dead, frame, control.weights)
        if child.dead + owed > budget:
            child.dead += owed
    if child.dead > budget:
        note_bound(memory, int(child.key), int(child.dead))
        give_up(child, space)
        return space
    child.begin = space
    child.count = split(memory, index, space, frame)
    child.least = child.dead
    for part in range(space, space + child.count):
        child.least += memory.parts[part].least
    child.value = child.least * 50 + _words.promise(frame, control.weights)
    return space + int(child.count)


def split(memory: Memory, index: int, row: int, frame: Frame) -> int:
    """Put the parts of a child, which was read, into rows, and return how many there are."""
    draft = memory.drafts[index]
    if frame.wide == 0:
        return 0
    if _words.count_of(frame.walls, 0) == 0:
        _words.copy(draft, memory.boards[row], len(draft))
        enter(memory, row, int(memory.children[index].key))
        return 1
    _words.link_columns(frame)
    count = 0
    begin = 0
    for col in range(frame.wide):
        if frame.links[col] == 0:
            part = memory.boards[row + count]
            if _words.copy_part(draft, part, begin, col + 1, frame):
                enter(memory, row + count, _words.key_of(part, frame))
                count += 1
            begin = col + 1
    return count


def enter(memory: Memory, row: int, key: int) -> None:
    """Note a part's key, and what is known of it."""
    part = memory.parts[row]
    part.key = key
    known = look_up(memory.table, key)
    part.least = 0 if known == NOTHING else known >> LEAST


def begin(memory: Memory, cells: Any, stride: int, budget: int, frame: Frame, control: Any) -> int:
    """Put the parts of a board of bytes into the first rows; return the first row after them.

    What is known of the whole is then in the first of the children.  The caller solves the parts:
    compiled code that calls ``solve``, which calls itself, crashes when it comes from Numba's cache
    on disk (0.68).
    """
    child = memory.children[0]
    _words.pack(cells, stride, memory.drafts[0], frame)
    child.key = _words.key_of(memory.drafts[0], frame)
    child.left = 0
    return judge(memory, 0, 0, budget, frame, control)


def trace(
    memory: Memory, cells: Any, stride: int, rest: int, line: Any, frame: Frame, control: Any
) -> int:
    """Write picks that leave just so much, as far as the tables know them; return how many.

    They begin at a board of bytes, and are places of bytes as well.
    """
    board = memory.boards[0]
    _words.pack(cells, stride, board, frame)
    count = 0
    while True:
        index = list_picks(memory, 0, 0, frame, control)
        while index > 0 and not is_known(memory, index - 1, rest, frame, control):
            index -= 1
        if index == 0:
            return count
        child = memory.children[index - 1]
        place = bits.lowest(int(child.cell))
        col = int(child.word) * frame.spread + frame.place[place]
        line[count] = (col + 1) * stride + place - frame.shift[col]
        count += 1
        rest -= int(child.dead)
        _words.copy(memory.drafts[index - 1], board, len(board))


def is_known(memory: Memory, index: int, rest: int, frame: Frame, control: Any) -> bool:
    """Tell whether a child is known to leave no more than that, as the tables have it."""
    end = judge(memory, index, 1, rest, frame, control)
    for part in range(1, end):
        known = look_up(memory.table, int(memory.parts[part].key))
        if known == NOTHING or known & EXACT == 0:
            return False
    return int(memory.children[index].least) <= rest


def best_score(memory: Memory, row: int, child: int, frame: Frame, control: Any) -> int:
    """Return the most that SameGame gives from the board in a row on, by plain exhaustion.

    Means nothing once ``stop`` is set.
    """
    key = _words.key_of(memory.boards[row], frame)
    known = look_up(memory.table, key)
    if known != NOTHING:
        return (known >> LEAST) - OFFSET
    end = list_picks(memory, row, child, frame, control)
    if end == child:
        return _words.final_bonus(frame)
    _board.count_node(control)
    if row + 1 >= len(memory.boards):
        control.stop = FULL
    best = -OFFSET
    for index in range(child, end):
        if control.stop != 0:
            return 0
        _words.copy(memory.drafts[index], memory.boards[row + 1], len(memory.drafts[index]))
        score = (int(memory.children[index].gone) - 2) ** 2
        best = max(best, score + best_score(memory, row + 1, end, frame, control))
    if control.stop == 0:
        size = _words.size_of(memory.boards[row])
        remember(memory.table, key, best + OFFSET, True, size)
    return best

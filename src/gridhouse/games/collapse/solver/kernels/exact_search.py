"""Exact search for the least cost of a board, depth first, with a transposition table of its parts.

Only what is left at the end counts, so a board is the same however it was reached.  Dead cells (see
``dead_cells``) are paid for as soon as they are found, and become walls.  Where no cells on both
sides of a column's border ever meet, the board falls apart into parts that are solved one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import arrays, bits, position, tables
from gridhouse.games.collapse.solver.kernels import bitboard, byte_board

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.core.arrays import Ints
    from gridhouse.games.collapse.solver.kernels.bitboard import Workspace
    from gridhouse.games.collapse.solver.kernels.byte_board import Control
    from gridhouse.games.collapse.solver.types import Records, Zeros

UNKNOWN = -1
INFINITE = 1 << 40
OFFSET = 1 << 40  # keeps scores in the table positive
WAYS = 4  # of the transposition table
ENTRY = 16  # bytes
FULL = 2  # the value of ``stop`` where the stack had no room
COST_SHIFT = 17  # the data of an entry: the size of a part, whether its cost is exact, its cost
EXACT = 1 << 16
SIZE = EXACT - 1


class Child(position.Position):
    """A pick on a part, and the cost of the board that it leads to."""

    child = position.field("int8")
    key = position.field("int64")
    rank = position.field("int32")  # the index of the child that comes here in order
    word = position.field("int32")  # of a cell of the group,
    cell = position.field("int64")  # and its bit there
    kind = position.field("int32")
    removed = position.field("int32")  # cells of the group; NumPy's records have a ``size``
    rest = position.field("int32")  # the number of all other cells of its kind
    begin = position.field("int32")  # its parts on the stack
    count = position.field("int32")
    fixed_cost = position.field("int64")  # of its dead cells
    lower_bound = position.field("int64")
    score = position.field("int64")  # lower scores are tried first


class Part(position.Position):
    """A part of a board: its key, and the lower bound of its cost that is known."""

    part = position.field("int8")
    key = position.field("int64")
    lower_bound = position.field("int64")


class Stack(position.Position):
    """The numbers of parts and of children that are in use, of one ply after the other."""

    stack = position.field("int8")
    parts = position.field("int64")
    children = position.field("int64")


class Memory(NamedTuple):
    """The memory of a search.  Boards are those of ``bitboard``, one for each part and child."""

    stack: Stack
    boards: Sequence[Ints]
    parts: Sequence[Part]
    child_boards: Sequence[Ints]
    children: Sequence[Child]
    table: Ints  # costs of parts (``core.tables``, data and key XOR data)
    bounds: Ints  # lower bounds of boards that were not yet divided, in the same way
    space: Workspace
    control: Control


def make_memory(
    rows: int, entries: int, words: int, space: Workspace, zeros: Zeros, to_records: Records
) -> Memory:
    """Return memory for ``rows`` parts and children, and tables of a power of two of entries.

    Whoever uses it sets ``control``.
    """
    size = bitboard.PLANES * words
    return Memory(
        stack=to_records(Stack())[0],
        boards=zeros((rows, size), "int64"),
        parts=to_records(Part(), rows),
        child_boards=zeros((rows, size), "int64"),
        children=to_records(Child(), rows),
        table=arrays.zeros(2 * entries, "int64"),
        bounds=arrays.zeros(2 * entries, "int64"),
        space=space,
        control=to_records(byte_board.Control())[0],
    )


def entries_within(size: int) -> int:
    """Return the number of entries of each table if both have ``size`` bytes, a power of two."""
    return max(WAYS, (1 << (size // (2 * ENTRY)).bit_length()) // 2)


def enlarge(memory: Memory, times: int) -> Memory:
    """Return memory with tables ``times`` as large; raises MemoryError."""
    return memory._replace(
        table=tables.enlarge_xored(memory.table, WAYS, times),
        bounds=tables.enlarge_xored(memory.bounds, 1, times),
    )


def probe(table: Ints, key: int) -> int:
    """Return the data of a part, or UNKNOWN."""
    data = tables.probe_xored(table, key, WAYS)
    return data if data != 0 else UNKNOWN


def store(table: Ints, key: int, cost: int, is_exact: bool, size: int) -> None:
    """Store the cost of a part, or a lower bound of it; smaller parts are replaced first."""
    data = (cost << COST_SHIFT) | (int(is_exact) * EXACT) | size
    tables.store_xored(table, key, data, WAYS, SIZE)


def probe_bound(memory: Memory, key: int) -> int:
    """Return the lower bound of a board that is known."""
    return tables.probe_xored(memory.bounds, key, 1)


def store_bound(memory: Memory, key: int, bound: int) -> None:
    """Store a lower bound of a board as a pick leaves it."""
    tables.store_xored(memory.bounds, key, bound, 1, SIZE)


def solve(memory: Memory, index: int, budget: int) -> int:
    """Return the cost of a part if that is within the budget, else a lower bound above it.

    The result is meaningless once ``stop`` is set.
    """
    stack, control = memory.stack, memory.control
    key = int(memory.parts[index].key)
    known = probe(memory.table, key)
    lowest = 0
    if known != UNKNOWN:
        lowest = known >> COST_SHIFT
        if lowest > budget or known & EXACT != 0:
            return lowest
    byte_board.count_node(control)
    first_part, first_child = int(stack.parts), int(stack.children)
    expand(memory, index, budget)
    if control.stop != 0:
        return 0
    best = INFINITE
    bound = INFINITE
    for rank in range(first_child, stack.children):
        child = memory.children[memory.children[rank].rank]
        limit = min(best - 1, budget)
        cost = int(child.lower_bound)
        for part in range(child.begin, child.begin + child.count):
            if cost > limit:
                break
            cost -= int(memory.parts[part].lower_bound)
            cost += solve(memory, part, limit - cost)
        if control.stop != 0:
            return 0
        if cost <= limit:
            best = cost
            if best <= lowest:
                break
        else:
            store_bound(memory, int(child.key), cost)
        bound = min(bound, cost)
    is_exact = best <= budget
    lowest = best if is_exact else max(lowest, bound)
    store(memory.table, key, lowest, is_exact, bitboard.size_of(memory.boards[index]))
    stack.parts = first_part
    stack.children = first_child
    return lowest


def expand(memory: Memory, index: int, budget: int) -> None:
    """Push the children of a part and their parts, and sort the children."""
    first = int(memory.stack.children)
    generate_picks(memory, index)
    for child in range(first, memory.stack.children):
        if memory.control.stop == 0:
            evaluate(memory, child, budget)
    sort_children(memory, first, int(memory.stack.children))


def sort_children(memory: Memory, begin: int, end: int) -> None:
    """Sort children by their scores, by insertion."""
    children = memory.children
    for index in range(begin, end):
        children[index].rank = index
    for index in range(begin + 1, end):
        chosen = children[index].rank
        score = children[chosen].score
        hole = index
        while hole > begin and children[children[hole - 1].rank].score > score:
            children[hole].rank = children[hole - 1].rank
            hole -= 1
        children[hole].rank = chosen


def generate_picks(memory: Memory, index: int) -> None:
    """Push a child with its board and key for each pick on a part.

    All keys come first, so that the tables' entries have been fetched when they are probed.
    """
    stack, space = memory.stack, memory.space
    board = memory.boards[index]
    bitboard.decode(board, space)
    bitboard.hash_columns(board, space)
    grouped = space.grouped
    for place in range(space.num_kinds):
        kind = int(space.kinds[place])
        count = bitboard.count_of(space.masks, kind * bitboard.WORDS)
        bitboard.find_grouped(kind, space)
        for word in range(bitboard.WORDS):
            while grouped[word] != 0:
                if stack.children + 1 >= len(memory.children):
                    memory.control.stop = FULL
                    return
                cell = int(grouped[word] & -grouped[word])
                bitboard.flood(kind, word, cell, space)
                for other in range(word, bitboard.WORDS):
                    grouped[other] &= ~space.group[other]
                child = memory.children[stack.children]
                child.word = word
                child.cell = cell
                child.kind = kind
                child.removed = bitboard.count_of(space.group, 0)
                child.rest = count - child.removed
                child.key = bitboard.fall(board, memory.child_boards[stack.children], space)
                key = int(child.key)
                bits.prefetch(memory.bounds, tables.bucket(memory.bounds, key, 1, 2))
                bits.prefetch(memory.table, tables.bucket(memory.table, key, WAYS, 2))
                stack.children += 1


def evaluate(memory: Memory, index: int, budget: int) -> None:
    """Set the lower bound and the score of a child and push its parts, if it is within the budget.

    A child that is not has no parts.
    """
    child = memory.children[index]
    child.begin = memory.stack.parts
    child.count = 0
    child.fixed_cost = probe_bound(memory, int(child.key))
    if child.rest == 1:  # the last cell of a digit stays
        child.fixed_cost = max(child.fixed_cost, int(memory.space.weights[child.kind]))
    if child.fixed_cost <= budget:
        divide(memory, index, budget)
    if child.count == 0 and child.fixed_cost > budget:
        child.lower_bound = child.fixed_cost
        child.score = INFINITE


def divide(memory: Memory, index: int, budget: int) -> None:
    """Find the dead cells of a child; if that is within the budget, push its parts."""
    child, board, space = memory.children[index], memory.child_boards[index], memory.space
    bitboard.decode(board, space)
    if memory.stack.parts + space.width + 1 >= len(memory.boards):
        memory.control.stop = FULL
        return
    bitboard.find_dead(bitboard.NO_KIND, space)
    child.fixed_cost = bitboard.build_walls(board, space)
    if child.fixed_cost <= budget:
        residual = bitboard.residual_bound(budget - child.fixed_cost, space)
        if child.fixed_cost + residual > budget:
            child.fixed_cost += residual
    if child.fixed_cost > budget:
        store_bound(memory, int(child.key), int(child.fixed_cost))
        return
    push_parts(memory, index)
    child.lower_bound = child.fixed_cost
    for part in range(child.begin, child.begin + child.count):
        child.lower_bound += memory.parts[part].lower_bound
    child.score = child.lower_bound * 50 + bitboard.ordering_score(space)


def push_parts(memory: Memory, index: int) -> None:
    """Push the parts of a child whose board was decoded."""
    stack, space = memory.stack, memory.space
    child, board = memory.children[index], memory.child_boards[index]
    if space.width == 0:
        return
    if bitboard.count_of(space.walls, 0) == 0:
        bitboard.copy(board, memory.boards[stack.parts], len(board))
        push_part(memory, int(child.key))
    else:
        bitboard.link_columns(space)
        begin = 0
        for col in range(space.width):
            if space.links[col] == 0:
                part = memory.boards[stack.parts]
                if bitboard.copy_part(board, part, begin, col + 1, space) > 0:
                    push_part(memory, bitboard.key_of(part, space))
                begin = col + 1
    child.count = stack.parts - child.begin


def push_part(memory: Memory, key: int) -> None:
    """Push a part whose board has been written, with its key and known lower bound."""
    part = memory.parts[memory.stack.parts]
    part.key = key
    known = probe(memory.table, key)
    part.lower_bound = 0 if known == UNKNOWN else known >> COST_SHIFT
    memory.stack.parts += 1


def set_root(memory: Memory, cells: Ints, stride: int, budget: int) -> int:
    """Make a board of bytes the first child, with its parts at the bottom; return their number.

    The caller solves the parts: compiled code that calls ``solve``, which calls itself, crashes
    when it comes from Numba's cache on disk (0.68).
    """
    memory.stack.parts = 0
    memory.stack.children = 1
    child = memory.children[0]
    bitboard.pack(cells, stride, memory.child_boards[0], memory.space)
    child.key = bitboard.key_of(memory.child_boards[0], memory.space)
    child.rest = 0
    evaluate(memory, 0, budget)
    return int(memory.stack.parts)


def extract_line(memory: Memory, cells: Ints, stride: int, cost: int, line: Ints) -> int:
    """Write the picks of a line of just this cost, as far as the tables know it; return the number.

    The picks are cells of boards of bytes, as the first one is.
    """
    space, board = memory.space, memory.boards[0]
    bitboard.pack(cells, stride, board, space)
    count = 0
    while True:
        memory.stack.children = 0
        generate_picks(memory, 0)
        index = int(memory.stack.children)
        while index > 0 and known_cost(memory, index - 1, cost) > cost:
            index -= 1
        if index == 0:
            return count
        child = memory.children[index - 1]
        bit = bits.lowest(int(child.cell))
        col = int(child.word) * space.cols_per_word + space.column_of_bit[bit]
        line[count] = (col + 1) * stride + bit - space.shift[col]
        count += 1
        cost -= int(child.fixed_cost)
        bitboard.copy(memory.child_boards[index - 1], board, len(board))


def known_cost(memory: Memory, index: int, budget: int) -> int:
    """Return the cost of a child as the tables know it, INFINITE if that of a part is not exact."""
    memory.stack.parts = 1
    evaluate(memory, index, budget)
    for part in range(1, memory.stack.parts):
        known = probe(memory.table, int(memory.parts[part].key))
        if known == UNKNOWN or known & EXACT == 0:
            return INFINITE
    return int(memory.children[index].lower_bound)


def best_score(memory: Memory, index: int) -> int:
    """Return the most that SameGame gives from a board on, by exhaustive search.

    The result is meaningless once ``stop`` is set.
    """
    stack, control, space = memory.stack, memory.control, memory.space
    key = bitboard.key_of(memory.boards[index], space)
    known = probe(memory.table, key)
    if known != UNKNOWN:
        return (known >> COST_SHIFT) - OFFSET
    first = int(stack.children)
    generate_picks(memory, index)
    end = int(stack.children)
    if end == first:
        return bitboard.final_bonus(space)
    byte_board.count_node(control)
    if index + 1 >= len(memory.boards):
        control.stop = FULL
    best = -OFFSET
    for child in range(first, end):
        if control.stop != 0:
            return 0
        board = memory.child_boards[child]
        bitboard.copy(board, memory.boards[index + 1], len(board))
        score = (int(memory.children[child].removed) - 2) ** 2
        best = max(best, score + best_score(memory, index + 1))
    if control.stop == 0:
        size = bitboard.size_of(memory.boards[index])
        store(memory.table, key, best + OFFSET, True, size)
    stack.children = first
    return best

"""Exact search over a board that is cut in two, by dynamic programming over the interface.

A pair of beliefs, one of each half (see ``half_board``), stands for all boards that a sequence of
symbols leads to.  Symbols of both halves are *compatible* if together they are one whole group.
All pairs that compatible symbols lead to are expanded once; the least cost of a pair is the cost of
the board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import chance, position, tables
from gridhouse.games.collapse.solver.kernels import byte_board, half_board

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.core.arrays import Ints
    from gridhouse.games.collapse.solver.kernels.byte_board import Control
    from gridhouse.games.collapse.solver.kernels.half_board import Half
    from gridhouse.games.collapse.solver.types import Records, Zeros

INITIAL_SIZE = 1 << 10  # entries of each array
COMPONENT = (1 << half_board.COMPONENT_BITS) - 1
RIGHT = (1 << 32) - 1  # the bits of the right belief in a key
LEFT_SHIFT = 32


class Progress(position.Position):
    """The number of pairs, the number that has been expanded, and the best pair."""

    progress = position.field("int8")
    is_full = position.field("int8")
    pairs = position.field("int64")
    expanded = position.field("int64")
    best = position.field("int64")


class Pair(position.Position):
    """How a pair was reached first: from which pair, by which symbols, EPSILON for none."""

    pair = position.field("int8")
    parent = position.field("int32")
    left_symbol = position.field("int32")
    right_symbol = position.field("int32")


class Pairs(NamedTuple):
    """Pairs by number.  A key is the number of the left belief, shifted, and of the right one."""

    records: Sequence[Pair]
    keys: Ints
    slots: Ints


class Memory(NamedTuple):
    """The memory of a search: both halves, and their pairs of beliefs."""

    left: Half
    right: Half
    progress: Progress
    pairs: Pairs


def make_memory(zeros: Zeros, to_records: Records) -> Memory:
    """Return the memory of a search, small to begin with."""
    size = INITIAL_SIZE
    return Memory(
        left=half_board.make_half(size, zeros, to_records),
        right=half_board.make_half(size, zeros, to_records),
        progress=to_records(Progress())[0],
        pairs=Pairs(to_records(Pair(), size), zeros(size, "int64"), zeros(2 * size, "int32")),
    )


def begin(memory: Memory, left: int, right: int, control: Control) -> bool:
    """Add the pair of the initial beliefs, given all cells of both halves.

    Returns whether there was room, and the search goes on.
    """
    first = half_board.initial_belief(left, memory.left, control)
    second = half_board.initial_belief(right, memory.right, control)
    if first < 0 or second < 0:
        return False
    return add_pair(memory, first, second, half_board.EPSILON, half_board.EPSILON, control)


def search(memory: Memory, control: Control) -> None:
    """Expand pairs until none is left, the search is stopped, or an array has no room.

    Pauses at each pair that costs less than ``best`` of the control, which it lowers.
    """
    progress = memory.progress
    best = control.best
    while progress.expanded < progress.pairs and control.stop == 0 and control.best == best:
        byte_board.count_node(control)
        if not expand(memory, int(progress.expanded), control):
            return
        progress.expanded += 1


def expand(memory: Memory, index: int, control: Control) -> bool:
    """Add all successors of a pair; return whether there was room, and the search goes on."""
    left, right = memory.left, memory.right
    key = int(memory.pairs.keys[index])
    first, second = key >> LEFT_SHIFT, key & RIGHT
    if not (
        half_board.list_transitions(first, left) and half_board.list_transitions(second, right)
    ):
        return False
    here, there = left.beliefs.records[first], right.beliefs.records[second]
    replies = range(there.first_transition, there.first_transition + there.transitions)
    for call in range(here.first_transition, here.first_transition + here.transitions):
        code = half_board.code_at(call, left)
        own = half_board.interface_rows(code & half_board.KIND, int(here.interface), left)
        near = half_board.interface_rows(code & half_board.KIND, int(there.interface), right)
        if code & half_board.ALONE != 0:
            is_whole = near & half_board.symbol_rows(code) == 0
            if is_whole and not add_successors(memory, index, call, half_board.NOTHING, control):
                return False
            continue
        for reply in replies:
            other = half_board.code_at(reply, right)
            if other & (half_board.KIND | half_board.ALONE) == code & half_board.KIND:
                is_whole = are_compatible(code, other, own, near)
                if is_whole and not add_successors(memory, index, call, reply, control):
                    return False
    for reply in replies:
        code = half_board.code_at(reply, right)
        own = half_board.interface_rows(code & half_board.KIND, int(here.interface), left)
        is_whole = code & half_board.ALONE != 0 and own & half_board.symbol_rows(code) == 0
        if is_whole and not add_successors(memory, index, half_board.NOTHING, reply, control):
            return False
    return True


def add_successors(memory: Memory, index: int, call: int, reply: int, control: Control) -> bool:
    """Add the successors of a pair by a transition of each half, or NOTHING of one of them.

    Returns whether there was room, and the search goes on.
    """
    left, right = memory.left, memory.right
    key = int(memory.pairs.keys[index])
    first, second = key >> LEFT_SHIFT, key & RIGHT
    lefts = half_board.count_successors(first, call, left, control)
    rights = half_board.count_successors(second, reply, right, control)
    if lefts == half_board.NOTHING or rights == half_board.NOTHING:
        return False
    left_symbol = half_board.symbol_at(call, left)
    right_symbol = half_board.symbol_at(reply, right)
    for here in range(lefts):
        for there in range(rights):
            one = half_board.successor_at(first, call, here, left)
            other = half_board.successor_at(second, reply, there, right)
            if not add_pair(memory, one, other, left_symbol, right_symbol, control):
                return False
    return True


def add_pair(
    memory: Memory, left: int, right: int, left_symbol: int, right_symbol: int, control: Control
) -> bool:
    """Add a successor of the pair that is expanded unless it is known; return whether it fits."""
    progress, pairs = memory.progress, memory.pairs
    key = (left << LEFT_SHIFT) | right
    slot = tables.find_slot(pairs.slots, pairs.keys, key, chance.zobrist(key))
    if pairs.slots[slot] != 0:
        return True
    index = int(progress.pairs)
    if index == len(pairs.keys):
        progress.is_full = 1
        return False
    pairs.slots[slot] = index + 1
    pairs.keys[index] = key
    progress.pairs += 1
    new = pairs.records[index]
    new.parent = progress.expanded
    new.left_symbol = left_symbol
    new.right_symbol = right_symbol
    cost = int(memory.left.beliefs.records[left].least_cost)
    cost += int(memory.right.beliefs.records[right].least_cost)
    if cost < control.best:
        control.best = cost
        progress.best = index
    return True


# Groups over both halves.


def are_compatible(code: int, reply: int, own: int, near: int) -> bool:
    """Tell whether the symbols of these codes are one whole group.

    ``own`` and ``near`` are the rows of all cells of its kind on the interfaces.
    """
    here, there = half_board.symbol_rows(code), half_board.symbol_rows(reply)
    if here & there == 0 or near & here & ~there != 0 or own & there & ~here != 0:
        return False
    if code >> half_board.COMPONENTS_SHIFT == 0 and reply >> half_board.COMPONENTS_SHIFT == 0:
        return True  # one component each
    reached = here & -here
    while True:
        here_reached = connected_rows(code, reached)
        there_reached = connected_rows(reply, here_reached)
        if here_reached | (there_reached & here) == reached:
            return reached == here and there_reached == there
        reached = here_reached | (there_reached & here)


def connected_rows(code: int, rows: int) -> int:
    """Return the rows of all components of a symbol that have one of some rows."""
    touched = 0
    for _ in range(2):  # first collects the components, then their rows
        result = 0
        shift = half_board.COMPONENTS_SHIFT
        rest = half_board.symbol_rows(code)
        while rest != 0:
            start = rest & -rest
            run = rest & ~(rest + start)
            rest ^= run
            component = (code >> shift) & COMPONENT
            if run & rows != 0:
                touched |= 1 << component
            if touched >> component & 1 != 0:
                result |= run
            shift += half_board.COMPONENT_BITS
    return result

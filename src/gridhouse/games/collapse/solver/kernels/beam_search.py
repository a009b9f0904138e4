"""Beam search (Lowerre, 1976): the most promising boards after each number of picks.

Equal boards and mirror images count once, by their keys (Zobrist, 1970).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import chance, position, tables
from gridhouse.games.collapse.solver.kernels import byte_board, dead_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.core.arrays import Ints
    from gridhouse.games.collapse.solver.kernels.byte_board import Context, Control, Scratch
    from gridhouse.games.collapse.solver.types import Records, Zeros

HOPELESS = -1  # the value of a board that cannot lead to a better line
OFFSET = 1 << 40  # keeps values positive
MOST_CANDIDATES = 200_000  # all later ones of a layer are skipped
NOISE_BITS = 10  # below a value: equal values are ordered at random

# The linear value: per point that must be left, per point of an isolated cell, per isolated cell.
DEAD_POINT = 50
ISOLATED_POINT = 2
ISOLATED_CELL = 2

# SameGame's value: percent of the squared number of cells of a digit, of the tabu digit; per
# isolated cell, per group, and for a board that cannot be cleared.
SQUARE_PERCENT = 90
TABU_PERCENT = 100
ISOLATED = 20
GROUP = 20
NOT_CLEARABLE = 1000


class Candidate(position.Position):
    """A board that the next layer may keep, as a pick on a board of this layer."""

    candidate = position.field("int8")
    parent = position.field("int32")
    cell = position.field("int32")
    value = position.field("int64")
    gain = position.field("int64")


class Memory(NamedTuple):
    """The memory of a beam search, for a width, a size of board and a number of picks."""

    boards: Sequence[Sequence[Ints]]  # of two layers, and room for a child
    gains: Sequence[Ints]  # by layer modulo 2 and place: points scored
    parents: Sequence[Ints]  # by layer and place: the place of the parent
    cells: Sequence[Ints]  # by layer and place: the cell picked on the parent
    candidates: Sequence[Candidate]
    keys: Ints  # of the candidates,
    slots: Ints  # and their hash set
    order: Ints  # indices of candidates, the best first; while expanding, a cell of each group
    line: Ints  # the cells picked in the best line
    context: Context


def make_memory(
    width: int, cells: int, size: int, context: Context, zeros: Zeros, to_records: Records
) -> Memory:
    """Return memory for beams of a width on boards of ``cells`` cells in ``size`` bytes."""
    picks = cells // 2 + 1
    candidates = min(width * picks, max(MOST_CANDIDATES, 4 * width)) + 1
    slots = 2
    while slots < 2 * candidates:
        slots *= 2
    return Memory(
        boards=zeros((3, width, size), "int8"),
        gains=zeros((2, width), "int64"),
        parents=zeros((picks, width), "int32"),
        cells=zeros((picks, width), "int32"),
        candidates=to_records(Candidate(), candidates),
        keys=zeros(candidates, "int64"),
        slots=zeros(slots, "int32"),
        order=zeros(candidates, "int32"),
        line=zeros(picks, "int32"),
        context=context,
    )


def search(memory: Memory, width: int) -> None:
    """Search from the first board of the first layer; keep at most ``width`` boards a layer."""
    control = memory.context.control
    count = 1
    layer = 0
    while count > 0 and control.stop == 0 and control.best > control.target:
        found = expand(memory, layer, count)
        count = select(memory, found, width)
        advance(memory, layer, count)
        layer += 1


def expand(memory: Memory, layer: int, count: int) -> int:
    """List the children of a layer's boards as candidates; return the number of candidates."""
    stride, scratch, control = memory.context
    for slot in range(len(memory.slots)):
        memory.slots[slot] = 0
    found = 0
    child = memory.boards[2][0]
    for parent in range(count):
        board = memory.boards[layer % 2][parent]
        groups = byte_board.find_groups(board, stride, scratch)
        for group in range(groups):  # copied: each child overwrites the list of groups
            memory.order[group] = scratch.members[scratch.start[group]]
        for group in range(groups):
            if found >= len(memory.candidates) or control.stop != 0:
                return found
            cell = int(memory.order[group])
            for at in range(len(child)):
                child[at] = board[at]
            size = byte_board.remove_group(child, stride, cell, scratch)
            byte_board.count_node(control)
            gain = int(memory.gains[layer % 2][parent]) + (size - 2) ** 2
            found += add_candidate(memory, layer, parent, cell, gain, found)
    return found


def add_candidate(memory: Memory, layer: int, parent: int, cell: int, gain: int, found: int) -> int:
    """Make the child a candidate, or note the end of a line; return the number of new candidates.

    A board that is a candidate already keeps the better one of its two gains.
    """
    stride, scratch, control = memory.context
    child = memory.boards[2][0]
    key = byte_board.board_key(child, stride, scratch)
    slot = tables.find_slot(memory.slots, memory.keys, key, key)
    if memory.slots[slot] != 0:
        known = memory.candidates[memory.slots[slot] - 1]
        if gain > known.gain:
            known.value -= (gain - known.gain) << NOISE_BITS
            known.gain = gain
            known.parent = parent
            known.cell = cell
        return 0
    groups = byte_board.find_groups(child, stride, scratch)
    if groups == 0:
        cost = byte_board.final_cost(gain, scratch, control)
        if cost < control.best:
            control.best = cost
            record_line(memory, layer, parent, cell)
        return 0
    dead = 0 if control.ignores_dead else dead_cells.find_dead(child, stride, scratch)
    value = evaluate(child, gain, groups, dead, scratch, control)
    if value == HOPELESS:
        return 0
    memory.slots[slot] = found + 1
    memory.keys[found] = key
    candidate = memory.candidates[found]
    candidate.value = (value << NOISE_BITS) + chance.randbelow(control, 1 << NOISE_BITS)
    candidate.gain = gain
    candidate.parent = parent
    candidate.cell = cell
    return 1


def evaluate(
    child: Ints, gain: int, groups: int, dead: int, scratch: Scratch, control: Control
) -> int:
    """Return the value of a board, lower values being better, or HOPELESS."""
    if control.scoring == byte_board.LINEAR:
        return evaluate_linear(child, dead, scratch, control)
    value = GROUP * groups - gain
    for kind in range(1, byte_board.KINDS):
        count = int(scratch.counts[kind])
        percent = TABU_PERCENT if kind == control.tabu else SQUARE_PERCENT
        value -= count * count * percent // 100
    value += int(scratch.counts[2 * byte_board.KINDS]) * ISOLATED
    if dead > 0:
        value += NOT_CLEARABLE
    return value + OFFSET


def evaluate_linear(child: Ints, dead: int, scratch: Scratch, control: Control) -> int:
    """Return the value of a board where only the points left at the end count."""
    cost = 0
    for index in range(dead):
        cost += int(control.weights[int(child[scratch.isolated[index]])])
    if cost >= control.best:
        return HOPELESS
    value = cost * DEAD_POINT
    for kind in range(1, byte_board.KINDS):
        isolated = int(scratch.counts[byte_board.KINDS + kind])
        value += isolated * (ISOLATED_POINT * int(control.weights[kind]) + ISOLATED_CELL)
    return value


def select(memory: Memory, found: int, width: int) -> int:
    """Move the best candidates to the front of ``order``; return the number that is kept."""
    order, candidates = memory.order, memory.candidates
    for index in range(found):
        order[index] = index
    if found <= width:
        return found
    low = 0
    high = found - 1
    while low < high:  # quickselect (Hoare, 1961)
        pivot = candidates[order[(low + high) // 2]].value
        left = low
        right = high
        while left <= right:
            while candidates[order[left]].value < pivot:
                left += 1
            while candidates[order[right]].value > pivot:
                right -= 1
            if left <= right:
                swapped = order[left]
                order[left] = order[right]
                order[right] = swapped
                left += 1
                right -= 1
        if width - 1 <= right:
            high = right
        elif width - 1 >= left:
            low = left
        else:
            break
    return width


def advance(memory: Memory, layer: int, count: int) -> None:
    """Make the boards of the next layer from the candidates that are kept."""
    stride, scratch, _ = memory.context
    side = layer % 2
    for place in range(count):
        candidate = memory.candidates[memory.order[place]]
        board = memory.boards[1 - side][place]
        parent = memory.boards[side][candidate.parent]
        for at in range(len(board)):
            board[at] = parent[at]
        byte_board.remove_group(board, stride, candidate.cell, scratch)
        memory.gains[1 - side][place] = candidate.gain
        memory.parents[layer][place] = candidate.parent
        memory.cells[layer][place] = candidate.cell


def record_line(memory: Memory, layer: int, parent: int, cell: int) -> None:
    """Write the picks that lead to a child into the best line."""
    memory.context.control.length = layer + 1
    memory.line[layer] = cell
    while layer > 0:
        layer -= 1
        memory.line[layer] = memory.cells[layer][parent]
        parent = memory.parents[layer][parent]

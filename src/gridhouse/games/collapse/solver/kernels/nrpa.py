"""Nested rollout policy adaptation (Rosin, 2011), for either score.

A playout draws picks with probabilities proportional to their weights in a policy.  A level plays
many playouts of the level below and adapts its policy towards the best one.  A pick's code is made
of its size and the start place of its first tile, so that it stays the same while the board falls.

The policy is selective (Cazenave, 2016): groups of the tabu digit are picked last, so that they
grow together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import chance
from gridhouse.games.collapse.solver.kernels import byte_board

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.core.arrays import Floats, Ints
    from gridhouse.games.collapse.solver.kernels.byte_board import Context, Control
    from gridhouse.games.collapse.solver.types import Zeros

LOWEST = -(1 << 60)
RATE = 1.0  # of learning
SIZES = 64  # of groups that codes distinguish; larger groups count as the last one
RESOLUTION = 1 << 30  # of a random number between 0 and 1
POLICY_SIZE = 1 << 15  # codes; different picks may share one
LEAST_WEIGHT = 1e-100
MOST_WEIGHT = 1e100


class Memory(NamedTuple):
    """The memory of a nested search.

    Row 0 of an array by level is the current playout.  ``cells`` and ``lengths`` have one row more
    than there are levels, for the best line of all.
    """

    board: Ints
    column: Ints  # by cell: its column
    tiles: Ints  # by cell: the place at the start of the tile that lies there
    policies: Sequence[Floats]  # by level and code: the weight
    codes: Sequence[Sequence[Ints]]  # by level, step and choice
    counts: Sequence[Ints]  # by level and step: the number of choices
    chosen: Sequence[Ints]  # by level and step: the choice that was picked
    cells: Sequence[Ints]  # by level and step: a cell of the group picked
    lengths: Ints  # by level: the number of steps
    best: Ints  # by level: the score of the best playout
    rounds: Ints  # by level: the playouts of the level below so far
    sums: Floats  # cumulated weights of a step's choices
    groups: Ints  # by choice of a step: the group
    factors: Sequence[Floats]  # by step and choice: what a weight is multiplied by
    firsts: (
        Ints  # by group: its first cell, its size, its first and last column, its kind, its code
    )
    sizes: Ints
    first_cols: Ints
    last_cols: Ints
    kinds: Ints
    group_codes: Ints
    context: Context


def make_memory(
    levels: int, cells: int, size: int, choices: int, context: Context, zeros: Zeros
) -> Memory:
    """Return memory for boards of ``cells`` cells in ``size`` bytes.

    Further groups of a step than ``choices`` are not considered.
    """
    picks = cells // 2 + 1
    rows = levels + 2
    return Memory(
        board=zeros(size, "int8"),
        column=zeros(size, "int32"),
        tiles=zeros(size, "int32"),
        policies=zeros((levels + 1, POLICY_SIZE), "float64"),
        codes=zeros((levels + 1, picks, choices), "int32"),
        counts=zeros((levels + 1, picks), "int32"),
        chosen=zeros((levels + 1, picks), "int32"),
        cells=zeros((rows, picks), "int32"),
        lengths=zeros(rows, "int32"),
        best=zeros(rows, "int64"),
        rounds=zeros(rows, "int32"),
        sums=zeros(choices, "float64"),
        groups=zeros(choices, "int32"),
        factors=zeros((picks, choices), "float64"),
        firsts=zeros(picks, "int32"),
        sizes=zeros(picks, "int32"),
        first_cols=zeros(picks, "int32"),
        last_cols=zeros(picks, "int32"),
        kinds=zeros(picks, "int32"),
        group_codes=zeros(picks, "int32"),
        context=context,
    )


def search(memory: Memory, start: Ints, rounds: int) -> None:
    """Search from a board until the top level has had its rounds, each of as many one level below.

    It ends before if it is stopped or at its target.
    """
    stride, _, control = memory.context
    top = len(memory.policies) - 1
    for at in range(len(start)):
        memory.column[at] = at // stride
    for level in range(top + 1):
        memory.best[level] = LOWEST
        memory.rounds[level] = 0
        for code in range(len(memory.policies[level])):
            memory.policies[level][code] = 1.0
    while memory.rounds[top] < rounds and control.stop == 0 and control.best > control.target:
        score = playout(memory, start)
        byte_board.count_node(control)
        if -score < control.best:
            control.best = -score
            record_line(memory)
        if score >= memory.best[1]:
            memory.best[1] = score
            copy_best(memory, 0, 1)
        adapt(memory, 1)
        memory.rounds[1] += 1
        level = 1
        while level < top and memory.rounds[level] >= rounds:
            end_level(memory, level)
            level += 1


def copy_policy_down(memory: Memory, level: int) -> None:
    """Copy a level's policy to all levels below it."""
    for lower in range(1, level):
        for code in range(len(memory.policies[lower])):
            memory.policies[lower][code] = memory.policies[level][code]


def record_line(memory: Memory) -> None:
    """Keep the current playout as the best line of all."""
    memory.context.control.length = memory.lengths[0]
    last = len(memory.cells) - 1
    for step in range(memory.lengths[0]):
        memory.cells[last][step] = memory.cells[0][step]


def end_level(memory: Memory, level: int) -> None:
    """End a level's rounds: the level above adapts to their best and hands its policy down."""
    above = level + 1
    if memory.best[level] >= memory.best[above]:
        memory.best[above] = memory.best[level]
        copy_best(memory, level, above)
    adapt(memory, above)
    memory.rounds[above] += 1
    memory.rounds[level] = 0
    memory.best[level] = LOWEST
    copy_policy_down(memory, above)


def playout(memory: Memory, start: Ints) -> int:
    """Play a game by the policy of the lowest level and return its score."""
    stride, scratch, control = memory.context
    board, tiles = memory.board, memory.tiles
    for at in range(len(board)):
        board[at] = start[at]
        tiles[at] = at if start[at] != 0 else 0
    width = byte_board.width_of(board, stride)
    groups = find_groups(memory, 1, width, 0)
    gain = 0
    length = 0
    while groups > 0:
        pick = choose(memory, groups, length)
        group = int(memory.groups[pick])
        memory.chosen[0][length] = pick
        memory.cells[0][length] = memory.firsts[group]
        gain += (int(memory.sizes[group]) - 2) ** 2
        length += 1
        low, high = int(memory.first_cols[group]) - 1, int(memory.last_cols[group]) + 1
        stamp = byte_board.next_stamp(scratch)
        byte_board.flood(board, stride, int(memory.firsts[group]), 0, stamp, scratch)
        fall(memory, low + 1, high - 1, stamp)
        before = width
        while width > 0 and board[width * stride] == 0:
            width -= 1
        groups = keep_groups(memory, low, high, groups, before - width)
        high = min(high - before + width, width)
        groups = find_groups(memory, max(low, 1), high, groups)
    memory.lengths[0] = length
    byte_board.find_groups(board, stride, scratch)  # counts what is left
    return -byte_board.final_cost(gain, scratch, control)


def fall(memory: Memory, low: int, high: int, stamp: int) -> None:
    """Remove the cells that hold a stamp from columns ``low`` to ``high``, and let all others fall.

    Moves tiles as well, and writes only cells that move: playouts spend much of their time here.
    """
    stride, scratch, _ = memory.context
    board, seen = memory.board, scratch.seen
    target = low * stride
    for col in range(low, high + 1):
        if sink(memory, col * stride, target, stamp, seen) > target:
            target += stride
    base = (high + 1) * stride
    while target < base and board[base] != 0:
        sink(memory, base, target, stamp, seen)
        base += stride
        target += stride


def sink(memory: Memory, at: int, level: int, stamp: int, seen: Ints) -> int:
    """Move a column to a place, without the cells that hold a stamp; return where it ends."""
    board, tiles = memory.board, memory.tiles
    while board[at] != 0:
        kind = board[at]
        if seen[at] == stamp:
            board[at] = 0
        elif level != at:
            board[at] = 0
            board[level] = kind
            tiles[level] = tiles[at]
            level += 1
        else:
            level += 1
        at += 1
    return level


def keep_groups(memory: Memory, low: int, high: int, groups: int, vanished: int) -> int:
    """Drop the groups that reach into columns ``low`` to ``high``; return the number that is left.

    Groups to the right move by the number of columns that have vanished.
    """
    stride = memory.context.stride
    firsts, sizes, first_cols, last_cols = (
        memory.firsts,
        memory.sizes,
        memory.first_cols,
        memory.last_cols,
    )
    kept = 0
    for group in range(groups):
        moved = vanished if first_cols[group] > high else 0
        if last_cols[group] < low or first_cols[group] > high:
            firsts[kept] = firsts[group] - moved * stride
            sizes[kept] = sizes[group]
            first_cols[kept] = first_cols[group] - moved
            last_cols[kept] = last_cols[group] - moved
            memory.kinds[kept] = memory.kinds[group]
            memory.group_codes[kept] = memory.group_codes[group]
            kept += 1
    return kept


def find_groups(memory: Memory, low: int, high: int, groups: int) -> int:
    """Append the groups that reach into columns ``low`` to ``high``; return the new number."""
    stride, scratch, _ = memory.context
    board = memory.board
    stamp = byte_board.next_stamp(scratch)
    for col in range(low, high + 1):
        at = col * stride
        while board[at] != 0:
            kind = board[at]
            if scratch.seen[at] != stamp and (
                # Had it an equal neighbour below, it would have been seen.
                board[at + 1] == kind or board[at + stride] == kind or board[at - stride] == kind
            ):
                end = byte_board.flood(board, stride, at, 0, stamp, scratch)
                first = last = at
                for index in range(1, end):
                    first = min(first, int(scratch.members[index]))
                    last = max(last, int(scratch.members[index]))
                memory.firsts[groups] = first
                memory.sizes[groups] = end
                memory.first_cols[groups] = memory.column[first]
                memory.last_cols[groups] = memory.column[last]
                memory.kinds[groups] = kind
                code = int(memory.tiles[first]) * SIZES + min(end, SIZES - 1)
                memory.group_codes[groups] = code & (len(memory.policies[0]) - 1)
                groups += 1
            at += 1
    return groups


def choose(memory: Memory, groups: int, length: int) -> int:
    """List the choices of a step and draw one of them."""
    count = list_choices(memory, groups, length, False)
    if count == 0:
        count = list_choices(memory, groups, length, True)
    memory.counts[0][length] = count
    return draw_choice(memory, count, memory.context.control)


def list_choices(memory: Memory, groups: int, length: int, is_tabu: bool) -> int:
    """List the groups of the tabu digit, or of the others; return the number of choices."""
    policy = memory.policies[1]
    codes = memory.codes[0][length]
    tabu = int(memory.context.control.tabu)
    count = 0
    total = 0.0
    for group in range(groups):
        if (memory.kinds[group] == tabu) == is_tabu and count < len(codes):
            code = memory.group_codes[group]
            total += policy[code]
            memory.sums[count] = total
            codes[count] = code
            memory.groups[count] = group
            count += 1
    return count


def draw_choice(memory: Memory, count: int, control: Control) -> int:
    """Draw one of the choices with probabilities proportional to their weights."""
    drawn = memory.sums[count - 1] * (chance.randbelow(control, RESOLUTION) / RESOLUTION)
    pick = 0
    while pick < count - 1 and memory.sums[pick] <= drawn:
        pick += 1
    return pick


def copy_best(memory: Memory, source: int, target: int) -> None:
    """Copy a level's best playout to another level."""
    length = memory.lengths[source]
    memory.lengths[target] = length
    for step in range(length):
        count = memory.counts[source][step]
        memory.counts[target][step] = count
        memory.chosen[target][step] = memory.chosen[source][step]
        for choice in range(count):
            memory.codes[target][step][choice] = memory.codes[source][step][choice]


def adapt(memory: Memory, level: int) -> None:
    """Adapt a level's policy, which holds exponentials of Rosin's weights, to its best playout.

    All probabilities are those of the old policy: the search is much weaker if each step sees the
    changes of the one before.
    """
    policy = memory.policies[level]
    for step in range(memory.lengths[level]):
        codes = memory.codes[level][step]
        count = memory.counts[level][step]
        total = 0.0
        for choice in range(count):
            total += policy[codes[choice]]
        for choice in range(count):
            shift = -RATE * policy[codes[choice]] / total
            if choice == memory.chosen[level][step]:
                shift += RATE
            memory.factors[step][choice] = math.exp(shift)
    for step in range(memory.lengths[level]):
        codes = memory.codes[level][step]
        for choice in range(memory.counts[level][step]):
            changed = policy[codes[choice]] * memory.factors[step][choice]
            policy[codes[choice]] = min(max(changed, LEAST_WEIGHT), MOST_WEIGHT)

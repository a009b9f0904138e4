"""Nested rollout policy adaptation (Rosin, 2011), for either score.

A playout draws picks with probabilities proportional to the weights of a policy; a level plays many
playouts of the level below and shifts its policy towards the best one.  A pick is known by its size
and by its first tile, wherever that has come to lie: what should go together stays the same while
the board falls.

The policy is selective (Cazenave, 2016) where a digit is spared: its groups are left alone while
there is anything else to pick, so that they grow together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core import chance
from gridhouse.games.collapse import _board

if TYPE_CHECKING:
    from gridhouse.games.collapse._board import Work

LOWEST = -(1 << 60)
RATE = 1.0
LARGEST = 64  # groups of this size and more are alike to a policy
FINE = 1 << 30
SLOTS = 1 << 15  # of a policy; choices that share one are alike to it
LEAST = 1e-100  # weights stay within these
MOST = 1e100


class Rollouts(NamedTuple):
    """The memory of a nested search: by level a policy, and the best playout with its choices.

    A playout has a number of choices for each pick; ``slots`` says where their weights are in a
    policy, and ``chosen`` which of them was picked.  Level 0 is the playout itself; the last level
    holds the cells of the best line of all.
    """

    board: Any
    column: Any  # by cell: what column it is in
    tiles: Any  # by cell: where what lies there was at the start
    policies: Any
    slots: Any
    counts: Any
    chosen: Any
    cells: Any
    lengths: Any
    best: Any
    rounds: Any
    sums: Any  # of the weights of a pick's choices so far
    groups: Any  # of a pick's choices
    factors: Any
    firsts: Any  # by group: its first cell, its size, its first and last column, its kind
    sizes: Any
    lefts: Any
    rights: Any
    kinds: Any
    known: Any  # by group: where its weight is in a policy


def make_rollouts(levels: int, cells: int, size: int, choices: int, zeros: Any) -> Rollouts:
    """Return memory for so many levels on boards of so many cells and bytes."""
    picks = cells // 2 + 1
    places = levels + 2
    return Rollouts(
        board=zeros(size, "int8"),
        column=zeros(size, "int32"),
        tiles=zeros(size, "int32"),
        policies=zeros((levels + 1, SLOTS), "float64"),
        slots=zeros((levels + 1, picks, choices), "int32"),
        counts=zeros((levels + 1, picks), "int32"),
        chosen=zeros((levels + 1, picks), "int32"),
        cells=zeros((places, picks), "int32"),
        lengths=zeros(places, "int32"),
        best=zeros(places, "int64"),
        rounds=zeros(places, "int32"),
        sums=zeros(choices, "float64"),
        groups=zeros(choices, "int32"),
        factors=zeros((picks, choices), "float64"),
        firsts=zeros(picks, "int32"),
        sizes=zeros(picks, "int32"),
        lefts=zeros(picks, "int32"),
        rights=zeros(picks, "int32"),
        kinds=zeros(picks, "int32"),
        known=zeros(picks, "int32"),
    )


def search(
    rollouts: Rollouts, start: Any, stride: int, top: int, size: int, work: Work, control: Any
) -> None:
    """Search until the top level is through, stopped or at its target.

    A level has ``size`` rounds of the next.  The level above the top holds the best line's cells.
    """
    for at in range(len(start)):
        rollouts.column[at] = at // stride
    for level in range(top + 1):
        rollouts.best[level] = LOWEST
        rollouts.rounds[level] = 0
        for slot in range(len(rollouts.policies[level])):
            rollouts.policies[level][slot] = 1.0
    while rollouts.rounds[top] < size and control.stop == 0 and control.best > control.target:
        score = playout(rollouts, start, stride, work, control)
        _board.count_node(control)
        if -score < control.best:
            note_line(rollouts, score, control)
        if score >= rollouts.best[1]:
            rollouts.best[1] = score
            keep(rollouts, 0, 1)
        adapt(rollouts, 1)
        rollouts.rounds[1] += 1
        level = 1
        while level < top and rollouts.rounds[level] >= size:
            finish(rollouts, level)
            level += 1


def hand_down(rollouts: Rollouts, level: int) -> None:
    """Give a level's policy to all below it."""
    for lower in range(1, level):
        for slot in range(len(rollouts.policies[lower])):
            rollouts.policies[lower][slot] = rollouts.policies[level][slot]


def note_line(rollouts: Rollouts, score: int, control: Any) -> None:
    """Keep the line of the last playout as the best of all."""
    control.best = -score
    control.length = rollouts.lengths[0]
    last = len(rollouts.cells) - 1
    for step in range(rollouts.lengths[0]):
        rollouts.cells[last][step] = rollouts.cells[0][step]


def finish(rollouts: Rollouts, level: int) -> None:
    """End a level's rounds: the level above learns from its best, and the lower ones from that."""
    above = level + 1
    if rollouts.best[level] >= rollouts.best[above]:
        rollouts.best[above] = rollouts.best[level]
        keep(rollouts, level, above)
    adapt(rollouts, above)
    rollouts.rounds[above] += 1
    rollouts.rounds[level] = 0
    rollouts.best[level] = LOWEST
    hand_down(rollouts, above)


def playout(rollouts: Rollouts, start: Any, stride: int, work: Work, control: Any) -> int:
    """Play a game by the policy of the lowest level and return its score."""
    board, tiles = rollouts.board, rollouts.tiles
    for at in range(len(board)):
        board[at] = start[at]
        tiles[at] = at if start[at] != 0 else 0
    wide = _board.wide_of(board, stride)
    groups = find_groups(rollouts, stride, 1, wide, 0, work)
    gain = 0
    length = 0
    while groups > 0:
        pick = choose(rollouts, groups, length, control)
        group = int(rollouts.groups[pick])
        rollouts.chosen[0][length] = pick
        rollouts.cells[0][length] = rollouts.firsts[group]
        gain += (int(rollouts.sizes[group]) - 2) ** 2
        length += 1
        low, high = int(rollouts.lefts[group]) - 1, int(rollouts.rights[group]) + 1
        stamp = _board.next_stamp(work)
        _board.flood(board, stride, int(rollouts.firsts[group]), 0, stamp, work)
        fall(rollouts, stride, low + 1, high - 1, stamp, work)
        before = wide
        while wide > 0 and board[wide * stride] == 0:
            wide -= 1
        groups = keep_groups(rollouts, stride, low, high, groups, before - wide)
        high = min(high - before + wide, wide)
        groups = find_groups(rollouts, stride, max(low, 1), high, groups, work)
    rollouts.lengths[0] = length
    _board.find_groups(board, stride, work)  # counts what is left
    return -_board.final_value(gain, work, control)


def fall(rollouts: Rollouts, stride: int, low: int, high: int, stamp: int, work: Work) -> None:
    """Take the cells that hold a stamp off some columns, and let the board fall together.

    Other than ``_board.remove`` this moves tiles as well, and writes only what moves: playouts
    spend much of their time here.
    """
    board = rollouts.board
    target = low * stride
    for col in range(low, high + 1):
        if sink(rollouts, col * stride, target, stamp, work) > target:
            target += stride
    base = (high + 1) * stride
    while target < base and board[base] != 0:
        sink(rollouts, base, target, stamp, work)
        base += stride
        target += stride


def sink(rollouts: Rollouts, at: int, level: int, stamp: int, work: Work) -> int:
    """Let a column fall to a place, without the cells that hold a stamp; return where it ends."""
    board, tiles, seen = rollouts.board, rollouts.tiles, work.seen
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


def keep_groups(
    rollouts: Rollouts, stride: int, low: int, high: int, groups: int, vanished: int
) -> int:
    """Drop the groups that reach into some columns, and return how many are left.

    So many of these columns have vanished, so that what is to the right of them has moved.
    """
    firsts, sizes, lefts, rights = rollouts.firsts, rollouts.sizes, rollouts.lefts, rollouts.rights
    kept = 0
    for group in range(groups):
        moved = vanished if lefts[group] > high else 0
        if rights[group] < low or lefts[group] > high:
            firsts[kept] = firsts[group] - moved * stride
            sizes[kept] = sizes[group]
            lefts[kept] = lefts[group] - moved
            rights[kept] = rights[group] - moved
            rollouts.kinds[kept] = rollouts.kinds[group]
            rollouts.known[kept] = rollouts.known[group]
            kept += 1
    return kept


def find_groups(
    rollouts: Rollouts, stride: int, low: int, high: int, groups: int, work: Work
) -> int:
    """List the groups that reach into some columns after the others; return how many there are."""
    board = rollouts.board
    stamp = _board.next_stamp(work)
    for col in range(low, high + 1):
        at = col * stride
        while board[at] != 0:
            kind = board[at]
            if work.seen[at] != stamp and (
                # Had it an equal neighbour below, it would have been seen.
                board[at + 1] == kind or board[at + stride] == kind or board[at - stride] == kind
            ):
                end = _board.flood(board, stride, at, 0, stamp, work)
                first = last = at
                for index in range(1, end):
                    first = min(first, int(work.members[index]))
                    last = max(last, int(work.members[index]))
                rollouts.firsts[groups] = first
                rollouts.sizes[groups] = end
                rollouts.lefts[groups] = rollouts.column[first]
                rollouts.rights[groups] = rollouts.column[last]
                rollouts.kinds[groups] = kind
                slot = int(rollouts.tiles[first]) * LARGEST + min(end, LARGEST - 1)
                rollouts.known[groups] = slot & (rollouts.policies.shape[1] - 1)
                groups += 1
            at += 1
    return groups


def choose(rollouts: Rollouts, groups: int, length: int, control: Any) -> int:
    """List a pick's choices and return which of them is drawn."""
    count = list_choices(rollouts, groups, length, False, control)
    if count == 0:
        count = list_choices(rollouts, groups, length, True, control)
    rollouts.counts[0][length] = count
    return draw_choice(rollouts, count, control)


def list_choices(
    rollouts: Rollouts, groups: int, length: int, is_spared: bool, control: Any
) -> int:
    """List the groups of the spared digit, or the others; return how many are listed."""
    policy = rollouts.policies[1]
    slots = rollouts.slots[0][length]
    spared = int(control.spared)
    count = 0
    total = 0.0
    for group in range(groups):
        if (rollouts.kinds[group] == spared) == is_spared and count < len(slots):
            slot = rollouts.known[group]
            total += policy[slot]
            rollouts.sums[count] = total
            slots[count] = slot
            rollouts.groups[count] = group
            count += 1
    return count


def draw_choice(rollouts: Rollouts, count: int, control: Any) -> int:
    """Draw one of the listed choices by their weights."""
    drawn = rollouts.sums[count - 1] * (chance.randbelow(control, FINE) / FINE)
    pick = 0
    while pick < count - 1 and rollouts.sums[pick] <= drawn:
        pick += 1
    return pick


def keep(rollouts: Rollouts, source: int, target: int) -> None:
    """Let a level's best playout be that of another level."""
    length = rollouts.lengths[source]
    rollouts.lengths[target] = length
    for step in range(length):
        count = rollouts.counts[source][step]
        rollouts.counts[target][step] = count
        rollouts.chosen[target][step] = rollouts.chosen[source][step]
        for choice in range(count):
            rollouts.slots[target][step][choice] = rollouts.slots[source][step][choice]


def adapt(rollouts: Rollouts, level: int) -> None:
    """Shift a level's policy, which holds the weights' exponentials, towards its best playout.

    All probabilities are those of the policy as it was: with those that come of each step in turn
    the search is much weaker.
    """
    policy = rollouts.policies[level]
    for step in range(rollouts.lengths[level]):
        slots = rollouts.slots[level][step]
        count = rollouts.counts[level][step]
        total = 0.0
        for choice in range(count):
            total += policy[slots[choice]]
        for choice in range(count):
            shift = -RATE * policy[slots[choice]] / total
            if choice == rollouts.chosen[level][step]:
                shift += RATE
            rollouts.factors[step][choice] = math.exp(shift)
    for step in range(rollouts.lengths[level]):
        slots = rollouts.slots[level][step]
        for choice in range(rollouts.counts[level][step]):
            changed = policy[slots[choice]] * rollouts.factors[step][choice]
            policy[slots[choice]] = min(max(changed, LEAST), MOST)

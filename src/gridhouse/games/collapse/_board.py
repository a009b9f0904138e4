"""Boards as the solver's kernels hold them, and what all kernels do with them.

A board is a flat array of bytes, column by column from the bottom, 0 for a blank cell, 1 to 10 for
the digits, and 11 for a wall, which belongs to no group.  There is a blank cell above every column
and a blank column at either side, so that the neighbours of a cell are looked up without asking
where the board ends.

Everything here is compiled (see ``core.specialize``), and runs interpreted as well.
"""

from __future__ import annotations

from typing import Any

from gridhouse.core import chance, position

KINDS = 11  # the blank, and the digits from 1
WALL = 11  # in parts of boards: a cell that stays, whatever its digit
MIX = 0x1E3779B97F4A7C15
OTHER_MIX = 0x0F58476D1CE4E5B9
LINEAR = 0
CLEARED = 1000  # what SameGame gives for a cleared board


class Control(position.Position):
    """What a search shares with its caller: limits, the random source, what is best so far.

    ``stop`` may be set from another thread at any time.  ``best`` is the value of the best line,
    to be made as small as possible: what it leaves (linear), or its score with its sign changed.
    With ``target`` a search may end at once.  ``spared`` is the kind that rollouts leave alone.
    """

    control = position.field("int8")
    stop = position.field("int8")
    scoring = position.field("int8")
    spared = position.field("int8")
    hasty = position.field("int8")  # whether a beam does not look for dead cells
    length = position.field("int32")  # of the best line
    s0 = position.field("int64")
    s1 = position.field("int64")
    nodes = position.field("int64")
    limit = position.field("int64")
    best = position.field("int64")
    target = position.field("int64")
    weights = position.field("int64", KINDS + 1)


class Work(position.Position):
    """Scratch memory of one thread; every list has a place for every cell of a board.

    ``members`` holds the cells of the groups, one group after another; group ``g`` begins at
    ``start[g]`` and ends before ``start[g + 1]``.  A cell is ``seen`` if it holds the current
    ``stamp``.  ``counts`` are by kind: all cells, then cells that have no equal neighbour.
    One record, since passing many arrays costs more than what is done with them.
    """

    work = position.field("int8")
    stamp = position.field("int32")
    counts = position.field("int32", 2 * KINDS + 1)
    beside = position.field("int64", KINDS + 1)
    here = position.field("int64", KINDS + 1)
    last = position.field("int32", KINDS + 1)
    seen = position.field("int32", "size")
    members = position.field("int32", "size")
    start = position.field("int32", "size")
    alone = position.field("int32", "size")
    live = position.field("int8", "size")
    columns = position.field("int64", "size")


def next_stamp(work: Work) -> int:
    """Return a stamp that no cell holds yet."""
    stamp = int(work.stamp) + 1
    if stamp >= 0x7FFFFFFF:
        stamp = 1
        for at in range(len(work.seen)):
            work.seen[at] = 0
    work.stamp = stamp
    return stamp


def find_groups(cells: Any, stride: int, work: Work) -> int:
    """Find all groups of two and more cells and return how many there are.

    Counts the cells of each kind, and lists those without an equal neighbour in ``alone``, how many
    they are in the last of ``counts``.
    """
    stamp = next_stamp(work)
    seen, start, counts = work.seen, work.start, work.counts
    for kind in range(2 * KINDS + 1):
        counts[kind] = 0
    groups = 0
    end = 0
    alone = 0
    base = stride
    while cells[base] != 0:
        at = base
        while cells[at] != 0:
            kind = cells[at]
            if seen[at] != stamp and kind != WALL:
                # Had it an equal neighbour below or to the left, it would have been seen.
                if cells[at + 1] == kind or cells[at + stride] == kind:
                    start[groups] = end
                    groups += 1
                    end = flood(cells, stride, at, end, stamp, work)
                else:
                    counts[kind] += 1
                    counts[KINDS + kind] += 1
                    work.alone[alone] = at
                    alone += 1
            at += 1
        base += stride
    start[groups] = end
    counts[2 * KINDS] = alone
    return groups


def flood(cells: Any, stride: int, at: int, end: int, stamp: int, work: Work) -> int:
    """List a cell and all connected equal ones from place ``end`` on; return where they end."""
    seen, members = work.seen, work.members
    kind = cells[at]
    members[end] = at
    seen[at] = stamp
    begin = index = end
    end += 1
    while index < end:
        here = members[index]
        index += 1
        beside = here + 1
        if cells[beside] == kind and seen[beside] != stamp:
            seen[beside] = stamp
            members[end] = beside
            end += 1
        beside = here - 1
        if cells[beside] == kind and seen[beside] != stamp:
            seen[beside] = stamp
            members[end] = beside
            end += 1
        beside = here + stride
        if cells[beside] == kind and seen[beside] != stamp:
            seen[beside] = stamp
            members[end] = beside
            end += 1
        beside = here - stride
        if cells[beside] == kind and seen[beside] != stamp:
            seen[beside] = stamp
            members[end] = beside
            end += 1
    work.counts[kind] += end - begin
    return end


def remove(cells: Any, stride: int, members: Any, begin: int, end: int) -> int:
    """Take the listed cells off the board and let it fall together.

    Returns the first column touched, counted from 1, negative if some column vanished.
    """
    low = len(cells)
    high = 0
    for index in range(begin, end):
        at = int(members[index])
        cells[at] = 0
        low = min(low, at)
        high = max(high, at)
    first = low // stride
    target = first * stride
    emptied = 0
    for col in range(first, high // stride + 1):
        base = col * stride
        level = target
        for at in range(base, base + stride - 1):
            kind = cells[at]
            if kind != 0:
                cells[at] = 0
                cells[level] = kind
                level += 1
        if level > target:
            target += stride
        else:
            emptied += 1
    if emptied > 0:
        base = (high // stride + 1) * stride
        while cells[base] != 0:
            for level in range(stride - 1):
                cells[target + level] = cells[base + level]
                cells[base + level] = 0
            base += stride
            target += stride
        return -first
    return first


def final_bonus(work: Work) -> int:
    """Return what SameGame gives for a board without groups, or takes, with its sign changed."""
    if work.counts[2 * KINDS] == 0:
        return CLEARED
    taken = 0
    for kind in range(1, KINDS):
        count = int(work.counts[kind])
        if count > 0:
            taken += (count - 2) ** 2
    return -taken


def final_value(gain: int, work: Work, control: Any) -> int:
    """Return the value of a board that has no groups, after picks that gained so much.

    That is what it leaves (linear), or the score with its sign changed.
    """
    if control.scoring == LINEAR:
        left = 0
        for kind in range(1, KINDS):
            left += int(work.counts[kind]) * int(control.weights[kind])
        return left
    return -gain - final_bonus(work)


def count_node(control: Any) -> None:
    """Count a node, and stop at the limit."""
    control.nodes += 1
    if control.nodes >= control.limit:
        control.stop = 1


def wide_of(cells: Any, stride: int) -> int:
    """Return how many columns a board has."""
    wide = 0
    while cells[(wide + 1) * stride] != 0:
        wide += 1
    return wide


def board_key(cells: Any, stride: int, work: Work) -> int:
    """Return 61 bits for a board, the same for its mirror image."""
    return columns_key(work.columns, note_columns(cells, stride, work))


def note_columns(cells: Any, stride: int, work: Work) -> int:
    """Note the codes of a board's columns and return how many there are."""
    wide = 0
    base = stride
    while cells[base] != 0:
        code = 0
        at = base
        while cells[at] != 0:
            code = joined(code, int(cells[at]))
            at += 1
        work.columns[wide] = code
        wide += 1
        base += stride
    return wide


def joined(code: int, number: int) -> int:
    """Return the code of some cells from the bottom up and one more."""
    code = ((code + number) * MIX) & chance.KEY
    return code ^ (code >> 29)


def columns_key(codes: Any, wide: int) -> int:
    """Return the key of a board of so many columns with these codes."""
    ahead = 0
    back = 0
    for col in range(wide):
        ahead = ((ahead + int(codes[col])) * OTHER_MIX) & chance.KEY
        ahead ^= ahead >> 31
        back = ((back + int(codes[wide - 1 - col])) * OTHER_MIX) & chance.KEY
        back ^= back >> 31
    return min(ahead, back)

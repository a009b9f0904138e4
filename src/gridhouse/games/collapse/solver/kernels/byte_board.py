"""Boards of bytes: groups, picks and keys, for all searches that look for lines.

A board is a flat array, column by column from the bottom: 0 for a blank cell, 1 to 10 for the
digits, 11 for a wall, which belongs to no group.  A blank cell stands above every column and a
blank column at either side, so that every cell has four neighbours in the array.

``stride`` is the distance between two columns, ``kind`` the number that a cell holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import chance, position

if TYPE_CHECKING:
    from gridhouse.core.arrays import Ints

KINDS = 11  # the blank, and the digits from 1
WALL = 11  # a cell that can never be removed, whatever its digit
MIX = 0x1E3779B97F4A7C15
OTHER_MIX = 0x0F58476D1CE4E5B9
LINEAR = 0
CLEARED = 1000  # what SameGame gives for a cleared board


class Control(position.Position):
    """Limits, random numbers and the best result of a search.

    ``stop`` may be set from another thread at any time.  ``best`` is the cost of the best line:
    points left (linear), or the negated score (SameGame).  A search ends when it reaches the lower
    bound ``target``.  ``tabu`` is the kind that rollouts pick last.
    """

    control = position.field("int8")
    stop = position.field("int8")
    scoring = position.field("int8")
    tabu = position.field("int8")
    ignores_dead = position.field("int8")  # whether a beam leaves out the search for dead cells
    length = position.field("int32")  # of the best line
    s0 = position.field("int64")
    s1 = position.field("int64")
    nodes = position.field("int64")
    limit = position.field("int64")
    best = position.field("int64")
    target = position.field("int64")
    weights = position.field("int64", KINDS + 1)


class Scratch(position.Position):
    """Scratch memory of one thread; every array has an entry for every cell of a board.

    ``members`` holds the cells of all groups; those of group ``g`` begin at ``start[g]`` and end
    before ``start[g + 1]``.  A cell is ``seen`` if it holds the current ``stamp``.  ``isolated``
    cells have no equal neighbour.  ``counts`` has the number of cells of each kind, then the number
    of isolated cells of each kind, then of all isolated cells.  Everything is in one record,
    because to pass many arrays takes longer than to use them.
    """

    scratch = position.field("int8")
    stamp = position.field("int32")
    counts = position.field("int32", 2 * KINDS + 1)
    beside = position.field("int64", KINDS + 1)
    here = position.field("int64", KINDS + 1)
    last = position.field("int32", KINDS + 1)
    seen = position.field("int32", "size")
    members = position.field("int32", "size")
    start = position.field("int32", "size")
    isolated = position.field("int32", "size")
    live = position.field("int8", "size")
    columns = position.field("int64", "size")


class Context(NamedTuple):
    """What a search over boards of bytes works with."""

    stride: int
    scratch: Scratch
    control: Control


def next_stamp(scratch: Scratch) -> int:
    """Return a stamp that no cell holds yet, so that no cell is seen."""
    stamp = int(scratch.stamp) + 1
    if stamp >= 0x7FFFFFFF:
        stamp = 1
        for at in range(len(scratch.seen)):
            scratch.seen[at] = 0
    scratch.stamp = stamp
    return stamp


def find_groups(cells: Ints, stride: int, scratch: Scratch) -> int:
    """List the groups of two and more cells and the isolated cells; return the number of groups."""
    stamp = next_stamp(scratch)
    seen, start, counts = scratch.seen, scratch.start, scratch.counts
    for kind in range(2 * KINDS + 1):
        counts[kind] = 0
    groups = 0
    end = 0
    isolated = 0
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
                    end = flood(cells, stride, at, end, stamp, scratch)
                else:
                    counts[kind] += 1
                    counts[KINDS + kind] += 1
                    scratch.isolated[isolated] = at
                    isolated += 1
            at += 1
        base += stride
    start[groups] = end
    counts[2 * KINDS] = isolated
    return groups


def flood(cells: Ints, stride: int, at: int, end: int, stamp: int, scratch: Scratch) -> int:
    """List the group of a cell in ``members`` from ``end`` on; return the end of the list."""
    seen, members = scratch.seen, scratch.members
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
    scratch.counts[kind] += end - begin
    return end


def remove_group(cells: Ints, stride: int, cell: int, scratch: Scratch) -> int:
    """Pick the group of a cell: remove it, let cells fall and close gaps; return its size."""
    size = flood(cells, stride, cell, 0, next_stamp(scratch), scratch)
    low = len(cells)
    high = 0
    for index in range(size):
        at = int(scratch.members[index])
        cells[at] = 0
        low = min(low, at)
        high = max(high, at)
    target = low // stride * stride
    is_emptied = False
    for col in range(low // stride, high // stride + 1):
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
            is_emptied = True
    if is_emptied:
        base = (high // stride + 1) * stride
        while cells[base] != 0:
            for level in range(stride - 1):
                cells[target + level] = cells[base + level]
                cells[base + level] = 0
            base += stride
            target += stride
    return size


def final_bonus(scratch: Scratch) -> int:
    """Return SameGame's bonus for a board without groups: positive if it is empty."""
    if scratch.counts[2 * KINDS] == 0:
        return CLEARED
    taken = 0
    for kind in range(1, KINDS):
        count = int(scratch.counts[kind])
        if count > 0:
            taken += (count - 2) ** 2
    return -taken


def final_cost(gain: int, scratch: Scratch, control: Control) -> int:
    """Return the cost of a line that ends at a board without groups; its picks scored ``gain``."""
    if control.scoring == LINEAR:
        left = 0
        for kind in range(1, KINDS):
            left += int(scratch.counts[kind]) * int(control.weights[kind])
        return left
    return -gain - final_bonus(scratch)


def count_node(control: Control) -> None:
    """Count a node; set ``stop`` at the limit."""
    control.nodes += 1
    if control.nodes >= control.limit:
        control.stop = 1


def width_of(cells: Ints, stride: int) -> int:
    """Return the number of columns."""
    width = 0
    while cells[(width + 1) * stride] != 0:
        width += 1
    return width


def board_key(cells: Ints, stride: int, scratch: Scratch) -> int:
    """Return a 61-bit hash of a board and its mirror image."""
    return key_of_hashes(scratch.columns, hash_columns(cells, stride, scratch))


def hash_columns(cells: Ints, stride: int, scratch: Scratch) -> int:
    """Write a hash of each column into ``columns``; return the number of columns."""
    width = 0
    base = stride
    while cells[base] != 0:
        code = 0
        at = base
        while cells[at] != 0:
            code = extend_hash(code, int(cells[at]))
            at += 1
        scratch.columns[width] = code
        width += 1
        base += stride
    return width


def extend_hash(code: int, number: int) -> int:
    """Return the hash of a sequence of numbers from that of the sequence without the last one."""
    code = ((code + number) * MIX) & chance.KEY
    return code ^ (code >> 29)


def key_of_hashes(hashes: Ints, width: int) -> int:
    """Return the lesser of the hashes of a sequence of column hashes and of its reverse."""
    forward = 0
    backward = 0
    for col in range(width):
        forward = ((forward + int(hashes[col])) * OTHER_MIX) & chance.KEY
        forward ^= forward >> 31
        backward = ((backward + int(hashes[width - 1 - col])) * OTHER_MIX) & chance.KEY
        backward ^= backward >> 31
    return min(forward, backward)

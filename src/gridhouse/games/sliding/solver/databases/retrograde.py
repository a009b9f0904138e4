"""Kernels that build additive pattern databases by retrograde breadth-first search.

A pattern is a set of tiles.  A database holds how many moves they need, whatever all other tiles
do.  Only moves of the pattern's own tiles count, so the values of disjoint patterns may be added
(Korf and Felner, 2002).  The empty cell reaches all cells of a region around the pattern's tiles
without a counted move, and the cost may depend on the region: the databases tell regions apart.

A *tile class* is all tiles that are equal to each other; a pattern has all of a class or none.  An
*index* has one digit a class: the *rank* of the set of its cells among all sets of as many, which
is the sum of binomial coefficients, cells over places in the set (the combinatorial number system,
Lehmer, 1964).  The rank of a single tile is its cell.

An entry is the number of moves from the best region, shifted by ``moves_shift``, above one bit a
cell: whether two moves more are needed with the empty cell there.  Four may be needed; so some
moves change the value by three, and the databases are not consistent.

A layer is all positions of as many moves.  Each is expanded in the order of its indices, so that
reads lie close together in memory: that takes a third of the time of a plain queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import bits, position

if TYPE_CHECKING:
    import numpy as np

MAX_CELLS = 36
MAX_CLASSES = 8  # of a pattern
SINGLE = 2  # ``rank_rows`` where every set is one cell, whose rank is the cell
BLOCK = 32  # indices that one number of ``frontier_bits`` stands for


class PatternLayout(position.Position):
    """A board and a pattern on it.

    ``not_leftmost`` and ``not_rightmost`` are the cells that have one to their left or right, as
    bits, ``neighbours`` those of each cell, ``region_mask`` the cells for which entries have a bit.
    An index is ``low + split * high``, with ``num_low`` digits in ``low``; ``weight`` is by class
    the factor of its digit.  ``cells_of`` is by class the cells of the index that was decoded last,
    as bits.  ``chunk`` and ``rank_rows`` are for ``rank_of``.
    """

    pattern = position.field("int8")
    cols = position.field("int64")
    cells = position.field("int64")
    blank_goal = position.field("int64")
    num_classes = position.field("int64")
    num_low = position.field("int64")
    split = position.field("int64")
    not_leftmost = position.field("int64")
    not_rightmost = position.field("int64")
    moves_shift = position.field("int64")
    region_mask = position.field("int64")
    chunk = position.field("int64")
    rank_rows = position.field("int64")
    neighbours = position.field("int64", MAX_CELLS)
    weight = position.field("int64", MAX_CLASSES)
    cells_of = position.field("int64", MAX_CLASSES)


class Memory(NamedTuple):
    """The arrays that a build works on.

    ``ranks`` is for ``rank_of``.  ``low_sets`` and ``high_sets`` are by the low and the high part
    of an index the cells of each class, as bits.  ``visited`` is by index the cells where the empty
    cell has been, ``frontier`` those of the next layer, and ``frontier_bits`` has a bit for every
    index of that; all three are zero at first.
    """

    ranks: np.ndarray
    low_sets: np.ndarray
    high_sets: np.ndarray
    visited: np.ndarray
    frontier: np.ndarray
    frontier_bits: np.ndarray


def rank_of(ranks: np.ndarray, start: int, chunk: int, rank_rows: int, cells: int) -> int:
    """Return the rank of a set of cells, given as bits, among all sets of as many.

    ``ranks`` begins at ``start``.  For every ``chunk`` of cells it has ``rank_rows`` rows, one for
    every number of cells in the chunks before; a row holds what each subset of the chunk adds.
    """
    if rank_rows == SINGLE:
        return bits.lowest(int(cells))
    rank = 0
    below = 0
    while cells != 0:
        here = cells & ((1 << chunk) - 1)
        rank += ranks[start + (below << chunk) + here]
        below += bits.population(here)
        start += rank_rows << chunk
        cells >>= chunk
    return rank


def flood_fill(layout: PatternLayout, region: int, free: int) -> int:
    """Return the free cells that can be reached from a region, as bits."""
    cols = layout.cols
    left = layout.not_leftmost
    right = layout.not_rightmost
    while True:
        wider = region | (region >> cols) | (region << cols)
        wider = (wider | ((region & left) >> 1) | ((region & right) << 1)) & free
        if wider == region:
            return region
        region = wider


def add_to_frontier(memory: Memory, index: int, region: int) -> int:
    """Add a region to the next layer; return 1 if that did not have its index yet, else 0."""
    found = memory.frontier[index]
    memory.visited[index] |= region
    memory.frontier[index] = found | region
    if found != 0:
        return 0
    memory.frontier_bits[index // BLOCK] |= 1 << (index % BLOCK)
    return 1


def decode(layout: PatternLayout, memory: Memory, index: int) -> int:
    """Write the cells of each class of an index into ``cells_of``; return all these cells."""
    high = index // layout.split
    low = index - high * layout.split
    num_low = layout.num_low
    num_high = layout.num_classes - num_low
    occupied = 0
    for digit in range(num_low):
        cells = int(memory.low_sets[low * num_low + digit])
        layout.cells_of[digit] = cells
        occupied |= cells
    for digit in range(num_high):
        cells = int(memory.high_sets[high * num_high + digit])
        layout.cells_of[num_low + digit] = cells
        occupied |= cells
    return occupied


def begin(layouts: np.ndarray, memory: Memory, goal: int) -> int:
    """Make the goal the first layer; return its number of indices, 1."""
    layout: PatternLayout = layouts[0]
    occupied = decode(layout, memory, goal)
    region = flood_fill(layout, 1 << layout.blank_goal, ((1 << layout.cells) - 1) & ~occupied)
    return add_to_frontier(memory, goal, region)


def store_layer(
    layouts: np.ndarray, memory: Memory, depth: int, entries: np.ndarray, queue: np.ndarray
) -> None:
    """Write the next layer, at this depth, into the entries, and move it to the queue, in order.

    ``entries`` is zero at first.  The nearest layer comes first; an index that comes again asks for
    at least as many moves more as the bits of its entry say.
    """
    layout: PatternLayout = layouts[0]
    frontier = memory.frontier
    tail = 0
    for block in range(len(memory.frontier_bits)):
        left = int(memory.frontier_bits[block])
        memory.frontier_bits[block] = 0
        while left != 0:
            index = block * BLOCK + bits.lowest(left)
            left &= left - 1
            region = int(frontier[index])
            frontier[index] = 0
            queue[tail] = (index << layout.cells) | region
            tail += 1
            if entries[index] == 0:
                entries[index] = (depth << layout.moves_shift) | (layout.region_mask & ~region)


def expand_layer(layouts: np.ndarray, memory: Memory, queue: np.ndarray) -> int:
    """Make all that is one move from the queue the next layer; return its number of indices."""
    layout: PatternLayout = layouts[0]
    ranks = memory.ranks
    visited = memory.visited
    cells = layout.cells
    num_classes = layout.num_classes
    neighbours = layout.neighbours
    weight = layout.weight
    chunk = layout.chunk
    rank_rows = layout.rank_rows
    board = (1 << cells) - 1
    count = 0
    for item in queue:
        entry = int(item)
        index = entry >> cells
        region = entry & board
        free = board & ~decode(layout, memory, index)
        for digit in range(num_classes):
            own = int(layout.cells_of[digit])
            rank = rank_of(ranks, 0, chunk, rank_rows, own)
            left = own
            while left != 0:
                here = bits.lowest(left)
                left &= left - 1
                targets = region & neighbours[here]
                while targets != 0:
                    target = targets & ~(targets - 1)
                    targets ^= target
                    moved = rank_of(ranks, 0, chunk, rank_rows, own ^ 1 << here ^ target)
                    child = index + (moved - rank) * weight[digit]
                    if (visited[child] >> here) & 1 == 0:
                        reached = flood_fill(layout, 1 << here, (free | 1 << here) & ~target)
                        count += add_to_frontier(memory, child, reached)
    return count

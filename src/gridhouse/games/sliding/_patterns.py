"""Additive pattern databases: how many moves a few tiles need, whatever the rest do.

A pattern is some of the tiles.  Only their own moves are counted, so what disjoint patterns need
may be added (Korf and Felner, 2002).  The empty cell can reach all cells of a region around the
pattern's tiles without a counted move, and what is needed may depend on the region: the databases
tell the regions apart.  Equal tiles have several homes each; a database then holds the least over
all ways to share them out.

A *key* is the cells of a pattern's tiles, as digits to the base of the number of cells.  Its word
is the moves needed from the best region, shifted by ``up``, above one bit for every cell: whether
``gain`` moves more are needed with the empty cell there.  Without ``aware`` there are no bits.

The functions are written to be compiled; ``_databases`` does what does not have to be fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import position

if TYPE_CHECKING:
    from typing import Any

MAX_CELLS = 25
MAX_TILES = 8
NUM_MOVES = 4
FULL = -1  # the queue had too little room


class Shape(position.Position):
    """A board and a pattern on it: what ``fill`` needs to know.

    ``inner_left`` and ``inner_right`` are the cells that have one to their left or right, as bits.
    """

    shape = position.integer("int8")
    rows = position.integer("int64")
    cols = position.integer("int64")
    cells = position.integer("int64")
    tiles = position.integer("int64")
    inner_left = position.integer("int64")
    inner_right = position.integer("int64")
    up = position.integer("int64")
    aware = position.integer("int64")
    gain = position.integer("int64")
    next = position.integers("int64", NUM_MOVES * MAX_CELLS)
    cell = position.integers("int64", MAX_TILES)
    weight = position.integers("int64", MAX_TILES)


def spread(shape: Any, region: int, free: int) -> int:
    """Return the free cells that can be reached from a region, as bits."""
    cols = shape.cols
    left = shape.inner_left
    right = shape.inner_right
    while True:
        wider = region | (region >> cols) | (region << cols)
        wider = (wider | ((region & left) >> 1) | ((region & right) << 1)) & free
        if wider == region:
            return region
        region = wider


def note(shape: Any, table: Any, seen: Any, key: int, region: int, depth: int) -> None:
    """Enter that a region of a key is ``depth`` moves from the goal; regions come nearest first."""
    if seen[key] == 0:
        others = ((1 << shape.cells) - 1) & ~region
        table[key] = (depth << shape.up) | (others * shape.aware)
    elif shape.aware and depth - (table[key] >> shape.up) < shape.gain:
        table[key] &= ~region
    seen[key] |= region


def unpack(shape: Any, key: int) -> int:
    """Write the cells of a pattern's tiles and return them as bits."""
    taken = 0
    for tile in range(shape.tiles):
        rest = key // shape.cells
        shape.cell[tile] = key - rest * shape.cells
        taken |= 1 << shape.cell[tile]
        key = rest
    return taken


def fill(shapes: Any, sources: Any, table: Any, seen: Any, queue: Any) -> int:
    """Fill a table by a breadth-first search back from the goals; return how many states it has.

    ``sources`` are the keys of the goals, with the empty cell last.  ``table`` and ``seen`` are all
    zero at first.  Returns FULL if the queue, which is a ring, has too little room.
    """
    shape = shapes[0]
    cells = shape.cells
    every = (1 << cells) - 1
    room = len(queue)
    head = 0
    tail = 0
    if len(sources) > room:
        return FULL
    for at in range(len(sources)):
        key = sources[at]
        region = spread(shape, 1 << (cells - 1), every & ~unpack(shape, key))
        note(shape, table, seen, key, region, 0)
        queue[tail] = key << cells | region
        tail += 1
    depth = 0
    level = tail
    while head < tail:
        if head == level:
            level = tail
            depth += 1
        entry = queue[head % room]
        head += 1
        key = entry >> cells
        region = entry & every
        taken = unpack(shape, key)
        for tile in range(shape.tiles):
            here = shape.cell[tile]
            for move in range(NUM_MOVES):
                there = shape.next[NUM_MOVES * here + move]
                if there < 0 or (region >> there) & 1 == 0:
                    continue
                moved = key + (there - here) * shape.weight[tile]
                if (seen[moved] >> here) & 1:
                    continue
                if tail - head >= room:
                    return FULL
                free = every & ~(taken ^ (1 << here) ^ (1 << there))
                reached = spread(shape, 1 << here, free)
                note(shape, table, seen, moved, reached, depth + 1)
                queue[tail % room] = moved << cells | reached
                tail += 1
    return tail

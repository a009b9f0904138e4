"""Additive pattern databases: how many moves a few tiles need, whatever the rest do.

A pattern is some of the tiles.  Only their own moves are counted, so what disjoint patterns need
may be added (Korf and Felner, 2002).  The empty cell can reach all cells of a region around the
pattern's tiles without a counted move, and what is needed may depend on the region: the databases
tell the regions apart.  Equal tiles have several homes each; a database then holds the least over
all ways to share them out.

A *key* is the cells of a pattern's tiles, as digits to the base of the number of cells.  Its word
is the moves needed from the best region, shifted by ``up``, above one bit for every cell: whether
``gain`` moves more are needed with the empty cell there.

A table is filled layer by layer, by how many moves a position needs.  Each layer goes through its
keys in their order, so that what it looks at lies close together in memory: that takes a third of
the time of a plain queue.

The functions are written to be compiled; ``_databases`` does what does not have to be fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import position

if TYPE_CHECKING:
    from typing import Any

MAX_CELLS = 36
MAX_TILES = 8
CELL_BITS = 6
HALF_BITS = MAX_TILES // 2 * CELL_BITS
MARKS = 32  # keys that a word of marks stands for
PRIME = 37  # the powers of two up to 2^35 leave different rests when divided by it


class Shape(position.Position):
    """A board and a pattern on it: what filling a table needs to know.

    ``inner_left`` and ``inner_right`` are the cells that have one to their left or right, as bits,
    ``near`` the neighbours of each cell, ``told`` the cells that words have a bit for.  A key's
    digits come from two lists, by the key's rest and quotient when divided by ``split``; ``half``
    is the number of digits in the rest.  ``number`` is of a single bit, by its rest when divided by
    ``PRIME``, how many bits are below it.
    """

    shape = position.integer("int8")
    cols = position.integer("int64")
    cells = position.integer("int64")
    tiles = position.integer("int64")
    half = position.integer("int64")
    split = position.integer("int64")
    inner_left = position.integer("int64")
    inner_right = position.integer("int64")
    up = position.integer("int64")
    told = position.integer("int64")
    near = position.integers("int64", MAX_CELLS)
    number = position.integers("int64", PRIME)
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


def enter(key: int, region: int, seen: Any, fresh: Any, marks: Any) -> int:
    """Enter a region into the next layer; return 1 if its key was not in that layer yet, else 0."""
    found = fresh[key]
    seen[key] |= region
    fresh[key] = found | region
    if found != 0:
        return 0
    marks[key // MARKS] |= 1 << (key % MARKS)
    return 1


def begin(shapes: Any, lows: Any, highs: Any, keys: Any, seen: Any, fresh: Any, marks: Any) -> int:
    """Enter the goals, with the empty cell last, as the first layer; return its number of keys.

    ``seen`` holds by key the cells from which the empty cell has been met, ``fresh`` those of the
    layer to come, and ``marks`` a bit for every key of that layer; all are zero at first.
    """
    shape = shapes[0]
    cells = shape.cells
    count = 0
    for at in range(len(keys)):
        key = keys[at]
        taken = (lows[key % shape.split] | highs[key // shape.split]) >> HALF_BITS
        region = spread(shape, 1 << (cells - 1), ((1 << cells) - 1) & ~taken)
        count += enter(key, region, seen, fresh, marks)
    return count


def settle(shapes: Any, depth: int, table: Any, fresh: Any, marks: Any, queue: Any) -> None:
    """Write a layer into the table and move it to the queue, keys in their order.

    ``table`` is zero at first.  Layers come nearest first, and what a key has in a later one asks
    for more by at least what the bits of its word say.
    """
    shape = shapes[0]
    tail = 0
    for group in range(len(marks)):
        left = marks[group]
        marks[group] = 0
        while left != 0:
            bit = left & ~(left - 1)
            left ^= bit
            key = group * MARKS + shape.number[bit % PRIME]
            region = fresh[key]
            fresh[key] = 0
            queue[tail] = (key << shape.cells) | region
            tail += 1
            if table[key] == 0:
                table[key] = (depth << shape.up) | (shape.told & ~region)


def expand(
    shapes: Any, lows: Any, highs: Any, queue: Any, seen: Any, fresh: Any, marks: Any
) -> int:
    """Enter all that is one move from the queue as the next layer; return its number of keys."""
    shape = shapes[0]
    cells = shape.cells
    tiles = shape.tiles
    split = shape.split
    above = shape.half * CELL_BITS
    near = shape.near
    number = shape.number
    weight = shape.weight
    every = (1 << cells) - 1
    count = 0
    for entry in queue:
        key = entry >> cells
        region = entry & every
        quotient = key // split
        low = lows[key - quotient * split]
        high = highs[quotient]
        free = every & ~((low | high) >> HALF_BITS)
        places = (low & ((1 << HALF_BITS) - 1)) | (high & ((1 << HALF_BITS) - 1)) << above
        for tile in range(tiles):
            here = places & ((1 << CELL_BITS) - 1)
            places >>= CELL_BITS
            reach = region & near[here]
            while reach != 0:
                bit = reach & ~(reach - 1)
                reach ^= bit
                moved = key + (number[bit % PRIME] - here) * weight[tile]
                if (seen[moved] >> here) & 1 == 0:
                    reached = spread(shape, 1 << here, (free | 1 << here) & ~bit)
                    count += enter(moved, reached, seen, fresh, marks)
    return count

"""Additive pattern databases: how many moves a few tiles need, whatever the rest do.

A pattern is some of the tiles.  Only their own moves are counted, so what disjoint patterns need
may be added (Korf and Felner, 2002).  The empty cell can reach all cells of a region around the
pattern's tiles without a counted move, and what is needed may depend on the region: the databases
tell the regions apart.

A *kind* is all tiles that are equal to each other; a pattern has all of a kind or none.  Which of
them stands where makes no difference, so a *key* is made of the sets of cells that the kinds stand
on: the *rank* of each among all sets of as many cells, as a digit.  (The rank of a set is the sum
of binomial coefficients, cells over places in the set: the combinatorial number system, Lehmer,
1964.)  The rank of a single tile is its cell.

A key's word is the moves needed from the best region, shifted by ``up``, above one bit for every
cell: whether two moves more are needed with the empty cell there.  It may be four; so there are
moves that change what is asked for by three, and the databases are not consistent.

A table is filled layer by layer, by how many moves a position needs.  Each layer goes through its
keys in their order, so that what it looks at lies close together in memory: that takes a third of
the time of a plain queue.

The functions are written to be compiled; ``_databases`` does what does not have to be fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import bits, position

if TYPE_CHECKING:
    from typing import Any

MAX_CELLS = 36
MAX_KINDS = 8  # of a pattern
FEWEST = 2  # what ``alike`` is where all sets are of one cell: its rank is the cell
MARKS = 32  # keys that a word of marks stands for


class Shape(position.Position):
    """A board and a pattern on it: what filling a table needs to know.

    ``inner_left`` and ``inner_right`` are the cells that have one to their left or right, as bits,
    ``near`` the neighbours of each cell, ``told`` the cells that words have a bit for.  A key's
    digits come from two lists, by the key's rest and quotient when divided by ``split``; ``half``
    is the number of digits in the rest.  ``weight`` is by kind what its digit is worth, ``places``
    the cells of each kind of the key that is looked at, as bits.  ``rest`` is the cell where the
    empty one ends.  ``chunk`` and ``alike`` are for ``rank_of``.
    """

    shape = position.field("int8")
    cols = position.field("int64")
    cells = position.field("int64")
    rest = position.field("int64")
    kinds = position.field("int64")
    half = position.field("int64")
    split = position.field("int64")
    inner_left = position.field("int64")
    inner_right = position.field("int64")
    up = position.field("int64")
    told = position.field("int64")
    chunk = position.field("int64")
    alike = position.field("int64")
    near = position.field("int64", MAX_CELLS)
    weight = position.field("int64", MAX_KINDS)
    places = position.field("int64", MAX_KINDS)


def rank_of(ranks: Any, start: int, chunk: int, alike: int, cells: int) -> int:
    """Return the rank of a set of cells among all sets of as many.

    ``ranks`` has from ``start`` on, for every ``chunk`` of cells, by how many of the set come
    before that, fewer than ``alike``, what the cells of the set in the chunk add.
    """
    if alike == FEWEST:
        return bits.lowest(int(cells))
    rank = 0
    below = 0
    while cells != 0:
        here = cells & ((1 << chunk) - 1)
        rank += ranks[start + (below << chunk) + here]
        below += bits.population(here)
        start += alike << chunk
        cells >>= chunk
    return rank


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


def load(shape: Any, lows: Any, highs: Any, key: int) -> int:
    """Note where the kinds of a key stand; return all these cells."""
    quotient = key // shape.split
    rest = key - quotient * shape.split
    half = shape.half
    others = shape.kinds - half
    taken = 0
    for kind in range(half):
        cells = int(lows[rest * half + kind])
        shape.places[kind] = cells
        taken |= cells
    for kind in range(others):
        cells = int(highs[quotient * others + kind])
        shape.places[half + kind] = cells
        taken |= cells
    return taken


def begin(shapes: Any, lows: Any, highs: Any, key: int, seen: Any, fresh: Any, marks: Any) -> int:
    """Enter the goal as the first layer; return its number of keys, 1.

    ``seen`` holds by key the cells from which the empty cell has been met, ``fresh`` those of the
    layer to come, and ``marks`` a bit for every key of that layer; all are zero at first.
    """
    shape = shapes[0]
    cells = shape.cells
    taken = load(shape, lows, highs, key)
    region = spread(shape, 1 << shape.rest, ((1 << cells) - 1) & ~taken)
    return enter(key, region, seen, fresh, marks)


def settle(shapes: Any, depth: int, table: Any, fresh: Any, marks: Any, queue: Any) -> None:
    """Write a layer into the table and move it to the queue, keys in their order.

    ``table`` is zero at first.  Layers come nearest first, and what a key has in a later one asks
    for more by at least what the bits of its word say.
    """
    shape = shapes[0]
    tail = 0
    for group in range(len(marks)):
        left = int(marks[group])
        marks[group] = 0
        while left != 0:
            key = group * MARKS + bits.lowest(left)
            left &= left - 1
            region = int(fresh[key])
            fresh[key] = 0
            queue[tail] = (key << shape.cells) | region
            tail += 1
            if table[key] == 0:
                table[key] = (depth << shape.up) | (shape.told & ~region)


def expand(
    shapes: Any, ranks: Any, lows: Any, highs: Any, queue: Any, seen: Any, fresh: Any, marks: Any
) -> int:
    """Enter all that is one move from the queue as the next layer; return its number of keys."""
    shape = shapes[0]
    cells = shape.cells
    kinds = shape.kinds
    near = shape.near
    weight = shape.weight
    chunk = shape.chunk
    alike = shape.alike
    every = (1 << cells) - 1
    count = 0
    for item in queue:
        entry = int(item)
        key = entry >> cells
        region = entry & every
        free = every & ~load(shape, lows, highs, key)
        for kind in range(kinds):
            places = int(shape.places[kind])
            rank = rank_of(ranks, 0, chunk, alike, places)
            left = places
            while left != 0:
                here = bits.lowest(left)
                left &= left - 1
                reach = region & near[here]
                while reach != 0:
                    bit = reach & ~(reach - 1)
                    reach ^= bit
                    other = rank_of(ranks, 0, chunk, alike, places ^ 1 << here ^ bit)
                    moved = key + (other - rank) * weight[kind]
                    if (seen[moved] >> here) & 1 == 0:
                        reached = spread(shape, 1 << here, (free | 1 << here) & ~bit)
                        count += enter(moved, reached, seen, fresh, marks)
    return count

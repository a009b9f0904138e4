"""Beam search by pattern databases, for boards that they cover.

All positions of a step have as many moves behind them; those that the databases call nearest go on.
Positions that cannot be part of a shorter solution than the best known one are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import chance, position
from gridhouse.games.sliding import _selection as selection

if TYPE_CHECKING:
    from typing import Any

MAX_CELLS = 25
MAX_VIEWS = 6
MAX_PATTERNS = 8
NUM_MOVES = 4
NONE = 4  # no move was made before
NOISE = 7  # ties are broken by so many bits of the key, those above ``salt``
STEP = 8  # the score of a move
MOVE_BITS = 2
WAY_BITS = 9
WAY = (1 << WAY_BITS) - 1


class Beam(position.Position):
    """How wide a beam is, how long it may get, and what came of it.

    Solutions have fewer moves than ``shorter``.
    """

    beam = position.integer("int8")
    stop = position.integer("int8")
    width = position.integer("int64")
    salt = position.integer("int64")
    shorter = position.integer("int64")
    nodes = position.integer("int64")
    end = position.integer("int64")


class Node(position.Position):
    """A position of a step: its tiles, its place in the trail, by pattern its key and word."""

    node = position.integer("int8")
    blank = position.integer("int32")
    came = position.integer("int32")
    need = position.integer("int32")
    key = position.integer("int64")
    tiles = position.integers("int8", MAX_CELLS)
    index = position.integers("int32", MAX_VIEWS * MAX_PATTERNS)
    word = position.integers("int32", MAX_VIEWS * MAX_PATTERNS)


class Child(position.Position):
    """A position that may be of the next step; by view what its last move changed."""

    child = position.integer("int8")
    parent = position.integer("int32")
    score = position.integer("int32")
    blank = position.integer("int32")
    came = position.integer("int32")
    need = position.integer("int32")
    key = position.integer("int64")
    index = position.integers("int32", MAX_VIEWS)
    word = position.integers("int32", MAX_VIEWS)


def start(plan: Any, tables: Any, node: Any) -> None:
    """Look up the words of a node whose tiles are set."""
    node.key = 0
    node.came = NONE
    for slot in range(plan.views * plan.patterns):
        node.index[slot] = plan.origin[slot]
    for cell in range(plan.cells):
        tile = int(node.tiles[cell])
        node.key ^= chance.code(tile << 8 | cell)
        if tile == 0:
            node.blank = cell
            continue
        for view in range(plan.views):
            at = view * MAX_CELLS
            node.index[plan.slot[at + tile]] += plan.weight[at + tile] * plan.image[at + cell]
    node.need = 0
    for view in range(plan.views):
        total = 0
        bit = plan.image[view * MAX_CELLS + node.blank]
        for slot in range(view * plan.patterns, (view + 1) * plan.patterns):
            word = int(tables[node.index[slot]])
            node.word[slot] = word
            total += (word >> plan.up) + ((word >> bit) & plan.aware) * plan.gain
        node.need = max(node.need, total)


def judge(plan: Any, tables: Any, node: Any, child: Any, there: int, tile: int) -> int:
    """Write what a child needs at least; return its score, by the sum over the views."""
    blank = node.blank
    child.need = 0
    score = 0
    for view in range(plan.views):
        at = view * MAX_CELLS
        own = plan.slot[at + tile]
        bit = plan.image[at + there]
        index = node.index[own] + plan.weight[at + tile] * (plan.image[at + blank] - bit)
        child.index[view] = index
        child.word[view] = tables[index]
        total = 0
        for slot in range(view * plan.patterns, (view + 1) * plan.patterns):
            word = int(child.word[view]) if slot == own else int(node.word[slot])
            total += (word >> plan.up) + ((word >> bit) & plan.aware) * plan.gain
        child.need = max(child.need, total)
        score += total
    return score * STEP


def expand(
    beam: Any, plan: Any, tables: Any, node: Any, parent: int, children: Any, count: int, seen: Any,
    rest: int,
) -> int:  # fmt: skip
    """Write the children of a node after ``count`` others and return how many there are then.

    Those that need more than ``rest`` moves are left out.
    """
    blank = int(node.blank)
    left = int(plan.ways[(NUM_MOVES + 1) * blank + node.came])
    while left:
        way = left & WAY
        left >>= WAY_BITS
        there = way >> 3
        beam.nodes += 1
        tile = int(node.tiles[there])
        key = node.key ^ chance.code(blank) ^ chance.code(there)
        key ^= chance.code(tile << 8 | there) ^ chance.code(tile << 8 | blank)
        if selection.is_seen(seen, key):
            continue
        child = children[count]
        child.score = judge(plan, tables, node, child, there, tile)
        child.score += (key >> beam.salt) & NOISE
        if child.need > rest:
            continue
        child.parent = parent
        child.key = key
        child.blank = there
        child.came = (way & 7) - 1
        count += 1
    return count


def follow(
    beam: Any, plan: Any, nodes: Any, children: Any, found: int, now: int, trail: Any, seen: Any,
    bins: Any, step: int,
) -> int:  # fmt: skip
    """Make the next step of the best children and return how many positions it has.

    The trail gets by step and place the place of the parent and the move.
    """
    width = beam.width
    then = width - now
    limit = selection.threshold(children, found, width, bins)
    count = 0
    for at in range(found):
        child = children[at]
        if child.score > limit or count == width or selection.is_seen(seen, child.key):
            continue
        selection.remember(seen, child.key)
        old = nodes[now + child.parent]
        new = nodes[then + count]
        tile = int(old.tiles[child.blank])
        for cell in range(plan.cells):
            new.tiles[cell] = old.tiles[cell]
        new.tiles[old.blank] = tile
        new.tiles[child.blank] = 0
        for slot in range(plan.views * plan.patterns):
            new.index[slot] = old.index[slot]
            new.word[slot] = old.word[slot]
        for view in range(plan.views):
            slot = plan.slot[view * MAX_CELLS + tile]
            new.index[slot] = child.index[view]
            new.word[slot] = child.word[view]
        new.blank = child.blank
        new.came = child.came
        new.need = child.need
        new.key = child.key
        trail[step * width + count] = child.parent << MOVE_BITS | child.came
        count += 1
    return count


def run(
    beams: Any, plans: Any, tables: Any, nodes: Any, children: Any, seen: Any, bins: Any,
    trail: Any, count: int,
) -> int:  # fmt: skip
    """Search from the first ``count`` nodes; return the moves of a solution, -1 without one.

    Its place in the trail is ``end``.  ``nodes`` has room for two steps.
    """
    beam = beams[0]
    plan = plans[0]
    for at in range(count):
        start(plan, tables, nodes[at])
    now = 0
    step = 0
    while True:
        for at in range(count):
            if nodes[now + at].need == 0:
                beam.end = at
                return step
        rest = beam.shorter - 2 - step
        if rest < 0 or (step + 1) * beam.width > len(trail):
            return -1
        found = 0
        for at in range(count):
            node = nodes[now + at]
            found = expand(beam, plan, tables, node, at, children, found, seen, rest)
        if found == 0 or beam.stop:
            return -1
        count = follow(beam, plan, nodes, children, found, now, trail, seen, bins, step)
        now = beam.width - now
        step += 1

"""Beam search for large boards, one layer of tiles at a time: the outer row and column first.

All positions of a step have as many moves behind them; the most promising ones go on.  A layer is
done when its tiles are home.  Promise is how far tiles are from home, by a table (see ``_ends``),
linear conflicts of the layer's tiles (Hansson, Mayer and Yung, 1992), and how far the empty cell is
from work.  Positions that differ only in other tiles count as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import chance, position
from gridhouse.games.sliding.solver.beam import selection

if TYPE_CHECKING:
    from typing import Any

MAX_CELLS = 196
MAX_SIDE = 14
NUM_MOVES = 4
NONE = 4  # no move was made before
NOISE = 7  # ties are broken by so many bits of the key, those above ``salt``

MOVE_BITS = 2


class Layer(position.Position):
    """A board, the layer to bring home, and what counts how much.

    By tile: ``target``, whether it is of the layer.  ``away`` is what a step of the empty cell from
    work counts, ``conflict`` what a move of a conflict does.  By cell and move: ``next``, -1 for
    nowhere or where tiles are home already.  ``top`` is the row and ``left`` the column to do, -1
    for none.
    """

    layer = position.field("int8")
    stop = position.field("int8")
    cells = position.field("int64")
    cols = position.field("int64")
    top = position.field("int64")
    left = position.field("int64")
    width = position.field("int64")
    salt = position.field("int64")
    most = position.field("int64")
    conflict = position.field("int64")
    away = position.field("int64")
    nodes = position.field("int64")
    ends = position.field("int64")
    target = position.field("int8", MAX_CELLS)
    row = position.field("int64", MAX_CELLS)
    col = position.field("int64", MAX_CELLS)
    next = position.field("int64", NUM_MOVES * MAX_CELLS)
    line = position.field("int64", MAX_SIDE)
    longest = position.field("int64", MAX_SIDE)


class Node(position.Position):
    """A position of a step: where it stands in the trail, and what its promise is made of."""

    node = position.field("int8")
    blank = position.field("int32")
    came = position.field("int32")
    place = position.field("int32")
    far = position.field("int32")  # tiles of the layer that are not home
    total = position.field("int32")  # cost of all tiles
    across = position.field("int32")  # conflicts of the row
    down = position.field("int32")  # and of the column
    key = position.field("int64")


class Child(position.Position):
    """A position that may be of the next step."""

    child = position.field("int8")
    parent = position.field("int32")
    score = position.field("int32")
    blank = position.field("int32")
    came = position.field("int32")
    far = position.field("int32")
    total = position.field("int32")
    across = position.field("int32")
    down = position.field("int32")
    key = position.field("int64")


def excess(layer: Any, count: int) -> int:
    """Return how many of the numbers in ``line`` must go for the rest to ascend."""
    best = 0
    for at in range(count):
        layer.longest[at] = 1
        for before in range(at):
            if layer.line[before] < layer.line[at]:
                layer.longest[at] = max(layer.longest[at], layer.longest[before] + 1)
        best = max(best, layer.longest[at])
    return count - best


def row_conflicts(layer: Any, board: Any) -> int:
    """Return the moves beyond their distance that the tiles of the layer's row need in it."""
    if layer.top < 0:
        return 0
    count = 0
    start = layer.top * layer.cols
    for cell in range(start, start + layer.cols):
        tile = board[cell]
        if tile and layer.target[tile] and layer.row[tile - 1] == layer.top:
            layer.line[count] = tile
            count += 1
    return 2 * excess(layer, count)


def column_conflicts(layer: Any, board: Any) -> int:
    """Return the same of the layer's column."""
    if layer.left < 0:
        return 0
    count = 0
    for cell in range(layer.left, layer.cells, layer.cols):
        tile = board[cell]
        if tile and layer.target[tile] and layer.col[tile - 1] == layer.left:
            layer.line[count] = tile
            count += 1
    return 2 * excess(layer, count)


def code(layer: Any, tile: int, cell: int) -> int:
    """Return what a tile on a cell adds to the key; tiles of other layers look alike."""
    if tile and not layer.target[tile]:
        return 0
    return chance.zobrist(tile << 8 | cell)


def weigh(layer: Any, node: Any, board: Any, costs: Any) -> None:
    """Write what the promise of a board is made of."""
    node.far = 0
    node.total = 0
    node.key = 0
    for cell in range(layer.cells):
        tile = int(board[cell])
        if tile == 0:
            node.blank = cell
        else:
            node.far += layer.target[tile] * int(tile - 1 != cell)
            node.total += costs[tile * layer.cells + cell]
        node.key ^= code(layer, tile, cell)
    node.across = row_conflicts(layer, board)
    node.down = column_conflicts(layer, board)


def nearest(layer: Any, board: Any, blank: int, order: Any) -> int:
    """Return how far a cell is from a tile of the layer that is not home, 0 without any.

    ``order`` is by cell all cells, the nearest first.
    """
    start = blank * layer.cells
    for at in range(start, start + layer.cells):
        cell = order[at]
        tile = board[cell]
        if tile and layer.target[tile] and tile - 1 != cell:
            steps: int = abs(layer.row[cell] - layer.row[blank])
            steps += abs(layer.col[cell] - layer.col[blank])
            return steps
    return 0


def expand(
    layer: Any, node: Any, board: Any, index: int, children: Any, count: int, seen: Any, costs: Any,
    order: Any,
) -> int:  # fmt: skip
    """Write the children of a node after ``count`` others and return how many there are then."""
    blank = int(node.blank)
    for move in range(NUM_MOVES):
        there = int(layer.next[NUM_MOVES * blank + move])
        if there < 0 or (node.came != NONE and move == node.came ^ 1):
            continue
        layer.nodes += 1
        tile = int(board[there])
        key = node.key ^ code(layer, 0, blank) ^ code(layer, 0, there)
        key ^= code(layer, tile, there) ^ code(layer, tile, blank)
        if selection.is_seen(seen, key):
            continue
        child = children[count]
        row = tile * layer.cells
        came_home = int(tile - 1 == blank) - int(tile - 1 == there)
        child.parent = index
        child.key = key
        child.blank = there
        child.came = move
        child.far = node.far - came_home * layer.target[tile]
        child.total = node.total + costs[row + blank] - costs[row + there]
        child.across = node.across
        child.down = node.down
        board[blank] = tile
        board[there] = 0
        if layer.target[tile]:
            if move < 2 and (layer.row[blank] == layer.top or layer.row[there] == layer.top):
                child.across = row_conflicts(layer, board)
            if move >= 2 and (layer.col[blank] == layer.left or layer.col[there] == layer.left):
                child.down = column_conflicts(layer, board)
        score = child.total + layer.conflict * (child.across + child.down)
        score += layer.away * nearest(layer, board, there, order)
        child.score = score + ((key >> layer.salt) & NOISE)
        board[there] = tile
        board[blank] = 0
        count += 1
    return count


def keep(child: Any, node: Any, place: int) -> None:
    """Make a node of a child."""
    node.blank = child.blank
    node.came = child.came
    node.place = place
    node.far = child.far
    node.total = child.total
    node.across = child.across
    node.down = child.down
    node.key = child.key


def follow(
    layer: Any,
    nodes: Any,
    boards: Any,
    children: Any,
    found: int,
    now: int,
    trail: Any,
    seen: Any,
    bins: Any,
    ranks: Any,
    step: int,
) -> int:
    """Make the next step of the best children and return how many positions it has.

    The trail gets by step and place the place of the parent and the move.
    """
    width = layer.width
    then = width - now
    begin = step * width
    count = selection.pick(children, found, width, bins, ranks, seen, trail, begin)
    for place in range(count):
        child = children[trail[begin + place]]
        parent = now + child.parent
        old = boards[parent]
        new = boards[then + place]
        for cell in range(layer.cells):
            new[cell] = old[cell]
        new[nodes[parent].blank] = old[child.blank]
        new[child.blank] = 0
        trail[begin + place] = nodes[parent].place << MOVE_BITS | child.came
        keep(child, nodes[then + place], place)
    return count


def march(
    layers: Any,
    nodes: Any,
    boards: Any,
    children: Any,
    seen: Any,
    bins: Any,
    ranks: Any,
    trail: Any,
    costs: Any,
    order: Any,
    count: int,
) -> int:
    """Bring a layer home from ``count`` boards; return the number of moves, -1 without success.

    ``nodes`` and ``boards`` have room for two steps; ``costs`` is by tile and cell.  The boards of
    the last step that are done stand first, ``ends`` of them.
    """
    layer = layers[0]
    for at in range(count):
        weigh(layer, nodes[at], boards[at], costs)
        nodes[at].came = NONE
        nodes[at].place = at
    now = 0
    for step in range(layer.most):
        done = gather(layer, nodes, boards, now, count)
        if done:
            layer.ends = done
            return step
        found = 0
        for at in range(count):
            node, board = nodes[now + at], boards[now + at]
            found = expand(layer, node, board, at, children, found, seen, costs, order)
        if found == 0 or layer.stop:
            return -1
        count = follow(layer, nodes, boards, children, found, now, trail, seen, bins, ranks, step)
        now = layer.width - now
    return -1


def gather(layer: Any, nodes: Any, boards: Any, now: int, count: int) -> int:
    """Put the boards that are done first, with their places in the trail; return how many."""
    done = 0
    for at in range(count):
        if nodes[now + at].far == 0:
            nodes[done].place = nodes[now + at].place
            for cell in range(layer.cells):
                boards[done][cell] = boards[now + at][cell]
            done += 1
    return done

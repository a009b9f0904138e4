"""Kernels of beam search for large boards, one layer at a time: the outer row and column first.

All positions of a step have as many moves behind them; those of the lowest scores go on.  A layer
is done when its tiles are home.  A score adds up the cost of all tiles away from home, by a table
(``layer_geometry``), linear conflicts of the layer's tiles (Hansson, Mayer and Yung, 1992), and how
far the empty cell is from work.  Positions that differ in tiles of later layers only count as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import chance, position
from gridhouse.games.sliding.solver.beam import selection

if TYPE_CHECKING:
    import numpy as np

MAX_CELLS = 196
MAX_SIDE = 14
NUM_MOVES = 4
NO_MOVE = 4  # no move was made before
NOISE_MASK = 7  # of the bits of a key, above ``tie_break``, that break ties
MOVE_BITS = 2
FAILED = -1


class LayerBeam(position.Position):
    """A board, the layer to bring home, the weights of a score, and the state of the search.

    By tile: ``is_target``, whether it is of the layer.  ``conflict`` is the cost of a move of a
    linear conflict, ``away`` that of a step between the empty cell and work.  By cell and move:
    ``neighbour``, -1 for none or where tiles are home already.  ``top`` is the row and ``left`` the
    column to bring home, -1 for none.  There are ``count`` nodes, from ``first`` on.  ``line`` and
    ``longest`` are scratch.
    """

    layer = position.field("int8")
    stop = position.field("int8")
    cells = position.field("int64")
    cols = position.field("int64")
    top = position.field("int64")
    left = position.field("int64")
    width = position.field("int64")
    tie_break = position.field("int64")
    max_moves = position.field("int64")
    conflict = position.field("int64")
    away = position.field("int64")
    nodes = position.field("int64")
    first = position.field("int64")
    count = position.field("int64")
    is_target = position.field("int8", MAX_CELLS)
    row = position.field("int64", MAX_CELLS)
    col = position.field("int64", MAX_CELLS)
    neighbour = position.field("int64", NUM_MOVES * MAX_CELLS)
    line = position.field("int64", MAX_SIDE)
    longest = position.field("int64", MAX_SIDE)


class Node(position.Position):
    """A position of a step, its place in the back pointers, and the parts of its score."""

    node = position.field("int8")
    blank = position.field("int32")
    last_move = position.field("int32")
    place = position.field("int32")
    misplaced = position.field("int32")  # tiles of the layer that are not home
    cost = position.field("int32")  # of all tiles
    row_conflicts = position.field("int32")
    column_conflicts = position.field("int32")
    key = position.field("int64")


class Child(position.Position):
    """A candidate for the next step."""

    child = position.field("int8")
    parent = position.field("int32")
    score = position.field("int32")
    blank = position.field("int32")
    last_move = position.field("int32")
    misplaced = position.field("int32")
    cost = position.field("int32")
    row_conflicts = position.field("int32")
    column_conflicts = position.field("int32")
    key = position.field("int64")


class Memory(NamedTuple):
    """What a search works on; ``layer`` is an array of one record.

    ``nodes`` and ``boards`` have room for two steps.  ``costs`` is by tile and cell;
    ``by_distance`` is by cell all cells, the nearest first.
    """

    layer: np.ndarray
    nodes: np.ndarray
    boards: np.ndarray
    costs: np.ndarray
    by_distance: np.ndarray
    shared: selection.Memory


def out_of_order(layer: LayerBeam, count: int) -> int:
    """Return the fewest of the first ``count`` numbers in ``line`` whose removal sorts it."""
    best = 0
    for at in range(count):
        layer.longest[at] = 1
        for before in range(at):
            if layer.line[before] < layer.line[at]:
                layer.longest[at] = max(layer.longest[at], layer.longest[before] + 1)
        best = max(best, layer.longest[at])
    return count - best


def row_conflicts(layer: LayerBeam, board: np.ndarray) -> int:
    """Return the moves beyond their distance that the tiles of the layer's row need in it."""
    if layer.top < 0:
        return 0
    count = 0
    start = layer.top * layer.cols
    for cell in range(start, start + layer.cols):
        tile = board[cell]
        if tile and layer.is_target[tile] and layer.row[tile - 1] == layer.top:
            layer.line[count] = tile
            count += 1
    return 2 * out_of_order(layer, count)


def column_conflicts(layer: LayerBeam, board: np.ndarray) -> int:
    """Return the moves beyond their distance that the tiles of the layer's column need in it."""
    if layer.left < 0:
        return 0
    count = 0
    for cell in range(layer.left, layer.cells, layer.cols):
        tile = board[cell]
        if tile and layer.is_target[tile] and layer.col[tile - 1] == layer.left:
            layer.line[count] = tile
            count += 1
    return 2 * out_of_order(layer, count)


def zobrist(layer: LayerBeam, tile: int, cell: int) -> int:
    """Return the hash of a tile on a cell, 0 for tiles of other layers."""
    if tile and not layer.is_target[tile]:
        return 0
    return chance.zobrist(tile << 8 | cell)


def evaluate(layer: LayerBeam, node: Node, board: np.ndarray, costs: np.ndarray) -> None:
    """Write the parts of the score of a board, and its key."""
    node.misplaced = 0
    node.cost = 0
    node.key = 0
    for cell in range(layer.cells):
        tile = int(board[cell])
        if tile == 0:
            node.blank = cell
        else:
            node.misplaced += layer.is_target[tile] * int(tile - 1 != cell)
            node.cost += costs[tile * layer.cells + cell]
        node.key ^= zobrist(layer, tile, cell)
    node.row_conflicts = row_conflicts(layer, board)
    node.column_conflicts = column_conflicts(layer, board)


def distance_to_work(
    layer: LayerBeam, board: np.ndarray, blank: int, by_distance: np.ndarray
) -> int:
    """Return the steps from a cell to the nearest misplaced tile of the layer, 0 without any."""
    start = blank * layer.cells
    for at in range(start, start + layer.cells):
        cell = by_distance[at]
        tile = board[cell]
        if tile and layer.is_target[tile] and tile - 1 != cell:
            steps: int = abs(layer.row[cell] - layer.row[blank])
            steps += abs(layer.col[cell] - layer.col[blank])
            return steps
    return 0


def expand(memory: Memory, parent: int, count: int) -> int:
    """Write the children of a node after ``count`` others; return their new number."""
    layer: LayerBeam = memory.layer[0]
    node = memory.nodes[layer.first + parent]
    board = memory.boards[layer.first + parent]
    blank = int(node.blank)
    for move in range(NUM_MOVES):
        target = int(layer.neighbour[NUM_MOVES * blank + move])
        if target < 0 or (node.last_move != NO_MOVE and move == node.last_move ^ 1):
            continue
        layer.nodes += 1
        tile = int(board[target])
        key = node.key ^ zobrist(layer, 0, blank) ^ zobrist(layer, 0, target)
        key ^= zobrist(layer, tile, target) ^ zobrist(layer, tile, blank)
        if selection.was_expanded(memory.shared.seen, key):
            continue
        child = memory.shared.children[count]
        row = tile * layer.cells
        brought_home = int(tile - 1 == blank) - int(tile - 1 == target)
        child.parent = parent
        child.key = key
        child.blank = target
        child.last_move = move
        child.misplaced = node.misplaced - brought_home * layer.is_target[tile]
        child.cost = node.cost + memory.costs[row + blank] - memory.costs[row + target]
        child.row_conflicts = node.row_conflicts
        child.column_conflicts = node.column_conflicts
        board[blank] = tile
        board[target] = 0
        if layer.is_target[tile]:
            if move < 2 and (layer.row[blank] == layer.top or layer.row[target] == layer.top):
                child.row_conflicts = row_conflicts(layer, board)
            if move >= 2 and (layer.col[blank] == layer.left or layer.col[target] == layer.left):
                child.column_conflicts = column_conflicts(layer, board)
        score = child.cost + layer.conflict * (child.row_conflicts + child.column_conflicts)
        score += layer.away * distance_to_work(layer, board, target, memory.by_distance)
        child.score = score + ((key >> layer.tie_break) & NOISE_MASK)
        board[target] = tile
        board[blank] = 0
        count += 1
    return count


def make_node(child: Child, node: Node, place: int) -> None:
    """Make a node of a child."""
    node.blank = child.blank
    node.last_move = child.last_move
    node.place = place
    node.misplaced = child.misplaced
    node.cost = child.cost
    node.row_conflicts = child.row_conflicts
    node.column_conflicts = child.column_conflicts
    node.key = child.key


def advance(memory: Memory, num_children: int, step: int) -> None:
    """Make the next step of the best children, with their back pointers."""
    layer: LayerBeam = memory.layer[0]
    nodes = memory.nodes
    back_pointers = memory.shared.back_pointers
    width = layer.width
    other = width - layer.first
    begin = step * width
    count = selection.select_best(memory.shared, num_children, width, begin)
    for place in range(count):
        child = memory.shared.children[back_pointers[begin + place]]
        parent = layer.first + child.parent
        old = memory.boards[parent]
        new = memory.boards[other + place]
        for cell in range(layer.cells):
            new[cell] = old[cell]
        new[nodes[parent].blank] = old[child.blank]
        new[child.blank] = 0
        back_pointers[begin + place] = nodes[parent].place << MOVE_BITS | child.last_move
        make_node(child, nodes[other + place], place)
    layer.first = other
    layer.count = count


def search(memory: Memory) -> int:
    """Bring a layer home from the first ``count`` boards; return the number of moves, or FAILED.

    The boards of the last step that are done stand first then, ``count`` of them.
    """
    layer: LayerBeam = memory.layer[0]
    for at in range(layer.count):
        evaluate(layer, memory.nodes[at], memory.boards[at], memory.costs)
        memory.nodes[at].last_move = NO_MOVE
        memory.nodes[at].place = at
    for step in range(layer.max_moves):
        done = gather_done(memory)
        if done:
            layer.count = done
            return step
        num_children = 0
        for parent in range(layer.count):
            num_children = expand(memory, parent, num_children)
        if num_children == 0 or layer.stop:
            return FAILED
        advance(memory, num_children, step)
    return FAILED


def gather_done(memory: Memory) -> int:
    """Move the boards that are done first, with their places; return their number."""
    layer: LayerBeam = memory.layer[0]
    nodes = memory.nodes
    boards = memory.boards
    done = 0
    for at in range(layer.first, layer.first + layer.count):
        if nodes[at].misplaced == 0:
            nodes[done].place = nodes[at].place
            for cell in range(layer.cells):
                boards[done][cell] = boards[at][cell]
            done += 1
    return done

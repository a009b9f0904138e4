"""Kernels of beam search over a whole board, by pattern databases.

All positions of a step have as many moves behind them; those that the databases call nearest go on.
Positions that cannot be part of a shorter solution than the best known one are left out.

The search waits for memory.  So a block of nodes writes the keys of all its children first, and a
short loop drops those that were expanded before: the processor waits for many reads at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import position
from gridhouse.games.sliding.solver.beam import selection

if TYPE_CHECKING:
    import numpy as np

MAX_CELLS = 36
FEW_CELLS = 25  # cells up to which a position takes less memory
MAX_VIEWS = 4
MAX_SLOTS = 36  # patterns of all views together
FEW_SLOTS = 24
MATES = 3  # other tiles of a pattern
PLANES = 3  # bits of a count of patterns; eight, whose bits would all have to be set, never occur
NUM_MOVES = 4
NO_MOVE = 4  # no move was made before
NOISE_MASK = 7  # of the bits of a key, above ``tie_break``, that break ties
MOVE_SCORE = 8  # the score of a move that the empty cell costs
MAX_PATTERN_MOVES = 256
POWER = 1.4  # of a pattern's moves, of which its score is made, on boards of few cells
EVEN_MOVES = 8  # moves of a pattern that score as many of the empty cell's do
MOVE_BITS = 2
BLOCK = 64  # nodes that are expanded together

UNFINISHED = 0  # a search that has neither found a solution nor failed
FAILED = -1


class BoardLayout(position.Position):
    """A board and its views.

    By view and cell: ``bit``, that of the cell in entries.  By view and tile: ``slot``, the number
    of its pattern among those of all views; ``origin``, where its database begins; ``mate``, the
    pattern's other tiles; and by cell ``index_part``, the tile's share of the index there.  By
    cell and move: ``neighbour``, -1 for none.  By tile and cell: ``zobrist``.  By moves of a
    pattern: ``score``.
    """

    board = position.field("int8")
    cells = position.field("int64")
    views = position.field("int64")
    patterns = position.field("int64")
    moves_shift = position.field("int64")
    region_penalty = position.field("int64")
    neighbour = position.field("int64", NUM_MOVES * MAX_CELLS)
    bit = position.field("int64", MAX_VIEWS * MAX_CELLS)
    slot = position.field("int64", MAX_VIEWS * MAX_CELLS)
    origin = position.field("int64", MAX_VIEWS * MAX_CELLS)
    mate = position.field("int64", MAX_VIEWS * MAX_CELLS * MATES)
    index_part = position.field("int32", MAX_VIEWS * MAX_CELLS * MAX_CELLS)
    zobrist = position.field("int64", MAX_CELLS * MAX_CELLS)
    score = position.field("int32", MAX_PATTERN_MOVES)


class Beam(position.Position):
    """The state of a beam search.

    Solutions have fewer moves than ``upper_bound``.  There is room for ``capacity`` nodes of a
    step, of which ``width`` are kept; the last step's ``count`` nodes begin at ``first``.
    ``goal`` is the place of a solution in the last step, -1 without one.  Scratch of the node that
    is expanded: ``cell``, by tile, and ``plane``, by view and bit (``count_penalties``).
    """

    beam = position.field("int8")
    stop = position.field("int8")
    capacity = position.field("int64")
    width = position.field("int64")
    tie_break = position.field("int64")
    upper_bound = position.field("int64")
    nodes = position.field("int64")
    step = position.field("int64")
    until = position.field("int64")
    first = position.field("int64")
    count = position.field("int64")
    goal = position.field("int64")
    cell = position.field("int64", MAX_CELLS)
    plane = position.field("int64", MAX_VIEWS * PLANES)


class Node(position.Position):
    """A position of a step: its tiles, the patterns' entries, by view the sum of their moves.

    ``moves_score`` is the score of all patterns' moves.
    """

    key = position.field("int64")
    entry = position.field("int32", FEW_SLOTS)
    moves = position.field("int16", MAX_VIEWS)
    moves_score = position.field("int32")
    tiles = position.field("int8", FEW_CELLS)
    blank = position.field("int8")
    last_move = position.field("int8")
    node = position.field("int8")


class LargeNode(Node):
    """The same of a board of more than ``FEW_CELLS``."""

    entry = position.field("int64", MAX_SLOTS)
    tiles = position.field("int8", MAX_CELLS)


class Child(position.Position):
    """A candidate for the next step; by view the new entry and the sum of the patterns' moves.

    ``score`` is ``moves_score``, that of the patterns' moves, plus that of the region penalties.
    """

    key = position.field("int64")
    parent = position.field("int32")
    moves_score = position.field("int32")
    score = position.field("int32")
    entry = position.field("int64", MAX_VIEWS)
    moves = position.field("int16", MAX_VIEWS)
    h = position.field("int16")
    blank = position.field("int8")
    last_move = position.field("int8")
    child = position.field("int8")


class Memory(NamedTuple):
    """What a search works on; ``beam`` and ``layout`` are arrays of one record.

    ``nodes`` has room for two steps.
    """

    beam: np.ndarray
    layout: np.ndarray
    entries: np.ndarray
    nodes: np.ndarray
    shared: selection.Memory


def node_for(cells: int) -> Node:
    """Return a node for a board of ``cells`` cells."""
    return Node() if cells <= FEW_CELLS else LargeNode()


def locate_tiles(beam: Beam, layout: BoardLayout, node: Node) -> None:
    """Write by tile its cell."""
    for cell in range(layout.cells):
        beam.cell[node.tiles[cell]] = cell


def index_of(beam: Beam, layout: BoardLayout, view: int, tile: int) -> int:
    """Return the index of a tile's pattern."""
    at = view * layout.cells + tile
    index = int(layout.origin[at]) + int(layout.index_part[at * layout.cells + beam.cell[tile]])
    for number in range(at * MATES, (at + 1) * MATES):
        mate = layout.mate[number]
        at_mate = (view * layout.cells + mate) * layout.cells + beam.cell[mate]
        index += int(layout.index_part[at_mate])
    return index


def start(beam: Beam, layout: BoardLayout, entries: np.ndarray, node: Node) -> None:
    """Look up the entries of a node whose tiles are set."""
    locate_tiles(beam, layout, node)
    node.key = 0
    node.last_move = NO_MOVE
    node.blank = beam.cell[0]
    for tile in range(layout.cells):
        node.key ^= layout.zobrist[tile * layout.cells + beam.cell[tile]]
    node.moves_score = 0
    for view in range(layout.views):
        for tile in range(1, layout.cells):
            slot = layout.slot[view * layout.cells + tile]
            node.entry[slot] = entries[index_of(beam, layout, view, tile)]
        total = 0
        for slot in range(view * layout.patterns, (view + 1) * layout.patterns):
            moves = int(node.entry[slot]) >> layout.moves_shift
            total += moves
            node.moves_score += layout.score[moves]
        node.moves[view] = total


def count_penalties(beam: Beam, layout: BoardLayout, node: Node) -> None:
    """Count by view, for all cells of the empty one at once, the patterns with a region's penalty.

    The three planes of a view hold the bits of the counts, by cell.
    """
    for view in range(layout.views):
        ones = 0
        twos = 0
        fours = 0
        for slot in range(view * layout.patterns, (view + 1) * layout.patterns):
            entry = int(node.entry[slot])
            carry = ones & entry
            ones ^= entry
            fours ^= twos & carry
            twos ^= carry
        beam.plane[PLANES * view] = ones
        beam.plane[PLANES * view + 1] = twos
        beam.plane[PLANES * view + 2] = fours


def generate(memory: Memory, first: int, last: int, at: int) -> int:
    """Write the keys of all children of some nodes from ``at`` on; return where they end."""
    beam: Beam = memory.beam[0]
    layout: BoardLayout = memory.layout[0]
    for parent in range(first, last):
        node = memory.nodes[beam.first + parent]
        blank = int(node.blank)
        back = int(node.last_move) ^ 1
        for move in range(NUM_MOVES):
            target = int(layout.neighbour[NUM_MOVES * blank + move])
            if target < 0 or move == back:
                continue
            row = int(node.tiles[target]) * layout.cells
            child = memory.shared.children[at]
            key = node.key ^ layout.zobrist[blank] ^ layout.zobrist[target]
            child.key = key ^ layout.zobrist[row + blank] ^ layout.zobrist[row + target]
            child.parent = parent
            child.blank = target
            child.last_move = move
            at += 1
    return at


def drop_duplicates(children: np.ndarray, first: int, last: int, seen: np.ndarray) -> int:
    """Drop the children that were expanded before; return where the others end."""
    kept = first
    for at in range(first, last):
        child = children[at]
        new = children[kept]
        new.key = child.key
        new.parent = child.parent
        new.blank = child.blank
        new.last_move = child.last_move
        # Added rather than asked, as the processor could not guess the answer.
        kept += 1 - int(selection.was_expanded(seen, child.key))
    return kept


def evaluate(
    beam: Beam, layout: BoardLayout, entries: np.ndarray, node: Node, child: Child
) -> None:
    """Write the heuristic value of a child, and its score, the sum over the views.

    Patterns that need many moves score more than in proportion, so that no tile is left far away.
    """
    blank = int(node.blank)
    target = int(child.blank)
    tile = int(node.tiles[target])
    beam.cell[tile] = blank
    h = 0
    moves_score = int(node.moves_score)
    penalties = 0
    for view in range(layout.views):
        at = view * layout.cells
        bit = layout.bit[at + target]
        entry = int(entries[index_of(beam, layout, view, tile)])
        old = int(node.entry[layout.slot[at + tile]])
        plane = PLANES * view
        more = ((beam.plane[plane] >> bit) & 1) + 2 * ((beam.plane[plane + 1] >> bit) & 1)
        more += 4 * ((beam.plane[plane + 2] >> bit) & 1)
        more += ((entry >> bit) & 1) - ((old >> bit) & 1)
        now, before = entry >> layout.moves_shift, old >> layout.moves_shift
        moves = int(node.moves[view]) + now - before
        child.entry[view] = entry
        child.moves[view] = moves
        moves_score += int(layout.score[now]) - int(layout.score[before])
        h = max(h, moves + more * layout.region_penalty)
        penalties += more * layout.region_penalty
    beam.cell[tile] = target
    child.h = h
    child.moves_score = moves_score
    noise = (child.key >> beam.tie_break) & NOISE_MASK
    child.score = moves_score + penalties * MOVE_SCORE + noise


def expand_block(memory: Memory, first: int, count: int) -> int:
    """Write the children of a block of nodes after ``count`` others; return their new number.

    Those that no solution below the upper bound goes through are left out.
    """
    beam: Beam = memory.beam[0]
    layout: BoardLayout = memory.layout[0]
    children = memory.shared.children
    moves_left = beam.upper_bound - 2 - beam.step
    end = generate(memory, first, min(first + BLOCK, beam.count), count)
    beam.nodes += end - count
    end = drop_duplicates(children, count, end, memory.shared.seen)
    parent = -1
    for at in range(count, end):
        child = children[at]
        node = memory.nodes[beam.first + child.parent]
        if child.parent != parent:
            parent = int(child.parent)
            locate_tiles(beam, layout, node)
            count_penalties(beam, layout, node)
        evaluate(beam, layout, memory.entries, node, child)
        if child.h <= moves_left:
            if count < at:
                copy_child(layout, child, children[count])
            count += 1
    return count


def copy_child(layout: BoardLayout, child: Child, new: Child) -> None:
    """Copy a child."""
    new.key = child.key
    new.parent = child.parent
    new.moves_score = child.moves_score
    new.score = child.score
    new.h = child.h
    new.blank = child.blank
    new.last_move = child.last_move
    for view in range(layout.views):
        new.entry[view] = child.entry[view]
        new.moves[view] = child.moves[view]


def make_node(layout: BoardLayout, parent: Node, child: Child, new: Node) -> None:
    """Make a node of a child."""
    tile = int(parent.tiles[child.blank])
    for cell in range(layout.cells):
        new.tiles[cell] = parent.tiles[cell]
    new.tiles[parent.blank] = tile
    new.tiles[child.blank] = 0
    for slot in range(layout.views * layout.patterns):
        new.entry[slot] = parent.entry[slot]
    for view in range(layout.views):
        new.entry[layout.slot[view * layout.cells + tile]] = child.entry[view]
        new.moves[view] = child.moves[view]
    new.moves_score = child.moves_score
    new.key = child.key
    new.blank = child.blank
    new.last_move = child.last_move


def advance(memory: Memory, num_children: int) -> None:
    """Make the next step of the best children, with their back pointers."""
    beam: Beam = memory.beam[0]
    layout: BoardLayout = memory.layout[0]
    nodes = memory.nodes
    back_pointers = memory.shared.back_pointers
    begin = beam.step * beam.capacity
    other = beam.capacity - beam.first
    count = selection.select_best(memory.shared, num_children, beam.width, begin)
    beam.goal = -1
    for place in range(count):
        child = memory.shared.children[back_pointers[begin + place]]
        make_node(layout, nodes[beam.first + child.parent], child, nodes[other + place])
        back_pointers[begin + place] = child.parent << MOVE_BITS | child.last_move
        if child.h == 0:
            beam.goal = place
    beam.first = other
    beam.count = count
    beam.step += 1


def search(memory: Memory) -> int:
    """Search on to the step ``until``: return a solution's number of moves, FAILED or UNFINISHED.

    A search that fails has no nodes left, no room for back pointers, or was stopped.
    """
    beam: Beam = memory.beam[0]
    num_pointers = len(memory.shared.back_pointers)
    while beam.step < beam.until:
        is_full = (beam.step + 1) * beam.capacity > num_pointers
        if beam.upper_bound - 2 - beam.step < 0 or is_full or beam.stop:
            return FAILED
        num_children = 0
        for first in range(0, beam.count, BLOCK):
            num_children = expand_block(memory, first, num_children)
        if num_children == 0:
            return FAILED
        advance(memory, num_children)
        if beam.goal >= 0:
            return int(beam.step)
    return UNFINISHED

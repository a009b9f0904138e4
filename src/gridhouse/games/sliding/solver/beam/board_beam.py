"""Beam search by pattern databases, for boards that they cover.

All positions of a step have as many moves behind them; those that the databases call nearest go on.
Positions that cannot be part of a shorter solution than the best known one are left out.

A child is cheap until it is judged, so a block of nodes writes the keys of all its children first,
and then a short loop leaves out those seen before: what it waits for is memory, and the processor
waits for many of them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import position
from gridhouse.games.sliding.solver.beam import selection

if TYPE_CHECKING:
    from typing import Any

MAX_CELLS = 36
FEW_CELLS = 25  # cells up to which a position takes less memory
MAX_VIEWS = 4
MAX_SLOTS = 36  # patterns of all views together
FEW_SLOTS = 24
MATES = 3  # other tiles of a pattern
PLANES = 3  # digits of how many patterns of a view ask for more; eight, which never do, are none
NUM_MOVES = 4
NONE = 4  # no move was made before
NOISE = 7  # ties are broken by so many bits of the key, those above ``salt``
STEP = 8  # the score of a move that the empty cell costs
MOST_MOVES = 256  # of a pattern, and one
POWER = 1.4  # of a pattern's moves, of which its score is made, on boards of few cells
EVEN = 8  # moves of a pattern that score as many of the empty cell's do
MOVE_BITS = 2
BLOCK = 64  # nodes whose children are looked for together

ON = 0  # neither found nor lost


class Board(position.Position):
    """A board and the views of it.

    By view: ``bit``, by cell the one in the words; by tile ``slot``, the number of its pattern
    among those of all views, ``origin``, where its table begins, ``mate``, the pattern's other
    tiles, and by cell ``worth``, what it adds to the key there.  By cell and move: ``next``, -1 for
    nowhere; by tile and cell: ``code``; by moves of a pattern ``score``.
    """

    board = position.field("int8")
    cells = position.field("int64")
    views = position.field("int64")
    patterns = position.field("int64")
    up = position.field("int64")
    gain = position.field("int64")
    next = position.field("int64", NUM_MOVES * MAX_CELLS)
    bit = position.field("int64", MAX_VIEWS * MAX_CELLS)
    slot = position.field("int64", MAX_VIEWS * MAX_CELLS)
    origin = position.field("int64", MAX_VIEWS * MAX_CELLS)
    mate = position.field("int64", MAX_VIEWS * MAX_CELLS * MATES)
    worth = position.field("int32", MAX_VIEWS * MAX_CELLS * MAX_CELLS)
    code = position.field("int64", MAX_CELLS * MAX_CELLS)
    score = position.field("int32", MOST_MOVES)


class Beam(position.Position):
    """How wide a beam is, how long it may get, how far it is.

    Solutions have fewer moves than ``shorter``.  There is ``room`` for so many positions of a step,
    of which ``width`` are kept; the last step's, ``count`` of them, begin at ``now``.  ``end`` is
    the place in the trail of a solution, -1 without one.
    """

    beam = position.field("int8")
    stop = position.field("int8")
    room = position.field("int64")
    width = position.field("int64")
    salt = position.field("int64")
    shorter = position.field("int64")
    nodes = position.field("int64")
    step = position.field("int64")
    until = position.field("int64")
    now = position.field("int64")
    count = position.field("int64")
    end = position.field("int64")
    cell = position.field("int64", MAX_CELLS)
    plane = position.field("int64", MAX_VIEWS * PLANES)


class Node(position.Position):
    """A position of a step: its tiles, the patterns' words, by view the sum of their moves.

    ``score`` is that of all patterns' moves.
    """

    key = position.field("int64")
    word = position.field("int32", FEW_SLOTS)
    moves = position.field("int16", MAX_VIEWS)
    score = position.field("int32")
    tiles = position.field("int8", FEW_CELLS)
    blank = position.field("int8")
    came = position.field("int8")
    node = position.field("int8")


class LargeNode(Node):
    """The same of a board of more than ``FEW_CELLS``."""

    word = position.field("int64", MAX_SLOTS)
    tiles = position.field("int8", MAX_CELLS)


class Child(position.Position):
    """A position that may be of the next step; by view what its last move changed.

    ``moved`` is the score of the patterns' moves, ``score`` all.
    """

    key = position.field("int64")
    parent = position.field("int32")
    moved = position.field("int32")
    score = position.field("int32")
    word = position.field("int64", MAX_VIEWS)
    moves = position.field("int16", MAX_VIEWS)
    need = position.field("int16")
    blank = position.field("int8")
    came = position.field("int8")
    child = position.field("int8")


def node_for(cells: int) -> Node:
    """Return a node for a board of so many cells."""
    return Node() if cells <= FEW_CELLS else LargeNode()


def locate(beam: Any, board: Any, node: Any) -> None:
    """Note by tile its cell."""
    for cell in range(board.cells):
        beam.cell[node.tiles[cell]] = cell


def key_of(beam: Any, board: Any, view: int, tile: int) -> int:
    """Return where the word of a tile's pattern is."""
    at = view * board.cells + tile
    key = int(board.origin[at]) + int(board.worth[at * board.cells + beam.cell[tile]])
    for number in range(at * MATES, (at + 1) * MATES):
        mate = board.mate[number]
        key += int(board.worth[(view * board.cells + mate) * board.cells + beam.cell[mate]])
    return key


def start(beam: Any, board: Any, tables: Any, node: Any) -> None:
    """Look up the words of a node whose tiles are set."""
    locate(beam, board, node)
    node.key = 0
    node.came = NONE
    node.blank = beam.cell[0]
    for tile in range(board.cells):
        node.key ^= board.code[tile * board.cells + beam.cell[tile]]
    node.score = 0
    for view in range(board.views):
        for tile in range(1, board.cells):
            node.word[board.slot[view * board.cells + tile]] = tables[
                key_of(beam, board, view, tile)
            ]
        total = 0
        for slot in range(view * board.patterns, (view + 1) * board.patterns):
            moves = int(node.word[slot]) >> board.up
            total += moves
            node.score += board.score[moves]
        node.moves[view] = total


def add_up(beam: Any, board: Any, node: Any) -> None:
    """Write by view the digits of how many of its patterns ask for more, by cell of the blank."""
    for view in range(board.views):
        ones = 0
        twos = 0
        fours = 0
        for slot in range(view * board.patterns, (view + 1) * board.patterns):
            word = int(node.word[slot])
            carry = ones & word
            ones ^= word
            fours ^= twos & carry
            twos ^= carry
        beam.plane[PLANES * view] = ones
        beam.plane[PLANES * view + 1] = twos
        beam.plane[PLANES * view + 2] = fours


def propose(
    beam: Any, board: Any, nodes: Any, first: int, last: int, children: Any, at: int
) -> int:
    """Write the keys of all children of some nodes from ``at`` on; return where they end."""
    for parent in range(first, last):
        node = nodes[beam.now + parent]
        blank = int(node.blank)
        back = int(node.came) ^ 1
        for move in range(NUM_MOVES):
            there = int(board.next[NUM_MOVES * blank + move])
            if there < 0 or move == back:
                continue
            row = int(node.tiles[there]) * board.cells
            child = children[at]
            key = node.key ^ board.code[blank] ^ board.code[there]
            child.key = key ^ board.code[row + blank] ^ board.code[row + there]
            child.parent = parent
            child.blank = there
            child.came = move
            at += 1
    return at


def sift(children: Any, first: int, last: int, seen: Any) -> int:
    """Leave out the children that were seen; return where the others end."""
    kept = first
    for at in range(first, last):
        child = children[at]
        new = children[kept]
        new.key = child.key
        new.parent = child.parent
        new.blank = child.blank
        new.came = child.came
        # Added rather than asked, as the processor could not guess the answer.
        kept += 1 - int(selection.is_seen(seen, child.key))
    return kept


def judge(beam: Any, board: Any, tables: Any, node: Any, child: Any) -> None:
    """Write what a child needs at least, and its score, by the sum over the views.

    The board says what a pattern's moves score: where far tiles count more, none is left far away.
    """
    blank = int(node.blank)
    there = int(child.blank)
    tile = int(node.tiles[there])
    beam.cell[tile] = blank
    need = 0
    moved = int(node.score)
    asked = 0
    for view in range(board.views):
        at = view * board.cells
        bit = board.bit[at + there]
        word = int(tables[key_of(beam, board, view, tile)])
        old = int(node.word[board.slot[at + tile]])
        plane = PLANES * view
        more = ((beam.plane[plane] >> bit) & 1) + 2 * ((beam.plane[plane + 1] >> bit) & 1)
        more += 4 * ((beam.plane[plane + 2] >> bit) & 1) + ((word >> bit) & 1) - ((old >> bit) & 1)
        now, before = word >> board.up, old >> board.up
        moves = int(node.moves[view]) + now - before
        child.word[view] = word
        child.moves[view] = moves
        moved += int(board.score[now]) - int(board.score[before])
        need = max(need, moves + more * board.gain)
        asked += more * board.gain
    beam.cell[tile] = there
    child.need = need
    child.moved = moved
    child.score = moved + asked * STEP + ((child.key >> beam.salt) & NOISE)


def expand(
    beam: Any, board: Any, tables: Any, nodes: Any, first: int, last: int, children: Any,
    count: int, seen: Any, rest: int,
) -> int:  # fmt: skip
    """Write the children of some nodes after ``count`` others and return how many there are then.

    Those that need more than ``rest`` moves are left out.
    """
    end = propose(beam, board, nodes, first, last, children, count)
    beam.nodes += end - count
    end = sift(children, count, end, seen)
    parent = -1
    for at in range(count, end):
        child = children[at]
        node = nodes[beam.now + child.parent]
        if child.parent != parent:
            parent = int(child.parent)
            locate(beam, board, node)
            add_up(beam, board, node)
        judge(beam, board, tables, node, child)
        if child.need <= rest:
            if count < at:
                copy(board, child, children[count])
            count += 1
    return count


def copy(board: Any, child: Any, new: Any) -> None:
    """Copy a child."""
    new.key = child.key
    new.parent = child.parent
    new.moved = child.moved
    new.score = child.score
    new.need = child.need
    new.blank = child.blank
    new.came = child.came
    for view in range(board.views):
        new.word[view] = child.word[view]
        new.moves[view] = child.moves[view]


def make(board: Any, old: Any, child: Any, new: Any) -> None:
    """Make a node of a child."""
    tile = int(old.tiles[child.blank])
    for cell in range(board.cells):
        new.tiles[cell] = old.tiles[cell]
    new.tiles[old.blank] = tile
    new.tiles[child.blank] = 0
    for slot in range(board.views * board.patterns):
        new.word[slot] = old.word[slot]
    for view in range(board.views):
        new.word[board.slot[view * board.cells + tile]] = child.word[view]
        new.moves[view] = child.moves[view]
    new.score = child.moved
    new.key = child.key
    new.blank = child.blank
    new.came = child.came


def follow(
    beam: Any, board: Any, nodes: Any, children: Any, found: int, trail: Any, seen: Any, bins: Any,
    ranks: Any,
) -> None:  # fmt: skip
    """Make the next step of the best children.

    The trail gets by step and place the place of the parent and the move.
    """
    room = beam.room
    begin = beam.step * room
    count = selection.pick(children, found, beam.width, bins, ranks, seen, trail, begin)
    beam.end = -1
    for place in range(count):
        child = children[trail[begin + place]]
        make(board, nodes[beam.now + child.parent], child, nodes[room - beam.now + place])
        trail[begin + place] = child.parent << MOVE_BITS | child.came
        if child.need == 0:
            beam.end = place
    beam.now = room - beam.now
    beam.count = count
    beam.step += 1


def run(
    beams: Any, boards: Any, tables: Any, nodes: Any, children: Any, seen: Any, bins: Any,
    ranks: Any, trail: Any,
) -> int:  # fmt: skip
    """Search on to the step ``until``: return the moves of a solution, -1 if there is none, or ON.

    ``nodes`` has room for two steps.
    """
    beam = beams[0]
    board = boards[0]
    while beam.step < beam.until:
        rest = beam.shorter - 2 - beam.step
        if rest < 0 or (beam.step + 1) * beam.room > len(trail) or beam.stop:
            return -1
        found = 0
        for first in range(0, beam.count, BLOCK):
            last = min(first + BLOCK, beam.count)
            found = expand(beam, board, tables, nodes, first, last, children, found, seen, rest)
        if found == 0:
            return -1
        follow(beam, board, nodes, children, found, trail, seen, bins, ranks)
        if beam.end >= 0:
            length: int = beam.step
            return length
    return ON

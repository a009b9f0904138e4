"""The children of a node: made one ahead of the one looked at, scored, and listed as moves."""

from __future__ import annotations

from gridhouse.core import bits, chance
from gridhouse.games.binary.solver.kernels import nodes, transpositions
from gridhouse.games.binary.solver.kernels.records import (
    HEAP_MOVE,
    LOOKUP,
    LOSS,
    NONE,
    ORDER,
    SPARE,
    UNKNOWN,
    WIN,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.solver.kernels.records import (
        BoardTables,
        Control,
        Layout,
        Memory,
        Node,
        Words,
    )

LATE = 1 << 20  # added to the score of a move that is to be tried late
TRIED = 1 << 60  # the score of a move that needs no more search


def prepare(node: Node, board: BoardTables, table: Words) -> None:
    """Simplify a position and note its static outcome; without one, set its key and prefetch."""
    nodes.simplify(node, board)
    node.static_outcome = nodes.static_outcome(node)
    if node.static_outcome == UNKNOWN:
        nodes.set_key(node, board)
        transpositions.prefetch(table, node.key)


def known_outcome(node: Node, layout: Layout, table: Words) -> int:
    """Return who wins a prepared position if it is static or in the table, else UNKNOWN."""
    if node.static_outcome == UNKNOWN and layout.techniques & LOOKUP:
        return transpositions.probe(table, node.key, node.heap)
    return node.static_outcome


def enter(node: Node, board: BoardTables, table: Words) -> int:
    """Prepare a position; return who wins it if that is known without search."""
    prepare(node, board, table)
    return known_outcome(node, board.layout, table)


def begin_children(node: Node, board: BoardTables) -> None:
    """Begin to make the children of a node; the move that last won in its ply comes first.

    Such a killer move often wins here as well (Huberman, 1968).
    """
    nodes.refresh(node, board)
    node.num_moves = 0
    node.zeros_left = node.candidates[0]
    node.ones_left = node.candidates[1]
    node.next_heap = 0
    node.first_move = NONE
    move = node.killer
    if move == NONE:
        return
    bit = 1 << (move >> 1)
    if move & 1 == 0 and node.zeros_left & bit:
        node.zeros_left ^= bit
        node.first_move = move
    elif move & 1 and node.ones_left & bit:
        node.ones_left ^= bit
        node.first_move = move


def make_next(node: Node, child: Node, board: BoardTables, table: Words) -> bool:
    """Make and prepare the next child in a node of the stack; return False if none is left."""
    if node.first_move != NONE:
        child.move = node.first_move
        node.first_move = NONE
    elif node.zeros_left:
        child.move = 2 * bits.lowest(node.zeros_left)
        node.zeros_left &= node.zeros_left - 1
    elif node.ones_left:
        child.move = 2 * bits.lowest(node.ones_left) + 1
        node.ones_left &= node.ones_left - 1
    elif node.next_heap < node.heap:
        child.move = HEAP_MOVE
    else:
        return False
    if child.move == HEAP_MOVE:
        nodes.copy(child, node, board.layout.num_lines)
        child.heap = node.next_heap
        node.next_heap += 1
    else:
        nodes.make_child(child, node, board, child.move >> 1, child.move & 1)
    prepare(child, board, table)
    return True


def slot(ply: int, number: int) -> int:
    """Return where in the stack a child is made: in the next ply or in the spare node."""
    return SPARE if number else ply + 1


def first_child(memory: Memory, ply: int) -> int:
    """Make the first two children; return the place of the first in the stack, or NONE."""
    node = memory.stack[ply]
    begin_children(node, memory.board)
    node.next_slot = 0
    node.has_next = int(make_next(node, memory.stack[ply + 1], memory.board, memory.table))
    return next_child(memory, ply)


def next_child(memory: Memory, ply: int) -> int:
    """Make a child ahead; return the place of the one made before in the stack, or NONE.

    So the table's memory arrives while another child is looked at.
    """
    node = memory.stack[ply]
    if not node.has_next:
        return NONE
    place = slot(ply, node.next_slot)
    node.next_slot ^= 1
    ahead = memory.stack[slot(ply, node.next_slot)]
    node.has_next = int(make_next(node, ahead, memory.board, memory.table))
    return place


def is_even(cells: int, heap: int) -> bool:
    """Return whether an even number of moves is left if every cell is filled: often, a loss."""
    return (bits.population(cells) ^ heap) & 1 == 0


def score(child: Node, layout: Layout, control: Control) -> int:
    """Return the score of a move in a cell; moves of lower scores are tried first.

    First come children with an even number of moves if every cell is filled, then those with few
    replies.
    """
    if not layout.techniques & ORDER:
        return 0
    zeros = child.candidates[0]
    ones = child.candidates[1]
    cells = bits.population(zeros | ones)
    result = 4 * (bits.population(zeros) + bits.population(ones))
    result += 4 * cells if is_even(zeros | ones, child.heap) else LATE - 4 * cells
    if control.noise:
        result += chance.randbelow(control, control.noise)
    return result


def heap_score(node: Node) -> int:
    """Return the score of a move in the heap of a node.

    Half of all positions have the nimbers 0 and 1, and both are asked for everywhere.  So such
    moves come first in a larger heap, where hardly any other child has just that nimber.
    """
    return 0 if node.heap > 1 else 2 * LATE


def add_move(node: Node, child: Node, order: int) -> None:
    """List the move to a child with a score, unless a move to an equal position is listed."""
    for index in range(node.num_moves):
        if node.child_keys[index] == child.key and node.child_heaps[index] == child.heap:
            return
    index = node.num_moves
    set_child(node, index, child)
    node.moves[index] = child.move
    node.scores[index] = order
    node.num_moves += 1


def set_child(node: Node, index: int, child: Node) -> None:
    """Set the position that a listed move leads to."""
    node.child_keys[index] = child.key
    node.child_heaps[index] = child.heap
    node.child_zeros[index] = child.candidates[0]
    node.child_ones[index] = child.candidates[1]


def make_move(memory: Memory, ply: int, index: int) -> None:
    """Make the child of a listed move in the next ply."""
    node = memory.stack[ply]
    child = memory.stack[ply + 1]
    layout = memory.board.layout
    move = node.moves[index]
    node.current_move = move
    if move == HEAP_MOVE:
        nodes.copy(child, node, layout.num_lines)
    else:
        nodes.make_child(child, node, memory.board, move >> 1, move & 1)
    nodes.restrict(child, layout, node.child_zeros[index], node.child_ones[index])
    child.heap = node.child_heaps[index]
    child.key = node.child_keys[index]


def select_move(node: Node) -> int:
    """Return the index of the untried move with the lowest score, now tried; or NONE."""
    best = NONE
    least = TRIED
    for index in range(node.num_moves):
        if node.scores[index] < least:
            least = node.scores[index]
            best = index
    if best != NONE:
        node.scores[best] = TRIED
    return best


def note_winning_move(node: Node, move: int) -> None:
    """Set the winning move of a node, and the killer of its ply."""
    node.winning_move = move
    node.killer = move


def note_reply(node: Node, child: Node, outcome: int) -> None:
    """Mark the current move as winning, or its refutation as losing.

    If r refutes m, then m refutes r: both lead to the same lost position.
    """
    if outcome == LOSS:
        note_winning_move(node, node.current_move)
    elif outcome == WIN:
        index = find_move(node, child.winning_move)
        if index != NONE:
            node.scores[index] = TRIED
            node.proofs[index] = 0


def find_move(node: Node, move: int) -> int:
    """Return the index of a move in a cell in the list, or NONE."""
    if move != HEAP_MOVE:
        for index in range(node.num_moves):
            if node.moves[index] == move:
                return index
    return NONE

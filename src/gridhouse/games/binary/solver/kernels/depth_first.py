"""Depth-first search: who wins a position of the Binary Game plus a nim heap."""

from __future__ import annotations

from gridhouse.games.binary.solver.kernels import children, components, nodes, transpositions
from gridhouse.games.binary.solver.kernels.records import (
    HEAP_MOVE,
    LOSS,
    MOST_PLIES,
    NONE,
    UNKNOWN,
    WIN,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.solver.kernels.records import Control, Memory, Node

NO_MOVE = 2  # beside LOSS, WIN and UNKNOWN


def count_node(control: Control, ply: int) -> bool:
    """Count a node; return whether the search has to stop, there or by a limit."""
    control.nodes += 1
    if control.nodes >= control.limit or ply >= MOST_PLIES - 3:
        control.stop = 1
    return control.stop != 0


def list_moves(memory: Memory, ply: int) -> int:
    """List the moves to children of unknown outcome; return who wins if the others decide it."""
    node = memory.stack[ply]
    layout = memory.board.layout
    place = children.first_child(memory, ply)
    while place != NONE:
        child = memory.stack[place]
        outcome = children.known_outcome(child, layout, memory.table)
        if outcome == LOSS:
            children.note_winning_move(node, child.move)
            return WIN
        if outcome == UNKNOWN:
            if child.move == HEAP_MOVE:
                order = children.heap_score(node)
            else:
                order = children.score(child, layout, memory.control)
            children.add_move(node, child, order)
        place = children.next_child(memory, ply)
    return UNKNOWN if node.num_moves else LOSS


def prove(memory: Memory, ply: int) -> int:
    """Return who wins the position of a ply, which has been entered.

    The result means nothing once ``stop`` is set.
    """
    node = memory.stack[ply]
    node.winning_move = NONE
    outcome = transpositions.probe(memory.table, node.key, node.heap)
    if outcome != UNKNOWN:
        return outcome
    control = memory.control
    if count_node(control, ply):
        return WIN
    key = node.key
    heap = node.heap
    before = control.nodes
    nodes.compact(node, memory.board)
    is_divided = components.start_components(node, memory.board)
    if not is_divided:
        outcome = list_moves(memory, ply)
    while outcome == UNKNOWN:
        reply = enter_next(memory, ply, is_divided)
        if reply == UNKNOWN:
            reply = prove(memory, ply + 1)
        if control.stop:
            return WIN
        outcome = back_up(node, memory.stack[ply + 1], reply, is_divided)
    transpositions.store(memory.table, key, heap, outcome, control.nodes - before)
    return outcome


def enter_next(memory: Memory, ply: int, is_divided: bool) -> int:
    """Make the current component, or the child of the best untried move, the next ply.

    Returns who wins it if that is known, and NO_MOVE if all moves have been tried.
    """
    if is_divided:
        return components.enter_component(memory, ply)
    index = children.select_move(memory.stack[ply])
    if index == NONE:
        return NO_MOVE
    children.make_move(memory, ply, index)
    return UNKNOWN


def back_up(node: Node, child: Node, reply: int, is_divided: bool) -> int:
    """Return who wins a node after its component or child, if known then."""
    if is_divided:
        return components.note_component(node, reply)
    if reply == NO_MOVE:
        return LOSS
    children.note_reply(node, child, reply)
    return WIN if reply == LOSS else UNKNOWN


def prove_all_but_last(memory: Memory, ply: int) -> int:
    """Search all components but the largest, and make that the position of the ply.

    It has been entered; returns who wins it if that is known.
    """
    node = memory.stack[ply]
    while not components.is_last_component(node):
        outcome = components.enter_component(memory, ply)
        if outcome == UNKNOWN:
            outcome = prove(memory, ply + 1)
        if memory.control.stop:
            return UNKNOWN
        components.note_component(node, outcome)
    part = node.components[node.component]
    nodes.restrict(node, memory.board.layout, node.candidates[0] & part, node.candidates[1] & part)
    return children.enter(node, memory.board, memory.table)

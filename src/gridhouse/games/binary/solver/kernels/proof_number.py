"""Depth-first proof-number search (Nagai, 2002), for positions too large for depth-first search.

The proof number of a position is that of its being won for the player to move: the least disproof
number of its children.  Its disproof number is their greatest proof number and one more for each
other child (weak proof-number search, Ueda et al., 2008), which positions reached in many ways
mislead less than the sum.  The threshold of the best move is a quarter above the second best's
number, so that fewer moves are taken up again and again (Pawlewicz and Lew, 2007).

Threads share all tables.  Where all moves are likely to be needed they keep apart: each tells by
its path which position it searches at each ply.
"""

from __future__ import annotations

from gridhouse.core import bits, tables
from gridhouse.games.binary.solver.kernels import (
    children,
    components,
    depth_first,
    transpositions,
)
from gridhouse.games.binary.solver.kernels.children import TRIED
from gridhouse.games.binary.solver.kernels.records import LOSS, MOST_PLIES, NONE, UNKNOWN, WIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.solver.kernels.records import Memory, Node, SharedNumbers, Words

INFINITE = 1 << 30
SLACK = 4  # a threshold exceeds the second best number by one part in SLACK


def child_pn_key(node: Node, index: int) -> int:
    """Return the ``pn_key`` of the position that a listed move leads to."""
    return transpositions.pn_key(node.child_keys[index], node.child_heaps[index])


def read_numbers(node: Node, index: int, table: Words) -> None:
    """Set the numbers of a move's child: from the table, else by the number of its replies."""
    at = transpositions.pn_find(table, child_pn_key(node, index))
    if at != tables.ABSENT:
        numbers = table[at + 1]
        node.proofs[index] = numbers >> transpositions.NUMBER_BITS
        node.disproofs[index] = numbers & transpositions.NUMBER
        return
    replies = bits.population(node.child_zeros[index]) + bits.population(node.child_ones[index])
    node.proofs[index] = 1
    node.disproofs[index] = replies


def add_child(memory: Memory, ply: int, child: Node, table: Words) -> None:
    """List the move to a child of unknown outcome, with a score or with numbers.

    Children that are small, or fall apart, are searched depth first and get scores.
    """
    node = memory.stack[ply]
    index = node.num_moves
    children.add_move(node, child, TRIED)
    if node.num_moves == index:
        return
    layout = memory.board.layout
    cells = bits.population(child.candidates[0] | child.candidates[1])
    if cells <= layout.depth_first_cells or components.find_components(child, memory.board) > 1:
        node.scores[index] = children.score(child, layout, memory.control)
        node.proofs[index] = 0
    else:
        read_numbers(node, index, table)


def search_scored(memory: Memory, ply: int, table: Words) -> int:
    """Search the moves with scores depth first; return WIN if one of them wins.

    The last component of a child may be too large: then its move gets numbers.
    """
    node = memory.stack[ply]
    child = memory.stack[ply + 1]
    index = children.select_move(node)
    while index != NONE:
        children.make_move(memory, ply, index)
        child.winning_move = NONE
        reply = UNKNOWN
        if components.start_components(child, memory.board):
            reply = depth_first.prove_all_but_last(memory, ply + 1)
        cells = bits.population(child.candidates[0] | child.candidates[1])
        if reply == UNKNOWN and cells <= memory.board.layout.depth_first_cells:
            reply = depth_first.prove(memory, ply + 1)
        if memory.control.stop:
            return UNKNOWN
        if reply == UNKNOWN:
            children.set_child(node, index, child)
            read_numbers(node, index, table)
        children.note_reply(node, child, reply)
        if reply == LOSS:
            return WIN
        index = children.select_move(node)
    return UNKNOWN


def list_moves(memory: Memory, ply: int, table: Words) -> int:
    """List the moves of a node with their numbers; return WIN if one of them wins.

    The result means nothing once ``stop`` is set.
    """
    node = memory.stack[ply]
    layout = memory.board.layout
    place = children.first_child(memory, ply)
    while place != NONE:
        ahead = memory.stack[children.slot(ply, node.next_slot)]
        transpositions.pn_prefetch(table, transpositions.pn_key(ahead.key, ahead.heap))
        child = memory.stack[place]
        outcome = children.known_outcome(child, layout, memory.table)
        if outcome == LOSS:
            children.note_winning_move(node, child.move)
            return WIN
        if outcome == UNKNOWN:
            add_child(memory, ply, child, table)
        place = children.next_child(memory, ply)
    return search_scored(memory, ply, table)


def sum_up(node: Node) -> None:
    """Set the best move, the two least disproof numbers, and the disproof number's two terms."""
    node.greatest_proof = 0
    node.num_open = 0
    node.best = NONE
    node.least_disproof = INFINITE
    node.second_disproof = INFINITE
    for index in range(node.num_moves):
        if node.proofs[index] > 0:
            node.num_open += 1
            node.greatest_proof = max(node.greatest_proof, node.proofs[index])
            compare(node, index)


def compare(node: Node, index: int) -> None:
    """Take a move's disproof number into account for the best move and the two least numbers."""
    disproof = node.disproofs[index]
    if disproof < node.least_disproof:
        node.second_disproof = node.least_disproof
        node.least_disproof = disproof
        node.best = index
    elif disproof < node.second_disproof:
        node.second_disproof = disproof


def is_busy(paths: Words, thread: int, ply: int, key: int) -> bool:
    """Return whether another thread searches a position at this ply, by its ``pn_key``."""
    found = False
    for first in range(0, len(paths), MOST_PLIES):
        is_other = first != thread * MOST_PLIES
        found = found or (is_other and paths[first + ply] == key)
    return found


def avoid_others(node: Node, ply: int, paths: Words, thread: int) -> None:
    """Take the best move that no other thread searches, if one searches the best of all.

    That is for lost positions, where all moves have to be searched.  Where one winning move is
    enough, another thread's work on another one is wasted.
    """
    best = node.best
    second = node.second_disproof
    if not is_busy(paths, thread, ply + 1, child_pn_key(node, best)):
        return
    node.least_disproof = INFINITE
    node.second_disproof = INFINITE
    for index in range(node.num_moves):
        is_open = node.proofs[index] > 0
        if is_open and not is_busy(paths, thread, ply + 1, child_pn_key(node, index)):
            compare(node, index)
    if node.best == best:  # other threads search all of them
        node.second_disproof = second


def expand(
    memory: Memory, numbers: SharedNumbers, ply: int, proof_limit: int, disproof_limit: int
) -> int:
    """Search an entered position until a number reaches its limit; return who wins if known."""
    control = memory.control
    if depth_first.count_node(control, ply):
        return UNKNOWN
    node = memory.stack[ply]
    key = node.key
    before = control.nodes
    node.winning_move = NONE
    outcome = list_moves(memory, ply, numbers.table)
    while outcome == UNKNOWN and not control.stop:
        sum_up(node)
        if node.best == NONE:
            outcome = LOSS
            break
        disproof = min(INFINITE - 1, node.greatest_proof + node.num_open - 1)
        if node.least_disproof >= proof_limit or disproof >= disproof_limit:
            own_key = transpositions.pn_key(key, node.heap)
            work = control.nodes - before
            transpositions.pn_store(numbers.table, own_key, node.least_disproof, disproof, work)
            return UNKNOWN
        if children.is_even(node.candidates[0] | node.candidates[1], node.heap):
            avoid_others(node, ply, numbers.paths, control.thread)
        at = control.thread * MOST_PLIES + ply + 1
        numbers.paths[at] = child_pn_key(node, node.best)
        children.make_move(memory, ply, node.best)
        second = node.second_disproof
        child_proof_limit = disproof_limit - (node.num_open - 1)
        child_disproof_limit = min(proof_limit, second + 1 + second // SLACK)
        reply = expand(memory, numbers, ply + 1, child_proof_limit, child_disproof_limit)
        numbers.paths[at] = 0
        outcome = back_up(node, memory.stack[ply + 1], reply, numbers.table)
    if control.stop:
        return UNKNOWN
    transpositions.store(memory.table, key, node.heap, outcome, control.nodes - before)
    return outcome


def back_up(node: Node, child: Node, reply: int, table: Words) -> int:
    """Take the outcome or the new numbers of the best child over; return WIN if its move wins."""
    children.note_reply(node, child, reply)
    if reply == LOSS:
        return WIN
    if reply == WIN:
        node.proofs[node.best] = 0
    else:
        read_numbers(node, node.best, table)
    return UNKNOWN


def search(memory: Memory, numbers: SharedNumbers, proof: bool) -> int:
    """Return who wins the first position of a stack, which has been entered.

    It is searched by proof numbers, after all its components but the largest, or depth first.  The
    result means nothing once ``stop`` is set.
    """
    if not proof:
        return depth_first.prove(memory, 0)
    if components.start_components(memory.stack[0], memory.board):
        outcome = depth_first.prove_all_but_last(memory, 0)
        if outcome != UNKNOWN or memory.control.stop:
            return outcome
    return expand(memory, numbers, 0, INFINITE, INFINITE)

"""Positions that fall apart into components, which are searched one by one.

Each is searched with nim heaps beside it until one makes a lost position, which is its nimber
(Lemoine and Viennot, Nimbers are inevitable, 2012); the last one needs no nimber.
"""

from __future__ import annotations

from gridhouse.core import bits
from gridhouse.games.binary.solver.kernels import children, nodes, nogoods
from gridhouse.games.binary.solver.kernels.records import COMPONENTS, UNKNOWN, WIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.solver.kernels.records import BoardTables, Memory, Node


def find_components(node: Node, board: BoardTables) -> int:
    """List the components of a position; return how many they are."""
    if not board.layout.techniques & COMPONENTS:
        return 1
    rest = node.candidates[0] | node.candidates[1]
    part = nodes.list_groups(node, board, rest)
    count = 0
    while rest:
        before = 0
        while part != before and part != rest:
            before = part
            part = nogoods.with_neighbours(node, part)
        node.components[count] = part
        count += 1
        rest &= ~part
        part = rest & -rest
    return count


def start_components(node: Node, board: BoardTables) -> bool:
    """Return whether a position falls apart; if so, start with its smallest component."""
    count = find_components(node, board)
    if count == 1:
        return False
    for i in range(1, count):
        part = node.components[i]
        size = bits.population(part)
        j = i
        while j > 0 and bits.population(node.components[j - 1]) > size:
            node.components[j] = node.components[j - 1]
            j -= 1
        node.components[j] = part
    node.num_components = count
    node.component = 0
    node.nimber = 0
    return True


def is_last_component(node: Node) -> bool:
    """Return whether the current component is the last."""
    return node.component == node.num_components - 1


def enter_component(memory: Memory, ply: int) -> int:
    """Make the current component with a heap the next ply; return who wins it if that is known.

    The heap is the nimber tried, beside the last component the sum of all others' nimbers.
    """
    node = memory.stack[ply]
    child = memory.stack[ply + 1]
    part = node.components[node.component]
    nodes.copy(child, node, memory.board.layout.num_lines)
    nodes.restrict(child, memory.board.layout, node.candidates[0] & part, node.candidates[1] & part)
    child.heap = node.heap if is_last_component(node) else node.nimber
    return children.enter(child, memory.board, memory.table)


def note_component(node: Node, outcome: int) -> int:
    """Record who wins the current component with its heap; return who wins the whole if known."""
    if is_last_component(node):
        return outcome
    if outcome == WIN:
        node.nimber += 1
    else:
        node.heap ^= node.nimber
        node.nimber = 0
        node.component += 1
    return UNKNOWN

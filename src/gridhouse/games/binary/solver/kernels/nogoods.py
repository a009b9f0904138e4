"""Small positions, kept as candidates and minimal nogoods.

A position of few cells has few nogoods, and they determine the effect of a move: of the nogoods
with its cell, those of its digit need one cell less, and those of the other can never be filled.
That is much faster than to look lines up.  ``nogoods`` lists those of digit 0, ``num_zero_nogoods``
of them, then those of 1; none contains another of its digit, and each has two cells or more.
"""

from __future__ import annotations

INLINED = True  # see ``core.specialize``
TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.solver.kernels.records import Node


def copy(to: Node, node: Node) -> None:
    """Copy the nogoods."""
    to.num_zero_nogoods = node.num_zero_nogoods
    to.num_nogoods = node.num_nogoods
    for i in range(node.num_nogoods):
        to.nogoods[i] = node.nogoods[i]


def start_of(node: Node, digit: int) -> int:
    """Return where the nogoods of a digit begin."""
    return node.num_zero_nogoods if digit else 0


def end_of(node: Node, digit: int) -> int:
    """Return where the nogoods of a digit end."""
    return node.num_nogoods if digit else node.num_zero_nogoods


def truncate(node: Node, digit: int, end: int) -> None:
    """Let the nogoods of a digit end earlier; those of 1 move up behind those of 0."""
    gap = end_of(node, digit) - end
    if digit == 0:
        node.num_zero_nogoods = end
        for i in range(end, node.num_nogoods - gap):
            node.nogoods[i] = node.nogoods[i + gap]
    node.num_nogoods -= gap


def remove_candidates(node: Node, cells: int, digit: int) -> None:
    """Remove candidates of a digit: nogoods with these cells can never be filled."""
    if node.candidates[digit] & cells:
        node.candidates[digit] &= ~cells
        truncate(node, digit, copy_without(node, node, cells, digit))


def play(to: Node, node: Node, cell: int, digit: int) -> None:
    """Make the child that a digit leads to in a cell that can take it."""
    bit = 1 << cell
    to.candidates[digit] = node.candidates[digit] ^ bit
    to.candidates[1 - digit] = node.candidates[1 - digit] & ~bit
    if digit:
        to.num_zero_nogoods = copy_without(to, node, bit, 0)
        to.num_nogoods = copy_reduced(to, node, bit, 1)
    else:
        to.num_zero_nogoods = copy_reduced(to, node, bit, 0)
        to.num_nogoods = copy_without(to, node, bit, 1)


def copy_without(to: Node, node: Node, cells: int, digit: int) -> int:
    """Copy the nogoods of a digit that have none of these cells; return where they end."""
    at = start_of(to, digit)
    for i in range(start_of(node, digit), end_of(node, digit)):
        nogood = node.nogoods[i]
        to.nogoods[at] = nogood
        at += int(nogood & cells == 0)
    return at


def copy_reduced(to: Node, node: Node, bit: int, digit: int) -> int:
    """Copy the nogoods of the digit that a cell now holds; return where they end.

    Those with the cell lose it, and those that contain one of these are not minimal any more.  A
    nogood of one cell is no nogood: that cell cannot take the digit.
    """
    begin = start_of(to, digit)
    start = start_of(node, digit)
    stop = end_of(node, digit)
    at = begin
    forbidden = 0
    for i in range(start, stop):
        nogood = node.nogoods[i]
        rest = nogood & ~bit
        shrinks = int(rest != nogood)
        is_single = int(rest & (rest - 1) == 0)
        to.nogoods[at] = rest
        at += shrinks & ~is_single
        forbidden |= rest & -(shrinks & is_single)
    end = at
    for i in range(start, stop):
        nogood = node.nogoods[i]
        to.nogoods[at] = nogood
        at += int(nogood & (bit | forbidden) == 0 and not contains_any(to, nogood, begin, end))
    to.candidates[digit] &= ~forbidden
    return at


def contains_any(node: Node, cells: int, start: int, stop: int) -> bool:
    """Return whether a set of cells contains one of the listed nogoods."""
    found = False
    for i in range(start, stop):
        found = found or node.nogoods[i] & ~cells == 0
    return found


def all_cells(node: Node) -> int:
    """Return the cells of all nogoods."""
    result = 0
    for i in range(node.num_nogoods):
        result |= node.nogoods[i]
    return result


def with_neighbours(node: Node, part: int) -> int:
    """Return a set of cells with all nogoods that share cells with it, in one pass over them."""
    for i in range(node.num_nogoods):
        if node.nogoods[i] & part:
            part |= node.nogoods[i]
    return part

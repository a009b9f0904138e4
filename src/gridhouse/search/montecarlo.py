"""What the Monte-Carlo tree searches share: nodes, the current path, the value of a leaf.

A node is an index into an array.  It knows its first child and its next sibling.

``rules`` and ``evaluation`` are specialized for a game.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from gridhouse.core import position
from gridhouse.search import default_evaluation as evaluation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.core.contract import Rules
    from gridhouse.core.position import Position
    from gridhouse.search.playouts import Scratch

rules = cast("Rules", None)

ROOT = 0
NONE = 0  # no node: the root is neither a child nor a sibling
VALUE_SCALE = 200.0  # an evaluation of so many hundredths has the value tanh(1)


class Node(position.Position):
    """A node of a tree: its action, its links, its visits, and the sum of their values."""

    action = position.field("int32")
    first_child = position.field("int32")
    next_sibling = position.field("int32")
    visits = position.field("int32")
    total_value = position.field("float64")


class Tree(position.Position):
    """The size and the settings of a tree.

    ``path`` has the nodes of the current iteration, from the root to ``depth``; every search
    declares its length.  ``stop`` may be set from another thread at any time.
    """

    path: list[int]

    stop = position.field("int8")
    player = position.field("int8")  # the player to move at the root
    used = position.field("int32")
    capacity = position.field("int32")
    depth = position.field("int32")
    exploration = position.field("float64")


def reset(nodes: Sequence[Node], tree: Tree, player: int) -> None:
    """Remove all nodes but the root, at which the player is to move."""
    tree.player = player
    tree.used = 1
    root = nodes[ROOT]
    root.first_child = NONE
    root.visits = 0
    root.total_value = 0.0


def add_child(nodes: Sequence[Node], tree: Tree, parent: int, action: int) -> int:
    """Add a node before the other children of its parent; return it."""
    child = tree.used
    tree.used += 1
    node = nodes[child]
    node.action = action
    node.first_child = NONE
    node.next_sibling = nodes[parent].first_child
    node.visits = 0
    node.total_value = 0.0
    nodes[parent].first_child = child
    return child


def extend_path(tree: Tree, node: int) -> None:
    """Append a node to the path of the current iteration."""
    tree.depth += 1
    tree.path[tree.depth] = node


def leaf_value(state: Position, scratch: Scratch) -> float:
    """Return the value of a leaf for player 0, from -1 to 1: its result, or its evaluation."""
    if rules.is_terminal(state):
        rules.returns(state, scratch.returns)
        return scratch.returns[0]
    return math.tanh(evaluation.evaluate(state) / VALUE_SCALE)

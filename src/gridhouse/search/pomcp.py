"""Planning for who does not see everything: Monte-Carlo search over what is seen.

After Silver and Veness, Monte-Carlo planning in large POMDPs (2010).  Every iteration guesses a
world.  The tree holds only what the searcher chooses, by UCB1 (Auer, Cesa-Bianchi and Fischer,
2002), and what it sees then; the enemy is not searched for but imagined: it guesses a world of its
own from what it sees, and takes what promises most in it.  From a leaf on both sides play so.

That the enemy is imagined is the point.  A search that gives it a tree, over worlds in which the
searcher's secrets are always the true ones, lets it learn them, and takes it for an enemy who
knows everything.

``rules``, ``evaluation`` and ``playouts`` are specialized for a game.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gridhouse.core import chance, position

if TYPE_CHECKING:
    from typing import Any

rules: Any = None
evaluation: Any = None
playouts: Any = None

ROOT = 0
NONE = 0  # the root is nobody's child, so 0 is no child and no sibling
NOTHING = -1  # there is no action: the game is over

WORLD = 0  # the places of the positions at work: the world of this iteration,
VIEW = 1  # and what somebody guesses or sees of it

MAX_DEPTH = 256
EXPLORE = 0.8  # the constant of UCB1
# Plies from a leaf on, then the evaluation decides.  In hidden Tactego on 6x4 that makes 91 % of
# the points against greedy play with 0 or 7 of them, 96 with 10, 95 with 12 and 91 with 30.
HORIZON = 10
STEEPNESS = 200.0  # an evaluation of this many hundredths is worth tanh(1)


class Node(position.Position):
    """An action of the searcher, or what it sees once the enemy has answered.

    A node of the first kind has those of the second as its children, and the other way round.
    """

    node = position.field("int8")
    action = position.field("int32")
    first = position.field("int32")
    sibling = position.field("int32")
    visits = position.field("int32")
    seen = position.field("int64")  # a key of what the searcher sees
    total = position.field("float64")


class Tree(position.Position):
    """Sizes and settings of a tree, and the path of the current iteration."""

    tree = position.field("int8")
    stop = position.field("int8")  # may be set from another thread at any time
    player = position.field("int8")  # who searches
    used = position.field("int32")
    room = position.field("int32")
    depth = position.field("int32")
    explore = position.field("float64")
    path = position.field("int32", MAX_DEPTH)


def plant(nodes: Any, tree: Any, player: int) -> None:
    """Leave nothing in the tree but a root, at which the player is to move."""
    tree.player = player
    tree.used = 0
    add(nodes, tree, NOTHING, 0)


def add(nodes: Any, tree: Any, action: int, seen: int) -> int:
    """Make a node that is nobody's child yet, and return it."""
    made = tree.used
    tree.used += 1
    node = nodes[made]
    node.action = action
    node.seen = seen
    node.first = NONE
    node.sibling = NONE
    node.visits = 0
    node.total = 0.0
    return int(made)


def iterate(root: Any, work: Any, nodes: Any, tree: Any, scratch: Any, count: int) -> int:
    """Run so many iterations, or until a stop; return how many were run.

    ``root`` is an array of one position, ``work`` of two.
    """
    for done in range(count):
        if tree.stop:
            return done
        work[WORLD] = root[0]
        rules.resample(work[WORLD], tree.player, scratch)
        descend(work, nodes, tree, scratch)
        value = finish(work, tree, scratch)
        for depth in range(tree.depth + 1):
            node = nodes[tree.path[depth]]
            node.visits += 1
            node.total += value
    return count


def descend(work: Any, nodes: Any, tree: Any, scratch: Any) -> None:
    """Play from the root to a leaf, which gets children when it is come to again."""
    state = work[WORLD]
    at = ROOT
    tree.depth = 0
    tree.path[0] = ROOT
    while tree.depth < MAX_DEPTH - 2:
        if nodes[at].first == NONE:
            if at == ROOT or nodes[at].visits > 0:
                expand(state, nodes, tree, scratch, at)
            if nodes[at].first == NONE:
                break
        at = select(nodes, tree, scratch, at)
        follow(tree, at)
        rules.apply_action(state, nodes[at].action)
        while rules.current_player(state) != tree.player:
            action = imagined(work, scratch)
            if action == NOTHING:
                break
            rules.apply_action(state, action)
        if rules.is_terminal(state):
            break
        at = outlook(work, nodes, tree, at)
        if at == NONE:
            break
        follow(tree, at)


def follow(tree: Any, at: int) -> None:
    """Note a node on the path."""
    tree.depth += 1
    tree.path[tree.depth] = at


def expand(state: Any, nodes: Any, tree: Any, scratch: Any, at: int) -> None:
    """Give a node its legal actions as children, if there are any and there is room."""
    count = rules.legal_actions(state, scratch.actions)
    if tree.used + count <= tree.room:
        for index in range(count):
            child = add(nodes, tree, scratch.actions[index], 0)
            nodes[child].sibling = nodes[at].first
            nodes[at].first = child


def select(nodes: Any, tree: Any, scratch: Any, at: int) -> int:
    """Return the child to go to: one that is new, else the one of the greatest upper bound."""
    best = NONE
    best_bound = -1e300
    breadth = math.log(nodes[at].visits + 1.0)
    fresh = 0
    child = nodes[at].first
    while child != NONE:
        node = nodes[child]
        if node.visits == 0:
            fresh += 1
            if chance.randbelow(scratch, fresh) == 0:
                best = child
        elif fresh == 0:
            bound = node.total / node.visits + tree.explore * math.sqrt(breadth / node.visits)
            if bound > best_bound:
                best_bound = bound
                best = child
        child = node.sibling
    return int(best)


def outlook(work: Any, nodes: Any, tree: Any, at: int) -> int:
    """Return the node of what the searcher sees now after an action, NONE without room."""
    work[VIEW] = work[WORLD]
    rules.redact(work[VIEW], tree.player)
    seen = rules.key(work[VIEW])
    child = nodes[at].first
    while child != NONE and nodes[child].seen != seen:
        child = nodes[child].sibling
    if child == NONE and tree.used < tree.room:
        child = add(nodes, tree, NOTHING, seen)
        nodes[child].sibling = nodes[at].first
        nodes[at].first = child
    return int(child)


def imagined(work: Any, scratch: Any) -> int:
    """Return what the side to move takes that knows what it sees, or NOTHING at the end.

    It takes what promises most in a world that it guesses; chance decides among equals.
    """
    work[VIEW] = work[WORLD]
    view = work[VIEW]
    rules.resample(view, rules.current_player(view), scratch)
    count = rules.legal_actions(view, scratch.actions)
    best = NOTHING
    best_score = 0
    equal = 0
    for index in range(count):
        action = int(scratch.actions[index])
        score = evaluation.move_score(view, action)
        if equal == 0 or score > best_score:
            best = action
            best_score = score
            equal = 1
        elif score == best_score:
            equal += 1
            if chance.randbelow(scratch, equal) == 0:
                best = action
    return best


def finish(work: Any, tree: Any, scratch: Any) -> float:
    """Return what the game is worth to the searcher, from -1 to 1, if both sides go on so."""
    state = work[WORLD]
    for _ in range(HORIZON):
        action = imagined(work, scratch)
        if action == NOTHING:
            break
        rules.apply_action(state, action)
    if rules.is_terminal(state):
        rules.returns(state, scratch.made)
        return float(scratch.made[tree.player])
    value = math.tanh(evaluation.evaluate(state) / STEEPNESS)
    return value if tree.player == 0 else -value


def best_child(nodes: Any) -> int:
    """Return the root's most visited child, NONE without any."""
    best = NONE
    child = nodes[ROOT].first
    while child != NONE:
        if best == NONE or nodes[child].visits > nodes[best].visits:
            best = child
        child = nodes[child].sibling
    return int(best)

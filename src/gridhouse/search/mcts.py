"""Monte-Carlo tree search over any two-player game, in flat arrays.

Selection follows PUCT (Rosin, Multi-armed bandits with episode context, 2011; Silver et al., 2016).
The priors come from the ``move_score`` of an evaluation; the values are mixed with RAVE (Gelly and
Silver, 2007).  Proven results are backed up (Winands et al., Monte-Carlo tree search solver, 2008).
Transpositions share their children (Childs et al., Transpositions and move groups, 2008), but not
in games whose positions can repeat: there the shared tree would have cycles.

With hidden information this is information-set search from the point of view of the player to move
(Cowling, Powley and Whitehouse, 2012).  Every iteration samples a determinization, and only the
children that are legal in it count.  Move scores depend on the determinization, so priors are
means over those in which a node was visited.

``rules``, ``evaluation``, ``playouts`` and ``montecarlo`` are specialized for a game.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from gridhouse.core import position
from gridhouse.search import default_evaluation as evaluation
from gridhouse.search import montecarlo, playouts
from gridhouse.search.montecarlo import NONE, ROOT

if TYPE_CHECKING:
    from gridhouse.core.contract import Rules
    from gridhouse.core.position import Position
    from gridhouse.search.playouts import Scratch

rules = cast("Rules", None)

# The proven result of a node, for the player who chose it.
UNPROVEN = 0
WON = 1
LOST = 2
DRAWN = 3

MAX_DEPTH = 1024
EXPLORATION = 1.4  # the constant of PUCT, the same for all games
PRIOR_TEMPERATURE = 100.0  # so many hundredths of move score multiply a prior by e
MAX_PRIOR_SAMPLES = 64  # determinizations after which a prior stays as it is


class Node(montecarlo.Node):
    """A move and its statistics, for ``mover``, the player who chose it.

    ``availability`` is the number of determinizations in which the move was legal.
    """

    mover = position.field("int8")
    proven = position.field("int8")
    availability = position.field("int32")
    prior_weight = position.field("float64")  # the prior before normalization
    prior = position.field("float64")
    rave_visits = position.field("float64")
    rave_total = position.field("float64")


class Tree(montecarlo.Tree):
    """The settings of a tree, the path of the current iteration, and the transpositions.

    ``clock`` grows with every ply of every iteration; the arrays of times and stamps hold its
    values, so that nothing has to be cleared between iterations.
    """

    is_hidden = position.field("int8")  # whether each iteration samples a determinization
    has_transpositions = position.field("int8")
    horizon = position.field("int32")  # the most random moves of a playout
    expansion_threshold = position.field("int32")  # visits before a node gets children
    num_actions = position.field("int32")
    clock = position.field("int64")
    rave = position.field("float64")  # the number of visits that a RAVE value is worth
    path = position.field("int32", MAX_DEPTH)
    last_played = position.field("int64", "history")  # the time of an action, by player and action
    child_stamp = position.field("int64", "actions")  # the time at which an action had a child
    transposition_keys = position.field("int64", "transpositions")
    transposition_children = position.field("int32", "transpositions")


def reset(nodes: list[Node], tree: Tree, player: int) -> None:
    """Remove all nodes but the root, at which the player is to move."""
    montecarlo.reset(nodes, tree, player)
    nodes[ROOT].proven = UNPROVEN
    nodes[ROOT].mover = 1 - player
    clear_transpositions(tree)


def clear_transpositions(tree: Tree) -> None:
    """Forget which positions have children."""
    for slot in range(len(tree.transposition_keys)):
        tree.transposition_keys[slot] = -1


def iterate(
    root: list[Position],
    work: list[Position],
    nodes: list[Node],
    tree: Tree,
    scratch: Scratch,
    count: int,
) -> int:
    """Run iterations until their count, a stop, or a proof of the root; return how many were run.

    ``root`` and ``work`` are arrays of one position each.
    """
    for done in range(count):
        if tree.stop or nodes[ROOT].proven != UNPROVEN:
            return done
        work[0] = root[0]
        state = work[0]
        if tree.is_hidden:
            rules.resample(state, tree.player, scratch)
        tree.clock += MAX_DEPTH * 4
        leaf = select_leaf(state, nodes, tree, scratch)
        if nodes[leaf].proven == UNPROVEN:
            value = rollout(state, tree, scratch)
        else:
            value = proven_value(nodes[leaf])
        backup(nodes, tree, value)
    return count


def select_leaf(state: Position, nodes: list[Node], tree: Tree, scratch: Scratch) -> int:
    """Play from the root to a leaf and return it; expand leaves that were visited often enough."""
    node = ROOT
    tree.depth = 0
    tree.path[0] = ROOT
    while tree.depth < MAX_DEPTH - 1:
        if nodes[node].first_child == NONE:
            if nodes[node].visits >= tree.expansion_threshold or node == ROOT:
                expand(state, nodes, tree, scratch, node)
        elif tree.is_hidden:
            add_missing_children(state, nodes, tree, scratch, node)
            update_priors(state, nodes, node)
        child = select_child(state, nodes, tree, node)
        if child == NONE:
            break
        play_child(state, nodes, tree, child)
        node = child
        if nodes[node].proven != UNPROVEN:
            break
    return node


def play_child(state: Position, nodes: list[Node], tree: Tree, child: int) -> None:
    """Play the action of a child and append the child to the path."""
    action = nodes[child].action
    montecarlo.extend_path(tree, child)
    tree.last_played[nodes[child].mover * tree.num_actions + action] = tree.clock + tree.depth
    rules.apply_action(state, action)


def expand(state: Position, nodes: list[Node], tree: Tree, scratch: Scratch, parent: int) -> None:
    """Add the children of a node, link those of a transposition, or prove the end of the game."""
    count = evaluation.candidates(state, scratch.actions)
    if count == 0:
        if not tree.is_hidden:
            nodes[parent].proven = final_result(state, nodes[parent].mover, scratch)
        return
    slot = 0
    if tree.has_transpositions:
        key = rules.key(state)
        slot = key % len(tree.transposition_keys)
        if tree.transposition_keys[slot] == key:
            nodes[parent].first_child = tree.transposition_children[slot]
            return
        tree.transposition_keys[slot] = key
    if tree.used + count > tree.capacity:
        tree.transposition_keys[slot] = -1
        return
    add_children(state, nodes, tree, scratch, parent, count)
    tree.transposition_children[slot] = nodes[parent].first_child


def final_result(state: Position, player: int, scratch: Scratch) -> int:
    """Return the proven result of a finished game for a player."""
    rules.returns(state, scratch.returns)
    if scratch.returns[player] > 0:
        return WON
    return LOST if scratch.returns[player] < 0 else DRAWN


def add_children(
    state: Position, nodes: list[Node], tree: Tree, scratch: Scratch, parent: int, count: int
) -> None:
    """Add a child for each of the first ``count`` listed actions, in their order."""
    mover = rules.current_player(state)
    for index in range(count - 1, -1, -1):
        action = scratch.actions[index]
        node = nodes[montecarlo.add_child(nodes, tree, parent, action)]
        node.mover = mover
        node.proven = UNPROVEN
        node.availability = 0
        node.rave_visits = 0.0
        node.rave_total = 0.0
        node.prior_weight = prior_weight(state, action)
    normalize_priors(nodes, parent)


def prior_weight(state: Position, action: int) -> float:
    """Return the prior of an action before normalization: the softmax numerator of its score."""
    return math.exp(evaluation.move_score(state, action) / PRIOR_TEMPERATURE)


def normalize_priors(nodes: list[Node], parent: int) -> None:
    """Scale the priors of the children to the sum 1."""
    total = 0.0
    child = nodes[parent].first_child
    while child != NONE:
        total += nodes[child].prior_weight
        child = nodes[child].next_sibling
    child = nodes[parent].first_child
    while child != NONE:
        nodes[child].prior = nodes[child].prior_weight / total
        child = nodes[child].next_sibling


def add_missing_children(
    state: Position, nodes: list[Node], tree: Tree, scratch: Scratch, parent: int
) -> None:
    """Add children for the actions of this determinization that have none."""
    stamp = tree.clock + tree.depth
    child = nodes[parent].first_child
    while child != NONE:
        tree.child_stamp[nodes[child].action] = stamp
        child = nodes[child].next_sibling
    count = evaluation.candidates(state, scratch.actions)
    missing = 0
    for index in range(count):
        if tree.child_stamp[scratch.actions[index]] != stamp:
            scratch.actions[missing] = scratch.actions[index]
            missing += 1
    if missing > 0 and tree.used + missing <= tree.capacity:
        add_children(state, nodes, tree, scratch, parent, missing)


def update_priors(state: Position, nodes: list[Node], parent: int) -> None:
    """Add the move scores in this determinization to the mean priors of the children."""
    has_changed = False
    child = nodes[parent].first_child
    while child != NONE:
        node = nodes[child]
        if node.availability < MAX_PRIOR_SAMPLES and rules.refusal(state, node.action) == 0:
            weight = prior_weight(state, node.action)
            node.prior_weight += (weight - node.prior_weight) / (node.availability + 1)
            has_changed = True
        child = node.next_sibling
    if has_changed:
        normalize_priors(nodes, parent)


def select_child(state: Position, nodes: list[Node], tree: Tree, parent: int) -> int:
    """Return the legal child with the highest PUCT score, NONE without a legal child."""
    best = NONE
    best_score = -1e300
    # The visits of shared children include those by other parents, so they do not add up to this.
    exploration = tree.exploration * math.sqrt(nodes[parent].visits + 1.0)
    child = nodes[parent].first_child
    fpu = 0.0  # first-play urgency: an unvisited child has the value of its parent
    if child != NONE and nodes[parent].visits > 0:
        fpu = nodes[parent].total_value / nodes[parent].visits
        if nodes[child].mover != nodes[parent].mover:
            fpu = -fpu
    while child != NONE:
        node = nodes[child]
        if not tree.is_hidden:
            if node.proven == WON:
                return child
            score = puct(node, tree, fpu, exploration)
            if score > best_score:
                best_score = score
                best = child
        elif rules.refusal(state, node.action) == 0:
            node.availability += 1
            exploration = tree.exploration * math.sqrt(node.availability)
            score = puct(node, tree, fpu, exploration)
            if score > best_score:
                best_score = score
                best = child
        child = node.next_sibling
    return best


def puct(node: Node, tree: Tree, fpu: float, exploration: float) -> float:
    """Return the PUCT score of a child: its mean value and an exploration term by its prior."""
    if node.proven == LOST:
        return -1e100
    mean = fpu if node.visits == 0 else node.total_value / node.visits
    if node.proven == DRAWN:
        mean = 0.0
    elif tree.rave > 0.0 and node.rave_visits > 0.0:
        beta = math.sqrt(tree.rave / (3.0 * node.visits + tree.rave))
        mean = (1.0 - beta) * mean + beta * node.rave_total / node.rave_visits
    return mean + exploration * node.prior / (1.0 + node.visits)


def rollout(state: Position, tree: Tree, scratch: Scratch) -> float:
    """Play at most ``horizon`` random moves; return the value of the last position for player 0."""
    for ply in range(tree.horizon):
        action = playouts.random_action(state, scratch)
        if action == playouts.NO_ACTION:
            break
        mover = rules.current_player(state)
        tree.last_played[mover * tree.num_actions + action] = tree.clock + MAX_DEPTH + ply
        rules.apply_action(state, action)
    return montecarlo.leaf_value(state, scratch)


def proven_value(node: Node) -> float:
    """Return the value of a proven node for player 0."""
    if node.proven == DRAWN:
        return 0.0
    return 1.0 if (node.proven == WON) == (node.mover == 0) else -1.0


def backup(nodes: list[Node], tree: Tree, value: float) -> None:
    """Add the value to every node of the path, and prove what follows from the children."""
    is_proven = True
    for depth in range(tree.depth, -1, -1):
        index = tree.path[depth]
        node = nodes[index]
        node.visits += 1
        node.total_value += value if node.mover == 0 else -value
        if is_proven and depth < tree.depth and not tree.is_hidden:
            prove(nodes, index)
        is_proven = node.proven != UNPROVEN
        if tree.rave > 0.0 and node.first_child != NONE:
            update_rave(nodes, tree, index, depth, value)


def update_rave(nodes: list[Node], tree: Tree, parent: int, depth: int, value: float) -> None:
    """Add the value to the children whose action was played at this node or anywhere after it."""
    since = tree.clock + depth
    child = nodes[parent].first_child
    while child != NONE:
        node = nodes[child]
        if tree.last_played[node.mover * tree.num_actions + node.action] > since:
            node.rave_visits += 1.0
            node.rave_total += value if node.mover == 0 else -value
        child = node.next_sibling


def prove(nodes: list[Node], parent: int) -> None:
    """Prove a node from its children: a won child, or the best child if all are proven."""
    child = nodes[parent].first_child
    best = LOST
    chooser = nodes[child].mover
    while child != NONE:
        proven = nodes[child].proven
        if proven == WON:
            best = WON
            break
        if proven == UNPROVEN:
            best = UNPROVEN
        elif proven == DRAWN and best == LOST:
            best = DRAWN
        child = nodes[child].next_sibling
    if best in (WON, LOST) and chooser != nodes[parent].mover:
        best = LOST if best == WON else WON
    nodes[parent].proven = best


def best_child(nodes: list[Node], parent: int) -> int:
    """Return the child to play: a won one, or the most visited that is not lost; NONE without any.

    If all children are lost, it is one of them.
    """
    best = NONE
    best_visits = -1.0
    child = nodes[parent].first_child
    while child != NONE:
        node = nodes[child]
        visits = float(node.visits)
        if node.proven == WON:
            return child
        if node.proven == LOST:
            visits = -0.5
        if visits > best_visits:
            best_visits = visits
            best = child
        child = node.next_sibling
    return best


def find_child(nodes: list[Node], parent: int, action: int) -> int:
    """Return the child of an action, NONE if there is none."""
    child = nodes[parent].first_child
    while child != NONE and nodes[child].action != action:
        child = nodes[child].next_sibling
    return child


def copy_subtree(nodes: list[Node], copies: list[Node], new_index: list[int], root: int) -> int:
    """Copy the subtree of a node, the node first, into ``copies``; return its number of nodes.

    ``new_index`` has a place for every node.  Shared children are copied once.
    """
    for index in range(len(new_index)):
        new_index[index] = NONE
    copies[ROOT] = nodes[root]
    copies[ROOT].next_sibling = NONE
    used = 1
    done = 0
    while done < used:
        first = copies[done].first_child
        if first != NONE:
            if new_index[first] == NONE:
                used = copy_siblings(nodes, copies, new_index, first, used)
            copies[done].first_child = new_index[first]
        done += 1
    return used


def copy_siblings(
    nodes: list[Node], copies: list[Node], new_index: list[int], first: int, used: int
) -> int:
    """Append copies of a node and its next siblings; return the number of copies then."""
    child = first
    new_index[first] = used
    while child != NONE:
        copies[used] = nodes[child]
        child = nodes[child].next_sibling
        copies[used].next_sibling = NONE if child == NONE else used + 1
        used += 1
    return used

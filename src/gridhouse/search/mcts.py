"""Monte-Carlo tree search over any two-player game, in flat arrays.

Selection follows PUCT (Rosin, Multi-armed bandits with episode context, 2011; Silver et al., 2016)
over priors that come from an evaluation's ``move_score``, mixed with RAVE (Gelly and Silver, 2007).
Proven results are backed up (Winands et al., Monte-Carlo tree search solver, 2008).  In games whose
positions never repeat, those reached in several ways share what is below them (Childs et al.,
Transpositions and move groups, 2008); where they repeat, the shared tree would have cycles.

Where something is hidden, every iteration plays in a world that is guessed anew, and a node's
children count only in the worlds in which they are legal: information-set search from the point of
view of the player to move (Cowling, Powley and Whitehouse, 2012).  What a move promises depends on
the world, so priors are means over the worlds in which a node was come to.

``rules``, ``evaluation`` and ``playouts`` are specialized for a game.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gridhouse.core import position

if TYPE_CHECKING:
    from typing import Any

rules: Any = None
evaluation: Any = None
playouts: Any = None

ROOT = 0
NONE = 0  # the root is nobody's child, so 0 is no child and no sibling

# What is proven of a node, for the player who chose it.
UNPROVEN = 0
WON = 1
LOST = 2
DRAWN = 3

MAX_DEPTH = 1024
EXPLORE = 1.4  # the constant of PUCT; no game wants another
STEEPNESS = 200.0  # an evaluation of this many hundredths is worth tanh(1)
PRIOR_STEEPNESS = 100.0  # as many hundredths of move score make a prior e times as high
WORLDS = 64  # after so many a prior is known well enough


class Node(position.Position):
    """A move in the tree and what is known of it, for the player who chose it."""

    node = position.field("int8")
    mover = position.field("int8")
    proven = position.field("int8")
    action = position.field("int32")
    first = position.field("int32")
    sibling = position.field("int32")
    visits = position.field("int32")
    available = position.field("int32")
    height = position.field("float64")  # the prior before all of a node's add up to 1
    prior = position.field("float64")
    total = position.field("float64")
    rave_visits = position.field("float64")
    rave_total = position.field("float64")


class Tree(position.Position):
    """Sizes and settings of a tree, the path of the current iteration, and shared positions."""

    tree = position.field("int8")
    stop = position.field("int8")  # may be set from another thread at any time
    hidden = position.field("int8")
    shares = position.field("int8")  # whether equal positions share what is below them
    player = position.field("int8")  # from whose point of view the hidden is guessed
    used = position.field("int32")
    room = position.field("int32")
    depth = position.field("int32")
    horizon = position.field("int32")  # moves of a playout; then the evaluation decides
    ripe = position.field("int32")  # visits from which on a node gets children
    num_actions = position.field("int32")
    clock = position.field("int64")
    explore = position.field("float64")
    rave = position.field("float64")
    path = position.field("int32", MAX_DEPTH)
    played = position.field("int64", "played")  # when an action was played last, by player
    mark = position.field("int64", "actions")
    keys = position.field("int64", "shared")
    firsts = position.field("int32", "shared")


def plant(nodes: Any, tree: Any, player: int) -> None:
    """Leave nothing in the tree but a root; the player is the one to move there."""
    nodes[ROOT].first = NONE
    nodes[ROOT].visits = 0
    nodes[ROOT].total = 0.0
    nodes[ROOT].proven = UNPROVEN
    nodes[ROOT].mover = 1 - player
    tree.player = player
    tree.used = 1
    forget_shared(tree)


def forget_shared(tree: Any) -> None:
    """Let no position be shared any more."""
    for slot in range(len(tree.keys)):
        tree.keys[slot] = -1


def iterate(root: Any, work: Any, nodes: Any, tree: Any, scratch: Any, count: int) -> int:
    """Run so many iterations, or until the root is proven or a stop; return how many were run.

    ``root`` and ``work`` are arrays of one position each.
    """
    for done in range(count):
        if tree.stop or nodes[ROOT].proven != UNPROVEN:
            return done
        work[0] = root[0]
        state = work[0]
        if tree.hidden:
            rules.resample(state, tree.player, scratch)
        tree.clock += MAX_DEPTH * 4
        leaf = descend(state, nodes, tree, scratch)
        value = finish(state, nodes, tree, scratch, leaf)
        back_up(nodes, tree, value)
    return count


def descend(state: Any, nodes: Any, tree: Any, scratch: Any) -> int:
    """Play from the root to a leaf, which gets children when it is ripe; return the leaf."""
    at = ROOT
    tree.depth = 0
    tree.path[0] = ROOT
    while tree.depth < MAX_DEPTH - 1:
        if nodes[at].first == NONE and (nodes[at].visits >= tree.ripe or at == ROOT):
            expand(state, nodes, tree, scratch, at)
        elif tree.hidden and nodes[at].first != NONE:
            complete(state, nodes, tree, scratch, at)
            average(state, nodes, at)
        child = select(state, nodes, tree, at)
        if child == NONE:
            break
        play(state, nodes, tree, child)
        at = child
        if nodes[at].proven != UNPROVEN:
            break
    return at


def play(state: Any, nodes: Any, tree: Any, child: int) -> None:
    """Play a child's action and note it on the path."""
    action = nodes[child].action
    tree.depth += 1
    tree.path[tree.depth] = child
    tree.played[nodes[child].mover * tree.num_actions + action] = tree.clock + tree.depth
    rules.apply_action(state, action)


def expand(state: Any, nodes: Any, tree: Any, scratch: Any, at: int) -> None:
    """Give a node its children, or those of an equal position, or note how the game ended."""
    count = evaluation.candidates(state, scratch.actions)
    if count == 0:
        if not tree.hidden:
            nodes[at].proven = result(state, nodes[at].mover, scratch)
        return
    slot = 0
    if tree.shares:
        key = rules.key(state)
        slot = key % len(tree.keys)
        if tree.keys[slot] == key:
            nodes[at].first = tree.firsts[slot]
            return
        tree.keys[slot] = key
    if tree.used + count > tree.room:
        tree.keys[slot] = -1
        return
    add_children(state, nodes, tree, scratch, at, count)
    tree.firsts[slot] = nodes[at].first


def result(state: Any, mover: int, scratch: Any) -> int:
    """Return what a finished game proves for a player."""
    rules.returns(state, scratch.made)
    if scratch.made[mover] > 0:
        return WON
    return LOST if scratch.made[mover] < 0 else DRAWN


def add_children(state: Any, nodes: Any, tree: Any, scratch: Any, at: int, count: int) -> None:
    """Give a node a child for each of the first so many listed actions, in their order."""
    mover = rules.current_player(state)
    for index in range(count - 1, -1, -1):
        action = scratch.actions[index]
        made = tree.used
        tree.used += 1
        node = nodes[made]
        node.mover = mover
        node.action = action
        node.proven = UNPROVEN
        node.first = NONE
        node.sibling = nodes[at].first
        node.visits = 0
        node.available = 0
        node.total = 0.0
        node.rave_visits = 0.0
        node.rave_total = 0.0
        node.height = height(state, action)
        nodes[at].first = made
    set_priors(nodes, at)


def height(state: Any, action: int) -> float:
    """Return how high a move's prior stands among others, by what it promises here."""
    return math.exp(evaluation.move_score(state, action) / PRIOR_STEEPNESS)


def set_priors(nodes: Any, at: int) -> None:
    """Give a node's children priors that add up to 1."""
    heights = 0.0
    child = nodes[at].first
    while child != NONE:
        heights += nodes[child].height
        child = nodes[child].sibling
    child = nodes[at].first
    while child != NONE:
        nodes[child].prior = nodes[child].height / heights
        child = nodes[child].sibling


def complete(state: Any, nodes: Any, tree: Any, scratch: Any, at: int) -> None:
    """Add the children that a node lacks in this world."""
    stamp = tree.clock + tree.depth
    child = nodes[at].first
    while child != NONE:
        tree.mark[nodes[child].action] = stamp
        child = nodes[child].sibling
    count = evaluation.candidates(state, scratch.actions)
    lacking = 0
    for index in range(count):
        if tree.mark[scratch.actions[index]] != stamp:
            scratch.actions[lacking] = scratch.actions[index]
            lacking += 1
    if lacking > 0 and tree.used + lacking <= tree.room:
        add_children(state, nodes, tree, scratch, at, lacking)


def average(state: Any, nodes: Any, at: int) -> None:
    """Add the move scores of a node's children in this world to their priors."""
    changed = False
    child = nodes[at].first
    while child != NONE:
        node = nodes[child]
        if node.available < WORLDS and rules.refusal(state, node.action) == 0:
            node.height += (height(state, node.action) - node.height) / (node.available + 1)
            changed = True
        child = node.sibling
    if changed:
        set_priors(nodes, at)


def select(state: Any, nodes: Any, tree: Any, at: int) -> int:
    """Return the child to go to, NONE if there is none in this world."""
    best = NONE
    best_score = -1e300
    # Shared children have visits from elsewhere, so the node's own visits are not their sum.
    breadth = tree.explore * math.sqrt(nodes[at].visits + 1.0)
    child = nodes[at].first
    hope = 0.0
    if child != NONE and nodes[at].visits > 0:
        hope = nodes[at].total / nodes[at].visits
        if nodes[child].mover != nodes[at].mover:
            hope = -hope
    while child != NONE:
        node = nodes[child]
        if not tree.hidden:
            if node.proven == WON:
                return int(child)
            score = worth(node, tree, hope, breadth)
            if score > best_score:
                best_score = score
                best = child
        elif rules.refusal(state, node.action) == 0:
            node.available += 1
            breadth = tree.explore * math.sqrt(node.available)
            score = worth(node, tree, hope, breadth)
            if score > best_score:
                best_score = score
                best = child
        child = node.sibling
    return int(best)


def worth(node: Any, tree: Any, hope: float, breadth: float) -> float:
    """Return how much a child is to be preferred: what it has brought, and how little is known."""
    if node.proven == LOST:
        return -1e100
    mean = hope if node.visits == 0 else node.total / node.visits
    if node.proven == DRAWN:
        mean = 0.0
    elif tree.rave > 0.0 and node.rave_visits > 0.0:
        beta = math.sqrt(tree.rave / (3.0 * node.visits + tree.rave))
        mean = (1.0 - beta) * mean + beta * node.rave_total / node.rave_visits
    return float(mean + breadth * node.prior / (1.0 + node.visits))


def finish(state: Any, nodes: Any, tree: Any, scratch: Any, leaf: int) -> float:
    """Return what a leaf is worth to player 0, from -1 to 1, by a playout and an evaluation."""
    proven = nodes[leaf].proven
    if proven == UNPROVEN:
        for ply in range(tree.horizon):
            action = playouts.random_action(state, scratch)
            if action == playouts.NOTHING:
                break
            mover = rules.current_player(state)
            tree.played[mover * tree.num_actions + action] = tree.clock + MAX_DEPTH + ply
            rules.apply_action(state, action)
        if not rules.is_terminal(state):
            return math.tanh(evaluation.evaluate(state) / STEEPNESS)
        rules.returns(state, scratch.made)
        return float(scratch.made[0])
    value = 0.0
    if proven != DRAWN:
        value = 1.0 if proven == WON else -1.0
    return value if nodes[leaf].mover == 0 else -value


def back_up(nodes: Any, tree: Any, value: float) -> None:
    """Give every node of the path the value, and prove what follows from its children."""
    proving = True
    for depth in range(tree.depth, -1, -1):
        at = tree.path[depth]
        node = nodes[at]
        node.visits += 1
        node.total += value if node.mover == 0 else -value
        if proving and depth < tree.depth and not tree.hidden:
            prove(nodes, at)
        proving = node.proven != UNPROVEN
        if tree.rave > 0.0 and node.first != NONE:
            rave(nodes, tree, at, depth, value)


def rave(nodes: Any, tree: Any, at: int, depth: int, value: float) -> None:
    """Credit the children whose action was played at this node or anywhere after it."""
    since = tree.clock + depth
    child = nodes[at].first
    while child != NONE:
        node = nodes[child]
        if tree.played[node.mover * tree.num_actions + node.action] > since:
            node.rave_visits += 1.0
            node.rave_total += value if node.mover == 0 else -value
        child = node.sibling


def prove(nodes: Any, at: int) -> None:
    """Note what the children prove: won if one of them is won, else the best if all are proven."""
    child = nodes[at].first
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
        child = nodes[child].sibling
    if best in (WON, LOST) and chooser != nodes[at].mover:
        best = LOST if best == WON else WON
    nodes[at].proven = best


def best_child(nodes: Any, at: int) -> int:
    """Return the child to play: won, else the most visited that is not lost, NONE without any."""
    best = NONE
    best_visits = -1.0
    child = nodes[at].first
    while child != NONE:
        node = nodes[child]
        visits = float(node.visits)
        if node.proven == WON:
            return int(child)
        if node.proven == LOST:
            visits = -0.5
        if visits > best_visits:
            best_visits = visits
            best = child
        child = node.sibling
    return int(best)


def child_of(nodes: Any, at: int, action: int) -> int:
    """Return the child of an action, NONE if there is none."""
    child = nodes[at].first
    while child != NONE and nodes[child].action != action:
        child = nodes[child].sibling
    return int(child)


def move_root(nodes: Any, spare: Any, moved: Any, at: int) -> int:
    """Copy what is below a node into spare memory, its root first; return how many nodes it is.

    ``moved`` has room for the place of every node; shared children are copied once.
    """
    for place in range(len(moved)):
        moved[place] = NONE
    spare[ROOT] = nodes[at]
    spare[ROOT].sibling = NONE
    used = 1
    done = 0
    while done < used:
        first = spare[done].first
        if first != NONE:
            if moved[first] == NONE:
                used = move_siblings(nodes, spare, moved, first, used)
            spare[done].first = moved[first]
        done += 1
    return used


def move_siblings(nodes: Any, spare: Any, moved: Any, first: int, used: int) -> int:
    """Copy a node and its siblings to the end of the spare memory; return where that is now."""
    child = first
    moved[first] = used
    while child != NONE:
        spare[used] = nodes[child]
        child = nodes[child].sibling
        spare[used].sibling = NONE if child == NONE else used + 1
        used += 1
    return used

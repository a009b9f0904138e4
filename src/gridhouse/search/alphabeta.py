"""Alpha-beta search over any two-player game: deepening, with a table of positions seen.

A principal variation search (Marsland and Campbell, 1982) with a transposition table, killer moves
(Akl and Newborn, 1977), the history heuristic (Schaeffer, 1989), late moves searched less deeply
first, and, where an evaluation calls actions loud, a search of those before a leaf is evaluated.
A player may have several moves in a row, so values change their sign only with the player.

``rules`` and ``evaluation`` are bound to a game's twins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import position

if TYPE_CHECKING:
    from typing import Any

rules: Any = None
evaluation: Any = None

MAX_PLY = 96
INFINITE = 1_000_000
WIN = 900_000  # less the plies to it
DECIDED = WIN - MAX_PLY
LOUD = 100  # an action of this much promise is played out before a position is evaluated
NONE = -1

# In the order of moves, promise counts before history, and the move of the table before both.
PROMISE_SHIFT = 20
FIRST = 1 << 60

EXACT = 0
AT_LEAST = 1
AT_MOST = 2

# Late moves are searched one ply less deeply from the fourth on, two from the twelfth on.
LATE = 3
VERY_LATE = 12


class Frame(position.Position):
    """What one ply of the search needs: its moves with their order, killers, and the best line."""

    frame = position.integer("int8")
    count = position.integer("int32")
    best = position.integer("int32")
    killer = position.integers("int32", 2)
    line_length = position.integer("int32")
    actions = position.integers("int32", "actions")
    scores = position.integers("int64", "actions")
    line = position.integers("int32", MAX_PLY)
    made = position.integers("float64", 2)


class Entry(position.Position):
    """A position of the table: its key, how deeply it was searched, the result, the best move."""

    entry = position.integer("int8")
    bound = position.integer("int8")
    depth = position.integer("int16")
    action = position.integer("int32")
    value = position.integer("int32")
    key = position.integer("int64")


class Control(position.Position):
    """What a whole search shares: the count of nodes and its limit, whether to stop, the history.

    ``stop`` may be set from another thread at any time.
    """

    control = position.integer("int8")
    stop = position.integer("int8")
    nodes = position.integer("int64")
    limit = position.integer("int64")
    num_actions = position.integer("int32")
    history = position.integers("int32", "history")  # by player and action


def clear(table: Any, control: Any) -> None:
    """Forget all positions and all history."""
    for slot in range(len(table)):
        table[slot].key = NONE
    for at in range(len(control.history)):
        control.history[at] = 0


def relax(frames: Any, control: Any) -> None:
    """Make ready for another move of the same game: old history counts less."""
    control.nodes = 0
    for at in range(len(control.history)):
        control.history[at] //= 8
    for ply in range(MAX_PLY):
        frames[ply].killer[0] = NONE
        frames[ply].killer[1] = NONE


def outcome(state: Any, frame: Any, ply: int) -> int:
    """Return what a finished game is worth to the player to move; sooner wins are worth more."""
    rules.returns(state, frame.made)
    made = frame.made[rules.current_player(state)]
    if made == 0:
        return 0
    return WIN - ply if made > 0 else ply - WIN


def evaluated(state: Any) -> int:
    """Return the evaluation for the player to move."""
    value = int(evaluation.evaluate(state))
    return value if rules.current_player(state) == 0 else -value


def search(
    line: Any, frames: Any, table: Any, control: Any, ply: int, depth: int, alpha: int, beta: int
) -> int:
    """Return the value of the position at a ply for the player to move there, within a window.

    ``line`` holds the positions from the root on.  A value is meaningless once ``stop`` is set.
    """
    control.nodes += 1
    if control.nodes >= control.limit:
        control.stop = 1
    state = line[ply]
    frame = frames[ply]
    frame.line_length = 0
    if control.stop:
        return 0
    if rules.is_terminal(state):
        return outcome(state, frame, ply)
    floor = evaluated(state) if depth <= 0 else -INFINITE
    if floor >= beta or ply >= MAX_PLY - 1 or (depth <= 0 and not evaluation.HAS_LOUD):
        return floor if depth <= 0 else evaluated(state)
    key = rules.key(state)
    entry = table[key % len(table)]
    known = entry.key == key
    if ply > 0 and known and decides(entry, ply, max(depth, 0), alpha, beta):
        return from_table(entry.value, ply)
    frame.count = evaluation.candidates(state, frame.actions)
    order(state, frame, control, entry.action if known else NONE, depth <= 0)
    best = try_actions(line, frames, table, control, ply, depth, floor, alpha, beta)
    if not control.stop:
        store(
            entry, key, max(depth, 0), to_table(best, ply), bound_of(best, alpha, beta), frame.best
        )
    return best


def try_actions(
    line: Any,
    frames: Any,
    table: Any,
    control: Any,
    ply: int,
    depth: int,
    floor: int,
    alpha: int,
    beta: int,
) -> int:
    """Return the best value of the frame's actions, at least the floor; the frame keeps which."""
    frame = frames[ply]
    best = floor
    frame.best = NONE
    for index in range(frame.count):
        action = pick(frame, index)
        value = value_of(line, frames, table, control, ply, depth, max(alpha, best), beta, index)
        if control.stop:
            break
        if value > best:
            best = value
            frame.best = action
            if value > alpha:
                note_line(frames, ply, action)
        if best >= beta:
            if depth > 0:
                note_cut(frame, control, rules.current_player(line[ply]), action, depth)
            break
    return best


def value_of(
    line: Any,
    frames: Any,
    table: Any,
    control: Any,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
    index: int,
) -> int:
    """Return the value of playing the frame's action of this index, for the player who plays it.

    Later moves are expected to be no better than alpha, and searched in full only if they are.
    """
    player = rules.current_player(line[ply])
    line[ply + 1] = line[ply]
    after = line[ply + 1]
    rules.apply_action(after, frames[ply].actions[index])
    sign = 1 if rules.current_player(after) == player else -1
    if index == 0 or depth <= 0:
        return seen(line, frames, table, control, ply, depth - 1, alpha, beta, sign)
    less = reduction(frames[ply].scores[index], index, depth)
    value = seen(line, frames, table, control, ply, depth - 1 - less, alpha, alpha + 1, sign)
    if value > alpha and less > 0:
        value = seen(line, frames, table, control, ply, depth - 1, alpha, alpha + 1, sign)
    if alpha < value < beta:
        value = seen(line, frames, table, control, ply, depth - 1, alpha, beta, sign)
    return value


def seen(
    line: Any,
    frames: Any,
    table: Any,
    control: Any,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
    sign: int,
) -> int:
    """Return the value of the next ply as the player of this one sees it."""
    if sign > 0:
        return search(line, frames, table, control, ply + 1, depth, alpha, beta)
    return -search(line, frames, table, control, ply + 1, depth, -beta, -alpha)


def reduction(score: int, index: int, depth: int) -> int:
    """Return how much less deeply a late move is searched first."""
    if depth < 3 or index < LATE or score >= LOUD << PROMISE_SHIFT:
        return 0
    return 2 if index >= VERY_LATE and depth >= 4 else 1


def order(state: Any, frame: Any, control: Any, hint: int, only_loud: bool) -> None:
    """Give the frame's actions their scores; perhaps keep only the loud ones."""
    base = rules.current_player(state) * control.num_actions
    kept = 0
    for index in range(frame.count):
        action = frame.actions[index]
        promise = int(evaluation.promise(state, action))
        if only_loud and promise < LOUD:
            continue
        score = promise << PROMISE_SHIFT
        if action == hint:
            score = FIRST
        elif action == frame.killer[0] or action == frame.killer[1]:
            score += (LOUD // 2) << PROMISE_SHIFT
        frame.actions[kept] = action
        frame.scores[kept] = score + control.history[base + action]
        kept += 1
    frame.count = kept


def pick(frame: Any, start: int) -> int:
    """Bring the action with the highest score to the start of those left, and return it."""
    best = start
    for index in range(start + 1, frame.count):
        if frame.scores[index] > frame.scores[best]:
            best = index
    action = frame.actions[best]
    score = frame.scores[best]
    frame.actions[best] = frame.actions[start]
    frame.scores[best] = frame.scores[start]
    frame.actions[start] = action
    frame.scores[start] = score
    return int(action)


def note_line(frames: Any, ply: int, action: int) -> None:
    """Make the action and the best line after it the best line of a ply."""
    frame = frames[ply]
    after = frames[ply + 1]
    length = min(after.line_length, MAX_PLY - 1)
    frame.line[0] = action
    for index in range(length):
        frame.line[index + 1] = after.line[index]
    frame.line_length = length + 1


def note_cut(frame: Any, control: Any, player: int, action: int, depth: int) -> None:
    """Remember an action that refuted a position, to try it sooner elsewhere."""
    if frame.killer[0] != action:
        frame.killer[1] = frame.killer[0]
        frame.killer[0] = action
    at = player * control.num_actions + action
    control.history[at] = min(control.history[at] + depth * depth, (1 << PROMISE_SHIFT) - 1)


def bound_of(value: int, alpha: int, beta: int) -> int:
    """Return what a value says that a search within a window has found."""
    if value >= beta:
        return AT_LEAST
    return EXACT if value > alpha else AT_MOST


def decides(entry: Any, ply: int, depth: int, alpha: int, beta: int) -> bool:
    """Tell whether an entry of this position settles its value within a window."""
    if entry.depth < depth:
        return False
    value = from_table(entry.value, ply)
    if entry.bound == EXACT:
        return True
    return value >= beta if entry.bound == AT_LEAST else value <= alpha


def to_table(value: int, ply: int) -> int:
    """Return a value with wins counted from the position itself."""
    if value >= DECIDED:
        return value + ply
    return value - ply if value <= -DECIDED else value


def from_table(value: int, ply: int) -> int:
    """Return a value with wins counted from the root."""
    if value >= DECIDED:
        return int(value) - ply
    return int(value) + ply if value <= -DECIDED else int(value)


def store(entry: Any, key: int, depth: int, value: int, bound: int, action: int) -> None:
    """Keep a result, unless a deeper one of the same position is there already."""
    if entry.key == key and entry.depth > depth and bound != EXACT:
        return
    entry.key = key
    entry.depth = depth
    entry.value = value
    entry.bound = bound
    entry.action = action

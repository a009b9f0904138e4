"""Alpha-beta search over any two-player game: deepening, with a table of positions seen.

A principal variation search (Marsland and Campbell, 1982) with a transposition table, killer moves
(Akl and Newborn, 1977), the history heuristic (Schaeffer, 1989), late moves searched less deeply
first, and a quiescence search of the actions that an evaluation calls tactical.
Where an evaluation asks for random moves first, a leaf is worth what they come to (Abramson,
Expected-outcome, 1990).  A player may have several moves in a row, so values change their sign only
with the player.

``rules``, ``evaluation`` and ``playouts`` are specialized for a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import position

if TYPE_CHECKING:
    from typing import Any

rules: Any = None
evaluation: Any = None
playouts: Any = None

MAX_PLY = 96
INFINITE = 1_000_000
WIN = 900_000  # less the plies to it
DECIDED = WIN - MAX_PLY
SAMPLE = 200  # hundredths that a random game is worth to its winner
TACTICAL = 100  # an action with this move score is played out before a position is evaluated
NONE = -1

# Moves are ordered by the table's move, then by move score, then by history.
SCORE_SHIFT = 20
FIRST = 1 << 60

EXACT = 0
AT_LEAST = 1
AT_MOST = 2

# Late moves are searched one ply less deeply from the fourth on, two from the twelfth on.
LATE = 3
VERY_LATE = 12


class Frame(position.Position):
    """One ply: what is asked of it, its moves in their order, and what has been found so far.

    The window is from ``alpha`` to ``beta``; ``low`` is alpha or the best value found, if higher.
    """

    frame = position.field("int8")
    player = position.field("int8")
    is_same = position.field("int8")  # whether the player moves again after the action
    is_narrow = position.field("int8")  # whether it is only asked if the action beats the best
    less = position.field("int8")  # by how many plies less deeply it is searched first
    depth = position.field("int32")
    alpha = position.field("int32")
    beta = position.field("int32")
    low = position.field("int32")
    best = position.field("int32")
    value = position.field("int32")
    count = position.field("int32")
    index = position.field("int32")
    action = position.field("int32")
    chosen = position.field("int32")
    key = position.field("int64")
    killer = position.field("int32", 2)
    line_length = position.field("int32")
    actions = position.field("int32", "actions")
    scores = position.field("int64", "actions")
    line = position.field("int32", MAX_PLY)
    made = position.field("float64", 2)


class Entry(position.Position):
    """A position of the table: its key, how deeply it was searched, the result, the best move."""

    entry = position.field("int8")
    bound = position.field("int8")
    depth = position.field("int16")
    action = position.field("int32")
    value = position.field("int32")
    key = position.field("int64")


class Control(position.Position):
    """What a whole search shares: the count of nodes and its limit, whether to stop, the history.

    ``stop`` may be set from another thread at any time.  It is the scratch of random games, too,
    which have ``horizon`` moves at most.
    """

    control = position.field("int8")
    stop = position.field("int8")
    nodes = position.field("int64")
    limit = position.field("int64")
    num_actions = position.field("int32")
    horizon = position.field("int32")
    s0 = position.field("int64")
    s1 = position.field("int64")
    actions = position.field("int32", "actions")
    made = position.field("float64", 2)
    history = position.field("int32", "history")  # by player and action


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


def evaluated(line: Any, control: Any, ply: int) -> int:
    """Return what a leaf is worth to the player to move."""
    if control.horizon > 0:
        value = sampled(line, control, ply)
    else:
        value = int(evaluation.evaluate(line[ply]))
    return value if rules.current_player(line[ply]) == 0 else -value


def sampled(line: Any, control: Any, ply: int) -> int:
    """Return what a random game from a ply comes to for player 0; it is played in the next one."""
    line[ply + 1] = line[ply]
    state = line[ply + 1]
    playouts.play_out(state, control, control.horizon)
    if not rules.is_terminal(state):
        return int(evaluation.evaluate(state))
    rules.returns(state, control.made)
    return int(SAMPLE * control.made[0])


def search(
    line: Any, frames: Any, table: Any, control: Any, depth: int, alpha: int, beta: int
) -> int:
    """Return the value of the first position of a line for the player to move, within a window.

    ``line`` has room for one position more than there are plies.  A value is meaningless once
    ``stop`` is set.
    The plies are a loop over frames and not a recursion: functions that call each other around
    are not kept on disk as they should be (Numba 0.68), and the loop is faster as well.
    """
    open_window(frames[0], depth, alpha, beta)
    ply = 0
    goes_on = enter(line, frames[0], table, control, 0)
    while goes_on or ply > 0:
        if goes_on:
            try_action(line, frames, ply)
            ply += 1
            goes_on = enter(line, frames[ply], table, control, ply)
        else:
            ply -= 1
            goes_on = receive(line, frames, table, control, ply)
    return int(frames[0].value)


def open_window(frame: Any, depth: int, alpha: int, beta: int) -> None:
    """Ask of a ply the value of its position, within a window."""
    frame.depth = depth
    frame.alpha = alpha
    frame.beta = beta
    frame.line_length = 0


def enter(line: Any, frame: Any, table: Any, control: Any, ply: int) -> bool:
    """Begin to search a ply; return whether there are actions to try, or else a value."""
    control.nodes += 1
    if control.nodes >= control.limit:
        control.stop = 1
    frame.value = 0
    if control.stop:
        return False
    state = line[ply]
    if rules.is_terminal(state):
        frame.value = outcome(state, frame, ply)
        return False
    if settle_early(line, frame, table, control, ply):
        return False
    return list_actions(state, frame, table, control)


def settle_early(line: Any, frame: Any, table: Any, control: Any, ply: int) -> bool:
    """Tell whether the value of a position is known without trying actions, and note it."""
    frame.best = -INFINITE
    if frame.depth <= 0 or ply >= MAX_PLY - 1:
        frame.best = evaluated(line, control, ply)
        frame.value = frame.best
        if frame.best >= frame.beta or ply >= MAX_PLY - 1 or not evaluation.HAS_TACTICAL:
            return True
    frame.key = rules.key(line[ply])
    entry = table[frame.key % len(table)]
    if ply > 0 and entry.key == frame.key and decides(entry, frame, ply):
        frame.value = from_table(entry.value, ply)
        return True
    return False


def list_actions(state: Any, frame: Any, table: Any, control: Any) -> bool:
    """List the actions to try in a position, best first; return whether there are any."""
    entry = table[frame.key % len(table)]
    hint = entry.action if entry.key == frame.key else NONE
    frame.player = rules.current_player(state)
    frame.count = evaluation.candidates(state, frame.actions)
    order(state, frame, control, hint)
    frame.index = 0
    frame.chosen = NONE
    frame.low = max(frame.alpha, frame.best)
    if frame.count == 0:
        return False
    begin_action(frame)
    return True


def begin_action(frame: Any) -> None:
    """Take the next action: the first in the full window, others in a narrow one to begin with."""
    action = pick(frame)
    frame.less = 0
    frame.is_narrow = 0
    if frame.index > 0 and frame.depth > 0:
        frame.is_narrow = 1
        frame.less = reduction(frame.scores[frame.index], frame.index, frame.depth)
    frame.action = action


def reduction(score: int, index: int, depth: int) -> int:
    """Return how much less deeply a late move is searched first."""
    if depth < 3 or index < LATE or score >= TACTICAL << SCORE_SHIFT:
        return 0
    return 2 if index >= VERY_LATE and depth >= 4 else 1


def try_action(line: Any, frames: Any, ply: int) -> None:
    """Play a ply's action, and ask of the next ply what it leads to."""
    frame = frames[ply]
    line[ply + 1] = line[ply]
    after = line[ply + 1]
    rules.apply_action(after, frame.action)
    frame.is_same = rules.current_player(after) == frame.player
    depth = frame.depth - 1 - frame.less
    high = frame.low + 1 if frame.is_narrow else frame.beta
    if frame.is_same:
        open_window(frames[ply + 1], depth, frame.low, high)
    else:
        open_window(frames[ply + 1], depth, -high, -frame.low)


def receive(line: Any, frames: Any, table: Any, control: Any, ply: int) -> bool:
    """Take the value of a ply's action; return whether that ply goes on.

    An action that a narrow or shallow search finds better than expected is searched again.
    """
    frame = frames[ply]
    frame.value = frame.best
    if control.stop:
        return False
    value = frames[ply + 1].value if frame.is_same else -frames[ply + 1].value
    if value > frame.low and frame.less > 0:
        frame.less = 0
        return True
    if frame.low < value < frame.beta and frame.is_narrow:
        frame.is_narrow = 0
        return True
    if value > frame.best:
        take_best(frames, ply, value)
    frame.index += 1
    if frame.best >= frame.beta or frame.index >= frame.count:
        close(frame, table, control, ply)
        return False
    begin_action(frame)
    return True


def take_best(frames: Any, ply: int, value: int) -> None:
    """Note that an action is the best so far."""
    frame = frames[ply]
    frame.best = value
    frame.value = value
    frame.chosen = frame.action
    if value > frame.low:
        frame.low = value
        note_line(frames, ply, frame.action)


def close(frame: Any, table: Any, control: Any, ply: int) -> None:
    """Note what a finished ply has found."""
    if frame.best >= frame.beta and frame.depth > 0:
        note_cut(frame, control)
    store(table[frame.key % len(table)], frame, to_table(frame.best, ply))


def order(state: Any, frame: Any, control: Any, hint: int) -> None:
    """Give the frame's actions their scores; before a leaf, keep only the tactical ones."""
    base = frame.player * control.num_actions
    kept = 0
    for index in range(frame.count):
        action = frame.actions[index]
        moved = int(evaluation.move_score(state, action))
        if frame.depth <= 0 and moved < TACTICAL:
            continue
        score = moved << SCORE_SHIFT
        if action == hint:
            score = FIRST
        elif action == frame.killer[0] or action == frame.killer[1]:
            score += (TACTICAL // 2) << SCORE_SHIFT
        frame.actions[kept] = action
        frame.scores[kept] = score + control.history[base + action]
        kept += 1
    frame.count = kept


def pick(frame: Any) -> int:
    """Bring the action with the highest score to the front of those left, and return it."""
    start = frame.index
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


def note_cut(frame: Any, control: Any) -> None:
    """Remember an action that refuted a position, to try it sooner elsewhere."""
    action = frame.chosen
    if frame.killer[0] != action:
        frame.killer[1] = frame.killer[0]
        frame.killer[0] = action
    at = frame.player * control.num_actions + action
    more = control.history[at] + frame.depth * frame.depth
    control.history[at] = min(more, (1 << SCORE_SHIFT) - 1)


def decides(entry: Any, frame: Any, ply: int) -> bool:
    """Tell whether an entry of this position settles its value within the frame's window."""
    if entry.depth < max(frame.depth, 0):
        return False
    value = from_table(entry.value, ply)
    if entry.bound == EXACT:
        return True
    return bool(value >= frame.beta if entry.bound == AT_LEAST else value <= frame.alpha)


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


def store(entry: Any, frame: Any, value: int) -> None:
    """Keep what a frame has found, unless a deeper result of the same position is there already."""
    depth = max(frame.depth, 0)
    bound = AT_MOST
    if frame.best >= frame.beta:
        bound = AT_LEAST
    elif frame.best > frame.alpha:
        bound = EXACT
    if entry.key == frame.key and entry.depth > depth and bound != EXACT:
        return
    entry.key = frame.key
    entry.depth = depth
    entry.value = value
    entry.bound = bound
    entry.action = frame.chosen

"""Alpha-beta search over any two-player game: iterative deepening with a transposition table.

A principal variation search (Marsland and Campbell, 1982) with killer moves (Akl and Newborn,
1977), the history heuristic (Schaeffer, 1989), late move reductions, and a quiescence search of
the actions that the evaluation scores as tactical.  Where an evaluation has a horizon, the value of
a leaf is the result of a random playout (Abramson, Expected-outcome, 1990).  A player may have
several moves in a row, so values change their sign only with the player.

``rules``, ``evaluation`` and ``playouts`` are specialized for a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from gridhouse.core import position
from gridhouse.search import default_evaluation as evaluation
from gridhouse.search import playouts

if TYPE_CHECKING:
    from gridhouse.core.contract import Rules
    from gridhouse.core.position import Position

rules = cast("Rules", None)

MAX_PLY = 96
INFINITE = 1_000_000
WIN = 900_000  # minus the plies to the win
DECIDED = WIN - MAX_PLY
PLAYOUT_WIN = 200  # the evaluation of a won playout, in hundredths
TACTICAL = 100  # the move score from which the quiescence search tries an action
NONE = -1

# Moves are ordered by the table's move, then by move score, then by history.
SCORE_SHIFT = 20
TABLE_MOVE_SCORE = 1 << 60
MAX_HISTORY = (1 << SCORE_SHIFT) - 1

# The bounds of an entry.
EXACT = 0
LOWER = 1
UPPER = 2

# Reductions: one ply from the fourth move on, two plies from the thirteenth on.
LATE = 3
VERY_LATE = 12


class Frame(position.Position):
    """One ply of the search: its window, its actions in their order, and its results so far.

    ``alpha`` grows with the best value; ``original_alpha`` does not.  ``pv`` is the principal
    variation.
    """

    player = position.field("int8")
    is_same_player = position.field("int8")  # whether the player moves again after the action
    is_null_window = position.field("int8")  # whether the action has a window of width one
    reduction = position.field("int8")  # plies by which the action is searched less deeply
    depth = position.field("int32")
    original_alpha = position.field("int32")
    beta = position.field("int32")
    alpha = position.field("int32")
    best_value = position.field("int32")
    value = position.field("int32")
    count = position.field("int32")
    index = position.field("int32")
    action = position.field("int32")
    best_action = position.field("int32")
    key = position.field("int64")
    killers = position.field("int32", 2)
    pv_length = position.field("int32")
    actions = position.field("int32", "actions")
    scores = position.field("int64", "actions")
    pv = position.field("int32", MAX_PLY)
    returns = position.field("float64", 2)


class Entry(position.Position):
    """An entry of the transposition table."""

    bound = position.field("int8")
    depth = position.field("int16")
    action = position.field("int32")
    value = position.field("int32")
    key = position.field("int64")


class Control(position.Position):
    """The state of a whole search: its nodes and their limit, the stop flag, the history.

    ``stop`` may be set from another thread at any time.  A control is the scratch memory of
    playouts as well; ``horizon`` is the most moves of a playout, 0 for none.
    """

    stop = position.field("int8")
    nodes = position.field("int64")
    limit = position.field("int64")
    num_actions = position.field("int32")
    horizon = position.field("int32")
    s0 = position.field("int64")
    s1 = position.field("int64")
    actions = position.field("int32", "actions")
    returns = position.field("float64", 2)
    history = position.field("int32", "history")  # by player and action


class Memory(NamedTuple):
    """The memory of a search.

    ``positions`` is the stack of the positions of the current variation, with one place more than
    there are plies; ``frames`` has a frame for each ply.
    """

    positions: list[Position]
    frames: list[Frame]
    table: list[Entry]
    control: Control


def clear(table: list[Entry], control: Control) -> None:
    """Forget all entries and all history."""
    for slot in range(len(table)):
        table[slot].key = NONE
    for index in range(len(control.history)):
        control.history[index] = 0


def age_history(frames: list[Frame], control: Control) -> None:
    """Prepare for the next move of a game: weaken the history and forget the killers."""
    for index in range(len(control.history)):
        control.history[index] //= 8
    for ply in range(MAX_PLY):
        frames[ply].killers[0] = NONE
        frames[ply].killers[1] = NONE


def search(memory: Memory, depth: int, alpha: int, beta: int) -> int:
    """Return the value of the first position for the player to move, within a window.

    The value is meaningless once ``stop`` is set.  The search is a loop over frames because
    mutually recursive functions crash when they are loaded from Numba's cache (Numba 0.68); the
    loop is also faster.
    """
    open_window(memory.frames[0], depth, alpha, beta)
    ply = 0
    has_action = visit(memory, 0)
    while has_action or ply > 0:
        if has_action:
            play_action(memory, ply)
            ply += 1
            has_action = visit(memory, ply)
        else:
            ply -= 1
            has_action = backup(memory, ply)
    return memory.frames[0].value


def open_window(frame: Frame, depth: int, alpha: int, beta: int) -> None:
    """Set the depth and the window of a ply."""
    frame.depth = depth
    frame.original_alpha = alpha
    frame.beta = beta
    frame.pv_length = 0


def visit(memory: Memory, ply: int) -> bool:
    """Start a ply; return whether it has an action to play, else its value is known."""
    control = memory.control
    frame = memory.frames[ply]
    control.nodes += 1
    if control.nodes >= control.limit:
        control.stop = 1
    frame.value = 0
    if control.stop:
        return False
    if rules.is_terminal(memory.positions[ply]):
        frame.value = final_value(memory, ply)
        return False
    if evaluate_or_probe(memory, ply):
        return False
    return generate_actions(memory, ply)


def final_value(memory: Memory, ply: int) -> int:
    """Return the value of a finished game for the player to move; sooner wins are worth more."""
    state = memory.positions[ply]
    returns = memory.frames[ply].returns
    rules.returns(state, returns)
    result = returns[rules.current_player(state)]
    if result == 0:
        return 0
    return WIN - ply if result > 0 else ply - WIN


def evaluate_or_probe(memory: Memory, ply: int) -> bool:
    """Evaluate a leaf, or probe the table; return whether the value of the ply is known now."""
    frame = memory.frames[ply]
    frame.best_value = -INFINITE
    is_last = ply >= MAX_PLY - 1
    if frame.depth <= 0 or is_last:
        frame.best_value = leaf_value(memory, ply)
        frame.value = frame.best_value
        if frame.best_value >= frame.beta or is_last or not evaluation.HAS_TACTICAL:
            return True
    frame.key = rules.key(memory.positions[ply])
    entry = memory.table[frame.key % len(memory.table)]
    if ply > 0 and entry.key == frame.key and is_cutoff(entry, frame, ply):
        frame.value = value_from_table(entry.value, ply)
        return True
    return False


def leaf_value(memory: Memory, ply: int) -> int:
    """Return the value of a leaf for the player to move."""
    state = memory.positions[ply]
    if memory.control.horizon > 0:
        value = playout_value(memory, ply)
    else:
        value = int(evaluation.evaluate(state))
    return value if rules.current_player(state) == 0 else -value


def playout_value(memory: Memory, ply: int) -> int:
    """Return the value of a random playout for player 0; it overwrites the next position."""
    control = memory.control
    memory.positions[ply + 1] = memory.positions[ply]
    state = memory.positions[ply + 1]
    playouts.play_out(state, control, control.horizon)
    if not rules.is_terminal(state):
        return int(evaluation.evaluate(state))
    rules.returns(state, control.returns)
    return int(PLAYOUT_WIN * control.returns[0])


def generate_actions(memory: Memory, ply: int) -> bool:
    """List and score the actions of a ply; return whether there are any."""
    frame = memory.frames[ply]
    state = memory.positions[ply]
    entry = memory.table[frame.key % len(memory.table)]
    table_action = entry.action if entry.key == frame.key else NONE
    frame.player = rules.current_player(state)
    frame.count = evaluation.candidates(state, frame.actions)
    score_actions(memory, ply, table_action)
    frame.index = 0
    frame.best_action = NONE
    frame.alpha = max(frame.original_alpha, frame.best_value)
    if frame.count == 0:
        return False
    start_action(frame)
    return True


def score_actions(memory: Memory, ply: int, table_action: int) -> None:
    """Score the actions of a ply for their order; at a leaf, keep the tactical ones alone."""
    frame = memory.frames[ply]
    control = memory.control
    base = frame.player * control.num_actions
    kept = 0
    for index in range(frame.count):
        action = frame.actions[index]
        move_score = int(evaluation.move_score(memory.positions[ply], action))
        if frame.depth <= 0 and move_score < TACTICAL:
            continue
        score = move_score << SCORE_SHIFT
        if action == table_action:
            score = TABLE_MOVE_SCORE
        elif action == frame.killers[0] or action == frame.killers[1]:
            score += (TACTICAL // 2) << SCORE_SHIFT
        frame.actions[kept] = action
        frame.scores[kept] = score + control.history[base + action]
        kept += 1
    frame.count = kept


def start_action(frame: Frame) -> None:
    """Take the next action; all but the first are searched with a null window first."""
    action = pick_action(frame)
    frame.reduction = 0
    frame.is_null_window = 0
    if frame.index > 0 and frame.depth > 0:
        frame.is_null_window = 1
        frame.reduction = late_move_reduction(frame.scores[frame.index], frame.index, frame.depth)
    frame.action = action


def pick_action(frame: Frame) -> int:
    """Move the remaining action with the highest score to the front, and return it."""
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
    return action


def late_move_reduction(score: int, index: int, depth: int) -> int:
    """Return the number of plies by which a late move is searched less deeply."""
    if depth < 3 or index < LATE or score >= TACTICAL << SCORE_SHIFT:
        return 0
    return 2 if index >= VERY_LATE and depth >= 4 else 1


def play_action(memory: Memory, ply: int) -> None:
    """Play the action of a ply, and open the window of the next ply."""
    frame = memory.frames[ply]
    memory.positions[ply + 1] = memory.positions[ply]
    after = memory.positions[ply + 1]
    rules.apply_action(after, frame.action)
    frame.is_same_player = rules.current_player(after) == frame.player
    depth = frame.depth - 1 - frame.reduction
    beta = frame.alpha + 1 if frame.is_null_window else frame.beta
    if frame.is_same_player:
        open_window(memory.frames[ply + 1], depth, frame.alpha, beta)
    else:
        open_window(memory.frames[ply + 1], depth, -beta, -frame.alpha)


def backup(memory: Memory, ply: int) -> bool:
    """Take the value of the action of a ply; return whether the ply has another one to play.

    If a reduced or null-window search of an action exceeds alpha, the action is searched again.
    """
    frame = memory.frames[ply]
    frame.value = frame.best_value
    if memory.control.stop:
        return False
    after = memory.frames[ply + 1]
    value = after.value if frame.is_same_player else -after.value
    if value > frame.alpha and frame.reduction > 0:
        frame.reduction = 0
        return True
    if frame.alpha < value < frame.beta and frame.is_null_window:
        frame.is_null_window = 0
        return True
    if value > frame.best_value:
        update_best(memory, ply, value)
    frame.index += 1
    if frame.best_value >= frame.beta or frame.index >= frame.count:
        finish(memory, ply)
        return False
    start_action(frame)
    return True


def update_best(memory: Memory, ply: int, value: int) -> None:
    """Make the current action the best of its ply."""
    frame = memory.frames[ply]
    frame.best_value = value
    frame.value = value
    frame.best_action = frame.action
    if value > frame.alpha:
        frame.alpha = value
        update_pv(frame, memory.frames[ply + 1])


def update_pv(frame: Frame, after: Frame) -> None:
    """Make the current action and the variation after it the principal variation of a ply."""
    length = min(after.pv_length, MAX_PLY - 1)
    frame.pv[0] = frame.action
    for index in range(length):
        frame.pv[index + 1] = after.pv[index]
    frame.pv_length = length + 1


def finish(memory: Memory, ply: int) -> None:
    """Store the result of a finished ply, and learn from a cutoff."""
    frame = memory.frames[ply]
    if frame.best_value >= frame.beta and frame.depth > 0:
        update_killers_history(frame, memory.control)
    entry = memory.table[frame.key % len(memory.table)]
    store(entry, frame, value_to_table(frame.best_value, ply))


def update_killers_history(frame: Frame, control: Control) -> None:
    """Reward the action that caused a cutoff, so that it is tried sooner in other positions."""
    action = frame.best_action
    if frame.killers[0] != action:
        frame.killers[1] = frame.killers[0]
        frame.killers[0] = action
    index = frame.player * control.num_actions + action
    control.history[index] = min(control.history[index] + frame.depth * frame.depth, MAX_HISTORY)


def is_cutoff(entry: Entry, frame: Frame, ply: int) -> bool:
    """Tell whether an entry decides the value of its position within the window of the frame."""
    if entry.depth < max(frame.depth, 0):
        return False
    value = value_from_table(entry.value, ply)
    if entry.bound == EXACT:
        return True
    return value >= frame.beta if entry.bound == LOWER else value <= frame.original_alpha


def value_to_table(value: int, ply: int) -> int:
    """Return a value whose wins count plies from the position instead of the root."""
    if value >= DECIDED:
        return value + ply
    return value - ply if value <= -DECIDED else value


def value_from_table(value: int, ply: int) -> int:
    """Return a value whose wins count plies from the root instead of the position."""
    if value >= DECIDED:
        return value - ply
    return value + ply if value <= -DECIDED else value


def store(entry: Entry, frame: Frame, value: int) -> None:
    """Replace an entry, unless it is a deeper result of the same position and this one a bound."""
    depth = max(frame.depth, 0)
    bound = UPPER
    if frame.best_value >= frame.beta:
        bound = LOWER
    elif frame.best_value > frame.original_alpha:
        bound = EXACT
    if entry.key == frame.key and entry.depth > depth and bound != EXACT:
        return
    entry.key = frame.key
    entry.depth = depth
    entry.value = value
    entry.bound = bound
    entry.action = frame.best_action

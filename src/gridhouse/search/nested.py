"""Nested rollout search over any one-player game (Cazenave, Nested Monte-Carlo search, 2009).

A search of level 1 tries every action, plays each out at random, and follows the best sequence; a
search of level n does the same with searches of the level below.  The score of a sequence is the
best evaluation on its way, and it ends there.

``rules`` and ``evaluation`` are specialized for a game.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, cast

from gridhouse.core import chance, position
from gridhouse.search import default_evaluation as evaluation

if TYPE_CHECKING:
    from gridhouse.core.contract import Rules
    from gridhouse.core.position import Position

rules = cast("Rules", None)

WORST = -(1 << 60)
WEIGHT_SCALE = 1 << 20  # the weights of random actions are whole multiples of 1 / WEIGHT_SCALE
TEMPERATURE = 100.0  # so many hundredths of move score make an action e times as likely


class Sequence(position.Position):
    """The best sequence of a level: its actions from the start of the level, and its score."""

    length = position.field("int32")
    score = position.field("int64")
    actions = position.field("int32", "plies")


class Level(position.Position):
    """The working memory of a level: the actions to try, and the weights of a random choice."""

    actions = position.field("int32", "actions")
    weights = position.field("int64", "actions")


class Control(position.Position):
    """The state of a whole search: random numbers, the games played and their limit, the stop flag.

    ``stop`` may be set from another thread at any time; ``horizon`` is the most plies of a game.
    """

    stop = position.field("int8")
    horizon = position.field("int32")
    games = position.field("int64")
    limit = position.field("int64")
    s0 = position.field("int64")
    s1 = position.field("int64")


class Memory(NamedTuple):
    """The memory of a search: a position, a best sequence and working memory for each level."""

    positions: list[Position]
    best: list[Sequence]
    levels: list[Level]
    control: Control


def search(memory: Memory, level: int, ply: int) -> None:
    """Play from the position of a level to the end, and leave its best sequence in ``best``.

    ``ply`` is the number of plies played before.
    """
    positions = memory.positions
    control = memory.control
    count_game(control)
    best = memory.best[level]
    best.length = 0
    best.score = evaluation.evaluate(positions[level])
    done = 0
    while control.stop == 0 and ply + done < control.horizon:
        actions = memory.levels[level].actions
        count = evaluation.candidates(positions[level], actions)
        for index in range(count):
            action = actions[index]
            positions[level - 1] = positions[level]
            rules.apply_action(positions[level - 1], action)
            if level == 1:
                play_out(memory, ply + done + 1)
            else:
                search(memory, level - 1, ply + done + 1)
            update_best(best, memory.best[level - 1], done, action)
            if control.stop:
                break
        if done >= best.length:
            break
        rules.apply_action(positions[level], best.actions[done])
        done += 1


def update_best(best: Sequence, found: Sequence, done: int, action: int) -> None:
    """Take over a better sequence, which follows an action after ``done`` plies."""
    if found.score > best.score:
        best.score = found.score
        best.length = done + 1 + found.length
        best.actions[done] = action
        for index in range(found.length):
            best.actions[done + 1 + index] = found.actions[index]


def play_out(memory: Memory, ply: int) -> None:
    """Play a random game from the position of level 0; leave its sequence in ``best``."""
    state = memory.positions[0]
    level = memory.levels[0]
    best = memory.best[0]
    control = memory.control
    count_game(control)
    best.length = 0
    best.score = evaluation.evaluate(state)
    done = 0
    while ply + done < control.horizon:
        count = evaluation.candidates(state, level.actions)
        if count == 0:
            break
        action = sample_action(state, level, control, count)
        rules.apply_action(state, action)
        best.actions[done] = action
        done += 1
        score = evaluation.evaluate(state)
        if score > best.score:
            best.score = score
            best.length = done


def count_game(control: Control) -> None:
    """Count a game of any level: near the end of a puzzle most searches need no playout."""
    control.games += 1
    if control.games >= control.limit:
        control.stop = 1


def sample_action(state: Position, level: Level, control: Control, count: int) -> int:
    """Return a random one of the listed actions, with probabilities by their move scores."""
    total = 0
    for index in range(count):
        score = evaluation.move_score(state, level.actions[index])
        total += 1 + int(WEIGHT_SCALE * math.exp(min(0.0, score / TEMPERATURE)))
        level.weights[index] = total
    # A random number is below 2**31; two of them suffice for any total.
    target = (
        chance.randbelow(control, 1 << 30) * (1 << 30) + chance.randbelow(control, 1 << 30)
    ) % total
    for index in range(count):
        if target < level.weights[index]:
            return level.actions[index]
    return level.actions[count - 1]

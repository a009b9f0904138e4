"""Nested rollout search over any one-player game (Cazenave, Nested Monte-Carlo search, 2009).

A search of level 1 tries every action, plays each out at random, and follows the best game seen; a
search of level n does the same with games that the level below has searched.  A game is as good as
the evaluation of its best position, and ends there.

``rules`` and ``evaluation`` are specialized for a game.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gridhouse.core import chance, position

if TYPE_CHECKING:
    from typing import Any

rules: Any = None
evaluation: Any = None

WORST = -(1 << 60)
FINE = 1 << 20  # weights of random choices are whole numbers of this size
BIAS = 100.0  # so many hundredths of score make an action e times as likely


class Game(position.Position):
    """The best game that a level has seen: its actions from the start of the level, its worth."""

    nested = position.field("int8")
    length = position.field("int32")
    worth = position.field("int64")
    actions = position.field("int32", "plies")


class Level(position.Position):
    """What a level works with: the actions to try, and the weights of a random choice."""

    level = position.field("int8")
    actions = position.field("int32", "actions")
    weights = position.field("int64", "actions")


class Control(position.Position):
    """What a whole search shares: random numbers, the games played and their limit, a stop.

    ``stop`` may be set from another thread at any time; ``horizon`` is the most plies of a game.
    """

    control = position.field("int8")
    stop = position.field("int8")
    horizon = position.field("int32")
    played = position.field("int64")
    limit = position.field("int64")
    s0 = position.field("int64")
    s1 = position.field("int64")


def search(line: Any, games: Any, levels: Any, control: Any, level: int, ply: int) -> None:
    """Play from ``line[level]`` to the end, and leave the best game seen in ``games[level]``.

    ``ply`` is how many plies before were played.  ``line[level]`` is left at the end.
    """
    count_game(control)
    best = games[level]
    best.length = 0
    best.worth = evaluation.evaluate(line[level])
    done = 0
    while not control.stop and ply + done < control.horizon:
        count = evaluation.candidates(line[level], levels[level].actions)
        for index in range(count):
            action = levels[level].actions[index]
            line[level - 1] = line[level]
            rules.apply_action(line[level - 1], action)
            if level == 1:
                play_out(line[0], games[0], levels[0], control, ply + done + 1)
            else:
                search(line, games, levels, control, level - 1, ply + done + 1)
            adopt(best, games[level - 1], done, action)
            if control.stop:
                break
        if done >= best.length:
            break
        rules.apply_action(line[level], best.actions[done])
        done += 1


def adopt(best: Any, game: Any, done: int, action: int) -> None:
    """Take over a game that goes on from an action after ``done`` plies, if it is better."""
    if game.worth > best.worth:
        best.worth = game.worth
        best.length = done + 1 + game.length
        best.actions[done] = action
        for index in range(game.length):
            best.actions[done + 1 + index] = game.actions[index]


def play_out(state: Any, game: Any, level: Any, control: Any, ply: int) -> None:
    """Play a random game to its end; keep it up to its best position."""
    count_game(control)
    game.length = 0
    game.worth = evaluation.evaluate(state)
    made = 0
    while ply + made < control.horizon:
        count = evaluation.candidates(state, level.actions)
        if count == 0:
            break
        action = draw(state, level, control, count)
        rules.apply_action(state, action)
        game.actions[made] = action
        made += 1
        worth = evaluation.evaluate(state)
        if worth > game.worth:
            game.worth = worth
            game.length = made


def count_game(control: Any) -> None:
    """Count a game begun, of any level: where few moves are left, most end without a playout."""
    control.played += 1
    if control.played >= control.limit:
        control.stop = 1


def draw(state: Any, level: Any, control: Any, count: int) -> int:
    """Return one of the listed actions, those with higher move scores more often."""
    total = 0
    for index in range(count):
        score = evaluation.move_score(state, level.actions[index])
        total += 1 + int(FINE * math.exp(min(0.0, score / BIAS)))
        level.weights[index] = total
    # A draw is below 2**31; two of them make enough for any total.
    aim = (
        chance.randbelow(control, 1 << 30) * (1 << 30) + chance.randbelow(control, 1 << 30)
    ) % total
    for index in range(count):
        if aim < level.weights[index]:
            return int(level.actions[index])
    return int(level.actions[count - 1])

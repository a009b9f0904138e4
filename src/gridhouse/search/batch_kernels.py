"""The kernels of :mod:`gridhouse.search.batch`: many positions of one game, stepped together.

Every function works on the positions from ``begin`` up to ``end``, so that each thread can have its
own range.  Every position has its own random numbers, so the results do not depend on the number of
threads.  ``rules`` and ``playouts`` are specialized for a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from gridhouse.core import chance, position
from gridhouse.search import playouts

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from gridhouse.core.contract import Rules
    from gridhouse.core.position import Position
    from gridhouse.search.playouts import Scratch

    Array = np.ndarray[Any, Any]

rules = cast("Rules", None)

NUM_STARTS = 64  # starts made by the game itself; a random start is one of them, randomized anew
MAX_TRIES = 100  # to find a start that is not over: on a board of one cell there is none


class Source(position.Position):
    """The random numbers of a position, and the moves since its start."""

    plies = position.field("int32")
    s0 = position.field("int64")
    s1 = position.field("int64")


class Games(NamedTuple):
    """The games of a batch: their positions, starts, random numbers, and returns by player.

    A game is truncated after ``horizon`` moves, 0 for never.
    """

    positions: list[Position]
    starts: list[Position]
    sources: list[Source]
    returns: Array
    horizon: int


class Results(NamedTuple):
    """The results of a step: rewards by game and player, and how games ended."""

    rewards: Array
    terminated: Array
    truncated: Array


def seed(sources: list[Source], number: int, begin: int, end: int) -> None:
    """Seed the random numbers of every position differently."""
    for index in range(begin, end):
        chance.seed(sources[index], (chance.zobrist(number) ^ chance.zobrist(~index)) >> 1)


def restart(games: Games, index: int) -> None:
    """Restart a game from a random start that is not over."""
    source = games.sources[index]
    for _ in range(MAX_TRIES):
        games.positions[index] = games.starts[chance.randbelow(source, len(games.starts))]
        rules.randomize_start(games.positions[index], source)
        if not rules.is_terminal(games.positions[index]):
            break
    source.plies = 0
    rules.returns(games.positions[index], games.returns[index])


def refused(
    positions: list[Position], actions: Array, over: Array, out: Array, begin: int, end: int
) -> None:
    """Write whether an action is illegal in its position; it never is where the game is over."""
    for index in range(begin, end):
        action = int(actions[index])
        out[index] = not over[index] and (
            action < 0 or rules.refusal(positions[index], action) != 0
        )


def step(
    games: Games, results: Results, actions: Array, skipped: Array, begin: int, end: int
) -> None:
    """Play one legal action in every game; games that were over are restarted instead.

    A reward is the change of a player's return.  Skipped games do not change.
    """
    terminated, truncated = results.terminated, results.truncated
    rewards = results.rewards
    for index in range(begin, end):
        for player in range(rewards.shape[1]):
            rewards[index, player] = 0
        if skipped[index]:
            continue
        if terminated[index] or truncated[index]:
            restart(games, index)
            truncated[index] = False
        else:
            source = games.sources[index]
            source.plies += 1
            rules.apply_action(games.positions[index], int(actions[index]))
            truncated[index] = 0 < games.horizon <= source.plies
        over = rules.is_terminal(games.positions[index])
        terminated[index] = over
        truncated[index] = truncated[index] and not over
        # Games for two have no returns before the end, and computing them can be slow.
        if over or rewards.shape[1] == 1:
            update_returns(games, rewards, index)


def update_returns(games: Games, rewards: Array, index: int) -> None:
    """Update the returns of a game, and write their changes as rewards."""
    returns = games.returns
    for player in range(returns.shape[1]):
        rewards[index, player] = -returns[index, player]
    rules.returns(games.positions[index], returns[index])
    for player in range(returns.shape[1]):
        rewards[index, player] += returns[index, player]


def masks(positions: list[Position], scratch: Scratch, out: Array, begin: int, end: int) -> None:
    """Write 1 for every legal action and 0 for every other."""
    for index in range(begin, end):
        out[index, :] = 0
        for listed in range(rules.legal_actions(positions[index], scratch.actions)):
            out[index, scratch.actions[listed]] = 1


def players(positions: list[Position], out: Array, begin: int, end: int) -> None:
    """Write the player to move of each position."""
    for index in range(begin, end):
        out[index] = rules.current_player(positions[index])


def random_actions(
    positions: list[Position],
    sources: list[Source],
    scratch: Scratch,
    out: Array,
    begin: int,
    end: int,
) -> None:
    """Write a random legal action for every position, 0 where the game is over."""
    for index in range(begin, end):
        source = sources[index]
        scratch.s0 = source.s0
        scratch.s1 = source.s1
        out[index] = max(0, playouts.random_action(positions[index], scratch))
        source.s0 = scratch.s0
        source.s1 = scratch.s1


def observations(
    positions: list[Position],
    work: list[Position],
    viewers: Array,
    out: Array,
    begin: int,
    end: int,
) -> None:
    """Write the observation planes of the viewers; ``work`` is an array of one position."""
    for index in range(begin, end):
        work[0] = positions[index]
        viewer = int(viewers[index])
        rules.redact(work[0], viewer)
        out[index, :] = 0
        rules.observation_planes(work[0], viewer, out[index])

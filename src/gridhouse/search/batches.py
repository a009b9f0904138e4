"""Many positions of one game at once: what a batch does to a range of them, compiled.

Every function works on the positions from ``begin`` up to ``end``, so that each thread can have a
range of its own.  Every position has its own source of random numbers; so nothing depends on how
many threads there are.  ``rules`` and ``playouts`` are specialized for a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import chance, position

if TYPE_CHECKING:
    from typing import Any

rules: Any = None
playouts: Any = None

STARTS = 64  # so many are made by the game itself; a random start is one of them, dealt anew
MOST_DEALS = 100  # on a board of one cell there is no start that is not over


class Source(position.Position):
    """A position's own random numbers, and the moves made since its start."""

    source = position.field("int8")
    plies = position.field("int32")
    s0 = position.field("int64")
    s1 = position.field("int64")


def seed(sources: Any, number: int, begin: int, end: int) -> None:
    """Start every source at a number of its own."""
    for at in range(begin, end):
        chance.seed(sources[at], (chance.zobrist(number) ^ chance.zobrist(~at)) >> 1)


def reset(
    positions: Any, starts: Any, sources: Any, made: Any, where: Any, begin: int, end: int
) -> None:
    """Deal new starts to the positions where this is wanted."""
    for at in range(begin, end):
        if where[at]:
            restart(positions, starts, sources, made, at)


def restart(positions: Any, starts: Any, sources: Any, made: Any, at: int) -> None:
    """Deal a new start that is not over already: one of the given, and what chance makes of it."""
    for _ in range(MOST_DEALS):
        positions[at] = starts[chance.randbelow(sources[at], len(starts))]
        rules.randomize_start(positions[at], sources[at])
        if not rules.is_terminal(positions[at]):
            break
    sources[at].plies = 0
    rules.returns(positions[at], made[at])


def refused(positions: Any, actions: Any, over: Any, out: Any, begin: int, end: int) -> int:
    """Write whether each position that goes on refuses its action; return how many do."""
    count = 0
    for at in range(begin, end):
        action = int(actions[at])
        out[at] = not over[at] and (action < 0 or rules.refusal(positions[at], action) != 0)
        count += out[at]
    return count


def step(
    positions: Any,
    starts: Any,
    sources: Any,
    actions: Any,
    skipped: Any,
    made: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
    horizon: int,
    begin: int,
    end: int,
) -> None:
    """Play one legal action in every position; those that were over begin anew instead.

    A reward is what the step has added to a player's returns.  Skipped positions stay as they are.
    """
    for at in range(begin, end):
        for player in range(rewards.shape[1]):
            rewards[at, player] = 0
        if skipped[at]:
            continue
        if terminated[at] or truncated[at]:
            restart(positions, starts, sources, made, at)
            truncated[at] = False
        else:
            sources[at].plies += 1
            rules.apply_action(positions[at], int(actions[at]))
            truncated[at] = 0 < horizon <= sources[at].plies
        over = rules.is_terminal(positions[at])
        terminated[at] = over
        truncated[at] = truncated[at] and not over
        # A game for two gives nothing before its end, and may have to look who cannot move.
        if over or rewards.shape[1] == 1:
            reward(positions[at], made, rewards, at)


def reward(state: Any, made: Any, out: Any, at: int) -> None:
    """Write what has been added to the returns since they were noted, and note them."""
    for player in range(out.shape[1]):
        out[at, player] = -made[at, player]
    rules.returns(state, made[at])
    for player in range(out.shape[1]):
        out[at, player] += made[at, player]


def masks(positions: Any, scratch: Any, out: Any, begin: int, end: int) -> None:
    """Write a 1 for every legal action and a 0 for every other."""
    for at in range(begin, end):
        out[at, :] = 0
        for index in range(rules.legal_actions(positions[at], scratch.actions)):
            out[at, scratch.actions[index]] = 1


def players(positions: Any, out: Any, begin: int, end: int) -> None:
    """Write who is to move."""
    for at in range(begin, end):
        out[at] = rules.current_player(positions[at])


def over(positions: Any, out: Any, begin: int, end: int) -> None:
    """Write whether the game is over."""
    for at in range(begin, end):
        out[at] = rules.is_terminal(positions[at])


def random_actions(
    positions: Any, sources: Any, scratch: Any, out: Any, begin: int, end: int
) -> None:
    """Write a random legal action for every position, 0 where the game is over."""
    for at in range(begin, end):
        scratch.s0 = sources[at].s0
        scratch.s1 = sources[at].s1
        out[at] = max(0, playouts.random_action(positions[at], scratch))
        sources[at].s0 = scratch.s0
        sources[at].s1 = scratch.s1


def observations(positions: Any, work: Any, viewers: Any, out: Any, begin: int, end: int) -> None:
    """Write the planes that the viewers see; ``work`` is room for one position."""
    for at in range(begin, end):
        work[0] = positions[at]
        viewer = int(viewers[at])
        rules.redact(work[0], viewer)
        out[at, :] = 0
        rules.observation_planes(work[0], viewer, out[at])

"""Uniformly random games, for the searches and for measuring the speed of rules.

``rules`` is specialized for a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from gridhouse.core import chance, position

if TYPE_CHECKING:
    from typing import Protocol

    from gridhouse.core.contract import Rules
    from gridhouse.core.position import Position

    class HasScratch(Protocol):
        """Scratch memory, or a search's memory with its fields."""

        num_actions: int
        s0: int
        s1: int
        actions: list[int]


rules = cast("Rules", None)

# One try for so many actions, and two more, before the legal actions are listed.
ACTIONS_PER_TRY = 12
NO_ACTION = -1  # the game is over


class Scratch(position.Position):
    """Scratch memory: random numbers, a list of actions, and the returns of the players."""

    num_actions = position.field("int64")
    s0 = position.field("int64")
    s1 = position.field("int64")
    actions = position.field("int32", "actions")
    returns = position.field("float64", "players")


def sample_candidate(state: Position, scratch: HasScratch) -> int:
    """Return a random action, legal or not.

    Rules may have their own ``sample_candidate(state, rng)``, which replaces this one.  Every legal
    action must have the same probability, and the illegal ones a smaller one in all.
    """
    return chance.randbelow(scratch, scratch.num_actions)


def random_action(state: Position, scratch: HasScratch) -> int:
    """Return a uniformly random legal action, NO_ACTION when the game is over.

    Rejection sampling is mostly cheaper than listing the legal actions.
    """
    for _ in range(2 + scratch.num_actions // ACTIONS_PER_TRY):
        action = sample_candidate(state, scratch)
        if rules.refusal(state, action) == 0:
            return action
    count = rules.legal_actions(state, scratch.actions)
    if count == 0:
        return NO_ACTION
    return scratch.actions[chance.randbelow(scratch, count)]


def play_out(state: Position, scratch: HasScratch, limit: int) -> int:
    """Play at most ``limit`` random moves; return how many were played before the game was over."""
    for ply in range(limit):
        action = random_action(state, scratch)
        if action == NO_ACTION:
            return ply
        rules.apply_action(state, action)
    return limit


def play_outs(
    start: list[Position], work: list[Position], scratch: Scratch, games: int, limit: int
) -> int:
    """Play random games from a start and return the number of their moves.

    ``start`` and ``work`` are arrays of one position each; ``work`` is left at the last end.
    """
    total = 0
    for _ in range(games):
        work[0] = start[0]
        total += play_out(work[0], scratch, limit)
    return total


def trace(state: Position, scratch: Scratch, limit: int) -> int:
    """Play a random game and return a checksum of all answers of the rules."""
    checksum = 0
    for _ in range(limit):
        count = rules.legal_actions(state, scratch.actions)
        checksum = mix(checksum, count)
        checksum = mix(checksum, rules.current_player(state))
        checksum = mix(checksum, 1 if rules.is_terminal(state) else 0)
        for index in range(count):
            checksum = mix(checksum, scratch.actions[index])
        probe = chance.randbelow(scratch, scratch.num_actions)
        checksum = mix(checksum, rules.refusal(state, probe))
        checksum = mix(checksum, rules.key(state) & chance.WORD)
        rules.returns(state, scratch.returns)
        checksum = mix(checksum, int(scratch.returns[0]))
        if count == 0:
            break
        rules.apply_action(state, scratch.actions[chance.randbelow(scratch, count)])
    return checksum


def mix(checksum: int, number: int) -> int:
    """Return the checksum after one more number."""
    return chance.scramble((checksum * 31 + number + 7) & chance.WORD)

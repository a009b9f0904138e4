"""Uniformly random games, the ground that sampling searches stand on and engines are measured by.

Every function takes a position and a :class:`Scratch`; ``rules`` is bound to a game by
:func:`gridhouse.core.specialize.specialize`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import chance, position

if TYPE_CHECKING:
    from typing import Any

rules: Any = None

# One action in so many is drawn, and two more, before the legal ones are listed.
TRIES = 12
NOTHING = -1


class Scratch(position.Position):
    """A source of random numbers, and room for a list of actions."""

    scratch = position.field("int8")
    num_actions = position.field("int64")
    s0 = position.field("int64")
    s1 = position.field("int64")
    actions = position.field("int32", "actions")
    made = position.field("float64", "players")


def sample_candidate(state: Any, scratch: Any) -> int:
    """Return any action, legal or not.

    Rules may have a ``sample_candidate(state, rng)`` of their own, which takes this one's place:
    every legal action is as likely as any other, and the others are drawn less often.
    """
    return chance.randbelow(scratch, int(scratch.num_actions))


def random_action(state: Any, scratch: Any) -> int:
    """Return a legal action, each as likely as any other, or NOTHING when the game is over.

    Drawing actions until one is legal is mostly cheaper than listing the legal ones, and
    leaves them equally likely.
    """
    for _ in range(2 + int(scratch.num_actions) // TRIES):
        action = sample_candidate(state, scratch)
        if rules.refusal(state, action) == 0:
            return action
    count = rules.legal_actions(state, scratch.actions)
    if count == 0:
        return NOTHING
    return int(scratch.actions[chance.randbelow(scratch, count)])


def play_out(state: Any, scratch: Any, limit: int) -> int:
    """Play random moves until the game is over or so many are made; return how many were."""
    for ply in range(limit):
        action = random_action(state, scratch)
        if action == NOTHING:
            return ply
        rules.apply_action(state, action)
    return limit


def play_outs(start: Any, work: Any, scratch: Any, games: int, limit: int) -> int:
    """Play so many random games from a start and return how many moves they had in all.

    ``start`` and ``work`` are arrays of one position each; ``work`` is left at the last end.
    """
    total = 0
    for _ in range(games):
        work[0] = start[0]
        total += play_out(work[0], scratch, limit)
    return total


def trace(state: Any, scratch: Any, limit: int) -> int:
    """Play a random game and return a checksum of all that the rules said on the way."""
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
        rules.returns(state, scratch.made)
        checksum = mix(checksum, int(scratch.made[0]))
        if count == 0:
            break
        rules.apply_action(state, scratch.actions[chance.randbelow(scratch, count)])
    return checksum


def mix(checksum: int, number: int) -> int:
    """Return the checksum with one more number in it."""
    return chance.scramble((checksum * 31 + number + 7) & chance.WORD)

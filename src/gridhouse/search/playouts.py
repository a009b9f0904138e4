"""Uniformly random games, the ground that sampling searches stand on and engines are measured by.

Every function takes a position and a :class:`Scratch`; ``rules`` is bound to a game by
:func:`gridhouse.core.compiling.twin`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import position

if TYPE_CHECKING:
    from typing import Any

rules: Any = None

# One action in so many is drawn, and two more, before the legal ones are listed.
TRIES = 12
NOTHING = -1
WORD = 0xFFFFFFFF


class Scratch(position.Position):
    """A source of random numbers, and room for a list of actions."""

    scratch = position.integer("int8")
    num_actions = position.integer("int64")
    s0 = position.integer("int64")
    s1 = position.integer("int64")
    actions = position.integers("int32", "actions")
    made = position.integers("float64", "players")


def seed(scratch: Any, number: int) -> None:
    """Start the random numbers: SplitMix's finalizer over two counters (Steele et al., 2014)."""
    scratch.s0 = scramble(2 * number)
    scratch.s1 = scramble(2 * number + 1)
    if scratch.s0 == 0 and scratch.s1 == 0:
        scratch.s0 = 1


def scramble(number: int) -> int:
    """Return 32 bits that depend on all bits of a number (MurmurHash3's finalizer, Appleby)."""
    x = (number ^ (number >> 32)) & WORD
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & WORD
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & WORD
    return x ^ (x >> 16)


def draw(scratch: Any, count: int) -> int:
    """Return a random number below ``count``, which is below 2**31.

    The generator is xoroshiro64* (Blackman and Vigna, 2018).
    """
    s0: int = scratch.s0
    s1: int = scratch.s1 ^ s0
    result = (s0 * 0x9E3779BB) & WORD
    scratch.s0 = (((s0 << 26) | (s0 >> 6)) ^ s1 ^ (s1 << 9)) & WORD
    scratch.s1 = ((s1 << 13) | (s1 >> 19)) & WORD
    return (result * count) >> 32


def random_action(state: Any, scratch: Any) -> int:
    """Return a legal action, each as likely as any other, or NOTHING when the game is over.

    Drawing from all actions until one is legal is mostly cheaper than listing the legal ones, and
    leaves them equally likely.
    """
    num_actions: int = scratch.num_actions
    for _ in range(2 + num_actions // TRIES):
        action = draw(scratch, num_actions)
        if rules.refusal(state, action) == 0:
            return action
    count = rules.legal_actions(state, scratch.actions)
    if count == 0:
        return NOTHING
    return int(scratch.actions[draw(scratch, count)])


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
        probe = draw(scratch, scratch.num_actions)
        checksum = mix(checksum, rules.refusal(state, probe))
        rules.returns(state, scratch.made)
        checksum = mix(checksum, int(scratch.made[0]))
        if count == 0:
            break
        rules.apply_action(state, scratch.actions[draw(scratch, count)])
    return checksum


def mix(checksum: int, number: int) -> int:
    """Return the checksum with one more number in it."""
    return scramble((checksum * 31 + number + 7) & WORD)

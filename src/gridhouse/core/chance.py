"""Random numbers that are the same interpreted and compiled, on every machine.

A source is anything with the fields ``s0`` and ``s1``: 64 bits of state for xoroshiro64*
(Blackman and Vigna, 2018).  Rules and searches draw from it; a copy of this module is compiled
with theirs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WORD = 0xFFFFFFFF
KEY = (1 << 61) - 1  # keys of positions fit a machine word with its sign


def seed(rng: Any, number: int) -> None:
    """Start a source: SplitMix's finalizer over two counters (Steele et al., 2014)."""
    rng.s0 = scramble(2 * number)
    rng.s1 = scramble(2 * number + 1)
    if rng.s0 == 0 and rng.s1 == 0:
        rng.s0 = 1


def scramble(number: int) -> int:
    """Return 32 bits that depend on all bits of a number (MurmurHash3's finalizer, Appleby)."""
    x = (number ^ (number >> 32)) & WORD
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & WORD
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & WORD
    return x ^ (x >> 16)


def randbelow(rng: Any, count: int) -> int:
    """Return a random number below ``count``, which is below 2**31."""
    s0: int = rng.s0
    s1: int = rng.s1 ^ s0
    result = (s0 * 0x9E3779BB) & WORD
    rng.s0 = (((s0 << 26) | (s0 >> 6)) ^ s1 ^ (s1 << 9)) & WORD
    rng.s1 = ((s1 << 13) | (s1 >> 19)) & WORD
    return (result * count) >> 32


def zobrist(number: int) -> int:
    """Return 61 bits that depend on all bits of a number, to be joined into a position's key.

    The exclusive or of such codes, one for every thing on the board, tells positions apart
    (Zobrist, 1970); computing them needs no table.  Products keep their lowest bits whether they
    overflow a machine word or not.
    """
    x = ((number + 1) * 0x1E3779B97F4A7C15) & KEY
    x = ((x ^ (x >> 31)) * 0x3F58476D1CE4E5B9) & KEY
    return x ^ (x >> 29)

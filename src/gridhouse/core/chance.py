"""Random numbers that are the same interpreted and compiled, on every machine.

A generator is any record with the fields ``s0`` and ``s1``: the 64 bits of state of xoroshiro64*
(Blackman and Vigna, 2018).  This module is compiled into the rules and searches that use it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Rng(Protocol):
        """A generator of random numbers."""

        s0: int
        s1: int


WORD = 0xFFFFFFFF
KEY = (1 << 61) - 1  # the bits of a position's key, which fits a signed machine word


def seed(rng: Rng, number: int) -> None:
    """Seed a generator by hashes of two counters, as SplitMix does (Steele et al., 2014)."""
    rng.s0 = scramble(2 * number)
    rng.s1 = scramble(2 * number + 1)
    if rng.s0 == 0 and rng.s1 == 0:
        rng.s0 = 1


def scramble(number: int) -> int:
    """Return a hash of 32 bits of a number (the finalizer of MurmurHash3, Appleby)."""
    x = (number ^ (number >> 32)) & WORD
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & WORD
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & WORD
    return x ^ (x >> 16)


def randbelow(rng: Rng, count: int) -> int:
    """Return a uniformly random number from 0 to ``count`` - 1; ``count`` is below 2**31."""
    s0: int = rng.s0
    s1: int = rng.s1 ^ s0
    result = (s0 * 0x9E3779BB) & WORD
    rng.s0 = (((s0 << 26) | (s0 >> 6)) ^ s1 ^ (s1 << 9)) & WORD
    rng.s1 = ((s1 << 13) | (s1 >> 19)) & WORD
    return (result * count) >> 32


def zobrist(number: int) -> int:
    """Return a hash of 61 bits of a number, a Zobrist code (Zobrist, 1970).

    The key of a position is the exclusive or of the codes of its pieces.  The codes are computed
    instead of stored.
    """
    # The lowest bits of a product are the same whether it overflows a machine word or not.
    x = ((number + 1) * 0x1E3779B97F4A7C15) & KEY
    x = ((x ^ (x >> 31)) * 0x3F58476D1CE4E5B9) & KEY
    return x ^ (x >> 29)

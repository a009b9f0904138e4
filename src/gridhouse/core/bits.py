"""Words of bits: what plain Python and compiled code count in ways of their own.

Kernels name this module; compiled, they are bound to ``core.machine_bits`` in its place, which has
the same functions as single instructions.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WORD = 64
FULL = (-1, (1 << WORD) - 1)  # a word of ones, with its sign or without


def population(bits: int) -> int:
    """Return how many bits of a word are set; the word is not negative."""
    return int(bits).bit_count()  # novm


if not hasattr(int, "bit_count"):  # before Python 3.10

    def population(bits: int) -> int:
        """Return how many bits of a word are set; the word is not negative."""
        return bin(bits).count("1")


def lowest(bits: int) -> int:
    """Return the place of the lowest bit of a word that is above zero."""
    return (bits & -bits).bit_length() - 1


def length(bits: int) -> int:
    """Return how many bits a word above zero has up to its highest."""
    return bits.bit_length()


def backwards(bits: int) -> int:
    """Return the 64 bits of a word that is not negative in reverse order, halved.

    The last bit is dropped, so that the result is not negative either.
    """
    return int(f"{bits:064b}"[::-1], 2) >> 1 & ((1 << 63) - 1)


def extract(bits: int, mask: int) -> int:
    """Return the bits of a word that a mask has, moved down to lie beside each other."""
    bits &= mask
    if not mask & (mask + 1):
        return bits
    result = 0
    while bits:
        low = bits & -bits
        result |= 1 << population(mask & (low - 1))
        bits ^= low
    return result


def deposit(bits: int, mask: int) -> int:
    """Return the lowest bits of a word, moved up to where a mask has its bits."""
    result = 0
    while mask:
        result |= (mask & -mask) * (bits & 1)
        bits >>= 1
        mask &= mask - 1
    return result


def rank(words: Sequence[int], lane: int) -> int:
    """Return how many of sixteen lanes, four in each word, hold less than one of them does."""
    own = words[lane >> 2] >> 16 * (lane & 3) & 0xFFFF
    count = 0
    for word in words[:4]:
        if word in FULL:
            continue
        count += ((word & 0xFFFF) < own) + ((word >> 16 & 0xFFFF) < own)
        count += ((word >> 32 & 0xFFFF) < own) + ((word >> 48 & 0xFFFF) < own)
    return count


def prefetch(words: object, place: int) -> None:
    """Ask for a word of an array, so that it is near by the time that it is read."""
    del words, place

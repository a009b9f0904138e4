"""Reading and writing the small texts that all games use."""

from __future__ import annotations

# A larger number means nothing to any game, and Python refuses to convert very long ones.
_LONGEST = 18
_DIGITS = frozenset("0123456789")


class _Huge(int):
    """Plus or minus 10**18 in place of a longer number; a message shows it as it was typed."""

    text: str

    def __str__(self) -> str:
        """Return the digits as they were typed, quoted."""
        return shown(self.text)

    __format__ = object.__format__


def parse_integer(token: str) -> int | None:
    """Return the integer that a token spells, or None if it spells none.

    An integer is an optional sign and ASCII decimal digits.  One of more than 18 digits (after
    leading zeros) is given as plus or minus 10**18: far off every board, however long it was.  In
    a message it is written as it was typed.
    """
    digits = token[1:] if token[:1] in ("+", "-") else token
    if not digits or not _DIGITS.issuperset(digits):
        return None
    digits = digits.lstrip("0")
    sign = -1 if token[0] == "-" else 1
    if len(digits) <= _LONGEST:
        return sign * int(digits or "0")
    huge = _Huge(sign * 10**_LONGEST)
    huge.text = token
    return huge


def parse_integers(text: str, count: int) -> list[int] | None:
    """Return the ``count`` integers that a text holds, or None if it holds anything else."""
    tokens = text.split()
    if len(tokens) != count:
        return None
    values = [value for value in map(parse_integer, tokens) if value is not None]
    return values if len(values) == count else None


def seed_bytes(seed: int | str) -> bytes:
    """Return what to seed the module ``random`` with, so that a text and its bytes are one seed."""
    return str(seed).encode("utf-8", "surrogateescape")


def shown(text: str, longest: int = 40) -> str:
    """Return a text quoted for an error message: one line, printable, not too long."""
    return repr(text if len(text) <= longest else text[:longest] + "...")

"""Reading and writing small texts: integers, seeds, and quotations in messages."""

from __future__ import annotations

# No game has larger numbers, and Python refuses to convert very long ones.
_MAX_DIGITS = 18
_DIGITS = frozenset("0123456789")


class _Huge(int):
    """Plus or minus 10**18 in place of a longer number; messages quote the text as typed."""

    text: str

    def __str__(self) -> str:
        """Return the text as typed, quoted."""
        return shown(self.text)

    __format__ = object.__format__


def parse_integer(token: str) -> int | None:
    """Return the integer of a token, None if it is no integer.

    An integer is an optional sign and ASCII decimal digits.  With more than 18 digits after leading
    zeros the value is plus or minus 10**18, which is outside every board; messages quote it as
    typed.
    """
    digits = token[1:] if token[:1] in ("+", "-") else token
    if not digits or not _DIGITS.issuperset(digits):
        return None
    digits = digits.lstrip("0")
    sign = -1 if token[0] == "-" else 1
    if len(digits) <= _MAX_DIGITS:
        return sign * int(digits or "0")
    huge = _Huge(sign * 10**_MAX_DIGITS)
    huge.text = token
    return huge


def parse_integers(text: str, count: int) -> list[int] | None:
    """Return the integers of a text, None unless it has exactly ``count`` of them."""
    tokens = text.split()
    if len(tokens) != count:
        return None
    values = [value for value in map(parse_integer, tokens) if value is not None]
    return values if len(values) == count else None


def parse_number(text: str, most: int) -> float:
    """Return a whole or decimal number from -most to most; raises ValueError that says why not."""
    try:
        number = float(text) if "." in text else int(text)
    except ValueError:
        raise ValueError(f"{shown(text)} is not a number") from None
    if abs(number) > most:
        raise ValueError(f"{shown(text)} is not a number up to {most}")
    return number


def seed_bytes(seed: int | str) -> bytes:
    """Return the seed for the module ``random``; a number and its text are the same seed.

    Bytes of a command line that are no text are the same seed as these bytes; other half characters
    are seeds as well.
    """
    text = str(seed)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def shown(text: str, longest: int = 40) -> str:
    """Return a text quoted for an error message: one line, printable, and truncated."""
    cut = text[:longest]
    while len(repr(cut)) > 2 * longest:  # a letter that is not printable takes up to ten
        cut = cut[:-1]
    return repr(cut if cut == text else cut + "...")


def one_line(message: str, longest: int = 500) -> str:
    """Return a message that may hold names from a file: one line, printable, and truncated."""
    letters = message[: longest + 1]
    line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in letters)
    return line if len(line) <= longest else line[:longest] + "..."

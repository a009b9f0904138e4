"""Reading and writing as the course's module ``stdio`` does it; Python 3.8 or later."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator

_rest = ""  # of the line that is being read


def write(text: object = "") -> None:
    """Write a value."""
    sys.stdout.write(str(text))
    sys.stdout.flush()


def writeln(text: object = "") -> None:
    """Write a value and a newline."""
    write(f"{text}\n")


def writef(form: str, *values: object) -> None:
    """Write values in a format of ``%``."""
    write(form % values)


def isEmpty() -> bool:
    """Tell whether nothing but white space is left; white space before the rest is lost."""
    global _rest
    while not _rest.strip():
        _rest = sys.stdin.readline()
        if not _rest:
            return True
    return False


def hasNextLine() -> bool:
    """Tell whether a line is left."""
    global _rest
    _rest = _rest or sys.stdin.readline()
    return bool(_rest)


def readString() -> str:
    """Return the next word; raises EOFError if there is none."""
    global _rest
    if isEmpty():
        raise EOFError
    word, _rest = _rest.split()[0], _rest.lstrip()
    _rest = _rest[len(word) :]
    return word


def readInt() -> int:
    """Return the next word as an integer; raises EOFError and ValueError."""
    return int(readString())


def readFloat() -> float:
    """Return the next word as a number; raises EOFError and ValueError."""
    return float(readString())


def readBool() -> bool:
    """Return the next word as a truth value; raises EOFError and ValueError."""
    word = readString()
    if word not in ("True", "true", "1", "False", "false", "0"):
        raise ValueError(word)
    return word in ("True", "true", "1")


def readLine() -> str:
    """Return the rest of the line, without its newline; raises EOFError if there is none."""
    global _rest
    if not hasNextLine():
        raise EOFError
    line, _rest = _rest, ""
    return line.rstrip("\n")


def readAll() -> str:
    """Return all that is left."""
    global _rest
    text, _rest = _rest + sys.stdin.read(), ""
    return text


def _all(read: Callable[[], Any]) -> Iterator[Any]:
    while not isEmpty():
        yield read()


def readAllStrings() -> list[str]:
    """Return all words that are left."""
    return list(_all(readString))


def readAllInts() -> list[int]:
    """Return all words that are left as integers; raises ValueError."""
    return list(_all(readInt))


def readAllFloats() -> list[float]:
    """Return all words that are left as numbers; raises ValueError."""
    return list(_all(readFloat))


def readAllBools() -> list[bool]:
    """Return all words that are left as truth values; raises ValueError."""
    return list(_all(readBool))


def readAllLines() -> list[str]:
    """Return all lines that are left."""
    lines = []
    while hasNextLine():
        lines.append(readLine())
    return lines

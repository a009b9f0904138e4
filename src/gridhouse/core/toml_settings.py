"""Settings in TOML files: each mistake gets one line that names the setting."""

from __future__ import annotations

import math

import tomllib

from gridhouse.core.console import UsageError
from gridhouse.core.notation import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from typing import Any, TypeVar

    T = TypeVar("T")
    S = TypeVar("S", bound=str)


def load(path: Path, parse: Callable[[dict[str, Any]], T]) -> T:
    """Return a file's table, parsed; raises UsageError that says what is wrong where."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{str(path)!r}: {getattr(error, 'strerror', error)}") from None
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for numbers of thousands of digits
        raise UsageError(f"{str(path)!r}: {one_line(str(error))}") from None
    try:
        return parse(table)
    except UsageError as error:
        raise UsageError(f"{str(path)!r}: {one_line(str(error))}") from None


def count(most: int) -> Callable[[str, object], int]:
    """Return a reader of whole numbers up to ``most``.

    A reader takes the name of a setting and its value, and raises UsageError for a wrong one.
    """

    def read(name: str, value: object) -> int:
        if type(value) is not int or not 0 <= value <= most:
            raise UsageError(f"{name} must be a whole number from 0 to {most}")
        return value

    return read


def number(name: str, value: object) -> float:
    """Read a finite number."""
    try:
        found = float(value) if isinstance(value, (int, float)) else math.nan
    except OverflowError:
        found = math.inf
    if isinstance(value, bool) or not math.isfinite(found):
        raise UsageError(f"{name} must be a number")
    return found


def truth(name: str, value: object) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise UsageError(f"{name} must be true or false")
    return value


def choice(words: Iterable[S]) -> Callable[[str, object], S]:
    """Return a reader of one of these words."""
    known = list(words)

    def read(name: str, value: object) -> S:
        for word in known:
            if value == word:
                return word
        raise UsageError(f"{name} must be one of: {', '.join(known)}")

    return read

"""Outputs compared line by line, exactly or more loosely."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.grading.games import Grading


class Profile(StrEnum):
    """Which differences of two outputs count, from all of them to few."""

    STRICT = "strict"
    TRAILING = "trailing"
    COURSE = "course"
    TOKENS = "tokens"
    CASELESS = "caseless"

    @property
    def is_loose(self) -> bool:
        """Whether more than blanks and empty lines at ends may differ."""
        return self not in (Profile.STRICT, Profile.TRAILING)


ABOUT = {
    Profile.STRICT: "every byte counts",
    Profile.TRAILING: "blanks at the end of a line and empty lines at the end do not count",
    Profile.COURSE: "what the course's own tests pass over does not count",
    Profile.TOKENS: "white space and empty lines do not count",
    Profile.CASELESS: "neither white space nor the case of letters counts",
}


class Line(NamedTuple):
    """A line of an output: as it is compared, as it was printed, and where it begins."""

    key: str
    text: str
    offset: int


class Difference(NamedTuple):
    """The first line in which two outputs differ; None stands for the end of an output."""

    at: int
    expected: Line | None
    actual: Line | None


def lines_of(text: str, profile: Profile, game: Grading) -> list[Line]:
    """Return the lines of an output as a profile compares them.

    A prompt ends a line, since what is typed after it is not part of the output.
    """
    prompts = game.LOOSE_PROMPTS if profile.is_loose else game.PROMPTS
    flags = re.IGNORECASE if profile.is_loose else re.NOFLAG
    lines = [*_split(text, _finder(tuple(prompts.items()), flags))]
    if profile is Profile.COURSE:
        return with_keys(lines, game.course([line.key for line in lines]))
    normalize = _NORMALIZERS.get(profile)
    return lines if normalize is None else normalize(lines)


def with_keys(lines: list[Line], keys: list[str]) -> list[Line]:
    """Return the lines with other keys, without those whose key is empty."""
    return [line._replace(key=key) for line, key in zip(lines, keys, strict=True) if key]


def first_difference(expected: list[Line], actual: list[Line]) -> Difference | None:
    """Return the first difference of two outputs, None where there is none."""
    for index in range(max(len(expected), len(actual))):
        wanted = expected[index] if index < len(expected) else None
        got = actual[index] if index < len(actual) else None
        if wanted is None or got is None or wanted.key != got.key:
            return Difference(index, wanted, got)
    return None


@cache
def _finder(prompts: tuple[tuple[str, str], ...], flags: re.RegexFlag) -> re.Pattern[str]:
    """Return the expression of a newline or a prompt, each prompt a group of its name."""
    named = [f"(?P<{name}>{prompt})" for name, prompt in prompts]
    return re.compile("|".join([*named, "\n"]), flags)


@lru_cache(maxsize=4)  # two outputs are compared under several profiles, one after the other
def _split(text: str, finder: re.Pattern[str]) -> tuple[Line, ...]:
    """Split a text after newlines and prompts; a prompt's key is its name."""
    lines: list[Line] = []
    start = 0
    for found in finder.finditer(text):
        if found.lastgroup is None:
            line = text[start : found.end()]
            lines.append(Line(line, line.removesuffix("\n"), start))
        else:
            if found.start() > start:
                line = text[start : found.start()]
                lines.append(Line(line, line, start))
            lines.append(Line(f"<{found.lastgroup}>", found.group(), found.start()))
        start = found.end()
    if start < len(text):
        lines.append(Line(text[start:], text[start:], start))
    return tuple(lines)


def drop_trailing(lines: list[Line]) -> list[Line]:
    """Return the lines without blanks at their ends and without empty ones at the end."""
    kept = [line._replace(key=line.key.rstrip()) for line in lines]
    while kept and not kept[-1].key:
        kept.pop()
    return kept


def drop_empty(lines: list[Line]) -> list[Line]:
    """Return the lines without white space around them and without empty ones."""
    return [line._replace(key=line.key.strip()) for line in lines if line.key.strip()]


def tokens(lines: list[Line]) -> list[Line]:
    """Return the lines with one blank between words, without empty ones."""
    return [line._replace(key=" ".join(line.key.split())) for line in drop_empty(lines)]


def caseless(lines: list[Line]) -> list[Line]:
    """Return the tokens in lower case."""
    return [line._replace(key=line.key.lower()) for line in tokens(lines)]


_NORMALIZERS: dict[Profile, Callable[[list[Line]], list[Line]]] = {
    Profile.TRAILING: drop_trailing,
    Profile.TOKENS: tokens,
    Profile.CASELESS: caseless,
}

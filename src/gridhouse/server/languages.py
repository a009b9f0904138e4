"""The languages of the house: catalogues of translations, and the language of a request.

What the house says is English, and translated where it leaves for a person.  A game and the tables
make finished sentences, so these are looked up whole, by their patterns, or part by part.
"""

from __future__ import annotations

import io
import re
from contextvars import ContextVar
from functools import cache, lru_cache
from gettext import GNUTranslations
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from babel import Locale, negotiate_locale
from babel.dates import format_date
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from starlette.requests import HTTPConnection

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = Path(__file__).parent / "locale"
DOMAIN = "gridhouse"
ENGLISH = "en"  # the language of the sources
COOKIE = "language"
PART = r"((?:(?![.:;] ).)+?)"  # of a sentence: no full stop, colon or semicolon is in it
REASON = r"((?:(?!\. ).)+?)"  # what follows a colon up to the end may have another one
# A field of a pattern is filled with a part of a sentence; one named "number" takes digits only.
FIELD = re.compile(r"\{(\w*)\}")
# Where a text that is not known as a whole is taken apart: before and after patterns are tried.
WIDE_GAPS = (" · ", " - ")
GAPS = (". ", " (", "; ", ": ", ", ")
LABEL = re.compile(r'(?<= aria-label=")[^"]*|(?<=<title>)[^<]*')
MAX_KEPT = 20_000  # translated sentences
MAX_TEXT = 1000  # characters; longer ones hold what somebody typed
ENDINGS = ".)!"
MAX_ENDINGS = 3  # of them after a sentence
MAX_TAILS = 20  # a text with more gaps of a kind is a list, whose tails are no sentences

_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


class Pattern(NamedTuple):
    """A sentence with fields: how it is found, its English, its fields, and its translation.

    ``part`` is the longest part of it that is the same in all texts that have the pattern.
    """

    part: str
    expression: re.Pattern[str]
    english: str
    fields: tuple[str, ...]
    translation: str


class Catalogue(NamedTuple):
    """The translations into a language; ``scripts`` has those that the pages' scripts need."""

    translations: GNUTranslations
    sentences: dict[str, str]
    patterns: tuple[Pattern, ...]
    scripts: dict[str, str | list[str]]


@cache
def languages() -> dict[str, str]:
    """Return the languages of the house with their own names, English first."""
    found = sorted(file.parents[1].name for file in FOLDER.glob(f"*/*/{DOMAIN}.po"))
    return {code: str(Locale(code).get_display_name(code)).title() for code in (ENGLISH, *found)}


@cache
def catalogue(language: str) -> Catalogue:
    """Return the translations into a language, which are read when they are first needed."""
    with (FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        found = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, found)
    compiled.seek(0)
    sentences: dict[str, str] = {}
    patterns: list[Pattern] = []
    scripts: dict[str, str | list[str]] = {}
    for message in found:
        english, forms = forms_of(message.id), forms_of(message.string or "")
        if not all(english) or not all(forms) or message.fuzzy:
            continue  # the header, or a message that stays English
        if any(file.endswith(".js") for file, _ in message.locations):
            scripts[english[0]] = forms if len(english) > 1 else forms[0]
        for said, translation in zip(english, forms, strict=False):
            if FIELD.search(said):
                patterns.append(pattern(said, translation))
            else:
                sentences[said] = translation
    patterns.sort(key=lambda each: -len(FIELD.sub("", each.english)))  # the most telling first
    return Catalogue(GNUTranslations(compiled), sentences, tuple(patterns), scripts)


def forms_of(text: str | tuple[str, ...] | list[str]) -> list[str]:
    """Return the forms of a message for counts, one of a message without them."""
    return [text] if isinstance(text, str) else list(text)


def pattern(english: str, translation: str) -> Pattern:
    """Return the pattern of a sentence with fields; it may begin with a capital."""
    parts = FIELD.split(english)
    first = parts[0][:1]
    for at in range(1, len(parts), 2):
        is_reason = parts[at - 1].endswith(": ") and at + 2 == len(parts)
        part = REASON if is_reason else PART
        parts[at] = r"(\d+)" if parts[at].startswith("number") else part
    fixed = [parts[0][first.islower() :], *parts[2::2]]
    parts[::2] = map(re.escape, parts[::2])
    if first.islower():
        parts[0] = f"[{first}{first.upper()}]{parts[0][1:]}"
    if not parts[-1]:
        parts.append(r"(?<![.!)])")  # which end the whole
    fields = tuple(FIELD.findall(english))
    expression = re.compile("".join(parts), re.DOTALL)
    return Pattern(max(fixed, key=len), expression, english, fields, translation)


def language() -> str:
    """Return the language of the current request."""
    return _current.get()


def gettext(message: str) -> str:
    """Return a message of a template in the language of the current request."""
    current = language()
    return message if current == ENGLISH else catalogue(current).translations.gettext(message)


def ngettext(singular: str, plural: str, count: int) -> str:
    """Return the form of a template's message for a count, in the language of the request."""
    current = language()
    if current == ENGLISH:
        return singular if count == 1 else plural
    return catalogue(current).translations.ngettext(singular, plural, count)


def day_in_words(day: date, *, weekday: bool = False) -> str:
    """Return a date in words, in the language of the current request."""
    if language() != ENGLISH:
        return format_date(day, "full" if weekday else "long", language())
    return f"{f'{day:%A} ' * weekday}{day.day} {day:%B} {day.year}"


def translated(text: str, into: str | None = None) -> str:
    """Return a finished sentence in a language, by default that of the current request.

    What is in no catalogue, as names and moves, stays as it is.
    """
    into = into or language()
    if into == ENGLISH or not text or len(text) > MAX_TEXT:
        return text
    return _translated(text, into)


def translated_picture(svg: str, into: str | None = None) -> str:
    """Return a picture with the names of its cells in a language."""
    into = into or language()
    if into == ENGLISH:
        return svg
    return LABEL.sub(lambda found: escape(translated(unescape(found[0]), into)), svg)


@lru_cache(MAX_KEPT)
def _translated(text: str, into: str) -> str:
    known = catalogue(into)
    found = formed(text, known.sentences.get)
    if found is not None:
        return found
    for gap in WIDE_GAPS:
        if gap in text:
            return gap.join(_translated(part, into) for part in text.split(gap))
    found = formed(text, lambda part: matched(part, into))
    if found is not None:
        return found
    for gap in GAPS:
        if text.count(gap) > MAX_TAILS:
            return gap.join(_translated(part, into) for part in text.split(gap))
        first, _, rest = text.partition(gap)
        if rest:
            return _translated(first, into) + gap + _translated(rest, into)
    return text


def formed(text: str, look: Callable[[str], str | None]) -> str | None:
    """Look for a sentence, which may have a capital, a full stop or a bracket that is not known."""
    endings = min(MAX_ENDINGS, len(text) - len(text.rstrip(ENDINGS)))
    for end in range(len(text), len(text) - endings - 1, -1):
        if (found := look(text[:end])) is not None:
            return found + text[end:]
        if text[:1].isupper() and (found := look(text[:1].lower() + text[1:end])) is not None:
            return found[:1].upper() + found[1:] + text[end:]
    return None


def matched(text: str, into: str) -> str | None:
    """Return the translation of the first pattern that a sentence has, None without one."""
    for each in catalogue(into).patterns:
        if each.part in text and (parts := each.expression.fullmatch(text)):
            found = filled(each, [_translated(part, into) for part in parts.groups()])
            has_capital = text[:1].isupper() and not each.english[:1].isupper()
            return f"{found[:1].upper()}{found[1:]}" if has_capital else found
    return None


def filled(known: Pattern, parts: list[str]) -> str:
    """Return the translation of a pattern with the parts of a sentence."""
    plain = [part for name, part in zip(known.fields, parts, strict=True) if not name]
    named = {name: part for name, part in zip(known.fields, parts, strict=True) if name}
    return known.translation.format(*plain, **named)


def preferred(connection: HTTPConnection) -> str:
    """Return the language that a visitor has chosen, else the browser's, else English."""
    chosen = connection.cookies.get(COOKIE)
    if chosen in languages():
        return str(chosen)
    asked = accepted(connection.headers.get("accept-language", ""))
    codes = {code.lower(): code for code in languages()}
    found = negotiate_locale(asked, codes, sep="-")  # in small and capital letters as it was asked
    return codes[found.lower()] if found else ENGLISH


def accepted(header: str) -> list[str]:
    """Return the languages that a browser asks for, the most wanted first."""
    wanted: list[tuple[float, str]] = []
    for part in header[:200].split(","):
        name, _, quality = part.partition(";")
        try:
            weight = float(quality.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if weight > 0:
            wanted.append((-weight, name.strip()))
    return [name for _, name in sorted(wanted, key=lambda each: each[0])]


class Languages:
    """Middleware that finds the language of a request."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on in its language."""
        if scope["type"] in ("http", "websocket"):
            _current.set(preferred(HTTPConnection(scope)))
        await self.app(scope, receive, send)

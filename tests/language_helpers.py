"""A language in which no sentence of the catalogues has an English letter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from babel.dates import get_month_names
from babel.messages.pofile import read_po, write_po

from gridhouse.server import languages

if TYPE_CHECKING:
    from pathlib import Path

OTHER = "af"  # into which the tests translate everything, letter by letter
KEPT = re.compile(r"<[^>]*>|%\(\w+\)s|\{\w*\}|&\w+;")  # in a translation
ENGLISH = re.compile(r"[A-Za-z]{3,}")
# What stays as it is in all languages.
NOTATION = re.compile(
    r"samegame|setup|standard|corners|scoring|linear|long|host|SVG|PNG|UTC|KiB|[A-Z]\w+dag"
    rf"|{'|'.join(get_month_names('wide', locale='af').values())}"
    r"|English|Afrikaans|Gridhouse|\d\w*|\w\d\S*"
    r"|[SAMF]x\d|True|False|hidden|rows|cols|limit|digits|pieces|army|level|clock"
)


def pseudo(text: str) -> str:
    """Return a text with its letters replaced, but not in what has to be kept."""
    kept = KEPT.findall(text)
    parts = [re.sub("[A-Za-z]", "ж", part) for part in KEPT.split(text)]
    return "".join(part + keep for part, keep in zip(parts, [*kept, ""], strict=True))


def forget() -> None:
    """Forget the catalogues that have been read."""
    for kept in (languages.languages, languages.catalogue, languages._translated):
        kept.cache_clear()


def write_other(folder: Path) -> None:
    """Write the catalogue of the other language into a folder of catalogues."""
    with (languages.FOLDER / "de" / "LC_MESSAGES" / "gridhouse.po").open("rb") as opened:
        found = read_po(opened)
    for message in found:
        if message.id:
            one = message.id
            message.string = pseudo(one) if isinstance(one, str) else tuple(map(pseudo, one))
    file = folder / OTHER / "LC_MESSAGES" / "gridhouse.po"
    file.parent.mkdir(parents=True)
    with file.open("wb") as written:
        write_po(written, found)


def english_words(html: str) -> list[str]:
    """Return the English words that a page shows or reads out."""
    text = re.sub(r"<(script|style|code|pre)\b.*?</\1>", " ", html, flags=re.DOTALL)
    attributes = re.findall(r'\b(?:aria-label|title|alt|placeholder|data-empty)="([^"]*)"', text)
    shown = " ".join([re.sub(r"<[^>]*>", " ", text), *attributes])
    return [
        word for word in re.findall(r"[A-Za-z][\w-]{2,}", shown) if not NOTATION.fullmatch(word)
    ]

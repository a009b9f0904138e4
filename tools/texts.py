"""The sentences of the house for translators: `make texts` brings all catalogues up to date.

The code of a new language as an argument begins its catalogue.
With ``--check`` nothing is written, and what is missing, empty, unsure, not said any more, or has
other fields than its English is printed, one a line.
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.pofile import read_po, write_po

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "gridhouse"
LOCALE = SOURCE / "server" / "locale"
MODULES = (
    "core/game.py",
    "core/registry.py",
    "games/*/arrangement.py",
    "games/*/game.py",
    "games/*/notation.py",
    "games/*/projection.py",
    "games/*/solver/advice.py",
    "games/*/view.py",
    "games/*/words.py",
    "players/levels.py",
    "server/*/*.py",
    "server/app.py",
    "server/clock.py",
    "server/names.py",
)
# What speaks to programs, to databases or to whoever runs the house.
SILENT = ("server/api/", "server/storage/", "server/tables/messages.py")
LOGS = {"debug", "info", "warning", "error", "exception"}
# Strings with blanks that nobody reads, and in the last lines those that words.txt has in full.
UNREAD = re.compile(
    r"^<|var\(|^M\{|-src |filename|max-age|^private, no-|^\^|^(?:\w{2,3}\d\d ?)+$|^(?:\w+x\d+ ?)+$"
    r"|^daily \{|^picture \{|^from \"|repetitions|returns no result|^The move is"
    r"|\}\{|moves?\{\}$|minutes?\{\}|^and \{\} seconds?|^(?:You|by) \{\}$"
    r"|^\{\} (?:at|or) \{\}|^\{\} \{\}; "
)
# Games, levels and phrases are single words, which elsewhere are names of other things.
WORDY = ("arrangement.py", "company.py", "game.py", "levels.py")
LESSON_TEXTS = ("title", "text", "hint", "praise", "puzzle")
FIELD = re.compile(r"%\(\w+\)s|\{\w*\}")


def texts_of(node: ast.expr) -> list[str]:
    """Return the texts of an expression, with {} for what is filled in."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.FormattedValue):
        either = node.value
        if isinstance(either, ast.IfExp):
            return list(
                itertools.chain(*(texts_of(e) or ["{}"] for e in (either.body, either.orelse)))
            )
        return ["{}"]
    if isinstance(node, ast.JoinedStr):
        return ["".join(parts) for parts in itertools.product(*map(texts_of, node.values))]
    return []


def unread_by(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is in a node but no string of its own: a docstring, what is logged, a part."""
    body = getattr(node, "body", None)
    if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
        yield body[0].value
    if isinstance(node, ast.JoinedStr):
        yield from (part for whole in node.values for part in ast.walk(whole))
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in LOGS:
        yield from ast.walk(node)


def is_read(text: str, *, single: bool) -> bool:
    """Tell whether people read a string: a sentence, or with ``single`` also a word."""
    if UNREAD.search(text) or not re.search("[A-Za-z]{2}", FIELD.sub("", text)):
        return False
    return " " in text or (single and re.fullmatch("[A-Z][-a-z]+", text) is not None)


def of_module(path: Path) -> Iterator[str]:
    """Yield the sentences in a module's strings."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    unread = {id(part) for node in nodes for part in unread_by(node)}
    for node in nodes:
        if isinstance(node, ast.expr) and id(node) not in unread:
            parts = [part.strip(" ,") for text in texts_of(node) for part in text.split("\n")]
            yield from (part for part in parts if is_read(part, single=path.name in WORDY))


def of_lesson(path: Path) -> Iterator[str]:
    """Yield the texts of a game's lesson."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    for part in (table, *table["step"], *table["rule"]):
        yield from (part[key] for key in LESSON_TEXTS if key in part)


def of_words(path: Path) -> Iterator[str]:
    """Yield the lines that are no comments."""
    lines = path.read_text(encoding="utf-8").splitlines()
    yield from (line for line in lines if line and not line.startswith("#"))


def of_page(path: Path) -> Iterator[str | tuple[str, ...]]:
    """Yield the messages of a template or a script."""
    method = "javascript" if path.suffix == ".js" else "jinja2"
    with path.open("rb") as file:
        options = {"newstyle_gettext": "true", "trim_blocks": "true"}
        for _, message, _, _ in extract(method, file, DEFAULT_KEYWORDS, (), options):
            yield message


def messages() -> Catalog:
    """Return all messages of the house, without translations."""
    found = Catalog(charset="utf-8")
    sources = [
        *((of_module, pattern) for pattern in MODULES),
        (of_lesson, "games/*/lesson.toml"),
        (of_page, "server/pages/templates/*.html"),
        (of_page, "server/pages/static/*.js"),
        (of_words, "server/locale/words.txt"),
    ]
    for read, pattern in sources:
        for path in sorted(SOURCE.glob(pattern)):
            name = str(path.relative_to(SOURCE))
            # The page /design is for those who make the pages.
            if not name.startswith(SILENT) and path.name != "design.html":
                for message in read(path):
                    found.add(message, locations=[(name, 0)])
    return found


def written(catalogue: Catalog) -> bytes:
    """Return the text of a catalogue's file."""
    text = io.BytesIO()
    write_po(text, catalogue, width=100, include_lineno=False, ignore_obsolete=True)
    return text.getvalue()


def fields(text: str) -> list[str]:
    """Return the fields of a text; numbered ones may come in another order."""
    return sorted(re.sub(r"\d", "", field) for field in FIELD.findall(text))


def forms(text: str | tuple[str, ...] | list[str]) -> list[str]:
    """Return the forms of a message or a translation, one without plural."""
    return [text] if isinstance(text, str) else list(text)


def problems(known: Catalog, wanted: Catalog) -> Iterator[str]:
    """Yield what is wrong with a catalogue, one line for each message."""
    for message in wanted:
        entry = known.get(message.id) if message.id else None
        if not message.id:
            continue
        if entry is None:
            yield f"missing: {message.id!r}"
        elif not all(forms(entry.string)):
            yield f"empty: {message.id!r}"
        elif entry.fuzzy:
            yield f"unsure: {message.id!r}"
        elif any(fields(form) != fields(forms(message.id)[-1]) for form in forms(entry.string)):
            yield f"other fields: {message.id!r}"
    for entry in known:
        if entry.id and entry.id not in wanted:
            yield f"not said any more: {entry.id!r}"


def begin(language: str) -> None:
    """Begin the catalogue of a language, unless there is one."""
    path = LOCALE / language / "LC_MESSAGES" / "gridhouse.po"
    title = f"# Translation of Gridhouse into {Locale.parse(language).english_name}."
    if not path.exists():
        path.parent.mkdir(parents=True)
        path.write_bytes(written(Catalog(language, header_comment=title, fuzzy=False)))


def main(arguments: list[str]) -> int:
    """Begin catalogues, bring all up to date, or check them."""
    wanted, found = messages(), 0
    for language in arguments:
        if not language.startswith("--"):
            try:
                begin(language)
            except (UnknownLocaleError, ValueError):
                print(f"{language} is no language: give its code, such as af")
                return 2
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/gridhouse.po")):
        with path.open("rb") as file:
            known = read_po(file)
        if "--check" in arguments:
            for problem in problems(known, wanted):
                print(f"{path.relative_to(ROOT)}: {problem}")
                found = 1
        else:
            known.update(wanted, no_fuzzy_matching=True, update_creation_date=False)
            path.write_bytes(written(known))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What a table says to a page, in the language of its visitor."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar, cast

from gridhouse.core.registry import game_class, games
from gridhouse.server.languages import ENGLISH, language, translated, translated_picture
from gridhouse.server.tables.company import ANONYMOUS, FRIEND, MACHINE_PLAYER

if TYPE_CHECKING:
    from typing import Any

    Said = TypeVar("Said")

# The fields of messages that people read.
TEXTS = {
    "asked", "best", "button", "cameras", "comment", "heading", "label", "note", "notes", "players",
    "reason", "says", "status", "text", "texts", "title", "waits",
}  # fmt: skip


def in_language(message: Said, into: str | None = None) -> Said:
    """Return a message with its texts in a language, by default that of the current request."""
    into = into or language()
    return message if into == ENGLISH else cast("Said", _said(message, into))


def _said(value: Any, into: str, name: str = "") -> Any:
    """Return a value of a message, whose field is ``name``, in a language."""
    if isinstance(value, dict):
        return {key: _said(each, into, key) for key, each in value.items()}
    if name == "board":
        return translated_picture(value, into)
    if name == "changes":
        return value and [
            (at, gone, [translated_picture(line, into) for line in lines])
            for at, gone, lines in value
        ]
    if name == "moves":
        return [_said_move(each, into) for each in value]
    if name == "gestures":
        return [(move, cells, translated(choice, into)) for move, cells, choice in value]
    if name == "choice":
        return translated(value, into)
    if name == "names":
        return [said_name(each, into) for each in value]
    if name == "name":  # of a visitor, or of a player of the game
        return translated(value, into) if value in roles() else value
    if isinstance(value, (list, tuple)):
        return [_said(each, into, name) for each in value]
    return translated(value, into) if name in TEXTS and isinstance(value, str) else value


def _said_move(move: Any, into: str) -> Any:
    """Return a move of a view, a review or an exercise."""
    if isinstance(move, dict):
        return _said(move, into)
    if isinstance(move, str):
        return move
    player, text = move
    return translated(player, into), translated(text, into)


@cache
def roles() -> frozenset[str]:
    """Return the names of the players in all games."""
    return frozenset(player for name in games() for player in game_class(name).players)


def said_name(name: str, into: str | None = None) -> str:
    """Return who plays: the machine, or a visitor, whose name stays as it is."""
    is_machine = name.lower().startswith(f"{MACHINE_PLAYER.lower()}, ")
    return translated(name, into) if is_machine or name in (ANONYMOUS, FRIEND) else name

"""The stored form of a table, and changes to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from gridhouse.core.errors import GridhouseError
from gridhouse.players.levels import LEVELS
from gridhouse.server.settings import MOVE_SIZE, MOVES_AHEAD

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    import sqlalchemy as sa

OPPONENTS = ("machine", "friends", "hotseat", "analysis")
ENDED = "rules|(time|resigned) [01]"
PLAYERS = range(2)


class Ply(NamedTuple):
    """A move of a game: its text, and the milliseconds that it took.

    The database stores these two.  The other fields follow from the position before the move: the
    player, the text that everybody may see, the cells of its gesture, the action, and the game's
    comment in the words of a watcher and of each player.
    """

    move: str
    spent: int = 0
    player: int = 0
    public_text: str = ""
    cells: tuple[int, ...] = ()
    action: int = 0
    comments: tuple[str, ...] = ()


@dataclass
class StoredTable:
    """A table in the database.

    ``opponent`` is one of ``OPPONENTS``.  The machine plays the player ``machine`` at ``level``;
    ``seated_visitors`` maps the other players to their visitors.  ``undone`` holds the
    moves that can be redone, the next one first.  ``initial`` and ``increment`` are the clock's
    milliseconds, None without a clock; ``since`` is the time at which the clock of the player to
    move started.  ``ended`` is the reason of the end, None while the game goes on.  ``asked`` is
    the pending takeback request.  The lobby shows a ``listed`` table.  ``daily`` is the day of a
    daily puzzle.  ``next`` is the table of the rematch and the player who offered it.  The start
    was ``given`` as a position, unless the house set it up by chance.  ``evening`` is the one whose
    players the table pairs.  ``version`` grows with every change, and ``changed`` is the time of
    the last one.
    """

    id: str
    start: str
    opponent: str
    level: int | None = None
    machine: int | None = None
    seated_visitors: dict[int, str] = field(default_factory=dict)
    moves: list[Ply] = field(default_factory=list)
    undone: list[Ply] = field(default_factory=list)
    initial: int | None = None
    increment: int = 0
    since: int | None = None
    ended: str | None = None
    asked: str | None = None
    listed: bool = False
    daily: str | None = None
    next: str | None = None
    given: bool = True
    evening: str | None = None
    version: int = 0
    changed: int = 0


class DamagedError(GridhouseError):
    """What the database holds of a table, or of an evening, cannot be."""

    def __init__(self, part: str) -> None:
        """Name the part; it is not quoted, since it may be hidden."""
        super().__init__(f"its {part!r} is damaged")


def is_text(value: object) -> bool:
    """Tell whether a value is a text."""
    return isinstance(value, str)


def is_number(value: object, among: range = range(2**63)) -> TypeGuard[int]:
    """Tell whether a value is one of these whole numbers."""
    return type(value) is int and value in among


def has_form(form: str, value: object) -> bool:
    """Tell whether a value is a text of a form."""
    return isinstance(value, str) and re.fullmatch(form, value) is not None


def is_day(value: object) -> bool:
    """Tell whether a value is a day that is written like 2026-11-20."""
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def are_seats(seats: dict[Any, object]) -> bool:
    """Tell whether these are players and their visitors."""
    return all(is_number(seat, PLAYERS) and is_text(sitter) for seat, sitter in seats.items())


def are_plies(plies: list[Ply]) -> bool:
    """Tell whether these may be moves."""
    return all(is_text(ply.move) and is_number(ply.spent) for ply in plies)


# What a stored table may have; SQLite stores anything anywhere.
MAY_HAVE: dict[str, Callable[[Any], bool]] = {
    "id": is_text,
    "start": is_text,
    "opponent": OPPONENTS.__contains__,
    "level": partial(is_number, among=LEVELS),
    "machine": partial(is_number, among=PLAYERS),
    "seated_visitors": are_seats,
    "moves": are_plies,
    "undone": are_plies,
    "initial": is_number,
    "increment": is_number,
    "since": is_number,
    "ended": partial(has_form, ENDED),
    "asked": partial(has_form, "(undo|redo) [01]"),
    "daily": is_day,
    "next": partial(has_form, r"\S+ [01]"),
    "evening": is_text,
    "version": is_number,
    "changed": is_number,
}
OPTIONAL = {each.name for each in fields(StoredTable) if each.default is None}


def require_sound(
    record: object,
    may_have: Mapping[str, Callable[[Any], bool]] = MAY_HAVE,
    optional: Collection[str] = OPTIONAL,
) -> None:
    """Raise DamagedError if a record, of a table by default, has what none can have."""
    for name, is_sound in may_have.items():
        value = getattr(record, name)
        if not is_sound(value) and not (value is None and name in optional):
            raise DamagedError(name)


def size_of(record: StoredTable) -> int:
    """Return the characters as which a table counts for what the house keeps of a visitor."""
    ahead = MOVES_AHEAD if record.ended is None else 0
    return len(record.start) + MOVE_SIZE * (len(record.moves) + len(record.undone) + ahead)


class Change(NamedTuple):
    """A change to one version of a table; it is written completely or not at all.

    ``ended``, ``asked`` and ``since`` are the new values.  ``seat`` is a player and the visitor who
    takes the seat; ``next`` is the rematch and the player who offers it.  ``standing`` is the new
    number of moves, which undoes or redoes moves.  The ``added`` move follows them, and ``forgets``
    deletes the undone moves.  ``also`` writes further rows in the same transaction.
    """

    table: str
    version: int
    ended: str | None = None
    asked: str | None = None
    since: int | None = None
    seat: tuple[int, str] | None = None
    standing: int | None = None
    added: Ply | None = None
    forgets: bool = False
    next: str | None = None
    also: Callable[[sa.Connection], None] | None = None


class StaleError(Exception):
    """Another process changed the table first."""

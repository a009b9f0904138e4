"""The stored form of a table, and changes to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import sqlalchemy as sa


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

"""What the database keeps of a table, and the changes to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import sqlalchemy as sa


class Ply(NamedTuple):
    """A move that was made: its text, and the milliseconds that it took by the clock.

    The database keeps these two.  The rest follows from the position before the move: who made it,
    what everybody may know of it, the cells that name it, and the number of its action.
    """

    move: str
    spent: int = 0
    player: int = 0
    public_text: str = ""
    cells: tuple[int, ...] = ()
    action: int = 0


@dataclass
class StoredTable:
    """A table as it is kept.

    ``opponent`` is hotseat, machine or friends; ``machine`` is the player that the machine of a
    ``level`` plays; ``seated_visitors`` play the others.  ``undone`` moves can be made again, the
    next one first.  ``initial`` and ``increment`` are those of the clock in
    milliseconds, None without one; ``since`` is when the time of the player to move began.
    ``ended`` says how the game has ended, None while it goes on, and ``asked`` what a player asks
    the other for.  A ``listed`` table stands in the lobby; ``daily`` is the day whose puzzle is
    played.  ``version`` grows with every change, and ``changed`` is when the last one was.
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
    version: int = 0
    changed: int = 0


class Change(NamedTuple):
    """What becomes of a table of a version, written down as a whole or not at all.

    ``ended``, ``asked`` and ``since`` are what they are from now on, ``seat`` a player and the
    visitor who takes it.  ``standing`` is how many moves stand, which may be fewer or more than
    before: those after them are undone.  An ``added`` move follows them, and if there are undone
    ones it ``forgets`` them.  ``also`` writes down in the same transaction what else comes of it.
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
    also: Callable[[sa.Connection], None] | None = None


class StaleError(Exception):
    """Another process changed the table first."""

"""The stored part of evenings: their games, their players and the points."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from gridhouse.core.errors import GridhouseError
from gridhouse.core.registry import parse_game
from gridhouse.server.clock import Clock
from gridhouse.server.settings import MAX_EVENINGS, MAX_OWN_EVENINGS, MAX_PLAYERS
from gridhouse.server.storage.records import DamagedError, is_number, is_text, require_sound
from gridhouse.server.storage.store import inserting, metadata, write_table, writing
from gridhouse.server.tables.commands import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from gridhouse.server.evenings.pairing import Pair
    from gridhouse.server.storage.records import StoredTable

log = logging.getLogger("gridhouse.server")
EVENINGS = sa.Table(
    "evenings",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("host", sa.String(64), nullable=False),
    sa.Column("name", sa.String(30), nullable=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("initial", sa.Integer, nullable=False),
    sa.Column("increment", sa.Integer, nullable=False),
    sa.Column("listed", sa.Boolean, nullable=False),
    sa.Column("ends", sa.BigInteger, nullable=False),
)
sa.Index("evenings_ends", EVENINGS.c.ends)
PLAYERS = sa.Table(
    "evening_players",
    metadata,
    sa.Column("evening", sa.ForeignKey("evenings.id"), primary_key=True),
    sa.Column("visitor", sa.String(64), primary_key=True),
    sa.Column("paused", sa.Boolean, nullable=False),
    sa.Column("seen", sa.BigInteger, nullable=False),
    sa.Column("free_since", sa.BigInteger, nullable=False),
    sa.Column("points", sa.Integer, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("balance", sa.Integer, nullable=False),
    sa.Column("opponent", sa.String(64)),
    sa.Column("table_id", sa.ForeignKey("tables.id")),
)


class Evening(NamedTuple):
    """An evening: its game as text, its clock, and the time at which the last games begin.

    The visitor ``host`` has started it.  Everybody finds a ``listed`` one.
    """

    id: str
    host: str
    name: str
    game: str
    initial: int
    increment: int
    listed: bool
    ends: int

    @property
    def clock(self) -> Clock:
        """The clock of its games."""
        return Clock(self.initial, self.increment)


class EveningPlayer(NamedTuple):
    """A player of an evening, at the table ``table_id``, or free since a time.

    ``seen`` is when the player last looked at the evening.  ``balance`` is the number of games as
    the first player less those as the second.  ``opponent`` is the visitor of the latest game.
    """

    evening: str
    visitor: str
    paused: bool = False
    seen: int = 0
    free_since: int = 0
    points: int = 0
    games: int = 0
    balance: int = 0
    opponent: str | None = None
    table_id: str | None = None


def is_game(value: object) -> bool:
    """Tell whether a value is the text of a game for two."""
    try:
        return isinstance(value, str) and len(parse_game(value)[0].players) == 2
    except GridhouseError:
        return False


# What they may have; SQLite stores anything anywhere.
OF_AN_EVENING: dict[str, Callable[[Any], bool]] = {
    "id": is_text,
    "host": is_text,
    "name": is_text,
    "game": is_game,
    "initial": is_number,
    "increment": is_number,
    "ends": is_number,
}
OF_A_PLAYER: dict[str, Callable[[Any], bool]] = {
    "visitor": is_text,
    "seen": is_number,
    "free_since": is_number,
    "points": is_number,
    "games": is_number,
    "balance": partial(is_number, among=range(-(2**31), 2**31)),
    "opponent": is_text,
    "table_id": is_text,
}


def is_sound(record: Evening | EveningPlayer) -> bool:
    """Tell whether what was read can be an evening or a player of one; if not, log why."""
    try:
        if isinstance(record, Evening):
            require_sound(record, OF_AN_EVENING, ())
        else:
            require_sound(record, OF_A_PLAYER, ("opponent", "table_id"))
    except DamagedError as error:
        log.error("a row of the evening %s cannot be read: %s", record[0], error)
        return False
    return True


class EveningStore:
    """The part of the database that evenings use.

    Each transaction takes its players in the order of their ids, so that no two processes wait for
    each other.
    """

    def __init__(self, engine: sa.Engine) -> None:
        """Use a database whose schema is up to date."""
        self._engine = engine

    def add(self, evening: Evening, now: int, near: Collection[str] = ()) -> None:
        """Store a new evening; the address of its host has started those that are ``near``.

        Raises RefusedError if too many are going on, of all or of these and the host's.
        """
        going_on = sa.select(sa.func.count()).where(EVENINGS.c.ends > now)
        is_own = (EVENINGS.c.host == evening.host) | EVENINGS.c.id.in_(near)
        with writing(self._engine) as connection:
            if (connection.scalar(going_on.where(is_own)) or 0) >= MAX_OWN_EVENINGS:
                raise RefusedError(
                    f"you and others at your address have {MAX_OWN_EVENINGS} evenings going on "
                    "already; wait until one is over"
                )
            if (connection.scalar(going_on) or 0) >= MAX_EVENINGS:
                raise RefusedError(
                    f"{MAX_EVENINGS} evenings are going on in this house already; try again later"
                )
            connection.execute(EVENINGS.insert().values(evening._asdict()))

    def load(self, name: str) -> Evening | None:
        """Return an evening, None if there is none, or none that can be read."""
        return next(iter(self._evenings(EVENINGS.c.id == name)), None)

    def lately(self, visitor: str | None, since: int) -> list[Evening]:
        """Return the evenings that end after a time and are a visitor's or everybody's."""
        joined = sa.select(PLAYERS.c.evening).where(PLAYERS.c.visitor == visitor)
        own = (EVENINGS.c.host == visitor) | EVENINGS.c.id.in_(joined)
        return self._evenings((EVENINGS.c.ends > since) & (EVENINGS.c.listed | own))

    def _evenings(self, wanted: sa.ColumnElement[bool]) -> list[Evening]:
        chosen = sa.select(EVENINGS).where(wanted).order_by(EVENINGS.c.ends.desc()).limit(50)
        with self._engine.connect() as connection:
            found = [Evening(*row) for row in connection.execute(chosen)]
        return list(filter(is_sound, found))

    def players(self, evening: str) -> list[EveningPlayer]:
        """Return the players of an evening, the best first."""
        order = PLAYERS.c.points.desc(), PLAYERS.c.games, PLAYERS.c.visitor
        chosen = sa.select(PLAYERS).where(PLAYERS.c.evening == evening).order_by(*order)
        with self._engine.connect() as connection:
            found = [EveningPlayer(*row) for row in connection.execute(chosen)]
        return list(filter(is_sound, found))

    def join(self, evening: str, visitor: str, now: int) -> None:
        """Add a player, or end the player's pause; raises RefusedError if there are too many."""
        count = sa.select(sa.func.count()).where(PLAYERS.c.evening == evening)
        player = EveningPlayer(evening, visitor, seen=now, free_since=now)
        with self._engine.begin() as connection:
            if self._update(connection, evening, [visitor], paused=False, free_since=now):
                return
            if (connection.scalar(count) or 0) >= MAX_PLAYERS:
                raise RefusedError(f"this evening has {MAX_PLAYERS} players already")
            new = inserting(connection, PLAYERS).values(player._asdict())
            connection.execute(new.on_conflict_do_nothing())  # the same visitor, twice at once

    def pause(self, evening: str, visitor: str) -> None:
        """Do not pair a player until they join again."""
        with self._engine.begin() as connection:
            self._update(connection, evening, [visitor], paused=True)

    def note_seen(self, evening: str, visitors: Iterable[str], now: int) -> None:
        """Note that players look at an evening."""
        wanted = list(visitors)
        theirs = (PLAYERS.c.evening == evening) & PLAYERS.c.visitor.in_(wanted)
        with self._engine.begin() as connection:
            if connection.dialect.name == "postgresql":  # SQLite has one who writes at a time
                ordered = sa.select(PLAYERS.c.visitor).where(theirs).order_by(PLAYERS.c.visitor)
                connection.execute(ordered.with_for_update()).all()
            self._update(connection, evening, wanted, seen=now)

    def begin(self, record: StoredTable, pair: Pair) -> bool:
        """Store a pair's table; return False if another process has paired one of them."""
        assert record.evening is not None
        ways = ((pair.first, pair.second, 1), (pair.second, pair.first, -1))
        with self._engine.begin() as connection:
            write_table(connection, record)
            for player, other, step in sorted(ways, key=lambda way: way[0].visitor):
                values = {
                    "table_id": record.id,
                    "opponent": other.visitor,
                    "balance": PLAYERS.c.balance + step,
                }
                free = PLAYERS.c.table_id.is_(None)
                if not self._update(connection, record.evening, [player.visitor], free, **values):
                    connection.rollback()
                    return False
        return True

    def end(self, evening: str, table: str, points: Mapping[str, int], now: int) -> None:
        """Add the points of a finished game, once, and free its players."""
        with self._engine.begin() as connection:
            for visitor, gained in sorted(points.items()):
                values = {
                    "points": PLAYERS.c.points + gained,
                    "games": PLAYERS.c.games + 1,
                    "table_id": None,
                    "free_since": now,
                }
                there = PLAYERS.c.table_id == table
                self._update(connection, evening, [visitor], there, **values)

    def _update(
        self,
        connection: sa.Connection,
        evening: str,
        visitors: Iterable[str],
        *conditions: sa.ColumnElement[bool],
        **values: object,
    ) -> int:
        """Change these players if the conditions hold; return how many have changed."""
        whose = (PLAYERS.c.evening == evening) & PLAYERS.c.visitor.in_(list(visitors))
        change = PLAYERS.update().where(whose, *conditions).values(values)
        return connection.execute(change).rowcount

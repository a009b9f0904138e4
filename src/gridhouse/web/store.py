"""Where tables are kept: the start as a position's text, and every move as the game writes it.

Nothing else is written down: what a table looks like follows from the rules.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection

metadata = sa.MetaData()
TABLES = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("start", sa.Text, nullable=False),
    sa.Column("opponent", sa.String(16), nullable=False),
    sa.Column("level", sa.Integer),
    sa.Column("machine", sa.Integer),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("daily", sa.String(10)),
)
SEATS = sa.Table(
    "seats",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("player", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("visitor", sa.String(64), nullable=False),
)
MOVES = sa.Table(
    "moves",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("move", sa.Text, nullable=False),
)
FACTS = sa.Table(
    "facts",
    metadata,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
SECRET = "secret"
SQLITE_SETTINGS = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "foreign_keys=ON")


@dataclass
class Record:
    """A table as it is kept.

    ``opponent`` is hotseat, machine or friends; ``machine`` is the player that the machine of a
    ``level`` plays; ``sitters`` are the visitors who play the others; ``daily`` is the day whose
    puzzle is played.
    """

    id: str
    start: str
    opponent: str
    level: int | None = None
    machine: int | None = None
    sitters: dict[int, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    daily: str | None = None


def _prepare_sqlite(connection: DBAPIConnection, _: Any) -> None:
    cursor = connection.cursor()
    for setting in SQLITE_SETTINGS:
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


class Store:
    """The database of a house.  What its methods wrote is on disk when they return."""

    def __init__(self, url: str) -> None:
        """Connect to a database and bring it up to date; raises SQLAlchemyError."""
        self.engine = sa.create_engine(url)
        if self.engine.dialect.name == "sqlite":
            sa.event.listen(self.engine, "connect", _prepare_sqlite)
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        with self.engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    def secret(self) -> str:
        """Return what cookies and invitations are signed with; it is drawn once."""
        wanted = sa.select(FACTS.c.value).where(FACTS.c.name == SECRET)
        with self.engine.begin() as connection:
            found = connection.scalar(wanted)
            if found is None:
                found = secrets.token_urlsafe(32)
                connection.execute(FACTS.insert().values(name=SECRET, value=found))
        return str(found)

    def add(self, record: Record) -> None:
        """Keep a new table and who sits at it."""
        row = {
            "id": record.id,
            "start": record.start,
            "opponent": record.opponent,
            "level": record.level,
            "machine": record.machine,
            "created": datetime.now(UTC),
            "daily": record.daily,
        }
        seats = [
            {"table_id": record.id, "player": player, "visitor": visitor}
            for player, visitor in record.sitters.items()
        ]
        with self.engine.begin() as connection:
            connection.execute(TABLES.insert().values(row))
            connection.execute(SEATS.insert(), seats)

    def load(self, table: str) -> Record | None:
        """Return a table by its name, or None if there is none."""
        with self.engine.connect() as connection:
            row = connection.execute(sa.select(TABLES).where(TABLES.c.id == table)).one_or_none()
            if row is None:
                return None
            seats = connection.execute(sa.select(SEATS).where(SEATS.c.table_id == table)).all()
            listed = sa.select(MOVES.c.move).where(MOVES.c.table_id == table).order_by(MOVES.c.ply)
            moves = connection.scalars(listed).all()
        sitters = {seat.player: seat.visitor for seat in seats}
        record = Record(row.id, row.start, row.opponent, row.level, row.machine, sitters)
        record.moves = list(moves)
        record.daily = row.daily
        return record

    def take_seat(self, table: str, player: int, visitor: str) -> None:
        """Let a visitor have a free seat; raises IntegrityError if it is taken."""
        row = {"table_id": table, "player": player, "visitor": visitor}
        with self.engine.begin() as connection:
            connection.execute(SEATS.insert().values(row))

    def add_move(self, table: str, ply: int, move: str) -> None:
        """Keep a move; raises IntegrityError if another was made in its place."""
        with self.engine.begin() as connection:
            connection.execute(MOVES.insert().values(table_id=table, ply=ply, move=move))

    def drop_moves(self, table: str, first: int) -> None:
        """Forget the moves from a ply on."""
        gone = MOVES.delete().where(MOVES.c.table_id == table, MOVES.c.ply >= first)
        with self.engine.begin() as connection:
            connection.execute(gone)

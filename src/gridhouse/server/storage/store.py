"""Where tables are kept: the start as a position's text, and every move as the game writes it.

Nothing else is written down: what a table looks like follows from the rules.
"""

from __future__ import annotations

import queue
import secrets
import threading
from concurrent.futures import Future as Promise
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from gridhouse.server import clock
from gridhouse.server.storage.records import Change, Ply, StaleError, StoredTable

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
    sa.Column("version", sa.Integer, nullable=False, server_default="0"),
    sa.Column("changed", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("initial", sa.Integer),
    sa.Column("increment", sa.Integer, nullable=False, server_default="0"),
    sa.Column("since", sa.BigInteger),
    sa.Column("ended", sa.String(32)),
    sa.Column("asked", sa.String(32)),
    sa.Column("listed", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("daily", sa.String(10)),
)
sa.Index("tables_listed", TABLES.c.listed, TABLES.c.changed)
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
    sa.Column("spent", sa.Integer, nullable=False, server_default="0"),
    sa.Column("undone", sa.Boolean, nullable=False, server_default=sa.false()),
)
FACTS = sa.Table(
    "facts",
    metadata,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
VERSION = (
    TABLES.update()
    .where(TABLES.c.id == sa.bindparam("its_id"), TABLES.c.version == sa.bindparam("its_version"))
    .values(
        {name: sa.bindparam(name) for name in ("version", "changed", "ended", "asked", "since")}
    )
)
COLUMNS = [column.name for column in TABLES.c if column.name != "created"]
SECRET = "secret"
CHANNEL = "gridhouse"  # on which PostgreSQL tells the other processes of a change
LOCK = 0x67726964  # what one process at a time holds while the database is set up
MOST_AT_ONCE = 200  # changes in a transaction
SQLITE_SETTINGS = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "foreign_keys=ON")


def _prepare_sqlite(connection: DBAPIConnection, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where _begin_sqlite says so
    cursor = connection.cursor()
    for setting in SQLITE_SETTINGS:
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    """Begin a transaction for reading too, so that all of a table is read at one time."""
    connection.exec_driver_sql("BEGIN")


class Store:
    """The database of a house.  What its methods wrote is on disk when they return."""

    def __init__(self, url: str) -> None:
        """Connect to a database and bring it up to date; raises SQLAlchemyError."""
        # What is written holds moves that are secrets, and errors go into the log.
        self.engine = sa.create_engine(with_driver(url), hide_parameters=True)
        self.is_shared = self.engine.dialect.name == "postgresql"
        if self.engine.dialect.name == "sqlite":
            sa.event.listen(self.engine, "connect", _prepare_sqlite)
            sa.event.listen(self.engine, "begin", _begin_sqlite)
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        with self.engine.begin() as connection:
            self._be_alone(connection)
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        self._writer = Writer(self.engine)

    def _be_alone(self, connection: sa.Connection) -> None:
        """Let other processes wait with what only one may do until a transaction is over."""
        if self.is_shared:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))

    def close(self) -> None:
        """Let go of the database, when all that was asked for is written."""
        self._writer.close()
        self.engine.dispose()

    def secret(self) -> str:
        """Return what cookies and invitations are signed with; it is drawn once."""
        wanted = sa.select(FACTS.c.value).where(FACTS.c.name == SECRET)
        with self.engine.begin() as connection:
            self._be_alone(connection)
            found = connection.scalar(wanted)
            if found is None:
                found = secrets.token_urlsafe(32)
                connection.execute(FACTS.insert().values(name=SECRET, value=found))
        return str(found)

    def add(self, record: StoredTable) -> None:
        """Keep a new table and who sits at it."""
        row = {name: getattr(record, name) for name in COLUMNS}
        row |= {"created": datetime.now(UTC), "changed": clock.now()}
        seats = [
            {"table_id": record.id, "player": player, "visitor": visitor}
            for player, visitor in record.seated_visitors.items()
        ]
        with self.engine.begin() as connection:
            connection.execute(TABLES.insert().values(row))
            if seats:
                connection.execute(SEATS.insert(), seats)

    def load(self, table: str) -> StoredTable | None:
        """Return a table by its name, or None if there is none."""
        found = self._records(TABLES.c.id == table)
        return found[0] if found else None

    def list_public(self, most: int, since: int) -> list[StoredTable]:
        """Return tables of the lobby that go on and have changed since, the last ones first."""
        wanted = TABLES.c.listed & TABLES.c.ended.is_(None) & (TABLES.c.changed >= since)
        return self._records(wanted, most)

    def _records(self, wanted: sa.ColumnElement[bool], most: int = 1) -> list[StoredTable]:
        chosen = sa.select(TABLES).where(wanted).order_by(TABLES.c.changed.desc()).limit(most)
        # At one time, so that nobody else's change comes between a table and its moves.
        reading = {"isolation_level": "REPEATABLE READ"} if self.is_shared else {}
        with self.engine.connect().execution_options(**reading) as connection:
            records = {
                row.id: StoredTable(**{name: getattr(row, name) for name in COLUMNS})
                for row in connection.execute(chosen)
            }
            for seat in connection.execute(sa.select(SEATS).where(SEATS.c.table_id.in_(records))):
                records[seat.table_id].seated_visitors[seat.player] = seat.visitor
            listed = sa.select(MOVES).where(MOVES.c.table_id.in_(records)).order_by(MOVES.c.ply)
            for row in connection.execute(listed):
                record = records[row.table_id]
                moves = record.undone if row.undone else record.moves
                moves.append(Ply(row.move, row.spent))
        return list(records.values())

    def append(self, change: Change) -> Promise[None]:
        """Write a change; the future resolves to None, or raises StaleError or a database error."""
        return self._writer.append(change)

    def restart_clocks(self) -> None:
        """Let the time of all who are to move begin now: the house was closed meanwhile."""
        with self.engine.begin() as connection:
            running = TABLES.update().where(TABLES.c.since.is_not(None))
            connection.execute(running.values(since=clock.now()))


class Writer:
    """Writes changes down in a thread of its own, many in one transaction when many come."""

    def __init__(self, engine: sa.Engine) -> None:
        """Begin to wait for changes."""
        self._engine = engine
        self._waiting: queue.SimpleQueue[tuple[Change, Promise[None]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writing", daemon=True)
        self._thread.start()

    def append(self, change: Change) -> Promise[None]:
        """Have a change written down; what is promised comes when it is on disk."""
        promise: Promise[None] = Promise()
        self._waiting.put((change, promise))
        return promise

    def close(self) -> None:
        """Write what is still to be written, and end."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            come = [self._waiting.get()]
            while len(come) < MOST_AT_ONCE and not self._waiting.empty():
                come.append(self._waiting.get())
            is_open = None not in come  # the last thing that comes
            batch = [wanted for wanted in come if wanted is not None]
            if batch:
                self._write(batch)

    def _write(self, batch: list[tuple[Change, Promise[None]]]) -> None:
        """Write changes as one transaction, or if that fails each as one of its own."""
        try:
            with self._engine.begin() as connection:
                write(connection, [change for change, _ in batch])
        except Exception as error:
            if len(batch) == 1:
                batch[0][1].set_exception(error)
            else:
                for wanted in batch:
                    self._write([wanted])
            return
        for _, promise in batch:
            promise.set_result(None)


def write(connection: sa.Connection, changes: list[Change]) -> None:
    """Write changes down; raises StaleError if a table is not of the version that is changed."""
    at = clock.now()
    facts = [
        {
            "its_id": change.table,
            "its_version": change.version,
            "version": change.version + 1,
            "changed": at,
            "ended": change.ended,
            "asked": change.asked,
            "since": change.since,
        }
        for change in changes
    ]
    if connection.execute(VERSION, facts).rowcount != len(changes):
        raise StaleError
    for change in changes:
        _write_rest(connection, change)
    added = [
        {
            "table_id": change.table,
            "ply": change.standing,
            "undone": False,
            "move": change.added.move,
            "spent": change.added.spent,
        }
        for change in changes
        if change.added is not None
    ]
    if added:
        connection.execute(MOVES.insert(), added)
    if connection.dialect.name == "postgresql":
        for change in changes:
            news = f"{change.table} {change.version + 1}"
            connection.execute(sa.select(sa.func.pg_notify(CHANNEL, news)))


def _write_rest(connection: sa.Connection, change: Change) -> None:
    """Write down what most changes do not have."""
    mine = MOVES.c.table_id == change.table
    if change.seat is not None:
        player, visitor = change.seat
        row = {"table_id": change.table, "player": player, "visitor": visitor}
        connection.execute(SEATS.insert().values(row))
    if change.added is None and change.standing is not None:
        undone = MOVES.c.ply >= change.standing
        connection.execute(MOVES.update().where(mine).values(undone=undone))
    if change.forgets:
        connection.execute(MOVES.delete().where(mine, MOVES.c.undone))
    if change.also is not None:
        change.also(connection)


def with_driver(url: str) -> str:
    """Return the address of a database with the driver that the house brings along."""
    scheme, colons, rest = url.partition("://")
    is_plain = scheme in ("postgres", "postgresql")
    return f"postgresql+psycopg{colons}{rest}" if is_plain else url

"""The database of tables: the start as a position's text, and every move in its notation.

Positions are not stored, because they follow from the rules.
"""

from __future__ import annotations

import hashlib
import logging
import os
import queue
import secrets
import sqlite3
import threading
import time
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import filelock
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.dialects import postgresql, sqlite

from gridhouse.server import clock
from gridhouse.server.settings import MOVE_SIZE, MOVES_AHEAD
from gridhouse.server.storage.records import (
    Change,
    DamagedError,
    Ply,
    StaleError,
    StoredTable,
    require_sound,
)

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Collection, Iterator, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy.engine.interfaces import DBAPIConnection

    Promise = Future[None] | asyncio.Future[None]
    Deliver = Callable[[Callable[[], object]], object]

log = logging.getLogger("gridhouse.server")
metadata = sa.MetaData()
HEADER = b"SQLite format 3\0"  # with which the file of a database begins
PRIVATE = 0o600  # a database has the secret for all signatures
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
    sa.Column("next", sa.String(48)),
    sa.Column("given", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("evening", sa.String(32)),
)
sa.Index("tables_listed", TABLES.c.listed, TABLES.c.changed)
SEATS = sa.Table(
    "seats",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("player", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("visitor", sa.String(64), nullable=False),
)
sa.Index("seats_visitor", SEATS.c.visitor)
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
OPEN_FIRST, LATEST_FIRST = TABLES.c.ended.is_not(None), TABLES.c.changed.desc()
COLUMNS = [column.name for column in TABLES.c if column.name != "created"]
SECRET = "secret"
SHORTEST_SECRET = 32  # characters
MIGRATIONS = str(Path(__file__).parent / "migrations")
CHANNEL = "gridhouse"  # of PostgreSQL's notifications to other processes
LOCK = 0x67726964  # held by one process at a time while it sets up the database
PRESENCE = 0x686F757365  # shared by every process that serves the database
MAX_AT_ONCE = 200  # changes in a transaction
GATHER_SECONDS = 0.002  # for which the first of them waits for others
BUSY_SECONDS = 0.008  # the same, if the last transaction had several
# The errors of databases that cannot write, by SQLite's codes and PostgreSQL's.
CANNOT_WRITE = (
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR),
    *("53100", "25006", "58030"),
)
TRIAL = "trial "  # with which the facts begin that are written to see whether that works
TRIAL_SIZE = 48 * 1024  # random bytes: more room than a few changes need
SQLITE_SETTINGS = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "foreign_keys=ON")


def _prepare_sqlite(connection: DBAPIConnection, _: Any) -> None:
    connection.isolation_level = None  # _begin_sqlite begins the transactions
    # One text that is none must not make all that is read with it unreadable.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    cursor = connection.cursor()
    for setting in SQLITE_SETTINGS:
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    """Begin a transaction for reading too, so that a table is read in a consistent state."""
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def writing(engine: sa.Engine) -> AbstractContextManager[sa.Connection]:
    """Begin a transaction that reads before it writes.

    SQLite would refuse to write in it without waiting, if another one has written meanwhile.
    """
    return engine.execution_options(writes=True).begin()


def inserting(connection: sa.Connection, rows: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """Return an insertion that can say what happens if the row is there already."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(rows)
    return sqlite.insert(rows)


def file_of(url: sa.URL) -> Path | None:
    """Return the file of an SQLite database, None for any other."""
    name = url.database or ""
    is_file = url.get_backend_name() == "sqlite" and name and not name.startswith(":")
    return Path(name) if is_file else None


def create_private(file: Path) -> None:
    """Create the file of a database so that only its owner can read it: it has a secret.

    Raises OSError.
    """
    os.close(os.open(file, os.O_CREAT | os.O_EXCL, PRIVATE))


def _identity(file: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of its name, None if there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def is_in_memory(address: sa.URL) -> bool:
    """Tell whether a database is one of SQLite without a file, which each connection has anew."""
    return address.get_backend_name() == "sqlite" and file_of(address) is None


def _engine_of(address: sa.URL) -> sa.Engine:
    """Return what connects to a database; raises SQLAlchemyError or UnusableDatabaseError."""
    is_shared = address.get_backend_name() == "postgresql"
    # Else a database of another encoding would answer in bytes.
    options = {"client_encoding": "utf8"} if is_shared else {}
    try:
        # Errors are logged, and the parameters may contain hidden moves.
        return sa.create_engine(address, hide_parameters=True, connect_args=options)
    except (TypeError, ValueError) as error:
        raise UnusableDatabaseError(f"its URL cannot be read: {error}") from None


def at_once(keep: Callable[[], object]) -> object:
    """Keep promises in the thread that writes."""
    return keep()


class UnusableDatabaseError(Exception):
    """A house cannot run on this database; the message says why in one line."""


class Chosen(NamedTuple):
    """Which of a visitor's tables are wanted: all, or those of a game, a state, an opponent."""

    game: str = ""
    over: bool | None = None
    opponent: str = ""


class Store:
    """The database of a server; a method returns when its changes are on disk."""

    def __init__(self, url: str, deliver: Deliver = at_once) -> None:
        """Connect to a database and migrate it to the current schema.

        ``deliver`` calls a function that keeps promises, where those who wait for them are.
        Raises SQLAlchemyError or UnusableDatabaseError.
        """
        self.engine = _engine_of(address_of(url))
        self.is_shared = self.engine.dialect.name == "postgresql"
        self.file = file_of(self.engine.url)
        self._descriptor: int | None = None
        self._kept: sa.PoolProxiedConnection | None = None
        if self.engine.dialect.name == "sqlite":
            sa.event.listen(self.engine, "connect", _prepare_sqlite)
            sa.event.listen(self.engine, "begin", _begin_sqlite)
        # Why the database cannot write, for anybody to read; empty while it can.
        self.unwritten = ""
        sa.event.listen(self.engine, "handle_error", self._note_error)
        if self.file is not None:
            with suppress(OSError):  # it is there, or SQLite says what is wrong with the place
                create_private(self.file)
        try:
            self._connect()
            with self.engine.begin() as connection:
                self._set_up(connection)
        except BaseException:
            self.engine.dispose()
            raise
        if self.file is not None:
            self._watch(self.file)
        self._writer = Writer(self.engine, deliver)

    def _connect(self) -> None:
        """Connect for the first time, which some options of a URL make impossible.

        Raises SQLAlchemyError or UnusableDatabaseError.
        """
        try:
            if self.is_shared:
                from psycopg import ProgrammingError
                from psycopg.conninfo import conninfo_to_dict

                try:
                    conninfo_to_dict(plain_url(self.engine.url))
                except ProgrammingError as error:
                    raise UnusableDatabaseError(f"its URL cannot be read: {error}") from None
            self.engine.connect().close()
        except TypeError as error:
            raise UnusableDatabaseError(f"its URL cannot be used: {error}") from None

    def _watch(self, file: Path) -> None:
        """Refuse all work once a file is not the one that was opened: it would be lost."""
        # SQLite removes what lies beside the file when nobody has it open any more.
        self._kept = self.engine.raw_connection()
        self._kept.detach()
        whole = Path(os.path.realpath(file))
        beside = {end: whole.with_name(f"{whole.name}-{end}") for end in ("wal", "shm")}
        files = {"": file} | {f" that ends in -{end}": path for end, path in beside.items()}
        opened = {name: _identity(path) for name, path in files.items()}
        read = getattr(os, "pread", None)  # not on Windows
        if read is not None:
            # SQLite's locks would end if it were closed before its connections.
            self._descriptor = os.open(file, os.O_RDONLY)

        def check(_: sa.Connection) -> None:
            for name, path in files.items():
                if _identity(path) != opened[name]:
                    reason = f"the file of the database{name} was removed or replaced"
                    raise sa.exc.OperationalError(None, None, FileNotFoundError(reason))
            # SQLite reads the beginning of the file when it opens it, and then no more.
            kept = self._descriptor
            if read is not None and kept is not None and read(kept, len(HEADER), 0) != HEADER:
                damage = sqlite3.DatabaseError("the file of the database was damaged")
                raise sa.exc.DatabaseError(None, None, damage)

        sa.event.listen(self.engine, "begin", check)

    def _set_up(self, connection: sa.Connection) -> None:
        self._lock_setup(connection)
        if self.is_shared:
            self._require_shareable(connection)
        config = Config()
        config.set_main_option("script_location", MIGRATIONS)
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError:
            raise UnusableDatabaseError(
                "it was written by a newer version of Gridhouse, which alone can read it"
            ) from None
        for rows in metadata.sorted_tables:  # each of them is there and can be read
            connection.execute(sa.select(sa.literal(1)).select_from(rows).limit(1))

    def _require_shareable(self, connection: sa.Connection) -> None:
        """Raise UnusableDatabaseError unless houses can share a database in PostgreSQL.

        It has to keep every text, and houses of an older version must not be open on it.
        """
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
        if encoding != "UTF8":
            raise UnusableDatabaseError(f"its encoding is {encoding}; it should be UTF8")
        alone = sa.select(sa.func.pg_try_advisory_xact_lock(PRESENCE))
        if is_older(connection) and not connection.scalar(alone):
            raise UnusableDatabaseError(
                "the house is open with an older version, in another process; close it first"
            )

    def _lock_setup(self, connection: sa.Connection) -> None:
        """Make other processes wait until this transaction ends."""
        if self.is_shared:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))

    def close(self) -> None:
        """Write all pending changes, then close the database."""
        self._writer.close()
        self.engine.dispose()
        if self._kept is not None:
            self._kept.close()
            self._kept = None
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def check(self) -> None:
        """Ask the database for something; raises SQLAlchemyError if it does not answer."""
        with self.engine.connect() as connection:
            connection.execute(sa.select(TABLES.c.id).limit(1))

    def _note_error(self, context: sa.engine.ExceptionContext) -> None:
        """Note the error of a database that cannot write."""
        error = context.original_exception
        code = getattr(error, "sqlite_errorcode", None)
        found = getattr(error, "sqlstate", None) if code is None else code & 0xFF
        if found in CANNOT_WRITE:
            assert context.sqlalchemy_exception is not None  # of each error of the database
            self.unwritten = public_reason(context.sqlalchemy_exception)

    def try_to_write(self) -> None:
        """Note that the database can write again, if it can."""
        name, text = TRIAL + secrets.token_hex(8), secrets.token_urlsafe(TRIAL_SIZE)
        with suppress(OSError, sa.exc.SQLAlchemyError):
            with self.engine.begin() as connection:
                connection.execute(FACTS.insert().values(name=name, value=text))
            with self.engine.begin() as connection:
                connection.execute(FACTS.delete().where(FACTS.c.name.startswith(TRIAL)))
            self.unwritten = ""

    def secret(self) -> str:
        """Return the secret for signatures; the first call generates and stores it.

        Raises SQLAlchemyError or UnusableDatabaseError.
        """
        wanted = sa.select(FACTS.c.value).where(FACTS.c.name == SECRET)
        with writing(self.engine) as connection:
            self._lock_setup(connection)
            found = connection.scalar(wanted)
            if found is None:
                found = made_secret()
                connection.execute(FACTS.insert().values(name=SECRET, value=found))
        if not is_secret(found):
            raise UnusableDatabaseError(
                "its secret is damaged; gridhouse admin renew-secret makes a new one"
            )
        return found

    def add(self, *records: StoredTable) -> None:
        """Store new tables with their seats and moves; raises IntegrityError if one is known."""
        with self.engine.begin() as connection:
            for record in records:
                write_table(connection, record)

    def load(self, table: str, known: Sequence[Ply] = ()) -> StoredTable | None:
        """Return a table by its name, or None if there is none, or none that can be read.

        The moves that are ``known`` are not read again if they stand.
        """
        found = self._records(TABLES.c.id == table, known=known)
        return found[0] if found else None

    def list_public(self, most: int, since: int) -> list[tuple[StoredTable, int]]:
        """Return the lobby's unfinished tables that have changed since a time, latest first.

        They come without their moves, but with the number of these.
        """
        wanted = TABLES.c.listed & TABLES.c.ended.is_(None) & (TABLES.c.changed >= since)
        found = self._records(wanted, most, moves=False)
        made = MOVES.c.table_id.in_([record.id for record in found]) & ~MOVES.c.undone
        counts = sa.select(MOVES.c.table_id, sa.func.count()).where(made)
        with self.engine.connect() as connection:
            rows = connection.execute(counts.group_by(MOVES.c.table_id))
            numbers = {row[0]: row[1] for row in rows}
        return [(record, numbers.get(record.id, 0)) for record in found]

    def is_listed(self, table: str) -> bool:
        """Tell whether the lobby shows a table."""
        with self.engine.connect() as connection:
            found = sa.select(TABLES.c.listed).where(TABLES.c.id == table)
            return bool(connection.scalar(found))

    def unlist_oldest(self, visitor: str, tables: Collection[str], most: int) -> None:
        """Let the lobby have the latest unfinished ones of a visitor's tables and these others."""
        own = sa.or_(TABLES.c.id.in_(tables), TABLES.c.id.in_(_seated(visitor)))
        wanted = TABLES.c.listed & TABLES.c.ended.is_(None) & own
        shown = sa.select(TABLES.c.id).where(wanted).order_by(TABLES.c.changed.desc())
        with writing(self.engine) as connection:
            old = connection.scalars(shown.offset(most)).all()
            connection.execute(TABLES.update().where(TABLES.c.id.in_(old)).values(listed=False))

    def size_of_own(self, visitor: str) -> int:
        """Return the characters as which all tables of a visitor count, as ``size_of`` does."""
        own = _seated(visitor)
        ahead = sa.case((TABLES.c.ended.is_(None), MOVE_SIZE * MOVES_AHEAD), else_=0)
        length = sa.func.sum(sa.func.length(TABLES.c.start) + ahead)
        made = sa.select(sa.func.count()).where(MOVES.c.table_id.in_(own))
        with self.engine.connect() as connection:
            starts = connection.scalar(sa.select(length).where(TABLES.c.id.in_(own))) or 0
            return int(starts) + MOVE_SIZE * (connection.scalar(made) or 0)

    def list_own(self, visitor: str, chosen: Chosen, most: int, skip: int = 0) -> list[StoredTable]:
        """Return a visitor's tables, unfinished ones first, then the latest change first.

        They come without their moves, because many long games take long.
        """
        return self._records(_own(visitor, chosen), most, skip, OPEN_FIRST, moves=False)

    def names_of_own(self, visitor: str) -> list[str]:
        """Return the names of a visitor's tables in the order of ``list_own``."""
        chosen = sa.select(TABLES.c.id).where(_own(visitor, Chosen()))
        with self.engine.connect() as connection:
            return list(connection.scalars(chosen.order_by(OPEN_FIRST, LATEST_FIRST)))

    def count_own(self, visitor: str, chosen: Chosen) -> int:
        """Return the number of a visitor's tables."""
        with self.engine.connect() as connection:
            wanted = sa.select(sa.func.count()).where(_own(visitor, chosen))
            return connection.scalar(wanted) or 0

    def _records(
        self,
        wanted: sa.ColumnElement[bool],
        most: int = 1,
        skip: int = 0,
        *first: sa.ColumnElement[bool],
        moves: bool = True,
        known: Sequence[Ply] = (),
    ) -> list[StoredTable]:
        """Return the tables that are wanted, without those that cannot be read.

        If one is, its first moves may be ``known``.
        """
        columns = [TABLES.c[name] for name in COLUMNS]
        chosen = sa.select(*columns).where(wanted).order_by(*first, LATEST_FIRST)
        chosen = chosen.limit(most).offset(skip)
        # One snapshot, so that a table and its moves belong together.
        reading = {"isolation_level": "REPEATABLE READ"} if self.is_shared else {}
        with self.engine.connect().execution_options(**reading) as connection:
            records = {row.id: StoredTable(**row._asdict()) for row in connection.execute(chosen)}
            for seat in connection.execute(sa.select(SEATS).where(SEATS.c.table_id.in_(records))):
                records[seat.table_id].seated_visitors[seat.player] = seat.visitor
            made: sa.ColumnElement[bool] = MOVES.c.table_id.in_(records) if moves else sa.false()
            if known and self.is_shared and _stand(connection, made, known):
                made &= MOVES.c.ply >= len(known)
                for record in records.values():
                    record.moves.extend(known)
            for row in connection.execute(sa.select(MOVES).where(made).order_by(MOVES.c.ply)):
                record = records[row.table_id]
                (record.undone if row.undone else record.moves).append(Ply(row.move, row.spent))
        return [record for record in records.values() if is_sound(record)]

    def append(self, change: Change) -> Future[None]:
        """Write a change; the future raises StaleError, or a database error, if that fails."""
        promise: Future[None] = Future()
        self.write(change, promise)
        return promise

    def write(self, change: Change, promise: Promise) -> None:
        """Write a change, and keep a promise as that of ``append``, where promises are delivered.

        Those of a transaction are kept by one call, so that its thread does not take the
        interpreter from the event loop for each.
        """
        self._writer.append(change, promise)

    def prepare(self) -> None:
        """Write what a house writes at its start; raises SQLAlchemyError if that is refused."""
        if not self.is_shared:
            self.restart_clocks()
        self.secret()

    def take_time(self) -> None:
        """Have the time of PostgreSQL from now on, so that all processes have the same."""
        with self.engine.connect() as connection:
            found: datetime = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
        clock.begin(int(found.timestamp() * 1e9) - time.monotonic_ns())

    def restart_clocks(self) -> None:
        """Restart all running clocks now, because the server was closed meanwhile."""
        with self.engine.begin() as connection:
            running = TABLES.update().where(TABLES.c.since.is_not(None))
            connection.execute(running.values(since=clock.now()))


def made_secret() -> str:
    """Return a new secret for signatures, which nobody guesses."""
    return secrets.token_urlsafe(32)


def is_secret(value: object) -> TypeGuard[str]:
    """Tell whether a value may be a secret for signatures; SQLite stores anything anywhere."""
    return isinstance(value, str) and len(value) >= SHORTEST_SECRET


def is_older(connection: sa.Connection) -> bool:
    """Tell whether a database was written by an older version."""
    known = [script.revision for script in ScriptDirectory(MIGRATIONS).walk_revisions()]
    return MigrationContext.configure(connection).get_current_revision() in known[1:]


def lock_of(file: Path) -> filelock.BaseFileLock:
    """Return the lock that whoever serves an SQLite file holds; it is not acquired yet.

    It is the same for all symbolic links to the file.
    """
    return filelock.FileLock(f"{os.path.realpath(file)}.lock", timeout=0, mode=PRIVATE)


@contextmanager
def serving(url: str) -> Iterator[None]:
    """Hold the lock of an SQLite file, whose tables this process has in memory.

    It ends with the process at the latest.  Processes that share a database in PostgreSQL hold
    none: they tell each other.  Raises UnusableDatabaseError if another process serves the file,
    and SQLAlchemyError if there is no such kind of database.
    """
    file = file_of(address_of(url))
    with ExitStack() as held:
        if file is not None and file.parent.is_dir():  # else SQLite will say what is wrong
            try:
                held.enter_context(lock_of(file))
            except filelock.Timeout:
                raise UnusableDatabaseError("another house serves it already") from None
            except OSError as error:
                raise UnusableDatabaseError(f"{file}.lock: {error.strerror}") from None
            if file.is_file() and file.stat().st_nlink > 1:  # each would have a lock of its own
                raise UnusableDatabaseError(f"{file}: it has several names, as hard links")
        yield


def reason_of(error: Exception) -> str:
    """Return the reason of a database error in a few words, without what was written."""
    return str(getattr(error, "orig", None) or error).partition("\n")[0]


def public_reason(error: Exception) -> str:
    """Return the reason of an error for anybody; what a server says may name hosts and users."""
    is_public = isinstance(getattr(error, "orig", None), (sqlite3.Error, FileNotFoundError))
    return reason_of(error) if is_public else "the log of the house says why"


def write_table(connection: sa.Connection, record: StoredTable) -> None:
    """Write a new table with its seats and moves."""
    row = {name: getattr(record, name) for name in COLUMNS}
    row |= {"created": datetime.now(UTC), "changed": record.changed or clock.dated()}
    seats = [
        {"table_id": record.id, "player": player, "visitor": visitor}
        for player, visitor in record.seated_visitors.items()
    ]
    moves = [
        {"table_id": record.id, "ply": at, "undone": False, "move": ply.move, "spent": ply.spent}
        for at, ply in enumerate(record.moves)
    ]
    connection.execute(TABLES.insert().values(row))
    for table, rows in ((SEATS, seats), (MOVES, moves)):
        if rows:
            connection.execute(table.insert(), rows)


def _stand(connection: sa.Connection, made: sa.ColumnElement[bool], known: Sequence[Ply]) -> bool:
    """Tell whether these are the first moves of a table in PostgreSQL, without reading them."""
    text = MOVES.c.move + " " + sa.cast(MOVES.c.spent, sa.Text)
    ordered = postgresql.aggregate_order_by(sa.literal("\n"), MOVES.c.ply)
    whole = sa.func.convert_to(sa.func.string_agg(text, ordered), "UTF8")
    first = made & ~MOVES.c.undone & (MOVES.c.ply < len(known))
    own = "\n".join([f"{ply.move} {ply.spent}" for ply in known])
    found = connection.scalar(sa.select(sa.func.sha256(whole)).where(first))
    return bool(found == hashlib.sha256(own.encode()).digest())


def _seated(visitor: str) -> sa.Select[tuple[str]]:
    """Return the query for the tables at which a visitor sits."""
    return sa.select(SEATS.c.table_id).where(SEATS.c.visitor == visitor)


def _own(visitor: str, chosen: Chosen) -> sa.ColumnElement[bool]:
    """Return the condition that selects a visitor's tables; those without a move do not count."""
    begun = sa.exists().where(MOVES.c.table_id == TABLES.c.id)
    waits = TABLES.c.opponent == "friends"
    wanted = TABLES.c.id.in_(_seated(visitor)) & (begun | waits)
    if chosen.game:
        wanted &= TABLES.c.start.startswith(f"{chosen.game}(", autoescape=True)
    if chosen.over is not None:
        wanted &= TABLES.c.ended.is_not(None) if chosen.over else TABLES.c.ended.is_(None)
    if chosen.opponent:
        wanted &= TABLES.c.opponent == chosen.opponent
    return wanted


def is_sound(record: StoredTable) -> bool:
    """Tell whether what was read can be a table; if not, log why."""
    try:
        require_sound(record)
    except DamagedError as error:
        log.error("the table %s cannot be read: %s", record.id, error)
        return False
    return True


def _keep(promises: list[Promise], error: Exception | None = None) -> None:
    for promise in promises:
        if promise.done():  # nobody waits for it any more
            continue
        if error is None:
            promise.set_result(None)
        else:
            promise.set_exception(error)


class Writer:
    """Writes changes in a separate thread, those that are waiting in one transaction."""

    def __init__(self, engine: sa.Engine, deliver: Deliver) -> None:
        """Start the thread."""
        self._engine = engine
        self._deliver = deliver
        self._waiting: queue.SimpleQueue[tuple[Change, Promise] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writing", daemon=True)
        self._thread.start()

    def append(self, change: Change, promise: Promise) -> None:
        """Queue a change; the promise is kept when it is on disk."""
        self._waiting.put((change, promise))

    def close(self) -> None:
        """Write the queued changes, then end the thread."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        is_busy = False
        while is_open:
            come = [self._waiting.get()]
            time.sleep(BUSY_SECONDS if is_busy else GATHER_SECONDS)
            while len(come) < MAX_AT_ONCE and not self._waiting.empty():
                come.append(self._waiting.get())
            is_open = None not in come  # None is the last item
            is_busy = len(come) > 1
            batch = [wanted for wanted in come if wanted is not None]
            if batch:
                self._write(batch)

    def _write(self, batch: list[tuple[Change, Promise]]) -> None:
        """Write changes in one transaction; if it fails, write each in its own."""
        try:
            with self._engine.begin() as connection:
                write(connection, [change for change, _ in batch])
        except Exception as error:
            if len(batch) == 1:
                self._deliver(partial(_keep, [batch[0][1]], error))
            else:
                for wanted in batch:
                    self._write([wanted])
            return
        self._deliver(partial(_keep, [promise for _, promise in batch]))


def write(connection: sa.Connection, changes: list[Change]) -> None:
    """Write changes; raises StaleError if a table no longer has the version of its change."""
    # All processes take the tables in one order; else two would wait for each other.
    changes = sorted(changes, key=lambda change: change.table)
    at = clock.dated()
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
    """Write the parts of a change that most changes lack."""
    if change.seat is not None:
        player, visitor = change.seat
        row = {"table_id": change.table, "player": player, "visitor": visitor}
        connection.execute(SEATS.insert().values(row))
    if change.next is not None:
        ours = TABLES.update().where(TABLES.c.id == change.table)
        connection.execute(ours.values(next=change.next))
    if change.added is None and change.standing is not None:
        moves = MOVES.update().where(MOVES.c.table_id == change.table)
        is_undone = MOVES.c.ply >= change.standing
        # Only what changes is written: PostgreSQL makes every row anew that it is told to write.
        connection.execute(moves.where(MOVES.c.undone != is_undone).values(undone=is_undone))
    if change.forgets:
        undone = MOVES.delete().where(MOVES.c.table_id == change.table, MOVES.c.undone)
        connection.execute(undone)
    if change.also is not None:
        change.also(connection)


def plain_url(address: sa.URL) -> str:
    """Return the URL of a database in PostgreSQL, with its password, as libpq takes it."""
    return address.set(drivername="postgresql").render_as_string(hide_password=False)


def address_of(url: str) -> sa.URL:
    """Return the address of a database, with the driver that this package installs.

    Raises ArgumentError, which is an SQLAlchemyError, or UnusableDatabaseError.
    """
    scheme, colons, rest = url.partition("://")
    is_plain = scheme in ("postgres", "postgresql")
    try:
        found = sa.engine.make_url(f"postgresql+psycopg{colons}{rest}" if is_plain else url)
    except ValueError:
        raise UnusableDatabaseError("the port in its URL is not a number") from None
    if found.get_backend_name() == "sqlite" and (found.database or "").startswith("file:"):
        raise UnusableDatabaseError("its URL should be like sqlite:////folder/house.db")
    if "\0" in (found.database or ""):
        raise UnusableDatabaseError("its URL has a null character")
    return found

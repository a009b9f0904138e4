"""Work on a house's database from the command line, beside a running house."""

from __future__ import annotations

import math
import os
import re
import shutil
import sqlite3
import tempfile
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import filelock
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from gridhouse.core.console import UsageError
from gridhouse.server import clock, upkeep
from gridhouse.server.evenings.storage import EVENINGS, PLAYERS
from gridhouse.server.network import read_network
from gridhouse.server.settings import MAX_DAYS, Settings, prepare_folder, url_of
from gridhouse.server.storage.store import (
    MOVES,
    PRESENCE,
    SEATS,
    TABLES,
    Store,
    UnusableDatabaseError,
    address_of,
    create_private,
    file_of,
    is_in_memory,
    is_older,
    lock_of,
    metadata,
    reason_of,
)
from gridhouse.server.storage.visitors import VISITORS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

AT_ONCE = 1000  # rows that are copied together
OPEN = "the house is open; close it first"
SHORTEST = 8  # characters that may stand for the id of a visitor
WHOLE_ID = re.compile(f"[0-9a-f]{{{upkeep.ID_LENGTH}}}")
UNREADABLE = "cannot be read"
DAMAGES = (TypeError, ValueError, OverflowError, OSError)  # by a row that the house did not write
KNOWN = (SEATS.c.visitor, VISITORS.c.visitor, PLAYERS.c.visitor, EVENINGS.c.host)


class TableLine(NamedTuple):
    """A table in the list: its name, what is played, and with whom.

    Of one whose row cannot be read, only the name is there, and ``changed`` is None.
    """

    id: str
    game: str
    opponent: str
    moves: int
    ended: str | None
    listed: bool
    changed: datetime | None
    visitors: tuple[str, ...]
    names: tuple[str, ...]


@contextmanager
def opened(url: str | None = None) -> Iterator[Store]:
    """Open the database of the house, which has to be there, or another one; raises UsageError.

    It is not brought up to date under an open house of an older version.
    """
    store = None
    wanted = url or Settings().database
    try:
        address = address_of(wanted)
        file = file_of(address)
        if is_in_memory(address):
            raise UsageError(f"{wanted}: a database in memory is lost when the command ends")
        if file is not None and not url and not file.is_file():
            raise UsageError(f"{file}: there is no database")
        with closed(address) if _is_older(address) else nullcontext():
            store = Store(wanted)
        yield store
    except (UnusableDatabaseError, OSError, SQLAlchemyError, sqlite3.Error, ImportError) as error:
        raise UsageError(f"the database cannot be used: {reason_of(error)}") from None
    except UnicodeEncodeError as error:  # of what was asked for
        raise UsageError(f"{error.object!r}: it should be UTF-8 text") from None
    finally:
        if store is not None:
            store.close()


@contextmanager
def closed(address: sa.URL) -> Iterator[None]:
    """Keep the house of a database closed meanwhile; raises UsageError if it is open."""
    file = file_of(address)
    if file is not None:
        try:
            with lock_of(file) as lock:
                _give_away(Path(lock.lock_file), file if file.is_file() else file.parent)
                yield
        except filelock.Timeout:
            raise UsageError(OPEN) from None
        return
    with sa.create_engine(address, poolclass=sa.NullPool).connect() as connection:
        if not connection.scalar(sa.select(sa.func.pg_try_advisory_lock(PRESENCE))):
            raise UsageError(OPEN)
        yield


def _is_older(address: sa.URL) -> bool:
    """Tell whether an older version wrote an SQLite file; a Store asks PostgreSQL by itself."""
    file = file_of(address)
    if file is None or not file.is_file():
        return False
    with sa.create_engine(address, poolclass=sa.NullPool).connect() as connection:
        return is_older(connection)


def tables(
    store: Store,
    *,
    game: str = "",
    over: bool | None = None,
    listed: bool = False,
    visitor: str = "",
    most: int = 50,
) -> list[TableLine]:
    """Return tables, the latest change first."""
    count = sa.select(sa.func.count()).where(MOVES.c.table_id == TABLES.c.id, ~MOVES.c.undone)
    wanted = (TABLES.c[name] for name in ("id", "start", "opponent", "ended", "listed", "changed"))
    chosen = sa.select(*wanted, count.scalar_subquery().label("plies"))
    if game:
        chosen = chosen.where(TABLES.c.start.startswith(f"{game}(", autoescape=True))
    if over is not None:
        chosen = chosen.where(TABLES.c.ended.is_not(None) if over else TABLES.c.ended.is_(None))
    if listed:
        chosen = chosen.where(TABLES.c.listed)
    with store.engine.connect() as connection:
        if visitor:
            whole = visitor_of(connection, visitor)
            seats = sa.select(SEATS.c.table_id).where(SEATS.c.visitor == whole)
            chosen = chosen.where(TABLES.c.id.in_(seats))
        rows = connection.execute(chosen.order_by(TABLES.c.changed.desc()).limit(most)).all()
        known = SEATS.outerjoin(VISITORS, VISITORS.c.visitor == SEATS.c.visitor)
        people = sa.select(SEATS.c.table_id, SEATS.c.visitor, VISITORS.c.name).select_from(known)
        sat = connection.execute(people.where(SEATS.c.table_id.in_([row.id for row in rows]))).all()
    return [_line_of(row, [seat for seat in sat if seat.table_id == row.id]) for row in rows]


def _line_of(row: Any, seats: Sequence[Any]) -> TableLine:
    """Return a table's line; nothing of a damaged row has to be what it should be."""
    try:
        return TableLine(
            row.id,
            text_of(row.start).partition("(")[0],
            text_of(row.opponent),
            row.plies,
            None if row.ended is None else text_of(row.ended),
            row.listed,
            datetime.fromtimestamp(row.changed / 1000, UTC),
            tuple(dict.fromkeys(text_of(seat.visitor) for seat in seats)),
            tuple(dict.fromkeys(text_of(seat.name) for seat in seats if seat.name)),
        )
    except DAMAGES:
        return TableLine(str(row.id), "", "", row.plies, UNREADABLE, False, None, (), ())


def text_of(value: object) -> str:
    """Return a text of the database; raises TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError
    return value


class EveningLine(NamedTuple):
    """An evening in the list; of one whose row cannot be read, only the name is there."""

    id: str
    name: str
    host: str
    game: str
    minutes: int | None
    players: int


def evenings(store: Store) -> list[EveningLine]:
    """Return the evenings that are going on, the one that ends first at the beginning."""
    now = clock.now()
    count = sa.select(sa.func.count()).where(PLAYERS.c.evening == EVENINGS.c.id)
    chosen = sa.select(EVENINGS, count.scalar_subquery().label("players"))
    chosen = chosen.where(EVENINGS.c.ends > now).order_by(EVENINGS.c.ends)
    with store.engine.connect() as connection:
        return [_evening_of(row, now) for row in connection.execute(chosen)]


def _evening_of(row: Any, now: int) -> EveningLine:
    """Return an evening's line; nothing of a damaged row has to be what it should be."""
    try:
        return EveningLine(
            row.id,
            text_of(row.name),
            text_of(row.host),
            text_of(row.game).partition("(")[0],
            math.ceil((row.ends - now) / clock.MINUTE),
            row.players,
        )
    except DAMAGES:
        return EveningLine(str(row.id), UNREADABLE, "", "", None, row.players)


def visitor_of(
    connection: sa.Connection,
    begin: str,
    among: Sequence[sa.Column[str]] = KNOWN,
    otherwise: str = "no such visitor",
) -> str:
    """Return the visitor whose id is so, or begins so among those of some columns.

    Raises UsageError unless there is exactly one.
    """
    if WHOLE_ID.fullmatch(begin.lower()):  # also of somebody of whom nothing is kept any more
        return begin.lower()
    if len(begin) < SHORTEST:
        raise UsageError(f"{begin}: at least {SHORTEST} characters of a visitor's id are needed")
    found: set[str] = set()
    for column in among:
        begins = column.startswith(begin.lower(), autoescape=True)
        is_whole = sa.func.length(column) == upkeep.ID_LENGTH
        found.update(
            connection.scalars(sa.select(column).where(begins, is_whole).distinct().limit(2))
        )
    if len(found) != 1:
        raise UsageError(f"{begin}: {'several visitors begin so' if found else otherwise}")
    return found.pop()


def blocked_as(store: Store, text: str) -> str:
    """Return how an address, a network or a visitor who may be blocked is written there.

    Raises UsageError.
    """
    who = upkeep.BLOCKS.c.who
    with store.engine.connect() as connection:
        if connection.scalar(sa.select(who).where(who == text)) is not None:
            return text
        try:
            return str(read_network(text))
        except ValueError:
            return visitor_of(connection, text, [who], "not blocked")


def who_is(store: Store, text: str) -> str:
    """Return how an address, a network or a visitor is written; raises UsageError."""
    try:
        return str(read_network(text))
    except ValueError:
        with store.engine.connect() as connection:
            return visitor_of(connection, text)


def days_to_prune(days: int | None) -> int:
    """Return the days after which a table is removed, those of the settings for None.

    Raises UsageError.
    """
    wanted = Settings().prune_days if days is None else days
    if not wanted:
        raise UsageError("GRIDHOUSE_PRUNE_DAYS=0: nothing is removed; --days names a number")
    if wanted > MAX_DAYS:
        raise UsageError(f"--days {days}: it should be {MAX_DAYS} at most")
    return wanted


def backup(url: str, target: Path, *, force: bool = False) -> int:
    """Copy an SQLite database while it is used; return the number of bytes.

    The copy is what the database was at one moment.  It takes its place when it has been checked,
    so that a damaged one replaces nothing.  Raises UsageError.
    """
    source = sqlite_file(url)
    if target.is_symlink():  # it stays one
        target = Path(os.path.realpath(target))
    try:
        _check_target(source, target, force=force)
        with _copied(source, target) as part:
            check(part, source)
            part.replace(target)
        return target.stat().st_size
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from None


def _check_target(source: Path, target: Path, *, force: bool) -> None:
    """Raise UsageError for a file that a backup may not replace."""
    if target.exists() and not target.is_file():
        raise UsageError(f"{target}: it is no file that a backup can replace")
    if not target.exists():
        return
    if target.samefile(source):
        raise UsageError(f"{target}: the backup would replace the database itself")
    if any(file.exists() for file in _beside(target)):
        raise UsageError(f"{target}: it is a database in use, which a backup cannot replace")
    if not force:
        raise UsageError(f"{target}: it is there already; --force replaces it")


def _beside(file: Path) -> list[Path]:
    """Return the files that SQLite keeps beside that of a database."""
    return [file.with_name(f"{file.name}-{end}") for end in ("wal", "shm", "journal")]


@contextmanager
def _copied(source: Path, target: Path) -> Iterator[Path]:
    """Yield a copy of a database that is to take a place; if it does not, it is removed.

    Raises OSError or UsageError.
    """
    # A file of its own, which only its owner can read: others may copy to this place as well.
    descriptor, name = tempfile.mkstemp(".part", f"{target.name}.", target.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        _copy_file(source, part, target)
        yield part
    finally:
        for file in (part, *_beside(part)):
            file.unlink(missing_ok=True)


def restore(url: str, saved: Path) -> Path:
    """Put a backup in the place of a closed house's database; return where the old one is kept.

    Raises UsageError.
    """
    prepare_folder()
    target = Path(os.path.realpath(sqlite_file(url, there=False)))
    check(saved)
    before = target.with_name(f"{target.name}.{datetime.now(UTC):%Y%m%dT%H%M%S}")
    try:
        if target.exists() and target.samefile(saved):
            raise UsageError(f"{saved}: it is the database itself")
        if before.exists():
            raise UsageError(f"{before}: it is there already; try again in a second")
        with closed(address_of(url)), _copied(saved, target) as part:
            _check_opens(part, saved)
            _replace(target, part, before)
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from None
    return before


def _check_opens(part: Path, saved: Path) -> None:
    """Raise UsageError unless this version of the house opens the copy of a backup.

    It opens another copy, since that of an older version is brought up to date when it is opened.
    """
    try:
        with _copied(part, part) as tried:
            Store(url_of(tried)).close()
    except (UnusableDatabaseError, SQLAlchemyError) as error:
        raise UsageError(f"{saved} cannot be opened here: {reason_of(error)}") from None


def _give_away(file: Path, other: Path) -> None:
    """Let a file belong to whom another one or a folder does; raises OSError."""
    give_away = getattr(os, "chown", None)  # not on Windows
    if give_away is not None:
        owner = other.stat()
        with suppress(PermissionError):  # only root has to give away what the house is to use
            give_away(file, owner.st_uid, owner.st_gid)


def _replace(target: Path, part: Path, before: Path) -> None:
    """Put a file in the place of a database, which is kept under another name, damaged or not.

    Whenever this is interrupted, one of both is there, whole.  Raises OSError; the database is
    what it was then.
    """
    if target.is_file():
        shutil.copymode(target, part)
    _give_away(part, target if target.is_file() else target.parent)
    with ExitStack() as undone:
        kept = [
            (old, new)
            for old, new in zip(_beside(target), _beside(before), strict=True)
            if old.exists()
        ]
        for old, new in kept:
            undone.callback(_take_back, old, new)
            create_private(new)
            shutil.copy2(old, new)
        is_whole = target.is_file() and _is_settled(target)
        if target.is_file():
            undone.callback(before.unlink, missing_ok=True)
            _link(target, before)
        # What lies beside the old database would be taken as the new one's.
        for file in _beside(target):
            file.unlink(missing_ok=True)
        part.replace(target)
        undone.pop_all()
        if is_whole:
            for _, new in kept:
                new.unlink()


def _take_back(old: Path, new: Path) -> None:
    """Put a file back to its place if it is not there, or remove its copy."""
    if old.exists():
        new.unlink(missing_ok=True)
    else:
        new.rename(old)


def _is_settled(file: Path) -> bool:
    """Have SQLite write into a database what lies beside it; tell whether the file is whole."""
    try:
        with closing(sqlite3.connect(file, timeout=10)) as connection:
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error:
        return False
    return found == ("ok",) and not busy


def _link(old: Path, new: Path) -> None:
    """Give a file another name too, or copy it where files have only one; raises OSError."""
    try:
        new.hardlink_to(old)
    except OSError:
        create_private(new)
        shutil.copy2(old, new)


def sqlite_file(url: str, *, there: bool = True) -> Path:
    """Return the file of an SQLite database; raises UsageError for any other."""
    try:
        file = file_of(address_of(url))
    except (SQLAlchemyError, UnusableDatabaseError) as error:
        raise UsageError(f"the database cannot be used: {error}") from None
    if file is None:
        raise UsageError("this is for files of SQLite; PostgreSQL has pg_dump and pg_restore")
    if there and not file.is_file():
        raise UsageError(f"{file}: there is no database")
    return file


def check(file: Path, source: Path | None = None) -> None:
    """Raise UsageError unless a file, a copy of the source, is a whole database of a house."""
    name = source or file
    if not file.is_file():
        raise UsageError(f"{name}: there is no such file")
    try:
        with closing(sqlite3.connect(file)) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchone()
            version = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise UsageError(f"{name}: it is no database of a house: {error}") from None
    if found != ("ok",):
        reason = str(found[0]).splitlines()[-1]
        raise UsageError(f"{name}: the database is damaged: {reason}")
    if version is None:
        raise UsageError(f"{name}: it is no database of a house: it has no version")


def _copy_file(source: Path, target: Path, place: Path) -> None:
    """Copy a database by SQLite's own means, in one step: writers do not wait for it.

    Raises UsageError with the place that the copy is for.
    """
    try:
        with (
            closing(sqlite3.connect(source, timeout=10)) as reading,
            closing(sqlite3.connect(target, timeout=10)) as writing,
        ):
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode=DELETE")  # all of it is in one file
    except sqlite3.Error as error:
        raise UsageError(f"{source} cannot be copied to {place}: {error}") from None


def copy(source: Store, target: Store) -> dict[str, int]:
    """Copy all rows into an empty database of any kind; return how many, by their table.

    Raises UsageError, also if the house is open: its later moves would be missing.
    """
    counts: dict[str, int] = {}
    reading = {"isolation_level": "REPEATABLE READ"} if source.is_shared else {}
    with (
        closed(source.engine.url),
        source.engine.connect().execution_options(**reading) as given,
        target.engine.begin() as taken,
    ):
        for rows in metadata.sorted_tables:
            if taken.execute(sa.select(sa.literal(1)).select_from(rows).limit(1)).first():
                raise UsageError("the other database is in use: it has rows already")
        for rows in metadata.sorted_tables:
            counts[rows.name] = 0
            try:
                for part in given.execute(sa.select(rows)).mappings().partitions(AT_ONCE):
                    taken.execute(rows.insert(), [_with_zones(dict(row)) for row in part])
                    counts[rows.name] += len(part)
            except DAMAGES as error:
                raise UsageError(f"a row of {rows.name} {UNREADABLE}: {error}") from None
    return counts


def _with_zones(row: dict[str, object]) -> dict[str, object]:
    """Return a row whose times have the zone that SQLite does not keep."""
    return {
        name: value.replace(tzinfo=UTC)
        if isinstance(value, datetime) and value.tzinfo is None
        else value
        for name, value in row.items()
    }


def stats(store: Store) -> list[tuple[str, int]]:
    """Return what the database holds, in words and numbers."""
    unfinished = TABLES.c.ended.is_(None)
    wanted: Sequence[tuple[str, sa.Select[Any]]] = [
        ("tables", sa.select(sa.func.count()).select_from(TABLES)),
        ("unfinished tables", sa.select(sa.func.count()).where(unfinished)),
        ("tables in the lobby", sa.select(sa.func.count()).where(TABLES.c.listed & unfinished)),
        ("moves", sa.select(sa.func.count()).select_from(MOVES)),
        ("visitors with a seat", sa.select(sa.func.count(SEATS.c.visitor.distinct()))),
        ("visitors with a name", sa.select(sa.func.count()).where(VISITORS.c.name != "")),
        ("evenings", sa.select(sa.func.count()).select_from(EVENINGS)),
        ("blocked", sa.select(sa.func.count()).select_from(upkeep.BLOCKS)),
    ]
    with store.engine.connect() as connection:
        return [(name, connection.scalar(query) or 0) for name, query in wanted]

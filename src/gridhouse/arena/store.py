"""The games of a tournament in an SQLite file, so that a run goes on where it was stopped."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from filelock import FileLock, Timeout

from gridhouse.arena.records import GameRecord
from gridhouse.core.console import UsageError
from gridhouse.core.notation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

MEMORY = ":memory:"  # a store that nobody keeps
APPLICATION = 0x67726964  # marks an SQLite file as a tournament
TABLES = f"""
BEGIN;
PRAGMA application_id = {APPLICATION};
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS games (number INTEGER PRIMARY KEY, record TEXT NOT NULL);
COMMIT;
"""
# Whoever reads the file sees how far the games in play are; older files have no such table.
IN_PLAY = "CREATE TABLE IF NOT EXISTS in_play (number INTEGER PRIMARY KEY, record TEXT NOT NULL)"


class Store:
    """The settings and the finished games of a tournament; a context manager.

    With settings it is opened to play on, by one process at a time; a lock that ends with its
    process sees to that.  Without settings it is only read, at any time.
    """

    def __init__(self, path: Path | str, settings: Mapping[str, Any] | None = None) -> None:
        """Open a file; with settings, make it if there is none.

        Raises UsageError for a file that cannot be used, that another process plays on, or that
        holds another tournament.
        """
        self.path = path
        with ExitStack() as opened:
            try:
                self._base = opened.enter_context(_connected(path, is_new=settings is not None))
                if settings is not None:
                    if path != MEMORY:
                        opened.enter_context(FileLock(f"{os.fspath(path)}.lock", blocking=False))
                    self._claim(settings)
                    opened.callback(self._settle)
            except Timeout:
                raise self._unusable("another process plays this tournament") from None
            except (sqlite3.Error, OSError) as error:
                raise self._unusable(getattr(error, "strerror", None) or error) from None
            self._opened = opened.pop_all()

    def _unusable(self, reason: object) -> UsageError:
        return UsageError(f"{str(self.path)!r}: {reason}")

    def _settle(self) -> None:
        """Leave one file alone, which can be read anywhere, unless somebody reads it now."""
        with suppress(sqlite3.Error):
            with self._base:
                self._base.execute("DELETE FROM in_play")
            self._base.execute("PRAGMA journal_mode = DELETE")

    def _claim(self, settings: Mapping[str, Any]) -> None:
        """Keep the settings of a new file, or compare them with those that are kept."""
        # A killed process loses nothing; a power failure may lose games, which are played again.
        self._base.execute("PRAGMA journal_mode = WAL")
        self._base.execute("PRAGMA synchronous = NORMAL")
        with self._base:
            self._base.execute(IN_PLAY)
            self._base.execute("DELETE FROM in_play")  # of a process that was killed
        kept = self.settings()
        if not kept:
            rows = [(name, json.dumps(value)) for name, value in settings.items()]
            with self._base:
                self._base.executemany("INSERT INTO settings VALUES (?, ?)", rows)
            return
        for name, value in settings.items():
            ours, theirs = json.dumps(value), json.dumps(kept.get(name))
            if ours != theirs:
                raise self._unusable(
                    f"this is another tournament: its {name} is "
                    f"{shown(theirs, 100)}, not {shown(ours, 100)}"
                )

    def __enter__(self) -> Self:
        """Return this store."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file, and let another process play on."""
        self._opened.close()

    def settings(self) -> dict[str, Any]:
        """Return the settings of the tournament, none before it has any."""
        rows = self._base.execute("SELECT name, value FROM settings").fetchall()
        return {name: json.loads(value) for name, value in rows}

    def records(self) -> list[GameRecord]:
        """Return all finished games by their numbers."""
        return self._records("games")

    def count(self) -> int:
        """Return the number of finished games."""
        return int(self._base.execute("SELECT count(*) FROM games").fetchone()[0])

    def in_play(self) -> list[GameRecord]:
        """Return the games in play by their numbers, as they were about a second ago."""
        known = "SELECT name FROM sqlite_master WHERE name = 'in_play'"
        return self._records("in_play") if self._base.execute(known).fetchone() else []

    def _records(self, table: str) -> list[GameRecord]:
        rows = self._base.execute(f"SELECT record FROM {table} ORDER BY number").fetchall()
        return [GameRecord.from_dict(json.loads(row[0])) for row in rows]

    def put(self, record: GameRecord) -> None:
        """Keep a finished game; raises UsageError where that cannot be, as on a full disk."""
        self._write(
            ("INSERT INTO games VALUES (?, ?)", _row(record)),
            ("DELETE FROM in_play WHERE number = ?", (record.number,)),
        )

    def show(self, record: GameRecord) -> None:
        """Let readers see a game in play as it is now; raises UsageError as ``put``."""
        self._write(("INSERT OR REPLACE INTO in_play VALUES (?, ?)", _row(record)))

    def drop_from(self, number: int) -> None:
        """Forget the games from a number on, which were played beyond the end of a match."""
        self._write(("DELETE FROM games WHERE number >= ?", (number,)))

    def _write(self, *statements: tuple[str, tuple[object, ...]]) -> None:
        try:
            with self._base:
                for statement in statements:
                    self._base.execute(*statement)
        except sqlite3.Error as error:
            raise self._unusable(error) from None


def _row(record: GameRecord) -> tuple[int, str]:
    return record.number, json.dumps(record.to_dict())


def _connected(path: Path | str, *, is_new: bool) -> Any:
    """Return a connection that closes at the end of a block; raises sqlite3.Error or OSError."""
    if is_new:
        base = sqlite3.connect(path, timeout=60)
    else:
        with open(path, "rb"):  # its error says more than that of SQLite
            pass
        base = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", timeout=60, uri=True)
    try:
        if is_new and not base.execute("SELECT * FROM sqlite_master").fetchall():
            base.executescript(TABLES)
        if base.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise sqlite3.DatabaseError("this is no tournament")
    except BaseException:
        base.close()
        raise
    return closing(base)

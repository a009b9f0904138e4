"""Grades in an SQLite file, by what they depend on, so that a run goes on where it was stopped."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Self

from gridhouse.core.console import UsageError
from gridhouse.grading.grades import Grade

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

TABLE = "CREATE TABLE IF NOT EXISTS grades (key TEXT PRIMARY KEY, name TEXT, grade TEXT)"


class Store:
    """The grades of a class; to put one in twice changes nothing."""

    def __init__(self, path: Path | str) -> None:
        """Open a file, or make it; raises UsageError where that cannot be."""
        self.path = path
        try:
            self._base = sqlite3.connect(path, timeout=60)
            self._base.execute(TABLE)
        except sqlite3.Error as error:
            raise UsageError(f"{str(path)!r}: {error}") from None

    def __enter__(self) -> Self:
        """Return this store, which :meth:`close` closes."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._base.close()

    def get(self, key: str) -> Grade | None:
        """Return the grade of a key, None where there is none."""
        row = self._base.execute("SELECT grade FROM grades WHERE key = ?", (key,)).fetchone()
        return None if row is None else Grade.from_dict(json.loads(row[0]))

    def put(self, key: str, grade: Grade) -> None:
        """Keep a grade."""
        with self._base:
            self._base.execute(
                "INSERT OR IGNORE INTO grades VALUES (?, ?, ?)",
                (key, grade.name, json.dumps(grade.to_dict())),
            )

    def merge(self, others: Iterable[Path]) -> None:
        """Take in the grades of other files; raises UsageError for what is none."""
        for other in others:
            uri = f"{other.absolute().as_uri()}?mode=ro"
            try:
                with closing(sqlite3.connect(uri, uri=True)) as base:
                    rows = base.execute("SELECT key, name, grade FROM grades").fetchall()
            except sqlite3.Error as error:
                raise UsageError(f"{str(other)!r}: {error}") from None
            with self._base:
                self._base.executemany("INSERT OR IGNORE INTO grades VALUES (?, ?, ?)", rows)

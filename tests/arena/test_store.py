"""The file of a tournament: one process plays on it, and nothing else is taken for it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from gridhouse.arena.records import GameRecord, PlayedMove, Termination
from gridhouse.arena.store import Store
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = {"game": "binary(rows=2,cols=3)", "games": 4, "sprt": None}
MOVES = (PlayedMove("0 0 1", 0.25, -0.5, 10), PlayedMove("1 1 0", 0.5))
RECORD = GameRecord(3, "start", ("a", "b"), 0.5, Termination.AGREEMENT, "they agree", MOVES)
OPEN = "import sys; from gridhouse.arena.store import Store; Store(sys.argv[1], {'games': 4})"


def test_what_is_put_in_comes_out(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Store(path, SETTINGS) as store:
        store.put(RECORD)
    with Store(path, SETTINGS) as store, Store(path) as reading:
        assert store.records() == reading.records() == [RECORD]
        assert reading.settings() == SETTINGS
        store.drop_from(4)
        assert reading.records() == [RECORD]
        store.drop_from(3)
        assert reading.records() == []


def test_another_tournament_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    Store(path, SETTINGS).__exit__()
    with pytest.raises(UsageError) as error:
        Store(path, SETTINGS | {"games": 6})
    assert str(error.value) == (
        f"{str(path)!r}: this is another tournament: its games is '4', not '6'"
    )
    Store(path, SETTINGS).__exit__()  # the refusal has left no lock


def test_one_process_plays_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Store(path, {"games": 4}):
        other = subprocess.run([sys.executable, "-c", OPEN, path], capture_output=True, text=True)
        assert "another process plays this tournament" in other.stderr
    subprocess.run([sys.executable, "-c", OPEN, path], check=True)


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text, base, missing = tmp_path / "text", tmp_path / "base", tmp_path / "none" / "t"
    text.write_text("no tournament " * 100)
    with closing(sqlite3.connect(base)) as connection:
        connection.execute("CREATE TABLE grades (key TEXT)")
    before = base.read_bytes()
    for path, reason in (
        (text, "file is not a database"),
        (base, "this is no tournament"),
        (missing, "No such file or directory|unable to open database file"),
        (tmp_path, "Is a directory|unable to open database file"),
    ):
        for settings in (None, SETTINGS):
            with pytest.raises(UsageError, match=reason):
                Store(path, settings)
    assert base.read_bytes() == before
    assert not missing.parent.exists()

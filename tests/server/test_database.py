"""The file of the house: who may read it, who may serve it, and what happens when it is spoiled."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from starlette.websockets import WebSocketDisconnect

from browser_helpers import house_process
from gridhouse.core.console import UsageError
from gridhouse.server import admin, serve
from gridhouse.server.evenings.storage import Evening, EveningStore
from gridhouse.server.settings import Settings, prepare_folder
from gridhouse.server.storage.records import StoredTable
from gridhouse.server.storage.store import FACTS, Store, public_reason, reason_of, serving, writing
from web_helpers import Visitor, open_house
from wire_helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.testclient import TestClient


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def opened(monkeypatch: pytest.MonkeyPatch, file: Path) -> str:
    """Return why the house does not open on a file."""
    monkeypatch.setenv("GRIDHOUSE_DATABASE_URL", f"sqlite:///{file}")
    with pytest.raises(UsageError) as caught:
        serve.play("127.0.0.1", 0, False)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="there files have no such modes")
def test_only_their_owner_reads_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRIDHOUSE_DATABASE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "gridhouse"
    folder.mkdir(mode=0o755)
    file = folder / "house.db"
    for _ in range(2):
        prepare_folder()
        Store(Settings().database).close()
        assert mode_of(folder) == 0o700
        assert mode_of(file) == 0o600
        file.chmod(0o644)  # as an older house left it
        folder.chmod(0o755)
    store = Store(f"sqlite:///{tmp_path / 'else.db'}")
    assert {mode_of(file) for file in tmp_path.glob("else.db*")} == {0o600}
    store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there no file has such a name")
@pytest.mark.parametrize("name", ["what? why=1", "100%25 & more", "a#b;c", "\udcff"])
def test_a_folder_may_have_any_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv("GRIDHOUSE_DATABASE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / name))
    prepare_folder()
    url, saved = Settings().database, tmp_path / "saved.db"
    Store(url).close()
    assert (tmp_path / name / "gridhouse" / "house.db").is_file()
    admin.backup(url, saved)
    assert admin.restore(url, saved).is_file()
    assert [file.name for file in tmp_path.iterdir() if file.name != name] == ["saved.db"]


def test_a_newer_and_a_damaged_database_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "house.db"
    Store(f"sqlite:///{file}").close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    assert "newer version of Gridhouse" in opened(monkeypatch, file)
    for content, reason in ((b"rubbish" * 1000, "not a database"), (None, "malformed")):
        file.write_bytes(content or damaged(tmp_path))
        assert reason in opened(monkeypatch, file)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("DROP TABLE tables", "no such table: tables"),
        ("DROP TABLE blocks", "no such table: blocks"),
        (
            "CREATE TRIGGER full BEFORE INSERT ON facts BEGIN SELECT RAISE(FAIL, 'refused'); END",
            "refused",
        ),
    ],
)
def test_what_the_house_needs_at_its_start_is_tried_before(
    statement: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "house.db"
    Store(f"sqlite:///{file}").close()
    with sqlite3.connect(file) as connection:
        connection.execute(statement)
    connection.close()
    assert opened(monkeypatch, file) == f"the database cannot be used: {reason}"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("sqlite://", "a database in memory is lost"),
        ("sqlite:///:memory:", "a database in memory is lost"),
        ("sqlite:///{}?timeout=x", "its URL cannot be read: could not convert"),
        ("sqlite:///{}?check_same_thread=x", "its URL cannot be read: "),
        ("sqlite:///{}%00", "null character"),
    ],
)
def test_a_url_on_which_no_house_can_open_is_one_line(
    url: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRIDHOUSE_DATABASE_URL", url.format(tmp_path / "house.db"))
    monkeypatch.setattr(serve, "run", pytest.fail)
    with pytest.raises(UsageError, match=reason) as caught:
        serve.play("127.0.0.1", 0, False)
    assert "\n" not in str(caught.value)


def test_a_start_that_fails_is_one_line(tmp_path: Path) -> None:
    code = (
        "from gridhouse.cli import main\nfrom gridhouse.server import app\ndel app.Keeper\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "play", "--port", "0", "--no-open"],
        env={**os.environ, "GRIDHOUSE_DATABASE_URL": f"sqlite:///{tmp_path / 'house.db'}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "gridhouse: the house could not be opened: NameError: name 'Keeper' is not defined\n"
    )


def damaged(folder: Path) -> bytes:
    """Return a database in which pages are overwritten."""
    file = folder / "other.db"
    Store(f"sqlite:///{file}").close()
    content = file.read_bytes()
    return content[:4096] + b"\xff" * (len(content) - 4096)


@pytest.mark.slow("opens houses in processes of their own")
def test_one_house_serves_a_file(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'house.db'}"
    with house_process(database) as house:
        other = subprocess.run(
            [sys.executable, "-m", "gridhouse", "play", "--port", "0", "--no-open"],
            env={**os.environ, "GRIDHOUSE_DATABASE_URL": database},
            capture_output=True,
            text=True,
            check=False,
        )
        assert other.returncode == 2
        assert other.stderr == (
            "gridhouse: the database cannot be used: another house serves it already\n"
        )
        house.kill()
        house.start()  # the lock has died with its process


@pytest.mark.skipif(sys.platform == "win32", reason="there links need a permission")
def test_one_house_serves_a_file_of_several_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, soft, hard = (tmp_path / name for name in ("house.db", "soft.db", "hard.db"))
    Store(f"sqlite:///{file}").close()
    soft.symlink_to(file)
    with serving(f"sqlite:///{file}"):
        assert "another house serves it" in opened(monkeypatch, soft)
    hard.hardlink_to(file)
    for name in (file, hard):
        assert "it has several names, as hard links" in opened(monkeypatch, name)


def test_a_file_that_a_house_serves_is_not_even_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "house.db"
    with serving(f"sqlite:///{file}"):
        assert "another house serves it" in opened(monkeypatch, file)
    assert not file.exists()  # a newer version would have migrated it


def test_where_no_lock_can_be_held_the_house_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "house.db.lock").mkdir()
    reason = opened(monkeypatch, tmp_path / "house.db")
    assert "house.db.lock: " in reason


def unlist(store: Store) -> None:
    store.unlist_oldest("anna", [], 1)


def begin_evening(store: Store) -> None:
    EveningStore(store.engine).add(Evening("one", "anna", "Evening", "binary", 0, 0, False, 9), 1)


@pytest.mark.parametrize("work", [unlist, begin_evening])
def test_who_reads_before_writing_waits_for_others(
    tmp_path: Path, work: Callable[[Store], None]
) -> None:
    store = Store(f"sqlite:///{tmp_path / 'house.db'}")
    with ThreadPoolExecutor() as threads:
        with writing(store.engine) as connection:
            connection.execute(FACTS.insert().values(name="one", value="1"))
            waiting = threads.submit(work, store)
            time.sleep(0.2)  # it has read by now, if it does not wait
            assert not waiting.done()
        waiting.result()
    store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there nobody looks")
def test_moves_are_refused_once_the_file_is_overwritten(tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        with visitor.at(visitor.new("binary", opponent="hotseat")) as seat:
            seat.move("0 0 0")
            with open(tmp_path / "house.db", "r+b") as file:
                file.write(b"noise" * 20)
            refusal = seat.refused("move", move="1 1 1", ply=1)
            assert "could not be saved: the file of the database was damaged" in refusal
        assert client.get("/readyz").status_code == 503
        assert visitor.post("/new/binary", {}).status_code == 503


def test_moves_are_refused_once_the_file_is_gone(tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        with visitor.at(visitor.new("binary", opponent="hotseat")) as seat:
            seat.move("0 0 0")
            (tmp_path / "house.db").unlink()
            refusal = seat.refused("move", move="1 1 1", ply=1)
            assert "could not be saved: the file of the database was removed" in refusal
            assert seat.view["ply"] == 1
        with pytest.raises(WebSocketDisconnect) as closed, visitor.at("/t/another"):
            pass
        assert closed.value.code == 1013
        answer = visitor.post("/new/binary", {})
        assert answer.status_code == 503
        assert "the file of the database was removed" in answer.text


@pytest.mark.skipif(sys.platform == "win32", reason="there nobody removes a file in use")
@pytest.mark.parametrize("end", ["wal", "shm"])
def test_moves_are_refused_once_a_file_beside_is_gone(tmp_path: Path, end: str) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        with visitor.at(visitor.new("binary", opponent="hotseat")) as seat:
            seat.move("0 0 0")
            (tmp_path / f"house.db-{end}").unlink()
            refusal = seat.refused("move", move="1 1 1", ply=1)
            assert f"the file of the database that ends in -{end} was removed" in refusal
        assert client.get("/readyz").status_code == 503


def test_a_full_disk_is_told_on_every_page(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    army = {"rows": 20, "cols": 20, "pieces": "5x199 Fx1"}
    form = {"preset": "own", **{f"p-{name}": str(value) for name, value in army.items()}}
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        table = visitor.new("binary", opponent="friends")
        engine = client.app.state.service.store.engine  # type: ignore[attr-defined]
        sa.event.listen(engine, "begin", bound)
        sent = {"authorization": f"Bearer {visitor.token}"}
        facts = {"game": "tactego", "parameters": army}
        while (answer := client.post("/api/tables", json=facts, headers=sent)).is_success:
            pass  # a page of the file was not full yet
        assert answer.status_code == 503
        assert answer.json()["detail"].endswith("cannot be used now: database or disk is full.")
        assert "the database cannot be used: database or disk is full" in caplog.messages
        told = visitor.post("/new/tactego", form)
        assert (told.status_code, "disk is full" in told.text) == (503, True)
        for path in ("/", "/lobby", "/games", "/me", table, "/evenings", "/daily/collapse"):
            told = visitor.get(path)
            assert told.status_code == 200 or "disk is full" in told.text, path
        for path in ("/me", "/me/link", "/evenings", "/daily/sliding/2026-11-20", "/games/import"):
            assert visitor.post(path, {"name": "Anna"}).status_code != 500, path


def test_a_house_that_cannot_write_says_so_until_it_can(tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        table = visitor.new("binary", opponent="friends")
        store = client.app.state.service.store  # type: ignore[attr-defined]
        sa.event.listen(store.engine, "begin", bound)
        store.try_to_write()  # the first write that fails
        german = {"accept-language": "de"}
        for path in ("/", "/lobby", "/games", "/me", table, "/nowhere"):
            said = "The house cannot keep anything at the moment: database or disk is full."
            assert said in visitor.get(path).text, path
            told = visitor.get(path, **german).text
            assert "kann zurzeit nichts aufbewahren: Datenbank" in told, path
        answer = client.get("/readyz")
        reason = "the database cannot write: database or disk is full\n"
        assert (answer.status_code, answer.text) == (503, reason)
        assert "at the moment" not in client.get("/offline").text  # which browsers keep
        sa.event.remove(store.engine, "begin", bound)
        sa.event.listen(store.engine, "begin", unbound)
        deadline = time.monotonic() + PATIENCE
        while client.get("/readyz").status_code != 200:  # the house tries again by itself
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert "at the moment" not in visitor.get("/").text
        with store.engine.connect() as connection:
            assert [*connection.scalars(sa.select(FACTS.c.name))] == ["secret"]


def unbound(connection: sa.Connection) -> None:
    """Let the database have as many pages as it likes."""
    connection.exec_driver_sql("PRAGMA max_page_count=1000000")


def test_only_errors_of_writing_count_as_such(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'house.db'}")
    record = StoredTable("t", "binary(rows=1,cols=2) ..", "hotseat")
    store.add(record)
    with pytest.raises(sa.exc.IntegrityError):
        store.add(record)
    assert store.unwritten == ""
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only=1")
    store.try_to_write()
    assert store.unwritten == "attempt to write a readonly database"
    store.close()


def bound(connection: sa.Connection) -> None:
    """Let the database have no more pages."""
    connection.exec_driver_sql("PRAGMA max_page_count=1")


def test_a_machine_whose_move_cannot_be_kept_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        table = visitor.new("binary", preset="small", side="1")
        with monkeypatch.context() as patch:
            patch.setattr("gridhouse.server.storage.store.write", full)
            with visitor.at(table) as seat:
                while "cannot move now" not in seat.view["heading"]:
                    seat.wait("view")
        with visitor.at(table) as seat:
            while not seat.view["acts"]:
                seat.wait("view")
            assert seat.view["ply"] == 1


def test_what_cannot_be_kept_is_no_fault_of_its_sender(
    client: TestClient, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = visitor.new("binary", opponent="friends", preset="small", side="0")
    with visitor.at(table) as seat:
        link = seat.view["invitation"]
    sent = {"authorization": f"Bearer {visitor.token}"}
    monkeypatch.setattr("gridhouse.server.storage.store.write", full)
    answer = client.post(f"/api/tables{table[2:]}/resign", headers=sent)
    assert answer.status_code == 503
    assert answer.json()["detail"].startswith("The change could not be saved: ")
    answer = Visitor(client).post(link)
    assert (answer.status_code, "could not be saved" in answer.text) == (503, True)


def full(*_: Any) -> None:
    raise OSError("the disk is full")


def test_visitors_do_not_read_what_a_server_says() -> None:
    said = 'connection to server at "10.0.0.5" failed: no password for user "house"'
    error = sa.exc.OperationalError("", {}, Exception(said))
    assert (reason_of(error), "10.0.0.5" in public_reason(error)) == (said, False)

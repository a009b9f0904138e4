"""What the house says of errors: lines or objects, and nothing that only one visitor may know."""

from __future__ import annotations

import io
import json
import logging
import sqlite3
import sys
import urllib.request
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError

import pytest
from sqlalchemy.exc import DBAPIError, IntegrityError, ProgrammingError
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from browser_helpers import served
from gridhouse.server import logs, upkeep
from gridhouse.server.storage.records import StoredTable
from gridhouse.server.storage.store import Store
from window_helpers import wait_for
from wire_helpers import Caller

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


QUERY = "what=ever"


@pytest.fixture
def stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[pytest.CaptureFixture[str]]:
    """Catch standard error; afterwards nothing is logged there any more."""
    # OpenSpiel's logging, if another test has loaded it, would close what pytest catches errors in.
    monkeypatch.setattr(logging, "shutdown", lambda *_: None)
    yield capsys
    for name in logs.config()["loggers"]:
        logging.getLogger(name).handlers.clear()


def asked(address: str, facts: Any = None, **headers: str) -> Any:
    body = None if facts is None else json.dumps(facts).encode()
    given = {"content-type": "application/json", **headers}
    request = urllib.request.Request(address, body, given)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def provoke(house: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let everything fail that can, with all that is secret in it; return what is."""
    made = asked(f"{house}/api/tables", {"game": "binary", "opponent": "friends"})
    token, link, table = made["token"], made["table"]["invitation"], made["table"]["id"]
    secrets = [token, token[:32], token[33:], link.rpartition("/")[2], QUERY]

    def fail(*given: Any, **named: Any) -> Any:
        del given, named
        raise OSError(f"at {house}{link}?{QUERY}, cookie: gridhouse={token}; Bearer {token}")

    monkeypatch.setattr("gridhouse.server.storage.store.write", fail)
    bearer = {"authorization": f"Bearer {token}"}
    move = {"move": "0 0 0", "ply": 0}
    with pytest.raises(HTTPError, match="503"):
        asked(f"{house}/api/tables/{table}/moves?player=0", move, **bearer)
    monkeypatch.setattr("gridhouse.server.api.serializers.game_info", fail)
    with pytest.raises(HTTPError, match="500"):
        asked(f"{house}/api/games?{QUERY}", **bearer)
    monkeypatch.setattr("gridhouse.server.pages.views.view", fail)
    with pytest.raises(HTTPError, match="500"):
        asked(f"{house}/t/{table}?{QUERY}", cookie=f"gridhouse={token}")
    monkeypatch.setattr("gridhouse.server.tables.rendering.view", fail)
    socket = f"{house.replace('http', 'ws')}/t/{table}/socket?{QUERY}"
    with connect(socket, additional_headers=bearer) as page, pytest.raises(ConnectionClosed):
        page.recv()
    return secrets


@pytest.mark.parametrize("form", ["json", ""])
def test_what_is_logged_holds_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stderr: pytest.CaptureFixture[str], form: str
) -> None:
    monkeypatch.setenv(logs.FORMAT, form)
    with served(tmp_path, calm=False) as house:
        secrets = provoke(house, monkeypatch)
    said = stderr.readouterr().err
    assert [secret for secret in secrets if secret in said] == []
    assert said.count("OSError: at http://127.0.0.1") >= 4
    if form != "json":
        assert "ERROR gridhouse.server: a change could not be saved\nTraceback" in said
        return
    lines = [json.loads(line) for line in said.splitlines()]
    assert {line["logger"] for line in lines} == {"gridhouse.server", "uvicorn.error"}
    assert all(set(line) == {"time", "level", "logger", "message", "trace"} for line in lines)
    assert {line["level"] for line in lines} == {"error"}


@pytest.mark.parametrize("first", [b'{"type": "here"}', b"\xff"])
def test_what_is_no_text_is_no_fault_of_the_house(
    tmp_path: Path,
    stderr: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    first: bytes,
) -> None:
    caller = Caller()
    frames = [bytes([0x81, 0x80 | len(sent), 0, 0, 0, 0]) + sent for sent in (first, b"\xff")]
    with (
        served(tmp_path) as house,
        caller.at(house, caller.new(house, "binary", opponent="hotseat")) as place,
    ):
        place.socket.socket.sendall(b"".join(frames))
        with pytest.raises(ConnectionClosed):
            place.wait(1)
        kind = {"content-type": "multipart/form-data; boundary=x"}
        with pytest.raises(HTTPError, match="422"):
            urllib.request.urlopen(urllib.request.Request(f"{house}/games/import", b"?", kind))
    assert stderr.readouterr().err == ""
    assert caplog.records == []


def test_a_line_without_an_error_has_no_trace() -> None:
    record = logging.LogRecord(
        "gridhouse.server", logging.INFO, "", 0, "seat %s", ("x" * 43,), None
    )
    record.created = 0.0
    assert json.loads(logs.JsonFormatter().format(record)) == {
        "time": "1970-01-01T00:00:00.000+00:00",
        "level": "info",
        "logger": "gridhouse.server",
        "message": "seat (hidden)",
    }


def test_errors_of_the_database_hold_nothing_that_was_written(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'new.db'}")
    record = StoredTable("t", "binary(rows=1,cols=2) ..", "hotseat", seated_visitors={0: "anna"})
    store.add(record)
    with pytest.raises(IntegrityError) as caught:
        store.add(record)
    assert "binary" not in str(caught.value)
    store.close()


def test_a_hidden_move_that_cannot_be_written_is_not_logged(
    tmp_path: Path, stderr: pytest.CaptureFixture[str]
) -> None:
    caller, bomb, said = Caller(), "0 1 b", list[str]()

    def is_said() -> bool:
        said.append(stderr.readouterr().err)
        return "INSERT" in said[-1]

    with served(tmp_path, calm=False) as house:
        table = caller.new(house, "sinks", opponent="friends", side="0")
        row = (table.rpartition("/")[2], 0, "taken")
        with caller.at(house, table) as place:
            with closing(sqlite3.connect(tmp_path / "house.db")) as other, other:
                other.execute("INSERT INTO moves (table_id, ply, move) VALUES (?, ?, ?)", row)
            assert bomb in [text for text, *_ in place.view["gestures"]]
            place.move(bomb)
            wait_for(is_said, "the failure")
    said.append(stderr.readouterr().err)
    assert "IntegrityError" in "".join(said)
    for parameter in (bomb, row[0]):
        assert parameter not in "".join(said)


def test_a_database_that_is_gone_is_one_line_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stderr: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(upkeep, "GLANCE", 0.05)
    caller, said = Caller(), []

    def is_said() -> bool:
        said.append(stderr.readouterr().err)
        return "what was changed" in "".join(said) and "saved" in "".join(said)

    with served(tmp_path, calm=False, pause=0.5) as house:
        table = caller.new(house, "binary", preset="small", opponent="machine")
        with caller.at(house, table) as seat:
            seat.move(seat.view["gestures"][0][0])
            seat.wait(1)
            for file in tmp_path.glob("house.db*"):
                file.unlink()
            wait_for(is_said, "both failures")
    lines = "".join((*said, stderr.readouterr().err)).splitlines()
    gone = "the file of the database was removed or replaced"
    assert {line.partition(" gridhouse.server: ")[2] for line in lines} == {
        f"the house could not look at what was changed: {gone}",
        f"a change could not be saved: {gone}",
    }


@pytest.mark.parametrize("error", [IntegrityError, ProgrammingError])
def test_a_fault_of_the_house_at_the_database_has_its_trace(error: type[DBAPIError]) -> None:
    record = logging.LogRecord("house", logging.ERROR, "", 7, "failed", (), None)
    try:
        raise error("INSERT", None, ValueError("no such column"))
    except error:
        record.exc_info = sys.exc_info()
    assert logs.Brief().filter(record)
    assert record.exc_info is not None


def test_what_repeats_is_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 1000.0
    monkeypatch.setattr(logs, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(logs, "MAX_KEPT", 2)
    logger, handler = logging.getLogger("gridhouse.repeats"), logging.StreamHandler(sys.stderr)
    handler.addFilter(logs.Repeats())
    logger.addHandler(handler)
    logger.propagate = False
    for _ in range(100):
        logger.warning("100 %% of %s", "tables")
    logger.warning("another")
    now += logs.PAUSE
    logger.warning("100 %% of %s", "tables")
    logger.warning("100 %% of %s", "tables")
    logger.removeHandler(handler)
    said = capsys.readouterr().err.splitlines()
    assert said == ["100 % of tables", "another", "100 % of tables (99 times more until now)"]
    assert "repeats" in logs.config()["handlers"]["standard error"]["filters"]


def test_what_a_stream_does_not_take_tells_no_secret_either() -> None:
    token = f"{'x' * 32}.{'y' * 43}"
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    handler = logs.Handler(stream)
    handler.setFormatter(logs.LineFormatter("%(message)s"))
    for text, given in (("half \ud800 of %s", (token,)), ("too few: %s %s", (token,))):
        handler.handle(logging.LogRecord("house", logging.ERROR, "", 7, text, given, None))
    stream.seek(0)
    said = stream.read()
    assert "half \\ud800 of (hidden)\n" in said
    assert "could not be logged: house, " in said
    assert token[:32] not in said

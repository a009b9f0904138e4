"""The process that renders for a house with many pages: its pages are those of any other house."""

from __future__ import annotations

import array
import asyncio
import fcntl
import logging
import os
import pickle
import random
import signal
import subprocess
import sys
import termios
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, Any

import pytest

import gridhouse
from gridhouse.server.storage import store
from gridhouse.server.storage.records import StoredTable
from gridhouse.server.tables import live_table, render_worker, renderer, rendering
from gridhouse.server.tables.commands import MOVE, Command
from gridhouse.server.tables.table import Table
from gridhouse.server.tables.visibility import viewpoint_of
from web_helpers import HIDDEN, Seat, Visitor, open_house, uncovered
from window_helpers import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.testclient import TestClient

    from gridhouse.server.tables.renderer import Renderer
    from gridhouse.server.tables.rendering import Rendered

NEVER = sys.maxsize  # pages, or seconds
PATIENCE = 60.0  # seconds
STARTS = (*(f"{gridhouse.load(game)}#3" for game in gridhouse.games()), HIDDEN)


def renderer_of(client: TestClient) -> Renderer:
    found: Renderer = client.app.state.service.renderer  # type: ignore[attr-defined]
    return found


def process_of(client: TestClient) -> int:
    """Return the number of the process, as soon as it is ready."""
    found = wait_for(lambda: renderer_of(client).process, "a process that renders")
    assert found is not None
    return found


def is_running(process: int) -> bool:
    """Tell whether a process goes on."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def waiting_in(pipe: IO[bytes]) -> int:
    """Return the number of bytes that can be read from a pipe."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


@contextmanager
def rendering_house(folder: Path, **others: Any) -> Iterator[TestClient]:
    """Open a house whose pages are rendered by a process from the first one on."""
    with open_house(folder, **{"many_pages": 1} | others) as client:
        visitor = Visitor(client)
        with visitor.at(visitor.new("sliding")):
            process_of(client)
        yield client


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts of what the house renders itself from now on; nothing is slow."""
    monkeypatch.setattr(live_table, "SLOW", NEVER)
    texts: list[str] = []

    def noted(*words: Any) -> Rendered:
        rendered = rendering.render_here(*words)
        texts.append(rendered.text)
        return rendered

    monkeypatch.setattr(live_table, "render_here", noted)
    return texts


def session(client: TestClient, start: str) -> Iterator[dict[str, Any]]:
    """Play at one screen, take back, look back and turn; yield what a player and a watcher see."""
    chance = random.Random(start)
    anna, carl = Visitor(client), Visitor(client)
    game = gridhouse.parse(start).game
    table = anna.new(game.name, start=start, opponent=("", "hotseat")[game.num_players - 1])
    with anna.at(table) as seat, carl.at(table) as watching:

        def seen(kind: str, **facts: object) -> Iterator[dict[str, Any]]:
            ply = seat.view["ply"]
            seat.say(kind, **facts)
            seat.wait("view")
            yield seat.view
            if seat.view["ply"] != ply:
                watching.wait("view", seat.view["ply"])
                yield watching.view

        yield seat.view
        yield watching.view
        for count in range(12):
            if seat.view["handing"]:
                yield from seen(seat.view["handing"]["does"])
            if not seat.view["gestures"]:
                break
            move = chance.choice(seat.view["gestures"])[0]
            yield from seen("move", move=move, ply=seat.view["ply"])
            if count % 4 == 1 and seat.view["undo"]:
                yield from seen("undo")
                yield from seen("redo")
            if count % 4 == 2:
                yield from seen("look", ply=1)
                yield from seen("look")
            if count % 4 == 3 and len(seat.view["cameras"]) > 1:
                yield from seen("turn")


@pytest.mark.parametrize("start", STARTS)
def test_the_process_renders_what_the_house_would(
    start: str, tmp_path: Path, here: list[str]
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with (
        rendering_house(tmp_path / "one") as one,
        open_house(tmp_path / "other", many_pages=NEVER) as other,
    ):
        here.clear()
        views = list(session(one, start))
        assert not here
        assert views == list(session(other, start))
        assert here
    assert len(views) > 20


def friends(client: TestClient, **form: str) -> tuple[Visitor, Visitor, str]:
    """Return two friends at a table of the Binary Game, and its address."""
    anna, bert = Visitor(client), Visitor(client)
    table = anna.new("binary", preset="small", opponent="friends", **form)
    with anna.at(table) as seat:
        bert.post(seat.view["invitation"])
    return anna, bert, table


def test_news_that_are_no_moves_come_through(tmp_path: Path, here: list[str]) -> None:
    with rendering_house(tmp_path) as client:
        here.clear()
        anna, bert, table = friends(client, clock="3+2")
        with anna.at(table) as seat, bert.at(table) as friend:
            anna.post("/me", {"name": "Anna", "picture": "1"})
            for page in (seat, friend):
                while page.view["names"][0] != "Anna":
                    page.wait("view")
            assert page.view["clocks"][0]["left"] == 180_000
            bert.get("/")
            friend.say("resign")
            while not seat.view["over"]:
                seat.wait("view")
            assert "resigns" in seat.view["heading"]
        assert not here


class Disk:
    """A disk on which nothing is written until it is let, if at all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_full = False
        self.waits, self.lets = threading.Event(), threading.Event()
        write = store.write

        def slowly(*given: Any) -> None:
            self.waits.set()
            assert self.lets.wait(PATIENCE)
            if self.is_full:
                raise OSError("the disk is full")
            write(*given)

        monkeypatch.setattr(store, "write", slowly)


@pytest.mark.parametrize("many_pages", [1, NEVER])
@pytest.mark.parametrize("fault", ["", "the disk is full", "the table has changed"])
def test_a_move_is_rendered_while_it_is_written_and_seen_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many_pages: int, fault: str
) -> None:
    with open_house(tmp_path, many_pages=many_pages) as client:
        anna, bert, table = friends(client)
        if many_pages == 1:
            process_of(client)
        kept = client.app.state.service  # type: ignore[attr-defined]
        live = kept._live[table[3:]]

        def are_rendered() -> bool:
            return live.coming and all(view.is_ready for view in live.coming.views.values())

        with anna.at(table) as seat, bert.at(table) as friend:
            if fault == "the table has changed":  # by another house
                kept.store.append(live.table.change_for(Command(MOVE, 0, "1 0 1", 0))).result()
            disk = Disk(monkeypatch)
            disk.is_full = fault == "the disk is full"
            seat.say("move", move="0 0 1", ply=0)
            assert disk.waits.wait(PATIENCE)
            wait_for(are_rendered, "views of the move")
            friend.say("here")
            assert friend.listen() == {"type": "here"}  # and no view
            disk.lets.set()
            if disk.is_full:
                assert "could not be saved" in seat.wait("refusal")["text"]
                disk.is_full = False
                seat.move("2 0 1")
            friend.wait("view", 1)
            made = {"": "0 0 1", "the disk is full": "2 0 1", "the table has changed": "1 0 1"}
            assert [move for _, move in friend.view["moves"]] == [made[fault]]
            assert looks_alike(bert, table, friend)


@pytest.mark.parametrize("news", ["a name", "a watcher", "a farewell"])
def test_news_come_through_while_a_move_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, news: str
) -> None:
    with open_house(tmp_path) as client, ExitStack() as open_pages:
        anna, bert, table = friends(client)
        live = client.app.state.service._live[table[3:]]  # type: ignore[attr-defined]
        sitter = live.table.seated_visitors[1]
        seat = open_pages.enter_context(anna.at(table))
        disk = Disk(monkeypatch)
        seat.say("move", move="0 0 1", ply=0)
        assert disk.waits.wait(PATIENCE)
        if news == "a name":
            bert.post("/me", {"name": "Bert", "picture": "1"})
        elif news == "a watcher":
            open_pages.enter_context(Visitor(client).at(table))
        else:
            leaving = threading.Thread(target=bert.post, args=("/me/forget",))
            leaving.start()
            wait_for(lambda: live.lock._waiters, "who gives up a seat")
        disk.lets.set()
        seat.wait("view", 1)
        if news == "a name":
            assert "Bert" in seat.view["names"]
        elif news == "a watcher":
            assert seat.view["watchers"] == 1
        else:
            leaving.join()
            assert live.table.seated_visitors[1] != sitter
        assert looks_alike(anna, table, seat)


def test_a_refused_move_opens_no_curtain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_house(tmp_path) as client:
        anna = Visitor(client)
        table = anna.new("tactego", start="tactego(hidden=True)#2", opponent="hotseat")
        live = client.app.state.service._live  # type: ignore[attr-defined]
        with anna.at(table) as seat, anna.at(table) as other:
            for page in (seat, other):
                uncovered(page)
            move = seat.view["gestures"][0][0]
            disk = Disk(monkeypatch)
            seat.say("move", move=move, ply=0)
            assert disk.waits.wait(PATIENCE)
            other.say("move", move=move, ply=0)
            wait_for(lambda: live[table[3:]].lock._waiters, "the other move")
            disk.lets.set()
            assert other.wait("refusal")
            seat.wait("view", 1)
            uncovered(seat)
            seat.move(seat.view["gestures"][0][0])
            other.wait("view", 2)
            assert other.view["handing"]
            assert not other.view["acts"]


def test_nothing_is_rendered_for_a_page_that_is_behind(tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        anna = Visitor(client)
        table = anna.new("binary", preset="small", opponent="analysis")
        live = client.app.state.service._live  # type: ignore[attr-defined]
        with anna.at(table) as seat, Visitor(client).at(table) as watching:
            (page,) = (page for page in live[table[3:]].pages if page.visitor is None)
            sends, lets = page.socket.send_text, threading.Event()

            async def slowly(text: str) -> None:
                await asyncio.to_thread(lets.wait, PATIENCE)
                await sends(text)

            page.socket.send_text = slowly
            for move in ("0 0 1", "1 0 0", "2 0 1", "3 0 0"):
                seat.move(move)
            wanted = len(live[table[3:]].shown.views)
            lets.set()
            watching.wait("view", 4)
            assert looks_alike(Visitor(client), table, watching)
        assert wanted == 1  # by the player


def looks_alike(visitor: Visitor, table: str, seat: Seat) -> bool:
    """Tell whether a page has put together what a new one is sent."""
    with visitor.at(table) as fresh:
        names = ("board", "moves", "ply", "heading", "gestures")
        return all(fresh.view[name] == seat.view[name] for name in names)


def test_pages_outlive_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(renderer, "PAUSE", 0.0)
    with rendering_house(tmp_path) as client:
        anna = Visitor(client)
        table = anna.new("binary", opponent="analysis")
        with anna.at(table) as seat:
            for _ in range(2):
                process = process_of(client)
                seat.move(seat.view["gestures"][0][0])
                seat.move(seat.view["gestures"][0][0])
                assert seat.raw["changes"]
                with caplog.at_level(logging.ERROR, "gridhouse.server"):
                    os.kill(process, signal.SIGKILL)
                    seat.move(seat.view["gestures"][0][0])
                    while renderer_of(client).process == process:
                        time.sleep(0.01)
                assert looks_alike(anna, table, seat)  # and starts another process
                assert process_of(client) != process
        lines = [record.getMessage() for record in caplog.records]
        assert lines == 2 * [
            "the process that renders pages has ended; the house renders them itself"
        ]
        last = process_of(client)
    wait_for(lambda: not is_running(last), "the end of the process")


def test_the_process_ends_quietly_when_the_house_is_gone(tmp_path: Path) -> None:
    (tmp_path / "pickle.py").write_text("raise RuntimeError\n")  # where the house was started
    command = [sys.executable, "-P", "-m", render_worker.__name__, "0", "0"]
    piped: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    for is_killed in (False, True):
        with subprocess.Popen(command, cwd=tmp_path, **piped) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            ready = pickle.dumps(())
            assert process.stdout.read(4 + len(ready))[4:] == ready
            process.send_signal(signal.SIGTERM)
            if is_killed:
                process.stdout.close()
                process.stdin.write(pickle.dumps(("view", 1, 2, None, None)))
            process.stdin.close()
            assert process.wait(PATIENCE) == is_killed
            assert process.stderr.read() == b""


def test_a_process_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderer, "PATIENCE", 0.2)
    with rendering_house(tmp_path) as client:
        anna = Visitor(client)
        with anna.at(anna.new("sliding")) as seat:
            os.kill(process_of(client), signal.SIGSTOP)
            seat.move(seat.view["gestures"][0][0])
            assert seat.view["ply"] == 1


def test_an_interrupted_answer_comes_whole() -> None:
    start = str(gridhouse.load("sinks").new_initial_state(0))
    table = Table(StoredTable("", start, "hotseat"))
    wanted = rendering.Wanted(viewpoint_of(table, None, None), False, 0, None, "en", "")
    messages = (("table", 1, table), ("view", 1, 2, None, wanted.packed()))
    command = [sys.executable, "-P", "-u", "-m", render_worker.__name__, "0", "0"]
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **piped) as process:  # type: ignore[call-overload]
        length = len(pickle.dumps(())) + 4
        assert len(process.stdout.read(length)) == length
        room = fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 8192)
        process.stdin.write(b"".join(map(pickle.dumps, messages)))
        process.stdin.flush()
        wait_for(lambda: waiting_in(process.stdout) == room, "a pipe that is full")
        process.send_signal(signal.SIGSTOP)  # as by a machine that is put to sleep
        process.send_signal(signal.SIGCONT)
        process.stdin.close()
        text = process.stdout.read()
    assert len(text) - 4 == int.from_bytes(text[:4], "big") > room
    assert pickle.loads(text[4:])[0] == 2


def test_a_process_that_sends_what_cannot_be_read_is_ended(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with rendering_house(tmp_path) as client:
        anna = Visitor(client)
        with anna.at(anna.new("sliding")) as seat:
            worker = renderer_of(client)._worker
            assert worker is not None
            worker.pipe_data_received(1, b"\0\0\0\2\0\0")
            wait_for(worker.end.done, "the end of the process")
            seat.move(seat.view["gestures"][0][0])
            assert seat.view["ply"] == 1
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [
        "the process that renders pages sent what cannot be read: invalid load key, '\\x00'.",
        "the process that renders pages has ended; the house renders them itself",
    ]


def test_what_takes_long_is_rendered_by_the_house(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: list[str]
) -> None:
    with rendering_house(tmp_path) as client:
        anna = Visitor(client)
        table = anna.new("sliding")
        here.clear()
        with anna.at(table) as seat:
            for _ in range(3):
                seat.move(seat.view["gestures"][0][0])
            assert not here
            monkeypatch.setattr(live_table, "SLOW", -1.0)
            for count in range(3):
                seat.move(seat.view["gestures"][0][0])
                assert len(here) == count
            monkeypatch.setattr(live_table, "SLOW", NEVER)
            for _ in range(2):  # the first one is still rendered here
                seat.move(seat.view["gestures"][0][0])
            assert len(here) == count + 1
        here.clear()
        monkeypatch.setattr(renderer, "MAX_SENT", 4)
        with anna.at(table) as seat:
            assert len(here) == 1
        monkeypatch.setattr(renderer, "MAX_SENT", 9)
        monkeypatch.setattr(renderer, "MAX_NEW", 4)
        with anna.at(table) as seat:
            assert len(here) == 2
            seat.move(seat.view["gestures"][0][0])
        assert len(here) == 2


def test_a_fault_of_the_process_costs_nobody_a_view(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    here: list[str],
) -> None:
    with rendering_house(tmp_path) as client:
        anna = Visitor(client)
        with anna.at(anna.new("sliding")) as seat:
            here.clear()
            worker = renderer_of(client)._worker
            assert worker is not None
            (which,) = worker._sent
            worker._send("forget", which)  # the house does not know
            seat.move(seat.view["gestures"][0][0])
            seat.move(seat.view["gestures"][0][0])
            assert len(here) == 2
            assert renderer_of(client)._worker is worker
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [f"the process that renders pages failed: KeyError: {which}"]


def test_views_that_are_kept_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_table, "MAX_VIEWS", 5)
    with rendering_house(tmp_path) as client:
        anna = Visitor(client)
        table = anna.new("binary", preset="small", opponent="analysis")
        with anna.at(table) as seat:
            live = client.app.state.service._live[table[3:]]  # type: ignore[attr-defined]
            for _ in range(12):
                seat.move(seat.view["gestures"][0][0])
            for ply in range(12):
                for looks in ({"ply": ply}, {}):
                    seat.say("look", **looks)
                    seat.wait("view")
                assert len(live.shown.views) <= 5


def test_polls_are_no_pages(tmp_path: Path) -> None:
    with open_house(tmp_path, many_pages=5) as client:
        anna = Visitor(client)
        table = anna.new("binary", preset="small", opponent="machine", level="1")
        key = {"authorization": f"Bearer {anna.token}"}
        for _ in range(9):
            assert client.get(f"/api/tables{table[2:]}", headers=key).status_code == 200
        assert renderer_of(client)._starting is None


def test_what_comes_after_the_end_is_dropped() -> None:
    async def read() -> bool:
        worker = renderer.Worker()
        worker.end.set_result(None)
        ready = pickle.dumps(())
        worker.pipe_data_received(1, len(ready).to_bytes(4, "big") + ready)
        return worker.is_ready

    assert not asyncio.run(read())


def test_a_small_house_has_no_such_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_house(tmp_path, many_pages=2) as client:
        anna = Visitor(client)
        table = anna.new("sliding")
        with anna.at(table) as seat:
            seat.move(seat.view["gestures"][0][0])
            assert renderer_of(client)._starting is None
            monkeypatch.setattr(os, "cpu_count", lambda: 1)
            with anna.at(table):
                assert renderer_of(client)._starting is None
            monkeypatch.setattr(os, "cpu_count", lambda: 2)
            with anna.at(table):
                assert process_of(client)


@pytest.mark.parametrize(
    "error", [BlockingIOError(11, "no more processes"), RuntimeError("no more")]
)
def test_a_process_that_cannot_be_started_is_one_line(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(asyncio.BaseEventLoop, "subprocess_exec", fail)
    with open_house(tmp_path, many_pages=1) as client:
        visitor = Visitor(client)
        with visitor.at(visitor.new("sliding")):
            wait_for(lambda: caplog.records, "a line in the log")
        assert visitor.get("/").status_code == 200
    (said,) = caplog.records
    assert said.getMessage().startswith("the process that renders pages cannot be started: no more")
    assert said.exc_info is None

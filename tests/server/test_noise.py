"""Whatever comes on the sockets of a table, the house goes on, and the table with it."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.websockets import WebSocketDisconnect

import gridhouse
from gridhouse.server.auth import Auth
from gridhouse.server.budgets import Budgets
from gridhouse.server.tables.service import TableService
from gridhouse.server.tables.sockets import Connection, parse_message
from gridhouse.server.tables.table import TableOptions
from web_helpers import HIDDEN, Visitor, open_house, settings_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from starlette.testclient import TestClient
    from starlette.websockets import WebSocket

    from gridhouse.core.game import State

TABLES: list[tuple[str, dict[str, str]]] = [
    ("binary", {"start": "binary(rows=2,cols=4) ..../....", "opponent": "friends"}),
    ("tactego", {"start": HIDDEN, "opponent": "friends", "clock": "3+2"}),
    ("tactego", {"start": HIDDEN, "opponent": "hotseat"}),
    ("binary", {"start": "binary(rows=2,cols=3) .../...", "level": "1"}),
]
KINDS = [
    "move",
    "why",
    "undo",
    "redo",
    "answer",
    "resign",
    "hint",
    "judge",
    "show",
    "stop",
    "look",
    "uncover",
    "turn",
    "view",
    "dance",
]
NUMBERS: st.SearchStrategy[Any] = st.one_of(
    st.integers(-2, 9),
    st.sampled_from([2**31, 2**63, -(2**63) - 1, 10**4000, 1e308, float("nan"), float("inf")]),
    st.booleans(),
    st.floats(),
    st.none(),
)
TEXTS = st.one_of(
    st.sampled_from(
        ["0 0 0", "0 0 1", "0 1 0", "3 0 1", "1 1 0", "0", "", "\x00", "\ud800", "٣ 0 0"]
    ),
    st.text(max_size=20),
    st.just("0 " * 1500),
)
VALUES = st.recursive(
    NUMBERS | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
DEEP = [
    f'{{"type":"{kind}","move":{"[" * n}{"]" * n},"ply":0,"cells":[{"[" * n}{"]" * n}]}}'
    for kind in ("move", "why", "look")
    for n in range(150, 990, 40)
]
KNOWN = st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS)},
    optional={
        "move": TEXTS | VALUES,
        "ply": NUMBERS | VALUES,
        "cells": st.lists(NUMBERS, max_size=4) | VALUES,
        "agrees": st.booleans() | VALUES,
    },
)
NOISE = st.one_of(
    st.integers(0, 20),  # one of the legal moves
    KNOWN.map(lambda message: json.dumps(message)),
    VALUES.map(lambda value: json.dumps(value)),
    st.dictionaries(st.text(max_size=5), VALUES, max_size=3).map(lambda value: json.dumps(value)),
    st.text(max_size=60),
    st.binary(max_size=20),
    st.sampled_from([*DEEP, "[" * 4000, "1" * 4090, '{"type":"move","type":[]}']),
)
SAID = st.lists(st.tuples(st.integers(0, 2), NOISE), max_size=12)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with (
        pytest.MonkeyPatch.context() as patch,
        open_house(tmp_path_factory.mktemp("house"), patience=0.02) as client,
    ):
        patch.setattr("gridhouse.server.app.MAX_TABLES", 100_000)
        yield client


class Page:
    """A socket that is opened again when the house has closed it, as it does after noise."""

    def __init__(self, visitor: Visitor, table: str) -> None:
        self.visitor = visitor
        self.table = table
        self.stack = ExitStack()
        self.seat = self.stack.enter_context(visitor.at(table))

    def say(self, said: Any) -> None:
        if isinstance(said, int):
            legal = [move for move, _, _ in self.seat.view["gestures"]] or ["0 0 0"]
            move = {"type": "move", "move": legal[said % len(legal)], "ply": self.seat.view["ply"]}
            said = json.dumps(move)
        if isinstance(said, bytes):
            self.seat.socket.send_bytes(said)
        else:
            self.seat.socket.send_text(said)
        if isinstance(said, str) and parse_message(said):
            self.wait()
        else:
            with pytest.raises(WebSocketDisconnect):
                self.listen_to_the_end()
            self.stack.close()
            self.seat = self.stack.enter_context(self.visitor.at(self.table))

    def listen_to_the_end(self) -> None:
        while True:
            self.seat.listen()

    def wait(self) -> None:
        """Wait until all that was said has been dealt with."""
        self.seat.say("here")
        while self.seat.listen()["type"] != "here":
            pass


def kept(client: Any, table: str) -> tuple[State, bool]:
    """Return the position to which what is kept leads by the rules, and whether that is the end."""
    record = client.app.state.service.store.load(table.rpartition("/")[2])
    state = gridhouse.parse(record.start)
    for made in record.moves:
        state.play(made.move)
    assert record.ended == "rules" if state.is_terminal() else record.ended != "rules"
    return state, record.ended is not None


@pytest.mark.slow("sends much noise")
@settings(derandomize=True, database=None)
@given(chosen=st.sampled_from(TABLES), said=SAID)
def test_noise_ends_nothing(
    client: TestClient, caplog: pytest.LogCaptureFixture, chosen: Any, said: list[Any]
) -> None:
    who = [Visitor(client) for _ in range(3)]
    game, form = chosen
    table = who[0].new(game, **form)
    is_met = form.get("opponent") == "friends"
    if is_met:
        with who[0].at(table) as seat:
            who[1].post(seat.view["invitation"])
    pages = [Page(visitor, table) for visitor in who]
    with ExitStack() as stack:
        for page in pages:
            stack.push(page.stack)
        for speaker, noise in said:
            pages[speaker].say(noise)
    state, is_over = kept(client, table)
    mover = who[state.current_player()] if is_met and not is_over else who[0]
    with mover.at(table) as seat:
        while not seat.view["over"] and not seat.view["acts"]:
            if seat.view["handing"]:
                seat.say(seat.view["handing"]["does"])
            seat.wait("view")  # or it is the machine's turn
        assert seat.view["over"] == is_over or not is_met
        if not seat.view["over"]:
            seat.move(seat.view["gestures"][0][0])
            assert len(kept(client, table)[0].history()) >= seat.view["ply"]
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_what_is_equal_to_a_number_is_none(client: TestClient) -> None:
    visitor = Visitor(client)
    table = visitor.new("binary", start="binary(rows=1,cols=6) ......", opponent="hotseat")
    with visitor.at(table) as seat:
        for ply in (False, 0.0, -0.0, None, "0", [0]):
            said = seat.refused("move", move="0 0 0", ply=ply)
            assert said == "the table has changed; look at it again"
        for move in (None, 0, ["0 0 0"], {"0": 0}):
            assert seat.refused("move", move=move, ply=0) == "the move must be a text"
        seat.move("0 0 0")
        seat.move("1 0 1")
        for ply in (True, 1.0, -1, 2):
            seat.say("look", ply=ply)
            assert seat.wait("view")["looking"] is None
        seat.say("look", ply=1)
        assert seat.wait("view")["looking"] == 1


def test_what_is_nested_deeply_is_no_move(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    visitor = Visitor(client)
    page = Page(visitor, visitor.new("binary", opponent="hotseat"))
    for noise in DEEP:
        page.say(noise)
    page.stack.close()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


class SlowSocket:
    """A socket on which sending takes a while, and that hears noise at once."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.cookies: dict[str, str] = {}
        self.client = None
        self.query_params: dict[str, str] = {}
        self.closed: list[int] = []

    async def receive(self) -> dict[str, str]:
        await asyncio.sleep(0)
        return {"type": "websocket.receive", "text": "noise"}

    async def send_text(self, text: str) -> None:
        await asyncio.sleep(60)

    async def close(self, code: int) -> None:
        self.closed.append(code)


class GoneSocket(SlowSocket):
    """A socket that the server has closed, of which it tells whoever receives later."""

    async def receive(self) -> dict[str, str]:
        await asyncio.sleep(60)
        raise AssertionError

    async def send_text(self, text: str) -> None:
        raise RuntimeError("Unexpected ASGI message 'websocket.send'")


class UnreadSocket(SlowSocket):
    """A socket on which nothing is heard, and nothing read until it is."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = asyncio.Event()
        self.sent: list[str] = []

    async def receive(self) -> dict[str, str]:
        await asyncio.sleep(60)
        raise AssertionError

    async def send_text(self, text: str) -> None:
        await self.reads.wait()
        self.sent.append(json.loads(text)["type"])


async def connect(house: TableService, socket: SlowSocket) -> Connection:
    """Return the connection of somebody to a new table of theirs over a socket."""
    state = gridhouse.load("binary").new_initial_state()
    live = await house.get(await house.create(TableOptions(state, "hotseat", 0, 0), "somebody"))
    assert live is not None
    budgets = Budgets(house.settings)
    page = cast("WebSocket", socket)
    return Connection(house, Auth("secret"), budgets, live, page, "somebody")


async def visit(folder: Path, socket: SlowSocket) -> int:
    """Look at a table over a socket until it is closed, and return the code for that."""
    house = TableService(settings_of(folder))
    connection = await connect(house, socket)
    try:
        await connection.run()
    finally:
        await house.close()
    return connection.close_code


def test_a_socket_is_not_closed_while_something_is_sent(tmp_path: Path) -> None:
    socket = SlowSocket()
    assert asyncio.run(visit(tmp_path, socket)) == 1008
    # It is closed by whoever let the page in, when its sending has ended.
    assert socket.closed == []


def test_a_socket_that_the_server_has_closed_is_no_fault(tmp_path: Path) -> None:
    with pytest.raises(WebSocketDisconnect):
        asyncio.run(visit(tmp_path, GoneSocket()))


@pytest.mark.parametrize("size", [10, 30_000])
def test_little_waits_for_a_page_that_does_not_read(tmp_path: Path, size: int) -> None:
    async def speak() -> None:
        house, socket = TableService(settings_of(tmp_path)), UnreadSocket()
        connection = await connect(house, socket)
        running = asyncio.create_task(connection.run())
        for _ in range(200):
            connection.send({"type": "refusal", "text": "x" * size})
            assert sum(map(len, connection._outgoing)) <= 1_000_000
            assert len(connection._outgoing) <= 50
            await asyncio.sleep(0)
        socket.reads.set()
        await running
        assert connection.close_code == 1013
        await house.close()

    asyncio.run(speak())


def test_the_best_line_waits_for_who_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []

    async def endless(*_: object) -> AsyncIterator[dict[str, str]]:
        while len(found) < 5:
            found.append(len(found))
            yield {"type": "refusal", "text": "a frame"}

    async def ask() -> None:
        house, socket = TableService(settings_of(tmp_path, pause=0.0)), UnreadSocket()
        connection = await connect(house, socket)
        running = asyncio.create_task(connection.run())
        await connection._handle({"type": "show"})
        for _ in range(50):
            await asyncio.sleep(0)
        assert found == [0]
        socket.reads.set()
        while "shown" not in socket.sent:
            await asyncio.sleep(0)
        assert socket.sent.count("refusal") == 5
        running.cancel()
        await house.close()

    monkeypatch.setattr("gridhouse.server.tables.sockets.hints.best_line", endless)
    asyncio.run(ask())

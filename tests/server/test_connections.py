"""Connections on which no request comes, and too many of them."""

from __future__ import annotations

import asyncio
import gc
import http.client
import itertools
import json
import logging
import socket
import threading
import time
import urllib.request
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
from uvicorn.config import LOOP_FACTORIES

from browser_helpers import served
from gridhouse.server import connections, upkeep
from gridhouse.server.budgets import REFUSED_SECONDS, Budgets
from gridhouse.server.connections import (
    MAX_FIELDS,
    MAX_HEAD,
    PIECE,
    Connected,
    HouseProtocol,
    SocketProtocol,
    close_oldest,
    raise_file_limit,
)
from gridhouse.server.storage.store import Store
from window_helpers import wait_for
from wire_helpers import PATIENCE, Caller

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HALF = b"GET / HTTP/1.1\r\nHost: x\r\n"
NO_END = b"POST /new/binary HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\npre"
SECONDS = 0.4
GET = b"GET /design HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /language HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def house(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[str]:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", SECONDS)
    loop = getattr(request, "param", "uvloop")
    monkeypatch.setitem(LOOP_FACTORIES, "auto", LOOP_FACTORIES[loop])
    with served(tmp_path) as address:
        yield address


def opened(house: str) -> socket.socket:
    """Return a connection."""
    place = urlsplit(house)
    return socket.create_connection((place.hostname, place.port), timeout=PATIENCE)


def page(house: str) -> int:
    """Return the status of a page."""
    with urllib.request.urlopen(f"{house}/design", timeout=PATIENCE) as answer:
        return int(answer.status)


def is_closed(connection: socket.socket) -> bool:
    """Tell whether the house closes a connection without an answer."""
    try:
        return connection.recv(1000) == b""
    except ConnectionResetError:
        return True


def answer(house: str, sent: bytes) -> bytes:
    """Return what the house says to a request, b"" if it hangs up."""
    with opened(house) as connection:
        with suppress(OSError):  # closed just now
            connection.sendall(sent)
        try:
            return connection.recv(1000)
        except ConnectionResetError:
            return b""


def frame(kind: int, text: bytes = b"", *, is_last: bool = True) -> bytes:
    """Return a short frame of a WebSocket."""
    return bytes([is_last << 7 | kind, 1 << 7 | len(text)]) + b"\0\0\0\0" + text


def upgrade(house: str, table: str, cookie: str = "") -> bytes:
    """Return a request for a WebSocket."""
    return (
        f"GET {table}/socket HTTP/1.1\r\nHost: {urlsplit(house).netloc}\r\nConnection: upgrade\r\n"
        f"Cookie: {cookie}\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    ).encode()


def upgraded(house: str) -> socket.socket:
    """Return a connection that is a WebSocket of a new table."""
    caller = Caller()
    table, connection = caller.new(house, "binary"), opened(house)
    connection.sendall(upgrade(house, table, caller.cookie))
    assert connection.recv(1000).startswith(b"HTTP/1.1 101")
    return connection


def read_to_the_end(connection: socket.socket) -> None:
    """Read until the house hangs up."""
    with suppress(ConnectionResetError):
        while connection.recv(100_000):
            pass


@pytest.mark.parametrize("sent", [b"", HALF, NO_END], ids=["nothing", "half", "no end"])
def test_a_request_that_does_not_come_is_not_awaited_for_ever(house: str, sent: bytes) -> None:
    began = time.monotonic()
    with opened(house) as connection:
        connection.sendall(sent)
        assert is_closed(connection)
    assert time.monotonic() - began >= SECONDS / 2
    assert page(house) == 200


def test_what_trickles_in_wins_no_time(house: str) -> None:
    with opened(house) as connection:
        connection.sendall(HALF)
        connection.settimeout(SECONDS / 8)
        for _ in range(1000):
            with suppress(TimeoutError):
                if is_closed(connection):
                    return
            with suppress(OSError):  # closed just now
                connection.sendall(b"X-More: x\r\n")
    raise AssertionError("the house waits for ever")


def test_requests_and_sockets_that_go_on_are_left_alone(house: str) -> None:
    caller, kept = Caller(), http.client.HTTPConnection(urlsplit(house).netloc, timeout=PATIENCE)
    with caller.at(house, caller.new(house, "binary")) as place:
        for _ in range(3):
            kept.request("GET", "/design")
            assert kept.getresponse().read()
            time.sleep(SECONDS / 2)
        place.socket.send(json.dumps({"type": "here"}))
        while json.loads(place.socket.recv(timeout=PATIENCE))["type"] != "here":
            pass
    kept.close()


def test_an_address_has_so_many_connections(house: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as kept:
        for _ in range(4):  # this machine has as many as it likes
            kept.enter_context(opened(house))
        assert page(house) == 200
    monkeypatch.setattr(connections, "REQUEST_SECONDS", PATIENCE)
    monkeypatch.setattr(connections, "is_loopback", lambda _: False)
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 2)
    time.sleep(SECONDS / 4)
    with opened(house) as one, opened(house) as two, opened(house) as three:
        assert is_closed(three)
        for connection in (one, two):
            connection.sendall(HALF + b"\r\n")
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")
    time.sleep(SECONDS / 4)
    assert page(house) == 200


def test_those_that_wait_longest_make_room(house: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", PATIENCE)
    monkeypatch.setattr(HouseProtocol, "files", 8)  # room for six connections
    with ExitStack() as kept:
        halves = [kept.enter_context(opened(house)) for _ in range(10)]
        for half in halves:
            half.settimeout(PATIENCE)
        assert all(is_closed(half) for half in halves[:4])
        assert page(house) == 200


def test_a_socket_reads_no_more_while_messages_wait() -> None:
    async def read() -> None:
        protocol = SocketProtocol.__new__(SocketProtocol)
        protocol.queue, protocol.close_sent = asyncio.Queue(), False
        transport = protocol.transport = Mock()
        for number in range(connections.WAITING + 1):
            assert not transport.pause_reading.called, number
            protocol.curr_msg_data_type, protocol.frames = "text", [b"{}"]
            protocol.send_receive_event_to_app()
        assert transport.pause_reading.called
        while not protocol.queue.empty():
            assert not transport.resume_reading.called
            await protocol.receive()
        assert transport.resume_reading.called

    asyncio.run(read())


def test_a_process_may_open_files() -> None:
    assert raise_file_limit() >= 64


PING, PONG, PART = frame(9), frame(10), frame(0, is_last=False)


@pytest.mark.parametrize("sent", [PING, PONG, PART], ids=["ping", "pong", "part"])
def test_a_socket_with_too_many_frames_is_let_go(house: str, sent: bytes) -> None:
    with upgraded(house) as connection:
        with suppress(OSError):  # closed just now
            connection.sendall(frame(1, b"{", is_last=False) + sent * 5000)
        read_to_the_end(connection)
    assert page(house) == 200


def test_some_pings_are_answered(house: str) -> None:
    with upgraded(house) as connection:
        connection.sendall(frame(9, b"well?") * 50)
        said = b""
        while said.count(b"well?") < 50:
            said += connection.recv(100_000)


def test_messages_after_the_end_count_as_well(house: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CLOSE_SECONDS", PATIENCE)
    with upgraded(house) as connection:
        began = time.monotonic()
        connection.sendall(frame(1, b"noise"))
        with suppress(OSError):  # closed just now
            while time.monotonic() - began < SECONDS * 10:
                connection.sendall(frame(1, b"{}") * 300)
                time.sleep(0.01)
            raise AssertionError("it is let go by time alone")
        read_to_the_end(connection)


@pytest.mark.parametrize("house", ["uvloop", "asyncio"], indirect=True)
def test_what_comes_is_read_in_pieces(house: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[tuple[object, int, int]] = []  # with the turns of the loop before
    turns: list[None] = []
    for protocol in (HouseProtocol, SocketProtocol):

        def noted(self: Connected, data: bytes, does: object = protocol.data_received) -> None:
            pieces.append((self, len(data), len(turns)))
            self.loop.call_soon(turns.append, None)
            does(self, data)  # type: ignore[operator]

        monkeypatch.setattr(protocol, "data_received", noted)
    head = POST.replace(b"Transfer-Encoding: chunked", b"Content-Length: 60000")
    assert answer(house, head + b"a" * 60000).startswith(b"HTTP/1.1 ")
    with upgraded(house) as connection:
        connection.sendall(frame(1, b"noise") * 5000)
        read_to_the_end(connection)
    assert max(size for _, size, _ in pieces) == PIECE
    assert len(pieces) > 60
    for (one, _, before), (other, _, after) in itertools.pairwise(pieces):
        # A socket is given its own request at once, by the connection that it was.
        assert after > before or one is not other


@pytest.mark.parametrize(
    "sent",
    [b"1\r\na\r\n" * 60000 + b"0\r\n\r\n", b"0\r\n" + b"a:\r\n" * 1000 + b"\r\n"],
    ids=["chunks", "trailers"],
)
def test_a_content_in_too_many_pieces_is_not_read(
    house: str, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", PATIENCE)
    assert answer(house, POST + sent) == b""
    assert page(house) == 200


def test_a_content_in_some_pieces_is_read(house: str) -> None:
    sent = (b"64\r\n" + b"a" * 100 + b"\r\n") * 600 + b"0\r\n\r\n"
    assert answer(house, POST + sent).startswith(b"HTTP/1.1 303")


def test_a_head_has_so_many_fields(tmp_path: Path) -> None:
    with served(tmp_path, calm=False) as house:
        fields = b"a:\r\n" * (MAX_FIELDS - 1)
        assert answer(house, GET + fields + b"\r\n").startswith(b"HTTP/1.1 200")
        for too_many in (fields + b"a:\r\n\r\n", b"a:\n" * 600, b"a:\r\n" * 3000):
            assert answer(house, GET + too_many).startswith(b"HTTP/1.1 400")
        long = b"a: " + b"x" * (MAX_HEAD - 200) + b"\r\n\r\n"
        assert answer(house, GET + long).startswith(b"HTTP/1.1 200")
        longer = b"a: " + b"x" * (MAX_HEAD + PIECE)
        assert answer(house, GET + longer).startswith(b"HTTP/1.1 400")


def test_several_ranges_of_a_file_are_no_ranges(house: str) -> None:
    head = b"GET /static/board.js HTTP/1.1\r\nHost: x\r\nRange: bytes="
    assert answer(house, head + b"0-9\r\n\r\n").startswith(b"HTTP/1.1 206")
    assert answer(house, head + b"0-1,4-5\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_connections_are_counted_until_they_end(house: str) -> None:
    wait_for(lambda: not Connected.open, "the end of all connections")
    with opened(house) as one, upgraded(house) as two:
        one.sendall(HALF)
        two.sendall(PING)
        wait_for(lambda: Connected.open == {"127.0.0.1": 2}, "two connections")
    wait_for(lambda: not Connected.open, "the end of all connections")


ONE = GET.replace(b"/design", b"/static/board.js") + b"\r\n"
MANY = ONE * 500


def unread(house: str, sent: bytes = MANY) -> socket.socket:
    """Return a connection that asks for much and reads nothing."""
    place = urlsplit(house)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((place.hostname, place.port))
    connection.sendall(sent)
    return connection


def is_unread() -> bool:
    """Tell whether the house waits for a reader."""
    # Not isinstance, which asks what weak references refer to, also when that is gone.
    found = (one for one in gc.get_objects() if issubclass(type(one), Connected))
    return any(one._unread_alarm is not None for one in found)


def test_a_reader_that_does_not_read_is_let_go(house: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "UNREAD_SECONDS", SECONDS)
    with unread(house):
        wait_for(is_unread, "a reader that does not read")
        wait_for(lambda: not Connected.open, "the end of all connections")


def test_a_rest_that_is_not_read_does_not_hold_a_closed_connection(
    house: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = HouseProtocol.connection_made

    def begin_small(self: HouseProtocol, transport: asyncio.Transport) -> None:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.timeout_keep_alive = 0
        begin(self, transport)

    monkeypatch.setattr(HouseProtocol, "connection_made", begin_small)
    monkeypatch.setattr(connections, "UNREAD_SECONDS", SECONDS)
    with unread(house, ONE):
        wait_for(is_unread, "a reader that does not read")
        wait_for(lambda: not Connected.open, "the end of all connections")


def test_a_slow_reader_is_awaited(house: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loop, transport, protocol = Mock(), Mock(), SocketProtocol.__new__(SocketProtocol)
    protocol.loop, protocol.transport, protocol.writable = loop, transport, asyncio.Event()
    transport.get_write_buffer_size.return_value = 900_000
    protocol.pause_writing()
    for left in (700_000, 500_000, 300_000):
        _, see, before = loop.call_later.call_args.args
        transport.get_write_buffer_size.return_value = left
        see(before)
    assert not transport.abort.called
    assert loop.call_later.call_count == 4
    protocol.resume_writing()
    assert loop.call_later.return_value.cancel.called


def test_unread_answers_do_not_hold_up_the_end_of_the_house(tmp_path: Path) -> None:
    with ExitStack() as kept:
        with served(tmp_path) as house:  # which complains of nothing
            kept.enter_context(unread(house))
            wait_for(is_unread, "a reader that does not read")
            began = time.monotonic()
        assert time.monotonic() - began < connections.END_SECONDS


def test_a_closed_socket_has_to_go(house: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CLOSE_SECONDS", SECONDS)
    with upgraded(house) as connection:
        began = time.monotonic()
        connection.sendall(frame(1, b"noise"))
        read_to_the_end(connection)  # it says that it closes, and is not answered
        assert SECONDS / 2 < time.monotonic() - began < 9


def test_a_socket_that_answers_no_ping_is_let_go() -> None:
    protocol = SocketProtocol.__new__(SocketProtocol)
    protocol.transport = Mock()
    protocol.keepalive_timeout()
    assert protocol.transport.abort.called


def test_requests_may_come_at_once(house: str) -> None:
    with opened(house) as connection:
        connection.sendall((GET + b"\r\n") * 100)
        said = b""
        while said.count(b"HTTP/1.1 200") < 100:
            came = connection.recv(1_000_000)
            assert came
            said += came


def test_a_refusal_takes_a_while_and_ends_its_connection(tmp_path: Path) -> None:
    with served(tmp_path, burst=2, rate=0.001) as house:
        caller = Caller()
        caller.new(house, "binary")
        with opened(house) as connection:
            began = time.monotonic()
            connection.sendall((GET + f"Cookie: {caller.cookie}\r\n\r\n".encode()) * 20)
            said = b""
            with suppress(ConnectionResetError):
                while came := connection.recv(1_000_000):
                    said += came
            assert said.count(b"HTTP/1.1 429") == 1
            assert time.monotonic() - began >= REFUSED_SECONDS


def test_other_hosts_and_who_is_blocked_wait_for_their_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "GLANCE", 0.01)

    def refused(house: str, status: bytes) -> bool:
        began = time.monotonic()
        said = answer(house, 20 * (GET + b"\r\n"))
        is_slow = time.monotonic() - began >= REFUSED_SECONDS
        return said[9:12] == status and said.lower().count(b"connection: close") == 1 and is_slow

    with served(tmp_path, hosts=("house.test",)) as house:
        assert refused(house, b"400")
        file = f"sqlite:///{tmp_path / 'house.db'}"
        with closing(Store(file)) as store, store.engine.begin() as connection:
            upkeep.block(connection, "127.0.0.1")
        wait_for(lambda: refused(house, b"403"), "the block")


@pytest.mark.parametrize("is_socket", [False, True], ids=["request", "socket"])
def test_what_is_cancelled_at_the_end_leaves_no_trace(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    is_socket: bool,
) -> None:
    begun = threading.Event()

    async def work(*_: object) -> None:
        begun.set()
        await asyncio.sleep(PATIENCE)

    monkeypatch.setattr("gridhouse.server.pages.views.design", work)
    monkeypatch.setattr("gridhouse.server.tables.service.TableService.get", work)
    monkeypatch.setattr("gridhouse.server.serve.SHUTDOWN_SECONDS", 2 * SECONDS)
    monkeypatch.setattr(connections, "END_SECONDS", SECONDS)
    with ExitStack() as kept, served(tmp_path, calm=False) as house:
        connection = kept.enter_context(opened(house))
        if is_socket:
            connection.sendall(upgrade(house, "/t/any"))
        else:
            connection.sendall(GET + b"\r\n")
        assert begun.wait(PATIENCE)
    (said,) = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
    assert said.startswith("Cancel 1 running task")


def test_a_wrong_end_of_what_is_answered_already_leaves_no_trace(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with served(tmp_path, calm=False) as house, opened(house) as connection:
        connection.sendall(POST.replace(b"/language", b"/nowhere"))
        assert connection.recv(1000).startswith(b"HTTP/1.1 404")
        connection.sendall(b"no length\r\n")
        read_to_the_end(connection)
        at_once = POST.replace(b"POST /language", b"GET /healthz") + b"no length\r\n"
        assert answer(house, at_once).startswith(b"HTTP/1.1 400")
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.parametrize("field", [b"Content-Length: 4", b"A: " + 9000 * b"x"])
def test_a_wish_for_a_socket_that_cannot_be_read_is_not_kept(house: str, field: bytes) -> None:
    sent = upgrade(house, "/t/any").replace(b"\r\n\r\n", b"\r\n" + field + b"\r\n\r\n")
    with opened(house) as connection:
        connection.sendall(sent)
        assert is_closed(connection)


def test_a_frame_before_the_answer_ends_the_connection_without_a_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked = threading.Event()

    def reserve(*_: object) -> float:
        asked.set()
        return PATIENCE

    monkeypatch.setattr(Budgets, "reserve", reserve)
    with served(tmp_path, calm=False) as house, opened(house) as connection:
        connection.sendall(upgrade(house, "/t/any"))
        assert asked.wait(PATIENCE)
        connection.sendall(b"\x7f\x00")
        assert is_closed(connection)
    assert [record for record in caplog.records if record.exc_info] == []


def test_so_many_are_closed_as_are_too_many() -> None:
    held = []
    for age in range(4):
        one = Mock(spec=HouseProtocol, is_waiting=True, waits_until=age, transport=Mock())
        one.transport.is_closing.return_value = age == 0
        held.append(one)
    close_oldest(held, 2)
    assert [one.give_up.called for one in held] == [False, True, False, False]


def test_a_reader_of_much_reads_a_part_of_it() -> None:
    reader = Mock(spec=Connected, transport=Mock())
    for left, is_slow in ((950_000, False), (960_000, True)):
        reader.transport.get_write_buffer_size.return_value = left
        reader.transport.abort.reset_mock()
        Connected._see_reader(reader, 1_000_000)
        assert reader.transport.abort.called == is_slow

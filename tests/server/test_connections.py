"""Connections on which no request comes, and too many of them."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import time
import urllib.request
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest

from browser_helpers import served
from gridhouse.server import connections
from gridhouse.server.connections import HouseProtocol, SocketProtocol, raise_file_limit
from wire_helpers import PATIENCE, Caller

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HALF = b"GET / HTTP/1.1\r\nHost: x\r\n"
NO_END = b"POST /new/binary HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\npre"
SECONDS = 0.4


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", SECONDS)
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

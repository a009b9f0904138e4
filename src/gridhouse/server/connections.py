"""Network connections: how many may be open, and how long a request may take to come in.

Uvicorn closes a connection that is idle after a request, but waits for ever for one that never
comes, or for the rest of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode

from gridhouse.server.network import counted, is_among, is_loopback
from gridhouse.server.settings import MAX_CONNECTIONS, REQUEST_SECONDS

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable

SPARE = 0.25  # share of the files that a process may open which connections leave for others
USUAL_FILES = 1024
WAITING = 4  # messages of a socket, from which on no more are read


def raise_file_limit() -> int:
    """Let this process open as many files as it may, and return their number."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return USUAL_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard and hard != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return soft


class HouseProtocol(H11Protocol):
    """A connection of the house, which does not wait for ever."""

    files = USUAL_FILES  # that the process may open
    proxies: tuple[str, ...] = ()  # who bring the visitors of many addresses
    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, unless this address has enough connections."""
        super().connection_made(transport)
        host = host_of(self)
        if not is_loopback(host) and not is_among(host, self.proxies):
            own = counted(host)
            here = sum(counted(host_of(other)) == own for other in self.connections)
            if here > MAX_CONNECTIONS:
                transport.abort()
                return
        self._watch()
        too_many = len(self.connections) - int((1 - SPARE) * self.files)
        if too_many > 0:
            close_oldest(self.connections, too_many)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._stop_waiting()

    def data_received(self, data: bytes) -> None:
        """Read what came, and see whether it is enough."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    @property
    def is_waiting(self) -> bool:
        """Whether a request, or its rest, has yet to come."""
        return self._alarm is not None

    @property
    def waits_until(self) -> float:
        """The time of the event loop until which it has to come."""
        assert self._alarm is not None
        return self._alarm.when()

    def _watch(self) -> None:
        """Set an alarm while a request has yet to come; what trickles in does not set it back."""
        is_socket = self.transport.get_protocol() is not self
        has_come = self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
        if is_socket or has_come or self.transport.is_closing():
            self._stop_waiting()
        elif self._alarm is None:
            self._alarm = self.loop.call_later(REQUEST_SECONDS, self.give_up)

    def _stop_waiting(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def give_up(self) -> None:
        """Close a connection on which no whole request came."""
        self._stop_waiting()
        self.transport.abort()


class SocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket of the house."""

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; close the connection if it is a text that is no UTF-8.

        Uvicorn would log that as an error of its own, and fail where the connection is closing.
        """
        # Uvicorn stops to read at each message until it is taken, by two calls of the system.  It
        # is told that it has stopped already until some wait.
        self.read_paused = self.queue.qsize() < WAITING
        try:
            if self.curr_msg_data_type == "text":
                b"".join(self.frames).decode()
        except UnicodeDecodeError:
            self.conn.fail(CloseCode.INVALID_DATA)
            self.handle_parser_exception()
        else:
            super().send_receive_event_to_app()


def host_of(connection: Any) -> str:
    """Return the network address at the other end of a connection, also of a socket."""
    return connection.client[0] if connection.client else ""


def close_oldest(connections: Iterable[Any], count: int) -> None:
    """Close so many of those on which a request has yet to come, which have waited longest."""
    waiting = [one for one in connections if isinstance(one, HouseProtocol) and one.is_waiting]
    for one in sorted(waiting, key=lambda one: one.waits_until)[:count]:
        one.give_up()

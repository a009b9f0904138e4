"""Network connections: how many may be open, and how much each may take of the house.

Uvicorn closes a connection that is idle after a request, but waits for ever for one that never
comes, or for the rest of one, and for a reader that does not read.  It also deals with all that
came on a connection in one step, however many small pieces that is.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode

from gridhouse.server.budgets import TokenBucket
from gridhouse.server.network import counted, is_among, is_loopback
from gridhouse.server.settings import MAX_CONNECTIONS, REQUEST_SECONDS

if TYPE_CHECKING:
    from asyncio.transports import BaseTransport
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from uvicorn.config import Config
    from websockets.frames import Frame

SPARE = 0.25  # share of the files that a process may open which connections leave for others
USUAL_FILES = 1024
WAITING = 4  # messages of a socket, from which on no more are read
PIECE = 1024  # bytes that are read in one step, so that others have their turn between them
MAX_HEAD = 16 * 1024  # bytes
MAX_FIELDS = 100  # of a head
MAX_WRAPPING = 16 * 1024  # bytes that may come around the content of a request, and a quarter of it
MAX_CONTENT = 16 * 1024 * 1024  # bytes of a request; pages refuse less with a sentence
FRAMES = 100  # of a socket that are no message of a page, and that may come at once
FRAMES_A_SECOND = 20.0  # in the long run
UNREAD_SECONDS = 30.0  # within which a reader has to take some of what waits for it
MIN_READ = 16 * 1024  # bytes of it, and a part of what waits
READ_PART = 20
CLOSE_SECONDS = 5.0  # that a closed socket has to go
END_SECONDS = 2.0  # that connections have at the end of the house, less than uvicorn waits
HEAD_END = re.compile(rb"\n\r?\n")


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


class Pieces(asyncio.BufferedProtocol):
    """What the event loop calls for a connection, to read it in small pieces.

    Without it uvloop passes on 250 KiB at once.  Uvicorn's own protocols cannot be of this kind.
    """

    _piece: ClassVar[bytearray] = bytearray(PIECE)  # for all: it is emptied where it was filled

    def __init__(self, connection: Connected) -> None:
        """Stand before a connection."""
        self.connection = connection

    def get_buffer(self, sizehint: int) -> bytearray:
        """Return where the next piece is to be put."""
        return self._piece

    def buffer_updated(self, nbytes: int) -> None:
        """Pass the piece on; before the next one the others have their turn."""
        self.connection.data_received(bytes(self._piece[:nbytes]))
        if nbytes == PIECE and self.connection.transport.is_reading():
            self.connection.transport.pause_reading()
            self.connection.loop.call_soon(self._read_on)

    def _read_on(self) -> None:
        if not self.connection.is_full:  # else it reads on by itself
            self.connection.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass it on."""
        self.connection.connection_lost(exc)

    def eof_received(self) -> None:
        """Pass it on."""
        self.connection.eof_received()

    def pause_writing(self) -> None:
        """Pass it on."""
        self.connection.pause_writing()

    def resume_writing(self) -> None:
        """Pass it on."""
        self.connection.resume_writing()


class Connected(asyncio.Protocol):
    """What all connections share: they are read in small pieces, and unread ones are let go."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    client: tuple[str, int] | None
    open: ClassVar[Counter[str]] = Counter()  # connections of each network address
    _own: str | None = None  # the address as which this connection counts
    _unread_alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """Count the connection."""
        super().connection_made(transport)
        # Whatever is not read is waited for, also where the connection is closed meanwhile.
        self.transport.set_write_buffer_limits(0)
        self._own = counted(host_of(self))
        self.open[self._own] += 1

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        super().connection_lost(exc)
        self.leave()

    def leave(self) -> None:
        """Count it no more, as it is lost or goes on as a socket."""
        self._stop_unread_alarm()
        if self._own is not None:
            self.open[self._own] -= 1
            if not self.open[self._own]:
                del self.open[self._own]
            self._own = None

    @property
    def is_full(self) -> bool:
        """Whether no more is read for now; uvicorn reads on when what came was taken."""
        raise NotImplementedError

    def pause_writing(self) -> None:
        """Begin to wait for the reader, who has enough to read."""
        super().pause_writing()
        self._stop_unread_alarm()
        self._await_reader()

    def resume_writing(self) -> None:
        """Wait for the reader no more."""
        super().resume_writing()
        self._stop_unread_alarm()

    def _await_reader(self) -> None:
        waiting = self.transport.get_write_buffer_size()
        self._unread_alarm = self.loop.call_later(UNREAD_SECONDS, self._see_reader, waiting)

    def _see_reader(self, before: int) -> None:
        """Let a connection go if its reader has not read."""
        if self.transport.get_write_buffer_size() > before - max(MIN_READ, before // READ_PART):
            self.transport.abort()
        else:
            self._await_reader()

    def _stop_unread_alarm(self) -> None:
        if self._unread_alarm is not None:
            self._unread_alarm.cancel()
            self._unread_alarm = None

    def shutdown(self) -> None:
        """Close the connection at the end of the house, whether it is read or not."""
        is_unread = self._unread_alarm is not None
        super().shutdown()  # type: ignore[misc]
        if is_unread:
            self.transport.abort()
        else:
            self.loop.call_later(END_SECONDS, self.transport.abort)


class SmallRequests(h11.Connection):
    """The requests of a connection: heads have few fields, and contents come in few pieces."""

    is_wasteful = False  # whether more came than requests of this size take
    _wire = 0  # bytes of the content as it came
    _content = 0  # bytes of it

    def receive_data(self, data: bytes) -> None:
        """Take what came."""
        if self.their_state is h11.SEND_BODY:
            self._wire += len(data)
        super().receive_data(data)

    def next_event(self) -> Any:
        """Return what comes next; raises h11.RemoteProtocolError."""
        if self.their_state is h11.IDLE:
            head = HEAD_END.split(self.trailing_data[0], 1)[0]
            if head.count(b"\n") > MAX_FIELDS:  # before h11 takes the time to read them
                raise h11.RemoteProtocolError("too many header fields", 431)
        event = super().next_event()
        if isinstance(event, h11.Data):
            self._content += len(event.data)
        elif isinstance(event, h11.Request):
            self._wire = self._content = 0
            return without_ranges(event)
        elif event is h11.NEED_DATA and self.their_state is h11.SEND_BODY:
            # What is after the content may have fields as well.
            self.is_wasteful = self.trailing_data[0].count(b"\n") > MAX_FIELDS
        wrapping = self._wire - self._content
        if wrapping > MAX_WRAPPING + self._content // 4 or self._content > MAX_CONTENT:
            self.is_wasteful = True
        return event


def without_ranges(request: h11.Request) -> h11.Request:
    """Return a request that asks for one range of a file at most; it gets the file otherwise."""
    kept = [(name, text) for name, text in request.headers if name != b"range" or b"," not in text]
    if len(kept) == len(request.headers):
        return request
    return h11.Request(
        method=request.method,
        target=request.target,
        headers=kept,
        http_version=request.http_version,
    )


class HouseProtocol(Connected, H11Protocol):
    """A connection of the house, which does not wait for ever."""

    files = USUAL_FILES  # that the process may open
    proxies: tuple[str, ...] = ()  # who bring the visitors of many addresses
    conn: SmallRequests
    _alarm: asyncio.TimerHandle | None = None

    def __init__(self, config: Config, *args: Any, **others: Any) -> None:
        """Begin without requests."""
        super().__init__(config, *args, **others)
        self.conn = SmallRequests(h11.SERVER, MAX_HEAD)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, unless this address has enough connections."""
        super().connection_made(transport)
        transport.set_protocol(Pieces(self))
        host = host_of(self)
        is_limited = not is_loopback(host) and not is_among(host, self.proxies)
        if is_limited and self.open[counted(host)] > MAX_CONNECTIONS:
            transport.abort()
            return
        self._watch()
        most = int((1 - SPARE) * self.files)
        if len(self.connections) > most:
            close_oldest(self.connections, most)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._stop_waiting()

    def data_received(self, data: bytes) -> None:
        """Read what came, and see whether it is enough, or too much."""
        super().data_received(data)
        if self.conn.is_wasteful:
            self.transport.abort()
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request; hang up if something else was answered already."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
            if self.cycle is not None and not self.cycle.response_complete:
                self.cycle.disconnected = True  # or the page would be sent as well
                self.cycle.message_event.set()
        else:
            self.transport.abort()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Go on as a socket; hang up if the request is none for one, as nobody would answer it."""
        self.leave()
        super().handle_websocket_upgrade(event)
        socket = self.transport.get_protocol()
        if isinstance(socket, SocketProtocol):
            self.transport.set_protocol(Pieces(socket))
            if not socket.handshake_initiated:
                self.transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    @property
    def is_full(self) -> bool:
        """Whether no more of a content, or no other request, is read for now."""
        return self.flow.read_paused

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
        has_left = self._own is None
        has_come = self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
        if has_left or has_come or self.transport.is_closing():
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


class SocketProtocol(Connected, WebSocketsSansIOProtocol):
    """A WebSocket of the house."""

    _last_alarm: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **others: Any) -> None:
        """Begin without frames."""
        super().__init__(*args, **others)
        self._frames_left = TokenBucket(FRAMES, FRAMES_A_SECOND)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more for the end."""
        super().connection_lost(exc)
        if self._last_alarm is not None:
            self._last_alarm.cancel()

    def data_received(self, data: bytes) -> None:
        """Read what came; nothing may come between the request and its answer."""
        if self.handshake_initiated and not self.handshake_complete:
            self.transport.abort()
        else:
            super().data_received(data)

    @property
    def is_full(self) -> bool:
        """Whether messages wait for the application."""
        return self.read_paused

    def _takes_frame(self) -> bool:
        """Count a frame that is no message for the application, which counts those itself.

        A connection with too many of them is let go.
        """
        if self.transport.is_closing():
            return False
        if not self._frames_left.take():
            self.transport.abort()
            return False
        return True

    def handle_cont(self, event: Frame) -> None:
        """Take a part of a message."""
        if self._takes_frame():
            super().handle_cont(event)

    def handle_text(self, event: Frame) -> None:
        """Take a message, or the first part of one."""
        if not self.close_sent or self._takes_frame():
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        """Take a message of bytes, or the first part of one."""
        if not self.close_sent or self._takes_frame():
            super().handle_bytes(event)

    def handle_ping(self) -> None:
        """Answer a ping."""
        if self._takes_frame():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Take the answer to a ping."""
        if self._takes_frame():
            super().handle_pong(event)

    def keepalive_timeout(self) -> None:
        """Let go of a page that does not answer; it would not read that it is closed, either."""
        self.pong_timer = None
        self.transport.abort()

    async def run_asgi(self) -> None:
        """Run the application; then the connection has some seconds to go."""
        try:
            await super().run_asgi()
        finally:
            if not self.disconnected:
                self._last_alarm = self.loop.call_later(CLOSE_SECONDS, self.transport.abort)

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


class Ending:
    """The application for the server, which may be cancelled at the end of the house.

    Uvicorn would log a trace of each request and socket that is worked on then, and of the whole
    application after a second Ctrl-C.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; the connection has been closed where it is cancelled."""
        if scope["type"] == "lifespan":
            await self.app(scope, partial(_next_or_end, receive), send)
            return
        with suppress(asyncio.CancelledError):
            await self.app(scope, receive, send)


async def _next_or_end(receive: Receive) -> Message:
    """Return what the server says next; if this task is cancelled, that is the end."""
    try:
        return await receive()
    except asyncio.CancelledError:
        return {"type": "lifespan.shutdown"}


def host_of(connection: Any) -> str:
    """Return the network address at the other end of a connection, also of a socket."""
    return connection.client[0] if connection.client else ""


def close_oldest(connections: Iterable[Any], most: int) -> None:
    """Close those that have waited longest for a request, so that at most so many are open."""
    # Those that were closed a moment ago are still among them.
    held = [one for one in connections if not one.transport.is_closing()]
    waiting = [one for one in held if isinstance(one, HouseProtocol) and one.is_waiting]
    for one in sorted(waiting, key=lambda one: one.waits_until)[: max(0, len(held) - most)]:
        one.give_up()

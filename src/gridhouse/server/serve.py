"""Running the server, and opening a browser where there is a screen."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from contextlib import closing
from typing import TYPE_CHECKING, Any

import uvicorn
from sqlalchemy.exc import SQLAlchemyError

from gridhouse.core import compile_queue
from gridhouse.core.console import EXIT_INTERRUPTED, UsageError
from gridhouse.core.solving import HANGUP
from gridhouse.server import logs, memory, metrics
from gridhouse.server.app import create_app
from gridhouse.server.connections import Ending, HouseProtocol, SocketProtocol, raise_file_limit
from gridhouse.server.network import is_loopback
from gridhouse.server.settings import MAX_MESSAGE, Settings, prepare_folder
from gridhouse.server.storage.store import (
    Store,
    UnusableDatabaseError,
    is_in_memory,
    reason_of,
    serving,
)
from gridhouse.server.storage.store import address_of as database_address

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Receive, Scope, Send

    from gridhouse.server.tables.service import TableService

DEFAULT_PORT = 8017
BACKLOG = 128  # connections that may wait for acceptance
EVERYWHERE = ("0.0.0.0", "::", "")
ELSEWHERE = "192.0.2.1"  # reserved for documentation: no machine has it
SWITCH_SECONDS = 0.001
SHUTDOWN_SECONDS = 3  # seconds that open connections have to close on shutdown


def listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket; without a port at the default one, or else at any free port.

    Raises UsageError.
    """
    for wanted in (DEFAULT_PORT, 0) if port is None else (port,):
        try:
            family = socket.getaddrinfo(host, wanted, type=socket.SOCK_STREAM)[0][0]
            listening = socket.create_server((host, wanted), family=family, backlog=BACKLOG)
            # Connections take it over; asyncio would set it for sockets of its own alone.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, OverflowError) as error:
            problem = getattr(error, "strerror", None) or str(error)
        else:
            return listening
    place = host if port is None else f"{host} port {port}"
    raise UsageError(f"{place}: {problem}")


def address_of(host: str, listening: socket.socket) -> str:
    """Return the address of the server for a browser on this machine."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{listening.getsockname()[1]}/"


def network_origins(host: str, listening: socket.socket) -> list[str]:
    """Return the server's addresses for browsers in the network of this machine.

    There are none if it listens on this machine alone.
    """
    if host not in EVERYWHERE:
        found = [] if is_loopback(host) else [host]
    else:
        found = list(dict.fromkeys(filter(None, [outward_address(), *named_addresses()])))
        found = [address for address in found if not is_loopback(address)]
    port = listening.getsockname()[1]
    return [f"http://{f'[{name}]' if ':' in name else name}:{port}" for name in found]


def outward_address() -> str:
    """Return the address that this machine uses towards others, "" without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((ELSEWHERE, 9))  # of UDP, so nothing is sent
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def named_addresses() -> list[str]:
    """Return the addresses under this machine's own name."""
    try:
        found = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET, socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(where[0]) for *_, where in found]


def has_screen() -> bool:
    """Tell whether there is a screen for a browser."""
    is_desktop = sys.platform in ("darwin", "win32")
    return is_desktop or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def play(
    host: str,
    port: int | None,
    opens: bool,
    tournament: Callable[[str], tuple[str, str] | None] | None = None,
) -> None:
    """Run the server until it is interrupted; raises UsageError.

    ``tournament`` has the pages of a tournament, as in the settings.
    """
    settings = Settings(tournament=tournament)
    for read in (logs.config, compile_queue.mode):  # wrong words are said before the house opens
        read()
    prepare_folder()
    try:
        if is_in_memory(database_address(settings.database)):
            raise UsageError(
                f"{settings.database}: a house needs a file, as a database in memory is lost"
            )
        with serving(settings.database):
            with closing(Store(settings.database)) as store:
                store.prepare()  # what is wrong with it is said before the house opens
            run(settings, host, port, opens)
    except (SQLAlchemyError, ImportError, UnusableDatabaseError) as error:
        reason = reason_of(error)
        raise UsageError(f"the database cannot be used: {reason}") from None


def run(settings: Settings, host: str, port: int | None, opens: bool) -> None:
    """Run a server on its database until it is interrupted; raises UsageError."""
    app = create_app(settings)
    HouseProtocol.proxies = settings.proxies
    listening = listen(host, port)
    app.state.origins = network_origins(host, listening)
    publish(settings.metrics)
    address = address_of(host, listening)
    print(f"The house is open at {address} (Ctrl-C closes it)", flush=True)
    if opens and has_screen():
        threading.Timer(0.5, webbrowser.open, [address]).start()
    try:
        serve(app, listening)
    finally:
        if is_thinking(app):
            os._exit(EXIT_INTERRUPTED)  # Python would wait for compilation, up to a minute


def publish(place: str) -> None:
    """Answer Prometheus at an address and port if one is named; raises UsageError."""
    if not place:
        return
    try:
        metrics.publish(place)
    except (ValueError, OverflowError, OSError) as error:
        reason = getattr(error, "strerror", None) or "it should be like 127.0.0.1:9117"
        raise UsageError(f"GRIDHOUSE_METRICS={place}: {reason}") from None


def is_thinking(app: Starlette) -> bool:
    """Tell whether a search of a closed server still runs."""
    service: TableService | None = getattr(app.state, "service", None)
    return service is not None and bool(service.engines.running or service.daily_puzzles.running)


def serve(app: Starlette, listening: socket.socket) -> None:
    """Run an application on a listening socket; raises UsageError if it cannot start."""
    memory.settle()
    # A thread that works in Python lets the event loop go on after so many seconds.
    sys.setswitchinterval(SWITCH_SECONDS)
    memory.give_back_freed_memory()
    HouseProtocol.files = raise_file_limit()
    if HANGUP is not None and signal.getsignal(HANGUP) is signal.SIG_DFL:
        # The terminal was closed: the house ends as if it had been asked to.
        signal.signal(HANGUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    starting = Starting(app)
    server = uvicorn.Server(config_of(starting))
    try:
        server.run(sockets=[listening])
    except SystemExit:  # so uvicorn ends after a start that failed
        if starting.error is None:
            raise
    if starting.error is not None:
        raise UsageError(f"the house could not be opened: {starting.reason()}")


class Starting:
    """The application for the server; it keeps the error that its start has failed with."""

    def __init__(self, app: Starlette) -> None:
        """Wrap an application."""
        self.app = app
        self.error: Exception | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, but no trace of a start that failed."""
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return
        is_started = False

        async def send_briefly(message: MutableMapping[str, Any]) -> None:
            nonlocal is_started
            is_started = is_started or message["type"] == "lifespan.startup.complete"
            if not is_started:
                logging.getLogger("uvicorn.error").disabled = True  # the process says it as it ends
                message = {"type": message["type"]}
            await send(message)

        try:
            await self.app(scope, receive, send_briefly)
        except Exception as error:
            if not is_started:
                self.error = error
            raise

    def reason(self) -> str:
        """Return why the start has failed, in one line."""
        assert self.error is not None
        text = reason_of(self.error)
        is_known = isinstance(self.error, OSError | SQLAlchemyError | UnusableDatabaseError)
        return text if is_known else f"{type(self.error).__name__}: {text}"


def config_of(app: ASGIApp) -> uvicorn.Config:
    """Return the server's configuration."""
    return uvicorn.Config(
        Ending(app),
        log_config=logs.config(),
        log_level="warning",
        access_log=False,  # addresses hold invitations
        server_header=False,
        http=HouseProtocol,
        proxy_headers=False,  # the application knows whom to believe
        ws=SocketProtocol,
        ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False,  # its buffers would cost each socket 300 KiB
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )

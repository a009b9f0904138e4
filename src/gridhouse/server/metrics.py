"""What Prometheus is told of a house, at a port of its own: `/metrics` is not among its pages.

Each process that serves a house has a port of its own, and Prometheus asks each.
"""

from __future__ import annotations

import ipaddress
import logging
import time
from typing import TYPE_CHECKING, Any

from prometheus_client import Counter, Gauge, Histogram, start_http_server

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from wsgiref.simple_server import WSGIServer

    from starlette.types import ASGIApp, Receive, Scope, Send

SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 30.0)  # of answers
REQUESTS = Histogram(
    "gridhouse_request_seconds",
    "Requests by the address that was asked for, and the time until their answers",
    ["method", "route", "status"],
    buckets=SECONDS,
)
SOCKETS = Gauge("gridhouse_sockets", "Open sockets")
TABLES = Gauge("gridhouse_tables", "Tables in memory")
MOVES = Counter("gridhouse_moves", "Moves that were made, those of the machine included")
WANTED = Gauge("gridhouse_searches_wanted", "Searches of the machine that wait or run")
RUNNING = Gauge("gridhouse_searches_running", "Searches of the machine that run")
WAITS = Histogram("gridhouse_search_wait_seconds", "The wait of a search for a thread")
SEARCHES = Histogram("gridhouse_search_seconds", "The time of a search")
ERRORS = Counter("gridhouse_errors", "Errors in the log", ["logger"])
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")  # anybody may send any other word
ELSEWHERE = "(none)"  # the route of an address that the house does not have


class Measure:
    """Middleware that measures every request, and counts open sockets."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and note how it was answered."""
        if scope["type"] == "websocket":
            with SOCKETS.track_inprogress():
                await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._measured(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _measured(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()

        async def send_and_note(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                taken = time.perf_counter() - began
                method = scope["method"] if scope["method"] in METHODS else ELSEWHERE
                REQUESTS.labels(method, route_of(scope), message["status"]).observe(taken)
            await send(message)

        await self.app(scope, receive, send_and_note)


def route_of(scope: Scope) -> str:
    """Return the template of a request's address, so that tables do not count one by one."""
    path = getattr(scope.get("route"), "path", None)
    if path is None:
        return ELSEWHERE
    above = scope.get("root_path", "")
    return path if path.startswith(above) else f"{above}{path}"


class ErrorCounter(logging.Handler):
    """Counts the errors in the log."""

    def __init__(self) -> None:
        """Count errors alone, not warnings."""
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        """Count an error."""
        ERRORS.labels(record.name).inc()


ERROR_COUNTER = ErrorCounter()


def publish(place: str) -> WSGIServer:
    """Answer at an address and a port (127.0.0.1:9117), or at a port of this machine alone.

    Returns the server, which a thread runs.  Raises ValueError or OSError.
    """
    address, _, port = place.rpartition(":")
    host = ipaddress.ip_address(address.strip("[]") or "127.0.0.1")
    server, _ = start_http_server(int(port), str(host))
    return server

"""The house as a web application: its addresses, and what holds for all of its answers."""

from __future__ import annotations

import math
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount, Route, WebSocketRoute

from gridhouse.web import assets, daily, lobby, pages, sockets
from gridhouse.web.api import create_api
from gridhouse.web.api.access import Pace, Visits
from gridhouse.web.house import House
from gridhouse.web.seats import Doorkeeper
from gridhouse.web.settings import MOST_TABLES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, MutableMapping
    from typing import Any

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from gridhouse.web.settings import Settings

HOUR = 3600.0
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A picture that is opened by itself brings its style along, and nothing else.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Manners:
    """Puts the headers that keep a page to itself on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, and the answer back with its headers."""

        async def send_politely(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = message.setdefault("headers", [])
                is_picture = (b"content-type", pages.SVG.encode()) in given
                policy = PICTURE_POLICY if is_picture else POLICY
                kept = {"content-security-policy": policy, **HEADERS}
                given.extend((name.encode(), value.encode()) for name, value in kept.items())
            await send(message)

        await self.app(scope, receive, send_politely if scope["type"] == "http" else send)


class Newcomers:
    """How many tables, or other things, each address has opened lately."""

    def __init__(self, what: str) -> None:
        """Begin with nobody; ``what`` is what they open, in words."""
        self._what = what
        self._times: dict[str, list[float]] = {}

    def need_room(self, request: Request) -> None:
        """Note another one; raises HTTPException if an address has opened too many."""
        now = time.monotonic()
        address = request.client.host if request.client else ""
        lately = [then for then in self._times.get(address, []) if now - then < HOUR]
        if len(lately) >= MOST_TABLES:
            minutes = math.ceil((lately[0] + HOUR - now) / 60)
            raise HTTPException(
                429,
                f"These are {MOST_TABLES} {self._what} in an hour: the next one may come in "
                f"{minutes} minute{'s' if minutes > 1 else ''}.",
            )
        self._times[address] = [*lately, now]
        for known in [name for name, times in self._times.items() if now - times[-1] >= HOUR]:
            del self._times[known]


async def refuse(request: Request, error: Exception) -> Response:
    """Say on a page what went wrong."""
    status, text = pages.trouble(error)
    return pages.page(request, "error", status=status, text=text, code=status)


def create_app(settings: Settings) -> Starlette:
    """Return the house as an application; it opens when the server starts it."""

    @asynccontextmanager
    async def opened(app: Starlette) -> AsyncIterator[None]:
        house = House(settings)
        app.state.house = house
        app.state.keeper = Doorkeeper(house.store.secret())
        yield
        await house.close()

    api = create_api()
    app = Starlette(
        routes=[
            Route("/", pages.home),
            Route("/lobby", lobby.lobby),
            Route("/rules/{game}", pages.rules),
            Route("/new/{game}", pages.new, methods=["GET"]),
            Route("/new/{game}", pages.create, methods=["POST"]),
            Route("/t/{table}", pages.table),
            Route("/t/{table}/picture.svg", pages.saved_picture),
            Route("/t/{table}/position.txt", pages.saved_record),
            Route("/t/{table}/record.txt", pages.saved_record),
            Route("/t/{table}/join/{invitation}", pages.invitation, methods=["GET"]),
            Route("/t/{table}/join/{invitation}", pages.join, methods=["POST"]),
            *daily.ROUTES,
            Mount("/api", api),
            WebSocketRoute("/t/{table}/socket", sockets.serve_table),
            Route("/static/style.css", assets.style),
            Mount("/static", assets.Modules(directory=pages.HERE / "static")),
        ],
        middleware=[Middleware(Manners), Middleware(GZipMiddleware)],
        exception_handlers={HTTPException: refuse, 500: refuse},
        lifespan=opened,
    )
    api.state = app.state  # the house, who keeps its door, and who has asked for what
    app.state.pace = Pace(settings.burst, settings.rate)
    app.state.visits = Visits()
    app.state.newcomers = Newcomers("new games")
    app.state.namers = Newcomers("new names")
    return app

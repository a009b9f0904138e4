"""The web application: its routes, and the headers and errors of all responses."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.datastructures import URL
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from gridhouse.server import auth, budgets, clock, languages, metrics
from gridhouse.server.api import create_api
from gridhouse.server.api.access import RateLimiter, Visits
from gridhouse.server.api.app import problem
from gridhouse.server.budgets import Budgets
from gridhouse.server.evenings.service import EveningService
from gridhouse.server.fair_pool import caller, place
from gridhouse.server.network import address_of, is_exempt, is_loopback
from gridhouse.server.pages import (
    assets,
    daily,
    evenings,
    health,
    learn,
    lobby,
    me,
    mine,
    review,
    tournament,
    views,
)
from gridhouse.server.settings import (
    MAX_IMPORTS,
    MAX_NEW_EVENINGS,
    MAX_OPEN,
    MAX_PLAYERS,
    MAX_TABLES,
)
from gridhouse.server.tables import sockets
from gridhouse.server.tables.commands import RefusedError
from gridhouse.server.tables.service import TableService
from gridhouse.server.upkeep import Keeper, Refusals, Refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping, Sequence
    from typing import Any

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from gridhouse.server.settings import Settings
    from gridhouse.server.tables.table import TableOptions

HOUR = 3600.0
MAX_COOKIES = 100  # of the houses on one host
TOO_MANY = "Too many requests: try again in a moment."
COMPRESSION = 6  # zlib's usual level: the last percents of the highest one cost most of its time
IN_A_THREAD = 8 * 1024  # bytes from which on an answer is compressed in a thread
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# A picture that is opened by itself contains its style and needs nothing else.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
# Nobody can write anything into the documentation, and its generator writes scripts into pages.
DOCS_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class OnlyHttps:
    """Middleware of a house that browsers reach by HTTPS alone, whatever a proxy says."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on as one by HTTPS."""
        if scope["type"] != "lifespan":
            scope["scheme"] = "https" if scope["type"] == "http" else "wss"
        await self.app(scope, receive, send)


class OwnCookies:
    """Middleware that passes on no cookies but those of houses.

    Those of whatever else runs on this host are not read.  Nor is one with a backslash, which no
    house has: Python 3.11.7 takes quadratic time for them.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "lifespan":
            scope["headers"] = [
                (name, own_cookies(value) if name == b"cookie" else value)
                for name, value in scope["headers"]
            ]
        await self.app(scope, receive, send)


def own_cookies(header: bytes) -> bytes:
    """Return what a header has of the cookies of houses."""
    names = (auth.COOKIE.encode(), languages.COOKIE.encode())
    sent = (part.strip() for part in header.split(b";"))
    own = [part for part in sent if part.startswith(names) and b"\\" not in part]
    return b"; ".join(own[:MAX_COOKIES])


class SecurityHeaders:
    """Middleware that adds the security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the response."""

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = message.setdefault("headers", [])
                is_picture = (b"content-type", views.SVG.encode()) in given
                is_docs = scope["path"].startswith("/docs/")
                policy = PICTURE_POLICY if is_picture else DOCS_POLICY if is_docs else POLICY
                kept = {"content-security-policy": policy, **HEADERS}
                # Elsewhere browsers pass it over, and complain on their console.
                url = URL(scope=scope)
                if url.scheme == "https" or is_loopback(url.hostname or ""):
                    kept["cross-origin-opener-policy"] = "same-origin"
                given.extend((name.encode(), value.encode()) for name, value in kept.items())
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class Budget:
    """Middleware that refuses what a visitor or a network address asks for beyond its budget.

    It also notes who asks, so that threads can serve them in turn.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        state, address = connection.app.state, address_of(connection)
        visitor = state.auth.visitor(connection)
        caller.set(visitor or address)
        place.set("" if state.budgets.is_free(address) else address)
        # What a request asks for goes on when its connection is closed.
        with state.budgets.opened(scope["type"], visitor, address) as is_free:
            if is_free and scope["type"] == "websocket":
                await asyncio.sleep(state.budgets.reserve(visitor, address))
                await self.app(scope, receive, send)
            elif is_free and state.budgets.take(visitor, address):
                await asyncio.sleep(state.budgets.pace(address))
                await self.app(scope, receive, send)
            else:
                await refuse_for_now(scope, receive, send)  # it counts as open until then


async def refuse_for_now(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer that there were too many requests, in the form of the API or as plain text."""
    is_api = scope["path"].startswith("/api/")
    later = {"retry-after": "1", "connection": "close"}
    answer = problem(429, TOO_MANY, later) if is_api else PlainTextResponse(TOO_MANY, 429, later)
    await budgets.refuse(answer, scope, receive, send, sockets.TRY_AGAIN_LATER)


class KnownHosts:
    """Middleware that refuses requests for other hosts than those of the house.

    Whoever asks on this machine whether the house is well need not know its name.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        """Wrap an application."""
        self.app = app
        self._check = TrustedHostMiddleware(self._note_known, hosts, www_redirect=False)

    async def _note_known(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note that the host of a request is one of the house."""
        scope["is_known"] = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on or refuse it; a socket is closed, as an answer would be logged."""

        async def drop(message: MutableMapping[str, Any]) -> None:
            """Drop the answer of the check, which would be sent at once."""

        if scope["type"] == "lifespan" or scope["path"] in health.PATHS:
            await self.app(scope, receive, send)
            return
        await self._check(scope, receive, drop)
        if scope.pop("is_known", False):
            await self.app(scope, receive, send)
        else:
            answer = PlainTextResponse("Invalid host header", 400, {"connection": "close"})
            await budgets.refuse(answer, scope, receive, send)


class HourlyLimit:
    """A limit on the creations of each network address in an hour, MAX_TABLES without ``most``.

    This machine itself has no limit, unless it may be a proxy through which everybody comes.
    """

    def __init__(self, what: str, settings: Settings, most: int | None = None) -> None:
        """Start without creations; ``what`` names their kind in the message."""
        self._what = what
        self._most = most
        self._proxies = settings.proxies
        self._times: dict[str, list[float]] = {}

    def count(self, request: Request) -> None:
        """Count a creation; raises HTTPException if its address has reached the limit."""
        now = time.monotonic()
        most = self._most or MAX_TABLES
        address = address_of(request)
        if is_exempt(address, self._proxies):
            return
        lately = [then for then in self._times.get(address, []) if now - then < HOUR]
        if len(lately) >= most:
            minutes = math.ceil((lately[0] + HOUR - now) / 60)
            raise HTTPException(
                429,
                f"Only {most} {self._what} are allowed in an hour; try again in "
                f"{minutes} minute{'s' if minutes > 1 else ''}.",
            )
        self._times[address] = [*lately, now]
        for known in [name for name, times in self._times.items() if now - times[-1] >= HOUR]:
            del self._times[known]


class Listings:
    """The tables that each network address has put in the lobby, so that none can fill it.

    They are forgotten when the house is closed; those of a visitor are in the database as well.
    """

    def __init__(self) -> None:
        """Start without tables."""
        self._tables: dict[str, dict[str, int]] = {}  # of each address, with their times
        self._lock = asyncio.Lock()

    async def create(self, request: Request, options: TableOptions, visitor: str) -> str:
        """Create a visitor's table, and return its name."""
        create = partial(views.services(request).service.create, options, visitor)
        return await (self.add(request, visitor, create) if options.listed else create())

    async def add(
        self, request: Request, visitor: str, create: Callable[[], Awaitable[str]]
    ) -> str:
        """Create a table for the lobby, and return its name.

        If the visitor or the address has enough tables there, their oldest ones leave it.
        """
        store = views.services(request).service.store
        address, since = address_of(request), clock.dated() - lobby.LATELY
        async with self._lock:
            self._forget(since)
            name = await create()
            known = self._tables.setdefault(address, {})
            known[name] = clock.dated()
            await asyncio.to_thread(store.unlist_oldest, visitor, list(known), MAX_OPEN)
        return name

    def _forget(self, since: int) -> None:
        """Forget the tables from before a time."""
        for address, tables in list(self._tables.items()):
            self._tables[address] = {name: at for name, at in tables.items() if at >= since}
            if not self._tables[address]:
                del self._tables[address]


async def refuse(request: Request, error: Exception) -> Response:
    """Return the page that reports an error."""
    status, text = views.status_and_text(error)
    return await views.page(request, "error", status=status, text=text, code=status)


def middleware_of(settings: Settings, refused: Refused) -> list[Middleware]:
    """Return what every request passes, the outermost first."""
    found = []
    if settings.proxies:
        found.append(Middleware(ProxyHeadersMiddleware, trusted_hosts=[*settings.proxies]))
    if settings.is_secure:
        found.append(Middleware(OnlyHttps))
    found += [
        Middleware(OwnCookies),
        Middleware(metrics.Measure),
        Middleware(Refusals, refused=refused),
        Middleware(languages.Languages),
        Middleware(SecurityHeaders),
    ]
    if settings.hosts:
        found.append(Middleware(KnownHosts, hosts=settings.hosts))
    compress = Middleware(
        GZipMiddleware, compresslevel=COMPRESSION, thread_minimum_size=IN_A_THREAD
    )
    return [*found, Middleware(Budget), compress]


def create_app(settings: Settings) -> Starlette:
    """Return the application; its services start with the server."""
    refused = Refused()

    @asynccontextmanager
    async def opened(app: Starlette) -> AsyncIterator[None]:
        service = TableService(settings)
        app.state.service = service
        app.state.evenings = EveningService(service)
        app.state.renew(service.store.secret())
        keeper = Keeper(service, refused, app.state.renew)
        logging.getLogger().addHandler(metrics.ERROR_COUNTER)
        yield
        keeper.close()
        await service.close()

    api = create_api()
    docs = (
        [Mount("/docs", StaticFiles(directory=assets.DOCS, html=True))] if assets.has_docs() else []
    )
    app = Starlette(
        routes=[
            Route("/", views.home),
            Route("/lobby", lobby.lobby),
            Route("/design", views.design),
            Route("/offline", views.offline),
            Route("/worker.js", assets.worker),
            Route("/language", views.choose_language, methods=["POST"]),
            Route("/rules/{game}", views.rules),
            Route("/new/{game}", views.new, methods=["GET"]),
            Route("/new/{game}", views.create, methods=["POST"]),
            Route("/new/{game}/arrange", views.arrange),
            Route("/t/{table}", views.table),
            Route("/t/{table}/rematch", views.up, methods=["GET"]),
            Route("/t/{table}/rematch", views.rematch, methods=["POST"]),
            Route("/t/{table}/picture.svg", views.saved_picture),
            Route("/t/{table}/position.txt", views.saved_record),
            Route("/t/{table}/record.txt", views.saved_record),
            Route("/t/{table}/join/{invitation}", views.invitation, methods=["GET"]),
            Route("/t/{table}/join/{invitation}", views.join, methods=["POST"]),
            *review.ROUTES,
            *daily.ROUTES,
            *mine.ROUTES,
            *me.ROUTES,
            *evenings.ROUTES,
            *learn.ROUTES,
            *health.ROUTES,
            *tournament.ROUTES,
            Mount("/api", api),
            WebSocketRoute("/t/{table}/socket", sockets.serve_table),
            Route("/static/style.css", assets.style),
            *docs,
            Mount("/static", assets.Files(directory=assets.STATIC)),
        ],
        middleware=middleware_of(settings, refused),
        exception_handlers={
            HTTPException: refuse,
            RefusedError: refuse,
            SQLAlchemyError: refuse,
            500: refuse,
        },
        lifespan=opened,
    )

    def renew(secret: str) -> None:
        app.state.auth = auth.Auth(secret)

    app.state.renew = renew
    api.state = app.state  # services, auth, and rate limits
    app.state.pace = RateLimiter(settings.burst, settings.rate)
    app.state.budgets = Budgets(settings)
    app.state.visits = Visits()
    app.state.new_tables = HourlyLimit("new games", settings)
    app.state.new_names = HourlyLimit("new names", settings)
    app.state.new_imports = HourlyLimit("files of games", settings, MAX_IMPORTS)
    app.state.new_evenings = HourlyLimit("new evenings", settings, MAX_NEW_EVENINGS)
    # A whole school may come from one address.
    app.state.new_players = HourlyLimit("new players", settings, MAX_PLAYERS)
    app.state.listings = Listings()
    app.state.exports = WeakValueDictionary()  # files of games that are being written, by visitor
    app.state.origins = None  # addresses in this machine's network: known once it listens there
    return app

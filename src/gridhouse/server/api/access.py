"""Access to the API: the caller of a request, rate limits, and the requested table."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Path, Query, Request
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from gridhouse.server.api.schemas import FAR
from gridhouse.server.auth import bearer, is_own_origin
from gridhouse.server.budgets import Buckets
from gridhouse.server.network import address_of
from gridhouse.server.pages.views import requested_table, services
from gridhouse.server.tables.table import MACHINE
from gridhouse.server.tables.visibility import Viewpoint, viewpoint_of

if TYPE_CHECKING:
    from gridhouse.server.auth import Auth
    from gridhouse.server.tables.live_table import LiveTable
    from gridhouse.server.tables.service import TableService

LINGER = 15.0  # seconds after its last request for which a program counts as a viewer
SAFE = ("GET", "HEAD")
TOKEN = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="The token that you got when you created a table or took a seat.",
)


class RateLimiter:
    """A rate limit for each caller."""

    def __init__(self, burst: float, rate: float) -> None:
        """Allow each caller ``burst`` requests at once, and ``rate`` a second in the long run."""
        self._buckets = Buckets(burst, rate)

    def count(self, caller: str) -> None:
        """Count a request; raises HTTPException if its caller is over the limit."""
        if not self._buckets.of(caller).take():
            text = f"Too many requests: send at most {self._buckets.rate:g} a second."
            raise HTTPException(429, text, {"retry-after": "1"})


class Visit:
    """A program that recently sent a request for a table."""

    def __init__(self) -> None:
        """Start a visit without an end."""
        self.end: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        """Ignore a change of the table: the program will ask for it."""


class Visits:
    """The visits at tables against the machine, which thinks only while there is a viewer."""

    def __init__(self) -> None:
        """Start without visits."""
        self._visits: dict[tuple[str, str], Visit] = {}

    def stay(self, service: TableService, live: LiveTable, visitor: str, address: str) -> None:
        """Count a visitor as a viewer of a table for some seconds."""
        key = live.table.id, visitor
        visit = self._visits.setdefault(key, Visit())
        if visit.end is not None:
            visit.end.cancel()

        def leave() -> None:
            del self._visits[key]
            service.unsubscribe(live, visit)

        visit.end = asyncio.get_running_loop().call_later(LINGER, leave)
        service.subscribe(live, visit, address)


async def caller(request: Request, given: Annotated[Any, Depends(TOKEN)]) -> str | None:
    """Return the visitor of a request, None without a token; raises HTTPException."""
    del given  # the header is read below, so that a wrong token is refused
    auth = services(request).auth
    visitor = auth.visitor(request)
    address = address_of(request)
    request.app.state.pace.count(visitor or address)
    is_unknown = visitor is None and "authorization" in request.headers
    if is_unknown or auth.has_false_token(request):
        raise unknown("The house does not know this token.")
    if bearer(request.headers) is None and request.method not in SAFE:
        is_browser = visitor is not None and "origin" not in request.headers
        if is_browser or not is_own_origin(request):
            raise HTTPException(
                403,
                "The request does not come from a page of this house: send a token, not a cookie.",
            )
    return visitor


def unknown(text: str) -> HTTPException:
    """Return the response to a caller who has to send a token."""
    return HTTPException(401, text, {"www-authenticate": "Bearer"})


@dataclass
class RequestContext:
    """A request for a table.

    ``revealed_player`` is the viewer at a screen for two, and ``since`` the number of moves that
    the caller knows.
    """

    service: TableService
    auth: Auth
    live: LiveTable
    visitor: str | None
    revealed_player: int | None
    since: int = 0

    @property
    def seats(self) -> list[int]:
        """The players that the visitor plays."""
        return self.live.table.seats_of(self.visitor)

    @property
    def viewpoint(self) -> Viewpoint:
        """The viewpoint of the visitor."""
        return viewpoint_of(self.live.table, self.visitor, self.revealed_player)


async def context_of(
    request: Request,
    visitor: Annotated[str | None, Depends(caller)],
    table: Annotated[str, Path(description="The table's name.")],
    player: Annotated[
        int | None,
        Query(
            ge=0,
            le=FAR,
            description="The player whose view you want, if you play both sides.",
        ),
    ] = None,
    since: Annotated[
        int,
        Query(ge=0, le=FAR, description="How many moves you know: `moves` has only later ones."),
    ] = 0,
) -> RequestContext:
    """Return the context of a request for a table; raises HTTPException."""
    del table  # requested_table reads it
    service, auth = services(request)
    context = RequestContext(service, auth, await requested_table(request), visitor, player, since)
    if player is not None and player not in context.seats:
        raise HTTPException(403, "You do not play that player.")
    if visitor is not None and context.seats and context.live.table.opponent == MACHINE:
        stay = request.app.state.visits.stay
        stay(service, context.live, visitor, address_of(request))
    return context


async def playing(context: Annotated[RequestContext, Depends(context_of)]) -> RequestContext:
    """Return the context of a player's request; raises HTTPException for other visitors."""
    if context.visitor is None:
        raise unknown("Identify yourself: send the token that you got with your seat.")
    if not context.seats:
        raise HTTPException(403, "You are watching this game, not playing it.")
    return context


Caller = Annotated[str | None, Depends(caller)]
Context = Annotated[RequestContext, Depends(context_of)]
SeatedContext = Annotated[RequestContext, Depends(playing)]

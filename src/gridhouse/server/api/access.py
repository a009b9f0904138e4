"""Who asks, how often they may, and which table they look at."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Path, Query, Request
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from gridhouse.server.api.schemas import FAR
from gridhouse.server.auth import bearer, is_own_origin
from gridhouse.server.pages.views import services, wanted_table
from gridhouse.server.tables.sockets import TokenBucket
from gridhouse.server.tables.table import MACHINE
from gridhouse.server.tables.visibility import Viewpoint, viewpoint_of

if TYPE_CHECKING:
    from gridhouse.server.auth import Auth
    from gridhouse.server.tables.service import LiveTable, TableService

MOST_CALLERS = 10_000  # of whom it is known how much they have asked lately
LINGER = 15.0  # seconds for which a program counts as one that looks on, once it has asked
SAFE = ("GET", "HEAD")
TOKEN = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="What was given out when you founded a table or took a seat.",
)


class RateLimiter:
    """How much each caller has asked lately."""

    def __init__(self, burst: float, rate: float) -> None:
        """Let everybody ask for so much at once, and so much a second in the long run."""
        self._limits = burst, rate
        self._callers: OrderedDict[str, TokenBucket] = OrderedDict()

    def need_room(self, caller: str) -> None:
        """Note that somebody asks; raises HTTPException if it is too much."""
        allowance = self._callers.pop(caller, None) or TokenBucket(*self._limits)
        self._callers[caller] = allowance
        if len(self._callers) > MOST_CALLERS:
            self._callers.popitem(last=False)
        if not allowance.take():
            text = f"That was too much at once: ask at most {self._limits[1]:g} times a second."
            raise HTTPException(429, text, {"retry-after": "1"})


class Visit:
    """A program that has asked for something at a table lately."""

    def __init__(self) -> None:
        """Begin with nothing that ends it."""
        self.end: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        """Hear that the table has changed: the program will ask."""


class Visits:
    """Programs at tables with the machine, which thinks only while somebody looks on."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._visits: dict[tuple[str, str], Visit] = {}

    def stay(self, service: TableService, live: LiveTable, visitor: str) -> None:
        """Let a visitor look on for a while from now."""
        key = live.table.id, visitor
        visit = self._visits.setdefault(key, Visit())
        if visit.end is not None:
            visit.end.cancel()

        def leave() -> None:
            del self._visits[key]
            service.unsubscribe(live, visit)

        visit.end = asyncio.get_running_loop().call_later(LINGER, leave)
        service.subscribe(live, visit)


async def caller(request: Request, given: Annotated[Any, Depends(TOKEN)]) -> str | None:
    """Return the visitor who asks, None for one without a token; raises HTTPException."""
    del given  # it is read below, so that what is no token of ours is refused
    auth = services(request).auth
    sent = bearer(request.headers)
    visitor = auth.authenticate(request.headers, request.cookies)
    address = request.client.host if request.client else ""
    request.app.state.pace.need_room(visitor or address)
    if sent is not None and visitor is None:
        raise unknown("The house does not know this token.")
    if sent is None and request.method not in SAFE:
        is_browser = visitor is not None and "origin" not in request.headers
        if is_browser or not is_own_origin(request.headers):
            raise HTTPException(
                403, "This does not come from a page of this house: send a token, not a cookie."
            )
    return visitor


def unknown(text: str) -> HTTPException:
    """Return the answer to who has to say first who it is."""
    return HTTPException(401, text, {"www-authenticate": "Bearer"})


@dataclass
class RequestContext:
    """A request for a table; ``revealed_player`` looks at a screen for two."""

    service: TableService
    auth: Auth
    live: LiveTable
    visitor: str | None
    revealed_player: int | None

    @property
    def seats(self) -> list[int]:
        """The players whom they play."""
        return self.live.table.seats_of(self.visitor)

    @property
    def viewpoint(self) -> Viewpoint:
        """How they look at the table."""
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
            description="If you play both sides of a game with secrets: the one who looks.",
        ),
    ] = None,
) -> RequestContext:
    """Return who looks at which table; raises HTTPException."""
    del table  # wanted_table reads it
    service, auth = services(request)
    context = RequestContext(service, auth, await wanted_table(request), visitor, player)
    if player is not None and player not in context.seats:
        raise HTTPException(403, "You do not play that player.")
    if visitor is not None and context.seats and context.live.table.opponent == MACHINE:
        request.app.state.visits.stay(service, context.live, visitor)
    return context


async def playing(context: Annotated[RequestContext, Depends(context_of)]) -> RequestContext:
    """Return who plays at which table; raises HTTPException for who only watches."""
    if context.visitor is None:
        raise unknown("Say who you are: send the token that you got with your seat.")
    if not context.seats:
        raise HTTPException(403, "You watch this game; you do not play it.")
    return context


Caller = Annotated[str | None, Depends(caller)]
Context = Annotated[RequestContext, Depends(context_of)]
SeatedContext = Annotated[RequestContext, Depends(playing)]

"""Who asks, how often they may, and which table they look at."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Path, Query, Request
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from gridhouse.web.api.schemas import FAR
from gridhouse.web.pages import door, wanted_table
from gridhouse.web.seats import bearer, is_own_origin
from gridhouse.web.sight import Sight, sight_of
from gridhouse.web.sockets import Allowance
from gridhouse.web.table import MACHINE

if TYPE_CHECKING:
    from gridhouse.web.house import House, Live
    from gridhouse.web.seats import Doorkeeper

MOST_CALLERS = 10_000  # of whom it is known how much they have asked lately
LINGER = 15.0  # seconds for which a program counts as one that looks on, once it has asked
SAFE = ("GET", "HEAD")
TOKEN = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="What was given out when you founded a table or took a seat.",
)


class Pace:
    """How much each caller has asked lately."""

    def __init__(self, burst: float, rate: float) -> None:
        """Let everybody ask for so much at once, and so much a second in the long run."""
        self._limits = burst, rate
        self._callers: OrderedDict[str, Allowance] = OrderedDict()

    def need_room(self, caller: str) -> None:
        """Note that somebody asks; raises HTTPException if it is too much."""
        allowance = self._callers.pop(caller, None) or Allowance(*self._limits)
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

    def stay(self, house: House, live: Live, visitor: str) -> None:
        """Let a visitor look on for a while from now."""
        key = live.table.id, visitor
        visit = self._visits.setdefault(key, Visit())
        if visit.end is not None:
            visit.end.cancel()

        def leave() -> None:
            del self._visits[key]
            house.leave(live, visit)

        visit.end = asyncio.get_running_loop().call_later(LINGER, leave)
        house.enter(live, visit)


async def caller(request: Request, given: Annotated[Any, Depends(TOKEN)]) -> str | None:
    """Return the visitor who asks, None for one without a token; raises HTTPException."""
    del given  # it is read below, so that what is no token of ours is refused
    keeper = door(request).keeper
    sent = bearer(request.headers)
    visitor = keeper.who(request.headers, request.cookies)
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
class Looker:
    """Somebody who looks at a table; ``eyes`` is the player who looks at a screen for two."""

    house: House
    keeper: Doorkeeper
    live: Live
    visitor: str | None
    eyes: int | None

    @property
    def seats(self) -> list[int]:
        """The players whom they play."""
        return self.live.table.seats_of(self.visitor)

    @property
    def sight(self) -> Sight:
        """How they look at the table."""
        return sight_of(self.live.table, self.visitor, self.eyes)


async def looking(
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
) -> Looker:
    """Return who looks at which table; raises HTTPException."""
    del table  # wanted_table reads it
    house, keeper = door(request)
    looker = Looker(house, keeper, await wanted_table(request), visitor, player)
    if player is not None and player not in looker.seats:
        raise HTTPException(403, "You do not play that player.")
    if visitor is not None and looker.seats and looker.live.table.opponent == MACHINE:
        request.app.state.visits.stay(house, looker.live, visitor)
    return looker


async def playing(looker: Annotated[Looker, Depends(looking)]) -> Looker:
    """Return who plays at which table; raises HTTPException for who only watches."""
    if looker.visitor is None:
        raise unknown("Say who you are: send the token that you got with your seat.")
    if not looker.seats:
        raise HTTPException(403, "You watch this game; you do not play it.")
    return looker


Caller = Annotated[str | None, Depends(caller)]
Looking = Annotated[Looker, Depends(looking)]
Playing = Annotated[Looker, Depends(playing)]

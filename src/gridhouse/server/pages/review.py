"""The pages of a finished game's review: the page, its data, past positions, and tries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Route

from gridhouse.core.errors import MoveError
from gridhouse.core.notation import parse_integer
from gridhouse.server.network import address_of
from gridhouse.server.pages.views import (
    OWN_FILE,
    page,
    requested_table,
    sentence,
    services,
    work,
)
from gridhouse.server.tables.commands import OVER, RefusedError
from gridhouse.server.tables.translating import in_language
from gridhouse.server.tables.visibility import Snapshot, help_refusal, viewpoint_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from gridhouse.server.tables.live_table import LiveTable
    from gridhouse.server.tables.messages import Past
    from gridhouse.server.tables.review import GameReview
    from gridhouse.server.tables.visibility import Viewpoint


async def finished_table(request: Request) -> LiveTable:
    """Return the table of an address; raises HTTPException while its game goes on."""
    live = await requested_table(request)
    if not live.table.over:
        raise HTTPException(409, f"A review begins once {OVER}.")
    if reason := help_refusal(live.table):
        raise HTTPException(403, sentence(reason))
    return live


def visitor_of(request: Request) -> str:
    """Return who asks: a visitor, or without a cookie a network address."""
    return services(request).auth.visitor(request) or address_of(request)


def review_of(request: Request, live: LiveTable) -> GameReview:
    """Return the review of a finished game, which goes on while it is asked for."""
    visitor = visitor_of(request)
    request.app.state.pace.count(visitor)
    return services(request).service.reviews.of(live.table, visitor)


def viewpoint(request: Request, live: LiveTable) -> Viewpoint:
    """Return the viewpoint of a visitor after the game, when everything is visible."""
    return viewpoint_of(live.table, services(request).auth.visitor(request), None)


def own_json(said: object, status: int = 200) -> Response:
    """Return what is said to a visitor, in the language of the request."""
    return JSONResponse(in_language(said), status, headers=OWN_FILE)


async def review(request: Request) -> Response:
    """Show the page of a review."""
    live = await finished_table(request)
    table = live.table
    board = await work(request, live.snapshot.picture, viewpoint(request, live))
    return await page(request, "review", table=table, game=table.state.game, board=board)


async def review_data(request: Request) -> Response:
    """Return what is known so far."""
    live = await finished_table(request)
    found = review_of(request, live)
    seats = live.table.seats_of(services(request).auth.visitor(request))
    return await work(request, lambda: own_json(found.report(seats)))


def number(request: Request, name: str, most: int) -> int:
    """Return a number of the query; raises HTTPException for anything else."""
    found = parse_integer(request.query_params.get(name, ""))
    if found is None or not 0 <= found <= most:
        raise HTTPException(422, f"{name}: must be a number from 0 to {most}.")
    return found


async def past(request: Request) -> Response:
    """Return a position of the game with its legal moves."""
    live = await finished_table(request)
    request.app.state.pace.count(visitor_of(request))
    ply = number(request, "ply", len(live.table.plies))
    seen_from = viewpoint(request, live)
    return await work(request, lambda: own_json(position(live, ply, seen_from)))


def position(live: LiveTable, ply: int, seen_from: Viewpoint) -> Past:
    """Return the position after so many moves of a finished game."""
    snapshot = Snapshot(live.table, ply)
    picture = snapshot.picture(seen_from)
    return {
        "type": "past",
        "board": picture or snapshot.state.board(),
        "drawn": bool(picture),
        "side": seen_from.side,
        "last": snapshot.last(seen_from),
        "gestures": snapshot.gestures(),
        "acts": False,
        "comment": snapshot.comment(seen_from),
    }


async def attempt(request: Request) -> Response:
    """Judge a move that somebody tries instead of one of the game."""
    live = await finished_table(request)
    found = review_of(request, live)
    ply = number(request, "ply", len(live.table.plies))
    move = request.query_params.get("move", "")
    engines = services(request).service.engines
    try:
        answer = await found.attempt(engines, visitor_of(request), ply, move)
        return own_json(answer)
    except MoveError as error:
        return own_json({"right": False, "text": sentence(error.reason)}, 422)
    except RefusedError as error:
        return own_json({"right": False, "text": sentence(error)}, 409)


ROUTES = [
    Route("/t/{table}/review", review),
    Route("/t/{table}/review.json", review_data),
    Route("/t/{table}/past.json", past),
    Route("/t/{table}/try.json", attempt),
]

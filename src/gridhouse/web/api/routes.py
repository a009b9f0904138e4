"""What programs may ask for."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from gridhouse.core.errors import PictureError, UnknownGameError
from gridhouse.core.registry import game_class, games, parse_game
from gridhouse.web import lobby, pages
from gridhouse.web.acting import ANSWER, RESIGN, act, need_turn
from gridhouse.web.api import telling
from gridhouse.web.api.access import Caller, Looker, Looking, Playing
from gridhouse.web.api.schemas import (
    FAR,
    Answer,
    GameInfo,
    Invitation,
    Joined,
    Listed,
    Move,
    NewTable,
    Problem,
    TableState,
)
from gridhouse.web.forms import OWN, Order, read_order
from gridhouse.web.settings import MOST_GUESTS, MOST_WAIT
from gridhouse.web.table import REDO, UNDO

WHY = {
    400: "What was sent is not JSON.",
    401: "It is not known who asks.",
    403: "Who asks may not do this.",
    404: "There is nothing of this name.",
    409: "The table does not allow this now.",
    413: "What was sent is too long.",
    415: "What was sent does not say that it is JSON.",
    422: "What was sent is wrong; a move may be against the rules.",
    429: "That was too much at once.",
}
ANYBODY: dict[str, Any] = {"security": [{}]}  # besides those who send their token
BODY = (400, 413, 415, 422)


def answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what an OpenAPI document says of errors."""
    return {status: {"model": Problem, "description": WHY[status]} for status in statuses}


router = APIRouter()


@router.get("/games", responses=answers(401, 429), openapi_extra=ANYBODY, tags=["games"])
async def list_games(caller: Caller) -> list[GameInfo]:
    """List the games with their parameters and presets."""
    del caller
    return [telling.game_info(game_class(name)) for name in games()]


@router.get(
    "/games/{game}", responses=answers(401, 404, 422, 429), openapi_extra=ANYBODY, tags=["games"]
)
async def show_game(
    caller: Caller, game: Annotated[str, Path(description="Its name.")]
) -> GameInfo:
    """Show one game."""
    del caller
    try:
        return telling.game_info(game_class(game))
    except UnknownGameError as error:
        raise HTTPException(404, pages.sentence(error)) from None


@router.get("/tables", responses=answers(401, 429), openapi_extra=ANYBODY, tags=["tables"])
async def list_tables(request: Request, caller: Caller) -> list[Listed]:
    """List the tables of the lobby, those that have changed last first."""
    del caller
    return [telling.listed(entry) for entry in await lobby.listed(request)]


@router.post(
    "/tables",
    status_code=201,
    responses=answers(401, 403, 429, *BODY),
    openapi_extra=ANYBODY,
    tags=["tables"],
)
async def found_table(
    request: Request, response: Response, caller: Caller, asked: NewTable
) -> Joined:
    """Found a table and sit down at it."""
    house, keeper = pages.door(request)
    order = await run_in_threadpool(read, asked)
    request.app.state.newcomers.need_room(request)
    visitor, token = (caller, None) if caller else keeper.newcomer()
    live = await house.find(await house.found(order, visitor))
    assert live is not None
    response.headers["location"] = f"/api/tables/{live.table.id}"
    state = telling.state_of(Looker(house, keeper, live, visitor, None))
    return Joined(token=token, table=state)


def read(asked: NewTable) -> Order:
    """Return the order of what a program asks for; raises GridhouseError."""
    name = asked.game
    if name is None:
        name = parse_game((asked.position or "").strip())[0].name
    cls, form = game_class(name), asked.form()
    if asked.parameters is not None:
        values = cls(**asked.parameters).values
        form["preset"] = OWN
        form |= {f"p-{key}": str(value) for key, value in values.items() if value is not False}
    return read_order(cls, form)


@router.get(
    "/tables/{table}",
    responses=answers(401, 403, 404, 422, 429),
    openapi_extra=ANYBODY,
    tags=["play"],
)
async def show_table(
    looker: Looking,
    after: Annotated[
        int | None, Query(ge=-FAR, le=FAR, description="The version that you know.")
    ] = None,
    wait: Annotated[
        int, Query(ge=0, le=MOST_WAIT, description="Seconds to wait for another version.")
    ] = 0,
) -> TableState:
    """Show a table, or wait until it is another than the one you know."""
    if wait and looker.live.table.version == after:
        await changed(looker, wait)
    return telling.state_of(looker)


async def changed(looker: Looker, seconds: int) -> None:
    """Wait until a table changes, or for so many seconds; raises HTTPException."""
    house, live = looker.house, looker.live
    if len(live.guests) >= MOST_GUESTS:
        raise HTTPException(429, "So many look at this table that there is no room to wait.")
    news = asyncio.Event()
    house.enter(live, news.set)
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(news.wait(), seconds)
    finally:
        house.leave(live, news.set)


@router.get(
    "/tables/{table}/picture.svg",
    responses={
        200: {"content": {pages.SVG: {"schema": {"type": "string"}}}},
        **answers(401, 403, 404, 422, 429),
    },
    response_class=Response,
    openapi_extra=ANYBODY,
    tags=["play"],
)
async def show_picture(looker: Looking) -> Response:
    """Draw a table as you may see it."""
    try:
        return Response(looker.live.look.saved_picture(looker.sight), media_type=pages.SVG)
    except PictureError as error:
        raise HTTPException(404, pages.sentence(error)) from None


@router.post(
    "/tables/{table}/seats",
    status_code=201,
    responses=answers(401, 403, 404, 409, 429, *BODY),
    openapi_extra=ANYBODY,
    tags=["tables"],
)
async def take_seat(looker: Looking, asked: Invitation) -> Joined:
    """Take the free seat of a table, by its invitation, or of the lobby without one."""
    table = looker.live.table
    link = asked.invitation
    if link is None and not table.listed:
        raise HTTPException(
            403, "This table is not in the lobby: its free seat is for the invited."
        )
    if link is not None and not looker.keeper.is_invited(table.id, link.rpartition("/")[2]):
        raise HTTPException(403, "This is no invitation to this table.")
    visitor, token = (looker.visitor, None) if looker.visitor else looker.keeper.newcomer()
    await looker.house.take_seat(looker.live, visitor)
    looker.visitor = visitor
    return Joined(token=token, table=telling.state_of(looker))


PLAY: dict[str, Any] = {"responses": answers(401, 403, 404, 409, 422, 429), "tags": ["play"]}
PLAY_SO: dict[str, Any] = PLAY | {"responses": answers(401, 403, 404, 409, 429, *BODY)}


@router.post("/tables/{table}/moves", **PLAY_SO)
async def make_move(looker: Playing, asked: Move) -> TableState:
    """Play a move."""
    live = looker.live
    need_turn(live.table, looker.sight, asked.ply)
    mover = live.table.state.current_player()
    await looker.house.play(live, mover, asked.move)
    return telling.state_of(looker)


@router.post("/tables/{table}/undo", **PLAY)
async def undo(looker: Playing) -> TableState:
    """Take moves back until it is your turn again; between friends, ask for it."""
    return await done(looker, UNDO)


@router.post("/tables/{table}/redo", **PLAY)
async def redo(looker: Playing) -> TableState:
    """Make moves again that were taken back; between friends, ask for it."""
    return await done(looker, REDO)


@router.post("/tables/{table}/answer", **PLAY_SO)
async def answer(looker: Playing, asked: Answer) -> TableState:
    """Answer what the other player asks for."""
    return await done(looker, ANSWER, agrees=asked.agrees)


@router.post("/tables/{table}/resign", **PLAY)
async def resign(looker: Playing) -> TableState:
    """Give the game up."""
    return await done(looker, RESIGN)


async def done(looker: Looker, kind: str, *, agrees: bool = False) -> TableState:
    """Do what changes a table besides a move, and return how it is then."""
    await act(looker.house, looker.live, looker.sight, kind, agrees=agrees)
    return telling.state_of(looker)

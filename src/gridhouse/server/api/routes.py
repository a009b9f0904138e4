"""What programs may ask for."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from gridhouse.core.errors import PictureError, UnknownGameError
from gridhouse.core.registry import game_class, games, parse_game
from gridhouse.server.api import serializers
from gridhouse.server.api.access import Caller, Context, RequestContext, SeatedContext
from gridhouse.server.api.schemas import (
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
from gridhouse.server.pages import lobby, views
from gridhouse.server.pages.forms import OWN, read_options
from gridhouse.server.settings import MAX_SUBSCRIBERS, MOST_WAIT
from gridhouse.server.tables.commands import ANSWER, MOVE, REDO, RESIGN, SEAT, UNDO, Command
from gridhouse.server.tables.visibility import need_turn

if TYPE_CHECKING:
    from gridhouse.server.tables.table import TableOptions

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
    return [serializers.game_info(game_class(name)) for name in games()]


@router.get(
    "/games/{game}", responses=answers(401, 404, 422, 429), openapi_extra=ANYBODY, tags=["games"]
)
async def show_game(
    caller: Caller, game: Annotated[str, Path(description="Its name.")]
) -> GameInfo:
    """Show one game."""
    del caller
    try:
        return serializers.game_info(game_class(game))
    except UnknownGameError as error:
        raise HTTPException(404, views.sentence(error)) from None


@router.get("/tables", responses=answers(401, 429), openapi_extra=ANYBODY, tags=["tables"])
async def list_tables(request: Request, caller: Caller) -> list[Listed]:
    """List the tables of the lobby, those that have changed last first."""
    del caller
    return [serializers.listed(entry) for entry in await lobby.listed(request)]


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
    service, auth = views.services(request)
    order = await run_in_threadpool(read, asked)
    request.app.state.newcomers.need_room(request)
    visitor, token = (caller, None) if caller else auth.new_visitor()
    live = await service.get(await service.create(order, visitor))
    assert live is not None
    response.headers["location"] = f"/api/tables/{live.table.id}"
    state = serializers.state_of(RequestContext(service, auth, live, visitor, None))
    return Joined(token=token, table=state)


def read(asked: NewTable) -> TableOptions:
    """Return the order of what a program asks for; raises GridhouseError."""
    name = asked.game
    if name is None:
        name = parse_game((asked.position or "").strip())[0].name
    cls, form = game_class(name), asked.form()
    if asked.parameters is not None:
        values = cls(**asked.parameters).values
        form["preset"] = OWN
        form |= {f"p-{key}": str(value) for key, value in values.items() if value is not False}
    return read_options(cls, form)


@router.get(
    "/tables/{table}",
    responses=answers(401, 403, 404, 422, 429),
    openapi_extra=ANYBODY,
    tags=["play"],
)
async def show_table(
    context: Context,
    after: Annotated[
        int | None, Query(ge=-FAR, le=FAR, description="The version that you know.")
    ] = None,
    wait: Annotated[
        int, Query(ge=0, le=MOST_WAIT, description="Seconds to wait for another version.")
    ] = 0,
) -> TableState:
    """Show a table, or wait until it is another than the one you know."""
    if wait and context.live.table.version == after:
        await changed(context, wait)
    return serializers.state_of(context)


async def changed(context: RequestContext, seconds: int) -> None:
    """Wait until a table changes, or for so many seconds; raises HTTPException."""
    service, live = context.service, context.live
    if len(live.subscribers) >= MAX_SUBSCRIBERS:
        raise HTTPException(429, "So many look at this table that there is no room to wait.")
    news = asyncio.Event()
    service.subscribe(live, news.set)
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(news.wait(), seconds)
    finally:
        service.unsubscribe(live, news.set)


@router.get(
    "/tables/{table}/picture.svg",
    responses={
        200: {"content": {views.SVG: {"schema": {"type": "string"}}}},
        **answers(401, 403, 404, 422, 429),
    },
    response_class=Response,
    openapi_extra=ANYBODY,
    tags=["play"],
)
async def show_picture(context: Context) -> Response:
    """Draw a table as you may see it."""
    try:
        return Response(
            context.live.snapshot.saved_picture(context.viewpoint), media_type=views.SVG
        )
    except PictureError as error:
        raise HTTPException(404, views.sentence(error)) from None


@router.post(
    "/tables/{table}/seats",
    status_code=201,
    responses=answers(401, 403, 404, 409, 429, *BODY),
    openapi_extra=ANYBODY,
    tags=["tables"],
)
async def take_seat(context: Context, asked: Invitation) -> Joined:
    """Take the free seat of a table, by its invitation, or of the lobby without one."""
    table = context.live.table
    link = asked.invitation
    if link is None and not table.listed:
        raise HTTPException(
            403, "This table is not in the lobby: its free seat is for the invited."
        )
    if link is not None and not context.auth.is_invited(table.id, link.rpartition("/")[2]):
        raise HTTPException(403, "This is no invitation to this table.")
    visitor, token = (context.visitor, None) if context.visitor else context.auth.new_visitor()
    await context.service.submit(context.live, Command(SEAT, visitor=visitor))
    context.visitor = visitor
    return Joined(token=token, table=serializers.state_of(context))


PLAY: dict[str, Any] = {"responses": answers(401, 403, 404, 409, 422, 429), "tags": ["play"]}
PLAY_SO: dict[str, Any] = PLAY | {"responses": answers(401, 403, 404, 409, 429, *BODY)}


@router.post("/tables/{table}/moves", **PLAY_SO)
async def make_move(context: SeatedContext, asked: Move) -> TableState:
    """Play a move."""
    live = context.live
    need_turn(live.table, context.viewpoint)
    mover = live.table.state.current_player()
    await context.service.submit(live, Command(MOVE, mover, asked.move, asked.ply))
    return serializers.state_of(context)


@router.post("/tables/{table}/undo", **PLAY)
async def undo(context: SeatedContext) -> TableState:
    """Take moves back until it is your turn again; between friends, ask for it."""
    return await done(context, UNDO)


@router.post("/tables/{table}/redo", **PLAY)
async def redo(context: SeatedContext) -> TableState:
    """Make moves again that were taken back; between friends, ask for it."""
    return await done(context, REDO)


@router.post("/tables/{table}/answer", **PLAY_SO)
async def answer(context: SeatedContext, asked: Answer) -> TableState:
    """Answer what the other player asks for."""
    return await done(context, ANSWER, agrees=asked.agrees)


@router.post("/tables/{table}/resign", **PLAY)
async def resign(context: SeatedContext) -> TableState:
    """Give the game up."""
    return await done(context, RESIGN)


async def done(context: RequestContext, kind: str, *, agrees: bool = False) -> TableState:
    """Do what changes a table besides a move, and return how it is then."""
    command = Command(kind, context.viewpoint.player, agrees=agrees)
    await context.service.submit(context.live, command)
    return serializers.state_of(context)

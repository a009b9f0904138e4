"""The routes of the API."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import TypeAdapter
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
from gridhouse.server.network import address_of
from gridhouse.server.pages import lobby, views
from gridhouse.server.pages.forms import OWN, SHUFFLED, read_options
from gridhouse.server.settings import MAX_WAIT
from gridhouse.server.tables.commands import ANSWER, MOVE, REDO, RESIGN, SEAT, UNDO, Command
from gridhouse.server.tables.visibility import require_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from gridhouse.server.tables.table import TableOptions

WHY = {
    400: "The request is not JSON.",
    401: "The caller is not identified.",
    403: "The caller may not do this.",
    404: "Nothing has this name.",
    409: "The table does not allow this now.",
    413: "The request is too long.",
    415: "The request is not declared as JSON.",
    422: "The request is not valid, or its move is against the rules.",
    429: "The caller sent too many requests.",
    503: "The house cannot use its database now.",
}
ANYBODY: dict[str, Any] = {"security": [{}]}  # requests without a token are allowed too
BODY = (400, 413, 415, 422)
JSON = "application/json"
GAMES = TypeAdapter(list[GameInfo])


def answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of errors for the OpenAPI document."""
    described = (*statuses, 503)
    return {status: {"model": Problem, "description": WHY[status]} for status in described}


router = APIRouter()


@router.get(
    "/games",
    response_model=list[GameInfo],
    responses=answers(401, 429),
    openapi_extra=ANYBODY,
    tags=["games"],
)
async def list_games(request: Request, caller: Caller) -> Response:
    """List the games with their parameters and presets."""
    del caller

    def written() -> Response:
        found = [serializers.game_info(game_class(name)) for name in games()]
        return Response(GAMES.dump_json(found), media_type=JSON)

    return await views.work(request, written)


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
    """List the tables of the lobby, the latest change first."""
    del caller
    return [serializers.listed(entry) for entry in await lobby.listed(request)]


@router.post(
    "/tables",
    status_code=201,
    response_model=Joined,
    responses=answers(401, 403, 409, 429, *BODY),
    openapi_extra=ANYBODY,
    tags=["tables"],
)
async def found_table(request: Request, caller: Caller, asked: NewTable) -> Response:
    """Create a table and take a seat at it."""
    service, auth = views.services(request)
    options = await views.work(request, read, asked)
    request.app.state.new_tables.count(request)
    visitor, token = (caller, None) if caller else auth.new_visitor()
    name = await request.app.state.listings.create(request, options, visitor)
    live = await service.get(name)
    assert live is not None
    response = await joined(RequestContext(service, auth, live, visitor, None), token)
    response.headers["location"] = f"/api/tables/{live.table.id}"
    return response


async def joined(context: RequestContext, token: str | None) -> Response:
    """Return the answer to whoever has a seat now, with the new token if there is one."""
    return await answered(
        context, lambda: Joined(token=token, table=serializers.state_of(context)), 201
    )


async def state(context: RequestContext) -> Response:
    """Return the answer that shows a table."""
    return await answered(context, lambda: serializers.state_of(context))


async def answered(
    context: RequestContext, make: Callable[[], BaseModel], status: int = 200
) -> Response:
    """Return an answer that is made and written in a thread."""

    def written() -> Response:
        return Response(make().model_dump_json(), status, media_type=JSON)

    return await context.service.work.run(written)


def read(asked: NewTable) -> TableOptions:
    """Return the options of a requested table; raises GridhouseError."""
    name = asked.game
    if name is None:
        name = parse_game((asked.position or "").strip())[0].name
    cls, form = game_class(name), {**asked.form(), "army": SHUFFLED}
    if asked.parameters is not None:
        values = cls(**asked.parameters).values
        form["preset"] = OWN
        form |= {f"p-{key}": str(value) for key, value in values.items() if value is not False}
    return read_options(cls, form)


@router.get(
    "/tables/{table}",
    response_model=TableState,
    responses=answers(401, 403, 404, 422, 429),
    openapi_extra=ANYBODY,
    tags=["play"],
)
async def show_table(
    request: Request,
    context: Context,
    after: Annotated[
        int | None, Query(ge=-FAR, le=FAR, description="The version that you have.")
    ] = None,
    wait: Annotated[
        int, Query(ge=0, le=MAX_WAIT, description="Seconds to wait for a newer version.")
    ] = 0,
) -> Response:
    """Show a table; with `wait`, only once its version is newer than yours."""
    if wait and context.live.table.version == after:
        await changed(context, address_of(request), wait)
    return await state(context)


async def changed(context: RequestContext, address: str, seconds: int) -> None:
    """Wait until a table changes, or until the time is up; raises HTTPException."""
    service, live = context.service, context.live
    if not live.has_room(context.visitor, address):
        raise HTTPException(429, "Too many viewers are waiting at this table.")
    news = asyncio.Event()
    service.subscribe(live, news.set, address)
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
    """Draw a table from your viewpoint."""
    try:
        drawn = context.live.snapshot.saved_picture
        svg = await context.service.work.run(drawn, context.viewpoint)
    except PictureError as error:
        raise HTTPException(404, views.sentence(error)) from None
    return Response(svg, media_type=views.SVG)


@router.post(
    "/tables/{table}/seats",
    status_code=201,
    response_model=Joined,
    responses=answers(401, 403, 404, 409, 429, *BODY),
    openapi_extra=ANYBODY,
    tags=["tables"],
)
async def take_seat(context: Context, asked: Invitation) -> Response:
    """Take the free seat of a table; a table in the lobby needs no invitation."""
    table = context.live.table
    link = asked.invitation
    if link is None and not await context.service.is_listed(context.live):
        raise HTTPException(
            403, "This table is not in the lobby: its free seat needs an invitation."
        )
    if link is not None and not context.auth.is_invited(table.id, link.rpartition("/")[2]):
        raise HTTPException(403, "This is no invitation to this table.")
    visitor, token = (context.visitor, None) if context.visitor else context.auth.new_visitor()
    await context.service.submit(context.live, Command(SEAT, visitor=visitor))
    context.visitor = visitor
    return await joined(context, token)


PLAY: dict[str, Any] = {
    "response_model": TableState,
    "responses": answers(401, 403, 404, 409, 422, 429),
    "tags": ["play"],
}
PLAY_SO: dict[str, Any] = PLAY | {"responses": answers(401, 403, 404, 409, 429, *BODY)}


@router.post("/tables/{table}/moves", **PLAY_SO)
async def make_move(context: SeatedContext, asked: Move) -> Response:
    """Play a move."""
    live = context.live
    require_turn(live.table, context.viewpoint)
    mover = live.table.state.current_player()
    await context.service.submit(live, Command(MOVE, mover, asked.move, asked.ply))
    return await state(context)


@router.post("/tables/{table}/undo", **PLAY)
async def undo(context: SeatedContext) -> Response:
    """Take moves back until it is your turn again; between friends, request it."""
    return await done(context, UNDO)


@router.post("/tables/{table}/redo", **PLAY)
async def redo(context: SeatedContext) -> Response:
    """Redo moves that were taken back; between friends, request it."""
    return await done(context, REDO)


@router.post("/tables/{table}/answer", **PLAY_SO)
async def answer(context: SeatedContext, asked: Answer) -> Response:
    """Answer the other player's request."""
    return await done(context, ANSWER, agrees=asked.agrees)


@router.post("/tables/{table}/resign", **PLAY)
async def resign(context: SeatedContext) -> Response:
    """Resign the game."""
    return await done(context, RESIGN)


async def done(context: RequestContext, kind: str, *, agrees: bool = False) -> Response:
    """Carry out a command other than a move, and return the table."""
    command = Command(kind, context.viewpoint.player, agrees=agrees)
    await context.service.submit(context.live, command)
    return await state(context)

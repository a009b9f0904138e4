"""The page of a visitor's games, and the file that holds them."""

from __future__ import annotations

import math
from itertools import accumulate, groupby
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from sqlalchemy.exc import IntegrityError
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gridhouse.core.notation import parse_integer
from gridhouse.core.registry import game_class, games
from gridhouse.server.auth import set_cookie
from gridhouse.server.fair_pool import LongWork
from gridhouse.server.pages.forms import read_file
from gridhouse.server.pages.game_files import (
    MAX_FILE,
    GameFileError,
    read_games,
    unknown,
    write_games,
)
from gridhouse.server.pages.history import GameRow, ratings_of, rows_of
from gridhouse.server.pages.identicons import identicon
from gridhouse.server.pages.views import (
    attachment,
    page,
    require_own_page,
    sentence,
    services,
    work,
)
from gridhouse.server.ratings import MIN_GAMES
from gridhouse.server.settings import MAX_KEPT
from gridhouse.server.storage.records import size_of
from gridhouse.server.storage.store import Chosen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request


PAGE = 20  # games on a page
AT_ONCE = 2000  # moves that are written in one transaction, unless one game has more
STATES = {"": None, "open": False, "over": True}


async def mine(request: Request) -> Response:
    """Show the visitor's games."""
    return await mine_page(request)


async def mine_page(request: Request, problem: str = "") -> Response:
    """Return the page of the visitor's games, with the reason why a file was refused."""
    service, auth = services(request)
    visitor = auth.visitor(request)
    query = request.query_params
    game = query.get("game", "") if query.get("game") in games() else ""
    state = query.get("state", "") if query.get("state") in STATES else ""
    chosen = Chosen(game, STATES[state])
    listed = [game_class(name) for name in games()]
    rows: list[GameRow] = []
    ratings: dict[str, int] = {}
    count, number, profile = 0, 1, None
    if visitor is not None:
        count = await work(request, service.store.count_own, visitor, chosen)
        number = min(max(1, parse_integer(query.get("page", "1")) or 1), pages_of(count))
        store, skip = service.store, PAGE * (number - 1)
        records = await work(request, store.list_own, visitor, chosen, PAGE, skip)
        rows = await service.work.collect(rows_of(service, visitor, records))
        ratings = dict(await service.work.collect(ratings_of(service, visitor, listed)))
        profile = await work(request, service.visitors.profile, visitor)
    return await page(
        request,
        "mine",
        status=422 if problem else 200,
        rows=rows,
        games=listed,
        game=game,
        state=state,
        count=count,
        number=number,
        pages=pages_of(count),
        filters=urlencode({"game": game, "state": state}),
        ratings=ratings,
        rated_after=MIN_GAMES,
        name=profile.name if profile else "",
        face=identicon(visitor, profile.picture) if visitor and profile else "",
        added=number_in(query.get("added")),
        known=number_in(query.get("known")),
        problem=problem,
    )


def pages_of(count: int) -> int:
    """Return the number of pages for so many games."""
    return max(1, math.ceil(count / PAGE))


def number_in(text: str | None) -> int | None:
    """Return a count in a query, None if there is none."""
    return None if text is None else parse_integer(text)


async def export(request: Request) -> Response:
    """Return all games of the visitor as a file."""
    service, auth = services(request)
    visitor = auth.visitor(request) or ""

    def written() -> Iterator[bytes | None]:
        yield (yield from write_games(service.store, visitor)).encode()

    headers = attachment("gridhouse-games.json") | {"cache-control": "no-store"}
    # Whoever asks for it several times at once gets the same one: it may be large.
    writing = request.app.state.exports.setdefault(visitor, LongWork(written()))
    (content,) = await service.files.collect(writing)
    return Response(content, media_type="application/json", headers=headers)


async def take_in(request: Request) -> Response:
    """Add the games of a file to the visitor's own."""
    require_own_page(request)
    request.app.state.new_imports.count(request)
    content = await read_file(request, MAX_FILE)
    service, auth = services(request)
    visitor, cookie = auth.identify_or_create(request)

    def added() -> Iterator[tuple[int, int] | None]:
        records = yield from read_games(content, visitor)
        new = yield from unknown(records, service.store, visitor)
        if service.store.size_of_own(visitor) + sum(map(size_of, new)) > MAX_KEPT:
            raise GameFileError("the house does not keep so many games for one visitor")
        sizes = accumulate(1 + len(record.moves) for record in new)
        for _, part in groupby(zip(sizes, new, strict=True), lambda found: found[0] // AT_ONCE):
            service.store.add(*(record for _, record in part))
            yield None  # moves at other tables wait for each transaction
        yield len(new), len(records) - len(new)

    try:
        ((new, known),) = await service.files.collect(added())
    except GameFileError as error:
        return await mine_page(request, sentence(error))
    except IntegrityError:
        return await mine_page(request, "These games are being added already; look again.")
    response = RedirectResponse(f"/games?added={new}&known={known}", 303)
    set_cookie(request, response, cookie)
    return response


ROUTES = [
    Route("/games", mine),
    Route("/games/export.json", export),
    Route("/games/import", mine, methods=["GET"]),
    Route("/games/import", take_in, methods=["POST"]),
]

"""The pages of the daily puzzles: today's puzzles, and one puzzle with its leaderboard."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from gridhouse.core.errors import PictureError
from gridhouse.server.daily.results import best_text, share_text, verdict
from gridhouse.server.daily.service import FIRST, daily_games
from gridhouse.server.languages import day_in_words
from gridhouse.server.pages.views import (
    SVG,
    create_table,
    page,
    requested_game,
    require_own_page,
    sentence,
    services,
    work,
)
from gridhouse.server.settings import MAX_PLACES
from gridhouse.server.tables.table import HOTSEAT, TableOptions

if TYPE_CHECKING:
    from starlette.requests import Request

    from gridhouse.core.game import Game
    from gridhouse.server.daily.service import Shown

DAY = timedelta(days=1)
NOT_YET = "You will see the best result when you finish this puzzle."


def date_text(day: date) -> str:
    """Return a date in words."""
    return day_in_words(day, weekday=True)


def requested_puzzle(request: Request) -> tuple[type[Game], date]:
    """Return the game and the day of an address; the day is today if it names none.

    Raises HTTPException for a game without daily puzzles and for a day without a puzzle.
    """
    cls = requested_game(request)
    if cls.daily is None:
        raise HTTPException(404, f"{cls.title} has no daily puzzle.")
    today = services(request).service.daily_puzzles.today()
    text = request.path_params.get("day", today.isoformat())
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise HTTPException(404, "A day must be written like 2026-11-20.")
    if day > today:
        raise HTTPException(404, f"The puzzle of {date_text(day)} does not exist yet.")
    if day < FIRST and day != today:
        raise HTTPException(404, f"The first daily puzzle was that of {date_text(FIRST)}.")
    return cls, day


def best_sentence(shown: Shown, *, is_open: bool) -> str:
    """Return the best known result of a puzzle, and its par, in words.

    Only a day that is over, and whoever has finished its puzzle, has them ``is_open``.
    """
    if not is_open:
        return NOT_YET
    best = shown.best
    if best is not None:
        proof = ", and this is proved" if best.proved else ""
        told = sentence(best_text(shown.state.game, best) + proof)
    elif shown.searching:
        told = "The solver is searching for the best result; reload this page later."
    else:
        told = "The best result is not known yet."
    if shown.par is not None:
        told += f" Par is {shown.state.game.write_result(shown.par)}, the result of a short search."
    return told


async def own_results(request: Request, shown: Shown, visitor: str | None) -> dict[bool, int]:
    """Return a visitor's results: on the day under False, after it under True."""
    if visitor is None:
        return {}
    results = services(request).service.daily_puzzles.results
    return await work(request, results.own, shown.puzzle, visitor)


async def overview(request: Request) -> Response:
    """Show today's puzzles."""
    service, auth = services(request)
    days, today = service.daily_puzzles, service.daily_puzzles.today()
    visitor = auth.visitor(request)
    listed: list[dict[str, Any]] = []
    for cls in daily_games():
        shown = await days.show(cls, today)
        own = (await own_results(request, shown, visitor)).get(False)
        mine = None if own is None else sentence(verdict(shown.state.game, own, shown.best))
        best = best_sentence(shown, is_open=own is not None)
        listed.append({"game": cls, "best": best, "own": mine})
    return await page(
        request, "daily", listed=listed, day=today.isoformat(), words=date_text(today)
    )


async def puzzle(request: Request) -> Response:
    """Show the puzzle of a day, the visitor's results, and the leaderboard."""
    cls, day = requested_puzzle(request)
    service, auth = services(request)
    days, today = service.daily_puzzles, service.daily_puzzles.today()
    visitor = auth.visitor(request)
    shown = await days.show(cls, day)
    own = await own_results(request, shown, visitor)
    places, count = await work(request, days.results.table, shown.puzzle, MAX_PLACES)
    game = shown.state.game
    context: dict[str, Any] = {
        "game": cls,
        "day": day.isoformat(),
        "words": date_text(day),
        "today": date_text(today),
        "is_today": day == today,
        "before": (day - DAY).isoformat() if day > FIRST else "",
        "after": (day + DAY).isoformat() if day < today else "",
        "others": [other for other in daily_games() if other is not cls],
        "best": best_sentence(shown, is_open=day != today or False in own),
        "own": {late: sentence(verdict(game, result, shown.best)) for late, result in own.items()},
        "places": [
            (place.rank, place.name, game.write_result(place.result), place.visitor == visitor)
            for place in places
        ],
        "count": count,
        "most": MAX_PLACES,
    }
    if own:
        result = own.get(False, own.get(True, 0))
        context["shared"] = share_text(game, day.isoformat(), result, shown.best)
    if False in own:
        context["rank"] = await work(request, days.results.rank, shown.puzzle, own[False])
    return await page(request, "daily_puzzle", **context)


async def play(request: Request) -> Response:
    """Create a table for the puzzle of a day, and redirect to it."""
    cls, day = requested_puzzle(request)
    require_own_page(request)
    request.app.state.new_tables.count(request)
    shown = await services(request).service.daily_puzzles.show(cls, day)
    return await create_table(
        request, TableOptions(shown.state, HOTSEAT, 0, 0, daily=day.isoformat())
    )


async def picture(request: Request) -> Response:
    """Return the picture of a day's puzzle."""
    cls, day = requested_puzzle(request)
    shown = await services(request).service.daily_puzzles.show(cls, day)
    try:
        svg = await work(request, lambda: shown.state.public_picture().svg())
    except PictureError as error:
        raise HTTPException(404, sentence(error)) from None
    return Response(svg, media_type=SVG, headers={"cache-control": "public, max-age=3600"})


ROUTES = [
    Route("/daily", overview),
    Route("/daily/{game}", puzzle),
    Route("/daily/{game}/{day}", puzzle, methods=["GET"]),
    Route("/daily/{game}/{day}", play, methods=["POST"]),
    Route("/daily/{game}/{day}/picture.svg", picture),
]

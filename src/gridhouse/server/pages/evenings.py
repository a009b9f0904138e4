"""The pages of evenings: starting one, joining it, and its standings."""

from __future__ import annotations

import math
import zlib
from typing import TYPE_CHECKING, NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from gridhouse.core.errors import GridhouseError, ParameterError
from gridhouse.core.notation import parse_integer
from gridhouse.core.registry import game_class, games, parse_game
from gridhouse.server import clock
from gridhouse.server.auth import set_cookie
from gridhouse.server.clock import Clock
from gridhouse.server.names import NoNameError, read_name, told_apart
from gridhouse.server.network import address_of, is_exempt
from gridhouse.server.pages.forms import read_form
from gridhouse.server.pages.views import (
    OWN_FILE,
    is_local,
    page,
    require_own_page,
    sentence,
    services,
    shared_origins,
    up,
    work,
)
from gridhouse.server.settings import EVENING_MINUTES as MINUTES
from gridhouse.server.settings import MAX_NAME
from gridhouse.server.storage.visitors import Profile
from gridhouse.server.tables.commands import RefusedError
from gridhouse.server.tables.company import ANONYMOUS
from gridhouse.server.tables.service import NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from gridhouse.core.game import Game
    from gridhouse.server.evenings.service import EveningService
    from gridhouse.server.evenings.storage import Evening, EveningPlayer

CLOCKS = ("1+0", "3+2", "5+3", "10+5")
USUAL_CLOCK = "3+2"
USUAL_MINUTES = 60
LATELY = 24 * 3600 * 1000  # milliseconds for which an evening that is over is listed


class Standing(NamedTuple):
    """A row of the standings; equal points share a place."""

    place: int
    name: str
    points: int
    games: int
    paused: bool
    is_own: bool


class Playing(NamedTuple):
    """A game in play: its address and the names of its players."""

    address: str
    first: str
    second: str


class Shown(NamedTuple):
    """What changes on the page of an evening.

    ``table`` is the address of the visitor's game, "" without one.  ``minutes`` are those left.
    """

    status: str
    minutes: int
    table: str
    joined: bool
    paused: bool
    standings: list[Standing]
    playing: list[Playing]

    @property
    def version(self) -> str:
        """A text that differs whenever something has changed."""
        return f"{zlib.crc32(repr(self).encode()):x}"


def house_evenings(request: Request) -> EveningService:
    """Return the evenings of a request's application."""
    service: EveningService = request.app.state.evenings
    return service


async def requested_evening(request: Request) -> Evening:
    """Return the evening of an address; raises HTTPException if there is none."""
    store, name = house_evenings(request).store, request.path_params["evening"]
    evening = await work(request, store.load, name) if NAME.fullmatch(name) else None
    if evening is None:
        raise HTTPException(404, "There is no evening at this address.")
    return evening


async def evenings(request: Request) -> Response:
    """Show the evenings that the visitor may find, and the form for another one."""
    return await evenings_page(request, {})


async def evenings_page(request: Request, form: Mapping[str, str], problem: str = "") -> Response:
    """Return the page of all evenings, with rejected values and the reason."""
    store, visitor = house_evenings(request).store, services(request).auth.visitor(request)
    now = clock.now()
    found = await work(request, store.lately, visitor, now - LATELY)
    return await page(
        request,
        "evenings",
        status=422 if problem else 200,
        going_on=[(one, game_of(one), minutes_left(one, now)) for one in found if one.ends > now],
        over=[(one, game_of(one)) for one in found if one.ends <= now],
        games=[cls for cls in map(game_class, games()) if len(cls.players) > 1],
        clocks=CLOCKS,
        form={"clock": USUAL_CLOCK, "minutes": str(USUAL_MINUTES)} | dict(form),
        minutes=MINUTES,
        longest=MAX_NAME,
        problem=problem,
    )


def game_of(evening: Evening) -> Game:
    """Return the game of an evening."""
    return parse_game(evening.game)[0]


def minutes_left(evening: Evening, now: int) -> int:
    """Return the minutes until the last games of an evening begin."""
    return max(0, math.ceil((evening.ends - now) / clock.MINUTE))


async def create(request: Request) -> Response:
    """Start an evening from a form, and redirect to it."""
    require_own_page(request)
    form = await read_form(request)
    visitor, cookie = services(request).auth.identify_or_create(request)
    try:
        name, game = read_own_name(form.get("name", ""), "the evening"), read_board(form)
        time, minutes = read_time(form)
        request.app.state.new_evenings.count(request)
        address = address_of(request)
        is_free = is_exempt(address, services(request).service.settings.proxies)
        evening = await house_evenings(request).create(
            visitor,
            name,
            game,
            time,
            minutes,
            listed="listed" in form,
            address="" if is_free else address,
        )
    except (GridhouseError, NoNameError, RefusedError) as error:
        return await evenings_page(request, form, sentence(error))
    return back(request, evening, cookie)


def read_own_name(text: str, whose: str) -> str:
    """Return the name in a text; raises NoNameError, also for none."""
    name = read_name(text)
    if not name:
        raise NoNameError(f"give {whose} a name")
    return name


def read_board(form: Mapping[str, str]) -> Game:
    """Return the game of a form's field "board", a game and a preset; raises GridhouseError."""
    name, _, preset = form.get("board", "").partition(" ")
    cls = game_class(name)
    if len(cls.players) != 2:
        raise ParameterError(f"board: {cls.title} is not a game for two")
    return cls.from_preset(preset or cls.usual)


def read_time(form: Mapping[str, str]) -> tuple[Clock, int]:
    """Return a form's clock and minutes; raises ParameterError."""
    time = form.get("clock", USUAL_CLOCK)
    if time not in CLOCKS:
        raise ParameterError(f"clock: must be one of {', '.join(CLOCKS)}")
    minutes = parse_integer(form.get("minutes", str(USUAL_MINUTES)))
    if minutes is None or minutes not in MINUTES:
        raise ParameterError(f"minutes: must be a number from {MINUTES[0]} to {MINUTES[-1]}")
    read = Clock.read(time)
    assert read is not None
    return read, minutes


def back(request: Request, evening: str, cookie: str = "") -> Response:
    """Redirect to an evening, and store the visitor's cookie if there is a new one."""
    response = RedirectResponse(f"/evening/{evening}", 303)
    if cookie:
        set_cookie(request, response, cookie)
    return response


async def look(request: Request, evening: Evening) -> Shown:
    """Return what a visitor sees, who is paired from now on if they have joined."""
    visitor = services(request).auth.visitor(request)
    players = await house_evenings(request).look(evening, visitor)
    visitors = services(request).service.visitors
    profiles = await work(request, visitors.profiles, [one.visitor for one in players])
    return await work(request, shown_of, evening, players, profiles, visitor)


def shown_of(
    evening: Evening,
    players: list[EveningPlayer],
    profiles: Mapping[str, Profile],
    visitor: str | None,
) -> Shown:
    """Return what a visitor sees of an evening; the players are in the order of their points."""
    named = [(one.visitor, profiles.get(one.visitor, Profile()).name) for one in players]
    # A number behind a name stays when the order of the points changes.  Who came first is not
    # stored, so of those who share a name nobody has it without a number.
    names = told_apart(sorted(named), in_turn=False)
    points = [player.points for player in players]
    tables: dict[str, list[str]] = {}
    for player in players:
        if player.table_id is not None:
            tables.setdefault(player.table_id, []).append(names[player.visitor] or ANONYMOUS)
    own = next((player for player in players if player.visitor == visitor), None)
    minutes = minutes_left(evening, clock.now())
    return Shown(
        status_words(own, minutes, len(tables)),
        minutes,
        f"/t/{own.table_id}" if own is not None and own.table_id is not None else "",
        own is not None,
        own is not None and own.paused,
        [
            Standing(
                points.index(player.points) + 1,
                names[player.visitor] or ANONYMOUS,
                player.points,
                player.games,
                player.paused,
                player is own,
            )
            for player in players
        ],
        [Playing(f"/t/{table}", *pair) for table, pair in tables.items() if len(pair) == 2],
    )


def status_words(own: EveningPlayer | None, minutes: int, playing: int) -> str:
    """Return the sentence that says how the evening stands for a visitor."""
    if own is not None and own.table_id is not None:
        return "Your game is on."
    if not minutes:
        return "The last games are being played." if playing else "The evening is over."
    if own is None:
        return "Join, and the house finds you an opponent."
    return "You take a break." if own.paused else "Waiting for an opponent …"


async def evening(request: Request) -> Response:
    """Show an evening; its script keeps it up to date and follows to the visitor's table."""
    return await evening_page(request, await requested_evening(request))


async def evening_page(request: Request, found: Evening, problem: str = "") -> Response:
    """Return the page of an evening, with the reason why the visitor could not join."""
    service, auth = services(request)
    profile = await work(request, service.visitors.profile, auth.visitor(request))
    return await page(
        request,
        "evening",
        status=422 if problem else 200,
        evening=found,
        game=game_of(found),
        shown=await look(request, found),
        link=f"{shared_origins(request)[0]}/evening/{found.id}",
        is_alone=is_local(request) and request.app.state.origins == [],
        name=profile.name,
        longest=MAX_NAME,
        problem=problem,
    )


async def state(request: Request) -> Response:
    """Return as JSON whether the page has changed, and where the visitor's game is."""
    shown = await look(request, await requested_evening(request))
    version = await work(request, lambda: shown.version)
    answer = {"version": version, "table": shown.table}
    return JSONResponse(answer, headers=OWN_FILE)


async def join(request: Request) -> Response:
    """Let a visitor with a name play, also after a pause."""
    require_own_page(request)
    found = await requested_evening(request)
    form = await read_form(request)
    service, auth = services(request)
    visitor, cookie = auth.identify_or_create(request)
    profile = await work(request, service.visitors.profile, visitor)
    try:
        name = read_own_name(form.get("name", profile.name), "yourself")
        if name != profile.name:
            request.app.state.new_players.count(request)
            await service.set_profile(visitor, profile._replace(name=name))
        await house_evenings(request).join(found, visitor)
    except (NoNameError, RefusedError) as error:
        return await evening_page(request, found, sentence(error))
    return back(request, found.id, cookie)


async def pause(request: Request) -> Response:
    """Pair a visitor no more until they join again."""
    require_own_page(request)
    found = await requested_evening(request)
    visitor = services(request).auth.visitor(request) or ""
    await work(request, house_evenings(request).store.pause, found.id, visitor)
    return back(request, found.id)


ROUTES = [
    Route("/evenings", evenings, methods=["GET"]),
    Route("/evenings", create, methods=["POST"]),
    Route("/evening/{evening}", evening),
    Route("/evening/{evening}/state", state),
    Route("/evening/{evening}/join", up, methods=["GET"]),
    Route("/evening/{evening}/join", join, methods=["POST"]),
    Route("/evening/{evening}/pause", up, methods=["GET"]),
    Route("/evening/{evening}/pause", pause, methods=["POST"]),
]

"""The pages, rendered on the server."""

from __future__ import annotations

import datetime
import logging
import random
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.templating import Jinja2Templates

from gridhouse import __version__
from gridhouse.core.components import component
from gridhouse.core.errors import GridhouseError, PictureError, UnknownGameError
from gridhouse.core.notation import one_line, parse_integer
from gridhouse.core.registry import game_class, games
from gridhouse.players.levels import LEVEL_NAMES, LEVELS
from gridhouse.server.auth import YEAR, Auth, is_own_origin, is_secure, set_cookie
from gridhouse.server.clock import USUAL
from gridhouse.server.languages import (
    COOKIE,
    gettext,
    language,
    languages,
    ngettext,
    translated,
    translated_picture,
)
from gridhouse.server.learning.lessons import has_lesson, lesson_of
from gridhouse.server.learning.puzzles import puzzle_games
from gridhouse.server.network import is_loopback
from gridhouse.server.pages import assets
from gridhouse.server.pages.forms import (
    DEFAULT_LEVEL,
    OWN,
    form_of,
    read_arrangement,
    read_form,
    read_options,
)
from gridhouse.server.pages.history import open_games
from gridhouse.server.pages.identicons import identicon
from gridhouse.server.settings import MAX_CELLS
from gridhouse.server.storage.store import Chosen, public_reason, reason_of
from gridhouse.server.tables.commands import SEAT, Command, RefusedError, UnsavedError
from gridhouse.server.tables.company import PHRASES
from gridhouse.server.tables.table import FRIENDS, MACHINE
from gridhouse.server.tables.translating import in_language, said_name
from gridhouse.server.tables.visibility import (
    Snapshot,
    Viewpoint,
    capital,
    caption,
    view,
    viewpoint_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import ParamSpec, TypeVar

    from starlette.requests import Request

    from gridhouse.core.game import Game, State
    from gridhouse.server.tables.live_table import LiveTable
    from gridhouse.server.tables.service import TableService
    from gridhouse.server.tables.table import Table, TableOptions

    Given = ParamSpec("Given")
    Result = TypeVar("Result")

log = logging.getLogger("gridhouse.server")
SVG = "image/svg+xml"
# Whatever depends on the visitor says so to the caches on its way, since many of them look at
# neither "vary" nor cookies, and may keep a file for its ending. A browser may keep a page to go
# back to it; it keeps no file and no data of a game, which may show what others must not see.
PAGE = {"cache-control": "private, no-cache"}
OWN_FILE = {"cache-control": "private, no-store"}
MOVES_SHOWN = 14  # before the positions on the front page
templates = Jinja2Templates(directory=Path(__file__).parent / "templates")
templates.env.globals.update(
    version=__version__,
    style=assets.STYLE,
    icon=assets.ICON,
    has_docs=assets.has_docs,
    script=assets.script,
    language=language,
    languages=languages,
)
templates.env.add_extension("jinja2.ext.i18n")
templates.env.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
templates.env.filters.update(
    translated=translated, translated_picture=translated_picture, said_name=said_name
)
templates.env.trim_blocks = templates.env.lstrip_blocks = True


class Services(NamedTuple):
    """The table service and auth of a request's application."""

    service: TableService
    auth: Auth


def services(request: Request) -> Services:
    """Return the services of a request's application."""
    state = request.app.state
    return Services(state.service, state.auth)


async def work(
    request: Request,
    does: Callable[Given, Result],
    /,
    *given: Given.args,
    **named: Given.kwargs,
) -> Result:
    """Return what a function returns, which takes too long for the event loop."""
    return await services(request).service.work.run(does, *given, **named)


async def page(request: Request, name: str, /, status: int = 200, **context: Any) -> Response:
    """Return a page made from a template, in the language of the request."""
    unwritten = services(request).service.store.unwritten
    made = await work(
        request,
        templates.TemplateResponse,
        request,
        f"{name}.html",
        {"unwritten": unwritten, **context},
        status_code=status,
    )
    made.headers.update(PAGE)
    made.headers["content-language"] = language()
    made.headers.add_vary_header("accept-language")
    made.headers.add_vary_header("cookie")
    return made


def requested_game(request: Request) -> type[Game]:
    """Return the game of an address; raises HTTPException if there is none."""
    try:
        return game_class(request.path_params["game"])
    except UnknownGameError as error:
        raise HTTPException(404, sentence(error)) from None


async def requested_table(request: Request) -> LiveTable:
    """Return the table of an address; raises HTTPException if there is none."""
    live = await services(request).service.get(request.path_params["table"])
    if live is None:
        raise HTTPException(404, "There is no table at this address that the house can read.")
    return live


def require_own_page(request: Request) -> None:
    """Raise HTTPException for a form on another site's page."""
    if not is_own_origin(request):
        raise HTTPException(403, "This form was not sent from a page of this house.")


def status_and_text(error: Exception) -> tuple[int, str]:
    """Return the status of an error, and a sentence for people; log one of the database."""
    if isinstance(error, RefusedError):
        return 503 if isinstance(error, UnsavedError) else 409, sentence(error)
    if isinstance(error, SQLAlchemyError):
        log.error("the database cannot be used: %s", reason_of(error))
        return 503, f"The database of the house cannot be used now: {public_reason(error)}."
    status = error.status_code if isinstance(error, HTTPException) else 500
    text = str(getattr(error, "detail", ""))
    if text.endswith("."):
        return status, text
    known = {
        400: "The request cannot be read.",
        404: "There is no page at this address.",
        405: "This address does not accept that method.",
    }
    return status, known.get(status, "An internal error occurred. It was logged.")


def sentence(error: object) -> str:
    """Return a message as a sentence; what it quotes may be long, and is truncated."""
    return f"{capital(one_line(str(error)))}."


async def home(request: Request) -> Response:
    """Show the front page."""
    listed = [game_class(name) for name in games()]
    pictures = await work(request, samples, games())
    going_on = await open_games(request)
    return await page(
        request,
        "home",
        games=listed,
        taught=[name for name in games() if has_lesson(name)],
        pictures=pictures,
        open_games=going_on,
        has_tournament=services(request).service.settings.tournament is not None,
    )


async def design(request: Request) -> Response:
    """Show the parts of which all pages are made."""
    return await page(request, "design")


async def offline(request: Request) -> Response:
    """Show what a browser shows later where it cannot reach the house."""
    return await page(request, "offline", unwritten="")  # it is true later, too


async def choose_language(request: Request) -> Response:
    """Keep the language that a visitor has chosen, and lead back to the page."""
    require_own_page(request)
    chosen = (await read_form(request)).get("language", "")
    response = RedirectResponse(way_back(request), 303)
    if chosen in languages():
        response.set_cookie(COOKIE, chosen, max_age=YEAR, samesite="lax", secure=is_secure(request))
    return response


def way_back(request: Request) -> str:
    """Return the path of the page that a request comes from, "/" if it is none of this house."""
    with suppress(ValueError):  # of what is no address
        before = urlsplit(request.headers.get("referer", ""))
        if before.netloc == request.headers.get("host") and before.path.startswith("/"):
            path = "/" + before.path.lstrip("/")
            return before._replace(scheme="", netloc="", path=path).geturl()
    return "/"


async def up(request: Request) -> Response:
    """Lead from an address that takes forms alone to the page above it.

    Whoever loads a refused form again, or chooses a language there, comes to such an address.
    """
    return RedirectResponse(request.url.path.rpartition("/")[0], 303)


async def rules(request: Request) -> Response:
    """Show the rules of a game: in pictures if it has some, else in words."""
    cls = requested_game(request)
    lesson = await work(request, lesson_of, cls.name)
    paragraphs = cls.how_to_play.split("\n")
    pictures = {} if lesson else await work(request, samples, [cls.name])
    return await page(
        request,
        "rules",
        game=cls,
        lesson=lesson,
        paragraphs=paragraphs[-1:] if lesson else paragraphs,
        picture=pictures.get(cls.name),
        has_puzzles=cls.name in puzzle_games(),
        open_games=await open_games(request),
    )


async def new(request: Request) -> Response:
    """Show the form for a new game; the query may contain values of its fields."""
    return await form_page(request, requested_game(request), request.query_params)


async def form_page(
    request: Request, cls: type[Game], form: Mapping[str, str], problem: str = ""
) -> Response:
    """Return the form for a new game, with its rejected values and the reason."""
    return await page(
        request,
        "new",
        status=422 if problem else 200,
        game=cls,
        form=form,
        own=OWN,
        clocks=USUAL,
        levels=LEVEL_NAMES,
        usual_level=str(DEFAULT_LEVEL),
        arrangement=component(cls, "arrangement"),
        most=MAX_CELLS,
        problem=problem,
    )


async def arrange(request: Request) -> Response:
    """Show a player's army before a game, to be arranged; the query has the fields of the form."""
    cls, form = requested_game(request), dict(request.query_params)
    try:
        shown = await work(request, read_arrangement, cls, form)
    except GridhouseError as error:
        return await form_page(request, cls, form, sentence(error))
    form |= {"side": str(shown.side), "army": " ".join(shown.army)}
    return await page(request, "arrange", game=cls, form=form, shown=shown)


async def create(request: Request) -> Response:
    """Create a table from a form, and redirect to it."""
    cls = requested_game(request)
    require_own_page(request)
    form = await read_form(request)
    try:
        options = await work(request, read_options, cls, form)
    except GridhouseError as error:
        return await form_page(request, cls, form, sentence(error))
    request.app.state.new_tables.count(request)
    try:
        return await create_table(request, options)
    except RefusedError as error:
        return await form_page(request, cls, form, sentence(error))


async def create_table(request: Request, options: TableOptions) -> Response:
    """Create a table, and give the visitor a seat at it; raises RefusedError."""
    visitor, cookie = services(request).auth.identify_or_create(request)
    name = await request.app.state.listings.create(request, options, visitor)
    return redirect_to_table(request, name, cookie)


def redirect_to_table(request: Request, name: str, cookie: str) -> Response:
    """Redirect to a table, and store the visitor's cookie."""
    response = RedirectResponse(f"/t/{name}", 303)
    set_cookie(request, response, cookie)
    return response


async def table(request: Request) -> Response:
    """Show a table's current position; the page's script updates it."""
    live = await requested_table(request)
    visitor = services(request).auth.visitor(request)
    context = await work(request, table_context, live.snapshot, visitor)
    return await page(
        request,
        "table",
        **context,
        offers_lesson=context["sits"] and await is_first(request, live.snapshot.table, visitor),
        settings=services(request).service.settings,
        origins=request.app.state.origins if is_local(request) else None,
        phrases=PHRASES,
    )


async def is_first(request: Request, table: Table, visitor: str | None) -> bool:
    """Tell whether nobody has moved, and the visitor never played a game that has a lesson."""
    name = table.state.game.name
    if visitor is None or table.plies or not has_lesson(name):
        return False
    count_own = services(request).service.store.count_own
    own = await work(request, count_own, visitor, Chosen(name))
    return own == (table.opponent == FRIENDS)  # which is the visitor's own before the first move


def table_context(snapshot: Snapshot, visitor: str | None) -> dict[str, Any]:
    """Return what the page of a table shows to a visitor."""
    table = snapshot.table
    seats = table.seats_of(visitor)
    shown = in_language(view(snapshot, viewpoint_of(table, visitor, None), sits=bool(seats)))
    return {
        "table": table,
        "game": table.state.game,
        "sits": bool(seats),
        "seats": seats,
        "shown": shown,
        "forms": gesture_forms(table.state) if shown["drawn"] else GestureForms(False, []),
        "caption": caption(table, visitor),
        "again": urlencode(form_of(table, visitor)),
        "arranges": bool(seats) and may_arrange(table),
        "levels": neighbours(table),
    }


class GestureForms(NamedTuple):
    """What names the moves of a game, legal or not: whether two cells do, and all choices."""

    pairs: bool
    choices: list[str]


def gesture_forms(state: State) -> GestureForms:
    """Return what names the moves of a game with pictures."""
    found = [state.gesture(action) for action in range(state.game.num_actions)]
    choices = {choice for _, choice in found if choice}
    return GestureForms(any(len(cells) == 2 for cells, _ in found), sorted(choices))


def may_arrange(table: Table) -> bool:
    """Tell whether a player may still want to arrange an army and begin anew with it."""
    arrangement = component(type(table.state.game), "arrangement")
    return table.opponent == MACHINE and not table.plies and arrangement is not None


def neighbours(table: Table) -> list[tuple[str, int]]:
    """Return the next level up and down of a machine's table, with their names."""
    level = table.level
    if table.opponent != MACHINE or level is None:
        return []
    ways = (("Level up", level + 1), ("Level down", level - 1))
    return [(name, other) for name, other in ways if other in LEVELS]


async def rematch(request: Request) -> Response:
    """Lead a player from a finished game to the next one with the sides swapped."""
    require_own_page(request)
    live = await requested_table(request)
    form = await read_form(request)
    service, auth = services(request)
    visitor = auth.visitor(request) or ""
    is_joining = live.table.rematch is not None and live.table.opponent == FRIENDS
    if not is_joining and live.table.seats_of(visitor):
        request.app.state.new_tables.count(request)
    level = parse_integer(form["level"]) or 0 if "level" in form else None
    create = partial(service.rematch, live, visitor, level)
    # That of friends is not in the lobby.
    is_listed = live.table.opponent != FRIENDS and await service.is_listed(live)
    add = request.app.state.listings.add
    try:
        name = await (add(request, visitor, create) if is_listed else create())
    except RefusedError as error:
        raise HTTPException(*status_and_text(error)) from None
    return RedirectResponse(f"/t/{name}", 303)


async def invitation(request: Request) -> Response:
    """Show an invitation; opening the page does not take the seat yet.

    A visitor who already has a seat there is redirected to the table.
    """
    live = await invited(request)
    if live.table.seats_of(services(request).auth.visitor(request)):
        return RedirectResponse(f"/t/{live.table.id}", 303)
    table, game = live.table, live.table.state.game
    hosts = list(table.seated_visitors.values())
    service = services(request).service
    profile = await work(request, service.visitors.profile, hosts[0] if hosts else None)
    return await page(
        request,
        "join",
        table=table,
        game=game,
        names=[game.players[seat] for seat in table.open_seats()],
        host=profile.name,
        face=identicon(hosts[0], profile.picture) if hosts else "",
        board=game.board_words,
        chosen=table.given and not game.perfect_information,
        clock=table.clock.words() if table.clock else "There is no clock.",
    )


async def join(request: Request) -> Response:
    """Give an invited visitor the free seat."""
    require_own_page(request)
    live = await invited(request)
    service, auth = services(request)
    visitor, cookie = auth.identify_or_create(request)
    try:
        await service.submit(live, Command(SEAT, visitor=visitor))
    except RefusedError as error:
        raise HTTPException(*status_and_text(error)) from None
    return redirect_to_table(request, live.table.id, cookie)


async def invited(request: Request) -> LiveTable:
    """Return the table of an invitation; raises HTTPException if it is not valid."""
    live = await requested_table(request)
    if not services(request).auth.is_invited(live.table.id, request.path_params["invitation"]):
        raise HTTPException(404, "This is no invitation to this table.")
    return live


def is_local(request: Request) -> bool:
    """Tell whether a page was opened at an address that only this machine understands."""
    return is_loopback(request.url.hostname or "")


def shared_origins(request: Request) -> list[str]:
    """Return the addresses of this house for others.

    They are those in the network of this machine if the house listens there and the page was opened
    on this machine, else that of the request.
    """
    own = f"{request.url.scheme}://{request.url.netloc}"
    return list(request.app.state.origins or [own]) if is_local(request) else [own]


def file_viewpoint(request: Request, shown: Table) -> Viewpoint:
    """Return the viewpoint for a saved file; of a screen for two, the public one."""
    return viewpoint_of(shown, services(request).auth.visitor(request), None)


async def saved_picture(request: Request) -> Response:
    """Return a table's picture as a file."""
    live = await requested_table(request)
    try:
        viewpoint = file_viewpoint(request, live.table)
        svg = await work(request, live.snapshot.saved_picture, viewpoint)
    except PictureError as error:
        raise HTTPException(404, sentence(error)) from None
    headers = OWN_FILE | attachment(f"{live.table.state.game.name}.svg")
    return Response(svg, media_type=SVG, headers=headers)


async def saved_record(request: Request) -> Response:
    """Return a game's start and moves as text, or its position on one line."""
    live = await requested_table(request)
    is_record = request.url.path.endswith("record.txt")
    try:
        written = live.table.record if is_record else live.table.position_text
        text = await work(request, written)
    except RefusedError as error:
        raise HTTPException(403, f"This game cannot be saved as text: {error}.") from None
    return PlainTextResponse(text if is_record else text + "\n", headers=OWN_FILE)


def attachment(name: str) -> dict[str, str]:
    """Return the header that makes a browser save the response as a file."""
    return {"content-disposition": f'attachment; filename="{name}"'}


def samples(names: list[str]) -> dict[str, str]:
    """Return a picture of a running game for each name; the game changes every day."""
    today = datetime.date.today().isoformat()
    return {name: sample_picture(name, today) for name in names}


@lru_cache(maxsize=32)
def sample_picture(name: str, day: str) -> str:
    """Return a picture after some random moves, "" for a game without pictures."""
    state: State = game_class(name)().new_initial_state(day)
    chance = random.Random(f"{name} {day}")
    for _ in range(MOVES_SHOWN):
        after = state.clone()
        after.apply_action(chance.choice(state.legal_actions()))
        if after.is_terminal():
            break
        state = after
    try:
        return state.public_picture().inline(named=False)
    except PictureError:
        return ""

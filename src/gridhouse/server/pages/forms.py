"""The form for a new game: its fields, and the table options that they give."""

from __future__ import annotations

import random
import secrets
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from gridhouse.core.components import component
from gridhouse.core.errors import GridhouseError, ParameterError
from gridhouse.core.notation import parse_integer
from gridhouse.core.registry import parse, parse_game
from gridhouse.players.levels import LEVELS
from gridhouse.server.clock import Clock
from gridhouse.server.settings import MAX_BODY, MAX_CELLS, MAX_START
from gridhouse.server.tables.table import ANALYSIS, HOTSEAT, MACHINE, OPPONENTS, TableOptions

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from starlette.requests import Request

    from gridhouse.core.game import Game, State
    from gridhouse.server.tables.table import Table

OWN = "own"  # the visitor's parameters instead of a preset
RANDOM_SIDE = "random"
DEFAULT_LEVEL = 3
IN_A_THREAD = 4 * 1024  # bytes from which on a form is read in a thread
SHUFFLED = "random"  # the set-up in which the game shuffles both armies


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request; raises HTTPException if it is longer than so many bytes."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise HTTPException(413, f"The request is longer than {most // 1024} KiB.")
    except ClientDisconnect:
        raise HTTPException(400, "The request ended too early.") from None
    return body


async def read_file(request: Request, most: int) -> bytes:
    """Return the file of a submitted form, b"" without one; raises HTTPException."""
    body = await read_body(request, most)

    async def parts() -> AsyncGenerator[bytes, None]:
        yield body

    try:
        form = await MultiPartParser(request.headers, parts(), max_files=1, max_fields=10).parse()
    except (MultiPartException, UnicodeError):
        return b""
    files = [value for value in form.values() if isinstance(value, UploadFile)]
    content = await files[0].read() if files else b""
    await form.close()
    return content


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a submitted form; raises HTTPException if it is too long."""
    body = await read_body(request, MAX_BODY)
    try:
        if len(body) < IN_A_THREAD:
            return fields_of(body)
        return await request.app.state.service.work.run(fields_of, body)  # type: ignore[no-any-return]
    except ValueError:
        raise HTTPException(400, "The request is not a form.") from None


def fields_of(body: bytes) -> dict[str, str]:
    """Return the fields of a form; raises ValueError."""
    return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=50))


def read_options(cls: type[Game], form: Mapping[str, str]) -> TableOptions:
    """Return the options that a form describes; raises GridhouseError."""
    players = len(cls.players)
    listed, given = "listed" in form, bool(form.get("start", "").strip())
    if players == 1:
        start = read_start(cls, form, 0)
        return TableOptions(start, HOTSEAT, 0, 0, None, listed, given=given)
    opponent = form.get("opponent", MACHINE)
    if opponent not in OPPONENTS:
        raise ParameterError("opponent: must be machine, friends, hotseat or analysis")
    level = parse_integer(form.get("level", str(DEFAULT_LEVEL)))
    if level is None or level not in LEVELS:
        raise ParameterError(f"level: must be a number from {LEVELS[0]} to {LEVELS[-1]}")
    side = read_side(form.get("side", "0"), players)
    clock = None if opponent == ANALYSIS else Clock.read(form.get("clock", ""))
    start = read_start(cls, form, side)
    return TableOptions(start, opponent, level, side, clock, listed, given=given)


class Arrangement(NamedTuple):
    """A player's army before a game: its pieces, their cells, its picture, and ready set-ups."""

    side: int
    army: list[str]
    cells: list[int]
    board: str
    setups: Mapping[str, str]


def read_arrangement(cls: type[Game], form: Mapping[str, str]) -> Arrangement:
    """Return the army that a form describes; raises GridhouseError."""
    module = component(cls, "arrangement")
    if module is None:
        raise GridhouseError(f"{cls.title} has nothing to arrange")
    if form.get("start", "").strip():
        raise GridhouseError("a given position cannot be arranged; empty its field first")
    game = read_game(cls, form)
    require_small_board(game)
    side = read_side(form.get("side", "0"), game.num_players)
    army = module.read(game, side, form.get("army") or module.USUAL, random.SystemRandom())
    board = module.half(game, side, army).picture(side).inline()
    return Arrangement(side, army, module.home(game, side), board, module.SETUPS)


def form_of(table: Table, visitor: str | None) -> dict[str, str]:
    """Return the fields of the form for another game like that of a table."""
    game = table.state.game
    form = {"preset": game.preset or OWN}
    if not game.preset:
        values = game.values.items()
        form |= {f"p-{name}": str(value) for name, value in values if value is not False}
    if game.num_players == 1:
        return form
    form["opponent"] = table.opponent
    if table.level is not None:
        form["level"] = str(table.level)
    seats = table.seats_of(visitor)
    if len(seats) == 1:
        form["side"] = str(seats[0])
    if table.clock is not None:
        form["clock"] = str(table.clock)
    return form


def read_side(text: str, players: int) -> int:
    """Return the player of the field "side"; raises ParameterError."""
    if text == RANDOM_SIDE:
        return random.randrange(players)
    side = parse_integer(text)
    if side is None or side not in range(players):
        raise ParameterError(f"side: there is no player {text[:20]!r}")
    return side


def read_start(cls: type[Game], form: Mapping[str, str], side: int) -> State:
    """Return the start that a form describes: a position, a file's text, or a new game.

    The army that the form may have is that of the player ``side``.
    """
    seed = secrets.randbits(64)
    text = form.get("start", "").replace("\r\n", "\n")
    if text.lstrip().startswith(cls.name + "("):
        text = text.strip()
        return read_position(text)
    game = read_game(cls, form)
    if text.strip():
        state = game.start_from_file(text, seed)
    else:
        require_small_board(game)
        state = arranged(game, form.get("army", ""), side) or game.new_initial_state(seed)
    return require_small(state)


def read_position(text: str) -> State:
    """Return the position of a line of text; raises GridhouseError, also for a large board."""
    game, _ = parse_game(text)
    require_small_board(game)
    return require_small(parse(text))


def arranged(game: Game, army: str, side: int) -> State | None:
    """Return the start with a player's army, which is pieces or the name of a set-up.

    The other army is a ready-made set-up drawn by chance.  None stands for shuffled armies.
    """
    module = component(type(game), "arrangement")
    if module is None or army == SHUFFLED:
        return None
    chance = random.SystemRandom()
    own = module.read(game, side, army or module.USUAL, chance)
    setup = chance.choice([name for name in module.SETUPS if name != SHUFFLED])
    other = module.ready(game, 1 - side, setup, chance)
    start: State = module.start(game, (own, other) if side == 0 else (other, own))
    return start


def read_game(cls: type[Game], form: Mapping[str, str]) -> Game:
    """Return the game of a form's preset or parameters; raises GridhouseError."""
    preset = form.get("preset", "")
    if preset != OWN:
        return cls.from_preset(preset or cls.usual)
    given: dict[str, object] = {}
    for parameter in cls.parameters:
        text = form.get(f"p-{parameter.name}")
        if isinstance(parameter.default, bool):
            given[parameter.name] = text is not None
        elif text is not None and text.strip():
            given[parameter.name] = parameter.parse(text.strip())
    return cls(**given)


def require_small_board(game: Game) -> None:
    """Raise GridhouseError for a board that is too large for a page."""
    if game.rows * game.cols > MAX_CELLS:
        raise GridhouseError(
            f"a board in the browser may have at most {MAX_CELLS} cells, "
            f"and {game.rows} by {game.cols} are more"
        )


def require_small(state: State) -> State:
    """Return a start that a page can show and a table can keep; else raise GridhouseError."""
    require_small_board(state.game)
    length = len(str(state))
    if length > MAX_START:
        raise GridhouseError(
            f"a position in the browser may have at most {MAX_START} characters, and this one has "
            f"{length}"
        )
    return state

"""The form for a new game: its fields, and the table options that they give."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException

from gridhouse.core.errors import GridhouseError, ParameterError
from gridhouse.core.notation import parse_integer
from gridhouse.core.registry import parse, parse_game
from gridhouse.players.levels import LEVELS
from gridhouse.server.clock import Clock
from gridhouse.server.settings import MAX_BODY, MAX_CELLS
from gridhouse.server.tables.table import FRIENDS, HOTSEAT, MACHINE, TableOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from gridhouse.core.game import Game, State

OWN = "own"  # the visitor's parameters instead of a preset
RANDOM_SIDE = "random"
DEFAULT_LEVEL = 3


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request; raises HTTPException if it has more than ``most`` bytes."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise HTTPException(413, f"The request is longer than {most // 1024} KiB.")
    return body


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a submitted form; raises HTTPException if it is too long."""
    body = await read_body(request, MAX_BODY)
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=50))
    except ValueError:
        raise HTTPException(400, "The request is not a form.") from None


def read_options(cls: type[Game], form: Mapping[str, str]) -> TableOptions:
    """Return the options that a form describes; raises GridhouseError."""
    state = read_start(cls, form, random.getrandbits(64))
    players = state.game.num_players
    listed = "listed" in form
    if players == 1:
        return TableOptions(state, HOTSEAT, 0, 0, None, listed)
    opponent = form.get("opponent", MACHINE)
    if opponent not in (HOTSEAT, MACHINE, FRIENDS):
        raise ParameterError("opponent: must be hotseat, machine or friends")
    level = parse_integer(form.get("level", str(DEFAULT_LEVEL)))
    if level is None or level not in LEVELS:
        raise ParameterError(f"level: must be a number from {LEVELS[0]} to {LEVELS[-1]}")
    side = read_side(form.get("side", "0"), players)
    return TableOptions(state, opponent, level, side, Clock.read(form.get("clock", "")), listed)


def read_side(text: str, players: int) -> int:
    """Return the player of the field "side"; raises ParameterError."""
    if text == RANDOM_SIDE:
        return random.randrange(players)
    side = parse_integer(text)
    if side is None or side not in range(players):
        raise ParameterError(f"side: there is no player {text[:20]!r}")
    return side


def read_start(cls: type[Game], form: Mapping[str, str], seed: int) -> State:
    """Return the start that a form describes: a position, a file's text, or a game with a seed."""
    text = form.get("start", "").replace("\r\n", "\n")
    if text.lstrip().startswith(cls.name + "("):
        text = text.strip()
        game, _ = parse_game(text)
        require_small_board(game)
        return parse(text)
    game = read_game(cls, form)
    if not text.strip():
        require_small_board(game)
        return game.new_initial_state(seed)
    state = game.start_from_file(text, seed)
    require_small_board(state.game)
    return state


def read_game(cls: type[Game], form: Mapping[str, str]) -> Game:
    """Return the game of a form's preset or parameters; raises GridhouseError."""
    preset = form.get("preset", "")
    if preset in cls.presets:
        return cls(**cls.presets[preset])
    if preset not in ("", OWN):
        raise ParameterError(f"there is no preset {preset[:20]!r}")
    given: dict[str, object] = {}
    for parameter in cls.parameters:
        text = form.get(f"p-{parameter.name}")
        if isinstance(parameter.default, bool):
            if preset == OWN:
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

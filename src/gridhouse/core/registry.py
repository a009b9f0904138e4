"""Finding games: every folder of ``gridhouse.games`` is a game."""

from __future__ import annotations

from functools import lru_cache

from gridhouse.core.errors import PositionError, UnknownGameError
from gridhouse.core.notation import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import Game, State


def games() -> list[str]:
    """Return the names of all games.

    >>> "binary" in games()
    True
    """
    import importlib
    import pkgutil

    package = importlib.import_module("gridhouse.games")
    return sorted(found.name for found in pkgutil.iter_modules(package.__path__) if found.ispkg)


@lru_cache(maxsize=None)
def game_class(name: str) -> type[Game]:
    """Return the class of a game, else raise UnknownGameError."""
    import importlib

    if name not in games():
        names = ", ".join(games())
        raise UnknownGameError(f"there is no game {shown(name)}; the games are {names}")
    module = importlib.import_module(f"gridhouse.games.{name}.game")
    cls: type[Game] = module.GAME
    return cls


def load(name: str, /, **parameters: object) -> Game:
    """Return a game with parameters.

    Raises UnknownGameError or ParameterError.

    >>> str(load("binary", rows=2, cols=3))
    'binary(rows=2,cols=3)'
    """
    return game_class(name)(**parameters)


def parse_game(text: str) -> tuple[Game, str]:
    """Return the game at the beginning of a line of text, and the rest of the line.

    Raises UnknownGameError, ParameterError or PositionError.

    >>> parse_game("binary(rows=2,cols=3) 0../...")
    (gridhouse.load('binary', rows=2, cols=3), ' 0../...')
    """
    name, opening, rest = text.partition("(")
    parameters, closing, description = rest.partition(")")
    if not opening or not closing:
        raise PositionError(f"{shown(text)} is not of the form 'game(parameters) position'")
    return game_class(name.strip()).from_text(parameters), description


def parse(text: str) -> State:
    """Return the state of a line of text, which is ``str(state)`` or ``name(parameters)#seed``.

    The latter is the start of a game.  Raises UnknownGameError, ParameterError or PositionError.

    >>> parse("binary(rows=2,cols=2) 0./..").legal_moves()
    ['1 0 1', '0 1 1', '1 1 0', '1 1 1']
    """
    game, description = parse_game(text)
    mark, rest = description[:1], description[1:]
    if mark == "#":
        return game.new_initial_state(rest)
    if mark != " ":
        raise PositionError(f"{shown(text)} has no blank or # after its parameters")
    return game.parse(rest)

"""Players: random, greedy, searches, levels for people, and solvers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from gridhouse.core import compile_queue
from gridhouse.core.compile_queue import Unit, has_compiler
from gridhouse.core.errors import PlayerError
from gridhouse.core.notation import parse_number, shown
from gridhouse.players.auto import AutoPlayer
from gridhouse.players.base import Choice, Contestant, Limits, Player
from gridhouse.players.levels import LEVELS, LevelPlayer, level_table
from gridhouse.players.searching import SEARCHES
from gridhouse.players.simple import GreedyPlayer, RandomPlayer
from gridhouse.players.solving import SolverPlayer, has_adviser

if TYPE_CHECKING:
    from gridhouse.core.game import Game

__all__ = [
    "KINDS",
    "Choice",
    "Contestant",
    "Limits",
    "Player",
    "parse_player",
    "player",
    "strongest",
]

KINDS: dict[str, type[Player]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    **SEARCHES,
    "level": LevelPlayer,
    "perfect": SolverPlayer,
}
NOT_BY_TEXT = ("kind", "game", "seed", "jit", "constants")  # settings that the caller decides
MOST = 10**15  # what a setting or a limit may be: searches count in 64 bits
UNITS = {"s": "seconds", "n": "nodes", "p": "playouts"}


def player(
    kind: str, game: Game, *, seed: int = 0, jit: bool | None = None, **settings: Any
) -> Player:
    """Return a player of a kind for a game.

    The kinds are random, greedy, mcts, pomcp, alphabeta, nested, level, and, for games with an
    adviser, perfect.  ``settings`` are the settings of the player's class.  By default the player
    runs interpreted until its compiled code is ready.  With ``jit=True`` it waits for the compiler;
    with ``jit=False`` it is always interpreted.  Raises PlayerError for an unknown kind, a kind
    that does not play such games, an unknown setting, and an impossible value.

    >>> import gridhouse
    >>> state = gridhouse.load("binary", rows=3, cols=3).new_initial_state()
    >>> choice = player("mcts", state.game).choose(state, Limits(playouts=2000))
    >>> state.apply_action(choice.action)
    """
    if kind not in KINDS:
        hint = "; settings are arguments of their own" if ":" in kind else ""
        known = ", ".join(KINDS)
        raise PlayerError(f"there is no player {shown(kind)}; the kinds are {known}{hint}")
    types = settings_of(kind)
    for name, value in settings.items():
        if types.get(name, "").startswith("int") and isinstance(value, float):
            raise PlayerError(f"{kind}: {name}: {value} is not a whole number")

    def make(jit: bool) -> Player:
        return KINDS[kind](game, seed=seed, jit=jit, **settings)

    try:
        if jit is not None or kind == "random":
            return make(bool(jit))
        if compile_queue.mode() != compile_queue.BESIDE or settings.get("constants"):
            return make(compile_queue.mode() != compile_queue.NEVER and has_compiler())
        return AutoPlayer(Unit(compiled_kind(kind, game), game), make)
    except TypeError as error:
        unknown = next((name for name in settings if name not in types), None)
        reason = error if unknown is None else f"there is no setting {shown(unknown)}"
        raise PlayerError(f"{kind}: {reason}") from None
    except MemoryError:
        raise PlayerError(f"{kind}: there is not enough memory") from None


def compiled_kind(kind: str, game: Game) -> str:
    """Return the kind of player whose compiled code a kind needs."""
    if kind != "level":
        return kind
    return next(name for name, cls in KINDS.items() if cls is level_table(game).player)


@cache
def settings_of(kind: str) -> dict[str, str]:
    """Return the types, as source text, of all settings of a kind of player, by name."""
    from inspect import signature

    return {
        name: parameter.annotation
        for base in KINDS[kind].__mro__
        if "__init__" in vars(base)
        for name, parameter in signature(vars(base)["__init__"]).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }


def strongest(game: Game, *, seed: int = 0, **settings: Any) -> Player:
    """Return the strongest player of a game: one that asks its solver, if there is one to ask."""
    if has_adviser(game):
        return player("perfect", game, seed=seed, **settings)
    return player("level", game, level=LEVELS[-1], seed=seed, **settings)


def best_kind(game: Game) -> str:
    """Return the kind of player whose compiled code the strongest player needs."""
    return "perfect" if has_adviser(game) else compiled_kind("level", game)


def parse_player(text: str, game: Game, *, seed: int = 0) -> Contestant:
    """Return the player and the limits of a text: ``mcts``, ``mcts:rave=500@0.02s``, ``level:5``.

    Settings of the player follow a colon; names in capitals are constants of the game's evaluation.
    A limit in seconds (``s``), nodes (``n``) or playouts (``p``) follows ``@``.  Raises PlayerError
    or ParameterError.
    """
    rest, _, limit = text.partition("@")
    kind, _, listed = rest.partition(":")
    if kind == "level" and listed.isdecimal():
        listed = f"level={listed}"
    settings: dict[str, Any] = {}
    constants: dict[str, float] = {}
    for setting in filter(None, listed.split(",")):
        name, _, value = setting.partition("=")
        if name in NOT_BY_TEXT:
            raise PlayerError(f"{shown(text)}: there is no setting {name}")
        (constants if name.isupper() else settings)[name] = _number(value, text)
    made = player(kind, game, seed=seed, constants=constants, **settings)
    return Contestant(made, _limits(limit, text))


def _limits(limit: str, text: str) -> Limits | None:
    if not limit:
        return None
    unit = UNITS.get(limit[-1])
    if unit is None:
        raise PlayerError(f"{shown(text)}: {shown(limit)} does not end with s, n or p")
    amount: Any = _number(limit[:-1], text)
    return Limits(**{unit: amount})


def _number(value: str, text: str) -> float:
    """Return a whole or decimal number up to ``MOST``, else raise PlayerError."""
    try:
        return parse_number(value, MOST)
    except ValueError as error:
        raise PlayerError(f"{shown(text)}: {error}") from None

"""Whatever picks a move: at random, by a look, or by a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gridhouse.core.errors import PlayerError
from gridhouse.core.notation import shown
from gridhouse.players.base import Choice, Limits, Player
from gridhouse.players.searching import AlphaBetaPlayer, MctsPlayer, NestedPlayer
from gridhouse.players.simple import GreedyPlayer, RandomPlayer

if TYPE_CHECKING:
    from gridhouse.core.game import Game

__all__ = ["KINDS", "Choice", "Limits", "Player", "player", "seat"]

KINDS: dict[str, type[Player]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "mcts": MctsPlayer,
    "alphabeta": AlphaBetaPlayer,
    "nested": NestedPlayer,
}


def player(kind: str, game: Game, *, seed: int = 0, **settings: Any) -> Player:
    """Return a player of a kind for a game: random, greedy, mcts, alphabeta or nested.

    Raises PlayerError for a kind that there is not, or that does not play such games.
    """
    if kind not in KINDS:
        raise PlayerError(f"there is no player {shown(kind)}; the kinds are {', '.join(KINDS)}")
    return KINDS[kind](game, seed=seed, **settings)


def seat(text: str, game: Game, *, seed: int = 0) -> tuple[Player, Limits]:
    """Return the player and the limits that a text names: ``mcts``, ``mcts:rave=500@0.02s``.

    After a colon stand settings of the player, those in capitals constants of the game's
    evaluation; after ``@`` a limit in seconds (``s``), nodes (``n``) or playouts (``p``).
    Raises PlayerError or ParameterError.
    """
    rest, _, limit = text.partition("@")
    kind, _, listed = rest.partition(":")
    settings: dict[str, Any] = {}
    constants: dict[str, float] = {}
    for part in filter(None, listed.split(",")):
        name, _, value = part.partition("=")
        (constants if name.isupper() else settings)[name] = _number(value)
    limits = Limits(**{_UNITS.get(limit[-1:], limit): _number(limit[:-1])}) if limit else Limits()
    return player(kind, game, seed=seed, constants=constants, **settings), limits


_UNITS = {"s": "seconds", "n": "nodes", "p": "playouts"}


def _number(text: str) -> Any:
    return float(text) if "." in text else int(text)

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

__all__ = ["KINDS", "Choice", "Limits", "Player", "player"]

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

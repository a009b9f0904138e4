"""Eight opponents for people, each clearly stronger than the one below.

A level is a search of a certain size that now and then lets a random move slip in; the first is
there to be beaten by a child.  ``docs/strength.md`` holds what they were measured to make against
each other.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from gridhouse.core.errors import PlayerError
from gridhouse.players.base import Choice, Limits, Player
from gridhouse.players.searching import AlphaBetaPlayer, MctsPlayer, NestedPlayer
from gridhouse.search.engine import best_search

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State

# How often in a hundred moves a level errs, and how large its search is: nodes of alpha-beta,
# playouts of Monte-Carlo tree search, playouts of nested search.
LADDER = (
    (85, 50, 10, 1),
    (65, 200, 20, 5),
    (45, 500, 50, 10),
    (25, 1_000, 100, 30),
    (10, 2_000, 300, 100),
    (2, 5_000, 1_000, 300),
    (0, 30_000, 4_000, 2_000),
    (0, 300_000, 30_000, 10_000),
)
LEVELS = range(1, len(LADDER) + 1)


class LevelPlayer(Player):
    """A player of a level from 1 to 8; it takes as long as its level takes, whatever the limits."""

    def __init__(self, game: Game, *, level: int, seed: int = 0, **settings: Any) -> None:
        """Sit down to a game; raises PlayerError for a level that there is not."""
        if level not in LEVELS:
            raise PlayerError(f"there is no level {level}; levels are 1 to {len(LADDER)}")
        super().__init__(game, seed=seed, **settings)
        slips, nodes, playouts, games = LADDER[level - 1]
        self._slips = slips / 100
        self._chance = random.Random(seed)
        self._best: Player
        if game.num_players == 1:
            self._best = NestedPlayer(game, seed=seed, **settings)
            self._limits = Limits(playouts=games)
        elif best_search(game) == "alphabeta":
            self._best = AlphaBetaPlayer(game, seed=seed, **settings)
            self._limits = Limits(nodes=nodes)
        else:
            self._best = MctsPlayer(game, seed=seed, **settings)
            self._limits = Limits(playouts=playouts)

    def _choose(self, state: State, limits: Limits) -> Choice:
        if self._chance.random() < self._slips:
            return Choice(self._chance.choice(state.legal_actions()))
        return self._best.choose(state, self._limits)

    def stop(self) -> None:
        """Make a choice that another thread waits for come at once."""
        self._best.stop()

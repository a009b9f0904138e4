"""Eight opponents for people, each clearly stronger than the one below.

A level is a search of a certain size that now and then lets a random move slip in; the first is
there to be beaten by a child.  ``docs/strength.md`` holds what they were measured to make against
each other.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core.components import solver_component
from gridhouse.core.errors import PlayerError
from gridhouse.players.base import Choice, Limits, Player
from gridhouse.players.searching import AlphaBetaPlayer, MctsPlayer, NestedPlayer, PomcpPlayer
from gridhouse.players.solving import SolverPlayer
from gridhouse.search.engine import best_search

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State


class Ladder(NamedTuple):
    """Who plays, in what its search is measured, and of each level its slips and its search.

    Slips are how often in a hundred moves it errs.
    """

    player: type[Player]
    unit: str
    levels: tuple[tuple[int, float], ...]


LADDERS = {
    "alphabeta": Ladder(AlphaBetaPlayer, "nodes", (
        (85, 50), (65, 200), (45, 500), (28, 800),
        (15, 1_500), (7, 3_000), (3, 20_000), (0, 300_000),
    )),
    "mcts": Ladder(MctsPlayer, "playouts", (
        (85, 10), (65, 20), (45, 50), (25, 100),
        (10, 300), (2, 1_000), (0, 4_000), (0, 30_000),
    )),
    # Luck evens out much of what a longer search sees: levels differ by their slips as well.
    "pomcp": Ladder(PomcpPlayer, "playouts", (
        (93, 50), (82, 50), (69, 60), (55, 90),
        (41, 150), (24, 350), (10, 800), (0, 4_000),
    )),
    "nested": Ladder(NestedPlayer, "playouts", (
        (92, 1), (70, 3), (52, 8), (36, 15),
        (23, 30), (13, 60), (5, 200), (0, 3_000),
    )),
    # Where it counts how soon a puzzle is solved, a weak search would never come to its end.
    "solver": Ladder(SolverPlayer, "seconds", (
        (70, 0.5), (60, 0.5), (50, 0.5), (40, 0.5),
        (30, 0.5), (20, 0.5), (10, 0.5), (0, 0.5),
    )),
}  # fmt: skip
LEVELS = range(1, 9)
MOMENT = 0.7  # seconds that a search has that runs interpreted


def ladder(game: Game) -> Ladder:
    """Return the levels of a game."""
    if game.fewer_is_better and solver_component(type(game), "advice") is not None:
        return LADDERS["solver"]
    return LADDERS[best_search(game)]


class LevelPlayer(Player):
    """A player of a level from 1 to 8; it takes as long as its level takes, whatever the limits."""

    def __init__(
        self, game: Game, *, level: int, seed: int = 0, jit: bool = True, **settings: Any
    ) -> None:
        """Sit down to a game; raises PlayerError for a level that there is not.

        Without ``jit`` it does as much as a moment allows.
        """
        if level not in LEVELS:
            raise PlayerError(f"there is no level {level}; levels are 1 to {LEVELS[-1]}")
        super().__init__(game, seed=seed, jit=jit, **settings)
        self.is_timed = not jit
        kind, unit, levels = ladder(game)
        slips, size = levels[level - 1]
        self._slips = slips / 100
        self._chance = random.Random(seed)
        self._best = kind(game, seed=seed, jit=jit, **settings)
        limit: dict[str, Any] = {unit: size}
        if not jit:
            limit["seconds"] = min(MOMENT, limit.get("seconds", MOMENT))
        self._limits = Limits(**limit)

    def _choose(self, state: State, limits: Limits) -> Choice:
        if self._chance.random() < self._slips:
            return Choice(self._chance.choice(state.legal_actions()))
        return self._best.choose(state, self._limits)

    def stop(self) -> None:
        """Make a choice that another thread waits for come at once."""
        self._best.stop()

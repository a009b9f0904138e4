"""Eight levels for people, each clearly stronger than the level below.

A level is a search of a fixed size with a blunder rate: the share of its moves that are random.  A
child can beat level 1.  ``docs/strength.md`` has the measured results of the levels.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core.errors import PlayerError
from gridhouse.players.base import Choice, Limits, Player
from gridhouse.players.searching import AlphaBetaPlayer, MctsPlayer, NestedPlayer, PomcpPlayer
from gridhouse.players.solving import SolverPlayer, has_adviser
from gridhouse.search.engine import best_search

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State


class LevelTable(NamedTuple):
    """The levels of a kind of game: their player, and each level's blunder rate and search size.

    ``unit`` is the limit that the search size sets.  The blunder rate is in percent.
    """

    player: type[Player]
    unit: str
    levels: tuple[tuple[float, float], ...]


LEVEL_TABLES = {  # by a game's name, else by its best search
    "alphabeta": LevelTable(AlphaBetaPlayer, "nodes", (
        (66, 190), (50, 405), (32, 760), (19, 1_310),
        (11, 2_550), (5.5, 6_000), (2.5, 33_000), (0, 120_000),
    )),
    # Luck brings the levels of Sinks nearer together.
    "sinks": LevelTable(AlphaBetaPlayer, "nodes", (
        (84, 60), (61, 240), (46, 490), (28, 850),
        (15, 1_650), (9, 3_400), (4, 14_000), (0, 240_000),
    )),
    "mcts": LevelTable(MctsPlayer, "playouts", (
        (62, 18), (43, 46), (28, 95), (14.5, 235),
        (8.8, 490), (4.6, 1_030), (1.6, 2_200), (0, 6_000),
    )),
    # Luck hides most of the effect of a longer search, so the levels differ in blunders as well.
    "pomcp": LevelTable(PomcpPlayer, "playouts", (
        (96, 50), (80.5, 50), (69, 60), (55, 90),
        (41, 150), (24, 350), (10, 800), (0, 4_000),
    )),
    "nested": LevelTable(NestedPlayer, "playouts", (
        (94, 1), (69, 3), (54, 7), (37, 14),
        (21, 35), (12, 72), (5, 220), (0, 1_600),
    )),
    # A weak search would never solve a puzzle whose result is its number of moves.
    "solver": LevelTable(SolverPlayer, "seconds", (
        (52, 0.5), (44, 0.5), (36, 0.5), (27, 0.5),
        (18.5, 0.5), (11, 0.5), (4.3, 0.5), (0, 0.5),
    )),
}  # fmt: skip
LEVEL_NAMES = (
    "Novice", "Beginner", "Casual", "Regular", "Skilled", "Strong", "Expert", "Master",
)  # fmt: skip
LEVELS = range(1, len(LEVEL_NAMES) + 1)
INTERPRETED_SECONDS = 0.7  # the most time of an interpreted search


def level_in_words(level: int) -> str:
    """Return a level's number and name."""
    return f"level {level}, {LEVEL_NAMES[level - 1]}"


def level_table(game: Game) -> LevelTable:
    """Return the levels of a game."""
    if game.fewer_is_better and has_adviser(game):
        return LEVEL_TABLES["solver"]
    return LEVEL_TABLES.get(game.name) or LEVEL_TABLES[best_search(game)]


class LevelPlayer(Player):
    """A player of a level from 1 to 8; its level sets the limits of its search."""

    def __init__(
        self,
        game: Game,
        *,
        level: int | None = None,
        seed: int = 0,
        jit: bool = True,
        **settings: Any,
    ) -> None:
        """Set up for a game; raise PlayerError without a level, or for one that does not exist.

        Without ``jit`` the search has a limit of time as well.
        """
        if level is None:
            raise PlayerError(f"level: which one, 1 to {LEVELS[-1]}? level=3, or level:3 in a text")
        if level not in LEVELS:
            raise PlayerError(f"there is no level {level}; levels are 1 to {LEVELS[-1]}")
        super().__init__(game, seed=seed, jit=jit, **settings)
        self.is_timed = not jit
        kind, unit, levels = level_table(game)
        percent, size = levels[level - 1]
        self._blunder_rate = percent / 100
        self._random = random.Random(seed)
        self._player = kind(game, seed=seed, jit=jit, **settings)
        limit: dict[str, Any] = {unit: size}
        if not jit:
            limit["seconds"] = min(INTERPRETED_SECONDS, limit.get("seconds", INTERPRETED_SECONDS))
        self._limits = Limits(**limit)

    def _choose(self, state: State, limits: Limits) -> Choice:
        if self._random.random() < self._blunder_rate:
            return Choice(self._random.choice(state.legal_actions()))
        return self._player.choose(state, self._limits)

    def stop(self) -> None:
        """End a search of another thread; it returns its choice at once."""
        self._player.stop()

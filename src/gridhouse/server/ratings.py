"""Ratings of visitors against the machine's levels.

The levels have fixed ratings, 150 Elo apart: level 1 has 600 and level 8 has 1650.  A rating is the
one at which a visitor's results are likeliest, with one win and one loss against an average level
added to them: so nobody is rated infinitely high after ten wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_GAMES = 10  # before there is a rating
FIRST, STEP = 600, 150  # of level 1, and between two levels
AVERAGE = FIRST + 3.5 * STEP
LOWEST, HIGHEST = -2000.0, 5000.0
SCALE = 400  # Elo's: 400 points are odds of ten to one
PRECISION = 0.5


class LevelResult(NamedTuple):
    """A game against a level: 1 for a win, 0.5 for a draw, 0 for a loss."""

    level: int
    score: float


def rating(results: Sequence[LevelResult]) -> int | None:
    """Return the rating that results against levels give, None after too few games."""
    if len(results) < MIN_GAMES:
        return None
    opponents = [FIRST + STEP * (result.level - 1) for result in results] + [AVERAGE] * 2
    scored = sum(result.score for result in results) + 1  # of the two games that are added
    low, high = LOWEST, HIGHEST
    while high - low > PRECISION:
        middle = (low + high) / 2
        if sum(expected(middle - opponent) for opponent in opponents) < scored:
            low = middle
        else:
            high = middle
    return round((low + high) / 2)


def expected(ahead: float) -> float:
    """Return the expected score of a player who is rated so much higher."""
    return 1 / (1 + 10 ** (-ahead / SCALE))

"""Ratings of all players of a tournament, with error bars.

The model is Bradley and Terry's (1952): the expected score of a player is the logistic function of
the difference of both ratings, and a draw is half a point.  Ratings are the most likely ones.
Every player is given one more draw, spread over its opponents by their games, so that ratings are
finite where a player won or lost everything, as in BayesElo (Coulom, 2005).

Errors come from Fisher's information, times the dispersion: how much results vary by how much
single games without draws would (Wedderburn, 1974, "Quasi-likelihood functions").  Draws and pairs
of games make it smaller than 1, which the information alone does not know.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gridhouse.arena.statistics.elo import NORMAL
from gridhouse.core.console import UsageError
from gridhouse.core.fast import np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gridhouse.arena.statistics.counts import Counts

    Meetings = Mapping[tuple[str, str], Counts]
    Matrix = NDArray[np.float64]

PRIOR = 1.0  # drawn games of each player
USUAL = 4.0  # games, or pairs of games, of the usual dispersion
ELO = 400 / math.log(10)  # of one unit of the logistic function
STEPS = 100  # most steps of Newton's method, some five are usual
LONGEST = 2.0  # units that a step may change a rating


@dataclass(frozen=True)
class Rating:
    """The rating of a player in Elo, with its interval, games and points.

    Who won everything has no upper bound, and who lost everything no lower one.
    """

    player: str
    elo: float
    low: float
    high: float
    games: int
    points: float


@dataclass(frozen=True)
class Ratings:
    """The ratings of a tournament, the best first; rows of the covariance are in this order."""

    table: tuple[Rating, ...]
    covariance: Matrix

    def difference(self, first: str, second: str) -> tuple[float, float]:
        """Return the difference of two ratings in Elo, and its standard error."""
        one, other = (self._place(name) for name in (first, second))
        signs = np.zeros(len(self.table))
        signs[one] += 1
        signs[other] -= 1
        variance = float(signs @ self.covariance @ signs)
        return self.table[one].elo - self.table[other].elo, math.sqrt(max(0.0, variance))

    def superiority(self, first: str, second: str) -> float:
        """Return how likely the first of two players is the stronger one, between 0 and 1."""
        difference, error = self.difference(first, second)
        return NORMAL.cdf(difference / error) if error else 0.5

    def _place(self, player: str) -> int:
        for place, rating in enumerate(self.table):
            if rating.player == player:
                return place
        raise UsageError(f"{player!r} has no rating")


def rate(
    meetings: Meetings,
    *,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    confidence: float = 0.95,
) -> Ratings:
    """Return the ratings of the players that met, whose counts are those of the first named.

    The mean rating is ``anchor_elo``, or the rating of ``anchor`` if a player is named; errors are
    those of the difference from it.  Raises UsageError for players who met neither directly nor
    through others, for an anchor who did not play, and where nobody played.
    """
    played = {names: counts for names, counts in meetings.items() if counts.games}
    players = sorted({name for names in played for name in names})
    _check(played, players, anchor)
    index = {name: place for place, name in enumerate(players)}
    games, points = (np.zeros((len(players), len(players))) for _ in range(2))
    for (first, second), counts in played.items():
        one, other = index[first], index[second]
        games[one, other] += counts.games
        games[other, one] += counts.games
        points[one, other] += counts.points
        points[other, one] += counts.games - counts.points
    strengths, covariance = _fit(*_with_prior(games, points))
    covariance = covariance * _dispersion(played, strengths, index)
    weights = np.full(len(players), 1 / len(players))
    if anchor is not None:
        weights = np.eye(len(players))[index[anchor]]
    shift = np.eye(len(players)) - weights  # takes the rating of the anchor from every rating
    elos = ELO * shift @ strengths + anchor_elo
    covariance = ELO**2 * shift @ covariance @ shift.T
    errors = NORMAL.inv_cdf((1 + confidence) / 2) * np.sqrt(np.maximum(0, np.diag(covariance)))
    order = sorted(range(len(players)), key=lambda place: (-elos[place], players[place]))
    table = []
    for place in order:
        elo, error = float(elos[place]), float(errors[place])
        total, won = int(games[place].sum()), float(points[place].sum())
        free = players[place] != anchor
        low = -math.inf if free and won == 0 else elo - error
        high = math.inf if free and won == total else elo + error
        table.append(Rating(players[place], elo, low, high, total, won))
    return Ratings(tuple(table), covariance[np.ix_(order, order)])


def _check(played: Meetings, players: list[str], anchor: str | None) -> None:
    """Raise UsageError if these games give no ratings."""
    if not players:
        raise UsageError("no games were played, so nobody has a rating")
    for first, second in played:
        if first == second:
            raise UsageError(f"{first!r} played itself, which says nothing of its rating")
    if anchor is not None and anchor not in players:
        raise UsageError(f"{anchor!r} played no games, so ratings cannot be measured from it")
    group: set[str] = set()
    reached = {players[0]}
    while reached != group:
        group = reached
        reached = group.union(*(names for names in played if group.intersection(names)))
    apart = [name for name in players if name not in group]
    if apart:
        raise UsageError(
            f"{players[0]!r} and {apart[0]!r} met neither directly nor through others, "
            "so their ratings cannot be compared"
        )


def _with_prior(games: Matrix, points: Matrix) -> tuple[Matrix, Matrix]:
    """Return games and points with the draws of the prior."""
    shares = games / games.sum(axis=1, keepdims=True)
    draws = PRIOR * (shares + shares.T) / 2
    return games + draws, points + draws / 2


def _fit(games: Matrix, points: Matrix) -> tuple[Matrix, Matrix]:
    """Return the most likely strengths, of mean 0, and the inverse of their information."""
    strengths: Matrix = np.zeros(len(games))
    for _ in range(STEPS):
        expected = _expected(strengths)
        weights = games * expected * (1 - expected)
        information = np.diag(weights.sum(axis=1)) - weights
        inverse = np.linalg.pinv(information, hermitian=True).astype(np.float64)
        step = inverse @ (points - games * expected).sum(axis=1)
        strengths = strengths + step * min(1.0, LONGEST / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-10:
            break
    return strengths, inverse


def _expected(strengths: Matrix) -> Matrix:
    """Return the score that each player is expected to have against each other."""
    return 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))


def _dispersion(played: Meetings, strengths: Matrix, index: dict[str, int]) -> float:
    """Return the variance of results by that of single games without draws.

    Some more of them, without draws between equals, keep it from being too small where there were
    few and nearly all ended alike.
    """
    expected = _expected(strengths)
    squares = usual = USUAL * 0.25
    for (first, second), counts in played.items():
        score = expected[index[first], index[second]]
        squares += counts.squares(score) * counts.games_each
        usual += counts.total * score * (1 - score)
    return squares / usual

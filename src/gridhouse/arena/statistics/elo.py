"""The Elo difference that results show, with its interval, and who is the stronger.

The interval of the mean score is Gaffke's (2005, "Three test statistics for a nonparametric
one-sided hypothesis on the mean of a nonnegative variable"): its lower bound is the quantile of the
mean of a random distribution, namely the Dirichlet distribution of the counts with one more worst
result; the upper bound is its mirror image.  For games without draws this is the interval of
Clopper and Pearson (1934), and for many games the usual one.  No distribution is known that it
covers less often than it says (Phan, Thomas and Learned-Miller, 2021, "Towards practical mean
bounds for small samples").  It never needs a variance above 0, so it holds for draws alone, for
games all won, for one game, and for none, where it is everything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from gridhouse.arena.statistics.likelihood import given_t, multiplier, scores, seen
from gridhouse.core.fast import np

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.arena.statistics.counts import Counts
    from gridhouse.arena.statistics.likelihood import Numbers

NORMAL = NormalDist()
NORMALIZED_ELO = 800 / math.log(10)  # of one standard deviation of a game
STEPS = 100  # most steps to a root, some ten are usual
STEEPEST = math.atan(50)  # the angle of the mean and the deviation that counts as infinite


@dataclass(frozen=True)
class Estimate:
    """A value with the interval that holds it; bounds may be infinite."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the value and its interval."""
        return f"{self.value:+.1f} ({self.low:+.1f} to {self.high:+.1f})"


def to_elo(score: float) -> float:
    """Return the Elo difference at which a score between 0 and 1 is expected."""
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def to_score(elo: float) -> float:
    """Return the score that an Elo difference makes expected."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo(counts: Counts, confidence: float = 0.95) -> Estimate:
    """Return the Elo difference and its interval.

    It is infinite if all was won or lost, and then one bound is so too.  Without games it is not a
    number, between infinite bounds.
    """
    low, high = score_interval(counts, confidence)
    return Estimate(to_elo(counts.score), to_elo(low), to_elo(high))


def score_interval(counts: Counts, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of the expected score, between 0 and 1."""
    low, high = (_low_score(side, confidence) for side in (counts, counts.swapped()))
    return low, 1 - high


def normalized_elo(counts: Counts, confidence: float = 0.95) -> Estimate:
    """Return the normalised Elo difference and its interval.

    It measures the difference of the score from a half in standard deviations of a game, times 800
    / ln 10, so that it is near Elo if half of the games of equals are drawn, and the number of
    games that a test needs depends on it alone (Van den Bergh, 2020, "Normalized Elo").  It is
    infinite if all results were the same and not even, and not a number without games.  The lower
    bound is the one of the likelihood ratio, of the counts alone or with one more worst result,
    whichever is lower; the upper bound is its mirror image.
    """
    low, high = (_low_normalized(side, confidence) for side in (counts, counts.swapped()))
    return Estimate(_normalized(counts), low, -high)


def likelihood_of_superiority(counts: Counts) -> float:
    """Return how likely the first player is the stronger one, between 0 and 1.

    It is the probability of a mean above a half in the Dirichlet distribution of the counts with
    half a result more at both ends, which is Jeffreys' prior for games without draws; with many
    games, one minus the p-value of the usual one-sided test.
    """
    numbers = np.array(counts.numbers, float)
    numbers[[0, -1]] += 0.5
    return 1 - _below(numbers, 0.5)


def _low_score(counts: Counts, confidence: float) -> float:
    """Return the lower bound of the expected score."""
    numbers = np.array(counts.numbers, float)
    numbers[0] += 1
    if not numbers[1:].any():
        return 0.0
    side = (1 - confidence) / 2
    return _root(lambda score: side - _below(numbers, score), 0.0, counts.score)


def _low_normalized(counts: Counts, confidence: float) -> float:
    """Return the lower bound of the normalised Elo difference."""
    numbers = np.array(counts.numbers, float)
    width = NORMAL.inv_cdf((1 + confidence) / 2)
    low = -math.inf if _normalized(counts) == -math.inf else _low_t(numbers, width)
    numbers[0] += 1
    return NORMALIZED_ELO * min(low, _low_t(numbers, width)) / math.sqrt(counts.games_each)


def _low_t(numbers: Numbers, width: float) -> float:
    """Return the least mean, in deviations above a half, whose likelihood is within the width."""
    numbers = seen(numbers)

    def spare(angle: float) -> float:
        return math.sqrt(max(0.0, -2 * float(given_t(numbers, math.tan(angle))))) - width

    # The angle of the mean and the deviation is finite where their ratio is not.
    mean = (numbers @ scores(numbers)) / numbers.sum()
    deviation = math.sqrt((numbers @ (scores(numbers) - mean) ** 2) / numbers.sum())
    angle = math.atan2(mean - 0.5, deviation)
    if angle <= -STEEPEST or spare(-STEEPEST) <= 0:
        return -math.inf
    return math.tan(_root(spare, -STEEPEST, angle))


def _normalized(counts: Counts) -> float:
    """Return the normalised Elo difference of the counts themselves."""
    if counts.variance == 0:
        return 0.0 if counts.score == 0.5 else math.copysign(math.inf, counts.score - 0.5)
    deviation = math.sqrt(counts.variance * counts.games_each)  # of a game
    return NORMALIZED_ELO * (counts.score - 0.5) / deviation


def _below(numbers: Numbers, score: float) -> float:
    """Return how likely the mean of a distribution drawn from Dirichlet's is below a score.

    A Dirichlet distribution is one of independent Gamma variables by their sum, so the question is
    if a weighted sum of these is below 0.  Answered by the approximation of Lugannani and Rice
    (1980), which says 0.0265 instead of 0.025 for a single game, and is closer for more.
    """
    kept = numbers > 0
    numbers, offsets = numbers[kept], scores(numbers)[kept] - score
    if offsets.min() >= 0 or offsets.max() <= 0:
        return float(offsets.max() <= 0)
    x = float(multiplier(numbers, offsets))
    ratios = offsets / (1 + x * offsets)
    w = -math.copysign(math.sqrt(2 * max(0.0, float(numbers @ np.log1p(x * offsets)))), x)
    if abs(w) < 1e-4:
        skewness = 2 * (numbers @ offsets**3) / (numbers @ offsets**2) ** 1.5
        return float(0.5 + skewness / (6 * math.sqrt(2 * math.pi)))
    u = -x * math.sqrt(float(numbers @ ratios**2))
    return NORMAL.cdf(w) + NORMAL.pdf(w) * (1 / w - 1 / u)


def _root(function: Callable[[float], float], start: float, end: float) -> float:
    """Return where a function becomes 0 that has different signs at both ends.

    By false position (Dowell and Jarratt, 1971, "A modified regula falsi method", Illinois).
    """
    value, at_start = function(end), function(start)
    for _ in range(STEPS):
        if abs(value) < 1e-9 or abs(end - start) < 1e-12:
            break
        middle = end - value * (end - start) / (value - at_start)
        at_middle = function(middle)
        if (at_middle > 0) != (value > 0):
            start, at_start = end, value
        else:
            at_start /= 2
        end, value = middle, at_middle
    return end

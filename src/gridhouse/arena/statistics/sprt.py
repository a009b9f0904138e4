"""Sequential tests, which stop a match as soon as its results decide it.

The generalised sequential probability ratio test compares the most likely distribution of results
with a difference of ``elo1`` to the most likely one with ``elo0`` (Van den Bergh, 2020, "A
practical introduction to the GSPRT"), and ends when the log of their ratio leaves Wald's bounds
(1945, "Sequential tests of statistical hypotheses").  Both distributions are found exactly.  The
bounds are not corrected for what the last result adds beyond them, so errors are mostly rarer than
said, above all with bounds far apart.  They are never more frequent by more than about a percent
point in ``benchmarks/error_rates.py``: the ratio is exact for many results only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gridhouse.arena.statistics.elo import NORMALIZED_ELO, to_score
from gridhouse.arena.statistics.likelihood import given_mean, given_t, seen
from gridhouse.core.console import UsageError
from gridhouse.core.fast import np

if TYPE_CHECKING:
    from gridhouse.arena.statistics.counts import Counts
    from gridhouse.arena.statistics.likelihood import Numbers

Verdict = Literal["H0", "H1"]
Model = Literal["normalized", "logistic"]
MOST = 2000  # Elo of a bound


@dataclass(frozen=True)
class Sprt:
    """A test of H1, a difference of ``elo1``, against H0, a difference of ``elo0``.

    ``alpha`` is the rate of H1 where the difference is ``elo0``, and ``beta`` that of H0 where it
    is ``elo1``.  The model says what both are: normalised Elo, or the usual logistic one.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "normalized"

    def __post_init__(self) -> None:
        """Raise UsageError for what is no test."""
        if self.model not in ("normalized", "logistic"):
            raise UsageError(f"{self.model!r} is neither normalized nor logistic")
        if not -MOST <= self.elo0 < self.elo1 <= MOST:
            raise UsageError(
                f"elo0 {self.elo0:g} and elo1 {self.elo1:g} do not rise between -{MOST} and {MOST}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise UsageError(
                f"alpha {self.alpha:g} and beta {self.beta:g} are not between 0 and 0.5"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Counts) -> float:
        """Return the log likelihood ratio; above 0, results speak for H1."""
        return float(self.llrs(np.array(counts.numbers, float))) if counts.total else 0.0

    def llrs(self, numbers: Numbers) -> Numbers:
        """Return the log likelihood ratio of each row of numbers, from worst result to best.

        Rows have three columns for single games, and five for pairs.
        """
        results = numbers.shape[-1]
        numbers = np.ascontiguousarray(seen(numbers).T)
        if self.model == "logistic":
            return given_mean(numbers, to_score(self.elo1)) - given_mean(
                numbers, to_score(self.elo0)
            )
        unit = math.sqrt((results - 1) / 2) / NORMALIZED_ELO  # t of a result, by Elo
        return given_t(numbers, self.elo1 * unit) - given_t(numbers, self.elo0 * unit)

    def verdict(self, counts: Counts) -> Verdict | None:
        """Return the hypothesis that results decide for, or nothing to go on."""
        low, high = self.bounds
        llr = self.llr(counts)
        return "H1" if llr >= high else "H0" if llr <= low else None

    def expected_games(self, normalized_elo: float) -> float:
        """Return about how many games the test takes at a difference in normalised Elo.

        Taken from a Brownian motion with the drift and the variance of the log likelihood ratio
        near even scores.  Raises UsageError for a logistic test, where more is needed to know it.
        """
        if self.model != "normalized":
            raise UsageError("only a normalized test has an expected length")
        low, high = self.bounds
        width = (self.elo1 - self.elo0) / NORMALIZED_ELO
        middle = (self.elo0 + self.elo1) / 2
        drift = width * (normalized_elo - middle) / NORMALIZED_ELO
        odds = 2 * drift / width**2
        if abs(odds) < 1e-6:
            return -low * high / width**2
        passing = -math.expm1(-odds * low) / (math.exp(-odds * high) - math.exp(-odds * low))
        return (passing * high + (1 - passing) * low) / drift


@dataclass
class SprtRun:
    """A test that is running: results come one at a time until there is a verdict."""

    test: Sprt
    counts: Counts
    verdict: Verdict | None = None

    def add(self, points: float) -> Verdict | None:
        """Count a result by its points and return the verdict, if there is one.

        A verdict stays: games that were still running change the counts alone.
        """
        self.counts = self.counts.plus(points)
        self.verdict = self.verdict or self.test.verdict(self.counts)
        return self.verdict

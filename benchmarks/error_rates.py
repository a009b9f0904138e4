"""How often tests and intervals are wrong: ``python benchmarks/error_rates.py [MATCHES] [PART]``.

Matches are simulated with pairs of games drawn from known distributions, of several shapes.  The
first table has, for bounds of both models, the rate of H1 where the difference is elo0, which is
to be at most alpha, of H0 where it is elo1, at most beta, and the mean number of games.  The second
has how often intervals of 95 % hold the true difference, and the third the same for the ratings of
a tournament and the differences of their players, from a tenth as many tournaments as matches.
PART is tests, intervals or ratings, for one of the tables alone.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import typer
from command_line import Count, start

from gridhouse.arena.statistics import (
    Pentanomial,
    Sprt,
    elo,
    rate,
    to_elo,
)
from gridhouse.arena.statistics.elo import NORMAL, NORMALIZED_ELO
from gridhouse.arena.statistics.likelihood import given_t, seen

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Shares = NDArray[np.float64]

SCORES = np.linspace(0, 1, 5)
# The shares of pairs between equals, from 0 points to 2.
SHAPES = {
    "no draws": (0.25, 0, 0.5, 0, 0.25),
    "some draws": (0.06, 0.24, 0.4, 0.24, 0.06),
    "draws": (0.01, 0.09, 0.8, 0.09, 0.01),
    "a colour wins": (0.02, 0.03, 0.9, 0.03, 0.02),
    "all or nothing": (0.45, 0.02, 0.06, 0.02, 0.45),
}
TESTS = [
    Sprt(elo0, elo1, model=model)
    for model in ("logistic", "normalized")
    for elo0, elo1 in ((0, 400), (0, 100), (0, 50), (-20, 20), (200, 300))
]
SIZES = (1, 3, 10, 30, 100, 400)  # pairs of a match
DIFFERENCES = (0, 50, 200, 400, 800)  # Elo
CONFIDENCE = 0.95


class Rates(NamedTuple):
    """The shares of matches that ended with H1 and H0, and their mean number of games."""

    h1: float
    h0: float
    games: float


def normalized(shares: Shares) -> float:
    """Return the normalised Elo difference of a distribution of pairs."""
    mean = float(shares @ SCORES)
    return NORMALIZED_ELO * (mean - 0.5) / math.sqrt(2 * shares @ (SCORES - mean) ** 2)


def logistic(shares: Shares) -> float:
    """Return the Elo difference of a distribution of pairs."""
    return to_elo(float(shares @ SCORES))


def tilted(shape: str, difference: float, measure: Callable[[Shares], float]) -> Shares:
    """Return the distribution of a shape, tilted to a difference."""
    low, high = -50.0, 50.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        shares = np.array(SHAPES[shape]) * np.exp(middle * (SCORES - 0.5))
        shares /= shares.sum()
        low, high = (middle, high) if measure(shares) < difference else (low, middle)
    return shares


def simulate(test: Sprt, shares: Shares, matches: int, rng: np.random.Generator) -> Rates:
    """Play matches of pairs from a distribution until each has a verdict.

    The fewer matches are left, the more pairs of each are drawn at a time.
    """
    low, high = test.bounds
    numbers = np.zeros((matches, len(shares)))
    h1 = h0 = pairs = 0
    while left := len(numbers):
        drawn = rng.multinomial(1, shares, (left, -(-matches // left)))
        reached = numbers[:, None] + drawn.cumsum(axis=1)
        rows, places = np.unique(reached.reshape(-1, len(shares)), axis=0, return_inverse=True)
        ratios = test.llrs(rows)[places].reshape(reached.shape[:-1])
        decided = (ratios <= low) | (ratios >= high)
        is_over = decided.any(axis=1)
        last = np.where(is_over, decided.argmax(axis=1), drawn.shape[1] - 1)
        ends = ratios[np.arange(left), last]
        h1 += int(np.count_nonzero(ends >= high))
        h0 += int(np.count_nonzero(ends <= low))
        pairs += int((last + 1).sum())
        numbers = reached[~is_over, -1]
    return Rates(h1 / matches, h0 / matches, 2 * pairs / matches)


def coverage(
    measure: Callable[[Shares], float],
    shares: Shares,
    pairs: int,
    matches: int,
    rng: np.random.Generator,
) -> float:
    """Return how often the interval of a match holds the true difference."""
    truth = measure(shares)
    rows, often = np.unique(rng.multinomial(pairs, shares, matches), axis=0, return_counts=True)
    if measure is normalized:
        return float(often @ holds_normalized(rows, truth)) / matches
    held = 0
    for row, times in zip(rows.tolist(), often.tolist(), strict=True):
        found = elo(Pentanomial(*row), CONFIDENCE)
        held += times * (found.low <= truth <= found.high)
    return held / matches


def holds_normalized(rows: NDArray[np.int64], truth: float) -> NDArray[np.bool_]:
    """Tell of each row of pairs whether its interval of normalised Elo holds a difference.

    The bounds themselves would take a hundred times as long: each is the root of a likelihood.
    """
    t = truth * math.sqrt(2) / NORMALIZED_ELO
    return _is_above_low(rows, t) & _is_above_low(rows[:, ::-1], -t)


def _is_above_low(rows: NDArray[np.int64], t: float) -> NDArray[np.bool_]:
    """Tell of each row of pairs whether a mean is above the lower bound of the interval.

    The mean is ``t`` standard deviations above a half.
    """
    width = NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
    is_above = np.zeros(len(rows), bool)
    for worst in (0, 1):  # results more; the bound is the lower one of both
        numbers = rows.T.astype(float)
        numbers[0] += worst
        numbers = seen(numbers)
        mean = SCORES @ numbers / numbers.sum(0)
        deviation = np.sqrt(((SCORES[:, None] - mean) ** 2 * numbers).sum(0) / numbers.sum(0))
        is_above |= (mean - 0.5 <= t * deviation) | (-2 * given_t(numbers, t) <= width**2)
    return is_above


def rating_coverage(
    shape: str, players: int, pairs: int, tournaments: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return how often the intervals of ratings, and of differences, hold the true ones.

    Everybody plays everybody; ratings are spread evenly over 300 Elo.
    """
    truth = np.linspace(150, -150, players)
    names = [f"player {number}" for number in range(players)]
    width = NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
    held: list[bool] = []
    together: list[bool] = []
    shares = {
        (one, other): tilted(shape, truth[one] - truth[other], logistic)
        for one in range(players)
        for other in range(one)
    }
    for _ in range(tournaments):
        ratings = rate(
            {
                (names[one], names[other]): Pentanomial(*map(int, rng.multinomial(pairs, between)))
                for (one, other), between in shares.items()
            }
        )
        held.extend(
            rating.low <= truth[names.index(rating.player)] <= rating.high
            for rating in ratings.table
        )
        for one, other in shares:
            difference, error = ratings.difference(names[one], names[other])
            together.append(abs(difference - truth[one] + truth[other]) <= width * error)
    return float(np.mean(held)), float(np.mean(together))


def print_tests(matches: int) -> None:
    """Print the table of the tests."""
    print("| test | pairs | H1 at elo0 | H0 at elo1 | games at elo0 | at elo1 |")
    print("|---|---|---|---|---|---|")
    for test in TESTS:
        measure = logistic if test.model == "logistic" else normalized
        for shape in SHAPES:
            rng = np.random.default_rng(1)
            equal, better = (
                simulate(test, tilted(shape, difference, measure), matches, rng)
                for difference in (test.elo0, test.elo1)
            )
            print(
                f"| {test.model} {test.elo0:g} to {test.elo1:g} | {shape} "
                f"| {100 * equal.h1:.1f} % | {100 * better.h0:.1f} % "
                f"| {equal.games:.0f} | {better.games:.0f} |",
                flush=True,
            )


def print_intervals(matches: int) -> None:
    """Print the table of the intervals."""
    print("\n| interval | pairs |", " | ".join(f"{size} pairs" for size in SIZES), "|")
    print("|---|---|" + "---|" * len(SIZES))
    for name, measure in (("Elo", logistic), ("normalised Elo", normalized)):
        for difference in DIFFERENCES:
            for shape in SHAPES:
                rng = np.random.default_rng(2)
                shares = tilted(shape, difference, measure)
                held = [coverage(measure, shares, size, matches, rng) for size in SIZES]
                cells = " | ".join(f"{100 * share:.1f} %" for share in held)
                print(f"| {name} {difference} | {shape} | {cells} |", flush=True)


def print_ratings(tournaments: int) -> None:
    """Print the table of the ratings."""
    print("\n| tournament | pairs | ratings | differences |\n|---|---|---|---|")
    for players, pairs in ((2, 20), (4, 10), (8, 5), (8, 50)):
        for shape in SHAPES:
            held = rating_coverage(shape, players, pairs, tournaments, np.random.default_rng(3))
            print(
                f"| {players} players, {pairs} pairs each | {shape} "
                f"| {100 * held[0]:.1f} % | {100 * held[1]:.1f} % |",
                flush=True,
            )


class Part(StrEnum):
    """A table."""

    TESTS = "tests"
    INTERVALS = "intervals"
    RATINGS = "ratings"


def main(matches: Count = 10_000, part: Annotated[Part | None, typer.Argument()] = None) -> None:
    """Print the tables."""
    if part in (None, Part.TESTS):
        print_tests(matches)
    if part in (None, Part.INTERVALS):
        print_intervals(matches)
    if part in (None, Part.RATINGS):
        print_ratings(max(1, matches // 10))


if __name__ == "__main__":
    start(main)

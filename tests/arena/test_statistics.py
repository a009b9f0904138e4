"""Statistics of matches: known values, what must hold of all counts, and simulated matches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import error_rates
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gridhouse.arena.statistics import (
    Counts,
    Pentanomial,
    Sprt,
    SprtRun,
    Trinomial,
    elo,
    likelihood_of_superiority,
    normalized_elo,
    score_interval,
)
from gridhouse.arena.statistics.likelihood import given_mean, given_t
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gridhouse.arena.statistics.sprt import Model

pytestmark = pytest.mark.slow("simulates thousands of matches")

NUMBERS = st.integers(0, 30)
PAIRS = st.builds(Pentanomial, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
GAMES = st.builds(Trinomial, losses=NUMBERS, draws=NUMBERS, wins=NUMBERS)
INFINITE = math.inf


# The log likelihood ratios that the tests of fastchess (app/tests/sprt_test.cpp) and racetrack
# (src/tests/sprt_tests.rs) have from matches of Stockfish and of Tiltak.
@pytest.mark.parametrize(
    ("model", "elo0", "elo1", "counts", "llr"),
    [
        ("normalized", 0, 2, Trinomial(wins=36433, losses=36027, draws=68692), 0.92),
        ("normalized", -1.75, 0.25, Trinomial(wins=10871, losses=10650, draws=20431), 2.30),
        ("logistic", 0.5, 2.5, Trinomial(wins=21404, losses=21184, draws=40708), -1.57),
        ("logistic", 0, 2, Trinomial(wins=57433, losses=57030, draws=106593), -2.59),
        ("normalized", 0, 2, Pentanomial(365, 16618, 36229, 16974, 390), 2.25),
        ("normalized", -1.75, 0.25, Pentanomial(127, 4883, 10712, 5150, 104), 3.01),
        ("logistic", 0.5, 2.5, Pentanomial(223, 9863, 21279, 10037, 246), -3.07),
        ("logistic", 0, 2, Pentanomial(871, 26175, 55983, 26678, 821), -4.98),
        ("normalized", 0, 5, Pentanomial(440, 2910, 5170, 2888, 455), -2.27),
        ("normalized", 0, 5, Pentanomial(142, 620, 1122, 699, 188), 2.99),
        ("normalized", -5, 0, Pentanomial(349, 1561, 3340, 1604, 359), 2.90),
        ("normalized", -5, 0, Pentanomial(98, 382, 674, 369, 71), -1.11),
    ],
)
def test_the_ratio_is_that_of_other_programs(
    model: Model, elo0: float, elo1: float, counts: Counts, llr: float
) -> None:
    assert Sprt(elo0, elo1, model=model).llr(counts) == pytest.approx(llr, abs=0.006)


# Elo, its error, normalised Elo and its error of 95 %, and the likelihood of superiority, from the
# tests of fastchess (app/tests/elo_test.cpp).
@pytest.mark.parametrize(
    ("counts", "difference", "error", "normalized", "normalized_error", "superiority"),
    [
        (Trinomial(wins=76, losses=89, draws=123), None, None, -20.76, 40.13, 0.1553),
        (Trinomial(wins=136, losses=96, draws=111), 40.70, 30.43, 49.77, 36.77, 0.9960),
        (Pentanomial(34, 54, 63, 64, 75), 55.58, 27.65, 57.94, 28.28, 1),
        (Pentanomial(332, 433, 498, 333, 334), -8.64, 10.33, -9.17, 10.96, 0.0505),
        (Pentanomial(7895, 8757, 5685, 568, 9999), -21.04, 2.95, -19.01, 2.65, 0),
    ],
)
def test_estimates_are_those_of_other_programs(
    counts: Counts,
    difference: float | None,
    error: float | None,
    normalized: float,
    normalized_error: float,
    superiority: float,
) -> None:
    found = elo(counts)
    if difference is not None:
        assert found.value == pytest.approx(difference, abs=0.01)
        assert (found.high - found.low) / 2 == pytest.approx(error, rel=0.05)
    found = normalized_elo(counts)
    assert found.value == pytest.approx(normalized, abs=0.01)
    assert (found.high - found.low) / 2 == pytest.approx(normalized_error, rel=0.1)
    assert likelihood_of_superiority(counts) == pytest.approx(superiority, abs=0.001)


def test_without_draws_the_interval_is_clopper_and_pearsons() -> None:
    assert score_interval(Trinomial(losses=3, wins=7)) == pytest.approx((0.3475, 0.9333), abs=1e-3)
    for games in (1, 2, 10, 1000):
        exact = 0.025 ** (1 / games)
        assert score_interval(Trinomial(wins=games)) == pytest.approx((exact, 1), abs=3e-3)


@pytest.mark.parametrize("kind", [Trinomial, Pentanomial])
def test_the_edges_have_bounds(kind: type[Counts]) -> None:
    nothing, worst, best = kind(), kind().plus(0), kind().plus(kind.games_each)
    drawn = kind().plus(kind.games_each / 2)
    for estimate in (elo, normalized_elo):
        found = estimate(nothing)
        assert math.isnan(found.value)
        assert (found.low, found.high) == (-INFINITE, INFINITE)
        for counts in (best, best + best + best):
            found = estimate(counts)
            assert -INFINITE < found.low < found.value == found.high == INFINITE
        assert estimate(best + best).low > estimate(best).low
        found = estimate(worst)
        assert -INFINITE == found.low == found.value < found.high < INFINITE
        found = estimate(drawn)
        assert found.value == 0
        assert found.low == pytest.approx(-found.high)
        assert estimate(drawn + drawn).high < found.high < INFINITE
    assert [likelihood_of_superiority(counts) for counts in (nothing, drawn)] == [0.5, 0.5]
    assert likelihood_of_superiority(best) == pytest.approx(0.82, abs=0.01)


def test_results_without_variance_leave_normalised_elo_open() -> None:
    found = normalized_elo(Pentanomial(wd=7))
    assert found.low < 0 < found.value == found.high == INFINITE


@settings(max_examples=15)
@given(counts=st.one_of(PAIRS, GAMES))
def test_swapping_the_players_turns_everything_round(counts: Counts) -> None:
    assume(counts.total)
    other = counts.swapped()
    assert other.swapped() == counts
    for estimate in (elo, normalized_elo):
        mine, theirs = estimate(counts), estimate(other)
        assert mine.low <= mine.value <= mine.high
        assert mine.value == pytest.approx(-theirs.value, abs=1e-6)
        assert (mine.low, mine.high) == pytest.approx((-theirs.high, -theirs.low), abs=1e-6)
    both = likelihood_of_superiority(counts) + likelihood_of_superiority(other)
    assert both == pytest.approx(1, abs=1e-9)
    for test in (Sprt(-50, 50), Sprt(-400, 400, model="logistic")):
        assert test.llr(counts) == pytest.approx(-test.llr(other), abs=1e-6)


@settings(max_examples=20)
@given(counts=PAIRS, place=st.integers(0, 3))
def test_a_better_result_raises_everything(counts: Pentanomial, place: int) -> None:
    worse, better = counts.plus(place / 2), counts.plus((place + 1) / 2)
    assert elo(worse).value < elo(better).value
    assert all(
        before <= after + 1e-9
        for before, after in zip(score_interval(worse), score_interval(better), strict=True)
    )
    assert likelihood_of_superiority(worse) < likelihood_of_superiority(better) + 1e-9
    # Where a count is 0, a little stands for it, by which a better result may speak less for H1.
    test = Sprt(0, 100, model="logistic")
    assert test.llr(worse) < test.llr(better) + 0.01


@pytest.mark.parametrize("t", [-1.5, -0.2, 0, 0.3, 2])
@pytest.mark.parametrize("row", [(1, 1, 1), (0.001, 7, 0.001), (3, 0.001, 9), (2, 40, 1)])
def test_the_likelihood_is_the_best_of_all_distributions(row: tuple[float, ...], t: float) -> None:
    """With three results, the share of draws and the condition leave one distribution."""
    numbers = np.array(row)
    decisive = np.linspace(1e-6, 1 - 1e-6, 400_001)
    most = numbers @ np.log(numbers / numbers.sum())

    def best(differences: NDArray[np.float64]) -> float:
        shares = np.array([decisive / 2 - differences, 1 - decisive, decisive / 2 + differences])
        return float((numbers @ np.log(shares[:, shares.min(axis=0) > 0])).max() - most)

    expected = best(t / math.sqrt(1 + t * t) * np.sqrt(decisive) / 2)
    assert given_t(numbers, t) == pytest.approx(expected, abs=1e-3)
    # The same in the middle of five results, where the worst and the best may be likelier still.
    middle = np.array([1e-9, *row, 1e-9])
    assert given_t(middle, t) > expected - 0.01
    mean = 0.5 + t / 5
    expected = best(np.full_like(decisive, mean - 0.5))
    assert given_mean(numbers, mean) == pytest.approx(expected, abs=1e-3)


# Bounds far apart end soonest, when least is known of how results are distributed.
@pytest.mark.parametrize(
    ("test", "shape", "matches"),
    [
        (Sprt(0, 400, model="logistic"), "no draws", 4000),
        (Sprt(0, 400, model="logistic"), "all or nothing", 4000),
        (Sprt(0, 400, model="logistic"), "draws", 4000),
        (Sprt(0, 100, 0.1, 0.02, model="logistic"), "some draws", 1000),
        (Sprt(0, 400), "all or nothing", 500),
    ],
)
def test_errors_are_as_rare_as_said(test: Sprt, shape: str, matches: int) -> None:
    measure = error_rates.logistic if test.model == "logistic" else error_rates.normalized
    rng = np.random.default_rng(1)
    for difference, most in ((test.elo0, test.alpha), (test.elo1, test.beta)):
        shares = error_rates.tilted(shape, difference, measure)
        rates = error_rates.simulate(test, shares, matches, rng)
        wrong = rates.h1 if difference == test.elo0 else rates.h0
        assert wrong < most + 3 * math.sqrt(most / matches)
        assert rates.h0 + rates.h1 == pytest.approx(1)


@pytest.mark.parametrize("difference", [0, 200, 800])
@pytest.mark.parametrize("shape", ["no draws", "a colour wins", "all or nothing"])
def test_intervals_hold_the_truth_as_often_as_said(shape: str, difference: float) -> None:
    rng = np.random.default_rng(2)
    shares = error_rates.tilted(shape, difference, error_rates.logistic)
    for pairs, matches in ((1, 500), (5, 500), (200, 50)):
        held = error_rates.coverage(error_rates.logistic, shares, pairs, matches, rng)
        assert held > 0.95 - 3 * math.sqrt(0.05 / matches)


def test_the_table_asks_of_an_interval_what_its_bounds_say() -> None:
    rng = np.random.default_rng(3)
    rows = np.concatenate(
        [rng.multinomial(pairs, rng.dirichlet([0.5] * 5), 4) for pairs in (1, 3, 10, 100)]
        + [[[4, 0, 0, 0, 0], [0, 0, 9, 0, 0], [0, 0, 0, 0, 2]]]
    )
    found = [normalized_elo(Pentanomial(*row)) for row in rows.tolist()]
    for truth in (-300.0, -20.0, 0.0, 90.0, 800.0):
        held = [each.low <= truth <= each.high for each in found]
        assert error_rates.holds_normalized(rows, truth).tolist() == held
        assert 0 < sum(held) < len(held)


def test_a_test_takes_about_as_many_games_as_expected() -> None:
    test = Sprt(0, 100)
    for difference in (0, 100):
        shares = error_rates.tilted("no draws", difference, error_rates.normalized)
        games = error_rates.simulate(test, shares, 200, np.random.default_rng(3)).games
        assert games == pytest.approx(test.expected_games(difference), rel=0.3)


def test_a_verdict_stays() -> None:
    run = SprtRun(Sprt(0, 400, model="logistic"), Pentanomial())
    assert [run.add(2) for _ in range(5)] == [None] * 4 + ["H1"]
    assert [run.add(0) for _ in range(20)] == ["H1"] * 20
    assert run.counts == Pentanomial(ll=20, ww=5)
    assert run.test.verdict(run.counts) == "H0"


def test_a_match_of_draws_is_decided() -> None:
    for test in (Sprt(0, 400), Sprt(0, 400, model="logistic")):
        assert test.llr(Trinomial()) == 0
        assert test.verdict(Trinomial(draws=40)) == "H0"


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (lambda: Sprt(5, 0), "elo0 5 and elo1 0 do not rise between -2000 and 2000"),
        (lambda: Sprt(0, math.nan), "elo0 0 and elo1 nan do not rise between -2000 and 2000"),
        (lambda: Sprt(0, 5, alpha=0), "alpha 0 and beta 0.05 are not between 0 and 0.5"),
        (
            lambda: Sprt(0, 5, model="elo"),  # type: ignore[arg-type]
            "'elo' is neither normalized nor logistic",
        ),
        (lambda: Trinomial().plus(0.25), "0.25 points are not the result of 1 games"),
        (lambda: Pentanomial().plus(2.5), "2.5 points are not the result of 2 games"),
        (
            lambda: Trinomial(wins=-1),
            "Trinomial(losses=0, draws=0, wins=-1): a number of results is not below 0",
        ),
        (
            lambda: Sprt(0, 5, model="logistic").expected_games(0),
            "only a normalized test has an expected length",
        ),
    ],
)
def test_what_is_no_test_is_refused(wrong: Callable[[], object], line: str) -> None:
    with pytest.raises(UsageError) as error:
        wrong()
    assert str(error.value) == line

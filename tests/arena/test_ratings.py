"""Ratings of tournaments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import error_rates
import numpy as np
import pytest

from gridhouse.arena.statistics import Pentanomial, Trinomial, rate, to_elo
from gridhouse.arena.statistics.elo import NORMAL
from gridhouse.arena.statistics.ratings import ELO
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOURNAMENT = {
    ("a", "b"): Trinomial(wins=6, draws=2, losses=4),
    ("a", "c"): Trinomial(wins=7, draws=3, losses=2),
    ("b", "c"): Trinomial(wins=5, draws=1, losses=6),
    ("d", "a"): Trinomial(wins=1, draws=4, losses=7),
}


def test_two_players_have_the_elo_of_their_score_with_one_more_draw() -> None:
    counts = Trinomial(wins=30, losses=10)
    ratings = rate({("new", "old"): counts}, anchor="old", anchor_elo=1000)
    new, old = ratings.table
    assert (new.player, new.games, new.points) == ("new", 40, 30)
    assert new.elo == pytest.approx(1000 + to_elo(30.5 / 41))
    assert (old.low, old.elo, old.high) == (1000, 1000, 1000)
    error = ELO / math.sqrt(41 * (30.5 / 41) * (10.5 / 41))
    assert ratings.difference("new", "old")[1] == pytest.approx(error, rel=0.01)
    assert new.high - new.elo == pytest.approx(1.96 * error, rel=0.01)
    assert rate({("old", "new"): counts.swapped()}, anchor="old", anchor_elo=1000).table == (
        new,
        old,
    )


def test_ratings_are_those_an_optimiser_finds() -> None:
    from scipy.optimize import minimize

    names = "abcd"
    played = {name: sum(c.games for key, c in TOURNAMENT.items() if name in key) for name in names}

    def lost(strengths: NDArray[np.float64]) -> float:
        at = dict(zip(names, strengths, strict=True))
        total = float(np.sum(strengths)) ** 2
        for (one, other), counts in TOURNAMENT.items():
            draws = (counts.games / played[one] + counts.games / played[other]) / 2
            won = counts.points + draws / 2
            difference = at[one] - at[other]
            total += won * np.logaddexp(0, -difference)
            total += (counts.games + draws - won) * np.logaddexp(0, difference)
        return float(total)

    expected = dict(zip(names, ELO * minimize(lost, np.zeros(4), tol=1e-12).x, strict=True))
    table = rate(TOURNAMENT).table
    assert {rating.player: rating.elo for rating in table} == pytest.approx(expected, abs=0.01)
    assert [rating.player for rating in table] == sorted(names, key=lambda name: -expected[name])


def test_anchors_move_all_ratings_alike() -> None:
    free, bound = rate(TOURNAMENT), rate(TOURNAMENT, anchor="c", anchor_elo=500)
    assert sum(rating.elo for rating in free.table) == pytest.approx(0, abs=1e-6)
    for first in "abcd":
        for second in "abcd":
            assert free.difference(first, second) == pytest.approx(bound.difference(first, second))
            both = bound.superiority(first, second) + bound.superiority(second, first)
            assert both == pytest.approx(1)
    assert free.superiority("a", "d") > free.superiority("a", "b") > 0.5
    difference, error = free.difference("a", "b")
    assert free.superiority("a", "b") == pytest.approx(NORMAL.cdf(difference / error))


def test_who_won_or_lost_everything_is_rated_and_open_to_one_side() -> None:
    table = rate({("a", "b"): Pentanomial(ww=4), ("b", "c"): Pentanomial(ww=1, even=1)}).table
    first, middle, last = table
    assert [rating.player for rating in table] == ["a", "b", "c"]
    assert first.high == math.inf > first.elo > middle.elo > last.elo
    assert math.isfinite(last.low)
    few, many = (rate({("a", "b"): Pentanomial(ww=pairs)}).table for pairs in (4, 9))
    assert few[-1].low == -math.inf
    assert many[0].elo > few[0].elo


def test_drawn_games_and_pairs_tell_more() -> None:
    decisive, drawn = (
        rate({("a", "b"): counts}).difference("a", "b")[1]
        for counts in (Trinomial(wins=200, losses=200), Trinomial(draws=400))
    )
    assert 0 < drawn < decisive / 4
    pairs = rate({("a", "b"): Pentanomial(even=200)}).difference("a", "b")[1]
    assert 0 < pairs < decisive / 4


def test_errors_are_as_large_as_said() -> None:
    for shape in ("no draws", "draws", "all or nothing"):
        held = error_rates.rating_coverage(shape, 5, 20, 60, np.random.default_rng(3))
        assert min(held) > 0.9


@pytest.mark.parametrize(
    ("meetings", "anchor", "line"),
    [
        ({}, None, "no games were played, so nobody has a rating"),
        ({("a", "b"): Trinomial()}, None, "no games were played, so nobody has a rating"),
        (
            {("a", "b"): Trinomial(wins=1), ("c", "d"): Trinomial(draws=1)},
            None,
            "'a' and 'c' met neither directly nor through others, so their ratings cannot be "
            "compared",
        ),
        (
            {("a", "b"): Trinomial(wins=1)},
            "c",
            "'c' played no games, so ratings cannot be measured from it",
        ),
        (
            {("a", "a"): Trinomial(wins=1)},
            None,
            "'a' played itself, which says nothing of its rating",
        ),
    ],
)
def test_what_gives_no_ratings_is_refused(
    meetings: dict[tuple[str, str], Trinomial], anchor: str | None, line: str
) -> None:
    with pytest.raises(UsageError) as error:
        rate(meetings, anchor=anchor)
    assert str(error.value) == line


def test_a_player_without_games_has_no_rating() -> None:
    with pytest.raises(UsageError, match=r"^'e' has no rating$"):
        rate(TOURNAMENT).difference("a", "e")

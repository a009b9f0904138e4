"""Who meets whom: what each format promises, for any number of players and any results."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as some

from gridhouse.arena.schedules import (
    EXTRA_PAIRS,
    Gauntlet,
    KnockOut,
    Ladder,
    Pairing,
    PairResult,
    RoundRobin,
    Schedule,
    Swiss,
)

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = some.integers(2, 33)
PAIRS = some.integers(1, 3)
POINTS = (0, 0.5, 1, 1.5, 2)


def play(schedule: Schedule, points: Callable[[Pairing], float]) -> list[PairResult]:
    """Play a tournament to its end, and see that it is no longer than it says."""
    played: list[PairResult] = []
    while due := schedule.due(played):
        for pairing in due:
            assert pairing.first != pairing.second
            played.append(PairResult(*pairing, points(pairing)))
        assert len(played) <= schedule.most
    return played


def by_chance(seed: int) -> Callable[[Pairing], float]:
    rng = random.Random(seed)
    return lambda _: rng.choice(POINTS)


def by_strength(strength: list[int]) -> Callable[[Pairing], float]:
    """Return results in which the stronger player wins every game."""
    return lambda pairing: 2.0 * (strength[pairing.first] > strength[pairing.second])


@given(SIZES, PAIRS, some.integers(0, 3))
def test_everyone_meets_everyone_equally_often(size: int, pairs: int, rounds: int) -> None:
    schedule = RoundRobin(size, pairs, rounds)
    played = play(schedule, by_chance(0))
    assert len(played) == schedule.most
    counts = Counter(frozenset((one.first, one.second)) for one in played)
    assert counts == dict.fromkeys(
        map(frozenset, combinations(range(size), 2)), pairs * max(1, rounds)
    )


@given(SIZES)
def test_a_round_of_a_round_robin_has_each_player_once(size: int) -> None:
    due = RoundRobin(size, 1).due([])
    for start in range(0, len(due), size // 2):
        seen = [player for pairing in due[start : start + size // 2] for player in pairing]
        assert len(seen) == len(set(seen)) == size - size % 2


def test_a_gauntlet_is_run_by_the_first() -> None:
    assert Gauntlet(4, 2, 1).due([]) == [(0, 1), (0, 1), (0, 2), (0, 2), (0, 3), (0, 3)]


@given(some.permutations(range(13)), some.integers(2, 13), PAIRS)
def test_the_best_wins_a_knock_out(ranks: list[int], size: int, pairs: int) -> None:
    schedule = KnockOut(size, pairs)
    played = play(schedule, by_strength(ranks))
    assert len(played) == (size - 1) * pairs
    order = schedule.order(played)
    assert order[0] == ranks.index(max(ranks[:size]))
    assert sorted(order) == list(range(size))


def test_the_best_seeds_meet_last_and_have_the_byes() -> None:
    meetings = [(one.first, one.second) for one in play(KnockOut(6, 1), lambda _: 2)]
    assert meetings == [(3, 4), (2, 5), (0, 3), (1, 2), (0, 1)]


@given(some.integers(2, 9), PAIRS, some.integers(0, 99))
def test_a_tie_is_played_on_and_goes_to_the_better_seed(size: int, pairs: int, seed: int) -> None:
    schedule = KnockOut(size, pairs)
    played = play(schedule, lambda _: 1)
    assert len(played) == (size - 1) * (pairs + EXTRA_PAIRS)
    assert schedule.order(played)[0] == 0
    # Whoever is ahead after its encounter goes on; nobody who lost one is met again.
    played = play(schedule, by_chance(seed))
    balance: dict[Pairing, float] = {}
    for one in played:
        pairing = Pairing(one.first, one.second)
        balance[pairing] = balance.get(pairing, 0) + one.points - 1
    losers = [(max if points >= 0 else min)(pairing) for pairing, points in balance.items()]
    assert sorted([*losers, schedule.order(played)[0]]) == list(range(size))


@given(SIZES, PAIRS, some.booleans(), some.integers(0, 999))
def test_nobody_meets_again_in_a_swiss(size: int, pairs: int, is_long: bool, seed: int) -> None:
    schedule = Swiss(size, pairs, (size + 1) // 2 if is_long else 0)
    played = play(schedule, by_chance(seed))
    assert len(played) == schedule.most
    counts = Counter(frozenset((one.first, one.second)) for one in played)
    assert set(counts.values()) == {pairs}
    games = Counter(player for one in played for player in (one.first, one.second))
    byes = [schedule.rounds - games[player] // pairs for player in range(size)]
    assert set(byes) <= {0, 1}
    assert sum(byes) == (schedule.rounds if size % 2 else 0)


@given(some.integers(1, 5), some.randoms(use_true_random=False))
def test_the_best_wins_a_swiss(power: int, rng: random.Random) -> None:
    ranks = list(range(2**power))
    rng.shuffle(ranks)
    schedule = Swiss(len(ranks), 1)
    played = play(schedule, by_strength(ranks))
    best = schedule.order(played)[0]
    assert ranks[best] == len(ranks) - 1
    assert sum(best in (one.first, one.second) for one in played) == math.log2(len(ranks))


def test_a_swiss_pairs_winners_with_winners() -> None:
    first = Swiss(4, 1).due([])
    assert first == [(0, 2), (1, 3)]
    assert Swiss(4, 1).due([PairResult(0, 2, 0), PairResult(1, 3, 0.5)]) == [(2, 3), (0, 1)]


@given(some.permutations(range(7)), some.integers(2, 7), PAIRS)
def test_a_ladder_sorts_its_players(ranks: list[int], size: int, pairs: int) -> None:
    schedule = Ladder(size, pairs)
    played = play(schedule, by_strength(ranks))
    order = schedule.order(played)
    assert [ranks[player] for player in order] == sorted(ranks[:size], reverse=True)


def test_a_challenger_climbs_while_it_wins_and_one_pass_is_enough_without_a_change() -> None:
    strength = [1, 3, 0, 2]
    played = play(Ladder(4, 1, rounds=1), by_strength(strength))
    assert [result[:3] for result in played] == [(3, 2, 2), (3, 1, 0), (1, 0, 2)]
    assert Ladder(4, 1).order(played) == [1, 0, 3, 2]
    assert len(play(Ladder(5, 2), lambda _: 1)) == 4 * 2  # a draw does not change places

"""Who meets whom next, in five formats, from the results so far and nothing else.

A schedule deals in pairs of games from one opening with the sides swapped.  Its answers depend
only on the results, so an interrupted tournament goes on from its records alone.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.arena.tournament_file import Format

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gridhouse.arena.tournament_file import Tournament

EXTRA_PAIRS = 5  # that decide a tied encounter of a knock-out, before the better seed goes on


class Pairing(NamedTuple):
    """Two players by number; the first has the first side in the first game of the pair."""

    first: int
    second: int


class PairResult(NamedTuple):
    """The two games of a pair, by the points of the first player, from 0 to 2.

    A pair with an abandoned game is even for the schedule, which must go on, and no ``is_result``.
    """

    first: int
    second: int
    points: float
    is_result: bool = True


class Schedule(ABC):
    """The pairs of a tournament of ``size`` players, whose numbers are their seeds, best first.

    ``pairs`` is the number of pairs of an encounter, and ``rounds`` as in the tournament.
    """

    def __init__(self, size: int, pairs: int, rounds: int = 0) -> None:
        """Plan for so many players."""
        self.size = size
        self.pairs = pairs
        self.rounds = rounds

    @property
    @abstractmethod
    def most(self) -> int:
        """The most pairs that can be played in all."""

    @abstractmethod
    def due(self, played: Sequence[PairResult]) -> list[Pairing]:
        """Return the pairs that come next; none ends the tournament.

        ``played`` are all pairs that were due before, in that order.
        """

    def order(self, played: Sequence[PairResult]) -> list[int]:
        """Return the players from the first place to the last; of equals, the better seed first."""
        points = game_points(self.size, played)
        return sorted(range(self.size), key=lambda player: (-points[player], player))

    def encounters(self, pairings: Iterable[tuple[int, int]]) -> list[Pairing]:
        """Return all pairs of encounters."""
        return [Pairing(*pairing) for pairing in pairings for _ in range(self.pairs)]


def game_points(size: int, played: Iterable[PairResult]) -> list[float]:
    """Return the points of each player, one for a game won and a half for a draw."""
    points = [0.0] * size
    for result in played:
        if result.is_result:
            points[result.first] += result.points
            points[result.second] += 2 - result.points
    return points


class _Fixed(Schedule):
    """A schedule that no result changes."""

    @abstractmethod
    def _round(self) -> list[tuple[int, int]]:
        """Return the encounters of a round."""

    @property
    def most(self) -> int:
        """The number of all pairs."""
        return len(self._round()) * max(1, self.rounds) * self.pairs

    def due(self, played: Sequence[PairResult]) -> list[Pairing]:
        """Return all pairs, round by round."""
        return self.encounters(self._round() * max(1, self.rounds))[len(played) :]


class RoundRobin(_Fixed):
    """Everyone meets everyone, ``rounds`` times."""

    def _round(self) -> list[tuple[int, int]]:
        """Return all encounters by the circle method: one player stays, the others move on."""
        circle = list(range(self.size + self.size % 2))  # the odd one has a bye
        half = len(circle) // 2
        found = []
        for _ in circle[1:]:
            for one, other in zip(circle[:half], reversed(circle[half:]), strict=True):
                if max(one, other) < self.size:
                    found.append((min(one, other), max(one, other)))
            circle = [circle[0], circle[-1], *circle[1:-1]]
        return found


class Gauntlet(_Fixed):
    """The first player meets each of the others, ``rounds`` times."""

    def _round(self) -> list[tuple[int, int]]:
        return [(0, other) for other in range(1, self.size)]


class KnockOut(Schedule):
    """Who loses an encounter is out.

    The best seeds have byes and meet each other last.  A tie is played on, a pair at a time; after
    five the better seed goes on.
    """

    @property
    def most(self) -> int:
        """The pairs of all encounters, were all of them tied to the end."""
        return (self.size - 1) * (self.pairs + EXTRA_PAIRS)

    def due(self, played: Sequence[PairResult]) -> list[Pairing]:
        """Return the next round, or the pairs that ties need."""
        return self._replay(played)[0]

    def order(self, played: Sequence[PairResult]) -> list[int]:
        """Return the players by the number of rounds that they got through."""
        survived = self._replay(played)[1]
        return sorted(range(self.size), key=lambda player: (-survived[player], player))

    def _replay(self, played: Sequence[PairResult]) -> tuple[list[Pairing], list[int]]:
        """Return what is due, and in how many rounds each player was still in."""
        survived = [0] * self.size
        results = iter(played)
        bracket: list[int | None] = [
            seed if seed < self.size else None for seed in _bracket(self.size)
        ]
        while len(bracket) > 1:
            meetings = list(zip(bracket[::2], bracket[1::2], strict=True))
            real = [
                Pairing(min(one, other), max(one, other))
                for one, other in meetings
                if one is not None and other is not None
            ]
            lead, due = self._encounters(real, results)
            if due:
                return due, survived
            bracket = [
                (one if other is None else other)
                if one is None or other is None
                else (min if lead[min(one, other)] >= 0 else max)(one, other)
                for one, other in meetings
            ]
            for player in bracket:
                if player is not None:
                    survived[player] += 1
        return [], survived

    def _encounters(
        self, real: list[Pairing], results: Iterator[PairResult]
    ) -> tuple[dict[int, float], list[Pairing]]:
        """Return by how much the better seed of each encounter leads, and the pairs still due."""
        lead = dict.fromkeys((pairing.first for pairing in real), 0.0)
        due = self.encounters(real)
        for _ in range(EXTRA_PAIRS + 1):
            for pairing in due:
                result = next(results, None)
                if result is None:
                    return lead, due
                lead[pairing.first] += result.points - 1
            due = [pairing for pairing in real if not lead[pairing.first]]
        return lead, []


def _bracket(size: int) -> list[int]:
    """Return the seeds in the order of a bracket, in which the best two can meet only at its end.

    Its length is a power of two; numbers from ``size`` on are byes.
    """
    order = [0]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
    return order


class Swiss(Schedule):
    """Players with the same score meet, none twice; each has at most one bye, which is a win.

    An encounter gives one point, or a half each.  In a group of equal scores the better half meets
    the other half (the Dutch system).  By default there are as many rounds as a knock-out has.
    """

    def __init__(self, size: int, pairs: int, rounds: int = 0) -> None:
        """Plan for so many players."""
        super().__init__(size, pairs, rounds or math.ceil(math.log2(size)))
        self._bye = size  # this player stands for a bye

    @property
    def most(self) -> int:
        """The number of all pairs."""
        return self.rounds * (self.size // 2) * self.pairs

    def due(self, played: Sequence[PairResult]) -> list[Pairing]:
        """Return the next round."""
        return self._replay(played)[0]

    def order(self, played: Sequence[PairResult]) -> list[int]:
        """Return the players by points of encounters, then by those of games."""
        points = self._replay(played)[1]
        games = game_points(self.size, played)
        return sorted(range(self.size), key=lambda each: (-points[each], -games[each], each))

    def _replay(self, played: Sequence[PairResult]) -> tuple[list[Pairing], list[float]]:
        """Return what is due, and the points of each player and of the bye."""
        points = [0.0] * self.size + [-math.inf]
        met: set[frozenset[int]] = set()
        start = 0
        for _ in range(self.rounds):
            pairings = self._pairings(points, met)
            real = [Pairing(*pair) for pair in pairings if self._bye not in pair]
            end = start + len(real) * self.pairs
            if end > len(played):
                return self.encounters(real), points
            for index, pairing in enumerate(real):
                first = start + index * self.pairs
                won = sum(result.points - 1 for result in played[first : first + self.pairs])
                points[pairing.first] += (1 + (won > 0) - (won < 0)) / 2
                points[pairing.second] += (1 + (won < 0) - (won > 0)) / 2
            for pair in pairings:
                if self._bye in pair:
                    points[min(pair)] += 1
            met.update(map(frozenset, pairings))
            start = end
        return [], points

    def _pairings(self, points: Sequence[float], met: set[frozenset[int]]) -> list[tuple[int, int]]:
        """Return a round in which nobody meets again, best players first.

        From the top, each player takes the best partner that is left.  While two are left over,
        some pair can exchange partners with them: up to half as many rounds as players each has
        still at least half of the others to meet, which is enough (Dirac, 1952).
        """
        everyone = range(self.size + self.size % 2)  # with the bye, where there is one
        ranking = sorted(everyone, key=lambda player: (-points[player], player))
        left = ranking[:]
        pairs: list[tuple[int, int]] = []
        over: list[int] = []
        while left:
            player = left.pop(0)
            partner = next(
                (one for one in _wishes(player, left, points) if {player, one} not in met), None
            )
            if partner is None:
                over.append(player)
            else:
                left.remove(partner)
                pairs.append((player, partner))
        while over:
            one, other = over.pop(), over.pop()
            index, exchanged = next(
                (index, both)
                for index, (first, second) in reversed(list(enumerate(pairs)))
                for both in (
                    [(one, first), (other, second)],
                    [(one, second), (other, first)],
                )
                if met.isdisjoint(map(frozenset, both))
            )
            pairs[index : index + 1] = exchanged
        place = ranking.index
        ordered = [(min(pair, key=place), max(pair, key=place)) for pair in pairs]
        return sorted(ordered, key=lambda pair: place(pair[0]))


def _wishes(player: int, left: Sequence[int], points: Sequence[float]) -> list[int]:
    """Return the possible partners of a player, the most wanted first."""
    group = [one for one in left if points[one] == points[player]]
    half = len(group) // 2
    return [*group[half:], *reversed(group[:half]), *left[len(group) :]]


class Ladder(Schedule):
    """Whoever beats the player above changes places with it, from the bottom to the top.

    In a pass each player on the way up, the one who has just won or the one who has not given way,
    meets the next one above.  The first pass goes to the top, and each later one ends a place
    lower.  A pass without a change is the last one.
    """

    @property
    def most(self) -> int:
        """The number of pairs of all passes."""
        return sum(map(len, self._passes())) * self.pairs

    def _passes(self) -> list[range]:
        """Return the lower places of all encounters, pass by pass."""
        passes = self.rounds or self.size - 1
        return [range(self.size - 1, top, -1) for top in range(min(passes, self.size - 1))]

    def due(self, played: Sequence[PairResult]) -> list[Pairing]:
        """Return the next encounter."""
        return self._replay(played)[0]

    def order(self, played: Sequence[PairResult]) -> list[int]:
        """Return the players from the top to the bottom."""
        return self._replay(played)[1]

    def _replay(self, played: Sequence[PairResult]) -> tuple[list[Pairing], list[int]]:
        """Return what is due, and the order of the players."""
        order = list(range(self.size))
        start = 0
        for places in self._passes():
            has_changed = False
            for lower in places:
                above, below = order[lower - 1], order[lower]
                end = start + self.pairs
                if end > len(played):
                    return self.encounters([(below, above)]), order
                if sum(result.points - 1 for result in played[start:end]) > 0:
                    order[lower - 1], order[lower] = below, above
                    has_changed = True
                start = end
            if not has_changed:
                break
        return [], order


SCHEDULES: dict[Format, type[Schedule]] = {
    Format.ROUND_ROBIN: RoundRobin,
    Format.GAUNTLET: Gauntlet,
    Format.KNOCK_OUT: KnockOut,
    Format.SWISS: Swiss,
    Format.LADDER: Ladder,
}


def schedule_of(tournament: Tournament) -> Schedule:
    """Return the schedule of a tournament."""
    kind = SCHEDULES[tournament.format]
    return kind(len(tournament.players), tournament.games // 2, tournament.rounds)

"""A match or a tournament as numbers, from its records alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.arena.records import Termination
from gridhouse.arena.reports.positions import movers
from gridhouse.arena.statistics import (
    Pentanomial,
    Trinomial,
    elo,
    likelihood_of_superiority,
    normalized_elo,
    rate,
)
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.statistics import Counts, Estimate, Rating

    Names = tuple[str, str]


class Heading(NamedTuple):
    """What a report says above its numbers: title, game, time control and format, as texts."""

    title: str
    game: str
    control: str
    format: str = "match"


@dataclass(frozen=True)
class Meeting:
    """The games of two players, counted for the first of them.

    ``pairs`` are those of the games that were played in pairs from one opening.
    """

    games: Trinomial
    pairs: Pentanomial

    @property
    def counts(self) -> Counts:
        """What statistics are made of: the pairs, or the games where there is no whole pair."""
        return self.pairs if self.pairs.total else self.games

    @property
    def elo(self) -> Estimate:
        """The Elo difference and its interval of 95 %."""
        return elo(self.counts)

    @property
    def normalized_elo(self) -> Estimate:
        """The normalised Elo difference and its interval of 95 %."""
        return normalized_elo(self.counts)

    @property
    def superiority(self) -> float:
        """How likely the first player is the stronger one."""
        return likelihood_of_superiority(self.counts)

    def swapped(self) -> Meeting:
        """Return the meeting as the second player sees it."""
        return Meeting(self.games.swapped(), self.pairs.swapped())


@dataclass(frozen=True)
class PlayerSummary:
    """What a player did.

    ``by_side`` are its results with the first and with the second side, ``faults`` the games that
    it lost by a forfeit or by resigning.  Times are in seconds for a move, None without moves.  A
    rating is missing where nothing can be rated, and for two players, whose Elo says it all.
    """

    name: str
    by_side: tuple[Trinomial, Trinomial]
    faults: Mapping[Termination, int]
    mean_seconds: float | None
    longest_seconds: float | None
    rating: Rating | None

    @property
    def results(self) -> Trinomial:
        """All results."""
        return self.by_side[0] + self.by_side[1]


@dataclass(frozen=True)
class Summary:
    """A match or a tournament.

    ``players`` are sorted, the best first, but the two of a match as given; ``meetings`` has every
    two that met, in both orders.  ``note`` says why there are no ratings, if so.  ``ends`` are the
    results of the first side by why games ended, the most frequent first, and ``lengths`` are the
    numbers of moves.  ``abandoned`` games have no result, and are counted here alone.
    """

    players: tuple[PlayerSummary, ...]
    meetings: Mapping[Names, Meeting]
    note: str
    ends: Mapping[Termination, Trinomial]
    lengths: tuple[int, ...]
    abandoned: int

    @property
    def sides(self) -> Trinomial:
        """The results of the first side."""
        return sum(self.ends.values(), Trinomial())

    @property
    def pairings(self) -> list[tuple[Names, Meeting]]:
        """Every meeting once, as the player sees it who stands before the other."""
        names = [player.name for player in self.players]
        return [
            (both, self.meetings[both]) for both in combinations(names, 2) if both in self.meetings
        ]


def summarize(played: Sequence[GameRecord], names: Iterable[str] = ()) -> Summary:
    """Return the summary of games; ``names`` are of players who may have played none.

    Raises UsageError for a game that cannot have been played.
    """
    records = [record for record in played if record.is_result]
    games = _games(records)
    pairs = _pairs(records)
    meetings = {both: Meeting(games[both], pairs[both]) for both in games}
    meetings |= {(two, one): meeting.swapped() for (one, two), meeting in meetings.items()}
    ratings, note = _ratings(meetings)
    known = dict.fromkeys([*names, *(name for record in played for name in record.players)])
    players = _players(records, known, ratings)
    return Summary(
        players=tuple(players if len(players) == 2 else sorted(players, key=_place)),
        meetings=meetings,
        note=note,
        ends=_ends(records),
        lengths=tuple(len(record.moves) for record in records),
        abandoned=len(played) - len(records),
    )


def _result(points: float) -> Trinomial:
    return Trinomial().plus(points)


def _games(records: Sequence[GameRecord]) -> dict[Names, Trinomial]:
    """Return the results of all games of two players, for the one who is first by name."""
    games: defaultdict[Names, Trinomial] = defaultdict(Trinomial)
    for record in records:
        both, points = _seen(record)
        if both[0] != both[1]:
            games[both] += _result(points)
    return dict(games)


def _pairs(records: Sequence[GameRecord]) -> dict[Names, Pentanomial]:
    """Return the results of pairs: games 2k and 2k + 1 from one opening with the sides swapped."""
    pairs: defaultdict[Names, Pentanomial] = defaultdict(Pentanomial)
    by_number = {record.number: record for record in records}
    for record in records:
        other = by_number.get(record.number + 1)
        if (
            record.number % 2 == 0
            and other is not None
            and record.opening == other.opening
            and record.players == other.players[::-1]
        ):
            both, points = _seen(record)
            pairs[both] = pairs[both].plus(points + _seen(other)[1])
    return pairs


def _seen(record: GameRecord) -> tuple[Names, float]:
    """Return the players of a game by name, and the points of the first of them."""
    first, second = record.players
    if first <= second:
        return (first, second), record.score
    return (second, first), 1 - record.score


def _ends(records: Sequence[GameRecord]) -> dict[Termination, Trinomial]:
    ends: defaultdict[Termination, Trinomial] = defaultdict(Trinomial)
    for record in records:
        ends[record.termination] += _result(record.score)
    return dict(sorted(ends.items(), key=lambda item: -item[1].games))


def _ratings(meetings: Mapping[Names, Meeting]) -> tuple[dict[str, Rating], str]:
    """Return the ratings by player, or none and the reason."""
    counts = {both: meeting.counts for both, meeting in meetings.items() if both[0] < both[1]}
    if len(counts) < 2:
        return {}, ""
    try:
        return {rating.player: rating for rating in rate(counts).table}, ""
    except UsageError as error:
        return {}, str(error)


def _players(
    records: Sequence[GameRecord], names: Iterable[str], ratings: Mapping[str, Rating]
) -> list[PlayerSummary]:
    results: defaultdict[tuple[str, int], Trinomial] = defaultdict(Trinomial)
    faults: defaultdict[str, Counter[Termination]] = defaultdict(Counter)
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for record in records:
        for side, points in enumerate((record.score, 1 - record.score)):
            results[record.players[side], side] += _result(points)
        if record.forfeited:
            faults[record.forfeited][record.termination] += 1
        elif record.termination is Termination.RESIGNATION:
            faults[record.players[record.score != 0]][record.termination] += 1
        for side, move in zip(movers(record), record.moves, strict=True):
            seconds[record.players[side]].append(move.seconds)
    return [
        PlayerSummary(
            name=name,
            by_side=(results[name, 0], results[name, 1]),
            faults=faults[name],
            mean_seconds=fmean(seconds[name]) if seconds[name] else None,
            longest_seconds=max(seconds[name], default=None),
            rating=ratings.get(name),
        )
        for name in names
    ]


def _place(player: PlayerSummary) -> tuple[bool, float, float, str]:
    """Return what sorts players: ratings, then shares of points, then those without games."""
    rating = player.rating.elo if player.rating else 0.0
    games = player.results.games
    return not games, -rating, -player.results.score if games else 0.0, player.name

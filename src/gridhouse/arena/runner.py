"""A tournament being played: which games are due, what is kept of them, and when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from gridhouse.arena.records import Termination
from gridhouse.arena.schedules import PairResult, schedule_of
from gridhouse.arena.table import Job, begun
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.schedules import Pairing
    from gridhouse.arena.store import Store
    from gridhouse.arena.tournament_file import Tournament
    from gridhouse.core.game import State

    Stop = Callable[[float], bool]


EVEN = 1.0  # points of a pair that favours nobody


class Pool(Protocol):
    """What plays games side by side, here or on other machines; a context manager that ends it."""

    @property
    def capacity(self) -> int:
        """How many games may be started before one is waited for."""

    def start(self, job: Job) -> None:
        """Begin a game."""

    def wait(self) -> list[GameRecord]:
        """Wait for news, and return games that have ended or gone on; raises UsageError."""

    def __enter__(self) -> Self:
        """Return the pool."""

    def __exit__(self, *_: object) -> None:
        """End all that runs; games that are being played are not recorded."""


def never(points: float) -> bool:
    """Tell that no result stops a tournament."""
    del points
    return False


class Run:
    """A tournament that begins, or goes on from the games of a store.

    Pair k is the games 2k and 2k + 1, and its opening is the k-th.  A pair counts once all pairs
    before it have ended, so nothing depends on how many games are played at a time.  ``stop`` is
    called once for each pair that counts and has a result, in order, with the points of its first
    player from 0 to 2; it returns whether the tournament ends there.  Games beyond that are
    forgotten.
    """

    def __init__(
        self,
        tournament: Tournament,
        store: Store,
        openings: Iterable[State],
        stop: Stop = never,
    ) -> None:
        """Take the games of the store."""
        self.tournament = tournament
        self.schedule = schedule_of(tournament)
        self.records = {record.number: record for record in store.records()}
        self.running: dict[int, Job] = {}
        self.results: list[PairResult] = []  # of the pairs that count
        self.is_stopped = False
        self._store = store
        self._stop = stop
        self._source = iter(openings)
        self._opening: State  # the last one drawn
        self._drawn = 0
        self._pairings: list[Pairing] = []  # of all pairs that have been due so far
        self._next = 0  # the number of the next game to begin

    def play(self, pool: Pool) -> Iterator[GameRecord]:
        """Play what is left; yield each game when it is in the store.

        Raises UsageError for a player that cannot be made, and for openings that come to an end.
        """
        while True:
            while len(self.running) < pool.capacity and (job := self._job()) is not None:
                self.running[job.number] = job
                self._store.show(begun(self.tournament, job))
                pool.start(job)
            if self.is_stopped:
                self._forget_surplus()
            if self.is_stopped or not self.running:
                return
            for record in pool.wait():
                if record.termination is Termination.IN_PLAY:
                    self._store.show(record)
                    continue
                self._store.put(record)
                self.records[record.number] = record
                del self.running[record.number]
                yield record

    @property
    def counted(self) -> list[PairResult]:
        """The pairs that count and have a result."""
        return [result for result in self.results if result.is_result]

    def _job(self) -> Job | None:
        """Return the next game to begin, None while it depends on others, and at the end."""
        while True:
            self._count()
            if self.is_stopped:
                return None
            while self._next < 2 * len(self._pairings):
                number = self._next
                self._next += 1
                if number not in self.records:
                    pairing = self._pairings[number // 2]
                    seats = pairing if number % 2 == 0 else pairing[::-1]
                    return Job(number, (seats[0], seats[1]), self._opening_of(number // 2))
            if len(self.results) < len(self._pairings):
                return None
            due = self.schedule.due(self.results)
            if not due:
                return None
            self._pairings += due

    def _opening_of(self, pair: int) -> State:
        """Return the opening of a pair, which is not before the last one asked for."""
        while self._drawn <= pair:
            opening = next(self._source, None)
            if opening is None:
                raise UsageError(f"there are only {self._drawn} openings; each pair needs one")
            self._opening = opening
            self._drawn += 1
        return self._opening

    def _count(self) -> None:
        """Count the pairs that have ended, in order."""
        while len(self.results) < len(self._pairings) and not self.is_stopped:
            number = 2 * len(self.results)
            one, other = self.records.get(number), self.records.get(number + 1)
            if one is None or other is None:
                return
            is_result = one.is_result and other.is_result
            points = one.score + 1 - other.score if is_result else EVEN
            self.results.append(PairResult(*self._pairings[number // 2], points, is_result))
            self.is_stopped = is_result and self._stop(points)

    def _forget_surplus(self) -> None:
        """Forget the games beyond the pair at which the tournament has stopped."""
        end = 2 * len(self.results)
        self._store.drop_from(end)
        self.records = {number: each for number, each in self.records.items() if number < end}
        self.running.clear()

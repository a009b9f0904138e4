"""A table: it keeps the competitors of a tournament alive, and plays one game after the other."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from gridhouse.arena import referee
from gridhouse.arena.adjudication import prover_for
from gridhouse.arena.competitors.specs import competitor
from gridhouse.arena.records import GameRecord, Termination
from gridhouse.arena.referee import DRAW, Adjudication
from gridhouse.core import compile_queue
from gridhouse.core.console import UsageError
from gridhouse.core.errors import GridhouseError

if TYPE_CHECKING:
    from gridhouse.arena.competitors.base import Competitor
    from gridhouse.arena.referee import Watch
    from gridhouse.arena.tournament_file import Tournament
    from gridhouse.core.game import State

FAULT = "the arena has a fault, please report it: "


@dataclass(frozen=True)
class Job:
    """A game to play; it can be sent to a process.

    ``seats`` are the numbers of the players who have the first and the second side.
    """

    number: int
    seats: tuple[int, int]
    opening: State


class Table:
    """The competitors of a tournament, each made when its first game begins; a context manager."""

    def __init__(self, tournament: Tournament) -> None:
        """Sit down for the games of a tournament."""
        self._tournament = tournament
        self._competitors: dict[int, Competitor] = {}
        self._open = ExitStack()
        wanted = tournament.adjudication
        prover = prover_for(tournament.game) if wanted.proof else None
        self._adjudication = Adjudication(prover, wanted.agreement, wanted.length)

    def play(self, job: Job, watch: Watch = lambda _: None) -> GameRecord:
        """Play a game; a fault of ours ends this game alone, without a winner.

        ``watch`` is called after each move with what makes the record so far.

        Raises UsageError or GridhouseError for a competitor that cannot be made.
        """
        competitors = [self._seated(player) for player in job.seats]
        entrants = [self._tournament.players[player] for player in job.seats]
        names = names_of(self._tournament, job)
        try:
            record = referee.play(
                job.opening,
                competitors,
                self._tournament.control,
                number=job.number,
                own=[entrant.control for entrant in entrants],
                adjudication=self._adjudication,
                watch=lambda record: watch(lambda: replace(record(), players=names)),
            )
        except Exception as error:
            reason = " ".join(str(error).split())
            return abandoned(self._tournament, job, f"{FAULT}{type(error).__name__}: {reason}")
        return replace(record, players=names)

    def _seated(self, player: int) -> Competitor:
        """Return the competitor of a player."""
        if player not in self._competitors:
            self._competitors[player] = self._open.enter_context(made(self._tournament, player))
        return self._competitors[player]

    def __enter__(self) -> Self:
        """Return this table."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the competitors."""
        self._open.close()


def wait_for_compiler() -> None:
    """Have players of this process wait for their compiled code, whose strength is measured."""
    if compile_queue.mode() == compile_queue.BESIDE:
        os.environ[compile_queue.VARIABLE] = compile_queue.NOW


def made(tournament: Tournament, player: int) -> Competitor:
    """Return the competitor of a player; raises UsageError that names it."""
    entrant = tournament.players[player]
    try:
        return competitor(entrant.player, tournament.game, sandboxed=tournament.sandbox)
    except (GridhouseError, UsageError) as error:
        raise UsageError(f"player {entrant.name}: {error}") from None


def names_of(tournament: Tournament, job: Job) -> tuple[str, str]:
    """Return the names of the players of a game, by side."""
    first, second = job.seats
    return tournament.players[first].name, tournament.players[second].name


def abandoned(tournament: Tournament, job: Job, reason: str) -> GameRecord:
    """Return the record of a game that the arena could not play."""
    return _without_result(tournament, job, Termination.ABANDONED, reason)


def begun(tournament: Tournament, job: Job) -> GameRecord:
    """Return the record of a game in which nobody has moved yet."""
    return _without_result(tournament, job, Termination.IN_PLAY, "")


def _without_result(
    tournament: Tournament, job: Job, termination: Termination, reason: str
) -> GameRecord:
    names = names_of(tournament, job)
    return GameRecord(job.number, str(job.opening), names, DRAW, termination, reason, ())

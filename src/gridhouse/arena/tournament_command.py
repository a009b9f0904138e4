"""Playing a tournament, or what is left of it, on the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.arena.openings import openings_for, read_book
from gridhouse.arena.progress import Progress, print_standing
from gridhouse.arena.runner import Run, never
from gridhouse.arena.schedules import schedule_of
from gridhouse.arena.statistics import Pentanomial, SprtRun
from gridhouse.arena.store import MEMORY, Store
from gridhouse.arena.workers import Workers, cores, note_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.arena.runner import Pool, Stop
    from gridhouse.arena.tournament_file import Tournament
    from gridhouse.core.game import State


class Options(NamedTuple):
    """The file of the games, how many are played at a time, and the address of a Ray cluster.

    Without a file nothing is kept; 0 games at a time are as many as the tournament says.
    """

    store: Path | None = None
    concurrency: int = 0
    ray: str | None = None


def play_tournament(tournament: Tournament, options: Options) -> Run:
    """Play what is left of a tournament, show it meanwhile, and print how it stands.

    Raises UsageError for players, files and clusters that cannot be used.
    """
    with Store(options.store or MEMORY, tournament.settings()) as store:
        run = Run(tournament, store, openings_of(tournament), stop_of(tournament))
        with _pool(tournament, options) as pool:
            Progress(run).show(run.play(pool))
    print_standing(run)
    return run


def _pool(tournament: Tournament, options: Options) -> Pool:
    if options.ray is not None:
        from gridhouse.arena.cluster import Nodes

        return Nodes(tournament, options.ray)
    count = options.concurrency or tournament.concurrency or cores()
    note = note_on(count)
    if note:
        print(note, file=sys.stderr)
    return Workers(tournament, count)


def stop_of(tournament: Tournament) -> Stop:
    """Return what stops a match whose test has a verdict."""
    if tournament.sprt is None:
        return never
    test = SprtRun(tournament.sprt, Pentanomial())
    return lambda points: test.add(points) is not None


def openings_of(tournament: Tournament) -> Iterator[State]:
    """Yield an opening for each pair of games; raises UsageError for a book that cannot be used."""
    wanted = tournament.openings
    most = schedule_of(tournament).most
    book = read_book(Path(wanted.book), tournament.game) if wanted.book else None
    return openings_for(tournament.game, most, seed=wanted.seed, plies=wanted.plies, book=book)

"""Playing a tournament, or what is left of it, and showing what came of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console

from gridhouse.arena.competitors.specs import SUBMISSION, competitor
from gridhouse.arena.openings import openings_for, read_book
from gridhouse.arena.progress import WIDTH, Progress, test_line
from gridhouse.arena.reports import export
from gridhouse.arena.reports.page import write_pages
from gridhouse.arena.reports.summary import Heading, summarize
from gridhouse.arena.reports.tables import print_summary
from gridhouse.arena.runner import Run, never
from gridhouse.arena.schedules import schedule_of
from gridhouse.arena.statistics import Pentanomial, SprtRun
from gridhouse.arena.store import MEMORY, Store
from gridhouse.arena.tournament_file import parse_tournament
from gridhouse.arena.workers import Workers, cores, note_on
from gridhouse.core.console import UsageError
from gridhouse.core.errors import GridhouseError
from gridhouse.core.notation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gridhouse.arena.runner import Pool, Stop
    from gridhouse.arena.tournament_file import Tournament
    from gridhouse.core.game import State

SQLITE = b"SQLite format 3\0"


class Options(NamedTuple):
    """Where games are kept and how they are played.

    ``store`` is the file of the games, by default none.  ``concurrency`` is how many are played at
    a time, 0 for as many as the tournament says; ``ray`` is the address of a cluster.  ``report``
    is a folder for pages, ``exported`` a file of all games, ``house`` the address that pages link
    to.
    """

    store: Path | None = None
    concurrency: int = 0
    ray: str | None = None
    report: Path | None = None
    exported: Path | None = None
    house: str = ""
    title: str = "Match"


def play_tournament(tournament: Tournament, options: Options) -> Run:
    """Play what is left of a tournament, show it meanwhile, and print and write what came of it.

    Raises UsageError for players, files and clusters that cannot be used.
    """
    with Store(options.store or MEMORY, tournament.settings()) as store:
        run = Run(tournament, store, openings_of(tournament), stop_of(tournament))
        with _pool(tournament, options) as pool:
            Progress(run).show(run.play(pool))
    _report(run, options)
    return run


def _report(run: Run, options: Options) -> None:
    tournament = run.tournament
    records = [run.records[number] for number in sorted(run.records)]
    form = "match" if len(tournament.players) == 2 else str(tournament.format)
    heading = Heading(options.title, str(tournament.game), str(tournament.control), form)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDTH
    print_summary(summarize(records, tournament.names), heading, console)
    print(test_line(run), end="")
    if options.exported is not None:
        export.write(records, heading, options.exported)
    if options.report is not None:
        names, house = tournament.names, options.house
        index, *_ = write_pages(records, heading, options.report, names=names, house=house)
        print(f"The pages begin at {index}.")


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


def class_tournament(folder: Path, settings: Mapping[str, Any]) -> Tournament:
    """Return the tournament of a class: each file or folder in a folder is a player.

    Those that cannot be made are left out, and standard error tells why.  Raises UsageError where
    less than two are left.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise UsageError(f"{str(folder)!r}: {error.strerror}") from None
    stems = [path.stem for path in paths]
    players = [
        {
            "name": path.stem if stems.count(path.stem) == 1 else path.name,
            "player": f"{SUBMISSION}{path}",
        }
        for path in paths
    ]
    if len(players) < 2:
        raise UsageError(f"{str(folder)!r} holds less than two submissions")
    tournament = parse_tournament({**settings, "players": players})
    made = []
    for player in players:
        try:
            with competitor(player["player"], tournament.game, sandboxed=tournament.sandbox):
                made.append(player)
        except (GridhouseError, UsageError) as error:
            print(f"{shown(player['name'])} does not play: {error}", file=sys.stderr)
    if len(made) < 2:
        raise UsageError(f"{str(folder)!r} holds less than two programs that can be run")
    return parse_tournament({**settings, "players": made})


def replay_file(path: Path, number: int | None) -> None:
    """Show the games of a tournament's file or of an export; raises UsageError."""
    from gridhouse.arena.reports.replay import replay

    try:
        with path.open("rb") as file:
            is_store = file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise UsageError(f"{str(path)!r}: {error.strerror}") from None
    if is_store:
        with Store(path) as store:
            records = store.records()
    else:
        records = export.read(str(path))
    replay(records, number, ask=sys.stdin.isatty() and sys.stdout.isatty())

"""The strength of the players: ``python benchmarks/strength.py [NAME ...]``.

Each ``benchmarks/strength/NAME.toml`` is a tournament, played as ``gridhouse tournament`` does:
searches against random and greedy play, against OpenSpiel's own with equal time, and each level for
people against the one below.  The games of one have levels alone (``collapse-levels``): both play
the same boards, and whose result is better has won.  By default all are played.  The table's points
are those of the first player, with their interval of 95 % confidence.

``--games`` is another number of games of each pairing.  ``--store FOLDER`` keeps the games, so that
a run goes on where it was stopped.  ``--write`` puts the rows into ``docs/strength.md``.
"""

from __future__ import annotations

import time
from itertools import combinations, takewhile
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from command_line import Words, start

from gridhouse.arena.reports.summary import Meeting, summarize
from gridhouse.arena.statistics import Pentanomial, Trinomial, score_interval
from gridhouse.arena.table import wait_for_compiler
from gridhouse.arena.tournament_command import Options, play_tournament
from gridhouse.arena.tournament_file import parse_tournament
from gridhouse.core import toml_settings
from gridhouse.core.console import UsageError, write_whole
from gridhouse.core.registry import parse_game
from gridhouse.players import player
from gridhouse.players.levels import LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.arena.records import GameRecord
    from gridhouse.core.game import Game

FILES = Path(__file__).parent / "strength"
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "strength.md"
SOLO = {
    "collapse-levels": "collapse(rows=7,cols=11,digits=5)",
    "sliding-levels": "sliding(rows=3,cols=3)",
    "sliding-4x4-levels": "sliding(rows=4,cols=4)",
}
SOLO_BOARDS = 400
MAX_MOVES = 300  # of a game for one
# The headings of the document's tables, by the ends of names; the first that fits is taken.
HEADINGS = {
    "-levels": "Levels for people",
    "-openspiel": "OpenSpiel's search",
    "": "Searches",
}
COLUMNS = (
    "| game | first | second | points of the first | moves | ms a move |\n|---|---|---|---|---|---|"
)


def points_text(meeting: Meeting) -> str:
    """Return the share of the points in percent with its interval, wins, draws and losses."""
    low, high = score_interval(meeting.counts)
    games = meeting.games
    return (
        f"{100 * games.score:.1f} % ({100 * low:.1f} to {100 * high:.1f}), "
        f"{games.wins}+ {games.draws}= {games.losses}-"
    )


def row(
    game: str, names: Sequence[str], meeting: Meeting, moves: float, seconds: Sequence[float]
) -> str:
    """Return a row of the table; ``seconds`` are the mean times of both players for a move."""
    times = " and ".join(f"{1000 * one:.1f}" for one in seconds)
    return f"| {game} | {' | '.join(names)} | {points_text(meeting)} | {moves:.0f} | {times} |"


def tournament_rows(path: Path, games: int | None, store: Path | None, at_a_time: int) -> list[str]:
    """Play a tournament, and return its rows."""
    changed = {"games": games} if games else {}
    tournament, game = toml_settings.load(
        path, lambda table: (parse_tournament({**table, **changed}), table["game"])
    )
    run = play_tournament(tournament, Options(store, at_a_time))
    return rows_of(game, tournament.names, list(run.records.values()))


def rows_of(game: str, names: Sequence[str], played: Sequence[GameRecord]) -> list[str]:
    """Return the rows of the pairings that met, in the order of the names."""
    records = [record for record in played if record.is_result]
    summary = summarize(records)
    seconds = {player.name: player.mean_seconds or 0.0 for player in summary.players}
    return [
        row(
            game,
            both,
            summary.meetings[both],
            fmean(len(record.moves) for record in records if {*record.players} == {*both}),
            [seconds[name] for name in both],
        )
        for both in combinations(names, 2)
        if both in summary.meetings
    ]


class Played(NamedTuple):
    """A game for one: its score, minus the number of moves, and their mean time in seconds."""

    score: float
    shortness: int
    seconds: float


def alone(game: Game, level: int, number: int) -> Played:
    """Have a level play a board."""
    state = game.new_initial_state(number)
    mover = player("level", game, level=level, seed=len(LEVELS) * number + level)
    began = time.perf_counter()
    while not state.is_terminal() and len(state.history()) < MAX_MOVES:
        state.apply_action(mover.choose(state).action)
    moves = len(state.history())
    return Played(state.returns()[0], -moves, (time.perf_counter() - began) / max(1, moves))


def solo_rows(text: str, boards: int) -> list[str]:
    """Return the rows of the levels of a game for one, which play the same boards.

    The higher score wins; of equal scores, the one with fewer moves.
    """
    game, _ = parse_game(text)
    wait_for_compiler()
    played = {level: [alone(game, level, number) for number in range(boards)] for level in LEVELS}
    rows = []
    for level in reversed(LEVELS[1:]):
        games = Trinomial()
        for one, other in zip(played[level], played[level - 1], strict=True):
            games = games.plus((1 + (one[:2] > other[:2]) - (one[:2] < other[:2])) / 2)
        moves = fmean(-one.shortness for one in played[level])
        seconds = [fmean(one.seconds for one in played[each]) for each in (level, level - 1)]
        names = f"level:{level}", f"level:{level - 1}"
        rows.append(row(text, names, Meeting(games, Pentanomial()), moves, seconds))
    return rows


def written(text: str, heading: str, rows: Sequence[str]) -> str:
    """Return the document with these rows in place of those of their game, else below the others.

    Raises UsageError where it has no table below the heading.
    """
    above, mark, below = text.partition(f"\n## {heading}\n")
    start = below.find(COLUMNS)
    if not mark or start < 0:
        raise UsageError(f"{str(DOCUMENT)!r}: there is no table below {heading!r}")
    start += len(COLUMNS) + 1
    lines = below[start:].split("\n")
    old = list(takewhile(lambda line: line.startswith("|"), lines))
    game = rows[0].split(" | ")[0] + " | "
    place = next((at for at, line in enumerate(old) if line.startswith(game)), len(old))
    kept = [line for line in old if not line.startswith(game)]
    table = [*kept[:place], *rows, *kept[place:]]
    return above + mark + below[:start] + "\n".join([*table, *lines[len(old) :]])


def main(
    names: Words = None,
    *,
    games: Annotated[int | None, typer.Option(min=2)] = None,
    store: Annotated[Path | None, typer.Option()] = None,
    concurrency: Annotated[int, typer.Option(min=0)] = 0,
    writes: Annotated[bool, typer.Option("--write")] = False,
) -> None:
    """Play the tournaments and print their rows."""
    files = {path.stem: path for path in sorted(FILES.glob("*.toml"))}
    for name in names or ():
        if name not in files and name not in SOLO:
            raise UsageError(f"{name}: there are {', '.join([*files, *SOLO])}")
    for name in names or [*files, *SOLO]:
        if name in SOLO:
            rows = solo_rows(SOLO[name], games or SOLO_BOARDS)
        else:
            kept = store / f"{name}.sqlite" if store else None
            rows = tournament_rows(files[name], games, kept, concurrency)
        print("\n".join([COLUMNS, *rows]), flush=True)
        if writes:
            heading = next(found for end, found in HEADINGS.items() if name.endswith(end))
            text = written(DOCUMENT.read_text(encoding="utf-8"), heading, rows)
            write_whole(DOCUMENT, text.encode())


if __name__ == "__main__":
    start(main)

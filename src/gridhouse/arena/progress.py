"""How a tournament stands, as a table: live in a terminal, and at the end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.runner import Run

MOST_RUNNING = 8  # games in play that are listed
WIDTH = 100  # of the table where there is no terminal


@dataclass
class Score:
    """The games of a player: won, drawn and lost, and those that it lost by a forfeit."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The points: one for a win, a half for a draw."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> str:
        """The points a game in percent, "" without games."""
        return f"{100 * self.points / self.games:.1f} %" if self.games else ""


def scores(names: Iterable[str], records: Iterable[GameRecord]) -> dict[str, Score]:
    """Return the score of each player."""
    found = {name: Score() for name in names}
    for record in records:
        for name, points in zip(record.players, (record.score, 1 - record.score), strict=True):
            score = found[name]
            score.wins += points == 1
            score.draws += points == 0.5
            score.losses += points == 0
            score.forfeits += record.forfeited == name
    return found


class Column(NamedTuple):
    """A column of the table: its title, and its text for a player by number."""

    title: str
    text: Callable[[Run, int, Score], str]


# What statistics tell of a player, such as Elo and its error, comes here as further columns.
COLUMNS = [
    Column("games", lambda run, player, score: f"{score.games}"),
    Column("points", lambda run, player, score: f"{score.points:g}"),
    Column("+", lambda run, player, score: f"{score.wins}"),
    Column("=", lambda run, player, score: f"{score.draws}"),
    Column("-", lambda run, player, score: f"{score.losses}"),
    Column("share", lambda run, player, score: score.share),
    Column("forfeits", lambda run, player, score: f"{score.forfeits}"),
]
# And what they tell of the whole, such as the log likelihood ratio of a test, as further lines.
LINES: list[Callable[[Run], str]] = []


def standing(run: Run) -> Group:
    """Return the table of all players, from the first place to the last, and the lines below."""
    table = Table(title=str(run.tournament.game), title_justify="left", box=None)
    table.add_column("")
    table.add_column("player", overflow="fold")
    for column in COLUMNS:
        table.add_column(column.title, justify="right")
    found = scores(run.tournament.names, list(run.records.values()))
    for place, player in enumerate(run.schedule.order(run.results), 1):
        name = run.tournament.names[player]
        cells = [column.text(run, player, found[name]) for column in COLUMNS]
        table.add_row(f"{place}", Text(name), *cells)
    return Group(table, *(Text(line(run)) for line in LINES))


def game_line(record: GameRecord) -> str:
    """Return a line about a finished game."""
    first, second = record.players
    result = f"{record.score:g} to {1 - record.score:g}"
    reason = f": {record.reason}" if record.reason else ""
    moves = "1 move" if len(record.moves) == 1 else f"{len(record.moves)} moves"
    return (
        f"Game {record.number + 1}: {first} against {second}, {result}, {moves}, "
        f"{record.termination}{reason}"
    )


class Progress:
    """Shows a run while it is played: a live table in a terminal, else a line for each game."""

    def __init__(self, run: Run) -> None:
        """Show it on standard error."""
        self._run = run
        self._console = Console(stderr=True)
        self._started = time.monotonic()
        self._before = len(run.records)

    def show(self, played: Iterable[GameRecord]) -> None:
        """Show the games that are played, to their end."""
        if not self._console.is_terminal:
            for record in played:
                self._console.print(
                    game_line(record), markup=False, highlight=False, soft_wrap=True
                )
            return
        with Live(
            console=self._console,
            get_renderable=self._view,
            refresh_per_second=2,
            transient=True,
        ):
            for _ in played:
                pass

    def _view(self) -> Group:
        """Return the table, the rate, and the games that are being played."""
        run = self._run
        done = len(run.records)
        rate = (done - self._before) / max(1e-9, time.monotonic() - self._started)
        lines = [f"{done} of at most {2 * run.schedule.most} games, {3600 * rate:,.0f} an hour"]
        for job in list(run.running.values())[:MOST_RUNNING]:
            first, second = (run.tournament.names[player] for player in job.seats)
            lines.append(f"Game {job.number + 1}: {first} against {second}")
        return Group(standing(run), *map(Text, lines))


def print_standing(run: Run) -> None:
    """Print the table on standard output."""
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH
    console.print(standing(run))

"""How a tournament stands, as a table: live in a terminal, and at the end."""

from __future__ import annotations

import time
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from gridhouse.arena.statistics import Pentanomial, Trinomial, elo, likelihood_of_superiority, rate
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.runner import Run
    from gridhouse.arena.statistics import Rating

MOST_RUNNING = 8  # games in play that are listed
WIDTH = 100  # of the table where there is no terminal


class Score(NamedTuple):
    """The results of a player, and the number of games that it lost by a forfeit."""

    results: Trinomial
    forfeits: int


def scores(names: Iterable[str], records: Iterable[GameRecord]) -> dict[str, Score]:
    """Return the score of each player."""
    results = dict.fromkeys(names, Trinomial())
    forfeits: Counter[str] = Counter()
    for record in filter(attrgetter("is_result"), records):
        for name, points in zip(record.players, (record.score, 1 - record.score), strict=True):
            results[name] = results[name].plus(points)
        forfeits[record.forfeited] += 1
    return {name: Score(found, forfeits[name]) for name, found in results.items()}


class Row(NamedTuple):
    """A player in the table: its name, its score, and its rating where there is one."""

    name: str
    score: Score
    rating: Rating | None


def _share(results: Trinomial) -> str:
    """Return the points a game in percent, "" without games."""
    return f"{100 * results.score:.1f} %" if results.games else ""


class Column(NamedTuple):
    """A column of the table: its title, and its text for a player."""

    title: str
    text: Callable[[Row], str]


COLUMNS = [
    Column("games", lambda row: f"{row.score.results.games}"),
    Column("points", lambda row: f"{row.score.results.points:g}"),
    Column("+", lambda row: f"{row.score.results.wins}"),
    Column("=", lambda row: f"{row.score.results.draws}"),
    Column("-", lambda row: f"{row.score.results.losses}"),
    Column("share", lambda row: _share(row.score.results)),
    Column("forfeits", lambda row: f"{row.score.forfeits}"),
]
RATING_COLUMNS = [
    Column("Elo", lambda row: f"{row.rating.elo:+z.0f}" if row.rating else ""),
    Column(
        "95 %",
        lambda row: f"{row.rating.low:+z.0f} to {row.rating.high:+z.0f}" if row.rating else "",
    ),
]


def standing(run: Run) -> Group:
    """Return the table of all players, from the first place to the last.

    A match has lines below it: its Elo difference, and its test if it has one.  In other
    tournaments players have ratings.
    """
    names = run.tournament.names
    is_match = len(names) == 2
    columns = COLUMNS if is_match else COLUMNS + RATING_COLUMNS
    table = Table(title=str(run.tournament.game), title_justify="left", box=None)
    table.add_column("")
    table.add_column("player", overflow="fold")
    for column in columns:
        table.add_column(column.title, justify="right")
    found = scores(names, list(run.records.values()))
    ratings = {} if is_match else ratings_of(run)
    for place, player in enumerate(run.schedule.order(run.results), 1):
        name = names[player]
        row = Row(name, found[name], ratings.get(name))
        table.add_row(f"{place}", Text(name), *(column.text(row) for column in columns))
    return Group(table, *map(Text, match_lines(run) if is_match else ()))


def ratings_of(run: Run) -> dict[str, Rating]:
    """Return the ratings of players by name, none before all have met through each other."""
    names = run.tournament.names
    met: dict[tuple[str, str], Pentanomial] = {}
    for result in run.counted:
        pairing = names[result.first], names[result.second]
        met[pairing] = met.get(pairing, Pentanomial()).plus(result.points)
    try:
        return {rating.player: rating for rating in rate(met).table}
    except UsageError:
        return {}


def pairs_of(run: Run) -> Pentanomial:
    """Return the pairs of a match, counted for its first player."""
    counts = Pentanomial()
    for result in run.counted:
        counts = counts.plus(2 - result.points if result.first else result.points)
    return counts


def match_lines(run: Run) -> list[str]:
    """Return what the pairs of a match say of its first player, once there are any."""
    counts = pairs_of(run)
    if not counts.total:
        return []
    first, second = run.tournament.names
    pairs = " ".join(map(str, counts.numbers))
    likely = 100 * likelihood_of_superiority(counts)
    lines = [
        f"{first} against {second}: Elo {elo(counts)}, stronger with {likely:.1f} %",
        f"pairs with 0, 0.5, 1, 1.5 and 2 points: {pairs}",
    ]
    return [*lines, *filter(None, [test_line(run).rstrip()])]


def test_line(run: Run) -> str:
    """Return a line about the test of a match, "" where it has none or no pair counts yet."""
    test = run.tournament.sprt
    counts = pairs_of(run)
    if test is None or not counts.total:
        return ""
    low, high = test.bounds
    verdict = test.verdict(counts) or "no verdict yet"
    return (
        f"SPRT of {test.elo0:g} and {test.elo1:g} ({test.model}): "
        f"LLR {test.llr(counts):.2f} ({low:.2f} to {high:.2f}), {verdict}\n"
    )


def game_line(record: GameRecord) -> str:
    """Return a line about a finished game."""
    first, second = record.players
    result = f"{record.score:g} to {1 - record.score:g}" if record.is_result else "no result"
    reason = f": {record.reason}" if record.reason else ""
    moves = "1 move" if len(record.moves) == 1 else f"{len(record.moves)} moves"
    return (
        f"Game {record.number}: {first} against {second}, {result}, {moves}, "
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
            lines.append(f"Game {job.number}: {first} against {second}")
        return Group(standing(run), *map(Text, lines))

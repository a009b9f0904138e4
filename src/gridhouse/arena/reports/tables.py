"""The summary of a match or a tournament for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from gridhouse.arena.reports import texts
from gridhouse.reporting.text import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from gridhouse.arena.reports.summary import Heading, PlayerSummary, Summary


def print_summary(summary: Summary, heading: Heading, console: Console | None = None) -> None:
    """Print a summary on standard output, or on another console."""
    (console or Console(highlight=False)).print(summary_tables(summary, heading))


def summary_tables(summary: Summary, heading: Heading) -> Group:
    """Return the tables of a summary; what there is none of is left out."""
    above = f"{heading.title}: {heading.game}, {heading.control}, {heading.format}"
    parts: list[RenderableType] = [Text(harmless(above), style="bold")]
    parts.append(_players(summary.players))
    if summary.note:
        parts.append(Text(f"No ratings: {harmless(summary.note)}."))
    if summary.pairings:
        parts.append(_pairings(summary))
    if any(player.faults for player in summary.players):
        parts.append(_faults(summary.players))
    if len(summary.pairings) == 1:
        estimate = texts.estimate_text(summary.pairings[0][1].normalized_elo)
        parts.append(Text(f"Normalised Elo: {estimate}."))
    if summary.ends:
        parts.append(Text(_ends(summary)))
    if summary.abandoned:
        parts.append(Text(f"Abandoned, without a result: {summary.abandoned}."))
    return Group(*parts)


def _table(*names: str, numbers: Iterable[str]) -> Table:
    """Return a table without rows; the columns of numbers are to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, overflow="fold")
    for number in numbers:
        table.add_column(number, justify="right", no_wrap=True)
    return table


def _name(name: str) -> Text:
    return Text(harmless(name))


def _players(players: Iterable[PlayerSummary]) -> Table:
    players = list(players)
    rated = any(player.rating for player in players)
    columns = ["Elo", "95 %"] * rated
    table = _table("Player", numbers=[*columns, "games", "points", "share", "mean", "longest"])
    for player in players:
        rating = [texts.DASH] * 2 * rated
        if player.rating:
            bounds = texts.interval(player.rating.low, player.rating.high)
            rating = [texts.signed(player.rating.elo), bounds]
        counts = player.results
        scored = str(counts.games), texts.points(counts.points), texts.percent(counts.score)
        times = texts.seconds(player.mean_seconds), texts.seconds(player.longest_seconds)
        table.add_row(_name(player.name), *rating, *scored, *times)
    return table


def _pairings(summary: Summary) -> Table:
    table = _table("Pairing", "", numbers=["+ / = / -", "pairs", "Elo (95 %)", "LOS"])
    for (one, other), meeting in summary.pairings:
        pairs = "/".join(map(str, meeting.pairs.numbers))
        numbers = texts.results(meeting.games), pairs, texts.estimate_text(meeting.elo)
        table.add_row(_name(one), _name(other), *numbers, texts.percent(meeting.superiority))
    return table


def _faults(players: Iterable[PlayerSummary]) -> Table:
    """Return the faults that occurred, of those who made some."""
    players = [player for player in players if player.faults]
    kinds = [kind for kind in texts.FAULTS if any(kind in player.faults for player in players)]
    table = _table("Faults", numbers=[texts.FAULTS[kind].lower() for kind in kinds])
    for player in players:
        table.add_row(_name(player.name), *(str(player.faults.get(kind, 0)) for kind in kinds))
    return table


def _ends(summary: Summary) -> str:
    sides = texts.results(summary.sides)
    mean = sum(summary.lengths) / len(summary.lengths)
    return (
        f"Ends: {', '.join(f'{why} {counts.games}' for why, counts in summary.ends.items())}. "
        f"First side: {sides}. "
        f"Moves: {mean:.1f} a game, {min(summary.lengths)} to {max(summary.lengths)}."
    )

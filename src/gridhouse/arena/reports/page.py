"""The pages of a match or a tournament: one of all, and one of each game."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

import gridhouse
from gridhouse.arena.records import Termination
from gridhouse.arena.reports import texts
from gridhouse.arena.reports.boards import boards
from gridhouse.arena.reports.charts import rating_chart, value_lines
from gridhouse.arena.reports.positions import positions
from gridhouse.arena.reports.summary import summarize
from gridhouse.core.console import UsageError, write_whole
from gridhouse.core.game import TERMINAL
from gridhouse.core.notation import shown
from gridhouse.reporting.pages import SORTING, Pages
from gridhouse.reporting.text import harmless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gridhouse.arena.records import GameRecord, PlayedMove
    from gridhouse.arena.reports.charts import RatingChart
    from gridhouse.arena.reports.summary import Heading, Summary

TEMPLATES = Path(__file__).parent / "templates"
STEPPING = "step.js"
RENEWING = "renew.js"  # of pages that a house serves
GAMES = "games"  # the folder of their pages
MOST_LABEL = 40  # characters of a name in a chart


class Step(NamedTuple):
    """A move on the page of a game: its number, its side and what was said of it."""

    number: int
    side: int
    move: PlayedMove


def write_pages(
    records: Sequence[GameRecord],
    heading: Heading,
    folder: Path,
    *,
    names: Iterable[str] = (),
    house: str = "",
) -> list[Path]:
    """Write ``index.html`` and ``games/NNNN.html`` into a folder and return their paths.

    ``names`` are those of players who may have played no game.  ``house`` is the address of a house
    in which positions can be played on.  Raises UsageError for an address that is none, for games
    that cannot have been played, and for files that cannot be written.
    """
    if house and not _is_address(house):
        raise UsageError(f"{shown(house)} is not the address of a house: https://...")
    paths = [folder / GAMES / file_name(record) for record in records]
    for at, (record, path) in enumerate(zip(records, paths, strict=True)):
        before, after = (records[at - 1] if at else None), (*records[at + 1 : at + 2], None)[0]
        page = game_page(record, heading, neighbours=(before, after), house=house)
        write_whole(path, page.encode())
    index = folder / "index.html"
    write_whole(index, index_page(records, heading, summarize(records, names)).encode())
    return [index, *paths]


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def index_page(
    records: Sequence[GameRecord],
    heading: Heading,
    summary: Summary,
    *,
    in_play: Sequence[GameRecord] = (),
    is_served: bool = False,
) -> str:
    """Return the page of all games, those ``in_play`` apart.

    A house serves a page that shows how the tournament goes on.
    """
    sides = gridhouse.parse(records[0].opening).game.players if records else ("first", "second")
    return pages().page(
        "index.html",
        title=harmless(heading.title),
        heading=heading,
        records=records,
        summary=summary,
        chart=_chart(summary),
        sides=sides,
        in_play=in_play,
        scripts=[RENEWING if is_served else SORTING],
        served="" if is_served else None,
    )


def _chart(summary: Summary) -> RatingChart | None:
    """Return the chart of the ratings, or that of the difference where there are two players."""
    rows = [
        (player.name, player.rating.elo, player.rating.low, player.rating.high)
        for player in summary.players
        if player.rating
    ]
    if not rows and len(summary.pairings) == 1:
        (one, other), meeting = summary.pairings[0]
        elo = meeting.elo
        rows = [(f"{_label(one)} against {_label(other)}", elo.value, elo.low, elo.high)]
    return rating_chart([(_label(row[0]), *row[1:]) for row in rows])


def _label(name: str) -> str:
    text = harmless(name)
    return text if len(text) <= MOST_LABEL else text[: MOST_LABEL - 1] + "…"


def game_page(
    record: GameRecord,
    heading: Heading,
    *,
    neighbours: tuple[GameRecord | None, GameRecord | None] = (None, None),
    house: str = "",
    is_served: bool = False,
) -> str:
    """Return the page of a game, with links to the games before and after it.

    A house serves a page that shows how a game in play goes on.  Raises UsageError for a game that
    cannot have been played.
    """
    is_renewed = is_served and record.termination is Termination.IN_PLAY
    sides: list[int] = []
    links: list[str] = []

    def followed() -> Iterable[gridhouse.State]:
        for state in positions(record):
            sides.append(state.current_player())
            links.append(_link(house, state) if house else "")
            yield state

    drawn = boards(followed())
    steps = [
        Step(number, side, move)
        for number, (side, move) in enumerate(zip(sides, record.moves, strict=False), 1)
    ]
    link = links[0]
    data: dict[str, object] = {"frames": drawn.frames}
    if link:
        data["links"] = links
    return pages().page(
        "game.html",
        title=f"Game {record.number}: {f' {texts.DASH} '.join(map(harmless, record.players))}",
        heading=heading,
        record=record,
        boards=drawn,
        steps=steps,
        lines=value_lines((step.side, step.move.value) for step in steps),
        sides=gridhouse.parse(record.opening).game.players,
        neighbours=neighbours,
        data=data,
        link=link,
        scripts=[STEPPING, *[RENEWING] * is_renewed],
        served="../" if is_served else None,
    )


def _link(house: str, state: gridhouse.State) -> str:
    """Return where a house begins a game from a position, "" for the end of a game."""
    if state.current_player() == TERMINAL:
        return ""
    start = quote(str(state), safe="(),=:/")
    return f"{house.rstrip('/')}/new/{state.game.name}?start={start}"


def file_name(record: GameRecord) -> str:
    """Return the name of the file of a game's page."""
    return f"{record.number:04}.html"


def is_open(record: GameRecord) -> bool:
    """Tell whether all may be seen of a game: it is over, or nothing has been hidden so far."""
    if record.termination is not Termination.IN_PLAY:
        return True
    *_, now = positions(record)
    return not now.has_had_secrets()


@cache
def pages() -> Pages:
    """Return what makes all pages."""
    functions = (
        texts.end, texts.estimate_text, texts.interval, texts.percent, texts.points, texts.result,
        texts.results, texts.seconds, texts.signed,
    )  # fmt: skip
    filters: dict[str, Callable[..., object]] = {each.__name__: each for each in functions}
    filters |= {"file_name": file_name, "is_open": is_open}
    return Pages(TEMPLATES, filters, {"faults": texts.FAULTS})

"""A visitor's games as rows of a page: whose turn it is, or how they ended."""

from __future__ import annotations

import logging
from collections import OrderedDict
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import GridhouseError
from gridhouse.players.levels import LEVELS, level_in_words
from gridhouse.server.languages import day_in_words
from gridhouse.server.ratings import LevelResult, rating
from gridhouse.server.storage.records import DamagedError
from gridhouse.server.storage.store import Chosen
from gridhouse.server.tables.company import ANONYMOUS, FRIEND
from gridhouse.server.tables.table import (
    ANALYSIS,
    FRIENDS,
    HOTSEAT,
    MACHINE,
    ON_TIME,
    RESIGNED,
    begun,
    loser_of,
    outcome_of,
    returns_of,
)
from gridhouse.server.tables.visibility import puzzle_refusal

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from starlette.requests import Request

    from gridhouse.core.game import Game, State
    from gridhouse.server.storage.records import StoredTable
    from gridhouse.server.storage.store import Store
    from gridhouse.server.storage.visitors import Profile
    from gridhouse.server.tables.service import TableService

log = logging.getLogger("gridhouse.server")
MAX_OPEN = 4  # games in the strip "Continue"
MAX_RATED = 200  # latest games that a rating counts
MAX_SUMMARIES = 4000  # in memory
# By name, version and last change of a table; they are made anew if it is played on.
_summaries: OrderedDict[tuple[str, int, int], Summary] = OrderedDict()
SCREENS = {HOTSEAT: "two at one screen", ANALYSIS: "analysis board"}
HOW = {ON_TIME: " on time", RESIGNED: " by resignation"}


class Summary(NamedTuple):
    """What a page says of a game without showing its board; ``mover`` is None when it is over."""

    game: Game
    mover: int | None
    outcome: str
    result: str
    returns: tuple[float, ...]


def played(record: StoredTable) -> Generator[None, None, State]:
    """Return the end of a stored game, which is played by its rules with a pause after each move.

    Raises GridhouseError.
    """
    state = begun(record)
    for ply in record.moves:
        state.apply_action(state.string_to_action(ply.move))
        yield
    return state


def summary(record: StoredTable, store: Store | None = None) -> Generator[None, None, Summary]:
    """Return the summary of a stored game, as ``played`` does.

    With a store the record lacks its moves, and they are read if the summary is not known.
    """
    key = record.id, record.version, record.changed
    about = _summaries.pop(key, None)
    if about is None:
        if store is not None:
            yield  # others have their turns between two tables that are read
            whole = store.load(record.id)
            if whole is None:
                raise GridhouseError(record.id)  # it is gone, or what is wrong is logged
            record, key = whole, (whole.id, whole.version, whole.changed)
        about = summary_of((yield from played(record)), record.ended)
    _summaries[key] = about  # in the order of their last use
    if len(_summaries) > MAX_SUMMARIES:
        _summaries.popitem(last=False)
    return about


def summary_of(state: State, ended: str | None) -> Summary:
    """Return the summary of a game."""
    game = state.game
    if ended is None and not state.is_terminal():
        return Summary(game, state.current_player(), "", "", ())
    result = game.write_result(game.result(state)) if game.num_players == 1 else ""
    return Summary(game, None, outcome_of(state, ended), result, tuple(returns_of(state, ended)))


@contextmanager
def readable(record: StoredTable) -> Iterator[None]:
    """Leave a table out that cannot be read, so that the others are shown.

    Games that today's rules refuse are of an older version; whatever else is wrong is logged.
    """
    try:
        yield
    except DamagedError as error:
        log.error("the table %s cannot be read: %s", record.id, error)
    except GridhouseError:
        pass
    except Exception:
        log.exception("the table %s cannot be read", record.id)


class GameRow(NamedTuple):
    """A game of a visitor; ``turn`` is "" when it is over, ``result`` until then.

    ``opponent`` is "" for a game without one, and ``screen`` says how two share a screen.
    """

    address: str
    title: str
    board: str
    opponent: str
    screen: str
    turn: str
    result: str
    day: str
    is_mine: bool  # whether the visitor is to move, or the machine will be at once
    has_review: bool


def day_text(moment: datetime) -> str:
    """Return a day in words."""
    return day_in_words(moment)


def game_row(
    store: Store, record: StoredTable, visitor: str, profiles: dict[str, Profile], today: str
) -> Generator[None, None, GameRow]:
    """Return the row of a visitor's game, with pauses."""
    about = yield from summary(record, store)
    seats = [seat for seat, sitter in record.seated_visitors.items() if sitter == visitor]
    others = [sitter for sitter in record.seated_visitors.values() if sitter != visitor]
    if record.opponent == MACHINE:
        opponent = f"the machine, {level_in_words(record.level or LEVELS[0])}"
    elif others:
        opponent = (profiles[others[0]].name if others[0] in profiles else "") or ANONYMOUS
    elif record.opponent == FRIENDS:
        opponent = FRIEND
    else:
        opponent = ""
    is_mine = about.mover is not None and about.mover in {*seats, record.machine}
    daily = record.daily
    past = daily is not None and daily < today
    barred = puzzle_refusal(about.game, daily, given=record.given, past=past)
    changed = datetime.fromtimestamp(record.changed / 1000, UTC)
    return GameRow(
        f"/t/{record.id}",
        about.game.title,
        about.game.board_words,
        opponent,
        SCREENS.get(record.opponent, "") if about.game.num_players > 1 else "",
        turn_words(about, is_mine, opponent if others else ""),
        result_words(about, seats, record.ended),
        day_text(changed),
        is_mine,
        about.mover is None and not barred,
    )


def turn_words(about: Summary, is_mine: bool, friend: str) -> str:
    """Return whose turn it is, "" when the game is over."""
    if about.mover is None:
        return ""
    if is_mine:
        return "Your turn"
    return f"{friend} is to move" if friend else "Waiting for your friend"


def result_words(about: Summary, seats: list[int], ended: str | None) -> str:
    """Return how a game ended for the visitor at these seats, "" while it goes on."""
    if about.mover is not None:
        return ""
    if len(seats) != 1 or len(about.returns) == 1:
        counts_moves = about.game.fewer_is_better
        return f"{about.outcome}, {about.result}" if counts_moves else about.outcome
    lost = loser_of(ended)
    value = about.returns[seats[0]]
    told = "Draw" if not value else "Won" if value > 0 else "Lost"
    return told + (HOW[lost[0]] if lost else "")


def rows_of(
    service: TableService, visitor: str, records: list[StoredTable]
) -> Iterator[GameRow | None]:
    """Yield the rows of a visitor's games, and None in pauses."""
    sitters = {sitter for record in records for sitter in record.seated_visitors.values()}
    profiles = service.visitors.profiles(sitters)
    today = service.daily_puzzles.today().isoformat()
    for record in records:
        with readable(record):
            yield (yield from game_row(service.store, record, visitor, profiles, today))


def rating_of(store: Store, records: Iterable[StoredTable]) -> Generator[None, None, int | None]:
    """Return the rating of the visitor who played these games against the machine, with pauses."""
    results = []
    for record in records:
        with readable(record):
            about = yield from summary(record, store)
            if about.returns and record.machine is not None:
                value = about.returns[1 - record.machine]
                results.append(LevelResult(record.level or 1, (value > 0) + 0.5 * (value == 0)))
    return rating(results)


def ratings_of(
    service: TableService, visitor: str, games: list[type[Game]]
) -> Iterator[tuple[str, int] | None]:
    """Yield a visitor's rating in each game that has one, with the game's title; None in pauses."""
    for cls in games:
        chosen = Chosen(cls.name, over=True, opponent=MACHINE)
        records = service.store.list_own(visitor, chosen, MAX_RATED)
        value = yield from rating_of(service.store, records)
        if value is not None:
            yield cls.title, value


async def open_games(request: Request) -> list[GameRow]:
    """Return the visitor's latest games in which they can move, for the strip "Continue"."""
    service: TableService = request.app.state.service
    visitor = request.app.state.auth.visitor(request)
    if visitor is None:
        return []
    chosen = Chosen(over=False)
    records = await service.work.run(service.store.list_own, visitor, chosen, 4 * MAX_OPEN)
    rows = await service.work.collect(rows_of(service, visitor, records))
    return [row for row in rows if row.is_mine][:MAX_OPEN]

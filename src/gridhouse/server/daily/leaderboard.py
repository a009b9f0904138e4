"""What is kept of the daily puzzles: their starts, the best that is known, who reached what."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from gridhouse.server.storage.store import metadata

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

PUZZLES = sa.Table(
    "puzzles",
    metadata,
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("start", sa.Text, nullable=False),
    sa.Column("best", sa.BigInteger),
    sa.Column("proved", sa.Boolean, nullable=False),
)
RESULTS = sa.Table(
    "results",
    metadata,
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("visitor", sa.String(64), primary_key=True),
    sa.Column("late", sa.Boolean, primary_key=True),
    sa.Column("result", sa.BigInteger, nullable=False),
    sa.Column("moves", sa.Integer, nullable=False),
    sa.Column("reached", sa.DateTime(timezone=True), nullable=False),
)
NAMES = sa.Table(
    "names",
    metadata,
    sa.Column("visitor", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(20), nullable=False),
)


class BestResult(NamedTuple):
    """The best result that is known of a puzzle, and whether it is proved that none is better."""

    result: int
    proved: bool


class StoredPuzzle(NamedTuple):
    """A puzzle as it is kept: its start as a position's text, and the best if it is known."""

    start: str
    best: BestResult | None


class Puzzle(NamedTuple):
    """Which puzzle: the game's name, the day as ``2026-11-20``, and which results are better."""

    game: str
    day: str
    fewer: bool


class DailyResult(NamedTuple):
    """What a visitor reached at a puzzle; ``late`` if its day was over."""

    puzzle: Puzzle
    visitor: str
    result: int
    moves: int
    when: datetime
    late: bool


class LeaderboardRow(NamedTuple):
    """A line of the table of the day; ``name`` is "" for who has given none."""

    rank: int
    visitor: str
    name: str
    result: int


class Leaderboard:
    """The part of a house's database that the daily puzzles need."""

    def __init__(self, engine: sa.Engine) -> None:
        """Use a database that is up to date."""
        self._engine = engine

    def puzzle(self, puzzle: Puzzle, start: Callable[[], str]) -> StoredPuzzle:
        """Return a puzzle; the first time it is asked for, it is made and kept.

        So it stays the same puzzle when a later version would make another one.
        """
        kept = self._kept(puzzle)
        if kept is not None:
            return kept
        text = start()
        row = {"game": puzzle.game, "day": puzzle.day, "start": text, "proved": False}
        # Where another request was quicker, what it has written is the same.
        with suppress(IntegrityError), self._engine.begin() as connection:
            connection.execute(PUZZLES.insert().values(row))
        return StoredPuzzle(text, None)

    def _kept(self, puzzle: Puzzle) -> StoredPuzzle | None:
        wanted = sa.select(PUZZLES).where(*of(PUZZLES, puzzle))
        with self._engine.connect() as connection:
            row = connection.execute(wanted).one_or_none()
        if row is None:
            return None
        return StoredPuzzle(
            row.start, None if row.best is None else BestResult(row.best, row.proved)
        )

    def keep_best(self, puzzle: Puzzle, best: BestResult) -> None:
        """Write down the best that was found."""
        row = {"best": best.result, "proved": best.proved}
        with self._engine.begin() as connection:
            connection.execute(PUZZLES.update().where(*of(PUZZLES, puzzle)).values(row))

    def own(self, puzzle: Puzzle, visitor: str) -> dict[bool, int]:
        """Return what a visitor reached: on the day itself under False, later under True."""
        mine = [*of(RESULTS, puzzle), RESULTS.c.visitor == visitor]
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(RESULTS.c.late, RESULTS.c.result).where(*mine))
            return {row.late: row.result for row in rows}

    def reached(self, puzzle: Puzzle) -> int | None:
        """Return the best that anybody has reached, on the day or later."""
        extreme = sa.func.min if puzzle.fewer else sa.func.max
        wanted = sa.select(extreme(RESULTS.c.result)).where(*of(RESULTS, puzzle))
        with self._engine.connect() as connection:
            found: int | None = connection.scalar(wanted)
        return found

    def table(self, puzzle: Puzzle, most: int) -> tuple[list[LeaderboardRow], int]:
        """Return the first places of the day, and how many visitors have one."""
        entered = [*of(RESULTS, puzzle), RESULTS.c.late.is_(False)]
        order = RESULTS.c.result.asc() if puzzle.fewer else RESULTS.c.result.desc()
        named = RESULTS.outerjoin(NAMES, NAMES.c.visitor == RESULTS.c.visitor)
        wanted = (
            sa.select(RESULTS.c.visitor, RESULTS.c.result, NAMES.c.name)
            .select_from(named)
            .where(*entered)
            .order_by(order, RESULTS.c.reached, RESULTS.c.visitor)
            .limit(most)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(wanted).all()
            count = connection.scalar(sa.select(sa.func.count()).where(*entered)) or 0
        return ranked([(row.visitor, row.name or "", row.result) for row in rows]), count

    def rank(self, puzzle: Puzzle, result: int) -> int:
        """Return which place a result of the day has."""
        ahead = RESULTS.c.result < result if puzzle.fewer else RESULTS.c.result > result
        entered = [*of(RESULTS, puzzle), RESULTS.c.late.is_(False)]
        with self._engine.connect() as connection:
            count = connection.scalar(sa.select(sa.func.count()).where(*entered, ahead)) or 0
        return count + 1

    def name_of(self, visitor: str) -> str:
        """Return the name that a visitor has given, "" without one."""
        wanted = sa.select(NAMES.c.name).where(NAMES.c.visitor == visitor)
        with self._engine.connect() as connection:
            return connection.scalar(wanted) or ""

    def set_name(self, visitor: str, name: str) -> None:
        """Call a visitor so from now on, in the tables of earlier days as well; "" for no name."""
        with self._engine.begin() as connection:
            connection.execute(NAMES.delete().where(NAMES.c.visitor == visitor))
            if name:
                connection.execute(NAMES.insert().values(visitor=visitor, name=name))


def write_result(connection: sa.Connection, reached: DailyResult) -> None:
    """Write down in a transaction what was reached, if that is the visitor's best."""
    puzzle, visitor, result, moves, when, late = reached
    mine = [*of(RESULTS, puzzle), RESULTS.c.visitor == visitor, RESULTS.c.late == late]
    row = {"result": result, "moves": moves, "reached": when}
    before = connection.scalar(sa.select(RESULTS.c.result).where(*mine))
    if before is None:
        row |= {"game": puzzle.game, "day": puzzle.day, "visitor": visitor, "late": late}
        connection.execute(RESULTS.insert().values(row))
    elif is_better(puzzle, result, before):
        connection.execute(RESULTS.update().where(*mine).values(row))


def of(table: sa.Table, puzzle: Puzzle) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions that pick out what belongs to a puzzle."""
    return table.c.game == puzzle.game, table.c.day == puzzle.day


def is_better(puzzle: Puzzle, result: int, other: int) -> bool:
    """Tell whether one result is better than another."""
    return result < other if puzzle.fewer else result > other


def ranked(rows: list[tuple[str, str, int]]) -> list[LeaderboardRow]:
    """Return visitors, names and results, the best first, with ranks that equal results share."""
    places: list[LeaderboardRow] = []
    for at, (visitor, name, result) in enumerate(rows, 1):
        shares = places and places[-1].result == result
        places.append(LeaderboardRow(places[-1].rank if shares else at, visitor, name, result))
    return places

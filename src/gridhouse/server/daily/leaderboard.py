"""The stored part of the daily puzzles: starts, best known results, and visitors' results."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from gridhouse.server.daily.results import BestResult, Puzzle, is_better
from gridhouse.server.names import told_apart
from gridhouse.server.storage.store import metadata
from gridhouse.server.storage.visitors import VISITORS, profile_of

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

# SQLite stores anything anywhere; what is no number is no result.
IS_RESULT = RESULTS.c.result == sa.cast(RESULTS.c.result, sa.BigInteger)


class StoredPuzzle(NamedTuple):
    """A puzzle in the database: its start as text, and its best known result."""

    start: str
    best: BestResult | None


class DailyResult(NamedTuple):
    """A visitor's result in a puzzle; ``late`` if the puzzle's day was over."""

    puzzle: Puzzle
    visitor: str
    result: int
    moves: int
    when: datetime
    late: bool


class LeaderboardRow(NamedTuple):
    """A row of the leaderboard; ``name`` is "" for a visitor without a name."""

    rank: int
    visitor: str
    name: str
    result: int


class Leaderboard:
    """The part of the database that the daily puzzles use."""

    def __init__(self, engine: sa.Engine) -> None:
        """Use a database whose schema is up to date."""
        self._engine = engine

    def puzzle(self, puzzle: Puzzle, start: Callable[[], str]) -> StoredPuzzle:
        """Return a puzzle; the first request generates and stores it.

        So the puzzle stays the same if a later version would generate another one.
        """
        kept = self._stored(puzzle)
        if kept is not None:
            return kept
        text = start()
        row = {"game": puzzle.game, "day": puzzle.day, "start": text, "proved": False}
        # If another request was faster, it has written the same row.
        with suppress(IntegrityError), self._engine.begin() as connection:
            connection.execute(PUZZLES.insert().values(row))
        return StoredPuzzle(text, None)

    def remove(self, puzzle: Puzzle) -> None:
        """Remove a puzzle that cannot be read."""
        with self._engine.begin() as connection:
            connection.execute(PUZZLES.delete().where(*of(PUZZLES, puzzle)))

    def _stored(self, puzzle: Puzzle) -> StoredPuzzle | None:
        wanted = sa.select(PUZZLES).where(*of(PUZZLES, puzzle))
        with self._engine.connect() as connection:
            row = connection.execute(wanted).one_or_none()
        if row is None:
            return None
        # What is no number is searched for again; SQLite stores anything anywhere.
        is_known = isinstance(row.best, int)
        return StoredPuzzle(row.start, BestResult(row.best, row.proved) if is_known else None)

    def store_best(self, puzzle: Puzzle, best: BestResult) -> None:
        """Store the best known result."""
        row = {"best": best.result, "proved": best.proved}
        with self._engine.begin() as connection:
            connection.execute(PUZZLES.update().where(*of(PUZZLES, puzzle)).values(row))

    def own(self, puzzle: Puzzle, visitor: str) -> dict[bool, int]:
        """Return a visitor's results: on the day under False, after it under True."""
        mine = [*of(RESULTS, puzzle), RESULTS.c.visitor == visitor, IS_RESULT]
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(RESULTS.c.late, RESULTS.c.result).where(*mine))
            return {row.late: row.result for row in rows}

    def reached(self, puzzle: Puzzle) -> int | None:
        """Return the best result of all visitors, on the day or after it."""
        extreme = sa.func.min if puzzle.fewer else sa.func.max
        wanted = sa.select(extreme(RESULTS.c.result)).where(*of(RESULTS, puzzle), IS_RESULT)
        with self._engine.connect() as connection:
            found: int | None = connection.scalar(wanted)
        return found

    def table(self, puzzle: Puzzle, most: int) -> tuple[list[LeaderboardRow], int]:
        """Return the top of the leaderboard, and the number of visitors on it."""
        entered = [*of(RESULTS, puzzle), RESULTS.c.late.is_(False), IS_RESULT]
        # The time itself is not read: one that is damaged would take all others down.
        turn = sa.func.row_number().over(order_by=(RESULTS.c.reached, RESULTS.c.visitor))
        order = RESULTS.c.result.asc() if puzzle.fewer else RESULTS.c.result.desc()
        named = RESULTS.outerjoin(VISITORS, VISITORS.c.visitor == RESULTS.c.visitor)
        wanted = (
            sa.select(RESULTS.c.visitor, RESULTS.c.result, turn.label("turn"), VISITORS.c.name)
            .select_from(named)
            .where(*entered)
            .order_by(order, RESULTS.c.reached, RESULTS.c.visitor)
            .limit(most)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(wanted).all()
            entrants = connection.scalar(sa.select(sa.func.count()).where(*entered)) or 0
        by_time = sorted(rows, key=lambda row: row.turn)
        names = told_apart([(row.visitor, profile_of(row.name).name) for row in by_time])
        return ranked([(row.visitor, names[row.visitor], row.result) for row in rows]), entrants

    def rank(self, puzzle: Puzzle, result: int) -> int:
        """Return the rank of a result on the leaderboard."""
        ahead = RESULTS.c.result < result if puzzle.fewer else RESULTS.c.result > result
        entered = [*of(RESULTS, puzzle), RESULTS.c.late.is_(False), IS_RESULT]
        with self._engine.connect() as connection:
            count = connection.scalar(sa.select(sa.func.count()).where(*entered, ahead)) or 0
        return count + 1


def write_result(connection: sa.Connection, reached: DailyResult) -> None:
    """Store a result within a transaction if it is the visitor's best."""
    puzzle, visitor, result, moves, when, late = reached
    mine = [*of(RESULTS, puzzle), RESULTS.c.visitor == visitor, RESULTS.c.late == late]
    row = {"result": result, "moves": moves, "reached": when}
    before = connection.scalar(sa.select(RESULTS.c.result).where(*mine))
    if before is None:
        row |= {"game": puzzle.game, "day": puzzle.day, "visitor": visitor, "late": late}
        connection.execute(RESULTS.insert().values(row))
    elif not isinstance(before, int) or is_better(puzzle, result, before):
        connection.execute(RESULTS.update().where(*mine).values(row))


def of(table: sa.Table, puzzle: Puzzle) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions that select the rows of a puzzle."""
    return table.c.game == puzzle.game, table.c.day == puzzle.day


def ranked(rows: list[tuple[str, str, int]]) -> list[LeaderboardRow]:
    """Return the rows with their ranks; ``rows`` are sorted, and equal results share a rank."""
    places: list[LeaderboardRow] = []
    for at, (visitor, name, result) in enumerate(rows, 1):
        shares = places and places[-1].result == result
        places.append(LeaderboardRow(places[-1].rank if shares else at, visitor, name, result))
    return places

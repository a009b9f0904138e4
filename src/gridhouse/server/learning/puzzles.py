"""Puzzles: positions with one best move, from the file ``puzzles.csv`` in a game's folder.

``tools/make_puzzles.py`` makes the files; each puzzle has a grade from 1 (easy) to 5.
"""

from __future__ import annotations

import csv
import io
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.registry import game_class, games, parse
from gridhouse.server.learning.exercises import Exercise
from gridhouse.server.learning.lessons import file_of, lesson_of, line_of

if TYPE_CHECKING:
    from collections.abc import Sequence

GRADES = range(1, 6)


class Puzzle(NamedTuple):
    """A puzzle: its grade, what is to be done, and its exercise."""

    grade: int
    text: str
    exercise: Exercise


@cache
def puzzles_of(name: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of a game, of all grades in turn; a game may have none."""
    file, lesson = file_of(game_class(name), "puzzles.csv"), lesson_of(name)
    if lesson is None or not file.is_file():
        return ()
    rows = csv.DictReader(io.StringIO(file.read_text(encoding="utf-8")))
    return tuple(
        read_puzzle(int(row["grade"]), row["start"], row["line"], lesson.puzzle) for row in rows
    )


def read_puzzle(grade: int, start: str, line: str, text: str) -> Puzzle:
    """Return a puzzle of its parts; ``{moves}`` in the text is the number of its own moves.

    In a game for one any moves count that reach the result of the line, ``{result}``.
    """
    moves = line_of(line)
    state = parse(start)
    learner, own = state.current_player(), 0
    for move in moves:
        own += state.current_player() == learner
        state.play(move)
    is_alone = state.game.num_players == 1
    result = state.game.result(state)
    exercise = Exercise(
        start,
        (moves,),
        best=result if is_alone else None,
        hint="That is not the move. Look again, or have it shown.",
        praise="Solved!",
    )
    told = text.format(
        moves=f"{own} moves" if own > 1 else "one move", result=state.game.write_result(result)
    )
    return Puzzle(grade, told, exercise)


def puzzle_games() -> list[str]:
    """Return the names of the games with puzzles."""
    return [name for name in games() if puzzles_of(name)]


def following(puzzles: Sequence[Puzzle], number: int, grade: int | None) -> int:
    """Return the number of the next puzzle of a grade after one, from the start again at the end.

    Numbers count from 1; without the grade the next one follows.
    """
    order = [*range(number + 1, len(puzzles) + 1), *range(1, number + 1)]
    return next((at for at in order if grade in (None, puzzles[at - 1].grade)), number)

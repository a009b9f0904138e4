"""Results of the daily puzzles, compared and in words.

This module needs no database, since the process that renders pages has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gridhouse.core.game import Game

SQUARES = 5  # of a result that is shared


class BestResult(NamedTuple):
    """The best known result of a puzzle, and whether it is proved to be optimal."""

    result: int
    proved: bool


class Puzzle(NamedTuple):
    """A puzzle's game and its day (``2026-11-20``); ``fewer`` says lower results are better."""

    game: str
    day: str
    fewer: bool


def puzzle_of(cls: type[Game], day: str) -> Puzzle:
    """Return the key of a game's puzzle of a day."""
    return Puzzle(cls.name, day, cls.fewer_is_better)


def is_better(puzzle: Puzzle, result: int, other: int) -> bool:
    """Tell whether one result is better than another."""
    return result < other if puzzle.fewer else result > other


def verdict(game: Game, result: int, best: BestResult | None) -> str:
    """Compare a result with the best known one, in words."""
    told = game.write_result(result)
    if best is None:
        return told
    if result == best.result:
        return (
            f"{told}, the best possible result"
            if best.proved
            else f"{told}, equal to the best known result"
        )
    if is_better(puzzle_of(type(game), ""), result, best.result):
        return f"{told}, better than the best known result so far, {game.write_result(best.result)}"
    return f"{told}; {best_text(game, best)}"


def best_text(game: Game, best: BestResult) -> str:
    """Return the best known result in words."""
    kind = "best" if best.proved else "best known"
    return f"the {kind} result is {game.write_result(best.result)}"


def share_text(game: Game, day: str, result: int, best: BestResult | None) -> str:
    """Return a result as a line to share: the squares say how near it is to the best known one.

    The best result itself is not named, because others have yet to play.
    """
    told = f"Gridhouse {game.title} {day}: {game.write_result(result)}"
    if best is None:
        return told
    # Neither may be 0; and a result better than the best known one fills all squares.
    least, most = sorted((max(1, result), max(1, best.result)))
    beats = result == best.result or is_better(puzzle_of(type(game), ""), result, best.result)
    filled = SQUARES if beats else min(SQUARES - 1, SQUARES * least // most)
    return f"{told} {'▮' * filled}{'▯' * (SQUARES - filled)}"

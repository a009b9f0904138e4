"""What the solver advises a player: the next move of a shortest way, or of a short one."""

from __future__ import annotations

import os

from gridhouse.core.errors import SolverError
from gridhouse.core.solving import stopped_after
from gridhouse.games.sliding import _small, rules
from gridhouse.games.sliding._puzzle import puzzle_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import State
    from gridhouse.games.sliding._anytime import Anytime
    from gridhouse.games.sliding._puzzle import Puzzle
    from gridhouse.games.sliding.rules import Position

WORTH = 1.0  # what a solved puzzle returns


class Adviser:
    """Solves the puzzles being played; who follows its advice is led along one solution.

    On boards of up to sixteen cells that is a shortest one, if time allows.
    """

    def __init__(self, *, jit: bool = True) -> None:
        """Note whether there is compiled code; without, only the smallest boards are solved."""
        self._jit = jit
        self._search: Anytime | None = None
        self._plan: dict[tuple[int, ...], int] = {}

    def advise(self, state: State, seconds: float) -> tuple[int, float] | None:
        """Return a move with what it is worth, None where there is no way out or no solver."""
        position = state.position
        if key(position) not in self._plan:
            try:
                puzzle = puzzle_of(position)
            except SolverError:
                return None
            if puzzle.is_solved() or not (self._jit or puzzle.cells <= _small.CELLS):
                return None
            self._plan = plan(position, self._solve(puzzle, seconds))
        return self._plan[key(position)], WORTH

    def _solve(self, puzzle: Puzzle, seconds: float) -> list[int]:
        """Return the moves of a solution."""
        if puzzle.cells <= _small.CELLS:
            return _small.shortest(puzzle)[0]
        from gridhouse.games.sliding._anytime import SMALL, Anytime

        search = self._search = Anytime(
            puzzle, 1.0, os.cpu_count() or 1, seconds, proves=puzzle.cells <= SMALL, jit=self._jit
        )
        try:
            with stopped_after(seconds, search.stop):
                search.run()
        finally:
            self._search = None
        return search.moves

    def stop(self) -> None:
        """Make advice that another thread waits for come at once."""
        search = self._search
        if search is not None:
            search.stop()


def key(position: Position) -> tuple[int, ...]:
    """Return what tells a position of one puzzle from all others: tiles and solution."""
    return (*position.tiles, *position.goal)


def plan(position: Position, moves: list[int]) -> dict[tuple[int, ...], int]:
    """Return by position on the way of a solution the move from there."""
    walk = position.copy()
    found = {}
    for move in moves:
        found[key(walk)] = move
        rules.apply_action(walk, move)
    return found

"""The solver as an adviser: the next move of a shortest solution, or of a short one."""

from __future__ import annotations

import os

from gridhouse.core.errors import SolverError
from gridhouse.core.extras import MissingExtraError
from gridhouse.core.solving import Advice, stopped_after
from gridhouse.games.sliding import rules
from gridhouse.games.sliding.solver import bidirectional
from gridhouse.games.sliding.solver.puzzle import puzzle_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import State
    from gridhouse.games.sliding.rules import Position
    from gridhouse.games.sliding.solver.anytime import Anytime
    from gridhouse.games.sliding.solver.puzzle import Puzzle

INTERPRETED_CELLS = (
    16  # cells of a board up to which there may be a solution in time in interpreted code
)
SOLVED_VALUE = 1.0  # the return of a solved puzzle


class Adviser:
    """Solves the puzzles being played; its advice follows one solution.

    On boards of up to sixteen cells that is a shortest one, if time allows.
    """

    def __init__(self, *, jit: bool = True) -> None:
        """Note whether there is compiled code; without, only small boards are solved in time."""
        self._jit = jit
        self._search: Anytime | None = None
        self._moves: list[int] = []
        self._plan: dict[tuple[int, ...], int] = {}
        self._gap = 0  # moves by which the plan may be longer than need be

    def advise(self, state: State, seconds: float) -> Advice | None:
        """Return a solution with its value, None if there is none or time is too short."""
        position = state.position
        if key(position) not in self._plan:
            try:
                puzzle = puzzle_of(position)
            except SolverError:
                return None
            if puzzle.is_solved() or not (self._jit or puzzle.cells <= INTERPRETED_CELLS):
                return None
            self._moves, bound = self._solve(puzzle, seconds)
            if not self._moves:  # interpreted, time may have been too short for any solution
                return None
            self._plan = plan(position, self._moves)
            self._gap = len(self._moves) - bound
        line = tuple(self._moves[self._plan[key(position)] :])
        return Advice(SOLVED_VALUE, line, verdict(len(line), self._gap))

    def _solve(self, puzzle: Puzzle, seconds: float) -> tuple[list[int], int]:
        """Return the moves of a solution, and a lower bound of their number."""
        moves, _ = bidirectional.shortest(puzzle)
        if moves:
            return moves, len(moves)
        try:
            from gridhouse.games.sliding.solver.anytime import SMALL, Anytime, Limits
        except MissingExtraError:
            return [], 0
        limits = Limits(threads=os.cpu_count() or 1, seconds=seconds)
        is_small = puzzle.cells <= SMALL
        search = self._search = Anytime(puzzle, limits, allow_slow_build=is_small, jit=self._jit)
        try:
            with stopped_after(seconds, search.stop if self._jit else search.give_up):
                search.run()
        finally:
            self._search = None
        return search.moves, search.bound

    def stop(self) -> None:
        """Make advice that another thread waits for come at once."""
        search = self._search
        if search is not None:
            search.stop()


def key(position: Position) -> tuple[int, ...]:
    """Return a hashable key of a position: tiles and solution."""
    return (*position.tiles, *position.goal)


def verdict(length: int, gap: int) -> str:
    """Describe a solution that is ``gap`` moves longer than the lower bound."""
    moves = f"{length} move{'s' * (length != 1)}"
    if gap == 0:
        return f"Proved: {moves} to go, and no way is shorter"
    return f"A way of {moves} is known, and {max(1, length - gap)} are needed at least"


def plan(position: Position, moves: list[int]) -> dict[tuple[int, ...], int]:
    """Return by position on the path of a solution the number of moves made before."""
    walk = position.copy()
    found = {}
    for number, move in enumerate(moves):
        found[key(walk)] = number
        rules.apply_action(walk, move)
    return found

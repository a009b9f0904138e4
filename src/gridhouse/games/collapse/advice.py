"""What the solver advises a player: the next pick of the best picks found so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core.errors import SolverError
from gridhouse.core.solving import Advice, stopped_after
from gridhouse.games.collapse import solver
from gridhouse.games.collapse._search import Search

if TYPE_CHECKING:
    from gridhouse.core.game import State


class Adviser:
    """Plays the best picks found, and keeps them from move to move.

    As long as the game follows the plan, a new search replaces the rest of it only by something
    better, so the score that was found once is never lost; a plan that is proved optimal is played
    without searching again.
    """

    def __init__(self, *, jit: bool = True, seed: int = 0, threads: int = 2) -> None:
        """Have the kernels ready, so that no move waits for that."""
        self._jit, self._seed, self._threads = jit, seed, threads
        if jit:
            solver.warm()
        self._plan: list[int] = []
        self._score = 0
        self._bound = 0
        self._optimal = False
        self._ahead = ""  # the position that the plan begins at
        self._search: Search | None = None

    def advise(self, state: State, seconds: float) -> Advice | None:
        """Return a pick with the score of the whole game that is planned, or None at its end.

        Also None for a board that the solver does not take, or where there is no time at all.
        """
        if str(state) != self._ahead:
            self._plan = []
        if not self._plan or not self._optimal:
            self._look(state, seconds)
        if not self._plan:
            return None
        line = tuple(self._plan)
        pick = self._plan.pop(0)
        after = state.clone()
        after.apply_action(pick)
        self._ahead = str(after)
        return Advice(float(self._score), line, self._verdict())

    def _verdict(self) -> str:
        if self._optimal:
            return f"Proved: {self._score} is the most that can be scored"
        return f"{self._score} can be scored, and no play scores more than {self._bound}"

    def stop(self) -> None:
        """Make advice that another thread waits for come at once."""
        search = self._search
        if search is not None:
            search.stop()

    def _look(self, state: State, seconds: float) -> None:
        """Search, and change the plan if what is found is better."""
        try:
            solver.check(state, seconds, None, self._threads)
        except SolverError:
            return
        search = self._search = Search(
            state, seed=self._seed, nodes=None, threads=self._threads, jit=self._jit
        )
        try:
            with stopped_after(seconds, search.stop):
                search.run()
        finally:
            self._search = None
        found = solver.told(state, search, seconds)
        if not self._plan or found.score > self._score:
            self._plan = [search.action(cell) for cell in search.line]
            self._score = found.score
        self._bound = found.bound
        self._optimal = self._score >= found.bound

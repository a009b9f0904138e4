"""What the solver advises a player: the next pick of the best picks found so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core.errors import SolverError
from gridhouse.core.solving import Advice, stopped_after
from gridhouse.games.collapse import solver
from gridhouse.games.collapse._search import Search
from gridhouse.games.collapse.rules import Scoring

if TYPE_CHECKING:
    from gridhouse.core.game import State


MEMORY = 128  # MiB
CLEARING = 0.1  # the part of the time for whether the board can be cleared
CLEARS = {
    True: "the board can be cleared",
    False: "the board cannot be cleared",
    None: "whether the board can be cleared is not known",
}


class Adviser:
    """Plays the best picks found, and keeps them from move to move.

    As long as the game follows the plan, a new search replaces the rest of it only by something
    better, so the score that was found once is never lost; a plan that is proved optimal is played
    without searching again.  A tenth of the time is for whether the board can still be cleared.
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
        self._cleared = False  # whether the plan clears the board
        self._clears: bool | None = None  # whether anything does, or not known
        self._begin = ""  # the position that the plan begins at
        self._ahead = ""  # and the one after its first pick
        self._search: Search | None = None

    def advise(self, state: State, seconds: float) -> Advice | None:
        """Return a pick with the score of the whole game that is planned, or None at its end.

        Also None for a board that the solver does not take, or where there is no time at all.
        """
        here = str(state)
        if here == self._ahead:
            self._plan.pop(0)
            if self._clears and not self._cleared:
                self._clears = None  # another line would have cleared the board
        elif here != self._begin:
            self._plan = []
            self._clears = None
        if not self._plan or not self._optimal:
            self._look(state, seconds * (1 - CLEARING))
        if not self._plan:
            return None
        if self._clears is None:
            self._ask(state, seconds * CLEARING)
        after = state.clone()
        after.apply_action(self._plan[0])
        self._begin, self._ahead = here, str(after)
        return Advice(float(self._score), tuple(self._plan), self._verdict())

    def _verdict(self) -> str:
        if self._optimal:
            score = f"Proved: {self._score} is the most that can be scored"
        else:
            score = f"{self._score} can be scored, and no play scores more than {self._bound}"
        return f"{score}; {CLEARS[self._clears]}"

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
        search = self._searched(state, seconds, clearing=False)
        found = solver.told(state, search, seconds)
        if not self._plan or found.score > self._score:
            self._plan = [search.action(cell) for cell in search.line]
            self._score = found.score
            self._cleared = found.cleared
        self._bound = found.bound
        self._optimal = self._score >= found.bound
        if self._cleared:
            self._clears = True
        elif search.scoring == Scoring.LINEAR and search.least > 0:
            self._clears = False

    def _ask(self, state: State, seconds: float) -> None:
        """Ask whether the board can be cleared."""
        self._clears = solver.clears(self._searched(state, seconds, clearing=True))

    def _searched(self, state: State, seconds: float, *, clearing: bool) -> Search:
        """Return a search that is over, for a score or for whether the board can be cleared."""
        search = self._search = Search(
            state,
            seed=self._seed,
            nodes=None,
            threads=self._threads,
            jit=self._jit,
            memory=MEMORY,
            clearing=clearing,
        )
        try:
            with stopped_after(seconds, search.stop):
                search.run()
        finally:
            self._search = None
        return search

"""Advice for players: the next pick of the best picks found so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core.errors import SolverError
from gridhouse.core.solving import Advice, stopped_after
from gridhouse.games.collapse.rules import Scoring
from gridhouse.games.collapse.solver import api
from gridhouse.games.collapse.solver.search import LinearSearch, Options, make_search

if TYPE_CHECKING:
    from gridhouse.core.game import State
    from gridhouse.games.collapse.solver.search import Search

MEMORY = 128  # MiB
CLEARING = 0.1  # share of the time that goes to whether the board can be cleared
CLEARS = {
    True: "the board can be cleared",
    False: "the board cannot be cleared",
    None: "whether the board can be cleared is not known",
}


class Adviser:
    """Plays the best picks found, its plan, and keeps them from move to move.

    As long as the game follows the plan, a new search replaces it only by a better one, and none
    follows once it is proved to be optimal.  A tenth of the time goes to whether the board can be
    cleared.
    """

    def __init__(self, *, jit: bool = True, seed: int = 0, threads: int = 2) -> None:
        """Compile or load the kernels, so that no move waits for it."""
        self._jit, self._seed, self._threads = jit, seed, threads
        if jit:
            api.warm()
        self._plan: list[int] = []
        self._score = 0
        self._bound = 0
        self._optimal = False
        self._cleared = False  # whether the plan clears the board
        self._clears: bool | None = None  # whether anything does, or not known
        self._begin = ""  # the position that the plan begins at
        self._next = ""  # and the one after its first pick
        self._search: Search | None = None

    def advise(self, state: State, seconds: float) -> Advice | None:
        """Return the plan with the score of the whole game, or None at the end of the game.

        Also None for a board that is too large, or without time.
        """
        here = str(state)
        if here == self._next:
            self._plan.pop(0)
            if self._clears and not self._cleared:
                self._clears = None  # another line would have cleared the board
        elif here != self._begin:
            self._plan = []
            self._clears = None
        if not self._plan or not self._optimal:
            self._replan(state, seconds * (1 - CLEARING))
        if not self._plan:
            return None
        if self._clears is None:
            self._prove_clearing(state, seconds * CLEARING)
        after = state.clone()
        after.apply_action(self._plan[0])
        self._begin, self._next = here, str(after)
        return Advice(float(self._score), tuple(self._plan), self._verdict())

    def _verdict(self) -> str:
        if self._optimal:
            score = f"Proved: {self._score} is the most that can be scored"
        else:
            score = f"{self._score} can be scored, and no play scores more than {self._bound}"
        return f"{score}; {CLEARS[self._clears]}"

    def stop(self) -> None:
        """End the search of a call in another thread, which then returns."""
        search = self._search
        if search is not None:
            search.stop()

    def _replan(self, state: State, seconds: float) -> None:
        """Search, and replace the plan by a better one."""
        try:
            api.check(state, seconds, None, self._threads)
        except SolverError:
            return
        options = Options(self._seed, None, self._threads, MEMORY)
        search = self._run(make_search(state, options, jit=self._jit), seconds)
        found = api.solution_of(state, search, seconds)
        if not self._plan or found.score > self._score:
            self._plan = [search.action(cell) for cell in search.line]
            self._score = found.score
            self._cleared = found.cleared
        self._bound = found.bound
        self._optimal = self._score >= found.bound
        if self._cleared:
            self._clears = True
        elif search.scoring == Scoring.LINEAR and search.lower_bound > 0:
            self._clears = False

    def _prove_clearing(self, state: State, seconds: float) -> None:
        """Search for whether the board can be cleared."""
        options = Options(self._seed, None, self._threads, MEMORY)
        search = LinearSearch(state, options, jit=self._jit, is_clearing=True)
        self._clears = api.proved_clearing(self._run(search, seconds))

    def _run(self, search: Search, seconds: float) -> Search:
        """Run a search and return it."""
        self._search = search
        try:
            with stopped_after(seconds, search.stop):
                search.run()
        finally:
            self._search = None
        return search

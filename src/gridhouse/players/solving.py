"""A player that asks the solver of a game first, and plays solved positions perfectly."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gridhouse.core.components import component
from gridhouse.core.errors import PlayerError
from gridhouse.core.extras import MissingExtraError
from gridhouse.players.base import Choice, Limits, Player
from gridhouse.players.searching import SEARCHES
from gridhouse.search.engine import best_search

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State

SOLVER_SHARE = 0.8  # of the time
MARGIN = 0.02  # seconds left for the answer, but at most
MAX_MARGIN_SHARE = 0.1  # of the time
MIN_SECONDS = 0.001
WARM_MOVES = 2  # the second move reuses the tree, which has kernels of its own
WARM_LIMITS = Limits(playouts=200)


def has_adviser(game: Game) -> bool:
    """Tell whether a game has an adviser, and the libraries that it needs are installed."""
    try:
        return component(type(game), "solver.advice") is not None
    except MissingExtraError:
        return False


class SolverPlayer(Player):
    """Plays the proved move of the game's adviser, else the move of the game's best search.

    The adviser is the class ``Adviser`` of the game's module ``advice``.  Its
    ``advise(state, seconds)`` returns ``core.solving.Advice``, or None, and its ``stop`` makes it
    return soon.  Limits other than time are for the search.
    """

    def __init__(self, game: Game, *, seed: int = 0, jit: bool = True, **settings: Any) -> None:
        """Set up for a game; raise PlayerError if it has no adviser.

        Raises MissingExtraError for an adviser that needs what is not installed.
        """
        super().__init__(game, seed=seed, jit=jit, **settings)
        advice = component(type(game), "solver.advice")
        if advice is None:
            raise PlayerError(f"perfect: {game.name} has no solver that picks moves")
        self._adviser = advice.Adviser(jit=jit)
        self._settings = {"seed": seed, "jit": jit, **settings}
        # In games of one the adviser nearly always has a move, and an interpreted search takes long
        # to make, so there the search is made when it is needed.
        self._search = self._warm_search() if jit and game.num_players == 2 else None

    def _make_search(self) -> Player:
        return SEARCHES[best_search(self.game)](self.game, **self._settings)

    def _warm_search(self) -> Player:
        """Return a search that has been used once, so that no move waits for the compiler."""
        search = self._make_search()
        state = self.game.new_initial_state()
        while not state.is_terminal() and len(state.history()) < WARM_MOVES:
            state.apply_action(search.choose(state, WARM_LIMITS).action)
        return search

    def _choose(self, state: State, limits: Limits) -> Choice:
        started = time.perf_counter()
        seconds = 1.0 if limits.seconds is None else limits.seconds
        advice = self._adviser.advise(state, seconds * SOLVER_SHARE)
        if advice is not None and advice.line:
            return Choice(advice.action, advice.value, advice.line, verdict=advice.verdict)
        if self._search is None:
            self._search = self._make_search()
        margin = min(MARGIN, MAX_MARGIN_SHARE * seconds)
        left = max(MIN_SECONDS, seconds - margin - (time.perf_counter() - started))
        choice = self._search.choose(state, Limits(left, limits.nodes, limits.playouts))
        if advice is None:
            return choice
        # All moves lose: the search picks the one after which an opponent most likely errs.
        return replace(choice, value=advice.value, verdict=advice.verdict)

    def stop(self) -> None:
        """End a search of another thread; it returns its choice at once."""
        self._adviser.stop()
        if self._search is not None:
            self._search.stop()

"""A player that asks a game's solver first: what is solved it plays without a mistake."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gridhouse.core.components import solver_component
from gridhouse.core.errors import PlayerError
from gridhouse.players.base import Choice, Limits, Player
from gridhouse.players.searching import SEARCHES
from gridhouse.search.engine import best_search

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State

SHARE = 0.8  # of the time, for the solver
MARGIN = 0.02  # seconds kept back for answering,
MOST_MARGIN = 0.1  # or this part of the time where it is short
LEAST = 0.001
WARM_MOVES = 2  # so that a tree is followed once
WARM_LIMITS = Limits(playouts=200)


class SolverPlayer(Player):
    """Plays what the game's ``advice`` has proved within its time, else what the best search finds.

    A game offers advice by a module of this name with a class ``Adviser``, whose
    ``advise(state, seconds)`` returns ``core.solving.Advice``, or None, and whose ``stop`` makes it
    return soon.  Limits other than time are the search's, which moves where advice has no move.
    """

    def __init__(self, game: Game, *, seed: int = 0, jit: bool = True, **settings: Any) -> None:
        """Sit down to a game; raises PlayerError if it has no solver that advises."""
        super().__init__(game, seed=seed, jit=jit, **settings)
        advice = solver_component(type(game), "advice")
        if advice is None:
            raise PlayerError(f"perfect: {game.name} has no solver that picks moves")
        self._adviser = advice.Adviser(jit=jit)
        self._settings = {"seed": seed, "jit": jit, **settings}
        # Players of games of one are nearly always advised, and interpreted, the memory of a search
        # takes long to make: there it waits until it is needed.
        self._search = self._warm_search() if jit and game.num_players == 2 else None

    def _make_search(self) -> Player:
        return SEARCHES[best_search(self.game)](self.game, **self._settings)

    def _warm_search(self) -> Player:
        """Return a search that has been used, so that no move waits for its being compiled."""
        search = self._make_search()
        state = self.game.new_initial_state()
        while not state.is_terminal() and len(state.history()) < WARM_MOVES:
            state.apply_action(search.choose(state, WARM_LIMITS).action)
        return search

    def _choose(self, state: State, limits: Limits) -> Choice:
        begun = time.perf_counter()
        seconds = 1.0 if limits.seconds is None else limits.seconds
        advice = self._adviser.advise(state, seconds * SHARE)
        if advice is not None and advice.line:
            return Choice(advice.action, advice.value, advice.line, verdict=advice.verdict)
        if self._search is None:
            self._search = self._make_search()
        margin = min(MARGIN, MOST_MARGIN * seconds)
        left = max(LEAST, seconds - margin - (time.perf_counter() - begun))
        choice = self._search.choose(state, Limits(left, limits.nodes, limits.playouts))
        if advice is None:
            return choice
        # All is lost: what this search likes best is where another one is most likely to err.
        return replace(choice, value=advice.value, verdict=advice.verdict)

    def stop(self) -> None:
        """Make a choice that another thread waits for come at once."""
        self._adviser.stop()
        if self._search is not None:
            self._search.stop()

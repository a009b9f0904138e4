"""What whatever picks a move has in common: its limits, its answer, its interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from gridhouse.core.errors import ParameterError, PlayerError
from gridhouse.core.solving import stopped_after
from gridhouse.search.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gridhouse.core.game import Game, State

NO_LIMIT = 1 << 60


@dataclass(frozen=True)
class Limits:
    """How long a player may think: seconds, nodes of a search tree, playouts of a sampling search.

    What is None does not limit.  A player that never looks ahead heeds none of them.
    """

    seconds: float | None = None
    nodes: int | None = None
    playouts: int | None = None

    @property
    def work(self) -> int:
        """How many nodes or playouts, whichever of the two a player counts, there may be."""
        return self.nodes or self.playouts or NO_LIMIT

    def __post_init__(self) -> None:
        """Raise ParameterError for a limit that is not above zero."""
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise ParameterError(f"{name}: {value} is not above 0")


@dataclass(frozen=True)
class Choice:
    """A move and what the player thinks of it.

    ``value`` is what the player expects to make: from -1, lost, to 1, won, in games of two, the
    score in games of one, None without an opinion.  ``line`` is how play should go on, the move
    first; ``work`` is how many nodes or playouts went into it; ``verdict`` is what a solver knows
    of the position, in words.
    """

    action: int
    value: float | None = None
    line: tuple[int, ...] = ()
    work: int = 0
    seconds: float = 0.0
    verdict: str = ""


class Player(ABC):
    """Picks moves in one game; the same ones for the same seed and limits other than time."""

    is_timed = False  # whether it keeps to a time of its own

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        jit: bool = True,
        constants: Mapping[str, float] | None = None,
    ) -> None:
        """Sit down to a game; ``constants`` replace those of its evaluation.

        Without ``jit`` all is done interpreted, and just the same.
        """
        self.game = game
        self.engine = Engine(game, jit=jit, constants=constants)
        self._control: Any = None

    def choose(self, state: State, limits: Limits | None = None) -> Choice:
        """Return a legal action for whoever is to move; the limit is a second without any.

        Nothing that the player to move may not see has any influence on it.  Raises PlayerError
        if the game is another or is over.
        """
        if state.game != self.game:
            raise PlayerError(f"this player plays {self.game}, not {state.game}")
        if state.is_terminal():
            raise PlayerError(f"there is no move to choose in a game that is over: {state}")
        started = perf_counter()
        choice = self._choose(state, limits or Limits(seconds=1.0))
        return replace(choice, seconds=perf_counter() - started)

    @abstractmethod
    def _choose(self, state: State, limits: Limits) -> Choice:
        """Choose in a game that goes on; the time it takes is measured by the caller."""

    def stop(self) -> None:
        """Make a choice that another thread waits for come at once."""
        control = self._control
        if control is not None:
            control[0].stop = 1

    @contextmanager
    def _clock(self, control: Any, seconds: float | None) -> Iterator[None]:
        """Let the memory of a search be told to stop, by ``stop`` and when time is up."""
        control[0].stop = 0
        self._control = control
        try:
            with stopped_after(seconds, self.stop):
                yield
        finally:
            self._control = None
            control[0].stop = 0

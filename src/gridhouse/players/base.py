"""The interface of a player, the limits of its search, and its choice."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import ParameterError, PlayerError
from gridhouse.core.solving import stopped_after
from gridhouse.search.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Protocol

    from gridhouse.core.game import Game, State

    class HasStop(Protocol):
        """The control record of a search."""

        stop: int


NO_LIMIT = 1 << 60


@dataclass(frozen=True)
class Limits:
    """The limits of a search: seconds, nodes of a search tree, playouts of a sampling search.

    None is no limit.  A player without a search ignores its limits.
    """

    seconds: float | None = None
    nodes: int | None = None
    playouts: int | None = None

    @property
    def work(self) -> int:
        """The most nodes or playouts, whichever of them a player counts."""
        return self.nodes or self.playouts or NO_LIMIT

    def __post_init__(self) -> None:
        """Raise ParameterError for a limit that is not above 0."""
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise ParameterError(f"{name}: {value} is not above 0")


@dataclass(frozen=True)
class Choice:
    """A move, and what the player found about it.

    ``value`` is the expected result: from -1 (lost) to 1 (won) in games of two, the score in games
    of one, None if it is unknown.  ``line`` is the principal variation, which starts with the move;
    ``work`` is the number of nodes or playouts; ``verdict`` is what a solver has proved, in words.
    """

    action: int
    value: float | None = None
    line: tuple[int, ...] = ()
    work: int = 0
    seconds: float = 0.0
    verdict: str = ""


class Player(ABC):
    """Chooses moves in one game; the same moves for the same seed and limits other than time."""

    is_timed = False  # whether it has its own limit of time

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        jit: bool = True,
        constants: Mapping[str, float] | None = None,
    ) -> None:
        """Set up for a game; ``constants`` replace constants of its evaluation.

        Without ``jit`` the same functions run interpreted.
        """
        self.game = game
        self.engine = Engine(game, jit=jit, constants=constants)
        self._running: HasStop | None = None  # the control record of the running search

    def choose(self, state: State, limits: Limits | None = None) -> Choice:
        """Choose a legal action for the player to move; the default limit is a second.

        The choice depends only on what the player to move may see.  Raises PlayerError for another
        game and for a game that is over.
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
        """Choose in a game that is not over; the caller measures the time."""

    def stop(self) -> None:
        """End a search of another thread; it returns its choice at once."""
        control = self._running
        if control is not None:
            control.stop = 1

    @contextmanager
    def _stoppable(self, control: HasStop, seconds: float | None) -> Iterator[None]:
        """Have ``stop``, and the end of the time, set the stop flag of a search."""
        control.stop = 0
        self._running = control
        try:
            with stopped_after(seconds, self.stop):
                yield
        finally:
            self._running = None
            control.stop = 0


class Contestant(NamedTuple):
    """A player, and the limits of each of its choices."""

    player: Player
    limits: Limits | None

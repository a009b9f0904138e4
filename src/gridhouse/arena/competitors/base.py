"""The interface of a competitor, its replies, and the ways in which it can forfeit a game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from gridhouse.core.errors import GridhouseError

if TYPE_CHECKING:
    from gridhouse.arena.records import Termination
    from gridhouse.arena.time_control import Turn
    from gridhouse.core.game import State


class ForfeitError(GridhouseError):
    """A competitor has broken the conditions of a match, or resigns; the message says how."""

    def __init__(self, termination: Termination, reason: str) -> None:
        """Say how, in a word and in a sentence."""
        super().__init__(reason)
        self.termination = termination
        self.reason = reason


@dataclass(frozen=True)
class Reply:
    """A chosen move as its text, and what the competitor says about it, as in ``PlayedMove``.

    ``seconds`` is the time that counts; None has the referee measure it.
    """

    move: str
    value: float | None = None
    work: int = 0
    seconds: float | None = None


class Competitor(ABC):
    """Who plays games in a match; a context manager that leaves nothing running.

    One competitor plays one game at a time.  A forfeit ends its game only: it has to be ready for
    the next one, so a program that ended is started again.
    """

    name: str

    @abstractmethod
    def begin(self, state: State, side: int, number: int) -> None:
        """Get ready to play a side (0 or 1) of a game that goes on from a state.

        ``number`` is the number of the game in the match; a competitor that uses chance takes it as
        its seed, so that a game can be played again.  Raises ForfeitError.
        """

    @abstractmethod
    def choose(self, state: State, turn: Turn) -> Reply:
        """Return a move of the side to move, which is its own.

        ``state`` holds all moves so far.  Of hidden information only what its side may see may be
        used.  Raises ForfeitError.
        """

    def end(self, state: State, score: float) -> None:  # noqa: B027  # most need not know
        """Learn how a game ended that was begun: its last state, and the first side's score."""

    def close(self) -> None:  # noqa: B027  # most competitors run nothing
        """End all that the competitor runs."""

    def __enter__(self) -> Self:
        """Return the competitor."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the competitor."""
        self.close()

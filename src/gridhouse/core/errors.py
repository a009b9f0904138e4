"""What can be wrong with what a user gave: one class a kind, all of them ``ValueError``.

Every message is one line that names the input and says what was wrong with it, so that a program
can print it as it stands.
"""

from __future__ import annotations


class GridhouseError(ValueError):
    """Something that was given to the house is not right; the message says what."""


class UnknownGameError(GridhouseError):
    """There is no game of this name."""


class ParameterError(GridhouseError):
    """A game cannot be made with these parameters."""


class PositionError(GridhouseError):
    """A text is not a position of its game."""


class MoveError(GridhouseError):
    """A move cannot be played; one of the three kinds below."""


class InvalidMoveError(MoveError):
    """A text or a number is not a move of this game at all."""


class IllegalMoveError(MoveError):
    """A move is well formed but not legal in this position.

    ``refusal`` is the member of the game's ``Refusal`` enum that says why.
    """

    def __init__(self, message: str, refusal: int) -> None:
        """Keep the reason beside the message."""
        super().__init__(message)
        self.refusal = refusal


class AmbiguousMoveError(MoveError):
    """A shortened move names more than one legal move; ``candidates`` are their texts."""

    def __init__(self, message: str, candidates: list[str]) -> None:
        """Keep the moves that were meant beside the message."""
        super().__init__(message)
        self.candidates = candidates

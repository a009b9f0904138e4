"""Errors of invalid input: one class for each kind, all of them ``ValueError``.

Every message is one line that names the input and the reason, so that a program can print it.
"""

from __future__ import annotations

from gridhouse.core.notation import shown


class GridhouseError(ValueError):
    """An input is invalid; the message says why."""


class UnknownGameError(GridhouseError):
    """There is no game with this name."""


class RulesError(GridhouseError):
    """The rules of a game violate ``core.contract``."""


class ParameterError(GridhouseError):
    """A game cannot be made with these parameters."""


class PlayerError(GridhouseError):
    """The number, the kind or a setting of a player is invalid."""


class SolverError(GridhouseError):
    """A game or a position cannot be solved with these options."""


class NotCompiledError(GridhouseError):
    """Code is not compiled yet, and this thread must not compile it."""


class PictureError(GridhouseError):
    """A game has no pictures."""


class PositionError(GridhouseError):
    """A text is not a position of its game."""


class MoveError(GridhouseError):
    """A move cannot be played; one of the three kinds below.

    ``reason`` says why without the position, which the message holds as well.
    """

    def __init__(self, reason: str, position: str) -> None:
        """Join the reason and the text of the position to one message."""
        super().__init__(f"{reason}, in {shown(position, 200)}")
        self.reason = reason


class InvalidMoveError(MoveError):
    """A text or a number is no move of this game."""


class IllegalMoveError(MoveError):
    """A move is well formed but not legal in this position.

    ``refusal`` is the member of the game's ``Refusal`` enum that says why.
    """

    def __init__(self, reason: str, position: str, refusal: int) -> None:
        """Store the refusal beside the message."""
        super().__init__(reason, position)
        self.refusal = refusal


class AmbiguousMoveError(MoveError):
    """A shortened move names more than one legal move; ``candidates`` are their texts."""

    def __init__(self, reason: str, position: str, candidates: list[str]) -> None:
        """Store the texts of the matching moves beside the message."""
        super().__init__(reason, position)
        self.candidates = candidates

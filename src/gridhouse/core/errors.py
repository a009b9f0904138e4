"""What can be wrong with what a user gave: one class a kind, all of them ``ValueError``.

Every message is one line that names the input and says what was wrong with it, so that a program
can print it as it stands.
"""

from __future__ import annotations

from gridhouse.core.notation import shown


class GridhouseError(ValueError):
    """Something that was given to the house is not right; the message says what."""


class UnknownGameError(GridhouseError):
    """There is no game of this name."""


class RulesError(GridhouseError):
    """A game's rules do not keep the contract of ``core.contract``."""


class ParameterError(GridhouseError):
    """A game cannot be made with these parameters."""


class PlayerError(GridhouseError):
    """A game has no player of this number."""


class SolverError(GridhouseError):
    """A game or a position cannot be solved, or not in the way that was asked for."""


class NotCompiledError(GridhouseError):
    """Code would have to be compiled in a process that must not do it."""


class PictureError(GridhouseError):
    """A game cannot be drawn."""


class PositionError(GridhouseError):
    """A text is not a position of its game."""


class MoveError(GridhouseError):
    """A move cannot be played; one of the three kinds below.

    ``reason`` says why without the position, which the message holds as well.
    """

    def __init__(self, reason: str, position: str) -> None:
        """Join the reason and the position's text to one message."""
        super().__init__(f"{reason}, in {shown(position, 200)}")
        self.reason = reason


class InvalidMoveError(MoveError):
    """A text or a number is not a move of this game at all."""


class IllegalMoveError(MoveError):
    """A move is well formed but not legal in this position.

    ``refusal`` is the member of the game's ``Refusal`` enum that says why.
    """

    def __init__(self, reason: str, position: str, refusal: int) -> None:
        """Keep the refusal beside the message."""
        super().__init__(reason, position)
        self.refusal = refusal


class AmbiguousMoveError(MoveError):
    """A shortened move names more than one legal move; ``candidates`` are their texts."""

    def __init__(self, reason: str, position: str, candidates: list[str]) -> None:
        """Keep the moves that may be meant beside the message."""
        super().__init__(reason, position)
        self.candidates = candidates

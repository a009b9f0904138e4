"""The outcome of a game."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """The outcome of a finished game in words, and its winner, None without a winner."""

    termination: str
    winner: int | None

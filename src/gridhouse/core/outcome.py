"""How a game has ended."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """How a game has ended: in words, and the player who has won, None without one."""

    termination: str
    winner: int | None

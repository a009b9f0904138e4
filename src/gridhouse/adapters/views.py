"""Observations as text, and the bounds of their features."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gridhouse.core.game import State

HIGHEST = 2.0**14
"""The highest feature of an observation: a code point of a letter over 128.  The lowest is 0."""


def text(state: State, player: int) -> str:
    """Return the board and the status as the player sees them."""
    seen = state.observation(player)
    return "\n".join([*state.game.board(seen), state.game.status(seen)]).rstrip()

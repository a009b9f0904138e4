"""What a player sees of a state, as text and as numbers; it never holds what is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gridhouse.core.game import State

HIGHEST = 2.0**14
"""No feature is higher; the highest are code points of letters over 128.  The lowest is 0."""


def text(state: State, player: int) -> str:
    """Return the board as the player sees it, with what stands beside it."""
    seen = state.observation(player)
    return "\n".join([*state.game.board(seen), state.game.status(seen)]).rstrip()

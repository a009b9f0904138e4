"""What a player sees of a state, as arrays and as text; it never holds what is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gridhouse.core.game import State

HIGHEST = 2.0**14
"""No feature is higher; the highest are code points of letters over 128.  The lowest is 0."""


def planes(state: State, player: int) -> NDArray[np.float32]:
    """Return what the player sees as a new array of planes, rows and columns."""
    shape = state.game.observation_tensor_shape
    return np.array(state.observation_tensor(player), np.float32).reshape(shape)


def mask(state: State, player: int) -> NDArray[np.int8]:
    """Return 1 for every action that the player may play now, all 0 if it is another's turn."""
    if state.current_player() == player:
        return np.array(state.legal_actions_mask(), np.int8)
    return np.zeros(state.game.num_actions, np.int8)


def text(state: State, player: int) -> str:
    """Return the board as the player sees it, with what stands beside it."""
    seen = state.observation(player)
    return "\n".join([*state.game.board(seen), state.game.status(seen)]).rstrip()

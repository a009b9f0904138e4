"""The kernels of :mod:`gridhouse.search.single_game`: one game, in as few calls as possible.

``memory`` is an array of two records, the game and working memory for an observation of it: Python
passes arrays to compiled code much faster than records.  ``rules`` is specialized for a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from gridhouse.core.contract import Rules
    from gridhouse.core.position import Position

    Array = np.ndarray[Any, Any]

rules = cast("Rules", None)

STATE = 0
VIEW = 1
REFUSED = -1
OVER = 2  # added to the player to move once the game is over


def status(memory: list[Position], returns: list[float]) -> int:
    """Return the player to move, plus OVER once the game is over; write the returns."""
    state = memory[STATE]
    rules.returns(state, returns)
    over = OVER if rules.is_terminal(state) else 0
    return rules.current_player(state) + over


def play(memory: list[Position], returns: list[float], action: int) -> int:
    """Play an action and return the status after it, or REFUSED if it is illegal."""
    if rules.refusal(memory[STATE], action) != 0:
        return REFUSED
    rules.apply_action(memory[STATE], action)
    return status(memory, returns)


def observe(
    memory: list[Position], player: int, actions: list[int], mask: list[int], planes: Array
) -> None:
    """Write the observation of a player and its mask of legal actions into arrays of zeros.

    The mask stays empty when another player is to move.  ``actions`` is working memory.
    """
    if rules.current_player(memory[STATE]) == player:
        for index in range(rules.legal_actions(memory[STATE], actions)):
            mask[actions[index]] = 1
    memory[VIEW] = memory[STATE]
    rules.redact(memory[VIEW], player)
    rules.observation_planes(memory[VIEW], player, planes)

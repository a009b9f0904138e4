"""What is asked of one game at every step, in as few calls as can be.

``memory`` is an array of two records, the game and room for what somebody sees of it: Python passes
arrays on much faster than records.
``rules`` is specialized for a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

rules: Any = None

STATE = 0
VIEW = 1
REFUSED = -1
OVER = 2  # added to the player to move once the game is over


def status(memory: Any, made: Any) -> int:
    """Return who is to move and whether the game is over; write the returns."""
    state = memory[STATE]
    rules.returns(state, made)
    over = OVER if rules.is_terminal(state) else 0
    return int(rules.current_player(state)) + over


def play(memory: Any, made: Any, action: int) -> int:
    """Play an action and return the status then, or REFUSED."""
    if rules.refusal(memory[STATE], action) != 0:
        return REFUSED
    rules.apply_action(memory[STATE], action)
    return status(memory, made)


def look(memory: Any, player: int, actions: Any, mask: Any, planes: Any) -> None:
    """Write what a player sees and what it may play now over arrays of zeros.

    A 1 marks a legal action; on another's turn there is none.  ``actions`` is room for them.
    """
    if rules.current_player(memory[STATE]) == player:
        for index in range(rules.legal_actions(memory[STATE], actions)):
            mask[actions[index]] = 1
    memory[VIEW] = memory[STATE]
    rules.redact(memory[VIEW], player)
    rules.observation_planes(memory[VIEW], player, planes)

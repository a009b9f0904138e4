"""What is asked of one game at every step, in as few calls as can be.

All memory is in arrays, of one record each: Python passes them on much faster than records.
``rules`` is bound to a game's twin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

rules: Any = None

REFUSED = -1
OVER = 2  # added to the player to move once the game is over


def status(memory: Any, made: Any) -> int:
    """Return who is to move and whether the game is over; write the returns."""
    state = memory[0]
    rules.returns(state, made)
    over = OVER if rules.is_terminal(state) else 0
    return int(rules.current_player(state)) + over


def play(memory: Any, made: Any, action: int) -> int:
    """Play an action and return the status then, or REFUSED."""
    if rules.refusal(memory[0], action) != 0:
        return REFUSED
    rules.apply_action(memory[0], action)
    return status(memory, made)


def mask(memory: Any, actions: Any, out: Any) -> None:
    """Write a 1 for every legal action over an array of zeros; ``actions`` is room for them."""
    for index in range(rules.legal_actions(memory[0], actions)):
        out[actions[index]] = 1


def planes(memory: Any, work: Any, player: int, out: Any) -> None:
    """Write what the player sees over an array of zeros."""
    work[0] = memory[0]
    rules.hide(work[0], player)
    rules.planes(work[0], player, out)

"""What the machine tells those who play: a move, how they stand, and how play should go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core.errors import PictureError
from gridhouse.web.table import OVER, RefusedError, gesture

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gridhouse.core.game import State
    from gridhouse.players import Choice
    from gridhouse.web.sight import Look, Sight
    from gridhouse.web.thinking import Thinkers

# How much of what a win is worth somebody has to be ahead to stand so, by what the player thinks.
STANDS = ((0.8, "stands much better"), (0.4, "stands better"), (0.1, "stands a little better"))
FAR = 8  # moves that are shown of a game of two


async def hint(thinkers: Thinkers, look: Look) -> dict[str, object]:
    """Return the strongest player's move and the cells that name it; raises RefusedError."""
    state = look.state.clone()
    if state.is_terminal():
        raise RefusedError(OVER)
    action = (await thinkers.choose(state)).action
    return {"move": state.action_to_string(action), "cells": gesture(state, action)[0]}


async def judge(thinkers: Thinkers, look: Look) -> str:
    """Return how a position stands: what is proved, or what the strongest player thinks."""
    state = look.state.clone()
    if state.is_terminal():
        return state.game.outcome(state.position)
    return judgement(state, await thinkers.choose(state))


def judgement(state: State, choice: Choice) -> str:
    """Return in words what a choice tells about a position."""
    if choice.verdict or choice.value is None:
        return choice.verdict or "Nothing is known of this position"
    if state.game.num_players == 1:
        return f"About {choice.value:.0f} can be made"
    mover = state.current_player()
    ahead = state.game.players[mover if choice.value > 0 else 1 - mover]
    for least, words in STANDS:
        if abs(choice.value) >= least:
            return f"{ahead} {words}"
    return "About even"


async def show(thinkers: Thinkers, look: Look, sight: Sight) -> AsyncIterator[dict[str, object]]:
    """Yield a picture for each move as play should go on, to the end where one plays alone.

    Raises RefusedError where that would tell a secret.
    """
    if look.table.secret:
        raise RefusedError("what comes next may tell a secret")
    state = look.state.clone()
    is_alone = state.game.num_players == 1
    made = 0
    while not state.is_terminal() and (is_alone or made < FAR):
        choice = await thinkers.choose(state.clone())
        for action in choice.line or (choice.action,):
            by = "" if is_alone else f" by {state.game.players[state.current_player()]}"
            move = state.action_to_string(action)
            cells = gesture(state, action)[0]
            state.apply_action(action)
            made += 1
            yield {
                "board": drawn(state, sight),
                "last": cells,
                "heading": f"Shown, move {made}{by}: {move}",
                "status": state.game.status(state.position),
            }


def drawn(state: State, sight: Sight) -> str:
    """Return the picture of a position without secrets, or its text where there are no pictures."""
    try:
        return state.open_picture(sight.side).inline()
    except PictureError:
        return state.board()

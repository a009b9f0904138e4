"""Help for players: a hint, an evaluation, and how play should go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core.errors import PictureError
from gridhouse.server.tables.commands import OVER, RefusedError
from gridhouse.server.tables.table import gesture

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gridhouse.core.game import State
    from gridhouse.players import Choice
    from gridhouse.server.engine_pool import EnginePool
    from gridhouse.server.tables.visibility import Snapshot, Viewpoint

# How much of what a win is worth somebody has to be ahead to stand so, by what the player thinks.
STANDS = ((0.8, "stands much better"), (0.4, "stands better"), (0.1, "stands a little better"))
FAR = 8  # moves that are shown of a game of two


async def hint(engines: EnginePool, snapshot: Snapshot) -> dict[str, object]:
    """Return the strongest player's move and the cells that name it; raises RefusedError."""
    state = snapshot.state.clone()
    if state.is_terminal():
        raise RefusedError(OVER)
    action = (await engines.choose(state)).action
    return {"move": state.action_to_string(action), "cells": gesture(state, action)[0]}


async def judge(engines: EnginePool, snapshot: Snapshot) -> str:
    """Return how a position stands: what is proved, or what the strongest player thinks."""
    state = snapshot.state.clone()
    if state.is_terminal():
        return state.game.outcome(state.position)
    return evaluation_text(state, await engines.choose(state))


def evaluation_text(state: State, choice: Choice) -> str:
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


async def show(
    engines: EnginePool, snapshot: Snapshot, viewpoint: Viewpoint
) -> AsyncIterator[dict[str, object]]:
    """Yield a picture for each move as play should go on, to the end where one plays alone.

    Raises RefusedError where that would tell a secret.
    """
    if snapshot.table.secret:
        raise RefusedError("what comes next may tell a secret")
    state = snapshot.state.clone()
    is_alone = state.game.num_players == 1
    made = 0
    while not state.is_terminal() and (is_alone or made < FAR):
        choice = await engines.choose(state.clone())
        for action in choice.line or (choice.action,):
            by = "" if is_alone else f" by {state.game.players[state.current_player()]}"
            move = state.action_to_string(action)
            cells = gesture(state, action)[0]
            state.apply_action(action)
            made += 1
            yield {
                "board": drawn(state, viewpoint),
                "last": cells,
                "heading": f"Shown, move {made}{by}: {move}",
                "status": state.game.status(state.position),
            }


def drawn(state: State, viewpoint: Viewpoint) -> str:
    """Return the picture of a position without secrets, or its text where there are no pictures."""
    try:
        return state.open_picture(viewpoint.side).inline()
    except PictureError:
        return state.board()

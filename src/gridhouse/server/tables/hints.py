"""Help for players: a hint, an evaluation, and the best line."""

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
    from gridhouse.server.tables.messages import Evaluation, Frame, Hint
    from gridhouse.server.tables.visibility import Snapshot, Viewpoint

# The least evaluation, as a part of a win's worth, for each description of a lead.
LEADS = ((0.8, "stands much better"), (0.4, "stands better"), (0.1, "stands a little better"))
LINE_LENGTH = 8  # moves of the best line that are shown in a game for two


async def hint(engines: EnginePool, snapshot: Snapshot) -> Hint:
    """Return the strongest player's move and the cells that name it; raises RefusedError."""
    state, ply = snapshot.state.clone(), len(snapshot.table.plies)
    if state.is_terminal():
        raise RefusedError(OVER)
    action = (await engines.choose(state)).action
    move, cells = state.action_to_string(action), gesture(state, action)[0]
    return {"type": "hint", "ply": ply, "move": move, "cells": cells}


async def evaluate(engines: EnginePool, snapshot: Snapshot) -> Evaluation:
    """Return the proved result of a position, or the strongest player's evaluation, in words."""
    state, ply = snapshot.state.clone(), len(snapshot.table.plies)
    if state.is_terminal():
        text = state.game.outcome(state.position)
    else:
        text = evaluation_text(state, await engines.choose(state))
    return {"type": "judge", "ply": ply, "text": text}


def evaluation_text(state: State, choice: Choice) -> str:
    """Return the evaluation of a position, as its choice holds it, in words."""
    if choice.verdict or choice.value is None:
        return choice.verdict or "Nothing is known of this position"
    if state.game.num_players == 1:
        return f"About {choice.value:.0f} can be made"
    mover = state.current_player()
    ahead = state.game.players[mover if choice.value > 0 else 1 - mover]
    for least, words in LEADS:
        if abs(choice.value) >= least:
            return f"{ahead} {words}"
    return "About even"


async def best_line(
    engines: EnginePool, snapshot: Snapshot, viewpoint: Viewpoint
) -> AsyncIterator[Frame]:
    """Yield a picture for each move of best play, in a game for one to its end.

    Raises RefusedError where that would tell a secret.
    """
    ply = len(snapshot.table.plies)
    if snapshot.table.secret:
        raise RefusedError("what comes next may tell a secret")
    state = snapshot.state.clone()
    is_alone = state.game.num_players == 1
    made = 0
    while not state.is_terminal() and (is_alone or made < LINE_LENGTH):
        choice = await engines.choose(state.clone())
        for action in choice.line or (choice.action,):
            by = "" if is_alone else f" by {state.game.players[state.current_player()]}"
            move = state.action_to_string(action)
            cells = gesture(state, action)[0]
            state.apply_action(action)
            made += 1
            yield {
                "type": "frame",
                "ply": ply,
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

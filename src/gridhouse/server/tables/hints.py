"""Help for players: a hint, an evaluation, and the best line.

Searches are done by the engines, and what else takes time by the ``work`` pool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core.errors import PictureError
from gridhouse.server.tables.commands import OVER, RefusedError
from gridhouse.server.tables.table import gesture
from gridhouse.server.tables.translating import in_language
from gridhouse.server.tables.visibility import tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gridhouse.core.game import State
    from gridhouse.players import Choice
    from gridhouse.server.engine_pool import EnginePool
    from gridhouse.server.fair_pool import FairPool
    from gridhouse.server.tables.messages import Evaluation, Frame, Hint
    from gridhouse.server.tables.visibility import Snapshot, Viewpoint

# The smallest evaluation (1 is a win) for each description of a lead.
LEADS = ((0.8, "is much better"), (0.4, "is better"), (0.1, "is slightly better"))
LINE_LENGTH = 8  # moves of the best line in a game for two


async def hint(engines: EnginePool, work: FairPool, snapshot: Snapshot) -> Hint:
    """Return the strongest player's move and its cells; raises RefusedError."""
    state, ply = await work.run(copied, snapshot), len(snapshot.table.plies)
    if state.is_terminal():
        raise RefusedError(OVER)
    action = (await engines.choose(state)).action
    cells, choice = gesture(state, action)
    move = state.action_to_string(action)
    return {"type": "hint", "ply": ply, "move": move, "cells": cells, "choice": choice}


def copied(snapshot: Snapshot) -> State:
    """Return a copy of a snapshot's position."""
    return snapshot.state.clone()


async def evaluate(engines: EnginePool, work: FairPool, snapshot: Snapshot) -> Evaluation:
    """Return the proved result of a position, or the strongest player's evaluation, in words."""
    state, ply = await work.run(copied, snapshot), len(snapshot.table.plies)
    if state.is_terminal():
        text = state.game.outcome(state.position)
    else:
        text = evaluation_text(state, await engines.choose(state))
    return {"type": "judge", "ply": ply, "text": text}


def evaluation_text(state: State, choice: Choice) -> str:
    """Return the evaluation of a choice in words."""
    if choice.verdict or choice.value is None:
        return choice.verdict or "This position has no evaluation"
    if state.game.num_players == 1:
        return f"About {choice.value:.0f} can be reached"
    mover = state.current_player()
    ahead = state.game.players[mover if choice.value > 0 else 1 - mover]
    for least, words in LEADS:
        if abs(choice.value) >= least:
            return f"{ahead} {words}"
    return "About even"


async def best_line(
    engines: EnginePool, work: FairPool, snapshot: Snapshot, viewpoint: Viewpoint
) -> AsyncIterator[Frame]:
    """Yield a frame for each move of best play, in a game for one up to its end.

    The frames are in the language of the request, because that of a large board takes long.
    Raises RefusedError if the line could reveal hidden information.
    """
    ply = len(snapshot.table.plies)
    if snapshot.table.secret:
        raise RefusedError("the best line may reveal hidden information")
    state = await work.run(copied, snapshot)
    is_alone = state.game.num_players == 1
    made = 0
    while not state.is_terminal() and (is_alone or made < LINE_LENGTH):
        choice = await engines.choose(state.clone())
        for action in choice.line or (choice.action,):
            made += 1
            yield await work.run(frame, state, action, made, ply, viewpoint)


def frame(state: State, action: int, made: int, ply: int, viewpoint: Viewpoint) -> Frame:
    """Play a move of the best line, and return what shows it in the language of the request."""
    by = "" if state.game.num_players == 1 else f" by {state.game.players[state.current_player()]}"
    move = state.action_to_string(action)
    cells = gesture(state, action)[0]
    state.apply_action(action)
    game, position = state.game, state.position
    shown: Frame = {
        "type": "frame",
        "ply": ply,
        "board": drawn(state, viewpoint),
        "last": cells,
        "heading": f"Best line, move {made}{by}: {move}",
        "status": game.status(position),
        "tokens": tokens([*game.status_tokens(position), *game.losses(position)]),
    }
    return in_language(shown)


def drawn(state: State, viewpoint: Viewpoint) -> str:
    """Return the picture of an open position, or its text in a game without pictures."""
    try:
        return state.open_picture(viewpoint.side, viewpoint.camera).inline()
    except PictureError:
        return state.board()

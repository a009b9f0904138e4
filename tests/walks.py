"""Random positions of every game, for the laws that hold in all of them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from hypothesis import strategies as st

import gridhouse
from gridhouse.conformance import random_walk
from gridhouse.core.registry import game_class, parse_game

if TYPE_CHECKING:
    import random

    from gridhouse.core.game import State

# Every preset of every game, and some that are made to be awkward.
GAMES = [
    str(cls.from_preset(preset))
    for cls in map(game_class, gridhouse.games())
    for preset in cls.presets
] + [
    "binary(rows=2,cols=3)",
    "binary(rows=6,cols=6)",
    "binary(rows=20,cols=20)",
    "collapse(rows=4,cols=5,digits=3)",
    "collapse(rows=7,cols=11,digits=10)",
    "collapse(rows=5,cols=4,digits=3,scoring=samegame)",
    "sinks(rows=8,cols=9)",
    "sinks(rows=10,cols=10)",
    "sinks(rows=8,cols=8,limit=12)",
    "sinks(rows=9,cols=8,setup=corners)",
    "sinks(rows=10,cols=9,setup=long)",
    "sinks(rows=8,cols=8,setup=s211 x33 x70 lb34 db43 la44)",
    "sliding(rows=2,cols=2)",
    "sliding(rows=3,cols=5)",
    "tactego(rows=6,cols=4)",
    "tactego(rows=5,cols=5,pieces=Fx1 Ax1 Sx2 Mx2 10x1 2x3)",
    "tactego(rows=5,cols=5,pieces=Fx1 Ax1 Sx2 Mx2 10x1 2x3,hidden=True)",
    "tactego(rows=6,cols=4,limit=6)",
    "tactego(rows=5,cols=5,pieces=Fx1 Ax1 Sx2 Mx2 10x1 2x3,hidden=True,limit=6)",
]

HIDDEN = "tactego(rows=5,cols=4,pieces=Fx1 Mx1 Sx1 3x1 2x2 1x1,hidden=True,limit=20)"
_SMALL = {
    "binary": "binary(rows=3,cols=4)",
    "collapse": "collapse(rows=4,cols=4,digits=3)",
    "sinks": "sinks(rows=8,cols=8,limit=12)",
    "sliding": "sliding(rows=2,cols=3)",
    "tactego": HIDDEN,
}
# A small board of every game, for what takes long; a game without one here has its first preset.
SMALL = [
    _SMALL.get(str(text).partition("(")[0], text)
    for text in (
        str(cls.from_preset(next(iter(cls.presets)))) for cls in map(game_class, gridhouse.games())
    )
]


def walk(text: str, seed: int) -> State:
    """Return the state after so many random moves as the seed says."""
    return random_walk(parse_game(text)[0], seed)


states = st.builds(walk, st.sampled_from(GAMES), st.integers(0, 2**32))


def scramble_hidden(state: State, player: int, chance: random.Random) -> State:
    """Return the state with the secrets of the other player changed."""
    other = state.clone()
    position = other.position
    if state.game.name == "sinks":
        for cell, bomb in enumerate(position.bomb[: position.rows * position.cols]):
            if bomb == 2 - player or not (bomb or position.covered[cell]):
                position.bomb[cell] = chance.choice((0, 2 - player))
    elif state.game.name == "tactego" and position.hidden:
        sign = -1 if player == 0 else 1
        cells = [
            cell
            for cell, piece in enumerate(position.board)
            if piece * sign > 0 and position.known[cell] != 2
        ]
        pieces = [position.board[cell] for cell in cells]
        chance.shuffle(pieces)
        for cell, piece in zip(cells, pieces, strict=True):
            position.board[cell] = piece
    return other


def way_out(start: State) -> list[int]:
    """Return the actions of the shortest way to the end of a puzzle."""
    seen = {str(start)}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        if state.is_terminal():
            return state.history()
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            if str(after) not in seen:
                seen.add(str(after))
                queue.append(after)
    raise AssertionError("there is no way out")

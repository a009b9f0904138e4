"""Perft: how many lines of each length a position has, counted by both implementations.

The numbers are the same on every machine and for whoever counts; a rule that changes shows here.
The idea is that of chess programmers (perft, from performance test).
"""

from __future__ import annotations

import copy
import random
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from naive.binary import Binary
from naive.collapse import Collapse
from naive.sinks import Sinks
from naive.sliding import Sliding
from naive.tactego import Tactego

if TYPE_CHECKING:
    from gridhouse.core.game import Game

pytestmark = pytest.mark.untraced

SINKS_8 = "s211 s255 s125 s152 lc33 db34 lb43 dc44"
SINKS_MIXED = "s111 s277 s172 s127 x20 x38 la33 lc34 lb35 ld43 da63 dc45 db46 dd55"

# Game, moves that lead to the position, lines of 1, 2, 3 … moves from there.
TABLE: list[tuple[str, str, list[int]]] = [
    ("binary(rows=2,cols=2)#0", "", [8, 32, 48, 48, 0]),
    ("binary(rows=1,cols=6)#0", "", [12, 120, 912, 4464, 11520, 10080, 0]),
    ("binary(rows=3,cols=3)#0", "", [18, 288, 3960, 44928]),
    ("binary(rows=4,cols=5)#0", "0 0 0,1 0 0,2 2 1,2 1 1,4 3 0", [27, 642, 13242]),
    (
        "collapse(rows=4,cols=6,digits=9) 0 104768/054455/214446/413744",
        "",
        [12, 72, 256, 640, 1280, 0],
    ),
    ("collapse(rows=4,cols=4,digits=2)#1", "", [16, 110, 0]),
    (f"sinks(rows=8,cols=8,setup={SINKS_8})#0", "", [72, 1640, 50721]),
    (f"sinks(rows=8,cols=8,setup={SINKS_8},limit=2)#0", "4 3 l", [22, 44, 80, 0]),
    (f"sinks(rows=8,cols=8,setup={SINKS_8})#0", "4 4 f,2 0 b,4 3 l,1 1 u", [67, 1276, 33274]),
    (f"sinks(rows=10,cols=10,setup={SINKS_MIXED})#0", "3 5 r", [22, 1913, 60923]),
    (
        f"sinks(rows=10,cols=10,setup={SINKS_MIXED})#0",
        "0 0 b,4 6 f,4 3 l,3 3 f,5 5 u,3 5 r",
        [20, 1714, 56915],
    ),
    ("sliding(rows=2,cols=2) cfa /acfc", "", [2, 4, 8, 16, 30, 60, 112, 224]),
    ("sliding(rows=3,cols=3) rosdope a/rodseopar", "", [3, 8, 24, 64, 192, 512, 1536, 4096]),
    ("tactego(rows=6,cols=4)#asdf", "", [10, 100, 1470, 20975]),
    ("tactego(rows=6,cols=4,pieces=Fx1 Ax1 Sx2 Mx2 2x2 10x1)#7", "", [11, 87, 1228, 14233]),
    ("tactego(rows=6,cols=4,limit=3)#asdf", "1 0 2 0", [10, 130, 62, 814]),
]


def naive_start(text: str) -> Any:
    """Return the start of a game's text in the second implementation."""
    name, _, rest = text.partition("(")
    parameters, _, description = rest.partition(")")
    values = dict(part.split("=") for part in parameters.split(","))
    rows, cols = int(values["rows"]), int(values["cols"])
    if name == "binary":
        return Binary(cols, rows)
    if name == "collapse":
        board = gridhouse.parse(text).board().split("\n")
        return Collapse([list(map(int, row.split())) for row in board])
    if name == "sliding":
        return Sliding(*description[1:].split("/"))
    if name == "tactego":
        pieces = values.get("pieces", "5x1 3x1 2x2 1x3 Fx1").split()
        army = [
            kind
            for kind, count in (piece.split("x") for piece in pieces)
            for _ in range(int(count))
        ]
        red, blue = army[:], army[:]
        dice = random.Random(description[1:])
        dice.shuffle(red)
        dice.shuffle(blue)
        return Tactego(rows, cols, red, blue, int(values.get("limit", 200)))
    sinks = Sinks(rows, cols, int(values.get("limit", 100)))
    for token in values["setup"].split():
        assert sinks.place(list(token)) is None
    sinks.start()
    return sinks


def naive_moves(position: Any) -> list[str]:
    """Return the legal moves of the second implementation as the games write them."""
    return [
        move if isinstance(move, str) else " ".join(map(str, move)) for move in position.legal()
    ]


def naive_play(position: Any, move: str) -> None:
    """Play a move in the second implementation."""
    if isinstance(position, Sinks):
        assert position.act(*move.split()) is None
    elif isinstance(position, Sliding):
        assert position.move(move)
    elif isinstance(position, Collapse):
        position.pick(*map(int, move.split()))
    else:
        position.play(*map(int, move.split()))


def naive_over(position: Any) -> bool:
    """Tell whether the game is over, where the list of legal moves does not say so itself."""
    return isinstance(position, Sliding) and position.solved()


def naive_perft(position: Any, depth: int) -> int:
    """Count the lines of a length in the second implementation."""
    moves = [] if naive_over(position) else naive_moves(position)
    if depth == 1:
        return len(moves)
    count = 0
    for move in moves:
        child = copy.deepcopy(position)
        naive_play(child, move)
        count += naive_perft(child, depth - 1)
    return count


def perft(game: Game, position: Any, depth: int) -> int:
    """Count the lines of a length by the rules."""
    buffer = [0] * game.num_actions
    actions = buffer[: game.rules.legal_actions(position, buffer)]
    if depth == 1:
        return len(actions)
    count = 0
    for action in actions:
        child = position.copy()
        game.rules.apply_action(child, action)
        count += perft(game, child, depth - 1)
    return count


@pytest.mark.slow("counts hundreds of thousands of positions twice")
@pytest.mark.parametrize(("text", "moves", "counts"), TABLE)
def test_both_implementations_count_the_same(text: str, moves: str, counts: list[int]) -> None:
    state = gridhouse.parse(text)
    naive = naive_start(text)
    for move in filter(None, moves.split(",")):
        state.play(move)
        naive_play(naive, move)
    depths = range(1, len(counts) + 1)
    assert [perft(state.game, state.position, depth) for depth in depths] == counts
    assert [naive_perft(naive, depth) for depth in depths] == counts

"""Outcomes that need no search: symmetries, and boards that were proved once."""

from __future__ import annotations

import random

import pytest

import gridhouse
from binary_helpers import plain, random_play
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import symmetry
from gridhouse.games.binary.solver.api import solve
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.kernels.records import WIN
from gridhouse.games.binary.solver.search import Search


@pytest.mark.parametrize(("rows", "cols"), [(2, 1), (4, 4), (5, 6), (20, 20), (20, 19), (1, 20)])
def test_boards_of_even_size_are_lost_at_once(rows: int, cols: int) -> None:
    found = plain(BinaryGame(rows=rows, cols=cols).new_initial_state(), nimber=True)
    assert (found.outcome, found.nimber, found.moves, found.nodes) == ("loss", 0, [], 0)


@pytest.mark.parametrize(("rows", "cols"), [(6, 6), (5, 4), (8, 3), (1, 12), (20, 20)])
def test_the_second_player_wins_by_the_image_of_every_move(rows: int, cols: int) -> None:
    chance = random.Random(rows)
    state = BinaryGame(rows=rows, cols=cols).new_initial_state()
    while not state.is_terminal():
        kind = symmetry.symmetry_of(state.position)
        assert kind is not None
        action = chance.choice(state.legal_actions())
        answer = symmetry.reply(state.position, action, kind)
        state.apply_action(action)
        state.apply_action(answer)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("binary(rows=2,cols=2) 01/..", (0, 0, 1)),
        ("binary(rows=2,cols=2) 0./1.", (0, 1, 0)),
        ("binary(rows=2,cols=2) 0./.1", (0, 1, 1)),
        ("binary(rows=2,cols=2) 0./.0", None),
        ("binary(rows=3,cols=3) .../.../...", None),
        ("binary(rows=3,cols=1) ./././.", None),
    ],
)
def test_symmetries(text: str, kind: object) -> None:
    if text.count("/") == 3:
        text = "binary(rows=4,cols=1) 0/./1/."
    assert symmetry.symmetry_of(gridhouse.parse(text).position) == kind


def test_a_part_of_the_table_of_boards_is_proved_again() -> None:
    for width, height in [(1, 1), (3, 1), (5, 1), (7, 1), (9, 1), (3, 3), (5, 3)]:
        state = BinaryGame(rows=height, cols=width).new_initial_state()
        again = plain(state, nimber=True, all_moves=True, jit=True)
        known = solve(state)
        assert known.nodes == 0
        assert (known.outcome, known.nimber) == (again.outcome, again.nimber) == ("win", 1)
        assert sorted(known.moves) == sorted(again.moves) == sorted(state.legal_moves())


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("binary(rows=20,cols=20)#0", None),
        ("binary(rows=2,cols=2) 0./..", ["1 0 1", "0 1 1", "1 1 1"]),
        ("binary(rows=2,cols=4) 0.../...1", None),
        ("binary(rows=2,cols=4) 01../....", None),
        ("binary(rows=3,cols=3) 0../.../...", None),
        ("binary(rows=3,cols=4) 10../..../....", None),
        ("binary(rows=1,cols=2) 0.", ["1 0 1"]),
    ],
)
def test_a_reply_that_restores_the_symmetry(text: str, move: list[str] | None) -> None:
    state = gridhouse.parse(text)
    action = symmetry.winning_reply(state.position)
    if move is None:
        assert action is None
    else:
        assert action is not None
        assert state.action_to_string(action) in move
        found = plain(state, jit=False)
        assert (found.outcome, found.nodes) == ("win", 0)
        assert Search(Board(state.position, Backend(jit=False))).outcome() == WIN


def test_after_any_first_move_on_a_board_of_even_size_the_reply_is_known() -> None:
    chance = random.Random(1)
    for rows, cols in [(20, 20), (7, 8), (6, 6)]:
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        while not state.is_terminal():
            random_play(state, chance)
            found = solve(state)
            assert (found.outcome, found.nodes) == ("win", 0)
            state.play(found.moves[0])

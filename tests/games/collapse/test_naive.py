"""Collapse against a second implementation, on random boards and sessions."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridhouse.core.errors import PositionError
from gridhouse.core.game import State
from gridhouse.games.collapse import program
from gridhouse.games.collapse.game import CollapseGame
from gridhouse.games.collapse.game import read_board as read_ours
from harness import run_here
from naive.collapse import Collapse, read_board, session

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = st.integers(0, 2**64)


def random_board(chance: random.Random) -> list[list[int]]:
    rows, cols = chance.randint(1, 8), chance.randint(1, 8)
    digits = chance.sample(range(10), chance.randint(1, 5))
    return [[chance.choice(digits) for _ in range(cols)] for _ in range(rows)]


@given(SEEDS)
def test_games_are_the_same(seed: int) -> None:
    chance = random.Random(seed)
    board = random_board(chance)
    scoring = chance.choice(("linear", "samegame"))
    state = State(*CollapseGame.from_board(board, scoring))
    naive = Collapse(board, scoring)
    while True:
        assert state.game.board(state.position) == naive.lines()
        moves = [tuple(map(int, move.split())) for move in state.legal_moves()]
        assert moves == naive.legal()
        assert state.returns() == [naive.score]
        assert state.is_terminal() == naive.over()
        for row in range(len(board) + 2):
            for col in range(len(board[0]) + 2):
                action = state.game.read_move(state.position, f"{row} {col}")
                verdict = naive.verdict(row, col)
                if action is None:
                    assert verdict == "size"
                else:
                    assert verdict == ("ok", "size", "none")[state.refusal(action)]
        if not moves:
            break
        row, col = chance.choice(moves)
        naive.pick(row, col)
        state.play(f"{row} {col}")


@given(SEEDS)
def test_sessions_are_the_same(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    board = random_board(chance)
    text = "".join(" ".join(map(str, row)) + "\n" for row in board)
    file = tmp_path / f"{seed}.txt"
    file.write_text(text, encoding="utf-8")
    odd = ["", "1", "1 1 1", "a b", "-1 2", "0 1", "1 " + "9" * 5000, "+1 01", "1.0 2", "\udc80"]
    typed = "".join(
        (
            f"{chance.randint(1, 8)} {chance.randint(1, 8)}"
            if chance.random() < 0.8
            else chance.choice(odd)
        )
        + chance.choice(("\n", "\r\n"))
        for _ in range(chance.randint(0, 40))
    )
    run = run_here(program.main, str(file), typed=typed)
    assert run == (session(text, typed), "", 0)


@given(st.text(alphabet="0123456789 \n\t-ax", max_size=30))
def test_board_files_are_read_the_same(text: str) -> None:
    try:
        expected = read_board(text)
    except ValueError:
        with pytest.raises(PositionError):
            read_ours(text)
    else:
        assert read_ours(text) == expected

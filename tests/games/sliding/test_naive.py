"""The sliding puzzle against a second implementation, on random puzzles and sessions."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gridhouse.core.game import State
from gridhouse.games.sliding import program
from gridhouse.games.sliding.game import SlidingGame, position_of, puzzle_text
from harness import run_here
from naive.sliding import Sliding, grid, session, shuffle

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = st.integers(0, 2**64)


@given(SEEDS)
def test_games_are_the_same(seed: int) -> None:
    chance = random.Random(seed)
    side = chance.randint(2, 5)
    solution = "".join(chance.choice("abcde") for _ in range(side * side))
    random.seed(seed)
    puzzle = shuffle(solution)
    random.seed(seed)
    assert program.shuffle_puzzle(solution) == puzzle
    game = SlidingGame(rows=side, cols=side)
    state = State(game, position_of(puzzle, solution, side, side))
    naive = Sliding(puzzle, solution)
    for _ in range(60):
        assert "\n".join(game.board(state.position)) + "\n" == grid(naive.text())
        assert state.is_terminal() == naive.solved()
        if state.is_terminal():
            break
        assert state.legal_moves() == naive.legal()
        direction = chance.choice("UDLR")
        before = naive.text()
        moved = naive.move(direction)
        assert program.move(before, direction) == (naive.text() if moved else None)
        assert program.check_win(naive.text(), solution) == naive.solved()
        if moved:
            state.play(direction)
        assert puzzle_text(state.position) == naive.text()


@given(SEEDS)
def test_sessions_are_the_same(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    words = ["ab", "aa", "cat", "dog", "pig", "four", "word", "list"]
    file = tmp_path / "words"
    file.write_text("\n".join(words), encoding="utf-8")
    lines = []
    for _ in range(chance.randint(0, 120)):
        choices = ("U", "D", "L", "R") * 4 + ("H", "GU", "u", "", "y", "2", "3", "5", "x", "-2")
        lines.append(chance.choice(choices))
    typed = "".join(line + chance.choice(("\n", "\r\n")) for line in ["2", *lines])
    random.seed(seed)
    expected = session(typed, words)
    random.seed(seed)
    run = run_here(program.main, "--words", str(file), typed=typed)
    assert run == (expected, "", 0)

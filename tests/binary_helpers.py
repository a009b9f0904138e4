"""Positions of the Binary Game, and its solver as tests use it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver.api import solve
from harness import run_command
from naive import binary_solver as naive
from naive.binary import Binary

if TYPE_CHECKING:
    import random

    import pytest

    from gridhouse.core.game import State
    from gridhouse.games.binary.solver.solution import BinarySolution

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"


def plain(state: State, **options: Any) -> BinarySolution:
    """Solve with one thread, little memory and nothing known before."""
    return solve(state, **{"threads": 1, "memory": 1, "proved": False, **options})


def random_position(chance: random.Random, most: int, sides: tuple[int, int] = (3, 8)) -> State:
    """Return a position of random play with at most so many cells that take a digit."""
    game = BinaryGame(rows=chance.randint(*sides), cols=chance.randint(*sides))
    state = game.new_initial_state()
    while len({action // 2 for action in state.legal_actions()}) > most:
        state.apply_action(chance.choice(state.legal_actions()))
    return state


def check_by_recursion(state: State, *, jit: bool) -> None:
    """Check nimber and winning moves against plain recursion."""
    game = Binary(state.game.cols, state.game.rows)
    game.grid = [list(row) for row in state.board().split("\n")]
    found = plain(state, nimber=True, all_moves=True, jit=jit)
    assert found.nimber == naive.nimber(game)
    assert as_moves(found.moves) == set(naive.winning_moves(game))


def as_moves(moves: list[str]) -> set[tuple[int, ...]]:
    return {tuple(map(int, move.split())) for move in moves}


def run_cli(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Run ``gridhouse solve binary`` in this process and return its status."""
    return run_command(monkeypatch, "solve", "binary", *words)


def random_play(state: State, chance: random.Random) -> None:
    """Play one random move."""
    state.apply_action(chance.choice(state.legal_actions()))

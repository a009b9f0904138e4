"""Boards of Collapse for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core.game import State
from gridhouse.games.collapse.game import CollapseGame

if TYPE_CHECKING:
    import random

    from gridhouse.games.collapse.solver import api


def random_rows(chance: random.Random, cells: int, digits: int = 10) -> list[list[int]]:
    rows = chance.randint(1, cells)
    cols = chance.randint(1, cells // rows)
    drawn = chance.sample(range(digits), chance.randint(1, min(digits, 5)))
    return [[chance.choice(drawn) for _ in range(cols)] for _ in range(rows)]


def state_of(rows: list[list[int]], scoring: str = "linear") -> State:
    return State(*CollapseGame.from_board(rows, scoring))


def replayed(state: State, found: api.CollapseSolution) -> int:
    """Return the score of a solution's picks by the rules; the game must be over then."""
    after = state.clone()
    for row, col in found.picks:
        after.play(f"{row} {col}")
    assert after.is_terminal()
    assert found.cleared == (not after.board())
    return int(after.position.score)

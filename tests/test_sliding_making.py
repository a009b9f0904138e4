"""Puzzles of a wished length, and how hard they are."""

from __future__ import annotations

import pytest

from gridhouse.core.errors import SolverError
from gridhouse.games.sliding import making, rules, solver
from gridhouse.games.sliding.game import position_of
from naive.sliding_solver import shortest


def position(puzzle: str, goal: str) -> rules.Position:
    """Return a square position of letters."""
    return position_of(puzzle, goal[:-1] + "!", round(len(goal) ** 0.5), round(len(goal) ** 0.5))


@pytest.mark.parametrize("length", [0, 1, 12])
@pytest.mark.parametrize("goal", ["abcdefgh ", "abcaabcd "])
def test_a_puzzle_needs_as_many_moves_as_were_wished(goal: str, length: int) -> None:
    known = shortest(goal, 3)
    made = making.of_length(position(goal, goal), length, seed=length)
    text = "".join(chr(tile) if tile else " " for tile in made.tiles)
    assert known[text] == length
    again = making.of_length(position(goal, goal), length, seed=length)
    assert again == made
    assert solver.solve_position(made, threads=1).length == length


def test_a_length_that_no_puzzle_has() -> None:
    with pytest.raises(SolverError, match=r"^no puzzle was found that needs 9 moves$"):
        making.of_length(position("abc ", "abc "), 9)


def test_how_hard_a_puzzle_is() -> None:
    found = making.difficulty(position("abcde fgh", "abcdefgh "))
    assert (found.length, len(found.solution.moves)) == (13, 13)
    assert (found.blind, found.left) == (0, 5)  # f has three steps to go, g and h one each
    easy = making.difficulty(position("abcdefg h", "abcdefgh "))
    assert (easy.length, easy.blind, easy.left) == (1, 1, 0)


def test_boards_that_are_too_large() -> None:
    large = rules.Position(cells=25)
    large.rows = large.cols = 5
    with pytest.raises(SolverError, match="up to 16 cells"):
        making.difficulty(large)
    with pytest.raises(SolverError, match="up to 16 cells"):
        making.of_length(large, 5)

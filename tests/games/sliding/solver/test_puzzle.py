"""Puzzles, their reverse, and whether they can be solved."""

from __future__ import annotations

import itertools
import random

import pytest

from gridhouse.core.errors import SolverError
from gridhouse.games.sliding import solver
from gridhouse.games.sliding.solver.puzzle import (
    is_even,
    is_solvable,
)
from naive.sliding_solver import shortest
from sliding_helpers import position, some_letters


def test_the_way_back_is_a_puzzle_too() -> None:
    for seed in range(50):
        puzzle = some_letters(3, 3, 4, 30, seed)
        back = puzzle.reversed()
        letters = [puzzle.tile_classes[tile] for tile in puzzle.tiles]
        # Numbers say where tiles belong, and a kind is named by its first one.
        assert [back.tiles.index(0), back.blank_goal] == [8, letters.index(0)]
        for one, other in itertools.combinations(range(9), 2):
            assert (letters[one] == letters[other]) == (
                back.tile_classes[back.goal()[one]] == back.tile_classes[back.goal()[other]]
            )
        assert all(
            back.tile_classes[kind] == kind <= tile for tile, kind in enumerate(back.tile_classes)
        )
        again = back.reversed()
        assert [again.tile_classes[tile] for tile in again.tiles] == letters
        assert again.tile_classes == puzzle.tile_classes
        assert back.is_solved() == puzzle.is_solved()
        assert back.with_tiles(back.goal()).is_solved()


def test_what_cannot_be_solved_is_said_with_the_reason() -> None:
    with pytest.raises(SolverError, match="odd permutation"):
        solver.solve_position(position("bacdefgh ", "abcdefgh ", 3))
    with pytest.raises(SolverError, match="other letters"):
        solver.solve_position(position("xacdefgh ", "abcdefgh ", 3))
    assert solver.solve_position(position("baadefgh ", "abadefgh ", 3)).optimal


@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (2, 3), (3, 2)])
def test_parity_tells_what_can_be_reached(rows: int, cols: int) -> None:
    letters = "abcdefgh"[: rows * cols - 1]
    known = shortest(letters + " ", cols)
    for _ in range(200):
        tiles = random.sample(range(rows * cols), rows * cols)
        text = "".join((" " + letters)[tile] for tile in tiles)
        assert is_solvable(rows, cols, tiles) == (text in known)
    assert is_even([0, 1, 2])
    assert not is_even([1, 0, 2])

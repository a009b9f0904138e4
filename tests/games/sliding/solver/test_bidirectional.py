"""Bidirectional search in plain Python finds shortest solutions of small puzzles."""

from __future__ import annotations

import math
import random

import pytest

from gridhouse.games.sliding import solver
from gridhouse.games.sliding.solver import anytime, bidirectional
from gridhouse.games.sliding.solver.optimal import (
    optimal_search,
)
from gridhouse.games.sliding.solver.puzzle import (
    Puzzle,
)
from naive.sliding_solver import shortest
from sliding_helpers import KORF, distinct, numbers, position, walked

GOALS = [
    ("abc ", 2),
    ("aab ", 2),
    ("abcde ", 2),
    ("abcab ", 3),
    ("abcdefgh ", 3),
    ("aabbccdd ", 3),
    ("banananb ", 3),
    ("aaaaaaab ", 3),
    ("abcdefg ", 2),
]


@pytest.mark.parametrize(
    "goal", ["abcdefghijklmno ", "aabbccddeeffggh ", "abcdefghijklmnopqrstuvwx "]
)
def test_few_moves_are_found_before_anything_is_compiled(
    monkeypatch: pytest.MonkeyPatch, goal: str
) -> None:
    rows = math.isqrt(len(goal))
    tile_classes = [0, *(1 + goal.index(letter) for letter in goal[:-1])]
    home = Puzzle(rows, rows, [*range(1, len(goal)), 0], tile_classes)
    for seed in range(10):
        puzzle = walked(home, 14, random.Random(seed))
        moves, nodes = bidirectional.shortest(puzzle)
        proof = optimal_search.OptimalSearch(puzzle)
        proof.run()
        assert (len(moves), proof.moves is not None) == (proof.bound, True)
        assert bidirectional.manhattan_distance(puzzle) <= len(moves)
        assert nodes <= 4 * bidirectional.MAX_NODES
    monkeypatch.setattr(anytime, "Anytime", None)
    state = numbers(walked(distinct(5, 5), 9, random.Random(1)).tiles, 5)
    assert solver.solve_position(state).optimal


def test_many_moves_are_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    far = distinct(4, 4, [int(tile) for tile in KORF[0][2].split()])
    assert bidirectional.shortest(far) == ([], 0)  # its tiles tell that it is far
    monkeypatch.setattr(bidirectional, "MAX_DISTANCE", KORF[0][1])
    moves, nodes = bidirectional.shortest(far)
    assert moves == []
    assert bidirectional.shortest(distinct(16, 17, [*range(1, 271), 0, 271])) == ([], 0)
    assert bidirectional.MAX_NODES <= nodes <= 4 * bidirectional.MAX_NODES


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(("goal", "rows"), GOALS)
def test_small_puzzles_are_solved_in_as_few_moves_as_by_breadth_first_search(
    goal: str, rows: int
) -> None:
    known = shortest(goal, len(goal) // rows)
    chance = random.Random(1)
    for puzzle in chance.sample(sorted(known), min(len(known), 120)):
        found = solver.solve_position(position(puzzle, goal, rows), threads=1)
        assert (found.length, found.bound, found.optimal) == (known[puzzle], known[puzzle], True)


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize(("goal", "rows"), GOALS)
def test_the_search_from_both_ends_finds_as_few(goal: str, rows: int) -> None:
    known = shortest(goal, len(goal) // rows)
    for puzzle in random.Random(9).sample(sorted(known), min(len(known), 400)):
        found = solver.solve_position(position(puzzle, goal, rows))
        assert (found.length, found.bound, found.optimal) == (known[puzzle], known[puzzle], True)


@pytest.mark.usefixtures("compiled")
def test_the_diameter_of_the_eight_puzzle_is_31() -> None:
    known = shortest("abcdefgh ", 3)
    assert len(known) == 181440
    farthest = [puzzle for puzzle, moves in known.items() if moves == 31]
    assert len(farthest) == 2
    for puzzle in farthest:
        assert solver.solve_position(position(puzzle, "abcdefgh ", 3)).length == 31

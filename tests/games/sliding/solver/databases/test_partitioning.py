"""Partitions of the tiles into patterns."""

from __future__ import annotations

import itertools

import pytest

from gridhouse.games.sliding.solver.beam import (
    beam_heuristic,
)
from gridhouse.games.sliding.solver.databases import (
    good_partitions,
)
from gridhouse.games.sliding.solver.databases.partitioning import (
    database_size,
    partitions,
)
from gridhouse.games.sliding.solver.puzzle import (
    Puzzle,
    puzzle_of,
)
from sliding_helpers import distinct, position


@pytest.mark.parametrize("goal", ["abcdefghijklmno ", "aaabbbccccddeef ", "aaaaaaaaabbbbbb "])
def test_partitions_have_every_kind_once_and_parts_that_are_small_enough(goal: str) -> None:
    puzzle = puzzle_of(position(goal, goal, 4))
    for largest in (16**2, 16**4, 16**6):
        first, second = partitions(puzzle, largest, 2)
        assert first == partitions(puzzle, largest)[0]
        for partition in (first, second):
            assert sorted(itertools.chain(*partition)) == list(range(1, 16))
            for pattern in partition:
                letters = {goal[tile - 1] for tile in pattern}
                assert database_size(puzzle, pattern) <= largest or len(letters) == 1
    assert len(first) == 3 if puzzle.is_distinct else len(first) < 3


def test_equal_tiles_stay_together() -> None:
    puzzle = puzzle_of(position("abcaabcd ", "abcaabcd ", 3))
    with pytest.raises(ValueError, match="equal tiles"):
        database_size(puzzle, (1, 2, 6))


def test_looks_are_partitions_that_differ() -> None:
    for (rows, cols), pairs in good_partitions.PAIRS.items():
        puzzle = distinct(rows, cols)
        seen = set()
        for look in range(len(pairs)):
            for partition in good_partitions.partitions(puzzle, look):
                tiles = sorted(tile for pattern in partition for tile in pattern)
                assert tiles == list(range(1, puzzle.cells))
                assert {len(pattern) for pattern in partition} <= {3, 4}
                seen.add(partition)
        assert len(seen) == 2 * good_partitions.num_choices(puzzle)
    puzzle = distinct(5, 5)
    one, other = (beam_heuristic.heuristic_for(puzzle, look)[1] for look in (0, 1))
    assert one.tobytes() != other.tobytes()
    # Other puzzles have one look, since tables that are built take their time.
    assert beam_heuristic.heuristic_for(distinct(4, 4), 0) is beam_heuristic.heuristic_for(
        distinct(4, 4), 1
    )


@pytest.mark.slow("computes for seconds")
@pytest.mark.measured
def test_a_picture_of_a_partition_makes_way_for_the_empty_cell() -> None:
    """Held against the empty cell going step by step on the board that a picture shows."""
    picture, side = "baaccbaaccbdddebfdeefffe", 5

    def seen(blank_goal: int) -> str:
        row, col = divmod(blank_goal, side)
        turns = [range(side)[:: 1 if at > 1 else -1] for at in (row, col)]
        board = {
            (turns[0][at // side], turns[1][at % side]): letter
            for at, letter in enumerate([*picture, ""])
        }
        here = next(cell for cell, letter in board.items() if not letter)
        while here != (row, col):
            down = (row > here[0]) - (row < here[0])
            there = (here[0] + down, here[1] if down else here[1] + (1 if col > here[1] else -1))
            board[here], board[there] = board[there], ""
            here = there
        return "".join(board[at // side, at % side] for at in range(side * side))

    def mirrored(cells: str) -> str:
        return "".join(cells[at % side * side + at // side] for at in range(len(cells)))

    assert good_partitions.move_blank(picture, side, 24) == picture
    for blank_goal in range(side * side):
        assert good_partitions.move_blank(picture, side, blank_goal) == seen(blank_goal)
        other = blank_goal % side * side + blank_goal // side
        board = [*seen(other)]
        board.insert(other, " ")
        expected = mirrored("".join(board)).replace(" ", "")
        assert good_partitions.move_blank(picture, side, blank_goal, mirrored=True) == expected
    for blank_goal in (0, 7, 23, 24):
        puzzle = Puzzle(5, 5, [*range(1, 25), 0], range(25), blank_goal)
        assert len(good_partitions.partitions(puzzle, 0)) == (2 if blank_goal == 24 else 4)
        assert int(beam_heuristic.heuristic_for(puzzle, 0)[0][0].views) == 4

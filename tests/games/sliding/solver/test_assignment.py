"""Equal tiles are assigned to homes for the fewest steps."""

from __future__ import annotations

import random

from gridhouse.games.sliding.solver import assignment
from gridhouse.games.sliding.solver.puzzle import (
    Puzzle,
    is_solvable,
)
from sliding_helpers import distinct


def test_equal_tiles_are_paired_for_the_fewest_steps() -> None:
    chance = random.Random(4)
    for _ in range(30):
        puzzle = lettered(chance)
        if puzzle.is_distinct:
            continue
        best, bound = assignment.with_best_assignment(puzzle)
        assert is_solvable(3, 3, best.tiles)
        assert spelt(puzzle, best.tiles) == spelt(puzzle, puzzle.tiles)
        assert bound <= assignment.manhattan_distance(best)
        every = [cost for cost, _ in assignments(puzzle)]
        assert bound == min(every)
        assert bound <= assignment.manhattan_distance(puzzle)


def lettered(chance: random.Random) -> Puzzle:
    """Return a puzzle of three by three with tiles of four kinds."""
    tile_classes = [0, *(chance.randint(1, 4) for _ in range(8))]
    first = {kind: tile_classes.index(kind) for kind in tile_classes}
    tile_classes = [0, *(first[kind] for kind in tile_classes[1:])]
    return Puzzle(3, 3, [*chance.sample(range(1, 9), 8), 0], tile_classes)


def spelt(puzzle: Puzzle, tiles: list[int]) -> list[int]:
    return [puzzle.tile_classes[tile] for tile in tiles]


def test_equal_tiles_are_paired_in_several_ways() -> None:
    """All can come home, the nearest one first, and other cells keep their tiles."""
    chance = random.Random(4)
    for _ in range(30):
        puzzle = lettered(chance)
        if puzzle.is_distinct:
            continue
        some = assignment.assignments(puzzle, 5)
        costs = [assignment.manhattan_distance(puzzle.with_tiles(tiles)) for tiles in some]
        fitting = sorted(cost for cost, tiles in assignments(puzzle) if is_solvable(3, 3, tiles))
        assert costs[0] == fitting[0]
        assert len({tuple(tiles) for tiles in some}) == len(some) <= 5
        for tiles in some:
            assert is_solvable(3, 3, tiles)
            assert spelt(puzzle, tiles) == spelt(puzzle, puzzle.tiles)
        held = [cell for cell in range(9) if cell not in (0, 4)]
        for tiles in assignment.assignments(puzzle, 5, held):
            assert [tiles[0], tiles[4]] == [puzzle.tiles[0], puzzle.tiles[4]]
    assert assignment.assignments(distinct(3, 3), 5) == [distinct(3, 3).tiles]


def assignments(puzzle: Puzzle) -> list[tuple[int, list[int]]]:
    """Return all ways to number the tiles of a puzzle, with their steps."""
    ways: list[tuple[int, list[int]]] = [(0, [])]
    for cell, tile in enumerate(puzzle.tiles):
        goal_cells = [home + 1 for home in puzzle.goal_cells(tile)] if tile else [0]
        ways = [
            (cost + (assignment.manhattan(puzzle, home, cell) if home else 0), [*used, home])
            for cost, used in ways
            for home in goal_cells
            if home not in used
        ]
    return ways

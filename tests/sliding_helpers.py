"""What tests of the sliding puzzle share: puzzles, and walks over them."""

from __future__ import annotations

import random
from typing import Any

from gridhouse.core.records import to_records
from gridhouse.games.sliding import rules
from gridhouse.games.sliding.game import position_of
from gridhouse.games.sliding.solver.databases import (
    heuristic,
    pattern_database,
)
from gridhouse.games.sliding.solver.optimal import (
    idastar,
    optimal_search,
)
from gridhouse.games.sliding.solver.puzzle import (
    Puzzle,
    neighbours,
)

# From Korf's hundred (1985), turned so that the empty cell ends last: the number, the length.
FAR = 1 << 60


KORF = [
    (79, 42, "1 6 10 8 14 12 4 2 13 11 3 5 9 7 15 0"),
    (12, 45, "1 3 5 6 0 13 14 9 11 4 8 12 10 7 15 2"),
    (42, 42, "6 1 15 8 5 10 13 0 3 4 2 7 14 9 11 12"),
    (55, 41, "5 10 14 4 6 12 11 1 9 0 15 7 13 2 8 3"),
    (97, 44, "13 5 0 4 10 3 12 6 14 15 1 8 9 11 2 7"),
    (19, 46, "6 14 4 11 7 3 12 15 1 10 0 2 13 8 5 9"),
]


def position(puzzle: str, goal: str, rows: int) -> rules.Position:
    """Return a position of letters; the goal's last letter is not used."""
    return position_of(puzzle, goal[:-1] + "!", rows, len(goal) // rows)


def numbers(tiles: list[int], rows: int) -> rules.Position:
    """Return a position of numbers, the empty cell last in its solution."""
    state = rules.Position(tiles=len(tiles))
    state.rows, state.cols = rows, len(tiles) // rows
    state.tiles, state.goal = tiles, list(range(1, len(tiles) + 1))
    rules.start(state)
    return state


def distinct(rows: int, cols: int, tiles: list[int] | None = None) -> Puzzle:
    """Return a puzzle of distinct tiles, solved if none are given."""
    home = [*range(1, rows * cols), 0]
    return Puzzle(rows, cols, tiles or home, range(rows * cols))


def walked(puzzle: Puzzle, moves: int, chance: random.Random) -> Puzzle:
    """Return a puzzle after so many random moves."""
    tiles = puzzle.tiles[:]
    near = neighbours(puzzle.rows, puzzle.cols)
    for _ in range(moves):
        blank = tiles.index(0)
        there = chance.choice([cell for cell in near[blank] if cell >= 0])
        tiles[blank], tiles[there] = tiles[there], 0
    return puzzle.with_tiles(tiles)


def need(puzzle: Puzzle, *partitions: pattern_database.PatternDatabases, jit: bool = True) -> int:
    """Return what the databases say a puzzle needs."""
    layout, entries = heuristic.make_heuristic(puzzle, *partitions)
    search = idastar.SearchState()
    search.tiles[: puzzle.cells] = puzzle.tiles
    search.blank = puzzle.tiles.index(0)
    return optimal_search.load_root(layout, entries, to_records(search), jit=jit)


def manhattan(puzzle: Puzzle) -> pattern_database.PatternDatabases:
    """Return databases of a tile each, which know the Manhattan distance and corners."""
    return pattern_database.build_all(puzzle, tuple((tile,) for tile in range(1, puzzle.cells)))


def some_letters(rows: int, cols: int, tile_classes: int, moves: int, seed: int) -> Puzzle:
    """Return a puzzle of so many kinds of tiles, shuffled by so many moves."""
    chance = random.Random(seed)
    puzzle = distinct(rows, cols)
    marks = [chance.randrange(tile_classes) for _ in range(rows * cols - 1)]
    puzzle.tile_classes = [0, *(marks.index(mark) + 1 for mark in marks)]
    return walked(puzzle, moves, chance)


def after(puzzle: Puzzle, moves: list[int]) -> list[int]:
    """Return the tiles of a puzzle after some moves."""
    tiles = puzzle.tiles[:]
    near = neighbours(puzzle.rows, puzzle.cols)
    for move in moves:
        blank = tiles.index(0)
        there = near[blank][move]
        tiles[blank], tiles[there] = tiles[there], 0
    return tiles


def asked(puzzle: Puzzle, layout: Any, entries: Any) -> int:
    """Return what the search for shortest solutions reads from the same databases."""
    search = idastar.SearchState()
    search.tiles[: puzzle.cells] = puzzle.tiles
    search.blank = puzzle.tiles.index(0)
    return optimal_search.load_root(layout, entries, to_records(search))

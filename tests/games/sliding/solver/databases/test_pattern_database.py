"""Databases hold what a plain search finds."""

from __future__ import annotations

import itertools
import math
import random
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gridhouse.games.sliding.solver import assignment
from gridhouse.games.sliding.solver.databases import (
    disk_cache,
    pattern_database,
    retrograde,
)
from gridhouse.games.sliding.solver.databases.partitioning import (
    class_sizes,
    partitions,
)
from gridhouse.games.sliding.solver.optimal import (
    optimal_search,
)
from gridhouse.games.sliding.solver.puzzle import (
    Puzzle,
    neighbours,
    puzzle_of,
)
from naive.sliding_solver import shortest

if TYPE_CHECKING:
    from pathlib import Path

from sliding_helpers import FAR, distinct, manhattan, need, position, some_letters, walked


def own_moves(puzzle: Puzzle, pattern: tuple[int, ...]) -> dict[tuple[tuple[int, ...], int], int]:
    """Return by where the tiles of a part and the empty cell are how many moves the tiles need."""
    near = neighbours(puzzle.rows, puzzle.cols)
    goal_cells = itertools.product(*(puzzle.goal_cells(tile) for tile in pattern))
    goals = [(places, puzzle.blank_goal) for places in goal_cells if len({*places}) == len(pattern)]
    known = dict.fromkeys(goals, 0)
    layer, depth = goals, 0
    while layer:
        wider: list[tuple[tuple[int, ...], int]] = []
        for places, blank in layer:  # grows by what costs nothing
            for there in near[blank]:
                if there < 0:
                    continue
                moved = tuple(blank if place == there else place for place in places)
                costs = depth + (moved != places)
                if known.get((moved, there), FAR) > costs:
                    known[moved, there] = costs
                    (layer if moved == places else wider).append((moved, there))
        layer = [entry for entry in wider if known[entry] == depth + 1]
        depth += 1
    return known


@pytest.mark.parametrize("goal", ["abcdefgh ", "aabbccdd ", "abcaabcd "])
def test_databases_never_ask_for_too_much(goal: str) -> None:
    """Admissible, also together; they keep odd and even, which ``region_penalty`` counts on."""
    known = shortest(goal, 3)
    first = puzzle_of(position(goal, goal, 3))
    views = [
        pattern_database.build_all(first, partitions(first, first.cells**most, count)[-1])
        for most, count in ((4, 1), (3, 2), (5, 3))
    ]
    for puzzle in random.Random(2).sample(sorted(known), 300):
        here = puzzle_of(position(puzzle, goal, 3))
        for databases in views:
            asked = need(here, databases)
            assert asked <= known[puzzle]
            assert (known[puzzle] - asked) % 2 == 0
        assert need(here, *views) == max(need(here, databases) for databases in views)


def test_a_database_of_all_tiles_knows_every_length() -> None:
    puzzle = distinct(2, 3)
    databases = pattern_database.build_all(puzzle, ((1, 2, 3, 4, 5),))
    for text, moves in shortest("abcde ", 3).items():
        tiles = [" abcde".index(letter) for letter in text]
        assert need(puzzle.with_tiles(tiles), databases) == moves


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(
    ("goal", "pattern"),
    [
        *itertools.product(["abcdefgh "], [(5,), (2, 4), (1, 2, 3), (8, 4, 6), (1, 3, 5, 8)]),
        *itertools.product(
            ["abcaabcd "], [(8,), (2, 6), (1, 4, 5), (8, 7, 3), (4, 8, 1, 5), (2, 6, 1, 4, 5)]
        ),
        ("aaaaabbb ", (1, 2, 3, 4, 5)),
    ],
)
def test_databases_hold_what_a_plain_search_finds(
    goal: str, pattern: tuple[int, ...], jit: bool
) -> None:
    compare_with_plain_search(puzzle_of(position(goal, goal, 3)), pattern, jit=jit)


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(("rows", "pattern"), [(6, (2, 35)), (6, (29,)), (3, (1, 12))])
def test_databases_of_large_boards_do(rows: int, pattern: tuple[int, ...], jit: bool) -> None:
    """There is a bit in their words for each of up to 36 cells."""
    puzzle = distinct(rows, 36 // rows)
    assert pattern_database.entry_type(puzzle, [pattern]) is np.int64
    compare_with_plain_search(puzzle, pattern, jit=jit)


@cache
def sets(cells: int, count: int) -> list[tuple[int, ...]]:
    """Return all sets of so many cells, ordered by their highest cell, then the next, and so on."""
    return sorted(itertools.combinations(range(cells), count), key=lambda cells: cells[::-1])


def key_of(puzzle: Puzzle, pattern: tuple[int, ...], places: tuple[int, ...]) -> int:
    """Return the key of a part's tiles on some cells, by counting the sets before each kind's."""
    key, weight = 0, 1
    tile_classes = [puzzle.tile_classes[tile] for tile in pattern]
    for kind in dict.fromkeys(tile_classes):
        taken = sorted(
            place for place, own in zip(places, tile_classes, strict=True) if own == kind
        )
        every = sets(puzzle.cells, len(taken))
        key += weight * every.index(tuple(taken))
        weight *= len(every)
    return key


@pytest.mark.parametrize(("cells", "most"), [(9, 8), (16, 5), (25, 4), (25, 1), (36, 2)])
def test_the_rank_of_a_set_is_how_many_come_before_it(cells: int, most: int) -> None:
    ranks, chunk = pattern_database.rank_table(cells, most), pattern_database.chunk_of(cells)
    for count in range(1, most + 1):
        for rank, chosen in enumerate(sets(cells, count)):
            taken = sum(1 << cell for cell in chosen)
            assert retrograde.rank_of(ranks, 0, chunk, most + 1, taken) == rank


def compare_with_plain_search(puzzle: Puzzle, pattern: tuple[int, ...], *, jit: bool) -> None:
    known = own_moves(puzzle, pattern)
    cells = puzzle.cells
    entries = pattern_database.build(puzzle, pattern, jit=jit)
    keys = {places: key_of(puzzle, pattern, places) for places, _ in known}
    assert np.count_nonzero(entries) == len({*keys.values()})
    for places, key in keys.items():
        asked = [known.get((places, blank), FAR) for blank in range(cells)]
        bits = sum(1 << blank for blank in range(cells) if asked[blank] >= min(asked) + 2)
        assert {moves % 2 for moves in asked if moves < FAR} == {min(asked) % 2}
        assert entries[key] == min(asked) << pattern_database.MOVES_SHIFT[entries.dtype] | bits


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("goal", ["abcdefgh ", "abcaabcd "])
def test_large_databases_are_the_same_without_regions(goal: str, jit: bool) -> None:
    puzzle = puzzle_of(position(goal, goal, 3))
    for pattern in ((1, 2, 3), (1, 3, 5, 8)) if puzzle.is_distinct else ((2, 6), (8, 1, 4, 5)):
        entries = pattern_database.build(puzzle, pattern, jit=jit)
        plain = pattern_database.build(puzzle, pattern, np.uint8, jit=jit)
        assert plain.dtype == np.uint8
        assert (plain == entries >> pattern_database.MOVES_SHIFT[entries.dtype]).all()


def test_databases_that_are_not_wanted_any_more_are_not_built(own_folder: Path) -> None:
    puzzle, partition = distinct(3, 3), ((1, 2, 4), (3, 6), (5, 7, 8))
    asked = iter([False, False, True])
    with pytest.raises(pattern_database.StoppedError):
        pattern_database.build(puzzle, partition[0], is_stopped=lambda: next(asked))
    assert next(asked, None) is None
    with pytest.raises(pattern_database.StoppedError):
        disk_cache.load_or_build(puzzle, partition, threads=2, jit=True, is_stopped=lambda: True)
    assert not own_folder.exists()
    search = optimal_search.OptimalSearch(puzzle.with_tiles([8, 7, 6, 5, 4, 3, 2, 1, 0]), 2)
    search.stop()
    search.run()
    assert search.moves is None


def test_tables_of_single_tiles_know_the_manhattan_distance() -> None:
    chance = random.Random(7)
    for _ in range(50):
        puzzle = walked(distinct(4, 4), 200, chance)
        assert need(puzzle, manhattan(puzzle)) >= assignment.manhattan_distance(puzzle)
        blank_home = walked(distinct(4, 4), 0, chance)
        assert need(blank_home, manhattan(puzzle)) == 0


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("seed", range(3))
def test_databases_of_the_way_back_are_right(seed: int) -> None:
    back = some_letters(2, 3, 3, 31, seed).reversed()
    assert back.blank_goal != 5
    for pattern in partitions(back, 6**3)[0]:
        entries = pattern_database.build(back, pattern)
        counts = class_sizes(back, pattern)
        known: dict[tuple[int, int], int] = {}
        for (places, blank), moves in own_moves(back, pattern).items():
            key = 0
            for kind, weight in pattern_database.digit_weights(back, pattern).items():
                cells = sorted(
                    place
                    for place, tile in zip(places, pattern, strict=True)
                    if back.tile_classes[tile] == kind
                )
                assert len(cells) == counts[kind]
                key += weight * sum(math.comb(cell, at) for at, cell in enumerate(cells, 1))
            known[key, blank] = min(moves, known.get((key, blank), FAR))
        for key, word in enumerate(entries.tolist()):
            asked = [known[key, blank] for blank in range(6) if (key, blank) in known]
            assert word >> pattern_database.MOVES_SHIFT[entries.dtype] == min(asked, default=0)

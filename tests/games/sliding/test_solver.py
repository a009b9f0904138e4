"""The solvers of the sliding puzzle: optimal where they say so, and short anyway."""

from __future__ import annotations

import itertools
import math
import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gridhouse
from gridhouse.core.compile_queue import cache_folder
from gridhouse.core.errors import SolverError
from gridhouse.core.records import to_records
from gridhouse.core.specialize import specialize
from gridhouse.games.sliding import rules, solver
from gridhouse.games.sliding.game import position_of
from gridhouse.games.sliding.solver import anytime, api, assignment, bidirectional
from gridhouse.games.sliding.solver.beam import (
    beam_heuristic,
    beam_search,
    board_beam,
    layer_beam,
    layer_geometry,
    selection,
)
from gridhouse.games.sliding.solver.databases import (
    disk_cache,
    good_partitions,
    heuristic,
    pattern_database,
    retrograde,
)
from gridhouse.games.sliding.solver.databases.partitioning import (
    class_sizes,
    database_size,
    partitions,
)
from gridhouse.games.sliding.solver.optimal import (
    duplicate_pruning,
    idastar,
    optimal_search,
    stages,
)
from gridhouse.games.sliding.solver.puzzle import (
    MOVES,
    Puzzle,
    is_even,
    is_solvable,
    neighbours,
    puzzle_of,
)
from naive.sliding_solver import shortest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
    state = rules.Position(cells=len(tiles))
    state.rows, state.cols = rows, len(tiles) // rows
    state.tiles, state.goal = tiles, list(range(1, len(tiles) + 1))
    rules.start(state)
    return state


def distinct(rows: int, cols: int, tiles: list[int] | None = None) -> Puzzle:
    """Return a puzzle of distinct tiles, solved if none are given."""
    home = [*range(1, rows * cols), 0]
    return Puzzle(rows, cols, tiles or home, range(rows * cols))


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


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nothing solved before there is compiled code."""
    monkeypatch.setattr(bidirectional, "SMALL_CELLS", 0)
    monkeypatch.setattr(bidirectional, "MAX_DISTANCE", -1)


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


@pytest.mark.parametrize(("number", "length", "tiles"), KORF)
def test_known_lengths_of_korfs_puzzles(number: int, length: int, tiles: str) -> None:
    del number
    found = solver.solve_position(numbers([int(tile) for tile in tiles.split()], 4), threads=1)
    assert (found.length, found.optimal) == (length, True)


def begin_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let interpreted searches begin as compiled ones do, which takes them longer."""
    monkeypatch.setattr(stages, "INTERPRETED_SIZES", ())
    monkeypatch.setattr(
        optimal_search, "LONGEST_SEQUENCE_INTERPRETED", optimal_search.LONGEST_SEQUENCE
    )


@pytest.mark.slow("searches for seconds")
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("goal", ["abcde ", "abcab "])
def test_all_is_the_same_interpreted_and_compiled(
    monkeypatch: pytest.MonkeyPatch, goal: str
) -> None:
    begin_alike(monkeypatch)
    known = shortest(goal, 3)  # two rows of three
    for puzzle in random.Random(3).sample([p for p, moves in known.items() if moves >= 10], 2):
        here = puzzle_of(position(puzzle, goal, 2))
        for pattern in partitions(here, here.cells**3)[0]:
            assert (
                pattern_database.build(here, pattern)
                == pattern_database.build(here, pattern, jit=False)
            ).all()
        results = []
        for jit in (True, False):
            found = solver.solve_position(position(puzzle, goal, 2), threads=1, jit=jit)
            run = beam_search.BeamSearch(here, jit=jit)
            beam = run.search_board(here, [(here.tiles, [])], beam_search.BeamOptions(8, 60))
            layers = beam_search.solve_by_layers(run, here, 12, 2)
            results.append((found.moves, found.nodes, beam, layers, run.nodes))
            for moves in (beam, layers):
                assert moves is not None
                solver.check_solution(position(puzzle, goal, 2), moves)
        assert results[0] == results[1]


def test_threads_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "SMALL", 1000)
    monkeypatch.setattr(stages, "MEDIUM", 3000)
    monkeypatch.setattr(stages, "LARGE", {})
    ladder = [
        stages.Stage(partial(stages.small_databases, distinct(4, 4), size), limit)
        for size, limit in ((3, 1000), (4, FAR))
    ]
    monkeypatch.setattr(stages, "search_stages", lambda *_, **__: ladder)
    for _, length, tiles in KORF[:3]:
        puzzle = distinct(4, 4, [int(tile) for tile in tiles.split()])
        search = optimal_search.OptimalSearch(puzzle, 2)
        search.run()
        assert search.moves is not None
        assert len(search.moves) == length == search.bound
        solver.check_solution(numbers(puzzle.tiles, 4), search.moves)


def test_what_is_stopped_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = distinct(4, 4, [int(tile) for tile in KORF[5][2].split()])
    ladder = [stages.Stage(partial(stages.small_databases, puzzle, 3), FAR)]
    monkeypatch.setattr(stages, "search_stages", lambda *_, **__: ladder)
    search = optimal_search.OptimalSearch(puzzle, 2)
    search.stop()
    search.run()
    assert search.moves is None
    assert search.bound <= KORF[5][1]


def test_a_search_may_end_with_its_last_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = distinct(4, 4, [int(tile) for tile in KORF[5][2].split()])
    ladder = [stages.Stage(partial(stages.small_databases, puzzle, 3), 1)]
    monkeypatch.setattr(stages, "search_stages", lambda *_, **__: ladder)
    search = optimal_search.OptimalSearch(puzzle, 1)
    search.run()
    assert search.moves is None
    assert search.nodes > 0


def manhattan(puzzle: Puzzle) -> pattern_database.PatternDatabases:
    """Return databases of a tile each, which know the Manhattan distance and corners."""
    return pattern_database.build_all(puzzle, tuple((tile,) for tile in range(1, puzzle.cells)))


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(("stop", "limit"), [(1, 1 << 60), (0, 1000)])
def test_a_search_stops_when_told_to_and_at_its_limit(jit: bool, stop: int, limit: int) -> None:
    puzzle = distinct(3, 3, [8, 6, 7, 2, 5, 4, 3, 0, 1])
    layout, entries = heuristic.make_heuristic(puzzle, manhattan(puzzle))
    search = idastar.SearchState()
    search.tiles[:9], search.blank, search.last_move = puzzle.tiles, 7, idastar.NO_MOVE
    search.stop, search.node_limit, search.bound = stop, limit, 31
    record = to_records(search)
    optimal_search.load_root(layout, entries, record, jit=jit)
    frames = to_records(idastar.Frame(), idastar.MAX_DEPTH)
    search_to_bound = optimal_search.kernel_for(layout, jit=jit).search_to_bound
    automaton = duplicate_pruning.automaton(6, jit=jit)
    memory = idastar.Memory(layout, entries, automaton, record, frames)
    assert search_to_bound(memory) == idastar.STOPPED
    assert record[0].nodes == idastar.STOP_INTERVAL


def test_a_search_is_the_same_interpreted_and_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal_search, "LONGEST_SEQUENCE", 6)
    monkeypatch.setattr(optimal_search, "LONGEST_SEQUENCE_INTERPRETED", 6)
    puzzle = walked(distinct(3, 3), 40, random.Random(1))
    text = "".join(" abcdefgh"[tile] for tile in puzzle.tiles)
    layout, entries = heuristic.make_heuristic(puzzle, manhattan(puzzle))
    nodes = []
    for jit in (True, False):
        search = optimal_search.OptimalSearch(puzzle, jit=jit)
        search._search_alone(layout, entries, FAR)
        assert search.moves is not None
        assert len(search.moves) == search.bound == shortest("abcdefgh ", 3)[text]
        nodes.append(search.nodes)
    assert nodes[0] == nodes[1] > 20


def test_tables_of_single_tiles_know_the_manhattan_distance() -> None:
    chance = random.Random(7)
    for _ in range(50):
        puzzle = walked(distinct(4, 4), 200, chance)
        assert need(puzzle, manhattan(puzzle)) >= assignment.manhattan_distance(puzzle)
        blank_home = walked(distinct(4, 4), 0, chance)
        assert need(blank_home, manhattan(puzzle)) == 0


def some_letters(rows: int, cols: int, tile_classes: int, moves: int, seed: int) -> Puzzle:
    """Return a puzzle of so many kinds of tiles, shuffled by so many moves."""
    chance = random.Random(seed)
    puzzle = distinct(rows, cols)
    marks = [chance.randrange(tile_classes) for _ in range(rows * cols - 1)]
    puzzle.tile_classes = [0, *(marks.index(mark) + 1 for mark in marks)]
    return walked(puzzle, moves, chance)


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


@pytest.mark.slow("searches for seconds")
@pytest.mark.usefixtures("compiled")
def test_letters_are_solved_with_ever_larger_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """There as well as back in as many moves."""
    monkeypatch.setattr(stages, "SMALL", 100)
    monkeypatch.setattr(stages, "MEDIUM", 20_000)
    monkeypatch.setattr(stages, "VAST", 50_000)
    monkeypatch.setattr(pattern_database, "LARGEST", 18**4)
    for seed in range(4):
        puzzle = some_letters(3, 6, 5, 200, seed)
        lengths = []
        for way in (puzzle, puzzle.reversed()):
            search = optimal_search.OptimalSearch(way, 2)
            search.run()
            assert search.moves is not None
            assert way.with_tiles(after(way, search.moves)).is_solved()
            assert search.bound == len(search.moves)
            lengths.append(search.bound)
        assert lengths[0] == lengths[1]


def after(puzzle: Puzzle, moves: list[int]) -> list[int]:
    """Return the tiles of a puzzle after some moves."""
    tiles = puzzle.tiles[:]
    near = neighbours(puzzle.rows, puzzle.cols)
    for move in moves:
        blank = tiles.index(0)
        there = near[blank][move]
        tiles[blank], tiles[there] = tiles[there], 0
    return tiles


def test_roots_are_different_and_reached_by_their_ways() -> None:
    puzzle = distinct(4, 4)
    roots = optimal_search.spread_roots(puzzle, 100)
    assert len(roots) >= 100
    assert len({tuple(tiles) for tiles, _ in roots}) == len(roots)
    for tiles, path in roots:
        assert after(puzzle, path) == tiles


@pytest.mark.usefixtures("compiled")
def test_large_databases_are_kept_and_used_again(
    monkeypatch: pytest.MonkeyPatch, own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ladder = (((1, 2, 4), (3, 6), (5, 7, 8)), ((1, 2, 4, 5), (3, 6, 7, 8)))
    monkeypatch.setitem(stages.LARGE, (3, 3), ladder)
    monkeypatch.setattr(pattern_database, "LARGEST", 9**3)
    puzzle = distinct(3, 3)

    def at_hand() -> list[list[int]]:
        return [
            [len(databases.partition) for databases in stage.build()]
            for stage in stages.search_stages(puzzle, allow_slow_build=False, jit=True)
        ]

    assert at_hand() == [[len(partitions(puzzle, 9**4)[0])]]
    assert not own_folder.exists()
    found_stages = stages.search_stages(puzzle, jit=True)
    limits = [stage.node_limit for stage in found_stages]
    assert limits == [stages.SMALL, stages.SMALL, stages.VAST, stages.NO_LIMIT]
    for stage in found_stages:
        stage.build()
    files = {disk_cache.path_of(puzzle, partition) for partition in ladder}
    assert set(own_folder.iterdir()) == files
    assert at_hand() == [[3], [2]]
    stages.CACHE.clear()
    found_stages = stages.search_stages(puzzle, jit=True)
    assert [stage.node_limit for stage in found_stages] == [stages.VAST, stages.NO_LIMIT]
    built = [stage.build()[0] for stage in found_stages]
    assert [kept.entries.dtype for kept in built] == [np.int32, np.uint8]
    for kept, partition in zip(built, ladder, strict=True):
        assert isinstance(kept.entries.base, np.memmap)
        assert (kept.entries == pattern_database.build_all(puzzle, partition).entries).all()
    assert set(own_folder.iterdir()) == files
    monkeypatch.setattr(stages, "physical_memory", lambda: stages.MIN_MEMORY - 1)
    assert [stage.node_limit for stage in stages.search_stages(puzzle, jit=True)] == [
        stages.NO_LIMIT
    ]
    found = solver.solve_position(numbers([8, 7, 6, 5, 4, 3, 2, 1, 0], 3), threads=1)
    assert found.optimal
    assert capsys.readouterr().err == ""


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize(
    ("rows", "cols", "tile_classes", "limits"),
    [
        (2, 3, 6, [stages.SMALL, stages.MEDIUM, stages.NO_LIMIT]),
        (3, 3, 4, [stages.SMALL, stages.MEDIUM, stages.NO_LIMIT]),
        (3, 6, 18, [stages.MEDIUM, stages.VAST, stages.NO_LIMIT]),
        (3, 6, 7, [stages.MEDIUM, stages.VAST, stages.NO_LIMIT]),
    ],
)
def test_databases_grow(
    monkeypatch: pytest.MonkeyPatch, rows: int, cols: int, tile_classes: int, limits: list[int]
) -> None:
    monkeypatch.setattr(pattern_database, "LARGEST", 18**5)
    puzzle = distinct(rows, cols)
    puzzle.tile_classes = [0, *(1 + tile % (tile_classes - 1) for tile in range(rows * cols - 1))]
    found_stages = stages.search_stages(puzzle, jit=True)
    assert [stage.node_limit for stage in found_stages] == limits
    built = [stage.build() for stage in found_stages]
    count = 2 if rows * cols > 16 else 1
    assert max(len({databases.partition for databases in views}) for views in built) == count
    assert all(len({databases.partition for databases in views}) == len(views) for views in built)
    sizes = [len(views[0].entries) for views in built]
    assert sizes == sorted(sizes)
    modest = [*limits[: 1 if rows * cols > 16 else 2], stages.NO_LIMIT]  # without gigabytes
    assert [
        stage.node_limit for stage in stages.search_stages(puzzle, allow_slow_build=False, jit=True)
    ] == modest
    monkeypatch.setattr(stages, "physical_memory", lambda: stages.MIN_MEMORY - 1)
    assert [stage.node_limit for stage in stages.search_stages(puzzle, jit=True)] == modest


def test_memory_is_told_if_the_machine_tells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stages.physical_memory() > 1 << 28
    monkeypatch.delattr("os.sysconf")
    assert stages.physical_memory() == stages.MIN_MEMORY


def damage_a_word(data: bytes) -> bytes:
    """Return the file with one bit of its words changed."""
    return data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]


@pytest.mark.parametrize(
    "damage",
    [
        damage_a_word,
        lambda data: data[: len(data) // 2],
        lambda data: data[:100],
        lambda data: b"something else altogether" + data[25:],
        lambda data: data.replace(b'"rows": 3', b'"rows": 4'),
        lambda data: data.replace(b'"parts"', b'"party"'),
        lambda data: b"[1]" + b" " * 4093 + data[4096:],
        lambda data: b"",
    ],
)
def test_a_damaged_or_foreign_file_is_built_again(
    own_folder: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[bytes], bytes]
) -> None:
    puzzle, partition = distinct(3, 3), ((1, 2, 4), (3, 6), (5, 7, 8))
    file = disk_cache.path_of(puzzle, partition)
    good = disk_cache.load_or_build(puzzle, partition, threads=1, jit=True)
    data = file.read_bytes()
    file.write_bytes(damage(data))
    again = disk_cache.load_or_build(puzzle, partition, threads=1, jit=True)
    assert (again.entries == good.entries).all()
    assert file.read_bytes() == data
    assert list(own_folder.iterdir()) == [file]
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "damaged or not a file of pattern databases; built again" in error


@pytest.mark.parametrize("moment", ["write", "open"])
def test_a_full_disk_is_said_and_harms_nothing(
    monkeypatch: pytest.MonkeyPatch, own_folder: Path, capsys: pytest.CaptureFixture[str],
    moment: str,
) -> None:  # fmt: skip
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    if moment == "write":
        monkeypatch.setattr("os.fsync", full)
    else:
        monkeypatch.setattr("tempfile.NamedTemporaryFile", full)
    puzzle, partition = distinct(3, 3), ((1, 2, 4), (3, 6), (5, 7, 8))
    databases = disk_cache.load_or_build(puzzle, partition, threads=1, jit=True)
    assert (databases.entries == pattern_database.build_all(puzzle, partition).entries).all()
    assert list(own_folder.iterdir()) == []
    assert capsys.readouterr().err.endswith(
        "No space left on device; the databases stay in memory\n"
    )


def test_the_folder_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert disk_cache.folder().name == "patterns"


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seconds": 0}, "seconds: 0 is not above 0"),
        ({"within": 0.9}, "within: 0.9 is less than 1"),
        ({"threads": 0}, "threads: 0 is less than 1"),
    ],
)
def test_limits_that_cannot_be_meant(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SolverError, match=f"^{message}$"):
        gridhouse.solve(gridhouse.load("sliding").new_initial_state(1), **options)


def test_a_solved_puzzle_needs_no_moves() -> None:
    found = solver.solve_position(position("abc ", "abc ", 2))
    assert found.facts() == {
        "moves": "", "length": 0, "bound": 0, "optimal": True, "nodes": 0,
        "seconds": round(found.seconds, 6),
    }  # fmt: skip
    assert str(found).startswith("Moves: none, it is solved already\nLength: 0, optimal")


def test_what_a_solution_says() -> None:
    found = solver.Solution("UDL", 2, 5, 0.25)
    assert not found.optimal
    assert str(found) == (
        "Moves: UDL\nLength: 3, not proved optimal: 2 moves are needed at least, a gap of 50.0 %\n"
        "Work: 5 nodes, 0.250 s"
    )


def test_moves_are_checked_by_the_rules() -> None:
    state = position("ab c", "abc ", 2)
    solver.check_solution(state, [rules.RIGHT])
    with pytest.raises(SolverError, match="move 1, D, is not legal"):
        solver.check_solution(state, [rules.DOWN])
    with pytest.raises(SolverError, match="not solved after 0 moves"):
        solver.check_solution(state, [])


@pytest.mark.parametrize("size", [(5, 5), (6, 6), (4, 7), (2, 14), (14, 2), (14, 14)])
@pytest.mark.parametrize("letters", [False, True])
def test_any_size_is_solved_at_once(size: tuple[int, int], letters: bool) -> None:
    rows, cols = size
    chance = random.Random(rows * cols)
    tile_classes = range(1, rows * cols)
    goal = [tile % 9 + 1 if letters else tile for tile in tile_classes]
    state = rules.Position(cells=rows * cols)
    state.rows, state.cols = rows, cols
    state.tiles = [*chance.sample(goal, len(goal)), 0]
    state.goal = [*goal, 999]
    rules.start(state)
    if not letters and not is_solvable(rows, cols, state.tiles):
        rules.swap(state, 0, 1)
    found = solver.solve_position(state, within=9.0, threads=1)
    assert found.bound <= found.length <= 9 * found.bound
    solver.check_solution(state, [MOVES.index(move) for move in found.moves])


def test_more_time_gives_better_solutions() -> None:
    """The first beam's solution is improved on, and the last is still one."""
    chance = random.Random(8)
    puzzle = walked(distinct(6, 6), 2000, chance)
    run = beam_search.BeamSearch(puzzle)
    narrow = beam_search.solve_by_layers(
        run, puzzle, anytime.FIRST_WIDTH, anytime.FIRST_DATABASE_SIDE
    )
    wide = beam_search.solve_by_layers(run, puzzle, 2000, beam_search.DATABASE_SIDE)
    assert narrow is not None
    assert wide is not None
    assert len(wide) < len(narrow)


def test_time_that_is_up_leaves_a_solution() -> None:
    state = numbers([0, 12, 9, 13, 15, 11, 10, 14, 3, 7, 5, 6, 4, 8, 2, 1], 4)
    found = solver.solve_position(state, seconds=0.001, threads=1)
    assert found.bound <= 80 <= found.length


@pytest.mark.slow("searches for seconds")
def test_a_larger_board_is_proved_when_asked_for() -> None:
    puzzle = walked(distinct(3, 6), 60, random.Random(5))
    found = solver.solve_position(numbers(puzzle.tiles, 3), optimal=True, threads=2)
    assert found.optimal
    assert found.bound == found.length <= 60


def test_what_beams_leave_of_the_time_goes_into_the_bound(
    monkeypatch: pytest.MonkeyPatch, own_folder: Path
) -> None:
    """Nothing is built for the disk meanwhile, which would take all of it."""
    asked = []

    def begin(search: anytime.Anytime, seconds: float) -> None:
        asked.append(seconds)
        search.moves = [0] * 200

    monkeypatch.setattr(anytime.Anytime, "_run_beams", begin)
    monkeypatch.setattr(
        optimal_search.OptimalSearch, "_search_in_threads", lambda *_: None
    )  # it has no end
    puzzle = walked(distinct(5, 5), 3000, random.Random(5))
    databases = stages.small_databases(puzzle, 4)
    least = optimal_search.lower_bound(puzzle, *heuristic.make_heuristic(puzzle, *databases))
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 2, 10.0), allow_slow_build=False)
    search.run()
    assert asked == [8.0]
    assert search.bound >= least + 4
    assert not own_folder.exists()


def test_a_bound_that_nobody_waits_for_takes_little() -> None:
    puzzle, larger = distinct(5, 5), distinct(6, 6)

    def proves(puzzle: Puzzle, seconds: float | None, **given: Any) -> bool:
        return anytime.Anytime(puzzle, anytime.Limits(1.0, 1, seconds), **given)._proves

    assert proves(puzzle, 1.0)
    assert proves(larger, None)
    assert proves(puzzle, 5.0, allow_slow_build=False)
    assert not proves(puzzle, 4.9, allow_slow_build=False)
    assert not proves(puzzle, None, allow_slow_build=False)
    assert not proves(larger, 100.0, allow_slow_build=False)
    assert not proves(puzzle, 100.0, proves=False)
    short, long = (
        optimal_search.OptimalSearch(puzzle, allow_slow_build=allow_slow_build)._automaton
        for allow_slow_build in (False, True)
    )
    assert len(short) < len(long)


def test_a_bound_without_memory_costs_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_: optimal_search.OptimalSearch) -> None:
        raise MemoryError

    monkeypatch.setattr(optimal_search.OptimalSearch, "run", run)
    monkeypatch.setattr(anytime, "BEAM_SHARE", 0.0)
    puzzle = walked(distinct(5, 5), 300, random.Random(5))
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 1, 5.0), allow_slow_build=False)
    search.run()
    solver.check_solution(numbers(puzzle.tiles, 5), search.moves)
    with pytest.raises(SolverError, match="not enough memory"):
        anytime.Anytime(puzzle, anytime.Limits(1.0, 1, 0.1)).run()


def unfinished(monkeypatch: pytest.MonkeyPatch, bound: int) -> anytime.Anytime:
    """Return a search whose proof gets to a bound and no further, after beams of no use."""
    puzzle = walked(distinct(5, 5), 40, random.Random(5))

    def prove(proof: optimal_search.OptimalSearch) -> None:
        proof.bound = bound
        end = time.monotonic() + 20
        while not proof._stopped and time.monotonic() < end:
            time.sleep(0.01)

    def begin(search: anytime.Anytime, _: float) -> None:
        search._directions = [anytime.Direction(puzzle, [puzzle.tiles])]
        search.moves = [0] * 200

    monkeypatch.setattr(optimal_search.OptimalSearch, "run", prove)
    monkeypatch.setattr(anytime.Anytime, "_run_beams", begin)
    monkeypatch.setattr(anytime, "FIRST_BESIDE", 0.0)
    monkeypatch.setattr(anytime, "MAX_WIDTH", 400)
    return anytime.Anytime(puzzle, anytime.Limits(1.0, 2, None))


def test_beams_beside_a_proof_may_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a proof would still have to find, a beam finds sooner."""
    state = numbers(walked(distinct(5, 5), 40, random.Random(5)).tiles, 5)
    length = solver.solve_position(state, optimal=True, threads=1).length
    search = unfinished(monkeypatch, length)
    search.run()
    assert len(search.moves) == search.bound == length
    solver.check_solution(state, search.moves)


def test_a_proof_goes_on_without_memory_for_beams(monkeypatch: pytest.MonkeyPatch) -> None:
    search = unfinished(monkeypatch, 20)
    asked: list[int] = []

    def beam(_: beam_search.BeamSearch, width: int, tie_break: int) -> None:
        asked.append(tie_break)
        if len(asked) == 2:
            search.stop()
            raise MemoryError

    monkeypatch.setattr(search, "_search", beam)
    search.run()
    assert asked == [2, 3]
    assert len(search.moves) == 200


@pytest.mark.slow("searches for seconds")
def test_nothing_is_left_to_compile_after_warming_up(tmp_path: Path) -> None:
    """Whatever is compiled after that, or read from disk, would come out of somebody's time.

    What other tests have compiled is at hand here, but counts as well; databases are not.
    """
    folder = tmp_path / "gridhouse"
    folder.mkdir()
    (folder / "compiled").symlink_to(cache_folder().parent)
    program = (
        "import gc, random\n"
        "from numba.core.dispatcher import Dispatcher\n"
        "from gridhouse.games.sliding import solver\n"
        "from gridhouse.games.sliding.game import SlidingGame, position_of, shuffle\n"
        "def compiled():\n"
        # A weak proxy would be asked itself by isinstance, also when what it stands for has gone.
        "    kernels = [each for each in gc.get_objects() if issubclass(type(each), Dispatcher)]\n"
        "    return {(each, signature) for each in kernels for signature in each.overloads}\n"
        "solver.warm()\n"
        "before = compiled()\n"
        "assert len(before) > 20\n"
        "for side in 4, 5, 7:\n"
        "    state = SlidingGame(rows=side, cols=side).new_initial_state(1)\n"
        "    assert solver.solve(state, seconds=0.5).moves\n"
        "    goal = ''.join(map(chr, range(65, 65 + side**2)))\n"
        "    puzzle = shuffle(goal, random.Random(1))\n"
        "    distinct = position_of(puzzle, goal, side, side)\n"
        "    assert solver.solve_position(distinct, seconds=0.5).moves\n"
        "for each, signature in compiled() - before:\n"
        "    print(each, signature)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=500,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
    )  # fmt: skip
    assert (run.stdout, run.stderr, run.returncode) == ("", "", 0)


@pytest.mark.slow("searches for seconds")
def test_the_usual_databases_are_of_the_shapes_that_are_warmed_up() -> None:
    shapes = set()
    for goal, most in (
        ("abcdefghijklmno ", 5),
        ("wordsometreeabl ", 5),
        ("abcdefghijklmnopqrstuvwx ", 4),
        ("sweattenthmummydriftpros ", 5),
    ):
        puzzle = puzzle_of(position(goal, goal, round(len(goal) ** 0.5)))
        for size in range(4, most + 1):
            databases = stages.small_databases(puzzle, size)
            (layout,), _ = heuristic.make_heuristic(puzzle, *databases)
            shapes.add((int(layout.views), int(layout.patterns), bool(layout.ranked)))
    # Five patterns of distinct tiles are kept on the disk, four of equal ones take long to build.
    others = {(2, 5, False), (2, 4, True)}
    assert shapes == {*optimal_search.SHAPES} - others


@pytest.fixture
def kept_from_seventeen_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have boards of more than sixteen cells count as large ones, whose databases are kept."""
    monkeypatch.setattr(good_partitions, "SMALL", 16)
    beam_heuristic.CACHE.clear()


@pytest.mark.usefixtures("kept_from_seventeen_cells")
def test_databases_of_two_partitions_are_kept_as_one(own_folder: Path) -> None:
    puzzle = walked(distinct(3, 6), 60, random.Random(5))
    databases = good_partitions.databases_of(puzzle, 0)
    assert [one.partition for one in databases] == good_partitions.partitions(puzzle, 0)
    assert len(list(own_folder.iterdir())) == 1
    assert databases[0].entries is databases[1].entries
    layout, entries = heuristic.make_heuristic(puzzle, *databases)
    assert entries is databases[0].entries
    assert layout[0].views == 2
    alone = [pattern_database.build_all(puzzle, one.partition) for one in databases]
    for seed in range(100):
        here = walked(puzzle, 100, random.Random(seed))
        assert [need(here, one) for one in databases] == [need(here, one) for one in alone]
        assert need(here, *databases) == need(here, *alone)


@pytest.mark.slow("searches for seconds")
@pytest.mark.usefixtures("kept_from_seventeen_cells")
def test_a_larger_board_is_proved_with_databases_that_are_kept() -> None:
    puzzle = walked(distinct(3, 6), 60, random.Random(5))
    found = solver.solve_position(numbers(puzzle.tiles, 3), optimal=True, threads=2)
    assert found.optimal
    assert found.bound == found.length <= 60


@pytest.mark.usefixtures("kept_from_seventeen_cells")
def test_a_long_search_has_databases_in_memory_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "SMALL", 1)
    puzzle = walked(distinct(3, 6), 300, random.Random(5))
    assert [stage.node_limit for stage in stages.search_stages(puzzle, jit=True)] == [
        stages.NO_LIMIT
    ]
    good_partitions.databases_of(puzzle, 0)
    (databases, _) = good_partitions.databases_of(puzzle, 0)  # from the disk
    search_to_bound, swept = optimal_search.OptimalSearch._search_bound, []

    def watched(self: Any, layout: Any, entries: Any, *given: Any) -> None:
        swept.append(entries)
        search_to_bound(self, layout, entries, *given)

    monkeypatch.setattr(optimal_search.OptimalSearch, "_search_bound", watched)
    search = optimal_search.OptimalSearch(puzzle, 2)
    search.run()
    assert search.moves is not None
    assert len(search.moves) == search.bound
    assert not databases.entries.flags.owndata
    assert len(swept) > 1
    assert all(entries is swept[0] for entries in swept)
    assert swept[0].flags.owndata
    assert (swept[0] == databases.entries).all()


@pytest.mark.usefixtures("kept_from_seventeen_cells")
def test_whole_boards_wait_for_databases_only_with_time() -> None:
    """They are used if they are there or there is time to build them."""
    puzzle = walked(distinct(3, 6), 300, random.Random(5))

    def search(**given: Any) -> anytime.Anytime:
        return anytime.Anytime(puzzle, anytime.Limits(1.0, 2, 0.2), proves=False, **given)

    stopped = search()
    stopped.stop()
    stopped._use_whole_board(None)
    assert stopped._min_whole_width == anytime.NEVER
    hurried = search()
    hurried._use_whole_board(time.perf_counter() + beam_heuristic.WORTH_BUILDING)
    assert hurried._min_whole_width == anytime.NEVER
    assert beam_heuristic.seconds_needed(puzzle) == beam_heuristic.WORTH_BUILDING
    patient = search()
    patient._use_whole_board(None)
    assert patient._min_whole_width == anytime.WHOLE_BOARD_WIDTH
    assert beam_heuristic.seconds_needed(puzzle) == 0
    beam_heuristic.CACHE.clear()
    assert beam_heuristic.seconds_needed(puzzle) == beam_heuristic.WORTH_READING
    hurried._use_whole_board(time.perf_counter() + beam_heuristic.WORTH_READING)
    assert hurried._min_whole_width == anytime.NEVER
    after = search()
    after._use_whole_board(time.perf_counter() + beam_heuristic.WORTH_BUILDING)
    after.run()
    assert after._min_whole_width == anytime.WHOLE_BOARD_WIDTH
    assert after.bound == patient.bound > assignment.manhattan_distance(puzzle)
    words = puzzle_of(position("bcaabcdefdefghiag ", "abcabcdefdefghiag ", 3))
    letters = anytime.Anytime(words, anytime.Limits(1.0, 2, 0.2), proves=False)
    before = letters.bound
    letters.run()
    # Equal letters are told apart there, so these databases prove nothing about them.
    assert letters._min_whole_width == anytime.WHOLE_BOARD_WIDTH
    assert letters.bound == before


def with_one_side(puzzle: Puzzle) -> anytime.Anytime:
    """Return a search whose beams go from the puzzle to the goal only."""
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 1, None))
    search._directions = [anytime.Direction(puzzle, [puzzle.tiles])]
    return search


def test_narrow_beams_over_a_large_board_go_by_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    search = with_one_side(walked(distinct(3, 6), 300, random.Random(5)))
    asked: list[tuple[str, int]] = []
    monkeypatch.setattr(
        anytime, "solve_by_layers", lambda run, puzzle, width, *_: asked.append(("layers", width))
    )
    monkeypatch.setattr(
        beam_search.BeamSearch,
        "search_board",
        lambda run, puzzle, starts, options: asked.append(("whole", options.width)),
    )
    search.moves = [0] * 200
    for whole in (anytime.NEVER, anytime.WHOLE_BOARD_WIDTH):
        search._min_whole_width = whole
        for width in (anytime.WHOLE_BOARD_WIDTH - 1, anytime.WHOLE_BOARD_WIDTH):
            search._search_once(search._beam_searches[0], width, 0, None)
    widths = [anytime.WHOLE_BOARD_WIDTH - 1, anytime.WHOLE_BOARD_WIDTH] * 2
    assert asked == list(zip(["layers", "layers", "layers", "whole"], widths, strict=True))


@pytest.mark.parametrize("side", [5, 7])
def test_beams_get_wider_as_long_as_there_is_time(
    monkeypatch: pytest.MonkeyPatch, side: int
) -> None:  # fmt: skip
    puzzle = walked(distinct(side, side), 3000, random.Random(6))
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 1, None))
    lengths = [None, 450, 460, 440]
    asked: list[tuple[int, int]] = []

    def found(
        run: beam_search.BeamSearch, width: int, tie_break: int, _: float | None
    ) -> list[int] | None:
        asked.append((width, tie_break))
        if len(asked) == len(lengths):
            search.stop()
        run.nodes += 1
        length = lengths[len(asked) - 1]
        return None if length is None else [0] * length

    monkeypatch.setattr(search, "_search_once", found)
    monkeypatch.setattr(
        beam_search.BeamSearch, "shorten", lambda run, moves, *_: moves[: len(moves) - 4]
    )
    assert search.status() == f"solution: none, bound: {search.bound}, nodes: 0"
    search._run_beams(None)
    # The second one's solution was shortened; the last one's was not, as all was stopped.
    assert asked == [(100, 0), (400, 1), (400, 0), (1600, 1)]
    assert len(search.moves) == 440
    assert search.status() == f"solution: 440, bound: {search.bound}, nodes: 4"


@pytest.mark.parametrize(
    ("left", "widths"),
    [
        (-1.0, [100, 400]),
        (0.4, [100, 400]),
        (0.8, [100, 400, 287]),
        (8.0, [100, 400, 2880]),
        (80.0, [100, 400, 1600]),
    ],
)
def test_the_last_beam_is_as_wide_as_time_allows(
    monkeypatch: pytest.MonkeyPatch, left: float, widths: list[int]
) -> None:  # fmt: skip
    """The clock goes on a second a look, as long as the second beam takes."""
    search = anytime.Anytime(
        walked(distinct(5, 5), 3000, random.Random(6)), anytime.Limits(1.0, 1, None)
    )
    clock = iter(range(100))
    monkeypatch.setattr(anytime, "perf_counter", lambda: next(clock))
    asked: list[int] = []
    shortened: list[int] = []

    def beam(run: beam_search.BeamSearch, width: int, *_: object) -> None:
        del run
        asked.append(width)
        search.moves = [0] * 150
        if len(asked) == 3:
            search.stop()

    def shorten(
        _: beam_search.BeamSearch, moves: list[int], nodes: int, tie_break: int
    ) -> list[int]:
        del tie_break
        shortened.append(nodes)
        return moves[2:]

    monkeypatch.setattr(search, "_search", beam)
    monkeypatch.setattr(
        search, "_add_backward_direction", lambda _: None
    )  # it looks at the clock as well
    monkeypatch.setattr(beam_search.BeamSearch, "shorten", shorten)
    search._run_beams(2 + left)
    assert asked == widths
    # Where time is too little for another beam, it goes into shortening the best solution.
    spent = [int(left * anytime.NODES_PER_SECOND)] if left == 0.4 else []
    assert shortened == pytest.approx(spent, rel=1e-6)
    assert len(search.moves) == (148 if spent else 150)


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("seconds", [0.001, 3.0])
def test_beams_over_large_boards_keep_their_time(seconds: float) -> None:
    """A deadline that has passed makes the beam as narrow as may be; the solution is one anyway."""
    puzzle = walked(distinct(7, 7), 3000, random.Random(6))
    run = beam_search.BeamSearch(puzzle)
    moves = beam_search.solve_by_layers(run, puzzle, 1600, 5, 0, 0.0 if seconds < 1 else None)
    assert moves is not None
    solver.check_solution(numbers(puzzle.tiles, 7), moves)
    wide = beam_search.BeamSearch(puzzle)
    beam_search.solve_by_layers(wide, puzzle, 1600, 5, 0)
    assert run.nodes < wide.nodes if seconds < 1 else run.nodes == wide.nodes
    found = solver.solve_position(numbers(puzzle.tiles, 7), seconds=seconds, threads=1)
    assert found.length >= found.bound


def test_beams_over_words_do_not_get_lost() -> None:
    """With equal letters taken for one, all beams over this puzzle ended in odd positions."""
    state = position("bedagsbuegaoviolsetwetsn ", "givestubesgleanwadesboots", 5)
    search = anytime.Anytime(puzzle_of(state), anytime.Limits(1.0, 1, 0.0), proves=False)
    search.run()
    solver.check_solution(state, search.moves)
    assert len(search.moves) < 150
    assert search.nodes < 1_000_000


def test_a_first_answer_comes_by_layers_where_whole_beams_lose_their_way() -> None:
    search = with_one_side(walked(distinct(5, 5), 3000, random.Random(6)))
    asked = []

    def search_board(
        run: beam_search.BeamSearch, given: Puzzle, starts: Any, options: beam_search.BeamOptions
    ) -> None:
        asked.append((given.cells, options.width))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam_search.BeamSearch, "search_board", search_board)
        patch.setattr(anytime, "solve_by_layers", lambda *_: [0] * 200)
        while not search.moves:
            search._offer(
                search._search_once(search._beam_searches[0], 100 * 4 ** len(asked), 0, None)
            )
    assert asked == [(25, 100), (25, 400), (25, 1600)]
    assert len(search.moves) == 200


def test_threads_widen_beams_of_their_own() -> None:
    puzzle = walked(distinct(4, 5), 300, random.Random(6))
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 2, 0.5), proves=False)
    search.run()
    assert all(run.nodes for run in search._beam_searches)
    solver.check_solution(numbers(puzzle.tiles, 4), search.moves)


@pytest.mark.slow("searches for seconds")
def test_a_bound_that_meets_the_solution_ends_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for a shorter solution goes no further than the best one that beams have found."""
    puzzle = walked(distinct(3, 6), 60, random.Random(5))
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 1, 60.0))

    def prove(self: optimal_search.OptimalSearch) -> None:
        self.bound = len(search.moves)
        while not self._stopped:
            time.sleep(0.01)

    monkeypatch.setattr(optimal_search.OptimalSearch, "run", prove)
    search.run()
    assert search.moves
    assert search.bound == len(search.moves)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("error", [MemoryError(), ValueError("no")])
def test_what_fails_while_a_proof_is_sought_is_one_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def fail(_: optimal_search.OptimalSearch) -> None:
        raise error

    monkeypatch.setattr(optimal_search.OptimalSearch, "run", fail)
    with pytest.raises(SolverError, match=r"a shortest solution: (there is not enough|no)"):
        solver.solve_position(numbers([*range(1, 15), 0, 15], 4), threads=1)
    assert capsys.readouterr().err == ""


def test_windows_are_made_shorter() -> None:
    """A way round two by two cells, three times, is the same as one step the other way."""
    puzzle = distinct(3, 3, [8, 6, 7, 2, 5, 4, 3, 0, 1])
    best, _ = bidirectional.shortest(puzzle)
    loops = [*best[:7], *[0, 2, 1, 3] * 3, *best[7:], *[0, 2, 1, 3] * 3]
    state = numbers(puzzle.tiles, 3)
    results = []
    for jit in (True, False):
        run = beam_search.BeamSearch(puzzle, jit=jit)
        found = run.shorten(loops, 20000)
        solver.check_solution(state, found)
        results.append((found, run.nodes))
    assert results[0] == results[1]
    assert len(results[0][0]) < len(loops)


def test_all_windows_of_a_long_walk_become_shortest() -> None:
    """With enough nodes a whole way is one window, so no shorter one is left."""
    known = shortest("abcdefgh ", 3)
    for seed in range(5):
        chance = random.Random(seed)
        walk, moves = distinct(3, 3).tiles, list[int]()
        near = neighbours(3, 3)
        for _ in range(60):
            blank = walk.index(0)
            move = chance.choice([move for move in range(4) if near[blank][move] >= 0])
            there = near[blank][move]
            walk[blank], walk[there] = walk[there], 0
            moves.insert(0, move ^ 1)
        puzzle = distinct(3, 3, walk)
        found = beam_search.BeamSearch(puzzle).shorten(moves, 10**8, seed)
        text = "".join(" abcdefgh"[tile] for tile in walk)
        assert len(found) == known[text]


@pytest.mark.parametrize("jit", [True, False])
def test_a_stopped_shortening_leaves_the_way(jit: bool) -> None:
    puzzle = distinct(3, 3, [8, 6, 7, 2, 5, 4, 3, 0, 1])
    best, _ = bidirectional.shortest(puzzle)
    run = beam_search.BeamSearch(puzzle, jit=jit)
    assert run.shorten(best, 0) == best
    assert run.shorten(best, 50) == best
    run.stop()
    assert run.shorten([*best, 0, 1], 10**6) == [*best, 0, 1]


@pytest.mark.usefixtures("compiled")
def test_boards_that_take_long_get_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the search, here as long as the clock goes on with a look, is part of the time."""
    clock = itertools.count()
    monkeypatch.setattr(api, "perf_counter", lambda: next(clock))
    limits: list[tuple[float | None, bool]] = []
    real = anytime.Anytime

    def make(puzzle: Puzzle, given: anytime.Limits, **options: Any) -> Any:
        limits.append((given.seconds, options["allow_slow_build"]))
        return real(puzzle, given._replace(ratio=9.0), proves=False)

    monkeypatch.setattr(anytime, "Anytime", make)
    puzzle = walked(distinct(3, 6), 60, random.Random(5))
    solver.solve_position(numbers(puzzle.tiles, 3), threads=1)
    solver.solve_position(numbers(puzzle.tiles, 3), within=9.0, threads=1)
    solver.solve_position(numbers(puzzle.tiles, 3), seconds=0.5, threads=1)
    larger = walked(distinct(6, 6), 20, random.Random(5))
    solver.solve_position(numbers(larger.tiles, 6), within=9.0, threads=1)
    # A better bound shows that a solution is good enough, where one can be had.
    assert limits == [
        (api.SECONDS - 1, False),
        (None, True),
        (api.MOMENT, False),
        (None, False),
    ]


def test_a_search_may_be_stopped_before_there_is_a_solution() -> None:
    search = anytime.Anytime(
        walked(distinct(3, 6), 90, random.Random(5)), anytime.Limits(1.0, 2, None)
    )
    search.stop()
    search.run()
    assert search.moves


def test_a_beam_that_is_too_narrow_finds_nothing() -> None:
    puzzle = walked(distinct(6, 6), 2000, random.Random(9))
    assert beam_search.solve_by_layers(beam_search.BeamSearch(puzzle), puzzle, 1, 3) is None


@pytest.mark.parametrize("jit", [True, False])
def test_a_stopped_run_finds_nothing(monkeypatch: pytest.MonkeyPatch, jit: bool) -> None:
    puzzle = walked(distinct(4, 4), 2000, random.Random(9))
    views = beam_heuristic.heuristic_for(puzzle, 0)
    run = beam_search.BeamSearch(puzzle, jit=jit)
    monkeypatch.setattr(beam_heuristic, "heuristic_for", lambda *_, **__: views)
    run.stop()
    assert run.search_board(puzzle, [(puzzle.tiles, [])], beam_search.BeamOptions(10, 400)) is None
    assert beam_search.solve_by_layers(run, puzzle, 10, 3) is None
    again = beam_search.BeamSearch(puzzle, jit=jit)
    assert again.search_board(puzzle, [(puzzle.tiles, [])], beam_search.BeamOptions(10, 20)) is None
    assert again.search_board(puzzle, [(puzzle.tiles, [])], beam_search.BeamOptions(10, 1)) is None


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(("rows", "cols"), [(3, 5), (5, 3)])
def test_layers_of_boards_that_are_not_square(
    monkeypatch: pytest.MonkeyPatch, rows: int, cols: int, jit: bool
) -> None:
    puzzle = walked(distinct(rows, cols), 40, random.Random(3))
    run = beam_search.BeamSearch(puzzle, jit=jit)
    starts = [(puzzle.tiles, list[int]())]
    remaining = layer_geometry.RemainingBoard(rows, cols)
    found = run.solve_layer(puzzle, starts, remaining, 20, 0)
    for tiles, moves in found:
        outer = [cell for cell in range(rows * cols) if remaining.is_outer(cell)]
        assert all(tiles[cell] == cell + 1 for cell in outer)
        walk = puzzle.tiles[:]
        for move in moves:
            blank = walk.index(0)
            there = neighbours(rows, cols)[blank][move]
            walk[blank], walk[there] = walk[there], 0
        assert walk == tiles
    assert found
    monkeypatch.setattr(layer_geometry, "MAX_MOVES", 0)
    assert run.solve_layer(puzzle, starts, remaining, 20, 0) == []


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


def test_conflicts_of_a_line_are_counted() -> None:
    layer: Any = to_records(layer_beam.LayerBeam())[0]
    layer.line[:5] = [3, 1, 2, 5, 4]
    assert layer_beam.out_of_order(layer, 5) == 2
    assert layer_beam.out_of_order(layer, 0) == 0


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(("rows", "cols"), [(4, 4), (5, 5), (3, 9)])
def test_beams_keep_what_databases_say(rows: int, cols: int, jit: bool) -> None:
    """What a move changes comes to the same as looking everything up anew, at every step."""
    puzzle = walked(distinct(rows, cols), 60, random.Random(cols))
    run = beam_search.BeamSearch(puzzle, jit=jit)
    layout, board, entries = beam_heuristic.heuristic_for(puzzle, 1)
    beams, nodes = to_records(board_beam.Beam()), to_records(board_beam.node_for(puzzle.cells), 2)
    beam = beams[0]
    beam.count = 1
    shared = beam_search.make_memory(board_beam.Child(), board_beam.BLOCK, np.zeros(0, np.int32))
    children, kernel = shared.children, run._board_beam
    memory = board_beam.Memory(beams, board, entries, nodes, shared)
    nodes[0].tiles[: puzzle.cells] = puzzle.tiles
    kernel.start(beam, board[0], entries, nodes[0])
    chance = random.Random(4)
    for _ in range(25):
        beam.upper_bound = FAR
        found = kernel.expand_block(memory, 0, 0)
        # Those that need too much are left out, and the others are as they were.
        fewest = int(children["h"][:found].min())
        beam.upper_bound = fewest + 2
        few = to_records(board_beam.Child(), len(children))
        kept = kernel.expand_block(memory._replace(shared=shared._replace(children=few)), 0, 0)
        near = [child.tolist() for child in children[:found] if child.h <= fewest]
        assert str([child.tolist() for child in few[:kept]]) == str(near)
        for child in children[:found]:
            kernel.make_node(board[0], nodes[0], child, nodes[1])
            here = puzzle.with_tiles(nodes[1].tiles[: puzzle.cells].tolist())
            assert child.h == asked(here, layout, entries)
        new = nodes[1].copy()
        kernel.start(beam, board[0], entries, nodes[1])
        assert (new.key, new.blank) == (nodes[1].key, nodes[1].blank)
        assert new.entry.tolist() == nodes[1].entry.tolist()
        assert new.moves.tolist() == nodes[1].moves.tolist()
        assert new.moves_score == nodes[1].moves_score
        kernel.make_node(board[0], nodes[0], children[chance.randrange(found)], nodes[1])
        nodes[0] = nodes[1]


def test_the_more_moves_a_pattern_needs_the_more_each_of_them_scores() -> None:
    score = beam_heuristic.heuristic_for(distinct(4, 4), 0)[1][0].score
    assert score[0] == 0
    assert score[board_beam.EVEN_MOVES] == board_beam.EVEN_MOVES * board_beam.MOVE_SCORE
    assert (np.diff(score, 2) >= -1).all(), "but for rounding"
    assert score[2 * board_beam.EVEN_MOVES] > 2 * score[board_beam.EVEN_MOVES]
    larger = beam_heuristic.heuristic_for(distinct(3, 9), 1)[1][0].score
    assert (np.diff(larger) == board_beam.MOVE_SCORE).all(), "not so on larger boards"


def asked(puzzle: Puzzle, layout: Any, entries: Any) -> int:
    """Return what the search for shortest solutions reads from the same databases."""
    search = idastar.SearchState()
    search.tiles[: puzzle.cells] = puzzle.tiles
    search.blank = puzzle.tiles.index(0)
    return optimal_search.load_root(layout, entries, to_records(search))


@pytest.mark.parametrize("jit", [True, False])
def test_what_was_seen_does_not_go_on(jit: bool) -> None:
    kernel = specialize(selection, "sliding", jit=jit)
    beam = beam_search.BeamSearch(distinct(4, 4), jit=jit)._board_beam
    seen = np.zeros(32, np.int32)
    children = to_records(board_beam.Child(), 6)
    children["key"] = [
        7 << 40 | 1,
        7 << 40 | 2,
        7 << 40 | 3,
        7 << 40 | 2,
        7 << 40 | 5,
        9 << 40 | 33,
    ]
    children["score"] = [1, 2, 9, 0, 1, 1]
    picked, order = np.zeros(9, np.int32), np.zeros(6, np.int32)
    histogram = np.zeros(selection.HISTOGRAM_SIZE, np.int64)
    memory = selection.Memory(children, seen, histogram, order, picked)
    # The fourth is the second again, but better; the last has the place of the first.
    assert kernel.sort_best(memory, 6, 3) == 4
    assert order[:4].tolist() == [3, 0, 4, 5]
    assert kernel.select_best(memory, 6, 4, 2) == 4
    assert picked[2:6].tolist() == [3, 0, 4, 5]
    assert kernel.select_best(memory, 6, 2, 0) == 2
    assert picked[:2].tolist() == [0, 5]
    assert beam.drop_duplicates(children, 1, 6, seen) == 2
    assert children["key"][1] == 7 << 40 | 3
    assert kernel.select_best(memory._replace(seen=np.zeros(32, np.int32)), 6, 1, 0) == 1
    # So many bins there are for scores.
    children["score"] = [0, 2 * selection.HISTOGRAM_SIZE, selection.HISTOGRAM_SIZE, 3, 5, 4]
    assert kernel.sort_best(memory, 6, 6) == 6
    assert order.tolist() == [0, 3, 5, 4, 1, 2]


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


def test_a_beam_becomes_narrower_to_be_done_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = walked(distinct(4, 4), 400, random.Random(2))
    state = numbers(puzzle.tiles, 4)
    looked = []
    for deadline in (None, 1e9, 0.0):
        run = beam_search.BeamSearch(puzzle)
        options = beam_search.BeamOptions(3000, 60, deadline=deadline)
        moves = run.search_board(puzzle, [(puzzle.tiles, [])], options)
        assert moves is not None
        solver.check_solution(state, moves)
        looked.append(run.nodes)
    assert looked[0] == looked[1] > 2 * looked[2]


def test_beams_that_take_long_look_at_several_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    search = with_one_side(walked(distinct(5, 5), 3000, random.Random(6)))
    # The way back ends with the empty cell on the last one, or elsewhere.
    last, elsewhere = distinct(5, 5), walked(distinct(5, 5), 11, random.Random(6)).reversed()
    assert elsewhere.blank_goal < 24
    choices = []
    monkeypatch.setattr(
        beam_search.BeamSearch,
        "search_board",
        lambda run, puzzle, starts, options: choices.append(options.choice),
    )
    run = beam_search.BeamSearch(search.puzzle)
    for width, tie_break in (
        (anytime.MIN_VARIED_WIDTH, 1),
        (anytime.MIN_VARIED_WIDTH - 1, 1),
        (anytime.MIN_VARIED_WIDTH, 2),
    ):
        search._search_once(run, width, tie_break, None)
    assert choices == [1, 0, 2]
    for back, different in ((last, 3), (elsewhere, 1)):
        choices.clear()
        search._directions[1:] = [anytime.Direction(back, [back.tiles])]
        for tie_break in range(2, 6):
            search._search_once(run, anytime.MIN_VARIED_WIDTH, tie_break, None)
        assert choices == [1, 1, 2, 2]
        assert len({id(beam_heuristic.heuristic_for(back, look)) for look in range(3)}) == different


def test_beams_go_back_from_the_goal_in_turns() -> None:
    """Of words and numbers, by databases and by layers, the empty cell anywhere."""
    words = position("bedagsbuegaoviolsetwetsn ", "givestubesgleanwadesboots", 5)
    cases = [(words, assignment.with_best_assignment(puzzle_of(words))[0])]
    for rows, cols, steps in ((5, 5, 301), (4, 5, 300), (6, 6, 0)):
        puzzle = walked(distinct(rows, cols), steps, random.Random(6))
        if steps == 0:  # the empty cell is last, as layers have it
            puzzle.tiles[:3] = [2, 3, 1]
            puzzle.tiles[30:33] = [32, 33, 31]
        cases.append((numbers(puzzle.tiles, rows), puzzle))
    for state, puzzle in cases:
        search = with_one_side(puzzle)
        search._min_whole_width = 0 if puzzle.cells <= good_partitions.SMALL else anytime.NEVER
        search._add_backward_direction(None)
        search.moves = [0] * 400
        ways = []
        for tie_break in (0, 1):
            moves = search._search_once(search._beam_searches[0], 400, tie_break, None)
            assert moves is not None
            solver.check_solution(state, moves)
            ways.append(moves)
        assert ways[0] != ways[1]


def test_there_is_no_way_back_without_databases_or_time_for_them() -> None:
    moved = walked(distinct(5, 5), 11, random.Random(6))
    large = walked(distinct(6, 6), 11, random.Random(6))
    assert moved.tiles[-1] > 0 < large.tiles[-1]
    soon = time.perf_counter() + anytime.MIN_BACKWARD_SECONDS - 1
    late = soon + 1000
    for puzzle, deadline, sides in (
        (distinct(5, 5), soon, 2), (distinct(6, 6), None, 2), (distinct(9, 9), soon, 2),
        (moved, None, 2), (moved, late, 2), (moved, soon, 1), (large, None, 1), (large, late, 1),
    ):  # fmt: skip
        search = with_one_side(puzzle)
        search._add_backward_direction(deadline)
        assert len(search._directions) == sides


def test_databases_that_are_being_built_hold_up_only_who_needs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beam_heuristic.CACHE.clear()
    ready = beam_heuristic.heuristic_for(distinct(3, 4), 0)
    asked, may_go_on, build = threading.Event(), threading.Event(), good_partitions.databases_of
    built = []

    def slowly(puzzle: Puzzle, *given: Any, **how: Any) -> Any:
        built.append(puzzle.rows)
        asked.set()
        assert may_go_on.wait(60)
        return build(puzzle, *given, **how)

    monkeypatch.setattr(good_partitions, "databases_of", slowly)
    with ThreadPoolExecutor(3) as pool:
        slow = [pool.submit(beam_heuristic.heuristic_for, distinct(4, 3), 0) for _ in range(2)]
        assert asked.wait(60)
        quick = pool.submit(beam_heuristic.heuristic_for, distinct(3, 4), 0)
        try:
            assert quick.result(timeout=60) is ready
        finally:
            may_go_on.set()
    assert slow[0].result() is slow[1].result()
    assert built == [4]


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


def test_a_way_that_is_at_its_end_goes_no_further() -> None:
    puzzle = distinct(4, 4)
    options = beam_search.BeamOptions(10, 60)
    beam = beam_search.BeamSearch(puzzle).search_board(puzzle, [(puzzle.tiles, [1, 3])], options)
    assert beam == [1, 3]


def test_tiles_of_a_layer_count_most_and_those_of_the_next_one_more_than_others() -> None:
    table = layer_geometry.costs(6, 6, 0, 0).reshape(36, 36)
    assert not table[0].any()
    for tile in range(1, 36):
        assert table[tile][tile - 1] == 0
        assert (np.delete(table[tile], tile - 1) > 0).all()
    # A step off its line, of a tile of the layer, of the next two, and of one further on.
    steps = [int(table[tile][tile + 5]) for tile in (2, 9, 16, 23)]
    assert steps == sorted(steps, reverse=True)
    assert table[1][6] > table[1][1], "a tile counts more off its line than along it"
    assert table[7][7] > table[7][12]
    assert table[8][31] > 4 * table[8][13], "far tiles count more than in proportion"
    # What is done counts no more, the rest as a board of its own does.
    larger = layer_geometry.costs(12, 12, 6, 6).reshape(144, 144)
    cells = [12 * row + col for row in range(6, 12) for col in range(6, 12)]
    goal_cells = [cell + 1 for cell in cells[:-1]]
    assert (larger[goal_cells][:, cells] == table[1:]).all()
    assert np.flatnonzero(larger.any(axis=1)).tolist() == goal_cells
    # Later layers count less on larger boards.
    whole = layer_geometry.costs(12, 12, 0, 0).reshape(144, 144)
    assert whole[14][14] < table[8][8]
    assert whole[2][2] == table[2][2]


def test_wide_beams_remember_more_positions() -> None:
    assert selection.num_slots(1) == selection.MIN_SLOTS
    assert selection.num_slots(100_000) == 1 << 20


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(("cells", "patterns"), [(25, 6), (36, 9)])
def test_patterns_that_ask_for_more_are_counted_by_cell(
    cells: int, patterns: int, jit: bool
) -> None:
    kernel = beam_search.BeamSearch(distinct(5, 5), jit=jit)._board_beam
    board = to_records(board_beam.BoardLayout())
    board["views"], board["patterns"] = 4, patterns
    chance = random.Random(1)
    for likely in (0.2, 0.8, 1.0):
        beam, node = to_records(board_beam.Beam())[0], to_records(board_beam.node_for(cells))[0]
        entries = [
            sum((chance.random() < likely) << cell for cell in range(cells))
            for _ in range(4 * patterns)
        ]
        node.entry[:] = entries
        kernel.count_penalties(beam, board[0], node)
        for view, cell in itertools.product(range(4), range(cells)):
            digits = beam.plane[board_beam.PLANES * view : board_beam.PLANES * (view + 1)].tolist()
            count = sum(
                (word >> cell) & 1 for word in entries[patterns * view : patterns * (view + 1)]
            )
            assert sum(((digit >> cell) & 1) << at for at, digit in enumerate(digits)) == count % 8

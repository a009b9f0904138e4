"""Shortest solutions are shortest, whatever databases and threads there are."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from gridhouse.core.records import to_records
from gridhouse.games.sliding import solver
from gridhouse.games.sliding.solver.beam import (
    beam_search,
)
from gridhouse.games.sliding.solver.databases import (
    good_partitions,
    heuristic,
    pattern_database,
)
from gridhouse.games.sliding.solver.databases.partitioning import (
    partitions,
)
from gridhouse.games.sliding.solver.optimal import (
    duplicate_pruning,
    idastar,
    optimal_search,
    stages,
)
from gridhouse.games.sliding.solver.puzzle import (
    puzzle_of,
)
from naive.sliding_solver import shortest
from sliding_helpers import (
    FAR,
    KORF,
    after,
    distinct,
    manhattan,
    numbers,
    position,
    some_letters,
    walked,
)


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


@pytest.mark.measured
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
    assert search_to_bound(layout, entries, automaton, record, frames) == idastar.STOPPED
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


def test_roots_are_different_and_reached_by_their_ways() -> None:
    puzzle = distinct(4, 4)
    roots = optimal_search.spread_roots(puzzle, 100)
    assert len(roots) >= 100
    assert len({tuple(tiles) for tiles, _ in roots}) == len(roots)
    for tiles, path in roots:
        assert after(puzzle, path) == tiles


@pytest.mark.measured
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
            shapes.add((int(layout.views), int(layout.patterns), bool(layout.has_equal_tiles)))
    # Five patterns of distinct tiles are kept on the disk, four of equal ones take long to build.
    others = {(2, 5, False), (2, 4, True)}
    assert shapes == {*optimal_search.SHAPES} - others


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

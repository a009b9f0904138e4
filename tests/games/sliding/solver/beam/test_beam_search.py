"""Beams over whole boards and over layers, and shorter windows."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from gridhouse.core.records import to_records
from gridhouse.core.specialize import specialize
from gridhouse.games.sliding import solver
from gridhouse.games.sliding.solver import bidirectional
from gridhouse.games.sliding.solver.beam import (
    beam_heuristic,
    beam_search,
    board_beam,
    layer_beam,
    layer_geometry,
    selection,
)
from gridhouse.games.sliding.solver.puzzle import (
    neighbours,
)
from naive.sliding_solver import shortest
from sliding_helpers import FAR, asked, distinct, numbers, walked


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


def test_conflicts_of_a_line_are_counted() -> None:
    layer: Any = to_records(layer_beam.LayerBeam())[0]
    layer.line[:5] = [3, 1, 2, 5, 4]
    assert layer_beam.out_of_order(layer, 5) == 2
    assert layer_beam.out_of_order(layer, 0) == 0


@pytest.mark.measured
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

"""The solver of Collapse against trying everything, and against random play."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import runpy
import signal
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gridhouse
from gridhouse import cli
from gridhouse.core import compile_queue, solving, specialize
from gridhouse.core.console import EXIT_INTERRUPTED
from gridhouse.core.errors import ParameterError, PositionError, SolverError
from gridhouse.core.game import State
from gridhouse.core.solving import solve as solve_any
from gridhouse.games.collapse import solver
from gridhouse.games.collapse.game import CollapseGame, read_board
from gridhouse.games.collapse.rules import BLANK
from gridhouse.games.collapse.solver import api
from gridhouse.games.collapse.solver.advice import Adviser
from gridhouse.games.collapse.solver.kernels import (
    beam_search,
    bitboard,
    byte_board,
    exact_search,
    nrpa,
)
from gridhouse.games.collapse.solver.search import (
    LinearSearch,
    Options,
    SamegameSearch,
    Search,
    backend,
    base,
    linear,
    make_search,
    samegame,
)
from gridhouse.table import save
from harness import CONFORMANCE, ROOT, run_compiled
from naive import collapse_best

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SCORINGS = ("linear", "samegame")
# Linear also where a better line is always asked for at once, and with few cells in a word.
WAYS = (("linear", 8, 62), ("linear", 1, 62), ("linear", 8, 18), ("samegame", 8, 18))
LARGE_BOARD = """
11232112214
33214421321
12121112111
00211122334
01114122322
12121123343
44433211212
"""
SEVEN_BY_ELEVEN = "collapse(rows=7,cols=11,digits=5)#3"


def random_rows(chance: random.Random, cells: int, digits: int = 10) -> list[list[int]]:
    rows = chance.randint(1, cells)
    cols = chance.randint(1, cells // rows)
    drawn = chance.sample(range(digits), chance.randint(1, min(digits, 5)))
    return [[chance.choice(drawn) for _ in range(cols)] for _ in range(rows)]


def state_of(rows: list[list[int]], scoring: str = "linear") -> State:
    return State(*CollapseGame.from_board(rows, scoring))


def replayed(state: State, found: api.CollapseSolution) -> int:
    """Return the score of a solution's picks by the rules; the game must be over then."""
    after = state.clone()
    for row, col in found.picks:
        after.play(f"{row} {col}")
    assert after.is_terminal()
    assert found.cleared == (not after.board())
    return int(after.position.score)


def leave_beams_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave all lines to the exact search, which then has to find them."""
    monkeypatch.setattr(Search, "_run_beam", lambda search, *beam: None)
    monkeypatch.setattr(LinearSearch, "_improve", lambda search, rollouts, turn: None)
    monkeypatch.setattr(LinearSearch, "_improve_on", lambda search: None)


def give_memory(monkeypatch: pytest.MonkeyPatch, room: int, picks: int, table: int) -> None:
    """Let exact searches have room for so many boards and picks, and so large a table."""

    def memory(search: Search) -> Any:
        records, space = search.kernels.to_records, search._workspace()
        rows = max(room, picks)
        memory = exact_search.make_memory(rows, table, search.words, space, np.zeros, records)
        return memory._replace(
            boards=memory.boards[:room],
            parts=memory.parts[:room],
            child_boards=memory.child_boards[:picks],
            children=memory.children[:picks],
        )

    monkeypatch.setattr(Search, "_make_exact_memory", memory)
    monkeypatch.setattr(LinearSearch, "_enlarge", lambda _, memory, nodes: memory)


def leave_cuts_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave all proofs to the search by parts."""
    monkeypatch.setattr(base, "cut_columns", lambda heights: [])


def give_words(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    """Let the exact search use so many bits of each word; warming up is for 62."""
    monkeypatch.setattr(bitboard, "WORD_BITS", length)
    if length < 62:
        monkeypatch.setattr(api, "warm_for", lambda room, words: None)


def check_solved(rows: list[list[int]], scoring: str, *, jit: bool = True) -> None:
    """Solve a board and compare with trying everything."""
    state = state_of(rows, scoring)
    found = solver.solve(state, seconds=None, jit=jit, threads=1)
    best = collapse_best.best(collapse_best.board_of(rows), scoring)
    assert (found.score, found.bound, found.optimal) == (best, best, True), rows
    assert replayed(state, found) == best


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize(("scoring", "steps", "length"), WAYS)
def test_small_boards_are_solved_for_good(
    monkeypatch: pytest.MonkeyPatch, scoring: str, steps: int, length: int
) -> None:
    monkeypatch.setattr(linear, "STEPS", steps)
    give_words(monkeypatch, 62 if length == 62 else 4)
    chance = random.Random(1)
    every = [
        [list(cells[row * cols : (row + 1) * cols]) for row in range(rows)]
        for rows, cols in ((1, 3), (2, 2), (3, 1), (2, 3))
        for cells in itertools.product(range(3), repeat=rows * cols)
    ]
    larger = [
        [[chance.randrange(3) for _ in range(cols)] for _ in range(rows)]
        for rows, cols in ((3, 3), (3, 4), (4, 3))
        for _ in range(60)
    ]
    for rows in chance.sample(every, 250) + larger:
        check_solved(rows, scoring)


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize(("scoring", "steps", "length"), WAYS)
def test_random_boards_up_to_five_by_five_are_solved_for_good(
    monkeypatch: pytest.MonkeyPatch, scoring: str, steps: int, length: int
) -> None:
    monkeypatch.setattr(linear, "STEPS", steps)
    give_words(monkeypatch, length)
    chance = random.Random(2)
    for _ in range(40):
        check_solved(random_rows(chance, 18), scoring)
    for digits in (4, 5, 7, 10) if scoring == "linear" else (6, 8, 10):
        check_solved([[chance.randrange(digits) for _ in range(5)] for _ in range(5)], scoring)


@pytest.mark.parametrize(("scoring", "steps", "length"), WAYS)
def test_the_kernels_mean_the_same_interpreted(
    monkeypatch: pytest.MonkeyPatch, scoring: str, steps: int, length: int
) -> None:
    monkeypatch.setattr(linear, "STEPS", steps)
    give_words(monkeypatch, length)
    chance = random.Random(3)
    for _ in range(8):
        check_solved(random_rows(chance, 14), scoring, jit=False)
    rows = [[chance.randrange(4) for _ in range(6)] for _ in range(6)]
    for nodes in (1, 40, 400):
        both = [
            solver.solve(state_of(rows, scoring), seconds=None, nodes=nodes, jit=jit).facts()
            | {"seconds": 0}
            for jit in (True, False)
        ]
        assert both[0] == both[1]


@pytest.mark.parametrize("scoring", SCORINGS)
def test_no_random_play_beats_a_bound(scoring: str) -> None:
    chance = random.Random(4)
    for seed in range(25):
        rows = random_rows(chance, 60)
        state = state_of(rows, scoring)
        found = solver.solve(state, nodes=chance.choice((1, 300, 3000)), seed=seed)
        assert replayed(state, found) == found.score <= found.bound
        for _ in range(20):
            play = state.clone()
            while actions := play.legal_actions():
                play.apply_action(chance.choice(actions))
            assert play.returns()[0] <= found.bound, rows


def test_what_is_called_dead_is_never_removed() -> None:
    chance = random.Random(5)
    some = 0
    for turn in range(250):
        rows = random_rows(chance, 20)
        search = make_search(state_of(rows), Options(), jit=turn % 10 > 0)
        scratch = search._scratch()
        search.kernels.byte_board.find_groups(search.start, search.stride, scratch)
        count = search.kernels.dead_cells.find_dead(search.start, search.stride, scratch)
        dead = {field_of(search, cell) for cell in scratch.isolated[:count]}
        assert len(dead) == count
        assert not dead & collapse_best.removable(collapse_best.board_of(rows)), rows
        some += count
    assert some > 400


def live_cells(cells: Any, stride: int, groups: set[int]) -> set[int]:
    """Return what the definition in the docs calls live, by asking all pairs again and again."""
    columns = {at: at // stride for at in range(len(cells)) if cells[at] > 0}
    live = set(groups)

    def lowest(at: int) -> int:
        return sum(other not in live for other in range(columns[at] * stride, at))

    def may_meet(one: int, other: int) -> bool:
        if columns[one] == columns[other]:
            return live.issuperset(range(one + 1, other))
        between = {at for at in columns if columns[one] < columns[at] < columns[other]}
        return live >= between and lowest(one) <= other % stride and lowest(other) <= one % stride

    equals = [
        (one, other)
        for one, other in itertools.combinations(columns, 2)
        if cells[one] == cells[other] != byte_board.WALL
    ]
    before = -1
    while before < len(live):
        before = len(live)
        for pair in equals:
            if may_meet(*pair):
                live.update(pair)
    return live


def test_dead_are_just_those_that_the_definition_says(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(12)
    fewer = 0
    for turn in range(300):
        rows = random_rows(chance, 40)
        search = make_search(state_of(rows), Options(), jit=turn % 3 > 0)
        start, stride, scratch = search.start, search.stride, search._scratch()
        kernels = search.kernels
        if turn % 2:
            with_walls(search, chance)
        groups = kernels.byte_board.find_groups(start, stride, scratch)
        grouped = {int(at) for at in scratch.members[: scratch.start[groups]]}
        count = kernels.dead_cells.find_dead(start, stride, scratch)
        dead = {int(at) for at in scratch.isolated[:count]}
        some = {int(at) for at in np.flatnonzero((start > 0) & (start < byte_board.WALL))}
        assert dead == some - live_cells(start, stride, grouped), rows
        if not kernels.jit:
            # As on boards of many rows: some levels are not told apart.
            with monkeypatch.context() as patch:
                patch.setattr(kernels.dead_cells, "LEVELS", 1)
                kernels.byte_board.find_groups(start, stride, scratch)
                count = kernels.dead_cells.find_dead(start, stride, scratch)
            assert dead >= {int(at) for at in scratch.isolated[:count]}
            fewer += count < len(dead)
    assert fewer > 0


def packed(search: Search, cells: Any, space: Any) -> Any:
    """Return a board of bytes as a bitboard."""
    board = np.zeros(bitboard.PLANES * max(1, search.words), np.int64)
    search.kernels.bitboard.pack(cells, search.stride, board, space)
    return board


def with_walls(search: Search, chance: random.Random) -> None:
    """Turn some cells of a search's board into walls."""
    for at in np.flatnonzero(search.start):
        if chance.randrange(6) == 0:
            search.start[at] = byte_board.WALL


def square_rows(chance: random.Random) -> list[list[int]]:
    """Return a board of up to six rows and columns, of which twelve bits hold few columns."""
    rows, cols = chance.randint(2, 6), chance.randint(2, 6)
    return [[chance.randrange(4) for _ in range(cols)] for _ in range(rows)]


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("length", [62, 12])
def test_words_find_the_dead_cells_that_bytes_find(
    monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.setattr(bitboard, "WORD_BITS", length)
    chance = random.Random(21)
    found = 0
    for turn in range(200):
        rows = random_rows(chance, 40) if length == 62 else square_rows(chance)
        search = make_search(state_of(rows), Options(), jit=turn % 4 > 0)
        kernels, start = search.kernels, search.start
        space, scratch = search._workspace(), search._scratch()
        if turn % 2:
            with_walls(search, chance)
        kernels.byte_board.find_groups(start, search.stride, scratch)
        count = kernels.dead_cells.find_dead(start, search.stride, scratch)
        walled = start.copy()
        walled[scratch.isolated[:count]] = byte_board.WALL
        cost = sum(search.weights[int(start[at])] for at in scratch.isolated[:count])
        board = packed(search, start, space)
        kernels.bitboard.decode(board, space)
        kernels.bitboard.find_dead(bitboard.NO_KIND, space)
        assert kernels.bitboard.build_walls(board, space) == cost, rows
        assert board.tolist() == packed(search, walled, space).tolist(), rows
        found += count
    assert found > 100


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize(("length", "tall"), [(62, 15), (12, 15), (62, 1)])
def test_words_fall_as_bytes_do(monkeypatch: pytest.MonkeyPatch, length: int, tall: int) -> None:
    monkeypatch.setattr(bitboard, "WORD_BITS", length)
    chance = random.Random(13)
    keys = set()
    for turn in range(100):
        rows = random_rows(chance, 30) if length == 62 else square_rows(chance)
        jit = tall == bitboard.PACKED_ROWS and turn % 4 > 0
        search = make_search(state_of(rows), Options(), jit=jit)
        kernels = search.kernels
        if not jit:
            monkeypatch.setattr(kernels.bitboard, "PACKED_ROWS", tall)
        memory, scratch = search._make_exact_memory(), search._scratch()
        space = memory.space
        kernels.exact_search.set_board(memory, search.start, search.stride)
        kernels.exact_search.generate_picks(memory, 0)
        end = memory.stack.children
        groups = kernels.byte_board.find_groups(search.start, search.stride, scratch)
        grouped = 0
        for kind in search._kinds_by_count(search.start):
            kernels.bitboard.find_grouped(kind, space)
            grouped += kernels.bitboard.count_of(space.grouped, 0)
        assert grouped == scratch.start[groups]
        firsts = search._picks(search.start, scratch)
        assert end == len(firsts)
        boards = {}
        for cell in firsts:
            after = search.start.copy()
            size = search._pick(after, cell, scratch)
            boards[packed(search, after, space).tobytes()] = (size, after)
        for index in range(end):
            size, after = boards.pop(np.asarray(memory.child_boards[index]).tobytes())
            child = memory.children[index]
            assert child.size == size
            assert child.rest + size == np.count_nonzero(search.start == child.kind)
            mirrored = np.zeros_like(after)
            columns = [column for column in after.reshape(-1, search.stride) if column.any()]
            for col, column in enumerate(reversed(columns), 1):
                mirrored[col * search.stride : (col + 1) * search.stride] = column
            for board in (after, mirrored):
                assert kernels.bitboard.key_of(packed(search, board, space), space) == child.key
            keys.add(int(child.key))
    assert len(keys) > 100


def test_the_bound_of_the_last_two_or_three_cells_is_never_too_high() -> None:
    chance = random.Random(22)
    raised = 0
    for turn in range(400):
        rows = [[chance.randrange(1, 7) for _ in range(4)] for _ in range(4)]
        search = make_search(state_of(rows), Options(), jit=turn % 8 > 0)
        kernel, space = search.kernels.bitboard, search._workspace()
        board = packed(search, search.start, space)
        kernel.decode(board, space)
        kernel.find_dead(bitboard.NO_KIND, space)
        cost = kernel.build_walls(board, space)
        residual = kernel.residual_bound(0, space)
        least = search.total - collapse_best.best(collapse_best.board_of(rows), "linear")
        assert cost + residual <= least, rows
        assert kernel.residual_bound(100, space) == 0
        raised += residual > 0
    assert raised > 20


@pytest.mark.parametrize(
    ("row", "parts"),
    [([1, 1, 9, 2, 2], 2), ([1, 1, 9, 1, 1], 2), ([1, 2, 2, 1], 1), ([1, 1, 9, 2, 2, 8, 2, 2], 3)],
)
def test_boards_fall_apart_where_nothing_ever_meets(row: list[int], parts: int) -> None:
    for jit in (True, False):
        search = make_search(state_of([row]), Options(), jit=jit)
        memory, set_root = search._make_exact_memory(), search.kernels.exact_search.set_root
        assert set_root(memory, search.start, search.stride, 100) == parts


def test_boards_that_are_too_tall_for_words_are_not_searched_exactly() -> None:
    assert bitboard.words_needed(62, 8) == 8
    assert bitboard.words_needed(62, 9) == bitboard.words_needed(63, 1) == 0
    assert bitboard.words_needed(1, 512) == 0
    rows = [[1, 2], [2, 1]] * 32
    search = LinearSearch(state_of(rows), Options(), jit=False)
    assert search.words == 0
    search._prove()
    assert search.nodes == 0
    found = solver.solve(state_of(rows), nodes=200, jit=False)
    assert replayed(state_of(rows), found) == found.score <= found.bound


def test_a_better_line_ends_what_asks_for_one_no_better() -> None:
    state = gridhouse.parse("collapse(rows=4,cols=4,digits=4)#1")
    search = make_search(state, Options(threads=2), jit=False)
    proof, beam = search._control(0), search._control(1)
    search._improving.append(proof)
    search._record(20, [])
    assert (int(proof.limit), int(beam.limit)) == (0, base.INFINITE)


def test_rollouts_know_all_groups_and_tiles_after_every_pick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(14)
    nrpa = backend.Kernels(jit=False).nrpa
    list_choices = nrpa.list_choices
    moved: list[int] = []
    fallen: list[int] = []

    def compare(rollouts: Any, count: int, *others: Any) -> Any:
        columns = (rollouts.firsts, rollouts.sizes, rollouts.first_cols, rollouts.last_cols)
        known = sorted(zip(*(column[:count].tolist() for column in columns), strict=True))
        groups = search.kernels.byte_board.find_groups(rollouts.board, search.stride, scratch)
        ends = itertools.pairwise(scratch.start[: groups + 1])
        listed = [sorted(map(int, scratch.members[begin:end])) for begin, end in ends]
        assert known == sorted(
            (cells[0], len(cells), cells[0] // search.stride, cells[-1] // search.stride)
            for cells in listed
        )
        places = np.flatnonzero(rollouts.board)
        tiles = rollouts.tiles[places]
        # Where they stood at the start, in the same order in every column, and so in all.
        assert np.array_equal(search.start[tiles], rollouts.board[places])
        assert np.array_equal(tiles, np.sort(tiles))
        fallen.append(int(np.count_nonzero(tiles != places)))
        moved.append(len(known))
        return list_choices(rollouts, count, *others)

    monkeypatch.setattr(nrpa, "list_choices", compare)
    for _ in range(60):
        state = state_of(random_rows(chance, 60), "samegame")
        search = make_search(state, Options(), jit=False)
        scratch = search._scratch()
        search._run_rollouts(search._make_rollouts(1), 3, chance.randrange(100), tabu=1)
    assert len(moved) > 500
    assert max(moved) > 6
    assert max(fallen) > 6


def test_rollouts_find_what_beams_do_not() -> None:
    for seed in (3, 27):
        state = gridhouse.parse(f"collapse(rows=8,cols=8,digits=5)#{seed}")
        search = make_search(state, Options(), jit=True)
        for width in (16, 64, 256):
            search._run_beam(width, search.start, [], 0, width)
        assert search.cost > 0
        assert solver.solve(state, seconds=None, nodes=20_000).optimal


def test_the_best_digits_are_spared_in_turn() -> None:
    state = state_of([[1, 1, 1], [1, 2, 2], [2, 3, 3]], "samegame")
    search = SamegameSearch(state, Options(threads=2), jit=False)
    ones, twos, threes = (digit + 1 for digit in (1, 2, 3))
    assert [search._next_tabu() for _ in range(3)] == [(ones, 0), (twos, 0), (threes, 0)]
    assert search._next_tabu() == (ones, 1)  # nothing is known yet
    search._scores = {ones: 1000, twos: 949, threes: 950}
    assert [search._next_tabu() for _ in range(3)] == [(threes, 1), (ones, 2), (threes, 2)]
    search._scores = {ones: -10, twos: -11, threes: -10}
    assert search._next_tabu() == (ones, 3)


def test_the_score_is_that_of_running_rollouts_as_well() -> None:
    search = make_search(state_of([[1, 1], [2, 2]], "samegame"), Options(), jit=False)
    search.cost = -5
    control = search._control(0)
    assert search.score == 5
    control.best = -7
    assert search.score == 7


def field_of(search: Search, cell: int) -> tuple[int, int]:
    """Return the column and level of a cell."""
    return divmod(int(cell) - search.stride, search.stride)


def test_boards_of_ten_digits_have_a_bound_that_no_play_beats() -> None:
    chance = random.Random(10)
    for seed in range(8):
        state = gridhouse.parse(f"collapse(rows=10,cols=10,digits=10)#{seed}")
        found = solver.solve(state, nodes=chance.choice((1, 3000)), seed=seed)
        assert replayed(state, found) == found.score <= found.bound
        for _ in range(50):
            play = state.clone()
            while actions := play.legal_actions():
                play.apply_action(chance.choice(actions))
            assert play.returns()[0] <= found.bound, seed


def test_whether_a_board_can_be_cleared() -> None:
    chance = random.Random(6)
    answers = set()
    for turn in range(60):
        rows = random_rows(chance, 16, 4)
        truth = collapse_best.can_clear(collapse_best.board_of(rows))
        assert solver.can_clear(state_of(rows), seconds=None, jit=turn % 6 > 0) == truth, rows
        answers.add(truth)
    assert answers == {True, False}
    unknown = gridhouse.parse("collapse(rows=6,cols=8,digits=6)#3")
    assert solver.can_clear(unknown, nodes=1) is None
    assert solver.can_clear(unknown, nodes=20, jit=False) is None


@pytest.mark.parametrize("scoring", SCORINGS)
def test_equal_seeds_and_nodes_give_equal_solutions(scoring: str) -> None:
    state = gridhouse.parse(f"collapse(rows=9,cols=9,digits=6,scoring={scoring})#1")
    facts = [
        solver.solve(state, nodes=6000, seed=seed, threads=threads).facts() | {"seconds": 0}
        for seed, threads in ((1, 1), (1, 2), (2, 1))
    ]
    assert facts[0] == facts[1] != facts[2]


def test_threads_work_together() -> None:
    state = gridhouse.parse("collapse(rows=6,cols=7,digits=5)#6")
    alone, together = (solver.solve(state, seconds=60, threads=threads) for threads in (1, 2))
    assert alone.optimal
    assert together.optimal
    assert alone.score == together.score
    small = gridhouse.parse("collapse(rows=4,cols=4,digits=3,scoring=samegame)#6")
    assert solver.solve(small, seconds=60, threads=2).optimal


def test_time_ends_a_search_with_the_best_so_far() -> None:
    for size, digits, scoring in ((24, 9, "linear"), (14, 10, "linear"), (12, 5, "samegame")):
        text = f"collapse(rows={size},cols={size},digits={digits},scoring={scoring})#1"
        state = gridhouse.parse(text)
        found = solver.solve(state, seconds=0.4)
        assert replayed(state, found) == found.score < found.bound


def test_a_search_that_is_stopped_at_once_still_has_a_line() -> None:
    for text in (
        "collapse(rows=30,cols=30,digits=5)#1",
        f"{SEVEN_BY_ELEVEN}",
        "collapse(rows=8,cols=8,digits=5,scoring=samegame)#1",
    ):
        state = gridhouse.parse(text)
        search = make_search(state, Options(), jit=True)
        assert search.status() == "searching"
        search.stop()
        search.run()
        assert api.solution_of(state, search, 0.0).picks
        assert search.status().startswith(f"score {search.score}, at most ")


@pytest.mark.parametrize("jit", [True, False])
def test_the_exact_search_needs_no_lines_to_begin_with(
    monkeypatch: pytest.MonkeyPatch, jit: bool
) -> None:
    leave_beams_out(monkeypatch)
    monkeypatch.setattr(Search, "_run_random_playout", lambda search, seed: [])
    chance = random.Random(7)
    for _ in range(25):
        check_solved(random_rows(chance, 20), "linear", jit=jit)


@pytest.mark.parametrize("steps", [1, 8])
def test_the_bound_rises_interpreted(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    monkeypatch.setattr(linear, "STEPS", steps)
    monkeypatch.setattr(LinearSearch, "_improve", lambda search, rollouts, turn: None)
    chance = random.Random(9)
    for digits in (5, 7) * 6:
        rows = [[chance.randrange(digits) for _ in range(5)] for _ in range(5)]
        check_solved(rows, "linear", jit=False)


@pytest.mark.parametrize(
    ("size", "numbers", "jit"), [(7, (28, 44, 84, 94), True), (4, range(20), False)]
)
def test_the_bound_rises_at_once_or_by_steps_to_the_same(
    monkeypatch: pytest.MonkeyPatch, size: int, numbers: Sequence[int], jit: bool
) -> None:
    """Asked at once, the first answer is already that no line leaves less than the best one."""
    solve = LinearSearch._solve
    asked: list[bool] = []

    def solved(search: LinearSearch, memory: Any, board: Any, budget: int) -> int:
        asked.append(budget == search.cost - 1)
        return solve(search, memory, board, budget)

    monkeypatch.setattr(LinearSearch, "_solve", solved)
    found: list[list[tuple[int, int]]] = []
    for steps in (1, 8):
        asked.clear()
        found.append([])
        for number in numbers:
            state = gridhouse.parse(f"collapse(rows={size},cols={size},digits=5)#{number}")
            search = LinearSearch(state, Options(), jit=jit)
            search.set_dead([])
            search._run_beam(1, search.start, [], 0, 16)
            search._run_exact(search._make_exact_memory(), base.INFINITE, steps=steps)
            found[-1].append((search.cost, search.lower_bound))
        assert all(asked) == (steps == 1)
    assert found[0] == found[1]
    assert all(left == least for left, least in found[0])


def test_the_line_of_a_proof_is_remembered_and_not_searched_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    leave_beams_out(monkeypatch)
    spent = []
    record = LinearSearch._record_exact

    def recorded(search: LinearSearch, memory: Any, cost: int) -> None:
        before = search.nodes
        record(search, memory, cost)
        spent.append(search.nodes - before)

    monkeypatch.setattr(LinearSearch, "_record_exact", recorded)
    for seed in range(6):
        state = gridhouse.parse(f"collapse(rows=7,cols=6,digits=5)#{seed}")
        assert solver.solve(state, seconds=None, threads=1).optimal
    assert len(spent) >= 6
    assert set(spent) == {0}


def test_rollouts_learn_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samegame, "FIRST_ROUNDS", 3)
    monkeypatch.setattr(samegame, "TRIAL_ROUNDS", 2)
    monkeypatch.setattr(samegame, "POLISH_CELLS", (9, 20))
    monkeypatch.setattr(samegame, "POLISH_WIDTH", 3)
    monkeypatch.setattr(samegame, "EXHAUSTIVE_CELLS", 0)
    monkeypatch.setattr(nrpa, "POLICY_SIZE", 1 << 10)
    for text in (
        "(rows=5,cols=5,digits=3,scoring=samegame)#1",
        "(rows=6,cols=5,digits=6,scoring=samegame)#1",
    ):
        state = gridhouse.parse(f"collapse{text}")
        both = [
            solver.solve(state, seconds=None, nodes=300, jit=jit).facts() | {"seconds": 0}
            for jit in (True, False)
        ]
        assert both[0] == both[1]


@pytest.mark.parametrize("scoring", SCORINGS)
def test_a_beam_finds_the_same_interpreted(scoring: str) -> None:
    for rows, cols, digits, seed in ((4, 4, 2, 2), (3, 6, 2, 2), (5, 5, 3, 2), (5, 5, 7, 3)):
        size = f"rows={rows},cols={cols},digits={digits}"
        state = gridhouse.parse(f"collapse({size},scoring={scoring})#{seed}")
        found = []
        for jit in (True, False):
            search = make_search(state, Options(), jit=jit)
            search._run_beam(12, search.start, [], 0, 0)
            found.append((search.cost, search.line, search.nodes))
            assert api.solution_of(state, search, 0.0).score == search.score
        assert found[0] == found[1]


def test_boards_too_large_for_the_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "EXACT_CELLS", 0)
    found = solver.solve(gridhouse.parse("collapse(rows=5,cols=5,digits=5)#2"), nodes=5000)
    assert found.score <= found.bound


@pytest.mark.parametrize("jit", [True, False])
def test_large_boards_are_cleared_from_the_left(monkeypatch: pytest.MonkeyPatch, jit: bool) -> None:
    monkeypatch.setattr(linear, "BEAM_CELLS", 10)
    monkeypatch.setattr(linear, "WINDOW", 12)
    for text in ("(rows=5,cols=6,digits=7)#2", "(rows=3,cols=12,digits=3)#1"):
        state = gridhouse.parse(f"collapse{text}")
        best = solver.solve(state, seconds=None, nodes=200, jit=jit)
        assert replayed(state, best) == best.score <= best.bound


def test_a_plan_for_some_columns_ends_where_the_board_does_something_else() -> None:
    state = state_of([[2, 1, 1], [3, 2, 1], [1, 1, 1]])
    search = LinearSearch(state, Options(), jit=False)
    board, corner = search.start.copy(), search.stride
    window = search._window(board, 6)
    picks = search._play_window(board, window, [corner, corner], search._scratch())
    assert picks == [corner]  # the ones are one group through the third column
    assert board[corner:].tolist() == [4, 3, 0, 0, 3] + [0] * 11


@pytest.mark.parametrize("jit", [True, False])
def test_what_the_memory_knows_is_not_searched_again(jit: bool) -> None:
    state = gridhouse.parse("collapse(rows=4,cols=5,digits=4)#2")
    search = LinearSearch(state, Options(), jit=jit)
    control = search._control(0)
    memory = search._make_exact_memory()._replace(control=control)
    left, nodes = [], []
    for _ in range(2):
        left.append(search._solve(memory, search.start, 1000))
        nodes.append(int(control.nodes))
    assert left[0] == left[1]
    assert 0 < nodes[0] == nodes[1]


@pytest.mark.parametrize("jit", [True, False])
def test_a_line_read_off_the_tables_leaves_just_so_much(jit: bool) -> None:
    """Also where the tables know of other lines that leave more."""
    chance = random.Random(23)
    for _ in range(12):
        rows = [[chance.randrange(1, 6) for _ in range(5)] for _ in range(4)]
        search = LinearSearch(state_of(rows), Options(), jit=jit)
        memory = search._make_exact_memory()._replace(control=search._control(0))
        scratch = search._scratch()
        for _ in range(20):
            board = search.start.copy()
            while firsts := search._picks(board, scratch):
                search._pick(board, chance.choice(firsts), scratch)
                search._solve(memory, board, 1000)
        least = search._solve(memory, search.start, 1000)
        picks = np.zeros(search.size, np.int32)
        extract_line, board = search.kernels.exact_search.extract_line, search.start.copy()
        count = extract_line(memory, board, search.stride, least, picks)
        for cell in picks[:count].tolist():
            search._pick(board, cell, scratch)
        assert not search._picks(board, scratch)
        assert sum(search.weights[kind] for kind in board.tolist()) == least, rows


def test_a_large_board_is_cleared_in_few_nodes() -> None:
    state = gridhouse.parse("collapse(rows=28,cols=30,digits=5)#1")
    found = solver.solve(state, seconds=None, nodes=100_000)
    assert found.optimal
    assert replayed(state, found) == found.bound


def test_larger_tables_know_what_smaller_ones_knew() -> None:
    chance = random.Random(16)
    records = backend.plain_records
    space = bitboard.Workspace()
    memory = exact_search.make_memory(1, 1 << 8, 1, space, np.zeros, records)
    keys = [chance.randrange(1 << 61) for _ in range(150)]
    for key in keys:
        exact_search.store(memory.table, key, chance.randrange(100), key % 2 == 1, 1 + key % 77)
        exact_search.store_bound(memory, key, 1 + key % 99)
    exact_search.store(memory.table, keys[-1], 99, True, 1)  # once more, in the same place
    assert exact_search.probe(memory.table, keys[-1]) >> exact_search.COST_SHIFT == 99
    larger = exact_search.enlarge(memory, 8)
    assert (len(larger.table), len(larger.bounds)) == (8 * (2 << 8), 8 * (2 << 8))
    known = [exact_search.probe(memory.table, key) for key in keys]
    assert known.count(exact_search.UNKNOWN) < 50
    assert [exact_search.probe(larger.table, key) for key in keys] == known
    bounds = [exact_search.probe_bound(memory, key) for key in keys]
    assert bounds.count(0) < 75
    assert [exact_search.probe_bound(larger, key) for key in keys] == bounds


def test_tables_grow_as_a_proof_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_beams_out(monkeypatch)
    leave_cuts_out(monkeypatch)
    state = gridhouse.parse("collapse(rows=7,cols=7,digits=5)#71")
    first = 1 << 18
    sizes: list[int] = []
    run = LinearSearch._run_exact

    def counted(search: LinearSearch, memory: Any, nodes: int, *, steps: int) -> bool:
        assert len(memory.table) == len(memory.bounds)
        sizes.append(len(memory.table) // 2)
        return run(search, memory, nodes, steps=steps)

    monkeypatch.setattr(LinearSearch, "_run_exact", counted)
    for memory, entries in ((1, 0), (8, 0), (16, 2 * first), (20, 2 * first), (512, 8 * first)):
        search = make_search(state, Options(nodes=400_000, memory=memory), jit=True)
        sizes.clear()
        search.run()
        assert (search.cost, search.lower_bound) == (8, 8)
        assert sizes[0] == min(first, memory << 15)
        assert sizes[-1] == (entries or sizes[0])


def test_tables_that_cannot_grow_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def fail(*_: Any) -> None:
        asked.append(1)
        raise MemoryError

    leave_beams_out(monkeypatch)
    leave_cuts_out(monkeypatch)
    monkeypatch.setattr(exact_search, "enlarge", fail)
    state = gridhouse.parse("collapse(rows=7,cols=7,digits=5)#71")
    found = solver.solve(state, seconds=None, threads=1)
    assert found.optimal
    assert len(asked) == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_what_fails_in_a_thread_is_raised_and_ends_the_others(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(LinearSearch, "_prove", fail)
    state = gridhouse.parse("collapse(rows=8,cols=8,digits=5)#80")
    with pytest.raises(MemoryError):
        solver.solve(state, seconds=None, threads=threads)


def test_tables_may_grow_while_they_are_written_to() -> None:
    state = gridhouse.parse("collapse(rows=8,cols=8,digits=5)#80")
    search = LinearSearch(state, Options(), jit=True)
    search.set_dead([])
    search._run_beam(16, search.start, [], 0, 16)
    memory = search._make_exact_memory()
    proving = threading.Thread(target=partial(search._run_exact, memory, 200_000, steps=1))
    proving.start()
    grown = 0
    while proving.is_alive():
        exact_search.enlarge(memory, 8)
        grown += 1
    proving.join()
    assert grown > 3


@pytest.mark.parametrize(
    ("room", "picks"), [(3, 3), (3, 60), (8, 8), (10, 40), (20, 20), (60, 6), (150, 30)]
)
@pytest.mark.parametrize("scoring", SCORINGS)
def test_an_exact_search_without_room_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, scoring: str, room: int, picks: int
) -> None:
    give_memory(monkeypatch, room, picks, 16)
    leave_beams_out(monkeypatch)
    monkeypatch.setattr(api, "warm_for", lambda room, words: None)
    rows = gridhouse.parse("collapse(rows=5,cols=5,digits=5)#4").board()
    board = [[int(digit) for digit in row.split()] for row in rows.splitlines()]
    best = collapse_best.best(collapse_best.board_of(board), scoring)
    for jit in (True, False):
        found = solver.solve(state_of(board, scoring), seconds=None, nodes=500, jit=jit)
        assert found.score <= best <= found.bound


@pytest.mark.slow("searches for seconds")
@pytest.mark.untraced
@pytest.mark.parametrize("scoring", SCORINGS)
def test_an_exact_search_may_be_stopped_anywhere(
    monkeypatch: pytest.MonkeyPatch, scoring: str
) -> None:
    leave_beams_out(monkeypatch)
    monkeypatch.setattr(SamegameSearch, "_run_nested_rollouts", lambda search, seed: None)
    give_memory(monkeypatch, 400, 400, 4)
    state = gridhouse.parse(f"collapse(rows=5,cols=4,digits=3,scoring={scoring})#5")
    rows = [[int(digit) for digit in row.split()] for row in state.board().splitlines()]
    best = collapse_best.best(collapse_best.board_of(rows), scoring)
    proved = set()
    for nodes in (*range(1, 120), *range(120, 400, 5), 9000):
        found = solver.solve(state_of(rows, scoring), seconds=None, nodes=nodes, jit=False)
        assert found.score <= best <= found.bound
        proved.add(found.optimal)
    assert proved == {True, False}


def test_stamps_begin_anew_when_they_are_used_up() -> None:
    scratch = byte_board.Scratch(size=4)
    scratch.seen[:] = [7] * 4
    scratch.stamp = 0x7FFFFFFE
    assert byte_board.next_stamp(scratch) == 1
    assert not any(scratch.seen)


def test_a_game_that_is_going_on_is_solved_from_there() -> None:
    for scoring in SCORINGS:
        state = gridhouse.parse(f"collapse(rows=3,cols=4,digits=3,scoring={scoring})#2")
        before = solver.solve(state, threads=1)
        row, col = before.picks[0]
        state.play(f"{row} {col}")
        after = solve_any(state, threads=1)
        assert after.facts()["score"] == before.score
        assert after.facts()["picks"] == before.picks[1:]
        hint = solver.hint(state)
        assert hint == state.string_to_action("{} {}".format(*before.picks[1]))
        while actions := state.legal_actions():
            state.apply_action(actions[0])
        found = solver.solve(state)
        assert (found.picks, found.score, found.optimal) == ([], state.returns()[0], True)
        assert "Picks: none" in str(found)
        assert solver.hint(state) is None
        assert BLANK == -1


def test_advice_keeps_its_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gridhouse.parse("collapse(rows=4,cols=5,digits=3)#2")
    best = solver.solve(state, seconds=None, threads=1).score
    adviser = Adviser(jit=False, threads=1)
    adviser.stop()
    searches = []
    run = Search.run

    def counted(search: Search) -> None:
        searches.append(search)
        run(search)

    monkeypatch.setattr(Search, "run", counted)
    while not state.is_terminal():
        advice = adviser.advise(state, 60.0)
        assert advice is not None
        assert advice.value == best
        assert advice.verdict == (
            f"Proved: {best:.0f} is the most that can be scored; the board can be cleared"
        )
        assert adviser.advise(state, 60.0) == advice
        after = state.clone()
        for action in advice.line:
            after.apply_action(action)
        assert after.returns()[0] == best
        state.apply_action(advice.action)
    assert state.returns()[0] == best
    assert len(searches) == 1
    assert adviser.advise(state, 60.0) is None


def test_advice_begins_anew_where_the_game_leaves_the_plan() -> None:
    state = gridhouse.parse("collapse(rows=4,cols=5,digits=3)#2")
    adviser = Adviser(threads=1)
    first = adviser.advise(state, 60.0)
    assert first is not None
    state.apply_action(next(action for action in state.legal_actions() if action != first.action))
    advice = adviser.advise(state, 60.0)
    assert advice is not None
    assert advice.value == solver.solve(state, seconds=None, threads=1).score
    assert Adviser(threads=1).advise(state, 0.0) is None


def test_advice_that_is_stopped_is_better_than_none_and_never_gets_worse() -> None:
    state = gridhouse.parse("collapse(rows=10,cols=10,digits=10)#1")
    adviser = Adviser(threads=1)
    threading.Timer(0.1, adviser.stop).start()
    planned = -1.0
    for _ in range(4):
        advice = adviser.advise(state, 0.2)
        assert advice is not None
        assert advice.value >= planned
        assert "and no play scores more than" in advice.verdict
        planned = advice.value
        state.apply_action(advice.action)


def test_advice_says_whether_the_board_can_be_cleared() -> None:
    told = {
        "collapse(rows=2,cols=3,digits=3) 0 112/112": "the board can be cleared",
        "collapse(rows=2,cols=3,digits=3) 0 112/110": "the board cannot be cleared",
        "collapse(rows=2,cols=3,digits=3,scoring=samegame) 0 112/110": (
            "the board cannot be cleared"
        ),
        "collapse(rows=12,cols=12,digits=10,scoring=samegame)#3": (
            "whether the board can be cleared is not known"
        ),
    }
    for text, words in told.items():
        advice = Adviser(threads=1).advise(gridhouse.parse(text), 0.2)
        assert advice is not None
        assert advice.verdict.endswith(f"; {words}"), text


def test_advice_on_clearing_is_true_all_the_way() -> None:
    chance = random.Random(3)
    turns = 0  # of the best picks, that only other ones would have cleared
    for _ in range(30):
        state = state_of([[chance.choice((0, 0, 1, 2)) for _ in range(3)] for _ in range(3)])
        adviser = Adviser()
        could = False
        while advice := adviser.advise(state, 10.0):
            can = solver.can_clear(state, seconds=None)
            assert advice.verdict.endswith(f"; the board can{'' if can else 'not'} be cleared")
            turns += could and not can
            could = bool(can)
            state.apply_action(advice.action)
    assert turns


def test_advice_is_no_worse_when_it_is_asked_for_again() -> None:
    state = gridhouse.parse("collapse(rows=15,cols=15,digits=5,scoring=samegame)#2")
    adviser = Adviser()
    values = []
    for _ in range(6):
        advice = adviser.advise(state, 0.15)
        assert advice is not None
        values.append(advice.value)
    assert values == sorted(values)


def test_par_is_the_same_every_time() -> None:
    state = gridhouse.parse(SEVEN_BY_ELEVEN)
    assert solver.par(state) == solver.par(state) <= solver.solve(state, seconds=1).bound


def test_par_takes_fewer_rollouts_on_larger_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = []

    def told(state: State, **options: Any) -> Any:
        nodes.append(options["nodes"])
        return api.CollapseSolution([], 0, 0, cleared=False, nodes=0, seconds=0.0)

    monkeypatch.setattr(api, "solve", told)
    for side in (9, 15, 30, 100):
        solver.par(gridhouse.load("collapse", rows=side, cols=side).new_initial_state())
    assert nodes == [20_001, 20_001, 1251, 11]


def test_however_short_the_time_there_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Search._control

    def stopped(search: Search, *args: Any, **options: Any) -> Any:
        control = make(search, *args, **options)
        search.stop()  # as a timer may, right after it was told to go on
        return control

    monkeypatch.setattr(Search, "_control", stopped)
    for scoring in SCORINGS:
        state = gridhouse.load(
            "collapse", rows=8, cols=8, digits=4, scoring=scoring
        ).new_initial_state(1)
        assert solver.solve(state, seconds=5.0).picks


def test_nobody_waits_for_what_is_known_not_to_be_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LinearSearch, "_run", lambda search: pytest.fail("searched"))
    state = gridhouse.parse("collapse(rows=2,cols=4,digits=3) 0 1120/1100")
    assert solver.can_clear(state, seconds=None) is False


def test_an_interrupt_while_picks_are_replayed_loses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replay = api.solution_of

    def interrupted(*args: Any) -> api.CollapseSolution:
        signal.raise_signal(signal.SIGINT)
        return replay(*args)

    monkeypatch.setattr(api, "solution_of", interrupted)
    assert solver.solve(state_of([[1, 1], [2, 2]])).optimal


def test_picks_on_large_boards_are_replayed_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gridhouse.parse("collapse(rows=6,cols=9,digits=5)#3")
    known = solver.solve(state, nodes=100).facts()
    used = []

    def bound(game: CollapseGame, *, jit: bool) -> Any:
        used.append(jit)
        return specialize.rules_of(game, jit=jit)

    monkeypatch.setattr(api, "COMPILED_CELLS", 50)
    monkeypatch.setattr(api, "rules_of", bound)
    assert solver.solve(state, nodes=100).facts() | {"seconds": 0} == known | {"seconds": 0}
    assert used == [True]
    monkeypatch.setattr(Search, "action", lambda search, cell: 53)
    with pytest.raises(SolverError, match="do not score"):
        solver.solve(state, nodes=100)


def test_wrong_picks_are_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LinearSearch, "score", property(lambda search: 7))
    with pytest.raises(SolverError, match="do not score 7"):
        solver.solve(state_of([[1, 1]]))


def test_what_the_solver_cannot_do_is_refused() -> None:
    with pytest.raises(SolverError, match="62750 cells"):
        solver.solve(gridhouse.load("collapse", rows=250, cols=251).new_initial_state())
    assert solver.solve(state_of([[1, 1]]), nodes=10**30, seconds=float("inf")).optimal
    for limit in ({"seconds": 0}, {"nodes": 0}, {"threads": -1}, {"seconds": float("nan")}):
        with pytest.raises(SolverError, match=f"{next(iter(limit))}: .* is not above 0"):
            solver.solve(state_of([[1]]), **limit)
    with pytest.raises(ParameterError, match="'cubic' is not linear or samegame"):
        gridhouse.load("collapse", scoring="cubic")


def test_the_score_of_samegame_may_be_negative() -> None:
    state = gridhouse.parse("collapse(rows=1,cols=3,digits=3,scoring=samegame) -9 112")
    state.play("1 1")
    assert str(state).endswith(" -10 2..")
    assert gridhouse.parse(str(state)) == state
    with pytest.raises(PositionError):
        gridhouse.parse("collapse(rows=1,cols=3,digits=3) -9 112")


Said = tuple[str, str, int]


def ended(capsys: pytest.CaptureFixture[str], program: Callable[[], object], *argv: str) -> Said:
    """Run a program in this process; return what it wrote, and its status."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", list(argv))
        with pytest.raises(SystemExit) as caught:
            program()
    out, err = capsys.readouterr()
    return out, err, int(caught.value.code or 0)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """Run ``gridhouse solve collapse`` in this process."""
    return ended(capsys, cli.main, "gridhouse", "solve", "collapse", *arguments)


def complaint_of(said: Said) -> str:
    """Return the one line that a program wrote that could not use its arguments."""
    out, err, status = said
    assert (out, status, err.count("\n")) == ("", 2, 1)
    return err


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board, other = tmp_path / "board.txt", tmp_path / "other.txt"
    board.write_text("1 2\n1 2\n", encoding="utf-8")
    other.write_text("1 2\n2 1\n", encoding="utf-8")
    out, err, status = said(capsys, str(board), str(other))
    assert (err, status) == ("", 0)
    assert out.startswith(f"{board}: Score 6, optimal, the board is cleared\nPicks: ")
    assert f"{other}: Score 0, optimal\nPicks: none\n" in out
    out, _, _ = said(capsys, str(board), "--scoring", "samegame", "--json", "--nodes", "50")
    facts = json.loads(out)
    assert set(facts) == {"picks", "score", "bound", "optimal", "cleared", "nodes", "seconds"}
    assert facts["score"] == facts["bound"] == 1000
    assert len(facts["picks"]) == 2


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        ("1 a\n", [], "line 1: 'a' is not a digit 0 to 9"),
        ("1 1\n", ["--time", "-1"], "seconds: -1.0 is not above 0"),
        ("1 1\n", ["--scoring", "best"], "scoring: 'best' is not linear or samegame"),
    ],
)
def test_the_command_complains_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    options: list[str],
    complaint: str,
) -> None:
    board = tmp_path / "board.txt"
    board.write_text(text, encoding="utf-8")
    assert complaint in complaint_of(said(capsys, str(board), *options))


def test_the_command_takes_texts_and_saved_positions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    state = gridhouse.parse("collapse(rows=3,cols=4,digits=3)#2")
    for row, col in solver.solve(state, threads=1).picks[:2]:
        state.play(f"{row} {col}")
    assert state.position.score > 0
    save(state, "saved")
    samegame = "collapse(rows=2,cols=2,digits=3,scoring=samegame)"
    Path("same").write_text(f"{samegame}#1\r\n", encoding="utf-8")
    Path("board(1)").write_text("1 2\n1 2\n", encoding="utf-8")
    start = "collapse(rows=3,cols=4,digits=3)#2"
    names = (start, str(state), "saved", "same", f"{samegame} 7 11/22", "board(1)")
    out, err, status = said(capsys, *names)
    assert (err, status) == ("", 0)
    scores = dict(re.findall(r"^(.*): Score (\S+), optimal", out, re.MULTILINE))
    best = solver.solve(state).score
    same = solver.solve(gridhouse.parse(f"{samegame}#1")).score
    assert list(map(int, scores.values())) == [best, best, best, same, 1007, 6]
    assert tuple(scores) == names
    assert said(capsys, "same", "--scoring", "samegame")[2] == 0


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        ("binary(rows=2,cols=2)#1", [], "this is a position of Binary Game, not of Collapse"),
        ("collapse(rows=2,cols=2) 0 11/1", [], "it needs 2 rows of 2 cells"),
        ("collapse(rows=250,cols=251)#1", [], "the board has 62750 cells"),
        (
            "collapse(scoring=samegame)#1",
            ["--scoring", "linear"],
            "--scoring 'linear', but the position has scoring=samegame",
        ),
        (
            "collapse()#1",
            ["--scoring", "best"],
            "--scoring 'best', but the position has scoring=linear",
        ),
    ],
)
def test_the_command_refuses_positions_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    options: list[str],
    complaint: str,
) -> None:
    saved = tmp_path / "saved.txt"
    saved.write_text(f"{text}\n", encoding="utf-8")
    for name in (text, str(saved)):
        line = complaint_of(said(capsys, name, *options))
        assert line.startswith(f"gridhouse: {name!r}: ")
        assert complaint in line


def test_a_board_that_cannot_be_solved_is_no_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board, large, missing = (str(tmp_path / name) for name in ("board.txt", "large.txt", "none"))
    Path(board).write_text("1 2\n1 2\n", encoding="utf-8")
    Path(large).write_text(("1 " * 251 + "\n") * 250, encoding="utf-8")
    errors = [
        f"{large!r}: the board has 62750 cells; the solver takes at most 62500",
        f"{missing!r}: No such file or directory",
    ]
    out, err, status = said(capsys, "--json", large, board, missing, board)
    facts = [json.loads(line) for line in out.splitlines()]
    assert (err, status) == ("", 1)
    assert [fact.get("score") for fact in facts] == [None, 6, None, 6]
    assert [facts[0], facts[2]] == [{"error": error} for error in errors]
    out, err, status = said(capsys, large, board, missing)
    assert (err, status) == ("", 1)
    assert [line for line in out.splitlines() if "Error" in line] == [
        f"Error: {error}" for error in errors
    ]
    assert complaint_of(said(capsys, "--time", "0", board, board)) == (
        "gridhouse: seconds: 0.0 is not above 0\n"
    )


def test_an_interrupt_leaves_the_boards_after_it_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = tmp_path / "board"
    board.write_text("1 1 2\n", encoding="utf-8")
    monkeypatch.setattr(solving, "was_interrupted", lambda: True)
    out, err, status = said(capsys, "--json", str(board), str(board))
    assert (out.count("picks"), err, status) == (1, "", EXIT_INTERRUPTED)
    out, err, status = said(capsys, "--json", str(board))
    assert (out.count("picks"), err, status) == (1, "", 0)


def benchmarked(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """Run the benchmark of the solver in this process."""
    script = str(ROOT / "benchmarks" / "collapse_solver.py")
    run = partial(runpy.run_path, script, run_name="__main__")
    return ended(capsys, run, script, *arguments)


def test_the_benchmark_complains_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing, boards = str(tmp_path / "missing"), str(tmp_path / "boards")
    Path(boards).write_text("1 1\n\n1 a\n", encoding="utf-8")
    found = f"gridhouse: {boards!r}: board 2: line 1: 'a' is not a digit 0 to 9\n"
    for words in (["samegame", "1"], ["runs", "9", "1"]):
        line = complaint_of(benchmarked(capsys, words[0], missing, *words[1:]))
        assert line == f"gridhouse: {missing!r}: No such file or directory\n"
        assert complaint_of(benchmarked(capsys, words[0], boards, *words[1:])) == found
    Path(boards).write_text("1 1\n\n2 2\n", encoding="utf-8")
    line = complaint_of(benchmarked(capsys, "runs", boards, "9", "1", "1", "3"))
    assert line == f"gridhouse: {boards!r} has 2 boards and none of number 3\n"
    assert benchmarked(capsys, "linear", "2", "2", "2", "1", "0")[1:] == (
        "gridhouse: seconds: 0.0 is not above 0\n",
        2,
    )


@pytest.mark.slow("searches for seconds")
def test_the_benchmark_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    boards = tmp_path / "boards"
    boards.write_text("1 1\n\n2 2\n", encoding="utf-8")
    for arguments, wanted in (
        (["linear", "2", "2", "2", "1", "1"], "| 2x2, 2 digits | 1 | 1 s | 1 (100.0 %)"),
        (["samegame", str(boards), "1", "2", "2"], "sum   1000 of 1 boards,      1 s each"),
        (["cuts", "2", "2", "2", "1", "9"], "cut  1: left    0,"),
        (["runs", str(boards), "9", "1"], "   9 of   1 rounds a level:   2000,"),
    ):
        out, err, status = benchmarked(capsys, *arguments)
        assert (err, status) == ("", 0)
        assert wanted in out


def test_interpreted_beams_look_things_up_in_lists() -> None:
    """In arrays that takes Python twice as long."""
    kernels = backend.Kernels(jit=False)
    context: Any = None
    beam = beam_search.make_memory(2, 9, 4, context, kernels.zeros, kernels.to_records)
    assert beam.boards == 3 * [2 * [4 * [0]]]
    assert beam.line == 5 * [0]


def test_kernels_are_loaded_in_the_next_process() -> None:
    code = (
        "import gridhouse; from gridhouse.games.collapse.solver import solve;"
        "found = solve(gridhouse.parse('collapse(rows=5,cols=5,digits=5)#1'), threads=1);"
        "print(found.score, found.optimal)"
    )
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    solver.warm()
    found = solver.solve(gridhouse.parse("collapse(rows=5,cols=5,digits=5)#1"))
    assert run_compiled(code, cache) == f"{found.score} True\n"


@pytest.mark.parametrize("is_there", [True, False])
def test_what_has_been_compiled_is_loaded_where_it_is_needed(
    monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    """What has not is compiled before the clock runs."""
    loaded: list[object] = []
    monkeypatch.setattr(compile_queue, "is_ready", lambda _: is_there)
    monkeypatch.setattr(api, "warm_for", lambda *sizes: loaded.append(sizes))
    assert solver.solve(gridhouse.parse("collapse(rows=5,cols=5,digits=5)#1"), jit=True).optimal
    assert len(loaded) == (not is_there)


@pytest.mark.slow("compiles all of the solver")
def test_everything_is_compiled_or_loaded_before_the_clock_runs() -> None:
    code = (
        "from gridhouse.games.collapse import solver;"
        "from gridhouse.games.collapse.solver.search.backend import Kernels;"
        "solver.warm();"
        "kernels = Kernels(jit=True);"
        "print(*[len(kernel.signatures) for kernel in (kernels.exact_search.solve,"
        "kernels.exact_search.best_score, kernels.beam_search.search, kernels.nrpa.search)])"
    )
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    assert run_compiled(code, cache) == "1 1 1 1\n"


def test_the_documents_large_board_is_cleared() -> None:
    rows = [[int(digit) for digit in row] for row in LARGE_BOARD.split()]
    found = solver.solve(state_of(rows), seconds=None, nodes=100_000)
    assert (found.score, found.bound) == (148, sum(map(sum, rows)))
    assert replayed(state_of(rows), found) == 148


@pytest.mark.skipif(not CONFORMANCE.exists(), reason="the documents' samples are not at hand")
def test_the_documents_board_is_solved(capsys: pytest.CaptureFixture[str]) -> None:
    out, _, _ = said(capsys, str(CONFORMANCE / "collapse" / "figure4.txt"), "--json")
    facts = json.loads(out)
    board = read_board((CONFORMANCE / "collapse" / "figure4.txt").read_text(encoding="utf-8"))
    best = collapse_best.best(collapse_best.board_of(board), "linear")
    assert (facts["score"], facts["bound"], facts["optimal"]) == (best, best, True)


def test_advice_that_is_not_better_changes_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gridhouse.parse("collapse(rows=10,cols=10,digits=10)#1")
    adviser = Adviser(threads=1)
    advice = adviser.advise(state, 1.0)
    assert advice is not None
    planned = advice.value
    # From now on only random picks are looked at.
    monkeypatch.setattr(LinearSearch, "_run", lambda search: None)
    for _ in range(3):
        state.apply_action(advice.action)
        advice = adviser.advise(state, 1.0)
        assert advice is not None
        assert advice.value == planned

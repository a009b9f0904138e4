"""The solver of Collapse against trying everything, and against random play."""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gridhouse
from collapse_helpers import random_rows, replayed, state_of
from gridhouse.core import compile_queue, specialize
from gridhouse.core.errors import ParameterError, PositionError, SolverError
from gridhouse.core.solving import solve as solve_any
from gridhouse.games.collapse import solver
from gridhouse.games.collapse.rules import BLANK
from gridhouse.games.collapse.solver import api
from gridhouse.games.collapse.solver.kernels import (
    bitboard,
    exact_search,
    nrpa,
)
from gridhouse.games.collapse.solver.search import (
    LinearSearch,
    Options,
    SamegameSearch,
    Search,
    base,
    linear,
    make_search,
    samegame,
)
from harness import run_compiled
from naive import collapse_best

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.core.game import State
    from gridhouse.games.collapse.game import CollapseGame

SCORINGS = ("linear", "samegame")
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
@pytest.mark.slow("interprets the kernels")
def test_the_kernels_mean_the_same_interpreted(
    monkeypatch: pytest.MonkeyPatch, scoring: str, steps: int, length: int
) -> None:
    monkeypatch.setattr(linear, "STEPS", steps)
    monkeypatch.setattr(linear, "ROUNDS", (4, 5, 6))
    give_words(monkeypatch, length)
    chance = random.Random(3)
    for _ in range(2):
        check_solved(random_rows(chance, 14), scoring, jit=False)
    rows = [[chance.randrange(4) for _ in range(6)] for _ in range(6)]
    for nodes in (1, 60):
        both = [
            solver.solve(state_of(rows, scoring), seconds=None, nodes=nodes, jit=jit).facts()
            | {"seconds": 0}
            for jit in (True, False)
        ]
        assert both[0] == both[1]


@pytest.mark.measured
@pytest.mark.slow("compiles, and plays many games")
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


def test_boards_too_tall_for_bitboards_are_not_searched_exactly() -> None:
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


def test_a_better_line_ends_searches_for_one_no_better() -> None:
    state = gridhouse.parse("collapse(rows=4,cols=4,digits=4)#1")
    search = make_search(state, Options(threads=2), jit=False)
    proof, beam = search._control(0), search._control(1)
    search._improving.append(proof)
    search._record(20, [])
    assert (int(proof.limit), int(beam.limit)) == (0, base.INFINITE)


@pytest.mark.slow("compiles a search of its own")
def test_rollouts_find_what_beams_do_not() -> None:
    for seed in (3, 27):
        state = gridhouse.parse(f"collapse(rows=8,cols=8,digits=5)#{seed}")
        search = make_search(state, Options(), jit=True)
        for width in (16, 64, 256):
            search._run_beam(width, search.start, [], 0, width)
        assert search.cost > 0
        assert solver.solve(state, seconds=None, nodes=20_000).optimal


def test_the_best_digits_are_tabu_in_turn() -> None:
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


@pytest.mark.slow("compiles a search of its own")
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


@pytest.mark.measured
@pytest.mark.slow("compiles a search of its own")
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


@pytest.mark.slow("compiles a search of its own")
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


def test_a_large_board_is_cleared_in_few_nodes() -> None:
    state = gridhouse.parse("collapse(rows=28,cols=30,digits=5)#1")
    found = solver.solve(state, seconds=None, nodes=100_000)
    assert found.optimal
    assert replayed(state, found) == found.bound


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


@pytest.mark.measured
@pytest.mark.slow("searches for seconds")
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
    for nodes in (*range(1, 100, 3), *range(100, 400, 20), 9000):
        found = solver.solve(state_of(rows, scoring), seconds=None, nodes=nodes, jit=False)
        assert found.score <= best <= found.bound
        proved.add(found.optimal)
    assert proved == {True, False}


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


def test_dead_cells_prove_that_a_board_is_not_cleared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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


def test_large_boards_and_bad_limits_are_refused() -> None:
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


@pytest.mark.slow("compiles in two processes")
def test_kernels_are_loaded_in_the_next_process() -> None:
    code = (
        "import gridhouse; from gridhouse.games.collapse.solver import solve;"
        "found = solve(gridhouse.parse('collapse(rows=5,cols=5,digits=5)#1'), threads=1);"
        "print(found.score, found.optimal)"
    )
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
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

"""What the solver promises: limits, first answers, solutions that are checked."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from gridhouse.core import compile_queue
from gridhouse.core.compile_queue import cache_folder
from gridhouse.core.errors import SolverError
from gridhouse.games.sliding import rules, solver
from gridhouse.games.sliding.solver import anytime, api
from gridhouse.games.sliding.solver.beam import (
    beam_search,
)
from gridhouse.games.sliding.solver.puzzle import (
    MOVES,
    Puzzle,
    is_solvable,
)

if TYPE_CHECKING:
    from pathlib import Path

from harness import COMPILED
from sliding_helpers import distinct, numbers, position, walked


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
    state = rules.Position(tiles=rows * cols)
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


@pytest.mark.slow("searches for seconds")
def test_nothing_is_left_to_compile_after_warming_up(tmp_path: Path) -> None:
    """Whatever is compiled after that, or read from disk, would come out of somebody's time.

    What other tests have compiled is at hand here, but counts as well; databases are not.
    """
    folder = tmp_path / "gridhouse"
    folder.mkdir()
    (folder / "compiled").symlink_to(cache_folder().parent)
    program = (
        f"{COMPILED}import random\n"
        "from gridhouse.games.sliding import solver\n"
        "from gridhouse.games.sliding.game import SlidingGame, position_of, shuffle\n"
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


@pytest.mark.slow("compiles all of the solver")
def test_warming_up_compiles_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(unit: compile_queue.Unit) -> None:
        pytest.fail(f"another process is to compile {unit.name}")

    monkeypatch.setenv(compile_queue.VARIABLE, compile_queue.BESIDE)
    monkeypatch.setattr(compile_queue, "is_ready", lambda unit: False)
    monkeypatch.setattr(compile_queue, "_start", fail)
    solver.warm.__wrapped__()


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
        (api.DEFAULT_SECONDS - 1, False),
        (None, True),
        (api.MIN_SECONDS, False),
        (None, False),
    ]

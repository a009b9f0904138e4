"""Solving and moving within a time limit, before the compiled kernels are there."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

import gridhouse
from binary_helpers import plain, random_position
from gridhouse.core.compile_queue import SOLVER, Unit, note_ready
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import mcts_fallback, timed_solve
from gridhouse.games.binary.solver import search as searching
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.solution import BinarySolution

if TYPE_CHECKING:
    from gridhouse.games.binary.rules import Position
    from gridhouse.games.binary.solver.search import Search


def test_random_games_find_the_few_moves_that_win() -> None:
    chance = random.Random(9)
    random.seed(9)
    found: list[bool] = []
    while len(found) < 10:
        state = random_position(chance, 14)
        winning = plain(state, all_moves=True).moves
        # Of moves drawn at random one in four or fewer would win.
        if winning and 4 * len(winning) <= len(state.legal_actions()):
            goes_on = iter([True] * 400 + [False])
            move = mcts_fallback.best_move(state.position, goes_on.__next__)
            found.append(state.action_to_string(move) in winning)
    assert sum(found) >= 7


class TestTimedSolve:
    """Solving within a time limit that begins before the compiled kernels are there."""

    @pytest.fixture(autouse=True)
    def loader(self, monkeypatch: pytest.MonkeyPatch) -> timed_solve.Loader:
        loader = timed_solve.Loader()
        monkeypatch.setattr(timed_solve, "LOADER", loader)
        monkeypatch.setattr(timed_solve, "GRACE", 0.0)
        return loader

    def test_what_is_known_needs_no_search(self, loader: timed_solve.Loader) -> None:
        found = timed_solve.solve_within(BinaryGame(rows=2, cols=2).new_initial_state(), 1)
        assert found.outcome == "loss"
        assert loader.backend is None

    def test_without_a_compiler(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(timed_solve, "has_compiler", lambda: False)
        state = gridhouse.parse("binary(rows=3,cols=5) 0..1./.0.../....1")
        assert timed_solve.solve_within(state, 60).outcome == plain(state, jit=True).outcome
        for text in ("binary(rows=19,cols=19)#0", "binary(rows=7,cols=9)#0"):
            assert timed_solve.solve_within(gridhouse.parse(text), 0.1).outcome == "unknown"

    def test_a_move_is_one_that_wins_if_any_is_found(self) -> None:
        chance = random.Random(8)
        for _ in range(4):
            state = random_position(chance, 12)
            winning = plain(state, all_moves=True).moves
            move = timed_solve.move_within(state, 20)
            if winning:
                assert state.action_to_string(move) in winning

    def test_a_move_where_nothing_is_found(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(timed_solve, "solve_within", lambda state, _: BinarySolution(state))
        # A third 0 beside the two would be no move, so the last cell takes nothing but this 1.
        state = gridhouse.parse("binary(rows=1,cols=3) 00.")
        assert state.action_to_string(timed_solve.move_within(state, 0.1)) == "2 0 1"

    def test_a_move_keeps_to_its_time(self) -> None:
        for side in (7, 20):
            state = BinaryGame(rows=side, cols=side).new_initial_state()
            begun = time.monotonic()
            move = timed_solve.move_within(state, 0.3)
            assert time.monotonic() - begun < 0.6  # 0.3, with room for what else is running
            assert move in state.legal_actions()

    def test_a_move_where_all_is_lost_takes_a_small_part_of_the_time(self) -> None:
        state = BinaryGame(rows=4, cols=4).new_initial_state()
        begun = time.monotonic()
        move = timed_solve.move_within(state, 20)
        assert time.monotonic() - begun < 5  # 2, with room for what else is running
        assert move in state.legal_actions()

    def test_kernels_that_were_never_compiled_are_left(
        self, loader: timed_solve.Loader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(timed_solve, "was_compiled", lambda: False)
        loader.start()
        loader.start()
        assert loader.thread is not None
        loader.thread.join()
        assert loader.backend is None

    def test_the_search_starts_over_when_the_kernels_are_there(
        self, loader: timed_solve.Loader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        searching.warm()  # or the plain search might be done before the compiler is
        begun = threading.Event()
        monkeypatch.setattr(timed_solve, "was_compiled", lambda: begun.wait(20))
        original = timed_solve.Loader.stop_when_loaded

        def wait_for(self: timed_solve.Loader, search: Search | None) -> bool:
            begun.set()
            return original(self, search)

        monkeypatch.setattr(timed_solve.Loader, "stop_when_loaded", wait_for)
        state = gridhouse.parse("binary(rows=3,cols=7) 0.1..../...1.../.....0.")
        found = timed_solve.solve_within(state, 100)
        assert found.outcome in ("win", "loss")
        assert loader.backend is not None
        assert found.nodes > 3000  # of the second search alone
        assert timed_solve.solve_within(state, 100).nodes == found.nodes

    def test_being_ready_before_the_search_begins(self, loader: timed_solve.Loader) -> None:
        searching.warm(Backend(jit=True))
        note_ready(Unit(SOLVER, BinaryGame()))
        assert timed_solve.was_compiled()
        loader.start()
        assert loader.thread is not None
        loader.thread.join()
        assert loader.stop_when_loaded(None) is False
        state = gridhouse.parse("binary(rows=3,cols=5) 0..../...../.....")
        assert timed_solve.solve_within(state, 20).outcome == "loss"

    def test_kernels_that_come_just_before_the_search_begins(
        self, loader: timed_solve.Loader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ready = Backend(jit=True)
        used = []

        def board(position: Position, backend: Backend) -> Board:
            used.append(backend.jit)
            loader.backend = ready
            return Board(position, backend)

        monkeypatch.setattr(timed_solve, "has_compiler", lambda: False)
        monkeypatch.setattr(timed_solve, "Board", board)
        state = gridhouse.parse("binary(rows=3,cols=5) 0..../...../.....")
        assert timed_solve.solve_within(state, 100).outcome == "loss"
        assert used == [False, True]

    @pytest.mark.slow("searches for seconds")
    def test_kernels_are_loaded_beside_an_interpreted_search(self) -> None:
        searching.warm()
        note_ready(Unit(SOLVER, BinaryGame()))
        # Interpreted this takes two minutes.  Long turns show how often the loader waits for one.
        text = "binary(rows=6,cols=5) ....1/....0/.0.../..1.1/..0../....1"
        code = (
            "import gridhouse, sys\n"
            "from gridhouse.games.binary.solver.timed_solve import solve_within\n"
            "sys.setswitchinterval(0.5)\n"
            f"print(solve_within(gridhouse.parse({text!r}), 30).outcome)"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (run.stdout, run.stderr) == ("win\n", "")

    def test_threads_take_turns_as_before_once_kernels_are_loaded(self) -> None:
        before = sys.getswitchinterval()
        with timed_solve.short_turns():
            assert sys.getswitchinterval() < before / 10
        assert sys.getswitchinterval() == before

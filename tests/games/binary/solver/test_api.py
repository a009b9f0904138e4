"""The solver against plain recursion, against itself, and at its limits."""

from __future__ import annotations

import csv
import random
import signal
import threading
import time
from typing import Any

import pytest

import gridhouse
from binary_helpers import (
    THOROUGH,
    as_moves,
    check_by_recursion,
    plain,
    random_position,
)
from gridhouse.core.errors import SolverError
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import api
from gridhouse.games.binary.solver import search as searching
from gridhouse.games.binary.solver.api import TECHNIQUES, solve
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.search import Search
from gridhouse.games.binary.solver.task import SolveTask
from harness import ROOT
from naive import binary_solver as naive
from naive.binary import Binary

SMALL = [(1, 1), (1, 2), (4, 1), (1, 7), (9, 1), (2, 2), (2, 3), (4, 2), (3, 3)]


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
@pytest.mark.parametrize(("width", "height"), SMALL)
def test_every_position_of_small_boards(width: int, height: int, jit: bool) -> None:
    known = naive.all_nimbers(width, height)
    game = BinaryGame(rows=height, cols=width)
    step = 1 if THOROUGH else 1 + len(known) // (100 if jit else 20)
    for rows in sorted(known)[::step]:
        found = plain(game.parse(rows), nimber=True, all_moves=True, jit=jit)
        assert found.outcome == ("win" if known[rows] else "loss")
        assert found.nimber == known[rows]
        lost = {move for after, move in naive.moves_of(rows).items() if known[after] == 0}
        assert as_moves(found.moves) == lost
        assert found.all_moves


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
def test_random_positions_of_larger_boards(jit: bool) -> None:
    chance = random.Random(5)
    for _ in range(60 if jit else 25):
        state = random_position(chance, chance.randint(1, 16 if THOROUGH else 6))
        check_by_recursion(state, jit=jit)


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
def test_a_reply_with_the_same_digit_may_be_lost_later(jit: bool) -> None:
    # Only ones can be played, and each has a legal image at first; but three do not go in a row.
    rows = "0/0/././././0/0"
    found = plain(BinaryGame(rows=8, cols=1).parse(rows), nimber=True, jit=jit)
    game = Binary(1, 8)
    game.grid = [[cell] for cell in rows.split("/")]
    assert found.nimber == naive.nimber(game)


def test_no_technique_changes_what_is_found() -> None:
    chance = random.Random(2)
    names = list(TECHNIQUES)
    for number in range(12):
        state = random_position(chance, 12 + number // 3, (3, 7))
        full = plain(state, nimber=True, all_moves=True, jit=True)
        for off in [*((name,) for name in names), tuple(names)]:
            for proof in (True, False):
                less = plain(state, nimber=True, all_moves=True, jit=True, off=off, proof=proof)
                assert less.facts() | {"nodes": 0, "seconds": 0} == full.facts() | {
                    "nodes": 0,
                    "seconds": 0,
                }, (off, proof)


def test_winning_moves_win_against_all_replies() -> None:
    chance = random.Random(6)
    checked = 0
    while checked < 8:
        state = random_position(chance, 16, (5, 10))
        for move in plain(state, jit=True).moves:
            checked += 1
            after = state.clone()
            after.play(move)
            for reply in after.legal_moves():
                later = after.clone()
                later.play(reply)
                assert plain(later, jit=True, off=("components",)).outcome == "win"


@pytest.mark.slow("searches for seconds")
def test_the_table_tells_how_many_nodes_the_search_takes() -> None:
    table = (ROOT / "docs/research/data/binary-empty-boards.csv").read_text(encoding="utf-8")
    boards = [row for row in csv.DictReader(table.splitlines()) if row["method"] == "search"]
    for board in boards:
        rows, cols = int(board["rows"]), int(board["cols"])
        if rows * cols <= 17:
            state = BinaryGame(rows=rows, cols=cols).new_initial_state()
            assert plain(state, jit=True, memory=256).nodes == int(board["nodes"]), board


def test_limits_leave_it_unknown() -> None:
    large = BinaryGame(rows=9, cols=7).new_initial_state()
    for options in ({"seconds": 0.1}, {"limit": 100}, {"seconds": 0.1, "threads": 2}):
        found = plain(large, jit=True, **options)
        assert (found.outcome, found.moves, found.nimber) == ("unknown", [], None)
    assert "unknown who wins" in str(found)
    huge = plain(BinaryGame(rows=19, cols=19).new_initial_state(), jit=False)
    assert (huge.outcome, huge.nodes) == ("unknown", 0)


def test_a_limit_may_come_between_the_outcome_and_the_rest() -> None:
    state = BinaryGame(rows=3, cols=5).new_initial_state()
    seen = set()
    for limit in (10, 3200, 4000, 6000, 9000, 40000):
        found = plain(state, nimber=True, all_moves=True, jit=True, limit=limit)
        assert found.outcome in ("win", "unknown")
        assert found.nimber in (1, None)
        assert found.all_moves == (len(found.moves) == 30)
        seen.add((found.outcome, found.nimber, found.all_moves))
    assert len(seen) > 2


def test_an_interrupt_leaves_what_is_known() -> None:
    state = BinaryGame(rows=9, cols=7).new_initial_state()
    plain(state, jit=True, limit=1)  # so that nothing has to be loaded when the interrupt comes
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    found = plain(state, jit=True)
    timer.join()
    assert found.outcome == "unknown"
    assert found.nodes > 0


@pytest.mark.parametrize("name", ["_warm_once", "Board"])
def test_an_interrupt_may_come_before_the_search_begins(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()
    step, stop = getattr(api, name), SolveTask.stop

    def interrupted(*given: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        assert stopped.wait(20)
        return step(*given)

    def noted(task: SolveTask) -> None:
        stop(task)
        stopped.set()

    monkeypatch.setattr(api, name, interrupted)
    monkeypatch.setattr(SolveTask, "stop", noted)
    state = BinaryGame(rows=9, cols=7).new_initial_state()
    found = plain(state, jit=True, seconds=60)
    assert (found.outcome, found.moves, found.nodes) == ("unknown", [], 0)


def test_a_search_stopped_after_the_outcome_lists_the_moves_it_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome = Search.outcome

    def outcome_and_stop(search: Search, moves: tuple[int, ...] = (), heap: int = 0) -> int:
        found = outcome(search, moves, heap)
        search.stop()
        return found

    chance = random.Random(14)
    states = [BinaryGame(rows=3, cols=5).new_initial_state()]
    states += [random_position(chance, 14, (4, 6)) for _ in range(20)]
    won = 0
    for state in states:
        whole = plain(state, jit=True, all_moves=True)
        with monkeypatch.context() as patched:
            patched.setattr(Search, "outcome", outcome_and_stop)
            found = plain(state, jit=True, all_moves=True)
        assert found.outcome == whole.outcome
        if found.outcome == "win":
            won += len(found.moves) < len(whole.moves)
            assert found.moves
            assert set(found.moves) <= set(whole.moves)
            assert found.all_moves <= (len(found.moves) == len(whole.moves))
    assert won > 1


def test_loading_takes_no_time_from_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    searching.warm()
    monkeypatch.setattr(api, "_warm_once", lambda: time.sleep(0.3))
    state = gridhouse.parse("binary(rows=5,cols=3) 0../.../.../.../..1")
    found = plain(state, jit=True, seconds=0.2)
    assert found.outcome in ("win", "loss")
    assert found.seconds < 0.3


def test_a_position_that_is_too_large_says_so() -> None:
    found = plain(gridhouse.load("binary", rows=11, cols=11).new_initial_state(), jit=False)
    assert str(found).startswith("unknown who wins: 121 cells are open, more than 63\n0 nodes in ")
    assert set(found.facts()) == {"outcome", "moves", "nimber", "nodes", "seconds"}
    assert found.facts()["outcome"] == "unknown"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"seconds": 0}, "seconds: 0 is not above 0"),
        ({"seconds": float("nan")}, "seconds: nan is not above 0"),
        ({"memory": 0}, "memory: 0 is not a whole number above 0"),
        ({"threads": -1}, "threads: -1 is not a whole number above 0"),
        ({"threads": 1.5}, "threads: 1.5 is not a whole number above 0"),
        ({"limit": 0}, "limit: 0 is not a whole number above 0"),
        ({"limit": -5}, "limit: -5 is not a whole number above 0"),
        ({"off": ("luck",)}, f"there is no technique luck: {', '.join(TECHNIQUES)}"),
        ({"off": "luck"}, f"there is no technique luck: {', '.join(TECHNIQUES)}"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], line: str) -> None:
    with pytest.raises(SolverError) as error:
        solve(BinaryGame(rows=3, cols=3).new_initial_state(), **options)
    assert str(error.value) == line


def test_one_technique_may_be_named_alone() -> None:
    state = gridhouse.parse("binary(rows=3,cols=5) 0..1./..0../.....")
    counts = [plain(state, jit=True, off=off).nodes for off in ((), ("order",), "order")]
    assert counts[0] != counts[1] == counts[2]


def test_a_solution_tells_itself() -> None:
    won = plain(gridhouse.parse("binary(rows=1,cols=3) ..."), nimber=True, all_moves=True)
    first, second, third, last = str(won).split("\n")
    assert first == "the player to move wins"
    assert second == "all winning moves: 0 0 0, 0 0 1, 1 0 0, 1 0 1, 2 0 0, 2 0 1"
    assert third == "nimber: 1"
    assert " nodes in " in last
    assert (
        str(plain(gridhouse.parse("binary(rows=1,cols=3) ..."))).count("winning moves known") == 1
    )
    assert "the player to move loses\nnimber: 0" in str(
        solve(gridhouse.parse("binary(rows=1,cols=1) 0"))
    )


def test_the_line_shown_while_it_runs() -> None:
    state = BinaryGame(rows=3, cols=3).new_initial_state()
    task = SolveTask(state)
    assert task.status().startswith("getting ready")
    task.use(Search(Board(state.position, Backend(jit=False)), memory=1))
    task.run()
    assert task.status().startswith(f"{task.search.nodes} nodes, ")

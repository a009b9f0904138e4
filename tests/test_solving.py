"""What the solvers of all games share: being watched over, stopped, and told apart."""

from __future__ import annotations

import signal
import threading
import time

import pytest

import gridhouse
from gridhouse.core.errors import SolverError
from gridhouse.core.solving import watched


def test_a_game_without_a_solver_says_so() -> None:
    with pytest.raises(SolverError, match=r"^tactego has no solver$"):
        gridhouse.solve(gridhouse.load("tactego").new_initial_state())


def test_work_that_ends_by_itself_gives_its_result() -> None:
    assert watched(lambda: 7, lambda: None, seconds=60) == 7


def test_what_goes_wrong_in_the_work_is_raised() -> None:
    def fail() -> None:
        raise TimeoutError("the work's own")

    with pytest.raises(TimeoutError, match="the work's own"):
        watched(fail, lambda: None)


def test_what_is_best_is_told_where_results_are_compared() -> None:
    solved = gridhouse.solve(gridhouse.parse("sliding(rows=2,cols=2) ab c/abcd"))
    assert solved.best() == (1, True)
    cleared = gridhouse.solve(gridhouse.parse("collapse(rows=1,cols=3,digits=3) 0 220"), jit=False)
    assert cleared.best() == (4, True)
    assert (
        gridhouse.solve(gridhouse.load("binary", rows=2, cols=2).new_initial_state()).best() is None
    )


@pytest.mark.parametrize("interrupt", [False, True], ids=["time", "interrupt"])
def test_work_is_stopped_when_time_is_up_or_on_an_interrupt(interrupt: bool) -> None:
    stopped = threading.Event()
    started = time.monotonic()
    if interrupt:
        timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
        timer.start()
    assert watched(lambda: stopped.wait(30), stopped.set, seconds=None if interrupt else 0.1)
    assert time.monotonic() < started + 20


class Terminal:
    """A standard error that is a terminal, and keeps what was written."""

    def __init__(self) -> None:
        self.written = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.written += text

    def flush(self) -> None:
        pass


def test_the_line_is_shown_on_a_terminal_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    lines = iter(["1 node", "12 nodes", *["9 nodes"] * 99])
    stopped = threading.Event()
    watched(lambda: stopped.wait(30), stopped.set, seconds=0.9, status=lambda: next(lines))
    assert terminal.written.startswith("\r1 node\r12 nodes\r9 nodes ")
    assert terminal.written.endswith("\r" + " " * 7 + "\r")


def test_the_line_is_not_shown_for_a_search_in_another_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    stopped = threading.Event()

    def search() -> None:
        watched(lambda: stopped.wait(30), stopped.set, seconds=0.6, status=lambda: "1 node")

    thread = threading.Thread(target=search)
    thread.start()
    thread.join()
    assert stopped.is_set()
    assert terminal.written == ""

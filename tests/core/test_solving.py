"""What the solvers of all games share: being watched over, stopped, and told apart."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse.core import solving
from gridhouse.core.errors import SolverError
from gridhouse.core.solving import consume_interrupt, watched

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType


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


@pytest.mark.usefixtures("uncollected")
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


@pytest.mark.parametrize("times", [1, 2])
def test_interrupts_while_the_line_is_written_stop_the_work(
    times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", Terminal())
    stops = threading.Semaphore(0)

    def status() -> str:
        signal.raise_signal(signal.SIGINT)
        return "1 node"

    def work() -> list[bool]:
        return [stops.acquire(timeout=20) for _ in range(times)]

    assert watched(work, stops.release, status=status) == [True] * times


@pytest.mark.usefixtures("uncollected")
def test_an_interrupt_while_another_stops_the_work_is_one_more() -> None:
    stops = threading.Semaphore(0)
    interrupts = iter([signal.SIGINT])

    def stop() -> None:
        for interrupt in interrupts:
            signal.raise_signal(interrupt)
        stops.release()

    def work() -> list[bool]:
        return [stops.acquire(timeout=20) for _ in range(2)]

    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    timer.start()
    assert watched(work, stop) == [True, True]
    assert consume_interrupt()
    assert not consume_interrupt()  # it has been told


@pytest.mark.parametrize("fails", [False, True])
def test_afterwards_interrupts_are_what_they_were(
    fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "STATUS_SECONDS", 0.01)
    monkeypatch.setattr("sys.stderr", Terminal())
    handlers = []

    def status() -> str:
        handlers.append(signal.getsignal(signal.SIGINT))
        if fails:
            raise SolverError("nothing to show")
        return "1 node"

    stopped = threading.Event()
    try:
        watched(lambda: stopped.wait(20), stopped.set, seconds=0.3, status=status)
    except SolverError:
        assert fails
    assert signal.default_int_handler not in handlers
    assert handlers
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_interrupts_that_somebody_else_takes_are_left_to_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stderr", Terminal())
    taken = threading.Event()
    stopped = threading.Event()

    def take(number: int, frame: FrameType | None) -> None:
        taken.set()

    def status() -> str:
        signal.raise_signal(signal.SIGINT)
        return "1 node"

    def work() -> bool:
        return taken.wait(20) and not stopped.is_set()

    before = signal.signal(signal.SIGINT, take)
    try:
        assert watched(work, stopped.set, status=status)
        assert signal.getsignal(signal.SIGINT) is take
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("seconds", [1e30, float("inf")])
def test_time_without_end_is_no_trouble(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    troubles: list[object] = []
    monkeypatch.setattr(threading, "excepthook", troubles.append)
    stopped = threading.Event()
    assert not watched(lambda: stopped.wait(0.1), stopped.set, seconds=seconds)
    assert troubles == []


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


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize("before", ["", "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.usefixtures("hangup")
def test_who_is_asked_to_end_keeps_what_was_found(tmp_path: Path, name: str, before: str) -> None:
    number = getattr(signal, name)
    kept = tmp_path / "kept"
    code = (
        "import signal, threading\n"
        "from pathlib import Path\n"
        "from gridhouse.core.solving import watched\n"
        f"{before}"
        "stop = threading.Event()\n"
        "def work():\n"
        "    print('at work', flush=True)\n"
        "    stop.wait(60)\n"
        f"    Path({str(kept)!r}).touch()\n"
        "watched(work, stop.set)\n"
        "print('not ended')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "at work\n"
        run.send_signal(number)
        assert run.stdout.read() == ""
    assert run.returncode == -number
    assert kept.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_who_is_asked_to_end_says_what_could_not_be_kept() -> None:
    code = (
        "import signal, threading\n"
        "from gridhouse.core.errors import SolverError\n"
        "from gridhouse.core.solving import watched\n"
        "stop = threading.Event()\n"
        "def work():\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "    stop.wait(60)\n"
        "    raise SolverError('kept: no space left')\n"
        "watched(work, stop.set)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == -signal.SIGTERM
    assert (run.stdout, run.stderr) == ("", "Error: kept: no space left\n")

"""How long random tests search, interrupts, and fixtures that folders of tests share.

They search a little by default, less with HYPOTHESIS_PROFILE=quick, much with ``thorough``.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pkgutil
import runpy
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

import pythons

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from harness import Run

QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile(
    "quick", max_examples=15, deadline=None, suppress_health_check=QUIET, print_blob=True
)
settings.register_profile(
    "default", max_examples=40, deadline=None, suppress_health_check=QUIET, print_blob=True
)
settings.register_profile(
    "thorough", max_examples=2000, deadline=None, suppress_health_check=QUIET, print_blob=True
)
# Tests wait for what they need compiled, unless they ask for something else.
os.environ.setdefault("GRIDHOUSE_COMPILE", "now")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

TESTS = Path(__file__).parent
# Folders whose tests are of something else than the games: they run at full speed.
NOT_MEASURED = ("arena", "sandbox", "server")
MEASURING = "COVERAGE_PROCESS_CONFIG"  # by it programs that a test starts are measured as well

# Who starts the tests in the background of a script has them ignore interrupts, and all their
# children with them; some tests send one.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    """Say which Pythons the exact programs are run with."""
    refused = ", ".join(pythons.too_old()) or "none"
    return f"exact programs: run with Python {', '.join(pythons.able())}; refused by {refused}"


def pytest_collection_finish() -> None:
    """Import all modules of the games while coverage measures, if it does.

    A test that is not measured may import them first.  And whether a file is measured hangs on the
    name of the module that is first seen there; specialized modules have other names.
    """
    if sys.gettrace() is None:
        return
    games = importlib.import_module("gridhouse.games")
    for module in pkgutil.walk_packages(games.__path__, f"{games.__name__}."):
        with contextlib.suppress(ImportError):  # of what is not installed
            importlib.import_module(module.name)


def is_measured(item: pytest.Item) -> bool:
    """Tell whether coverage counts what a test runs: short tests of games, and what is marked so.

    It counts all tests if it is of something else than the games.
    """
    if item.config.getoption("cov_source", None) != [True]:  # --cov=gridhouse.arena
        return True
    if item.get_closest_marker("measured"):
        return True
    is_other = item.path.relative_to(TESTS).parts[0] in NOT_MEASURED
    return not (is_other or item.get_closest_marker("untraced") or item.get_closest_marker("slow"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Run a test that is not measured at full speed, with what it sets up.

    To stop coverage itself is not enough: each worker measures itself more than once, and what
    was started earlier goes on.  Threads and programs that the test starts are not measured either.
    """
    if is_measured(item):
        return (yield)
    tracer, tracer_of_threads = sys.gettrace(), threading.gettrace()
    measuring = os.environ.pop(MEASURING, None)
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
        threading.settrace(tracer_of_threads)
        if measuring is not None:
            os.environ[MEASURING] = measuring


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Return what runs a command here and returns its status, output and errors."""
    from harness import run_command  # it imports the package, which coverage has to see

    def command(*words: object) -> tuple[int, str, str]:
        status = run_command(monkeypatch, *words)
        out, err = capfd.readouterr()
        return status, out, err

    return command


@pytest.fixture
def benchmark(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[str], Run]:
    """Return what runs a benchmark in this process."""
    from harness import ROOT, Run

    def command(words: str) -> Run:
        script, *rest = words.split()
        path = str(ROOT / "benchmarks" / script)
        monkeypatch.setattr(sys, "argv", [path, *rest])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(path, run_name="__main__")
        return Run(*capfd.readouterr(), int(ended.value.code or 0))

    return command


@pytest.fixture
def nodes() -> Iterator[Any]:
    """Start a Ray cluster of two nodes with a processor each."""
    pytest.importorskip("ray", reason="needs the extra cluster")
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes.add_node(num_cpus=1)
    try:
        yield nodes
    finally:
        nodes.shutdown()


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Collect no garbage: Hypothesis looks on, and would take an interrupt that comes then."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def hangup() -> Iterator[None]:
    """Let processes that a test starts end with their terminal, also where nohup runs the tests."""
    number = getattr(signal, "SIGHUP", None)
    if number is None:
        yield
        return
    before = signal.signal(number, signal.SIG_DFL)
    yield
    signal.signal(number, before)

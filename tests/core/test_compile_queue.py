"""Nobody waits for the compiler: what runs before it has, beside it, and when it fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from gridhouse.core import compile_queue
from gridhouse.core.compile_queue import BESIDE, NEVER, SOLVER, VARIABLE, Unit
from gridhouse.core.registry import game_class
from gridhouse.players import Limits, best_kind, compiled_kind, player
from gridhouse.search.batch import Batch
from gridhouse.search.single_game import SingleGame
from gridhouse.server.tables.service import compile_players
from gridhouse.server.tables.table import MACHINE
from harness import COMPILED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HIDDEN = "tactego(rows=5,cols=4,pieces=Fx1 Mx1 Sx1 3x1 2x2 1x1,hidden=True,limit=20)#1"
BOMBED = "sinks(rows=8,cols=8) l 0 b 2/2 2/2 0/0 - s100 s266 la02 lb33 da44"
STARTS = [f"{name}()#1" for name in gridhouse.games()] + [HIDDEN]
# Run in a process of its own: a compiler is not to be had, and whatever asks for one fails.
WITHOUT = "import sys; sys.modules['numba'] = sys.modules['llvmlite'] = None\n"
EVERYTHING = """
import asyncio, gridhouse
from gridhouse.players import KINDS, strongest
from gridhouse.core.errors import PlayerError
from gridhouse.core.components import component
from gridhouse.search.batch import Batch
from gridhouse.search.single_game import SingleGame
from gridhouse.server.settings import Settings
from gridhouse.server.engine_pool import EnginePool
engines = EnginePool(Settings())
for text in TEXTS:
    state = gridhouse.parse(text)
    said = [state.game.name]
    for kind in KINDS:
        settings = {"level": 8} if kind == "level" else {}
        try:
            player = gridhouse.player(kind, state.game, **settings)
        except PlayerError:
            continue
        state.clone().apply_action(player.choose(state, gridhouse.Limits(seconds=0.05)).action)
        said.append(kind)
    boards = Batch(state.game, 3)
    for _ in range(5):
        boards.step(boards.random_actions())
    boards.masks(), boards.observations()
    single = SingleGame(state.game)
    single.randomize_start()
    single.apply_action(single.state().legal_actions()[0])
    single.observe(single.player)
    if component(type(state.game), "solver"):
        said.append(type(gridhouse.solve(state, seconds=0.3)).__name__)
    said.append(asyncio.run(engines.choose(state)).action in state.legal_actions())
    print(*said)
engines.close()
print(sorted(name for name in sys.modules if name.startswith("numba.")))
"""


def run(code: str, cache: Path, **environment: str) -> str:
    """Return what code prints in a process with caches of its own."""
    inherited = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**inherited, "XDG_CACHE_HOME": str(cache), "XDG_DATA_HOME": str(cache), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Have units compiled beside this process, into an empty folder, which is returned."""
    monkeypatch.setenv(VARIABLE, BESIDE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compile_queue, "_QUEUE", compile_queue._Queue())
    monkeypatch.setattr(compile_queue, "_SPOILED", set())
    for cached in (compile_queue.cache_folder, compile_queue.warn_once):
        cached.cache_clear()
    yield compile_queue.cache_folder()
    compile_queue.cache_folder.cache_clear()


@pytest.mark.slow("searches in every game interpreted")
def test_everything_runs_without_a_compiler(tmp_path: Path) -> None:
    code = WITHOUT + f"TEXTS = {[*STARTS, BOMBED]!r}\n" + EVERYTHING
    lines = run(code, tmp_path, **{VARIABLE: BESIDE}).splitlines()
    assert lines[-1] == "[]"
    answered = {line.split()[0]: line for line in lines[:-1]}
    assert sorted(answered) == gridhouse.games()
    assert all(line.endswith("True") for line in lines[:-1])
    said = "binary random greedy mcts pomcp alphabeta level perfect BinarySolution True"
    assert set(answered["binary"].split()) == set(said.split())
    assert not (tmp_path / "gridhouse" / "compiled").exists()


@pytest.mark.slow("searches in every game interpreted")
def test_a_level_takes_no_more_than_a_moment_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, NEVER)
    for text in STARTS:
        state = gridhouse.parse(text)
        choice = player("level", state.game, level=8).choose(state)
        # Of 300,000 nodes or 30,000 playouts no interpreted search has done a tenth by then.
        assert choice.work < 30_000
        assert choice.action in state.legal_actions()


def test_limits_of_work_are_kept_however_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gridhouse.parse("binary(rows=3,cols=3)#1")
    found = []
    for mode in (NEVER, compile_queue.NOW):
        monkeypatch.setenv(VARIABLE, mode)
        found.append(player("mcts", state.game, seed=3).choose(state, Limits(playouts=150)))
    assert found[0].line == found[1].line
    assert found[0].work == found[1].work


def wait_until(is_so: Any, seconds: float = 120) -> None:
    """Wait for something to come true."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_player_is_compiled_in_the_middle_of_a_game(tmp_path: Path) -> None:
    code = (
        "import gridhouse, time\n"
        "from gridhouse.core.compile_queue import Unit, is_ready\n"
        "state = gridhouse.parse('sliding(rows=3,cols=3)#1')\n"
        "mover = gridhouse.player('greedy', state.game)\n"
        "print(mover.choose(state).action in state.legal_actions(), mover._is_compiled)\n"
        "for _ in range(1000):\n"
        "    if is_ready(Unit('greedy', state.game)): break\n"
        "    time.sleep(0.1)\n"
        "print(mover.choose(state).action in state.legal_actions(), mover._is_compiled)\n"
    )
    assert run(code, tmp_path, **{VARIABLE: BESIDE}) == "True False\nTrue True\n"


def test_a_batch_goes_on_compiled(beside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridhouse.search.batch.PAUSE", 0)
    game = game_class("sliding")(rows=3, cols=3)
    ready: list[bool] = []
    for module in ("batch", "single_game"):
        monkeypatch.setattr(f"gridhouse.search.{module}.use_compiled", lambda _: bool(ready))
    boards = [Batch(game, 5, seed=4), Batch(game, 5, seed=4, jit=True)]
    single = SingleGame(game)
    single.randomize_start()
    for step in range(30):
        if step == 10:
            ready.append(True)
        moves = [each.random_actions().copy() for each in boards]
        assert (moves[0] == moves[1]).all()
        done = [each.step(moves[0]) for each in boards]
        assert all((one == other).all() for one, other in zip(*done, strict=True))
        assert (boards[0].observations() == boards[1].observations()).all()
        assert boards[0].state(2) == boards[1].state(2)
    assert boards[0]._engine.jit
    before = single.state()
    single.begin(before)
    assert single._engine.jit
    assert single.state() == before
    single.randomize_start()


def worker(unit: Unit, cache: Path) -> subprocess.Popen[str]:
    """Start a process that compiles a unit into a folder, and says what it keeps there."""
    inherited = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    return subprocess.Popen(
        [sys.executable, "-m", "gridhouse.warming", unit.kind, str(unit.game)],
        env={**inherited, "XDG_CACHE_HOME": str(cache), "NUMBA_DEBUG_CACHE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


UNIT = Unit("greedy", game_class("binary")(rows=3, cols=3))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_two_houses_compile_nothing_twice_and_one_that_is_killed_holds_nobody_up(
    tmp_path: Path,
) -> None:
    first = worker(UNIT, tmp_path)
    wait_until(lambda: list(tmp_path.rglob(compile_queue.LOCK)))
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    assert not list(tmp_path.rglob("ready/*"))
    both = [worker(UNIT, tmp_path) for _ in range(2)]
    said = [each.communicate(timeout=120) for each in both]
    assert [each.returncode for each in both] == [0, 0]
    assert [complained for _, complained in said] == ["", ""]
    assert sorted("data saved" in text for text, _ in said) == [False, True]
    assert list(tmp_path.rglob("ready/*"))


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        ("nbi", 0),
        *(
            pytest.param(*damage, marks=pytest.mark.slow("compiles twice"))
            for damage in (("nbi", 20), ("nbc", 100), ("nbc", 0))
        ),
    ],
)
def test_a_damaged_cache_is_made_anew(beside: Path, kind: str, left: int) -> None:
    state = UNIT.game.new_initial_state()
    code = (
        "import gridhouse, logging, time; logging.basicConfig()\n"
        f"state = gridhouse.parse({str(state)!r})\n"
        "for _ in range(2):\n"
        "    mover = gridhouse.player('greedy', state.game)\n"
        "    print(mover.choose(state).action in state.legal_actions(), mover._is_compiled)\n"
    )
    assert not compile_queue.use_compiled(UNIT)
    wait_until(lambda: compile_queue.is_ready(UNIT))
    for file in beside.rglob(f"*.{kind}"):
        file.write_bytes(file.read_bytes()[:left])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n" * 2
    assert "Traceback" not in done.stderr
    assert done.stderr.count(f"{UNIT.name} is compiled again") == 1
    wait_until(lambda: compile_queue.is_ready(UNIT))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("True True\n" * 2, "")


def test_damaged_code_that_cannot_be_removed_is_not_waited_for(beside: Path) -> None:
    state = UNIT.game.new_initial_state()
    code = (
        "import gridhouse, logging, pathlib; logging.basicConfig()\n"
        "from gridhouse.core import compile_queue\n"
        f"state = gridhouse.parse({str(state)!r})\n"
        "unit = compile_queue.Unit('greedy', state.game)\n"
        "def refuse(path, **_):\n"
        "    raise PermissionError(13, 'Permission denied', str(path))\n"
        "pathlib.Path.unlink = refuse\n"
        "for _ in range(2):\n"
        "    mover = gridhouse.player('greedy', state.game)\n"
        "    print(mover.choose(state).action in state.legal_actions(), mover._is_compiled)\n"
        "    print(compile_queue.is_ready(unit), compile_queue.can_wait(unit))\n"
    )
    compile_queue.note_ready(UNIT)  # its code is missing
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\nFalse False\n" * 2
    assert done.stderr.count("\n") == 1
    assert f"{UNIT.name} is not compiled and runs interpreted: " in done.stderr
    assert not [*beside.rglob("*.nbi")]


def test_a_folder_that_cannot_be_written_is_told_once(
    beside: Path, caplog: pytest.LogCaptureFixture
) -> None:
    beside.parent.parent.mkdir(parents=True)
    beside.parent.write_text("no folder")
    state = UNIT.game.new_initial_state()
    for _ in range(3):
        mover = player("greedy", UNIT.game)
        assert mover.choose(state).action in state.legal_actions()
        wait_until(lambda: UNIT.name in compile_queue._QUEUE.failed)
    (told,) = caplog.messages
    assert told.startswith(f"{UNIT.name} is not compiled and runs interpreted: ")
    assert not compile_queue.can_wait(UNIT)


def test_a_unit_that_cannot_be_compiled_is_left(
    beside: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    del beside
    unit = Unit("no such player", UNIT.game)
    assert not compile_queue.use_compiled(unit)
    wait_until(lambda: unit.name in compile_queue._QUEUE.failed)
    assert not compile_queue.use_compiled(unit)
    monkeypatch.setattr(compile_queue, "_start", no_process)
    assert not compile_queue.use_compiled(UNIT)
    assert "there is no player" in caplog.messages[0]
    assert caplog.messages[1].endswith("runs interpreted: no more processes")


def no_process(unit: Unit) -> None:
    raise OSError(f"no more processes{unit.kind[:0]}")


@pytest.mark.slow("plays every game with what was compiled, and nothing else")
@pytest.mark.parametrize("text", [*STARTS, BOMBED])
def test_nothing_is_left_to_compile_in_a_unit_that_is_ready(text: str) -> None:
    """What other tests have compiled is at hand here, but is found as well."""
    game = gridhouse.parse(text).game
    kinds = sorted({compiled_kind("level", game), best_kind(game), "greedy"})
    code = (
        f"{COMPILED}import gridhouse\n"
        "from gridhouse.core.compile_queue import Unit\n"
        "from gridhouse.warming import warm\n"
        f"for kind in {kinds!r}:\n"
        f"    state = gridhouse.parse({text!r})\n"
        "    warm(Unit(kind, state.game))\n"
        "    before = compiled()\n"
        "    player = gridhouse.player(kind, state.game, jit=True)\n"
        "    while not state.is_terminal() and len(state.history()) < 40:\n"
        "        limits = gridhouse.Limits(seconds=0.02)\n"
        "        state.apply_action(player.choose(state, limits).action)\n"
        "    for each, signature in compiled() - before:\n"
        "        print(kind, each, signature)\n"
        "assert len(before) > 5\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_a_solver_goes_over_to_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was searched interpreted by then does not count."""
    texts = ("binary(rows=3,cols=5) 0..../...../.....", "collapse(rows=5,cols=5,digits=4)#2",
             "sliding(rows=3,cols=4)#2")  # fmt: skip
    for text in texts:
        state = gridhouse.parse(text)
        options = {"proved": False} if state.game.name == "binary" else {}
        expected = gridhouse.solve(state, jit=True, threads=1, **options)
        monkeypatch.setattr(compile_queue, "PAUSE", 0.01)
        monkeypatch.setattr(compile_queue, "can_wait", lambda _: True)
        monkeypatch.setattr(compile_queue, "use_compiled", lambda _: False)
        monkeypatch.setattr(compile_queue, "is_ready", lambda _: True)
        found = gridhouse.solve(state, threads=1, **options)
        monkeypatch.undo()
        assert best_of(found) == best_of(expected)
        assert SOLVER == "solver"


def best_of(found: Any) -> tuple[object, ...]:
    """Return what a solver has proved."""
    return tuple(found.facts().get(name) for name in ("outcome", "score", "bound", "length"))


def test_the_machine_of_a_house_is_asked_for_by_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        "gridhouse.server.tables.service.use_compiled", lambda unit: asked.append(unit.kind)
    )
    table: Any = SimpleNamespace(state=gridhouse.parse("binary()#1"), opponent=MACHINE)
    compile_players(table)
    assert asked == ["perfect", "mcts"]

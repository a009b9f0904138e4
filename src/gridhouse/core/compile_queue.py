"""Compiling in the background: which code is ready, and processes that compile the rest.

A :class:`Unit` is the code that a kind of player, or a solver, needs for a kind of board.  A caller
asks :func:`use_compiled`; while the answer is no, it runs the same functions interpreted.  The
first call starts a process of low priority that compiles the unit: in this process the compiler
would hold Python's lock.  Processes take turns by a file lock, which ends with its process.

The environment variable ``GRIDHOUSE_COMPILE`` says when code is compiled: ``beside`` (in the
background), ``now`` (where it is needed, which waits for it), or ``never``.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import subprocess
import sys
import threading
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import platformdirs

from gridhouse.core.environment import read_word
from gridhouse.core.position import capacity
from gridhouse.core.processes import SAFE_PATH

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.core.game import Game

log = logging.getLogger("gridhouse")
BESIDE, NOW, NEVER = "beside", "now", "never"
SOLVER = "solver"  # the kind of the unit of a game's solver
BATCH = "batch"  # and of many games at once
VARIABLE = "GRIDHOUSE_COMPILE"
PACKAGE = Path(__file__).resolve().parent.parent
SHARED = ("core", "search", "players")  # the folders with the code of all units
_SPOILED: set[str] = set()
PAUSE = 0.5  # seconds between two checks whether a unit is ready
LOCK = "compiling.lock"
FORMAT = 2  # to be incremented when the same functions are compiled differently


class Unit(NamedTuple):
    """The code of a kind of player, or of a game's solver, for a kind of board."""

    kind: str
    game: Game

    @property
    def name(self) -> str:
        """The name of the unit: boards of similar sizes share their compiled code.

        The code of a solver is the same for all boards.
        """
        return _name(self)


@functools.lru_cache(maxsize=1000)
def _name(unit: Unit) -> str:
    kind, game = unit
    if kind == SOLVER:
        return f"{game.name}-{kind}"
    position = game.initial_position(0)
    actions, cells = game.num_actions, game.rows * game.cols
    sizes = [(actions, "actions"), (2 * actions, "history"), (8 * cells, "plies")]
    sizes += [
        (len(getattr(position, name)), field.size)
        for name, field in position.fields.items()
        if isinstance(field.size, str)
    ]
    capacities = (capacity(length, size, compact=kind == BATCH) for length, size in sizes)
    return "-".join([game.name, kind, *map(str, capacities)])


@functools.cache
def has_compiler() -> bool:
    """Tell whether the compiler is installed."""
    return find_spec("numba") is not None


def mode() -> str:
    """Return when code is compiled, as the environment variable says; raises UsageError."""
    return read_word(VARIABLE, (BESIDE, NOW, NEVER))


@functools.cache
def cache_folder() -> Path:
    """Return the folder of the code compiled by this version of Python and of the compiler."""
    versions = f"{FORMAT}-{sys.implementation.cache_tag}-numba{metadata.version('numba')}"
    return Path(platformdirs.user_cache_dir("gridhouse")) / "compiled" / versions


@functools.cache
def _sources(game: str) -> str:
    """Return a digest of all sources of the units of a game, and of the weights they learned."""
    found = hashlib.sha256()
    own = find_spec(f"gridhouse.games.{game}")
    assert own is not None
    folders = [PACKAGE / name for name in SHARED]
    for folder in (*folders, *map(Path, own.submodule_search_locations or ())):
        for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.bin")]):
            found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:16]


def _marker(unit: Unit) -> Path:
    """Return the file that exists once a unit is compiled."""
    return cache_folder() / "ready" / f"{unit.name}-{_sources(unit.game.name)}"


def is_ready(unit: Unit) -> bool:
    """Tell whether a unit has been compiled."""
    is_lost = unit.name in _SPOILED and unit.name in _QUEUE.failed
    # Unlike Path.exists, that of os.path raises no error.
    return has_compiler() and not is_lost and os.path.exists(_marker(unit))


def note_ready(unit: Unit) -> None:
    """Note that a unit has been compiled."""
    marker = _marker(unit)
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()


def spoil(unit: Unit, reason: object) -> None:
    """Mark a unit as not compiled, because its code is damaged or missing.

    Where that cannot be noted, it runs interpreted in this process.
    """
    _SPOILED.add(unit.name)
    try:
        _marker(unit).unlink(missing_ok=True)
    except OSError as error:
        _QUEUE.fail(unit, f"{reason}, and {error.filename}: {error.strerror}")
    else:
        warn_once(f"{unit.name} is compiled again: {reason}")


def is_sound(unit: Unit) -> bool:
    """Tell whether the code of a unit has never been found damaged or missing."""
    return unit.name not in _SPOILED


def can_wait(unit: Unit) -> bool:
    """Tell whether a unit may become ready in the background."""
    return mode() == BESIDE and has_compiler() and unit.name not in _QUEUE.failed


def use_compiled(unit: Unit) -> bool:
    """Return whether to use compiled code; if it is not ready, request it."""
    if mode() != BESIDE or not has_compiler():
        return mode() == NOW and has_compiler()
    if is_ready(unit):
        return True
    _QUEUE.ask(unit)
    return False


class Awaited:
    """Checks from a thread whether a unit has become ready, and calls a function once it has."""

    def __init__(self, unit: Unit, tell: Callable[[], None]) -> None:
        """Call ``tell`` when the unit is ready."""
        self._unit, self._tell = unit, tell
        self._over = threading.Event()
        self.is_ready = False

    def __enter__(self) -> Awaited:
        """Start the thread, if the unit may become ready."""
        if can_wait(self._unit):
            threading.Thread(target=self._look, daemon=True).start()
        return self

    def _look(self) -> None:
        while not self._over.wait(PAUSE):
            if is_ready(self._unit):
                self.is_ready = True
                self._tell()
                return

    def __exit__(self, *_: object) -> None:
        """End the thread."""
        self._over.set()


class _Queue:
    """The units to be compiled by child processes, one at a time."""

    def __init__(self) -> None:
        """Make an empty queue."""
        self._lock = threading.Lock()
        self._waiting: list[Unit] = []
        self._child: subprocess.Popen[bytes] | None = None
        self.failed: set[str] = set()

    def ask(self, unit: Unit) -> None:
        """Put a unit at the front of the queue."""
        with self._lock:
            if unit.name in self.failed:
                return
            waiting = [other for other in self._waiting if other.name != unit.name]
            self._waiting = [unit, *waiting]
            if self._child is None:
                self._begin()

    def _begin(self) -> None:
        """Start the next process, if a unit waits."""
        self._child = None
        while self._waiting and self._child is None:
            unit = self._waiting.pop(0)
            if is_ready(unit) or unit.name in self.failed:  # by another process, or the last one
                continue
            try:
                self._child = _start(unit)
            except OSError as error:
                self.fail(unit, str(error))
            else:
                threading.Thread(target=self._wait, args=(unit, self._child), daemon=True).start()

    def _wait(self, unit: Unit, child: subprocess.Popen[bytes]) -> None:
        """Wait for a process, then start the next."""
        _, errors = child.communicate()
        with self._lock:
            if child.returncode:
                lines = errors.decode(errors="replace").strip().splitlines()
                self.fail(unit, lines[-1] if lines else f"status {child.returncode}")
            self._begin()

    def fail(self, unit: Unit, reason: str) -> None:
        """Compile a unit no more."""
        warn_once(f"{unit.name} is not compiled and runs interpreted: {reason}")
        self.failed.add(unit.name)


_QUEUE = _Queue()


def _start(unit: Unit) -> subprocess.Popen[bytes]:
    """Start a process that compiles a unit, outlives this one, and gets no interrupts."""
    options: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        options = {
            "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP
            | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        }
    return subprocess.Popen(
        [sys.executable, SAFE_PATH, "-m", "gridhouse.warming", unit.kind, str(unit.game)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, VARIABLE: NOW},
        **options,
    )


@functools.cache
def warn_once(line: str) -> None:
    """Log a line once."""
    log.warning(line)

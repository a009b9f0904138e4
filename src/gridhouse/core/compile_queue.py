"""Compiling beside whatever runs: which code is there, and processes that make what is not.

A :class:`Unit` is what one kind of player, or one solver, needs for one kind of board.  Whoever
needs one asks :func:`use_compiled`; while the answer is no, the same functions run interpreted.
The first that asks has the unit compiled in a process of its own, at low priority, since the
compiler would hold Python's lock.  Processes take turns by a lock on a file, which ends with its
process.

The environment variable ``GRIDHOUSE_COMPILE`` says when code is compiled: ``beside`` (as above),
``now`` (where it is needed, which waits for it), or ``never``.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import subprocess
import sys
import threading
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import platformdirs

from gridhouse.core.position import capacity

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.core.game import Game

log = logging.getLogger("gridhouse")
BESIDE, NOW, NEVER = "beside", "now", "never"
SOLVER = "solver"  # the kind of unit that a game's solver is
VARIABLE = "GRIDHOUSE_COMPILE"
PACKAGE = Path(__file__).resolve().parent.parent
SHARED = ("core", "search", "players")  # the folders whose code any unit may be made of
_SPOILED: set[str] = set()
PAUSE = 0.5  # seconds between two looks at whether a unit has become ready
LOCK = "compiling.lock"
FORMAT = 2  # to be counted up when code is compiled in another way from the same functions


class Unit(NamedTuple):
    """What a kind of player, or a game's ``solver``, needs for the boards of a game's size."""

    kind: str
    game: Game

    @property
    def name(self) -> str:
        """The name of its kind of board: boards of like sizes share what is compiled.

        A solver's code is the same for all boards.
        """
        if self.kind == SOLVER:
            return f"{self.game.name}-{self.kind}"
        position = self.game.initial_position(0)
        sizes = [len(value) for value in vars(position).values() if isinstance(value, list)]
        actions, cells = self.game.num_actions, self.game.rows * self.game.cols
        rooms = [capacity(size) for size in sizes]
        searched = (actions, "actions"), (2 * actions, "history"), (8 * cells, "plies")
        rooms += [capacity(length, size) for length, size in searched]
        return "-".join([self.game.name, self.kind, *map(str, rooms)])


def has_compiler() -> bool:
    """Tell whether there is a compiler on this machine."""
    return find_spec("numba") is not None


def mode() -> str:
    """Return when code is compiled."""
    asked = os.environ.get(VARIABLE, BESIDE)
    return asked if asked in (NOW, NEVER) else BESIDE


@functools.cache
def cache_folder() -> Path:
    """Return the folder of all code compiled by this Python and this compiler."""
    versions = f"{FORMAT}-{sys.implementation.cache_tag}-numba{metadata.version('numba')}"
    return Path(platformdirs.user_cache_dir("gridhouse")) / "compiled" / versions


@functools.cache
def _sources(game: str) -> str:
    """Return a digest of all sources that a unit of a game may be made of."""
    found = hashlib.sha256()
    own = find_spec(f"gridhouse.games.{game}")
    assert own is not None
    folders = [PACKAGE / name for name in SHARED]
    for folder in (*folders, *map(Path, own.submodule_search_locations or ())):
        for file in sorted(folder.rglob("*.py")):
            found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:16]


def _marker(unit: Unit) -> Path:
    """Return the file that is there once a unit is."""
    return cache_folder() / "ready" / f"{unit.name}-{_sources(unit.game.name)}"


def is_ready(unit: Unit) -> bool:
    """Tell whether a unit has been compiled."""
    return has_compiler() and os.path.exists(_marker(unit))  # no error says that it is there


def note_ready(unit: Unit) -> None:
    """Note that a unit has been compiled."""
    marker = _marker(unit)
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()


def spoil(unit: Unit, reason: object) -> None:
    """Note that a unit is not there after all: what was compiled is damaged or gone."""
    warn_once(f"{unit.name} is compiled again: {reason}")
    _SPOILED.add(unit.name)
    with suppress(OSError):
        _marker(unit).unlink()


def is_sound(unit: Unit) -> bool:
    """Tell whether a unit has always been there when it should have."""
    return unit.name not in _SPOILED


def can_wait(unit: Unit) -> bool:
    """Tell whether a unit may become ready by and by."""
    return mode() == BESIDE and has_compiler() and unit.name not in _QUEUE.failed


def use_compiled(unit: Unit) -> bool:
    """Tell whether to use compiled code; if it is not there, have it made beside."""
    if mode() != BESIDE or not has_compiler():
        return mode() == NOW and has_compiler()
    if is_ready(unit):
        return True
    _QUEUE.ask(unit)
    return False


class Awaited:
    """Looks now and then whether a unit has become ready, and says so once, from a thread."""

    def __init__(self, unit: Unit, tell: Callable[[], None]) -> None:
        """Call ``tell`` when the unit is ready."""
        self._unit, self._tell = unit, tell
        self._over = threading.Event()
        self.is_ready = False

    def __enter__(self) -> Awaited:
        """Begin to look, if there is anything to wait for."""
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
        """Look no more."""
        self._over.set()


class _Queue:
    """The units that are to be compiled by this process's children, one at a time."""

    def __init__(self) -> None:
        """Begin with nothing to do."""
        self._lock = threading.Lock()
        self._waiting: list[Unit] = []
        self._child: subprocess.Popen[bytes] | None = None
        self.failed: set[str] = set()

    def ask(self, unit: Unit) -> None:
        """Have a unit compiled next."""
        with self._lock:
            if unit.name in self.failed:
                return
            waiting = [other for other in self._waiting if other.name != unit.name]
            self._waiting = [unit, *waiting]
            if self._child is None:
                self._begin()

    def _begin(self) -> None:
        """Start the next process, if any unit waits."""
        self._child = None
        while self._waiting and self._child is None:
            unit = self._waiting.pop(0)
            if is_ready(unit) or unit.name in self.failed:  # by another process, or by the last
                continue
            try:
                self._child = _start(unit)
            except OSError as error:
                self._fail(unit, str(error))
            else:
                threading.Thread(target=self._wait, args=(unit, self._child), daemon=True).start()

    def _wait(self, unit: Unit, child: subprocess.Popen[bytes]) -> None:
        """Wait for a process, then go on with the next."""
        _, said = child.communicate()
        with self._lock:
            if child.returncode:
                lines = said.decode(errors="replace").strip().splitlines()
                self._fail(unit, lines[-1] if lines else f"status {child.returncode}")
            self._begin()

    def _fail(self, unit: Unit, reason: str) -> None:
        warn_once(f"{unit.name} is not compiled and runs interpreted: {reason}")
        self.failed.add(unit.name)


_QUEUE = _Queue()


def _start(unit: Unit) -> subprocess.Popen[bytes]:
    """Start a process that compiles a unit; it outlives this one, and no interrupt meets it."""
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {
            "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP
            | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        }
    return subprocess.Popen(
        [sys.executable, "-m", "gridhouse.warming", unit.kind, str(unit.game)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, VARIABLE: NOW},
        **apart,
    )


@functools.cache
def warn_once(line: str) -> None:
    """Log a line once."""
    log.warning(line)

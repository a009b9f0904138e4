"""Runs commands on a submission's files, each behind the strongest walls of this machine."""

from __future__ import annotations

import functools
import os
import shutil
import sys
import tempfile
import weakref
from typing import TYPE_CHECKING

from gridhouse.sandbox.launch import Enclosure, Launch, input_file, remove
from gridhouse.sandbox.own import OwnLaunch
from gridhouse.sandbox.process import Process
from gridhouse.sandbox.results import End, Limits, Result, SandboxError
from gridhouse.sandbox.walls import Kind, Wall, changes_user, interpreter, walls_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NEEDED = ("file system", "network")
PROBE = Limits(wall=20)


class Sandbox:
    """Where programs on the files of one folder run.

    Each run starts in an empty scratch folder, the only place it can write to, in which it finds
    links to all that lies in the submission's folder, so that commands name files as they would
    there: ``["python3", "main.py"]``.  Nothing of a run remains when it has ended.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        limits: Limits | None = None,
        *,
        python: str = sys.executable,
        readable: Sequence[str] = (),
        hidden: Sequence[str] = (),
        kind: Kind | None = None,
        require: bool = False,
    ) -> None:
        """Make ready for runs of the files in a folder.

        ``python`` is the interpreter that programs find.  ``readable`` are more folders that they
        can read, ``hidden`` some that they cannot although they lie below others.  ``kind`` is the
        kind of walls, the strongest one if it is None.  Raises SandboxError where this kind cannot
        be had, and, with ``require``, where it keeps a program neither from the files of this
        machine, or the hidden ones, nor from its network.
        """
        if os.name != "posix":
            raise SandboxError("other people's programs can be run on Linux and macOS only")
        self.python = interpreter(python)
        self.limits = limits or Limits()
        self.readable = tuple(map(os.path.abspath, readable))
        self.hidden = tuple(map(os.path.abspath, hidden))
        self.kind = strongest(python) if kind is None else kind
        self.folder = os.path.realpath(folder)
        if not os.path.isdir(self.folder):
            raise SandboxError(f"{os.fspath(folder)} is not a folder")
        down = _needed(self.walls())
        if require and down:
            raise SandboxError("no safe sandbox: " + ", ".join(map(str, down)))
        if require and not self.enclosure.is_isolated:
            self._require_hidden()
        if changes_user(self.kind, self.python) and not is_readable(self.folder, self.kind):
            self.folder = readable_copy(self.folder)
            weakref.finalize(self, remove, os.path.dirname(self.folder))

    def walls(self) -> list[Wall]:
        """Return the walls, standing or not."""
        return walls_of(self.kind, self.python)

    def describe(self) -> str:
        """Return the same in plain words, a line each, with the kind of walls first."""
        return "\n".join([f"walls: {self.kind.value}", *map(str, self.walls())])

    def run(
        self, command: Sequence[str], typed: bytes = b"", files: Mapping[str, bytes] | None = None
    ) -> Result:
        """Run a command to its end or its limits and return its output.

        ``typed`` is its standard input, ``files`` are put into its folder before.
        """
        stdin = input_file(typed)
        try:
            launch = Launch(self.enclosure, stdin, command, files=files)
        finally:
            os.close(stdin)
        return Process(launch, self.limits, None).wait()

    def start(self, command: Sequence[str], files: Mapping[str, bytes] | None = None) -> Process:
        """Start a command to talk with."""
        readable, writable = os.pipe()
        try:
            launch = Launch(self.enclosure, readable, command, files=files)
        except BaseException:
            os.close(writable)
            raise
        finally:
            os.close(readable)
        return Process(launch, self.limits, writable)

    @property
    def enclosure(self) -> Enclosure:
        """What all runs share."""
        return Enclosure(
            self.kind, self.python, self.folder, self.limits, self.readable, self.hidden
        )

    def _require_hidden(self) -> None:
        """Raise SandboxError where a hidden folder can be read: only mounts can hide it."""
        for path in self.hidden:
            if any(path.startswith(folder + "/") for folder in self.enclosure.folders()):
                raise SandboxError(f"no safe sandbox: programs can read {path}")


def start_own(
    command: Sequence[str], limits: Limits | None = None, folder: str | os.PathLike[str] = "."
) -> Process:
    """Start a program of one's own to talk with, without walls, limited in time and output.

    Raises SandboxError where it cannot be started.
    """
    if os.name != "posix":
        raise SandboxError("programs can be talked with on Linux and macOS only")
    readable, writable = os.pipe()
    try:
        launch = OwnLaunch(command, readable, folder)
    except BaseException:
        os.close(writable)
        raise
    finally:
        os.close(readable)
    return Process(launch, limits or Limits(), writable)


@functools.cache
def works(kind: Kind, python: str) -> bool:
    """Return whether a kind of walls can be raised on this machine, by doing it."""
    if kind is Kind.PLAIN:
        return True
    if sys.platform != "linux" or (kind is Kind.LANDLOCK and not interpreter(python).landlock):
        return False
    with tempfile.TemporaryDirectory(prefix="gridhouse-probe-") as folder:
        try:
            return Sandbox(folder, PROBE, python=python, kind=kind).run(["true"]).end is End.EXITED
        except SandboxError:
            return False


def kinds(python: str = sys.executable) -> list[Kind]:
    """Return the kinds of walls that can be raised on this machine, the strongest first."""
    return [kind for kind in Kind if works(kind, python)]


def strongest(python: str = sys.executable) -> Kind:
    """Return the strongest kind of walls that can be raised on this machine."""
    return next(kind for kind in Kind if works(kind, python))


def missing_walls(python: str = sys.executable) -> list[Wall]:
    """Return the walls around files and network that cannot be raised on this machine."""
    return _needed(walls_of(strongest(python), interpreter(python)))


def _needed(walls: list[Wall]) -> list[Wall]:
    return [wall for wall in walls if not wall.stands and wall.name in NEEDED]


def is_readable(folder: str, kind: Kind) -> bool:
    """Return whether any user can read all of a folder, and get there where it has to."""
    if kind in (Kind.LANDLOCK, Kind.PLAIN):
        above = folder
        while above != "/":
            above = os.path.dirname(above)
            if not os.stat(above).st_mode & 0o001:
                return False
    for path, folders, files in os.walk(folder):
        if os.stat(path).st_mode & 0o005 != 0o005:
            return False
        for name in (*folders, *files):
            if not os.lstat(os.path.join(path, name)).st_mode & 0o004:
                return False
    return True


def readable_copy(folder: str) -> str:
    """Return a copy of a folder that any user can read, alone in a new temporary folder."""
    above = tempfile.mkdtemp(prefix="gridhouse-submission-")
    copy = os.path.join(above, "submission")
    shutil.copytree(folder, copy, symlinks=True)
    os.chmod(above, 0o755)
    for path, _, files in os.walk(copy):
        os.chmod(path, 0o755)
        for name in files:
            file = os.path.join(path, name)
            if not os.path.islink(file):
                os.chmod(file, 0o755 if os.stat(file).st_mode & 0o100 else 0o644)
    return copy

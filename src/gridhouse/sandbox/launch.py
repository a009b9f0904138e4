"""Starts inside.py behind the walls of one kind, and ends it."""

from __future__ import annotations

import contextlib
import functools
import marshal
import math
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gridhouse.sandbox import mounts
from gridhouse.sandbox.results import SandboxError
from gridhouse.sandbox.walls import (
    SYS_ADMIN,
    Interpreter,
    Kind,
    changes_user,
    counts_by_namespace,
    is_capable,
    processes_of_user,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gridhouse.sandbox.results import Limits

USERS = range(61_000, 65_000)  # Debian leaves these to programs
TRUSTED = 3  # processes of ours that a user namespace counts as well, and one to spare
OPEN_FILES = 256
GRACE = 2.0  # seconds until the inside, told to end, is killed

_starters: dict[int, ThreadPoolExecutor] = {}


def starter() -> ThreadPoolExecutor:
    """Return the thread that starts all sandboxes of this process.

    The kernel kills them when the thread that started them ends, so it is one that stays.
    """
    pid = os.getpid()
    if pid not in _starters:
        _starters[pid] = ThreadPoolExecutor(1, thread_name_prefix="sandboxes")
    return _starters[pid]


def message(content: dict[str, Any] | None) -> bytes:
    """Return a message to the inside; None is an empty one, which stops a session."""
    body = b"" if content is None else marshal.dumps(content, 2)
    return len(body).to_bytes(4, "big") + body


def input_file(typed: bytes) -> int:
    """Return a new open file with the typed text, at its beginning."""
    if sys.platform == "linux":
        file = os.memfd_create("typed")
    else:
        with tempfile.TemporaryFile() as temporary:
            file = os.dup(temporary.fileno())
    view = memoryview(typed)
    while view:
        view = view[os.write(file, view) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def checked_files(files: Mapping[str, bytes] | None) -> dict[str, bytes]:
    """Return the files by their normalized names.

    Raises SandboxError for a name that leads out of the scratch folder.
    """
    checked = {}
    for name, content in (files or {}).items():
        path = os.path.normpath(name)
        if os.path.isabs(path) or path.split(os.sep)[0] in ("..", ".") or "\0" in path:
            raise SandboxError(f"{name!r} is not the name of a file in the scratch folder")
        checked[path] = bytes(content)
    return checked


@dataclass(frozen=True)
class Enclosure:
    """The settings of all runs of a sandbox: walls, limits and readable folders."""

    kind: Kind
    python: Interpreter
    submission: str
    limits: Limits
    readable: tuple[str, ...]
    hidden: tuple[str, ...] = ()

    @property
    def is_isolated(self) -> bool:
        """Return whether programs have namespaces of their own, with a file system in them."""
        return self.kind in (Kind.BUBBLEWRAP, Kind.NAMESPACES)

    def folders(self) -> list[str]:
        """Return the folders and files of this machine that programs can read."""
        return [*mounts.SYSTEM, *mounts.SETTINGS, *self.python.folders, *self.readable]

    def mounts(self) -> list[mounts.Mount]:
        """Return the plan of that file system."""
        folders = [*self.python.folders, *self.readable]
        return mounts.plan(self.submission, self.python.inside, folders, self.hidden)

    def bubblewrap(self) -> list[str]:
        """Return the command of bubblewrap, up to the program that it runs.

        As root it needs no user namespace, and the program inside changes to a user of its own;
        otherwise the submission has the user of this process, seen as nobody.  The capabilities
        are those of inside.py, which gives none to the submission.
        """
        bubblewrap = shutil.which("bwrap")
        if bubblewrap is None:
            raise SandboxError("there is no bubblewrap (bwrap) on this machine")
        unshared = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
        unshared.append("--unshare-cgroup-try")
        if not is_capable(SYS_ADMIN):
            unshared = ["--unshare-all", "--uid", "65534", "--gid", "65534"]
        ours = ["--die-with-parent", "--new-session", "--as-pid-1", "--cap-add", "ALL"]
        return [bubblewrap, *unshared, *ours, *mounts.bubblewrap_arguments(self.mounts()), "--"]

    def setup(self, folder: str | None) -> dict[str, Any]:
        """Return the settings of the walls for inside.py; ``folder`` is a new one, if any."""
        user = random.choice(USERS) if changes_user(self.kind, self.python) else None
        scratch = mounts.SCRATCH if self.is_isolated else str(folder)
        setup: dict[str, Any] = {
            "wall": float(self.limits.wall),
            "uid": user,
            "first": self.is_isolated,
            "namespaces": self.kind is Kind.NAMESPACES,
            "user_namespace": not is_capable(SYS_ADMIN),
            "root": folder,
            "mounts": [],
            "scratch": scratch,
            "scratch_size": self.limits.disk if self.is_isolated else None,
            "submission": mounts.SUBMISSION if self.is_isolated else self.submission,
            "landlock": None,
            "filter_calls": self.python.filters,
            "ignore_changes": user is None and not self.is_isolated,
            "rlimits": rlimits(self.limits, self.kind, user),
        }
        if self.kind is Kind.NAMESPACES:
            setup["mounts"] = [list(mount) for mount in self.mounts()]
        if self.kind is Kind.LANDLOCK:
            writable = [scratch, *(f"/dev/{name}" for name in mounts.DEVICES)]
            real = [os.path.realpath(path) for path in (*self.folders(), self.submission)]
            setup["landlock"] = [real, writable]
        return setup

    def environment(self, scratch: str) -> dict[str, str]:
        """Return the whole environment of programs."""
        return {
            "PATH": f"{os.path.dirname(self.python.executable)}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": scratch,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYGAME_HIDE_SUPPORT_PROMPT": "1",  # it would be the first line of the output
            "SDL_VIDEODRIVER": "dummy",
        }


class Launch:
    """One inside.py behind its walls: the process, its pipes and the socket to it."""

    def __init__(
        self,
        enclosure: Enclosure,
        stdin: int = subprocess.DEVNULL,
        command: Sequence[str] = (),
        script: str | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> None:
        """Start it with one command, or as a server of a script's sessions.

        The file ``stdout`` is the standard output of a command, for the caller to close.  It goes
        around bubblewrap, which would keep it open where the command closes it.
        """
        contents = checked_files(files)
        prefix: list[str] = []
        program = enclosure.python.inside
        self._folder: str | None = None
        if enclosure.kind is Kind.BUBBLEWRAP:
            prefix = enclosure.bubblewrap()
            program = mounts.INSIDE
        else:
            self._folder = tempfile.mkdtemp(prefix="gridhouse-scratch-")
        setup = enclosure.setup(self._folder)
        setup |= {"command": list(command), "script": script, "files": contents}
        flags = ["-I", "-S"] if script is None else []
        self.control, theirs = socket.socketpair()
        self.stdout, output = os.pipe()
        setup["stdout"] = output
        with theirs:
            python = [enclosure.python.executable, *flags, program, str(theirs.fileno())]
            start = functools.partial(
                subprocess.Popen[bytes],
                [*prefix, *python],
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno(), output],
                cwd="/",
                env=enclosure.environment(setup["scratch"]),
                start_new_session=True,
            )
            try:
                self.popen = starter().submit(start).result()
            except BaseException:
                os.close(self.stdout)
                raise
            finally:
                os.close(output)
        with contextlib.suppress(OSError):  # it has failed, and its standard error says why
            self.control.sendall(message(setup))

    def stop(self) -> None:
        """Tell inside.py to kill its program."""
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)

    def end(self) -> None:
        """End everything that runs inside, and return when it has ended."""
        self.stop()
        try:
            self.popen.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
        self.control.close()
        if self._folder is not None:
            remove(self._folder)
            self._folder = None


def rlimits(limits: Limits, kind: Kind, user: int | None) -> dict[str, int]:
    """Return the limits that the kernel holds for each process, by their names in ``resource``."""
    seconds = max(1, math.ceil(limits.cpu))
    found = {"RLIMIT_CPU": seconds, "RLIMIT_FSIZE": limits.disk, "RLIMIT_CORE": 0}
    found["RLIMIT_NOFILE"] = OPEN_FILES
    if sys.platform == "linux":
        found["RLIMIT_AS"] = limits.memory
        if user is not None:
            found["RLIMIT_NPROC"] = limits.processes
        elif kind in (Kind.BUBBLEWRAP, Kind.NAMESPACES) and counts_by_namespace():
            found["RLIMIT_NPROC"] = limits.processes + TRUSTED
        else:
            found["RLIMIT_NPROC"] = limits.processes + TRUSTED + processes_of_user()
    return found


def remove(folder: str) -> None:
    """Remove a folder, whatever a program has done to its rights and its depth."""
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.exists(folder):
        for command in (["chmod", "-R", "u+rwx", "--", folder], ["rm", "-rf", "--", folder]):
            subprocess.run(command, check=False, capture_output=True)

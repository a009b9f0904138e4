"""What keeps a program in: the kinds of sandboxes, and the walls each of them raises."""

from __future__ import annotations

import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from gridhouse.sandbox.results import SandboxError

if TYPE_CHECKING:
    from collections.abc import Iterable

INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inside.py")
SYS_ADMIN = 21  # numbers of capabilities
SETUID = 7
COUNTED_BY_NAMESPACE = (5, 14)  # the Linux from which processes are counted by user namespace


class Kind(Enum):
    """The ways to keep a program in, the strongest first."""

    BUBBLEWRAP = "bubblewrap"
    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    PLAIN = "plain"


@dataclass(frozen=True)
class Wall:
    """A protection: its name, whether it stands, and its means or the reason for its lack."""

    name: str
    stands: bool
    how: str

    def __str__(self) -> str:
        """Return a line for people."""
        return f"{self.name}: {'' if self.stands else 'NOT KEPT, '}{self.how}"


@dataclass(frozen=True)
class Interpreter:
    """A Python interpreter and the abilities that it reports on this machine."""

    executable: str
    folders: tuple[str, ...]
    inside: str  # the byte code of inside.py for it
    landlock: int
    filters: bool


@functools.cache
def interpreter(python: str) -> Interpreter:
    """Ask an interpreter for its folders and for its means against a program.

    Raises SandboxError where it does not answer.
    """
    folder = tempfile.mkdtemp(prefix="gridhouse-inside-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    compiled = os.path.join(folder, "inside.pyc")
    try:
        command = [python, "-I", INSIDE, "probe", compiled]
        done = subprocess.run(command, capture_output=True, check=True, timeout=30)
        offers = json.loads(done.stdout)
        os.chmod(compiled, 0o644)
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = said[-1] if said else f"it ended with status {error.returncode}"
        raise SandboxError(f"the interpreter {python} cannot be used: {reason}") from None
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SandboxError(f"the interpreter {python} cannot be used: {reason}") from None
    return Interpreter(
        offers["executable"],
        tuple(interpreter_folders(offers["executable"], offers["prefixes"])),
        compiled,
        offers["landlock"],
        offers["filters"],
    )


def interpreter_folders(executable: str, prefixes: Iterable[str]) -> list[str]:
    """Return the folders an interpreter needs: its prefixes and those its links lead through."""
    folders = list(prefixes)
    path = executable
    while True:
        folder = os.path.dirname(path)
        folders.append(os.path.dirname(folder) if os.path.basename(folder) == "bin" else folder)
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(folder, os.readlink(path)))
    folders += [os.path.realpath(folder) for folder in folders]
    return [folder for folder in dict.fromkeys(folders) if folder != "/"]


@functools.cache
def capabilities() -> int:
    """Return the capabilities of this process, as the kernel's bit set."""
    try:
        with open("/proc/self/status") as file:
            line = next(line for line in file if line.startswith("CapEff:"))
    except (OSError, StopIteration):
        return 0
    return int(line.split()[1], 16)


def is_capable(capability: int) -> bool:
    """Return whether this process is root with a capability."""
    return sys.platform == "linux" and os.geteuid() == 0 and bool(capabilities() >> capability & 1)


def is_open_to_all(path: str) -> bool:
    """Return whether any user may enter a folder."""
    path = os.path.realpath(path)
    while True:
        if not os.stat(path).st_mode & 0o001:
            return False
        if path == "/":
            return True
        path = os.path.dirname(path)


def changes_user(kind: Kind, python: Interpreter) -> bool:
    """Return whether programs run as a user of their own, which root alone can give them."""
    if kind in (Kind.BUBBLEWRAP, Kind.NAMESPACES):
        return is_capable(SYS_ADMIN) and is_capable(SETUID)
    return is_capable(SETUID) and all(map(is_open_to_all, python.folders))


def counts_by_namespace() -> bool:
    """Return whether this Linux counts processes for each user namespace by itself."""
    release = os.uname().release.split(".")
    return tuple(int(part) for part in release[:2] if part.isdigit()) >= COUNTED_BY_NAMESPACE


def processes_of_user() -> int:
    """Return how many processes and threads this user has."""
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == os.getuid():
                    count += len(os.listdir(f"/proc/{name}/task"))
            except OSError:
                continue
    return count


def is_guarded(python: Interpreter, another: bool) -> bool:
    """Return whether Landlock keeps a program from changing files.

    Only since its version 3 can it not cut them off, and only a filter of system calls guards their
    modes; a user of its own can do neither.
    """
    return another or (python.landlock >= 3 and python.filters)


def walls_of(kind: Kind, python: Interpreter) -> list[Wall]:
    """Return the walls of a kind of sandbox on this machine, standing or not."""
    linux = sys.platform == "linux"
    isolated = kind in (Kind.BUBBLEWRAP, Kind.NAMESPACES)
    another = changes_user(kind, python)
    scoped = kind is Kind.LANDLOCK and python.landlock >= 6
    if another:
        count = "limited, as a user of its own"
    elif linux and os.geteuid() == 0:
        count = "the kernel sets no limit to root's processes"
    elif linux:
        count = "limited together with all processes of this user"
        if isolated and counts_by_namespace():
            count = "limited"
    else:
        count = "not limited on this system"
    files = {
        Kind.BUBBLEWRAP: "sees only system, interpreter, submission and its scratch folder",
        Kind.NAMESPACES: "sees only system, interpreter, submission and its scratch folder",
        Kind.LANDLOCK: "opens only system, interpreter, submission and its scratch folder",
        Kind.PLAIN: "opens whatever its user may",
    }[kind]
    if isolated:
        network = "a network of its own, without a way out"
    else:
        network = "gets no socket" if python.filters else "reaches whatever this machine reaches"
    signals = "may signal other processes of its user"
    if isolated or another or scoped:
        signals = "sees and signals only its own"
    leftovers = "its daemons are found and killed"
    if isolated:
        leftovers = "the kernel kills all of it at the end"
    elif not linux:
        leftovers = "a daemon that leaves its process group lives on"
    guarded = isolated or (kind is Kind.LANDLOCK and is_guarded(python, another))
    if kind is Kind.LANDLOCK and not guarded:
        files = "reads only what it may, but can cut off or close files of its user"
    return [
        Wall("file system", guarded, files),
        Wall("network", isolated or python.filters, network),
        Wall("number of processes", another or count.startswith("limited"), count),
        Wall("other processes", isolated or another or scoped, signals),
        Wall("daemons", isolated or linux, leftovers),
        Wall("memory", linux, "limited for each process" if linux else "not limited"),
        Wall("disk", True, "limited in all" if isolated else "limited for each file"),
        Wall("time", True, "killed when it is over"),
        Wall("output", True, "killed when it is too much"),
        Wall("environment", True, "only PATH, LANG, HOME and settings of Python and pygame"),
    ]

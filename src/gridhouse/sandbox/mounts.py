"""The file system inside, as a plan of mounts; bubblewrap's arguments and inside.py make it real.

Each line is a kind, a source and a target:

- ``bind``: a file or folder of this machine, read-only, with all below it;
- ``device``: a device file;
- ``tmpfs``, ``proc``: a new file system;
- ``folder``: an empty folder;
- ``link``: a symbolic link that holds the source's text;
- ``seal``: what is mounted at the target becomes read-only.
"""

from __future__ import annotations

import glob
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SCRATCH = "/scratch"
SUBMISSION = "/submission"
INSIDE = "/inside.pyc"
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SETTINGS = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/localtime",
    *sorted(glob.glob("/etc/java-*")),  # Debian keeps a part of each Java there
)
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
STREAMS = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}

Mount = tuple[str, str, str]


def existing(paths: Iterable[str]) -> list[str]:
    """Return the paths that exist and lie below no other of them."""
    found: list[str] = []
    for path in sorted({os.path.abspath(path) for path in paths if os.path.exists(path)}):
        if not any(path.startswith(above + "/") for above in found):
            found.append(path)
    return found


def folders_above(path: str) -> list[str]:
    """Return all folders above a path but the root."""
    found = []
    while (path := os.path.dirname(path)) != "/":
        found.append(path)
    return found


def plan(
    submission: str, inside: str, readable: Iterable[str], hidden: Iterable[str] = ()
) -> list[Mount]:
    """Return the mounts for a submission; its interpreter needs some readable folders.

    Of these the ``hidden`` folders are empty.
    """
    mounts: list[Mount] = []
    binds = []
    for path in SYSTEM:
        if os.path.islink(path):
            mounts.append(("link", os.readlink(path), path))
        elif os.path.isdir(path):
            binds.append(path)
    binds = existing([*binds, *SETTINGS, *readable])
    above = {path for bind in binds for path in folders_above(bind)}
    mounts += [("folder", "", path) for path in sorted(above)]  # bubblewrap would close them
    mounts += [("bind", os.path.realpath(path), path) for path in binds]
    for path in hidden:
        if any(path.startswith(bind + "/") for bind in binds):
            mounts += [("tmpfs", "", path), ("seal", "", path)]
    mounts += [("bind", submission, SUBMISSION), ("bind", inside, INSIDE), ("folder", "", SCRATCH)]
    if not any(path == "/tmp" or path.startswith("/tmp/") for path in binds):
        mounts.append(("link", SCRATCH, "/tmp"))
    mounts.append(("tmpfs", "", "/dev"))
    mounts += [("device", f"/dev/{name}", f"/dev/{name}") for name in DEVICES]
    mounts += [("link", f"/proc/self/fd{end}", f"/dev/{name}") for name, end in STREAMS.items()]
    mounts += [("link", SCRATCH, "/dev/shm"), ("seal", "", "/dev")]
    return [*mounts, ("proc", "", "/proc"), ("seal", "", "/")]


def bubblewrap_arguments(mounts: Iterable[Mount]) -> list[str]:
    """Return the arguments of bubblewrap that make these mounts."""
    options = {
        "bind": "--ro-bind", "device": "--dev-bind", "tmpfs": "--tmpfs", "proc": "--proc",
        "folder": "--dir", "link": "--symlink", "seal": "--remount-ro",
    }  # fmt: skip
    arguments: list[str] = []
    for kind, source, target in mounts:
        arguments += [options[kind], source, target] if source else [options[kind], target]
    return arguments

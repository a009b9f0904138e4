"""The Pythons of this machine that the exact programs have to run with, and the older ones."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

OLDEST = 8  # the minor version of the oldest Python 3 that runs the programs
VERSIONS = ("2.7", *(f"3.{minor}" for minor in range(5, 15)))
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
WHICH = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"


@cache
def found() -> dict[str, str]:
    """Return the interpreters on the path and under pyenv by their versions, ``3.8``."""
    places = [shutil.which(f"python{version}") for version in VERSIONS]
    places += [os.fspath(path) for path in sorted(PYENV.glob("*/bin/python"))]
    known: dict[str, str] = {}
    for place in filter(None, places):
        run = subprocess.run(
            [place, "-S", "-c", WHICH], capture_output=True, text=True, check=False
        )
        if run.returncode == 0:  # a shim of pyenv may stand for nothing
            version, executable = run.stdout.split()
            known.setdefault(version, executable)
    return known


def is_new(version: str) -> bool:
    """Tell whether a version runs the programs."""
    major, minor = map(int, version.split("."))
    return (major, minor) >= (3, OLDEST)


def able() -> list[str]:
    """Return the versions that run the programs, the oldest first."""
    return sorted(filter(is_new, found()), key=lambda version: int(version[2:]))


def too_old() -> list[str]:
    """Return the versions that do not."""
    return sorted(set(found()) - set(able()))

"""Running the exact programs, in this process or as a user does; the documents' samples."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

import pytest

from gridhouse import cli
from gridhouse.core import console

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).parent / "golden"

SESSIONS = sorted(folder.name for folder in GOLDEN.iterdir())

ROOT = Path(__file__).resolve().parent.parent

# The documentation; the reference of the commands is made by `make docs`, of their own help.
FIRST = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = sorted(
    page for page in (*FIRST, *(ROOT / "docs").rglob("*.md")) if page.name != "commands.md"
)
PROGRAMS = ROOT / "programs"
# The documents' own sample sessions; they do not belong to the project and may be missing.
CONFORMANCE = ROOT.parent / "shared" / "conformance"

# The beginning of a program: what is compiled, whether it was loaded or not.
COMPILED = """
import gc
from numba.core.dispatcher import Dispatcher

def compiled():
    # A weak proxy would be asked itself by isinstance, also when what it stands for has gone.
    kernels = [each for each in gc.get_objects() if issubclass(type(each), Dispatcher)]
    return {(each, signature) for each in kernels for signature in each.overloads}
"""


class Run(NamedTuple):
    """What a program wrote, and its exit status."""

    out: str
    err: str
    status: int


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _encode(typed: str | bytes) -> bytes:
    return typed if isinstance(typed, bytes) else typed.encode("utf-8", "surrogateescape")


def run_here(program: Callable[[list[str]], None], *arguments: str, typed: str | bytes = "") -> Run:
    """Run a program in this process."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(_encode(typed)), newline="\n"),
        "stdout": io.TextIOWrapper(out, newline="\n"),
        "stderr": io.TextIOWrapper(err, newline="\n"),
    }
    with ExitStack() as patches:
        for name, stream in streams.items():
            patches.enter_context(mock.patch.object(sys, name, stream))
        status = console.run(program, list(arguments))
        streams["stdout"].flush()
        streams["stderr"].flush()
    return Run(_decode(out.getvalue()), _decode(err.getvalue()), status)


def run_script(name: str, *arguments: str, typed: str | bytes = "", cwd: Path | None = None) -> Run:
    """Run a drop-in script with a bare interpreter: no site packages, any working folder."""
    done = subprocess.run(
        [sys.executable, "-S", os.fspath(PROGRAMS / name), *arguments],
        input=_encode(typed),
        capture_output=True,
        cwd=cwd,
        timeout=60,
        check=False,
    )
    return Run(_decode(done.stdout), _decode(done.stderr), done.returncode)


def run_compiled(code: str, cache: Path, **environment: str) -> str:
    """Return what code prints in a process of its own, whose compiled code is kept in a folder.

    Its coverage is not measured: that would slow down the compiler.
    """
    inherited = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    return subprocess.run(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**inherited, "XDG_CACHE_HOME": str(cache), **environment},
    ).stdout


def command(*arguments: str, typed: str = "") -> Run:
    """Run the command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "gridhouse", *arguments],
        input=typed.encode(),
        capture_output=True,
        env={"COLUMNS": "100", "TERM": "dumb"},
        timeout=60,
        check=False,
    )
    return Run(done.stdout.decode(), done.stderr.decode(), done.returncode)


def run_command(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """Run the command in this process and return its status."""
    monkeypatch.setattr(sys, "argv", ["gridhouse", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    status = ended.value.code or 0
    assert isinstance(status, int)
    return status


class Program(NamedTuple):
    """A script of a game, its arguments, the folder that it runs in, and what is typed."""

    game: str
    script: str
    arguments: tuple[str, ...]
    folder: Path
    typed: bytes


def golden(name: str) -> tuple[Program, bytes]:
    """Return a session of the folder ``golden``, and what is printed."""
    folder = GOLDEN / name
    place, *arguments = (folder / "command").read_text().split()
    game, script = place.split("/")
    program = Program(game, script, tuple(arguments), folder, (folder / "in").read_bytes())
    return program, (folder / "out").read_bytes()

"""A submission, which is a Python script with the files beside it, and its runs."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from gridhouse.core.console import UsageError
from gridhouse.export import export
from gridhouse.grading import driver
from gridhouse.grading.games import grading_of
from gridhouse.sandbox import End, PythonServer, Sandbox

if TYPE_CHECKING:
    from gridhouse.core.sessions import Session
    from gridhouse.grading.games import Grading
    from gridhouse.sandbox import Limits, Result

ERROR = re.compile(r"[\w.]*(Error|Exception|Warning|Interrupt)\b")  # how a traceback ends
DRIVER = "_gridhouse_driver.py"  # as no submission is called


class Output(NamedTuple):
    """The output of a run; ``failure`` says why it did not end as it should, "" if it did."""

    text: str
    failure: str
    seconds: float


class Submission:
    """A program to grade: a copy of its files, behind walls; each run has its own folder."""

    def __init__(
        self, game: str, script: Path, limits: Limits, *, python: str = "", require: bool = False
    ) -> None:
        """Take a Python script and the files beside it; raises SandboxError.

        ``python`` is the interpreter, this one by default.  ``require`` refuses to run without
        walls around files and network.
        """
        self.game = game
        self.script = script
        self.grading = grading_of(game)
        self._folder = tempfile.TemporaryDirectory(prefix="gridhouse-check-")
        copy_files(script, Path(self._folder.name))
        try:
            self.sandbox = Sandbox(
                self._folder.name, limits, python=python or sys.executable, require=require
            )
        except BaseException:
            self._folder.cleanup()
            raise
        self._programs = PythonServer(self.sandbox, script.name)
        self._calls = PythonServer(self.sandbox, DRIVER)
        self._support = _support(game, self.grading.SUPPORT)

    def __enter__(self) -> Self:
        """Return this submission, which :meth:`close` ends."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close this submission."""
        self.close()

    def close(self) -> None:
        """End its servers and remove the copy."""
        self._programs.close()
        self._calls.close()
        self._folder.cleanup()

    def run(self, session: Session) -> Output:
        """Run the program with a session."""
        server, arguments = self._programs, list(session.arguments)
        if session.calls:
            server = self._calls
            arguments = [self.script.name, str(session.seed), *session.calls]
        files = {name: text.encode("utf-8", "surrogateescape") for name, text in session.files}
        typed = session.typed.encode("utf-8", "surrogateescape")
        result = server.run(arguments, typed, {**self._support, **files})
        text = result.stdout.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
        return Output(text, _failure(result), result.seconds)


def _failure(result: Result) -> str:
    """Return why a run did not end as it should, "" if it did."""
    if result.end is not End.EXITED:
        return f"it {result.end.value}" + (f": {result.message}" if result.message else "")
    errors = result.stderr.decode("utf-8", "replace").strip().splitlines()
    if result.status and errors and ERROR.match(errors[-1]):
        # A session may end in the middle of a game, of which the documents say nothing.
        return "" if errors[-1].startswith("EOFError") else f"it ended with {errors[-1]}"
    return ""


def copy_files(script: Path, folder: Path) -> None:
    """Copy a script, the Python files beside it and the driver of calls into a folder."""
    for file in {*script.parent.glob("*.py"), script}:
        shutil.copy(file, folder)
    shutil.copy(driver.__file__, folder / DRIVER)


@cache
def _support(game: str, names: tuple[str, ...]) -> dict[str, bytes]:
    """Return the course's own files that stand beside a submission."""
    if not names:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        export(game, folder, "")
        return {name: (Path(folder) / name).read_bytes() for name in names}


def find_script(grading: Grading, path: Path) -> Path:
    """Return the Python script at a path or in a folder; raises UsageError where there is none."""
    if not path.is_dir():
        if path.is_file():
            return path.resolve()
        raise UsageError(f"there is no file {str(path)!r}")
    scripts = sorted(path.glob("*.py"))
    named = path / grading.SCRIPT
    if named in scripts:
        return named.resolve()
    if len(scripts) == 1:
        return scripts[0].resolve()
    raise UsageError(f"{str(path)!r} holds no {grading.SCRIPT}")

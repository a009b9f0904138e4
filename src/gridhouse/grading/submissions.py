"""Submissions: programs with the files beside them, and their runs behind walls."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from gridhouse.core.components import component
from gridhouse.core.console import UsageError
from gridhouse.core.registry import game_class
from gridhouse.export import export
from gridhouse.grading import driver
from gridhouse.grading.games import grading_of
from gridhouse.grading.paths import without_folders
from gridhouse.programs.files import SOLUTION, copy_program, find_script, python_named
from gridhouse.programs.languages import Language, language_of, prepare, with_memory
from gridhouse.sandbox import End, PythonServer, Sandbox, missing_walls

if TYPE_CHECKING:
    from gridhouse.core.sessions import Session
    from gridhouse.sandbox import Limits, Result

ERROR = re.compile(r"[\w.]*(Error|Exception|Warning|Interrupt)\b")  # how a traceback ends
UNCAUGHT = re.compile(r'Exception in thread "[^"]*" (.*)|terminate called .*|Uncaught (.*)')
ENDS = ("EOFError", "java.util.NoSuchElementException")  # reading after the end of the input
NO_NEWS = re.compile(r"Traceback \(|[ ~^]*$")  # lines of a traceback that can be left out
MOST_ERRORS = 5  # lines of standard error that are kept, and columns of each
MOST_COLUMNS = 200
DRIVER = "_gridhouse_driver.py"  # as no submission is called
NO_CALLS = "its functions cannot be called, since it is no Python program"


class Output(NamedTuple):
    """The output of a run; ``failure`` says why it did not end as it should, "" if it did.

    ``errors`` are the last lines of the standard error of a run that did not end well.
    """

    text: str
    failure: str
    seconds: float
    timed_out: bool = False
    errors: tuple[str, ...] = ()


class Submission(ABC):
    """A program to grade: a copy of its files, behind walls; each run has its own folder.

    ``shrinking_runs`` is how many runs may be spent on shrinking a session.
    """

    shrinking_runs = 200

    def __init__(self, game: str, path: Path) -> None:
        """Copy a folder, or a source with the sources beside it."""
        self.game = game
        self.name = path.name
        self.grading = grading_of(game)
        self._temporary = tempfile.TemporaryDirectory(prefix="gridhouse-check-")
        self.folder = Path(self._temporary.name)
        copy_program(path, self.folder)
        self._support = _support(game, self.grading.SUPPORT)

    def __enter__(self) -> Self:
        """Return this submission, which :meth:`close` ends."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close this submission."""
        self.close()

    def close(self) -> None:
        """Remove the copy."""
        self._temporary.cleanup()

    def run(self, session: Session) -> Output:
        """Run the program with a session."""
        files = {name: text.encode("utf-8", "surrogateescape") for name, text in session.files}
        typed = session.typed.encode("utf-8", "surrogateescape")
        return self._run(session, typed, {**self._support, **files})

    @abstractmethod
    def _run(self, session: Session, typed: bytes, files: dict[str, bytes]) -> Output:
        """Run the program with a session, its input and files as bytes."""


class PythonSubmission(Submission):
    """A Python script; its sessions are forks of one server."""

    def __init__(
        self, game: str, script: Path, limits: Limits, *, python: str = "", require: bool = False
    ) -> None:
        """Take a Python script or the folder that it is in; raises UsageError and SandboxError.

        ``python`` is the interpreter or its version, by default this one outside of its virtual
        environment.
        ``require`` refuses to run without walls around files and network.
        """
        grading = grading_of(game)
        found = find_script(grading.SCRIPT, script)
        if found is None:
            raise UsageError(f"{str(script)!r} holds no {grading.SCRIPT}")
        super().__init__(game, script)
        self.name = self.script = found.name
        try:
            shutil.copy(driver.__file__, self.folder / DRIVER)
            for library in _libraries(game):
                if not (self.folder / library.name).exists():
                    shutil.copy(library, self.folder)
            sandbox = Sandbox(
                self.folder,
                limits,
                python=python_named(python),
                hidden=SOLUTION,
                require=require,
            )
        except BaseException:
            self.close()
            raise
        self._programs = PythonServer(sandbox, self.script)
        self._calls = PythonServer(sandbox, DRIVER)

    def close(self) -> None:
        """End its servers and remove the copy."""
        if hasattr(self, "_calls"):
            self._programs.close()
            self._calls.close()
        super().close()

    def _run(self, session: Session, typed: bytes, files: dict[str, bytes]) -> Output:
        server, arguments = self._programs, list(session.arguments)
        if session.calls:
            server = self._calls
            arguments = [self.script, str(session.seed), *session.calls]
        return _output(server.run(arguments, typed, files))


class BuiltSubmission(Submission):
    """A program in another language, which is built once and started for each session."""

    shrinking_runs = 60  # a start takes ten times as long as a fork

    def __init__(
        self, game: str, path: Path, limits: Limits, language: Language, *, require: bool = False
    ) -> None:
        """Build a program; raises BuildError and SandboxError."""
        super().__init__(game, path)
        try:
            names = (self.grading.SCRIPT.partition(".")[0], game)
            self.language = prepare(self.folder, language, names, require=require)
            limits = with_memory(limits, language)
            self._sandbox = Sandbox(self.folder, limits, hidden=SOLUTION, require=require)
        except BaseException:
            self.close()
            raise

    def _run(self, session: Session, typed: bytes, files: dict[str, bytes]) -> Output:
        if session.calls:
            return Output("", NO_CALLS, 0.0)
        command = ["sh", "-c", f'exec {self.language.run} "$@"', "sh", *session.arguments]
        return _output(self._sandbox.run(command, typed, files))


class Commands(NamedTuple):
    """What somebody asks for: an interpreter, or commands to build and to run a program."""

    python: str = ""
    build: str = ""
    run: str = ""


NO_COMMANDS = Commands()


def tell_missing_walls(commands: Commands) -> None:
    """Say on standard error where nothing keeps programs from files or network on this machine.

    Raises SandboxError for an interpreter that cannot be used.
    """
    missing = missing_walls(python_named(commands.python))
    if missing:
        print(f"gridhouse: no safe sandbox: {', '.join(map(str, missing))}", file=sys.stderr)


def open_submission(
    game: str,
    path: Path,
    limits: Limits,
    commands: Commands = NO_COMMANDS,
    *,
    require: bool = False,
) -> Submission:
    """Return the program at a path, in the language that its files tell.

    Raises UsageError where there is none, BuildError and SandboxError.
    """
    if not path.exists():
        raise UsageError(f"there is no file {str(path)!r}")
    if commands.run or commands.build:
        language = Language("the command", (), commands.build, commands.run)
        return BuiltSubmission(game, path, limits, language, require=require)
    script = path / grading_of(game).SCRIPT if path.is_dir() else path
    language_found = None if script.suffix == ".py" and script.is_file() else language_of(path)
    if language_found is not None:
        return BuiltSubmission(game, path, limits, language_found, require=require)
    return PythonSubmission(game, path, limits, python=commands.python, require=require)


def _output(result: Result) -> Output:
    text = result.stdout.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    errors = result.stderr.decode("utf-8", "replace").strip().splitlines()
    errors = [line for line in errors if not NO_NEWS.match(line)]
    error, failure = _uncaught(errors), ""
    if result.end is not End.EXITED:
        failure = f"it {result.end.value}" + (f": {result.message}" if result.message else "")
    elif not result.status or error.startswith(ENDS):
        # A session may end in the middle of a game, of which the documents say nothing.
        errors = []
    elif error:
        failure = f"it ended with {error}"
    return Output(
        text,
        without_folders(failure),
        result.seconds,
        result.end in (End.TIMED_OUT, End.CPU_EXCEEDED),
        tuple(without_folders(line)[:MOST_COLUMNS] for line in errors[-MOST_ERRORS:]),
    )


def _uncaught(errors: list[str]) -> str:
    """Return the exception that standard error tells of, "" if it tells of none."""
    uncaught = next(filter(None, map(UNCAUGHT.match, errors)), None)
    if uncaught is not None:
        return next(filter(None, uncaught.groups()), uncaught.group())
    return errors[-1] if errors and ERROR.match(errors[-1]) else ""


def _libraries(game: str) -> list[Path]:
    """Return the modules that a game's document lets a program import, beside Python's own."""
    package = component(game_class(game), "libraries")
    folder = [] if package is None else [Path(path) for path in package.__path__]
    return [path for each in folder for path in each.glob("*.py") if path.stem != "__init__"]


@cache
def _support(game: str, names: tuple[str, ...]) -> dict[str, bytes]:
    """Return the course's own files that stand beside a submission."""
    if not names:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        export(game, folder, "")
        return {name: (Path(folder) / name).read_bytes() for name in names}

"""Programs that speak the engine protocol as competitors."""

from __future__ import annotations

import shlex
import shutil
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gridhouse.arena.competitors.base import Competitor, ForfeitError, Reply
from gridhouse.arena.competitors.house import limits_of
from gridhouse.arena.protocol import (
    DOCUMENTED,
    MATCH_LIMITS,
    RESIGN,
    AnswerError,
    Client,
    game_command,
    is_usual_start,
    moves_from_start,
    read_info,
)
from gridhouse.arena.records import Termination
from gridhouse.arena.time_control import LONGEST_WAIT
from gridhouse.core.console import UsageError
from gridhouse.core.errors import MoveError
from gridhouse.core.notation import shown
from gridhouse.programs.files import SOLUTION, base_python, copy_program, find_script, placed
from gridhouse.programs.languages import language_of, prepare
from gridhouse.sandbox import End, Sandbox, SandboxError, start_own

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.arena.protocol import Answer
    from gridhouse.arena.time_control import Turn
    from gridhouse.core.game import State
    from gridhouse.sandbox import Limits, Process

STARTUP_WAIT = 10.0  # seconds for a start, and for getting ready for a game
LATENESS = 0.5  # seconds that a late answer is waited for before the program is killed
MOST_FALSE_STARTS = 3  # one after the other; then it is not started any more
LEAVE_WAIT = 1.0  # seconds for ending after `exit`
NAMES = ("player", "main", "a4")  # of a submission's program, besides the game's
LONGEST_QUOTE = 200  # characters of a program's last words


class Starter:
    """Starts a command, behind walls unless it is one's own."""

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        sandboxed: bool = True,
        folder: str | Path | None = None,
        limits: Limits = MATCH_LIMITS,
        python: str = "",
        hidden: Sequence[str] = (),
        require: bool = False,
    ) -> None:
        """Take a command line, or its words.

        In the sandbox it sees the files of ``folder``.  Without one it is the user's own program:
        it sees those of the folder that its first file is in, and this package, and has the Python
        that it names.  ``python`` is the interpreter that it finds there, by default this one
        outside of its virtual environment, ``hidden`` are folders that it cannot read, and
        ``require`` refuses to run it without walls around files and network.  Without the sandbox
        it runs as any program, and of the limits only that of an answer holds.  Raises UsageError
        and SandboxError.
        """
        self.command = _words(command)
        self.limits = limits
        self._sandbox: Sandbox | None = None
        if sandboxed:
            readable: Sequence[str] = ()
            if folder is None:
                self.command, folder, named = placed(self.command)
                python, readable = python or named, SOLUTION
            self._sandbox = Sandbox(
                folder,
                limits,
                python=python or base_python(),
                readable=readable,
                hidden=hidden,
                require=require,
            )
        self._folder = folder or "."

    def start(self) -> Process:
        """Start the command; raises SandboxError and OSError."""
        if self._sandbox is None:
            return start_own(self.command, self.limits, self._folder)
        return self._sandbox.start(self.command)


def submitted(path: Path, game: str, *, require: bool = False) -> Starter:
    """Return what starts a submission: a source or a folder, copied and built where it has to be.

    In a folder the program is ``player.py``, ``main.py``, ``a4.py`` or the game's name, or what its
    language or a Makefile makes.  It cannot import this package.  ``require`` refuses to run it
    without walls around files and network.  Raises UsageError, BuildError and SandboxError.
    """
    if not path.exists():
        raise UsageError(f"there is no file {str(path)!r}")
    folder = Path(tempfile.mkdtemp(prefix="gridhouse-player-"))
    try:
        copy_program(path, folder)
        command = _submitted_command(path, folder, game, require)
        starter = Starter(
            command, folder=folder, python=base_python(), hidden=SOLUTION, require=require
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(starter, shutil.rmtree, folder, ignore_errors=True)
    return starter


def _submitted_command(path: Path, folder: Path, game: str, require: bool) -> list[str]:
    """Return the command of a submission that has been copied into a folder."""
    names = (*NAMES, game)
    scripts = [path] if path.is_file() else [path / f"{name}.py" for name in names]
    script = next((file for file in scripts if file.suffix == ".py" and file.is_file()), None)
    language = language_of(path) if script is None else None
    if language is not None:
        ready = prepare(folder, language, names, require=require)
        return ["sh", "-c", f"exec {ready.run}"]
    script = script or find_script("", path)
    if script is None or script.suffix != ".py":
        raise UsageError(f"{str(path)!r} holds no program: {', '.join(names)}")
    return ["python3", script.name]


def _words(command: str | Sequence[str]) -> list[str]:
    """Return the words of a command line; raises UsageError."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise UsageError(f"{shown(str(command))} is no command line: {error}") from None
    if not words or any("\0" in word for word in words):
        raise UsageError(f"{shown(str(command))} is no command line")
    return words


class ProgramCompetitor(Competitor):
    """A program that speaks the engine protocol, started when a game needs it.

    A program that is late, breaks the protocol or ends is killed and started again for the next
    game.  What it takes from the first command of a turn to the end of its move counts.
    """

    def __init__(
        self,
        starter: Starter,
        name: str = "",
        *,
        startup_wait: float = STARTUP_WAIT,
        longest_wait: float = LONGEST_WAIT,
        lateness: float = LATENESS,
    ) -> None:
        """Take what starts the program; ``name`` is its command by default.

        ``startup_wait`` are the seconds for its start, ``longest_wait`` those for a move without a
        limit of time, and ``lateness`` those for which a late move is waited for.
        """
        self.name = name or shlex.join(starter.command)
        self._starter = starter
        self._startup_wait = startup_wait
        self._longest_wait = longest_wait
        self._lateness = lateness
        self._client: Client | None = None
        self._commands: frozenset[str] = DOCUMENTED
        self._state: State | None = None  # what the program knows of the game; None after `game`
        self._limit = ""  # the last command that limited its moves
        self._false_starts: list[ForfeitError] = []  # since it was last ready for a game

    def begin(self, state: State, side: int, number: int) -> None:
        """Start the program if it does not run, and the game."""
        del side, number
        if len(self._false_starts) == MOST_FALSE_STARTS:  # else a broken one takes all the time
            last = self._false_starts[-1]
            raise ForfeitError(
                last.termination, f"it is not started any more, since three times {last.reason}"
            )
        try:
            self._begin(state)
        except ForfeitError as forfeit:
            self._false_starts.append(forfeit)
            raise
        self._false_starts.clear()

    def _begin(self, state: State) -> None:
        deadline = time.monotonic() + self._startup_wait
        self._state = None
        self._limit = ""
        if self._client is not None and self._client.process.has_ended:
            self._drop()
        if self._client is None:
            self._start(deadline)
        self._order(game_command(state.game), deadline)

    def choose(self, state: State, turn: Turn) -> Reply:
        """Tell the program what it may know, and read its move."""
        is_timed = turn.clocks is not None or turn.control.seconds is not None
        wait = turn.deadline + self._lateness if is_timed else self._longest_wait
        late = Termination.TIME if is_timed else Termination.STALL
        moves = self._news(state)
        limits = self._limits(turn)
        started = time.monotonic()
        deadline = started + wait
        for command in moves:
            self._order(command, deadline, late)
        for command in limits:
            self._ask(command, deadline, late)
        answer = self._order("genmove", deadline, late)
        seconds = time.monotonic() - started
        if not answer.lines:
            raise self._garbled("it answered 'genmove' without a move")
        move, *others = answer.lines
        if move.lower() == RESIGN:
            raise ForfeitError(Termination.RESIGNATION, "it resigned")
        value, work = read_info(others[0] if others else "")
        self._state = state.clone()
        with suppress(MoveError):  # the referee finds it as well
            self._state.play(move)
        return Reply(move, value, work, seconds)

    def close(self) -> None:
        """Let the program end, and kill it if it does not."""
        if self._client is None:
            return
        try:
            self._client.process.send(b"exit\n", LEAVE_WAIT)
            self._client.process.close_input()
            deadline = time.monotonic() + LEAVE_WAIT
            while True:
                self._client.process.read_line(max(0.0, deadline - time.monotonic()))
        except (EOFError, TimeoutError):
            self._drop()

    # Texts

    def _news(self, state: State) -> list[str]:
        """Return the commands that tell what has happened, as far as this side may know it."""
        if not state.game.perfect_information:
            if "position" not in self._commands:
                raise self._garbled("it does not know 'position', which hidden information needs")
            return [f"position {state.observation_string()}"]
        known, moves = self._state, []
        if known is None and "position" in self._commands:
            text = state.game.write(state.position)
            return [] if is_usual_start(state) else [f"position {text}"]
        if known is None:
            found = moves_from_start(state)
            if found is None:
                raise self._garbled("it does not know 'position', which this opening needs")
            moves = found
        else:
            known = known.clone()
            for action in state.history()[len(known.history()) :]:
                moves.append(known.action_to_string(action))
                known.apply_action(action)
        return [f"play {move}" for move in moves]

    def _limits(self, turn: Turn) -> list[str]:
        """Return the commands that tell the limits of the next move, those that are known."""
        control = turn.control
        knows_clocks = "time_left" in self._commands
        command = ""
        if turn.clocks is not None and knows_clocks:
            mine, theirs = (f"{max(0.0, left):.3f}" for left in turn.clocks)
            return [f"time_left {mine} {control.increment:g} {theirs}"]
        if control.nodes is not None:
            command = f"nodelimit {control.nodes}"
        elif control.playouts is not None:
            command = f"playoutlimit {control.playouts}"
        else:
            seconds = limits_of(turn).seconds or 0.0
            command = f"timelimit {f'{seconds:g}' if knows_clocks else max(1, int(seconds))}"
        if command == self._limit or command.split()[0] not in self._commands:
            return []
        self._limit = command
        return [command]

    # Talk

    def _start(self, deadline: float) -> None:
        """Start the program and ask for its commands; raises ForfeitError."""
        try:
            self._client = Client(self._starter.start())
        except (OSError, SandboxError) as error:
            raise ForfeitError(Termination.CRASH, f"it cannot be started: {error}") from None
        answer = self._ask("list_commands", deadline)
        listed = {line.split()[0] for line in answer.lines}
        self._commands = frozenset(listed) if answer.is_done and listed else DOCUMENTED

    def _order(
        self, command: str, deadline: float, late: Termination = Termination.STALL
    ) -> Answer:
        """Send a command that has to be carried out; raises ForfeitError."""
        answer = self._ask(command, deadline, late)
        if not answer.is_done:
            raise self._garbled(f"it answered {shown(command, 100)} with {shown(answer.status)}")
        return answer

    def _ask(self, command: str, deadline: float, late: Termination = Termination.STALL) -> Answer:
        """Send a command and return the answer; raises ForfeitError, of kind ``late`` if none came.

        A program that has not answered as it should is killed.
        """
        assert self._client is not None
        asked = time.monotonic()
        quoted = shown(command, 100)
        try:
            return self._client.ask(command, max(0.0, deadline - asked))
        except TimeoutError:
            self._drop()
            reason = f"it did not answer {quoted} in {time.monotonic() - asked:.3f} s"
            raise ForfeitError(late, reason) from None
        except AnswerError as error:
            raise self._garbled(f"it answered {quoted} with {error}") from None
        except EOFError as error:
            process = self._client.process
            kind = Termination.CRASH if process.has_ended else Termination.DISCONNECTION
            reason = ending(process, error)
            self._drop()
            raise ForfeitError(kind, f"{reason}, after {quoted}") from None

    def _garbled(self, reason: str) -> ForfeitError:
        """Return the forfeit of a program that broke the protocol, which is killed."""
        self._drop()
        return ForfeitError(Termination.GARBLED, reason)

    def _drop(self) -> None:
        """Kill the program."""
        if self._client is not None:
            self._client.process.close()
            self._client = None


def ending(process: Process, error: EOFError) -> str:
    """Say how a program ended, with the last line of its standard error, or what it closed."""
    if not process.has_ended:
        return str(error).rpartition(": ")[2].replace("the program", "it")
    result = process.close()
    if result.end is End.EXITED:
        reason = f"it exited with status {result.status}"
    elif result.end is End.SIGNALLED and result.status is not None:
        reason = f"it was ended by signal {-result.status}"
    else:
        reason = f"it {result.end.value}"
    said = (result.message or result.stderr.decode("utf-8", "replace")).strip().splitlines()
    return f"{reason}: {shown(said[-1].strip(), LONGEST_QUOTE)}" if said else reason

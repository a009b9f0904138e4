"""Holds a program to the engine protocol, and says line by line what it does wrong."""

from __future__ import annotations

import functools
import random
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from gridhouse.arena.competitors.program import LATENESS, LEAVE_WAIT, STARTUP_WAIT, ending
from gridhouse.arena.protocol import (
    DOCUMENTED,
    REQUIRED,
    RESIGN,
    VERSION,
    AnswerError,
    Client,
    game_command,
    read_info,
)
from gridhouse.arena.time_control import LONGEST_WAIT, MARGIN
from gridhouse.core.errors import MoveError
from gridhouse.core.game import TERMINAL
from gridhouse.core.notation import shown
from gridhouse.core.registry import parse
from gridhouse.sandbox import SandboxError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gridhouse.arena.competitors.program import Starter
    from gridhouse.arena.protocol import Answer
    from gridhouse.core.game import State
    from gridhouse.sandbox import Process

# A board that is not square shows whether columns and rows are exchanged.
STARTS = (
    "binary(rows=3,cols=5)#0",
    "sinks(rows=8,cols=8)#0",
    "tactego(rows=6,cols=4)#0",
    "tactego(rows=6,cols=4,hidden=True)#0",
)
MOVES = 30  # of a game that is tried
SHOWN_LINES = 6  # of the talk before a finding
SHOWN_WIDTH = 100
UNKNOWN = "no_such_command"
NONSENSE = "this is no move"
SECONDS = 1  # the limit of each move
SETTLING = 0.01  # seconds for which something is waited for after an answer
LIMITS = {
    "time_left": f"time_left {SECONDS} 0.1 {SECONDS}",
    "nodelimit": "nodelimit 1000",
    "playoutlimit": "playoutlimit 100",
    "timelimit": f"timelimit {SECONDS}",
}


class Level(StrEnum):
    """How bad a finding is."""

    MUST = "must"
    SHOULD = "should"


@dataclass(frozen=True)
class Finding:
    """What a program does wrong, and the talk before: lines that begin with > were sent."""

    level: Level
    text: str
    talk: tuple[str, ...]

    def __str__(self) -> str:
        """Return the finding and the talk, a line each."""
        return "\n".join([f"{self.level}: {self.text}", *(f"    {line}" for line in self.talk)])


@dataclass(frozen=True)
class Compliance:
    """The findings about a program, and the games that it plays as the commands that start them."""

    findings: tuple[Finding, ...]
    games: tuple[str, ...]

    @property
    def status(self) -> int:
        """The exit status: 1 if something must be changed."""
        return int(any(finding.level is Level.MUST for finding in self.findings))

    def __str__(self) -> str:
        """Return the report."""
        counts = [
            f"{sum(finding.level is level for finding in self.findings)} that it {level} change"
            for level in Level
        ]
        played = "\n".join(f"it plays: {game}" for game in self.games) or "it plays no game"
        parts = [*map(str, self.findings), played, f"findings: {', '.join(counts)}"]
        return "\n".join(parts)


class _StoppedError(Exception):
    """Nothing more can be learned from this process; why is among the findings."""


def check(
    starter: Starter,
    *,
    startup_wait: float = STARTUP_WAIT,
    longest_wait: float = LONGEST_WAIT,
    starts: Sequence[str] = STARTS,
) -> Compliance:
    """Go through the protocol with a program.

    ``startup_wait`` are the seconds for its first answer and ``longest_wait`` those for any other.
    ``starts`` are the games that it is asked to play, as texts of their starts.
    """
    checks = _Checks(starter, startup_wait, longest_wait)
    if checks.section(checks.commands):
        for start in starts:
            checks.section(functools.partial(checks.game, parse(start)))
        if not checks.games:
            checks.find(Level.MUST, "it plays none of the games")
        checks.section(checks.leaving)
        checks.section(checks.end_of_input)
    first = {finding.text: finding for finding in reversed(checks.findings)}
    return Compliance(tuple(reversed(first.values())), tuple(checks.games))


class _Checks:
    """The checks, each with a process of its own."""

    def __init__(self, starter: Starter, startup_wait: float, longest_wait: float) -> None:
        self._starter = starter
        self._startup_wait = startup_wait
        self._longest_wait = longest_wait
        self._known: frozenset[str] = DOCUMENTED
        self._chance = random.Random(0)
        self._client: Client | None = None
        self._talk: list[str] = []
        self._seconds = 0.0  # the time of the last answer
        self.findings: list[Finding] = []
        self.games: list[str] = []

    def find(self, level: Level, text: str) -> None:
        """Note a finding."""
        self.findings.append(Finding(level, text, tuple(self._talk[-SHOWN_LINES:])))

    def _fail(self, text: str) -> _StoppedError:
        """Note what must be changed, and return what stops the section."""
        self.find(Level.MUST, text)
        return _StoppedError()

    def section(self, run: Callable[[], None]) -> bool:
        """Run checks with a new process; return whether they came to their end."""
        self._talk = []
        try:
            process = self._starter.start()
        except (OSError, SandboxError) as error:
            self.find(Level.MUST, f"it cannot be started: {error}")
            return False
        with process:
            self._client = Client(process)
            try:
                run()
            except _StoppedError:
                return False
        return True

    # Talk

    @property
    def _process(self) -> Process:
        assert self._client is not None
        return self._client.process

    def _ask(self, command: str) -> Answer:
        """Send a command and return its answer; a failure is a finding and raises _StoppedError."""
        assert self._client is not None
        wait = self._longest_wait if self._talk else self._startup_wait
        self._talk.append(f"> {command[:SHOWN_WIDTH]}")
        started = time.monotonic()
        try:
            answer = self._client.ask(command, wait)
        except (TimeoutError, EOFError, AnswerError) as error:
            self._note()
            reason = self._why(error, shown(command, SHOWN_WIDTH), wait)
            raise self._fail(reason) from None
        self._seconds = time.monotonic() - started
        self._note()
        more = [line for line in self._lines(SETTLING) if line]
        if more:
            self._talk += [f"< {line[:SHOWN_WIDTH]}" for line in more[:SHOWN_LINES]]
            raise self._fail("it writes more after its status")
        return answer

    def _note(self) -> None:
        """Note what was received."""
        assert self._client is not None
        lines = [f"< {line[:SHOWN_WIDTH]}" for line in self._client.received] or ["<"]
        if len(lines) > SHOWN_LINES // 2:
            lines[1:-1] = ["< ..."]
        self._talk += lines

    def _why(self, error: Exception, quoted: str, wait: float) -> str:
        """Say why there is no right answer; one that is missing may wait in a buffer."""
        assert self._client is not None
        if isinstance(error, AnswerError):
            return f"it answers {quoted} with {error}"
        if isinstance(error, EOFError):
            return f"it does not answer {quoted}: {ending(self._process, error)}"
        if self._client.received:
            return f"there is no status in its answer to {quoted} after {wait:g} s"
        self._process.close_input()
        if any(self._lines(LEAVE_WAIT)):
            return f"it answers {quoted} at the end of the input only: output has to be flushed"
        return f"it does not answer {quoted} in {wait:g} s"

    def _lines(self, seconds: float) -> Iterator[str]:
        """Yield the lines that come within so many seconds."""
        deadline = time.monotonic() + seconds
        try:
            while True:
                line = self._process.read_line(max(0.0, deadline - time.monotonic()))
                yield line.decode("utf-8", "backslashreplace").strip()
        except (EOFError, TimeoutError):
            return

    def _done(self, command: str, wrong: str) -> Answer:
        """Return the answer to a command that has to be carried out."""
        answer = self._ask(command)
        if not answer.is_done:
            raise self._fail(wrong)
        return answer

    def _refused(self, command: str, level: Level, wrong: str) -> None:
        """Send a command that is to be refused."""
        if self._ask(command).is_done:
            self.find(level, wrong)
            if level is Level.MUST:
                raise _StoppedError

    # Sections

    def commands(self) -> None:
        """Commands that need no game."""
        answer = self._ask("list_commands")
        if answer.is_done:
            self._known = frozenset(line.split()[0] for line in answer.lines)
            missing = REQUIRED - self._known
            if missing:
                self.find(Level.MUST, f"it does not list {', '.join(sorted(missing))}")
            if any(" " in line for line in answer.lines):
                self.find(Level.SHOULD, "it lists commands with more than their name in a line")
        else:
            self.find(Level.SHOULD, "it does not know 'list_commands': the arena sends it no more "
                      "than the commands of the Binary Game's document")  # fmt: skip
        self._refused(UNKNOWN, Level.MUST, "it carries out a command that there is not")
        for command in ("name", "version", "protocol_version"):
            if command in self._known:
                lines = self._done(command, f"it lists {command!r} and refuses it").lines
                if len(lines) != 1:
                    self.find(Level.SHOULD, f"its answer to {command!r} is not one line")
                if command == "protocol_version" and lines != (str(VERSION),):
                    self.find(Level.MUST, f"the version of the protocol is {VERSION}")

    def game(self, state: State) -> None:
        """Play a game, if it is played."""
        command = game_command(state.game)
        if not self._ask(command).is_done:
            return
        self.games.append(command)
        if state.game.perfect_information:
            self._open_game(state)
        else:
            self._hidden_game(state)

    def _open_game(self, state: State) -> None:
        """Play moves of both sides, illegal ones, and take some back."""
        if "position" in self._known:
            self._position(state)
        elif state.game.has_chance:
            raise self._fail(
                "it does not list 'position', without which it knows no random start; "
                "`= -1` to `game` declines a game"
            )
        self._limits()
        if "undo" in self._known:
            self._refused("undo", Level.SHOULD, "it takes back a move where there is none")
        for ply in range(MOVES):
            if state.current_player() == TERMINAL:
                break
            wrong = _illegal_moves(state)[ply % 4]
            self._refused(f"play {wrong}", Level.MUST, f"it plays the illegal move {shown(wrong)}")
            if ply % 2:
                self._genmove(state)
            else:
                move = self._chance.choice(state.legal_moves())
                self._done(f"play {move}", f"it refuses the legal move {move!r}")
                state.play(move)
            if "undo" in self._known and self._chance.random() < 1 / 3:
                self._done("undo", "it does not take back the last move")
                state.undo()
        if "position" in self._known:
            self._refused(f"position {NONSENSE}", Level.SHOULD, "it takes any text for a position")

    def _hidden_game(self, state: State) -> None:
        """Let it play one side, which is told what it may see before each move."""
        if "position" not in self._known:
            raise self._fail(
                "it does not list 'position', which hidden information needs; "
                "`= -1` to `game` declines a game"
            )
        self._limits()
        for _ in range(MOVES):
            if state.current_player() == TERMINAL:
                return
            if state.current_player() == 0:
                self._position(state)
                self._genmove(state)
            else:
                state.play(self._chance.choice(state.legal_moves()))

    def _position(self, state: State) -> None:
        self._done(f"position {state.observation_string()}", "it refuses a position")

    def _limits(self) -> None:
        """Send each limit that it knows; the one of time comes last."""
        for name, command in LIMITS.items():
            if name in self._known:
                answer = self._ask(command)
                if not answer.is_done and self._known is not DOCUMENTED:
                    raise self._fail(f"it refuses {command!r}")

    def _genmove(self, state: State) -> None:
        """Have it move, and hold the move and its time to the rules."""
        answer = self._done("genmove", "it refuses to move in a game that goes on")
        seconds = self._seconds
        if not answer.lines:
            raise self._fail("it moves without saying where")
        move, *others = answer.lines
        if move == RESIGN:
            raise self._fail(f"it resigns while it has legal moves: {state.legal_moves()[0]!r}")
        if seconds > SECONDS + MARGIN and "timelimit" in self._known:
            text = f"its move takes {seconds:.2f} s of {SECONDS}, and loses on time"
            if seconds > SECONDS + LATENESS:
                raise self._fail(text)
            self.find(Level.SHOULD, text)  # perhaps this machine was busy
        if others and read_info(others[0])[0] is None:
            self.find(Level.SHOULD, "a line after its move is no line 'info value V work N'")
        try:
            state.play(move)
        except MoveError as error:
            raise self._fail(f"its move is illegal: {error}") from None
        if "solve" in self._known:
            self._solve(state)

    def _solve(self, state: State) -> None:
        """Hold the form of a solution to the protocol."""
        if state.current_player() == TERMINAL:
            return
        answer = self._ask("solve")
        if not answer.is_done and self._known is DOCUMENTED:
            return
        words = answer.lines[0].split() if answer.lines else []
        move = " ".join(words[1:])
        is_right = words[:1] in (["1"], ["2"]) or words == ["unknown"]
        if not answer.is_done or not is_right:
            self.find(Level.MUST, "its solution is neither 1 or 2, with a move or not, nor unknown")
        elif move and move not in state.legal_moves():
            self.find(Level.MUST, f"its winning move {shown(move)} is not legal")

    def leaving(self) -> None:
        """``exit`` ends it."""
        self._ask(UNKNOWN)
        self._talk.append("> exit")
        self._process.send(b"exit\n", LEAVE_WAIT)
        self._ends("it does not end within a second after 'exit'", Level.MUST)

    def end_of_input(self) -> None:
        """So does the end of the input."""
        self._ask(UNKNOWN)
        self._talk.append("> (the end of the input)")
        self._process.close_input()
        self._ends("it does not end at the end of the input", Level.SHOULD)

    def _ends(self, wrong: str, level: Level) -> None:
        deadline = time.monotonic() + LEAVE_WAIT
        while not self._process.has_ended and time.monotonic() < deadline:
            for _ in self._lines(SETTLING):
                pass
        if not self._process.has_ended:
            self.find(level, wrong)


def _illegal_moves(state: State) -> list[str]:
    """Return four texts that are no legal moves: one against the rules, if there is one."""
    game = state.game
    legal = state.legal_moves()
    against = (
        move
        for action in range(game.num_actions)
        if (move := state.action_to_string(action)) not in legal
    )
    _, *others = legal[0].split()
    return [next(against, NONSENSE), NONSENSE, " ".join(["99", *others]), f"{legal[0]} 1"]

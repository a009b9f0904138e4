"""The arena's side of the engine protocol: commands, answers, and the texts of games.

The protocol is written down in ``docs/engine-protocol.md``.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gridhouse.core.errors import GridhouseError
from gridhouse.core.notation import shown
from gridhouse.sandbox import End, Limits
from gridhouse.sandbox.results import MIB

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State
    from gridhouse.sandbox import Process

VERSION = 1
LONGEST_LINE = 1 << 16  # bytes
LONGEST_ANSWER = 1 << 20
DONE = "= 1"
REFUSED = "= -1"
ILLEGAL = "= illegal move"
RESIGN = "resign"
REQUIRED = frozenset({"game", "play", "genmove", "exit"})
# What the document's programs know, which cannot list their commands.
DOCUMENTED = frozenset({"game", "play", "genmove", "timelimit", "solve", "exit"})

WEEK = 7 * 24 * 3600.0
MATCH_LIMITS = Limits(
    wall=WEEK,
    cpu=WEEK,
    memory=8192 * MIB,
    output=4 * LONGEST_LINE,
    processes=64,
    disk=256 * MIB,
)


class AnswerError(GridhouseError):
    """An answer is none of the protocol; the message says why."""


@dataclass(frozen=True)
class Answer:
    """The lines of an answer without empty ones, and its last line, the status."""

    lines: tuple[str, ...]
    status: str

    @property
    def is_done(self) -> bool:
        """Whether the command was carried out."""
        return self.status == DONE


class Client:
    """Commands to a running program and its answers."""

    def __init__(self, process: Process) -> None:
        """Talk with a program that has just been started.

        ``received`` are the lines of the last answer, as far as it came.
        """
        self.process = process
        self.received: list[str] = []

    def ask(self, command: str, seconds: float) -> Answer:
        """Send a command and return the answer, which has to be there within so many seconds.

        Raises TimeoutError, EOFError and AnswerError.
        """
        deadline = time.monotonic() + seconds
        self.process.send(command.encode("utf-8", "surrogateescape") + b"\n", seconds)
        lines: list[str] = []
        self.received = []
        size = 0
        while True:
            line = self._line(deadline)
            size += len(line) + 1
            if size > LONGEST_ANSWER:
                raise AnswerError(f"more than {LONGEST_ANSWER} bytes without a status")
            text = " ".join(line.decode("utf-8", "backslashreplace").split())
            if text:
                self.received.append(text)
            if text in (DONE, REFUSED) or text.startswith(ILLEGAL):
                return Answer(tuple(lines), text)
            if text.startswith("="):
                raise AnswerError(f"{shown(text)} is no status: {DONE}, {REFUSED} or {ILLEGAL}: …")
            if text:
                lines.append(text)

    def _line(self, deadline: float) -> bytes:
        too_long = AnswerError(f"a line of more than {LONGEST_LINE} bytes")
        try:
            line = self.process.read_line(max(0.0, deadline - time.monotonic()))
        except EOFError:
            if self.process.has_ended and self.process.close().end is End.TOO_MUCH_OUTPUT:
                raise too_long from None
            raise
        if len(line) > LONGEST_LINE:
            raise too_long
        return line


def game_command(game: Game) -> str:
    """Return the command that starts a game; the Binary Game's is its document's."""
    if game.name == "binary":
        return f"game {game.cols} {game.rows}"
    return f"game {game}"


def read_info(line: str) -> tuple[float | None, int]:
    """Return value and work of a line ``info value V work N``; None and 0 where it has none."""
    words = line.split()
    if words[:1] != ["info"]:
        return None, 0
    said = dict(zip(words[1::2], words[2::2], strict=False))
    try:
        value = float(said.get("value", "nan"))
    except ValueError:
        value = math.nan
    work = said.get("work", "")
    known = None if math.isnan(value) else max(-1.0, min(1.0, value))
    return known, int(work) if work.isdecimal() and len(work) < 19 else 0


def is_usual_start(state: State) -> bool:
    """Return whether a state is where its game begins, which a program knows without being told."""
    return not state.game.has_chance and state == state.game.new_initial_state()


def moves_from_start(state: State) -> list[str] | None:
    """Return moves that lead from the start of a state's game to the state, None if none are known.

    These are its own moves, if it began at the start.  Otherwise moves are taken whose position is
    nearer to the text of the state: that finds them where a game only fills its board.
    """
    earlier = state.clone()
    moves = []
    for action in reversed(state.history()):
        earlier.undo()
        moves.append(earlier.action_to_string(action))
    if is_usual_start(earlier):
        return moves[::-1]
    if state.game.has_chance:
        return None
    start = state.game.new_initial_state()
    wanted = str(state)
    moves = []
    while start != state:
        for action in start.legal_actions():
            after = start.clone()
            after.apply_action(action)
            if _differences(str(after), wanted) < _differences(str(start), wanted):
                moves.append(start.action_to_string(action))
                start = after
                break
        else:
            return None
    return moves


def _differences(text: str, other: str) -> int:
    """Return in how many characters two texts differ."""
    same = sum(a == b for a, b in zip(text, other, strict=False))
    return max(len(text), len(other)) - same

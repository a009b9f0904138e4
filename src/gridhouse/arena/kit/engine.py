"""Makes a player of Gridhouse's arena: it speaks the engine protocol, you choose the moves.

Copy this file beside your player.  It needs Python 3.8 or later and nothing else:

    import random
    from engine import run

    def choose(player):
        return random.choice(player.state().legal_moves())

    run(choose, name="at random")

``choose`` returns the text of a move, or a move with the value that it expects for itself, from -1
to 1, and the nodes it looked at; None resigns.  It may use:

- ``player.game``: the game with its parameters, ``binary(rows=4,cols=4)``
- ``player.start``: the text of the position that the game went on from, "" for the usual start
- ``player.moves``: the moves of both sides since then
- ``player.seconds``: how long this move may take, None without a limit; ``player.clocks`` are the
  seconds of the own clock, its increment and the other's clock, None without clocks
- ``player.nodes`` and ``player.playouts``: the limits of a search, None without one
- ``player.state()``: the position as ``gridhouse.State``, for a Python that has the package

A player with more to say is a subclass of ``Engine`` with a method ``genmove``.  Print nothing to
the standard output yourself: it belongs to the protocol.  Standard error is yours.
"""

from __future__ import annotations

import sys

try:
    import gridhouse
except ImportError:
    gridhouse = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Tuple, Union

    Move = Union[str, Tuple[str, float, int], None]

VERSION = "1"  # of the protocol
MOVES_LEFT = 25  # a game is taken to go on for so many moves of a side


class RefusedError(Exception):
    """A command cannot be carried out; the message says why."""


class MissingPackageError(Exception):
    """The rules are not known: this Python has no package gridhouse."""


class Engine:
    """A player.  A subclass defines ``genmove``, and perhaps ``plays`` and ``refusal``."""

    name = "player"
    version = "1"

    def genmove(self) -> Move:
        """Return the move to play, as ``choose`` does; it is noted in ``moves`` afterwards."""
        raise NotImplementedError

    def plays(self, game: str) -> bool:
        """Return whether the player plays a game with these parameters."""
        return True

    def refusal(self, move: str) -> str:
        """Return why a move is not legal, "" if it is, or if nobody here knows the rules."""
        try:
            state = self.state()
        except MissingPackageError:
            return ""
        if move in state.legal_moves():
            return ""
        try:
            state.play(move)  # the package takes the beginning of a move for the whole
        except ValueError as error:
            return str(error)
        return move + " is only a part of a move"

    def state(self) -> Any:
        """Return the position as ``gridhouse.State``, made anew for each call.

        Raises MissingPackageError without the package, and ValueError for a start that cannot be
        read, as with pieces of an unknown kind.
        """
        if gridhouse is None:
            raise MissingPackageError("gridhouse is not installed for " + sys.executable)
        text = self.game + (" " + self.start if self.start else "#0")
        state = gridhouse.parse(text)
        for move in self.moves:
            state.play(move)
        return state

    # What the commands set

    game = ""
    start = ""
    seconds: float | None = None
    clocks: tuple[float, float, float] | None = None
    nodes: int | None = None
    playouts: int | None = None

    def __init__(self) -> None:
        """Begin without a game."""
        self.moves: list[str] = []

    # The commands; each returns the lines of its answer

    def do_list_commands(self, words: list[str]) -> list[str]:
        """List the commands."""
        return sorted(name[3:] for name in dir(self) if name.startswith("do_"))

    def do_protocol_version(self, words: list[str]) -> list[str]:
        """Say the version of the protocol."""
        return [VERSION]

    def do_name(self, words: list[str]) -> list[str]:
        """Say the name."""
        return [self.name]

    def do_version(self, words: list[str]) -> list[str]:
        """Say the version."""
        return [self.version]

    def do_game(self, words: list[str]) -> None:
        """Start a game: COLUMNS ROWS for the Binary Game, or a name with parameters."""
        game = " ".join(words)
        if len(words) == 2 and all(map(str.isdigit, words)):
            game = f"binary(rows={words[1]},cols={words[0]})"
        if not game.endswith(")") or not self.plays(game):
            raise RefusedError("this game is not played here: " + game)
        before = self.game, self.start, self.moves
        self.game, self.start, self.moves = game, "", []
        self._check(before)

    def do_position(self, words: list[str]) -> None:
        """Go on from a position."""
        before = self._begun()
        self.start, self.moves = " ".join(words), []
        self._check(before)

    def do_play(self, words: list[str]) -> list[str]:
        """Play a move of either side."""
        self._begun()
        move = " ".join(words)
        reason = self.refusal(move)
        if reason:
            return ["= illegal move: " + " ".join(reason.split())]
        self.moves.append(move)
        return []

    def do_undo(self, words: list[str]) -> None:
        """Take back a move."""
        self._begun()
        if not self.moves:
            raise RefusedError("there is no move to take back")
        self.moves.pop()

    def do_genmove(self, words: list[str]) -> list[str]:
        """Choose a move and play it."""
        self._begun()
        chosen = self.genmove()
        if chosen is None:
            return ["resign"]
        move, value, work = (chosen, None, 0) if isinstance(chosen, str) else chosen
        self.moves.append(move)
        return [move] if value is None else [move, f"info value {value:.4f} work {work}"]

    def do_timelimit(self, words: list[str]) -> None:
        """Bound the seconds of each move."""
        self.seconds, self.clocks = numbers(words, float, 1)[0], None

    def do_time_left(self, words: list[str]) -> None:
        """Take the state of the clocks; a share of the own one is for the next move."""
        mine, increment, theirs = numbers(words, float, 3)
        self.clocks = mine, increment, theirs
        self.seconds = min(mine / MOVES_LEFT + 0.75 * increment, 0.5 * mine)

    def do_nodelimit(self, words: list[str]) -> None:
        """Bound the nodes of each move."""
        self.nodes = numbers(words, int, 1)[0]

    def do_playoutlimit(self, words: list[str]) -> None:
        """Bound the playouts of each move."""
        self.playouts = numbers(words, int, 1)[0]

    def do_exit(self, words: list[str]) -> None:
        """End."""
        raise EOFError

    def _begun(self) -> tuple[str, str, list[str]]:
        if not self.game:
            raise RefusedError("no game has been started")
        return self.game, self.start, self.moves

    def _check(self, before: tuple[str, str, list[str]]) -> None:
        """Go back to what was before if the game or the position cannot be read.

        A position with pieces of an unknown kind is one that only a player itself can read.
        """
        try:
            self.state()
        except MissingPackageError:
            return
        except ValueError as error:
            if "?" in self.start:
                return
            self.game, self.start, self.moves = before
            raise RefusedError(str(error)) from None

    def answer(self, line: str) -> list[str]:
        """Return the lines of the answer to a command line; raises EOFError at the end."""
        name, *words = line.split() or [""]
        command = getattr(self, "do_" + name, None)
        if command is None:
            return ["= -1"]
        try:
            lines: list[str] = command(words) or []
        except RefusedError as error:
            print(error, file=sys.stderr)
            return ["= -1"]
        is_final = bool(lines) and lines[-1].startswith("= ")
        return lines if is_final else [*lines, "= 1"]

    def serve(self) -> None:
        """Answer commands until ``exit`` or the end of the input."""
        for line in iter(sys.stdin.readline, ""):
            try:
                lines = self.answer(line)
            except EOFError:
                print("= 1", flush=True)
                return
            print("\n".join(lines), end="\n\n", flush=True)


class Chooser(Engine):
    """A player made of functions."""

    def __init__(self, choose: Callable[[Engine], Move], plays: Callable[[str], bool]) -> None:
        """Take how it chooses a move, and whether it plays a game."""
        super().__init__()
        self._choose, self._plays = choose, plays

    def genmove(self) -> Move:
        """Call the function."""
        return self._choose(self)

    def plays(self, game: str) -> bool:
        """Call the function."""
        return self._plays(game)


def numbers(words: list[str], kind: Callable[[str], Any], count: int) -> list[Any]:
    """Return numbers of a kind that are not negative; raise RefusedError for other words."""
    try:
        values = [kind(word) for word in words]
    except ValueError:
        values = []
    if len(values) != count or not all(0 <= value < float("inf") for value in values):
        raise RefusedError("numbers are missing or wrong: " + " ".join(words))
    return values


def run(
    choose: Callable[[Engine], Move],
    name: str = "player",
    version: str = "1",
    plays: Callable[[str], bool] | None = None,
) -> None:
    """Serve a player made of functions: ``choose(player)``, and ``plays(game)`` if not any game."""
    engine = Chooser(choose, plays or (lambda game: True))
    engine.name, engine.version = name, version
    engine.serve()

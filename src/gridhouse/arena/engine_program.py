"""A player of the house as a program that speaks the engine protocol (docs/engine-protocol.md)."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gridhouse import __version__
from gridhouse.arena.competitors.house import limits_of
from gridhouse.arena.time_control import TimeControl, Turn
from gridhouse.core.compile_queue import has_compiler
from gridhouse.core.components import component
from gridhouse.core.console import read_line
from gridhouse.core.errors import GridhouseError, PositionError
from gridhouse.core.notation import parse_integers
from gridhouse.core.registry import load, parse_game
from gridhouse.players import Limits, parse_player

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.core.game import Game, State
    from gridhouse.players import Contestant

PROTOCOL_VERSION = 1
SUCCESS = "= 1"
FAILURE = "= -1"


class CommandError(GridhouseError):
    """A command that cannot be carried out."""


@dataclass
class EngineProgram:
    """The state of a session: a player, a game, and the limits of the next move."""

    player_text: str
    limits: Limits = field(default_factory=lambda: Limits(seconds=1.0))
    clock: Turn | None = None
    is_open: bool = True
    _state: State | None = None
    _contestant: Contestant | None = None

    @property
    def state(self) -> State:
        """The state of the game; raises CommandError before the first."""
        if self._state is None:
            raise CommandError("no game has been started")
        return self._state

    def answer(self, line: str) -> list[str]:
        """Carry out a command and return the lines of its answer, the status last."""
        name, _, rest = line.strip().partition(" ")
        try:
            if name not in COMMANDS:
                raise CommandError(f"unknown command {name!r}; list_commands names all")
            return [*COMMANDS[name](self, rest.strip()), SUCCESS]
        except GridhouseError as error:
            print(error, file=sys.stderr)
            return [FAILURE]

    def list_commands(self, rest: str) -> list[str]:
        """Return the names of all commands."""
        del rest
        return list(COMMANDS)

    def start(self, rest: str) -> list[str]:
        """Start a game: ``sinks(rows=8,cols=8)``, or ``COLUMNS ROWS`` of the Binary Game."""
        game = game_of(rest)
        if game.num_players != 2:
            raise CommandError(f"{game} is no game of two")
        state = game.new_initial_state()
        try:
            game.parse(state.observation_string(0))
        except PositionError:  # what was lost from hidden armies is not in the text of a position
            raise CommandError(f"{game} hides too much for one position to tell") from None
        self._contestant = parse_player(self.player_text, game)
        self._state = state
        return []

    def position(self, rest: str) -> list[str]:
        """Go on from a position."""
        self._state = self.state.game.parse(rest)
        return []

    def play(self, rest: str) -> list[str]:
        """Play a move."""
        self.state.play(rest)
        return []

    def genmove(self, rest: str) -> list[str]:
        """Choose a move, play it, and say what is thought of it."""
        del rest
        state = self.state
        assert self._contestant is not None
        if state.is_terminal():
            return ["resign"]
        player, own = self._contestant
        limits = own or (limits_of(self.clock) if self.clock else self.limits)
        choice = player.choose(state, limits)
        text = state.action_to_string(choice.action)
        state.apply_action(choice.action)
        if choice.value is None:
            return [text]
        return [text, f"info value {choice.value:.3f} work {choice.work}"]

    def undo(self, rest: str) -> list[str]:
        """Take back the last move."""
        del rest
        self.state.undo()
        return []

    def timelimit(self, rest: str) -> list[str]:
        """Bound later moves by seconds."""
        return self._limit(seconds=_number(rest, float))

    def nodelimit(self, rest: str) -> list[str]:
        """Bound later moves by nodes."""
        return self._limit(nodes=_number(rest, int))

    def playoutlimit(self, rest: str) -> list[str]:
        """Bound later moves by playouts."""
        return self._limit(playouts=_number(rest, int))

    def _limit(self, **limits: float) -> list[str]:
        self.limits, self.clock = Limits(**limits), None  # type: ignore[arg-type]
        return []

    def time_left(self, rest: str) -> list[str]:
        """Note the clocks: one's own seconds, the increment, the opponent's seconds."""
        words = rest.split()
        if len(words) != 3:
            raise CommandError("time_left takes three numbers: mine, increment, theirs")
        mine, increment, theirs = (_number(word, float) for word in words)
        control = TimeControl(base=mine, increment=increment)
        self.clock = Turn(control, mine, (mine, theirs))
        return []

    def solve(self, rest: str) -> list[str]:
        """Return the winner, 1 or 2, with a winning move of the side to move; or unknown."""
        del rest
        state = self.state
        if state.is_terminal():
            raise CommandError("the game is over")
        advice = component(type(state.game), "solver.advice")
        if advice is None:
            return ["unknown"]
        found = advice.Adviser(jit=has_compiler()).advise(state, self.limits.seconds or 1.0)
        side = state.current_player() + 1
        if found is None:
            return ["unknown"]
        if found.value < 0:
            return [str(3 - side)]
        return [f"{side} {state.action_to_string(found.action)}"]

    def exit(self, rest: str) -> list[str]:
        """End the program."""
        del rest
        self.is_open = False
        return []


def game_of(text: str) -> Game:
    """Return the game that the command ``game`` names; raises GridhouseError."""
    sizes = parse_integers(text, 2)
    if sizes is not None:
        return load("binary", cols=sizes[0], rows=sizes[1])
    return parse_game(text)[0]


def _number(text: str, kind: type[float]) -> float:
    try:
        number = kind(text)
    except ValueError:
        raise CommandError(f"{text!r} is no number") from None
    if not 0 <= number < float("inf"):
        raise CommandError(f"{text!r} is below 0")
    return number


COMMANDS: dict[str, Callable[[EngineProgram, str], list[str]]] = {
    "list_commands": EngineProgram.list_commands,
    "protocol_version": lambda _, __: [str(PROTOCOL_VERSION)],
    "name": lambda program, _: [f"Gridhouse {program.player_text}"],
    "version": lambda _, __: [__version__],
    "game": EngineProgram.start,
    "position": EngineProgram.position,
    "play": EngineProgram.play,
    "genmove": EngineProgram.genmove,
    "undo": EngineProgram.undo,
    "timelimit": EngineProgram.timelimit,
    "time_left": EngineProgram.time_left,
    "nodelimit": EngineProgram.nodelimit,
    "playoutlimit": EngineProgram.playoutlimit,
    "solve": EngineProgram.solve,
    "exit": EngineProgram.exit,
}


def main(player_text: str) -> None:
    """Answer commands until ``exit`` or the end of input."""
    program = EngineProgram(player_text)
    while program.is_open:
        try:
            line = read_line()
        except EOFError:
            return
        if line.strip():
            print("\n".join(program.answer(line)), flush=True)

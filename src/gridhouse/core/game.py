"""The outside of every game: ``Game`` makes positions, ``State`` plays them.

A game's folder gives a module of rules (see ``core.contract``) and a subclass of :class:`Game` that
knows how its positions and moves are written.  Everything else stands here, once for all games:
validation of parameters, legality, history, undo, texts that parse back.  ``State`` speaks the
verbs of OpenSpiel (Lanctot et al., OpenSpiel: A Framework for Reinforcement Learning in Games,
2019), because the field's algorithms already do.
"""

from __future__ import annotations

from gridhouse.core import contract
from gridhouse.core.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    InvalidMoveError,
    ParameterError,
    PictureError,
    PlayerError,
    PositionError,
)
from gridhouse.core.notation import parse_integer, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType
    from typing import Any, ClassVar, Self

    from gridhouse.core.outcome import Outcome
    from gridhouse.core.picture import Canvas
    from gridhouse.core.position import Position

    Value = int | str | bool


TERMINAL = -4  # OpenSpiel's player number of a game that is over


class Parameter:
    """One parameter of a game; its type is the type of its default."""

    __slots__ = ("about", "default", "high", "low", "name")

    def __init__(
        self, name: str, default: Value, about: str, *, low: int = 0, high: int = 0
    ) -> None:
        """Describe the parameter; ``low`` and ``high`` bound a whole number."""
        self.name = name
        self.default = default
        self.about = about
        self.low = low
        self.high = high

    def check(self, value: object) -> Value:
        """Return the value if the parameter may have it, else raise ParameterError."""
        kind = type(self.default)
        if kind is int and hasattr(value, "__index__") and not isinstance(value, bool):
            number = value if isinstance(value, int) else int(value)
            if not self.low <= number <= self.high:
                raise ParameterError(f"{self.name}: {number} is not in {self.low}..{self.high}")
            return int(number)
        if isinstance(value, str):
            value = " ".join(value.split())  # a position is one line, and its text parses back
        if type(value) is not kind:
            raise ParameterError(f"{self.name}: {shown(str(value))} is not {_KINDS[kind]}")
        return value

    def parse(self, text: str) -> Value:
        """Return the value that a text spells, else raise ParameterError."""
        if isinstance(self.default, bool):
            return self.check(_TRUTHS.get(text.lower(), text))
        if isinstance(self.default, int):
            number = parse_integer(text)
            return self.check(text if number is None else number)
        return self.check(text)


_KINDS: dict[type, str] = {int: "a whole number", str: "a text", bool: "true or false"}
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


class Game:
    """The rules of one game at one choice of parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    how_to_play: ClassVar[str]
    players: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[Parameter, ...]]
    presets: ClassVar[Mapping[str, Mapping[str, Value]]]
    move_form: ClassVar[str]
    file_holds: ClassVar[str] = "a position"
    can_repeat: ClassVar[bool] = True  # whether play may lead to an earlier position again
    # The parameters of the puzzle that a game for one offers every day, None where it offers none.
    daily: ClassVar[Mapping[str, Value] | None] = None
    fewer_is_better: ClassVar[bool] = False  # of two results; else the greater one is
    rules: ModuleType  # keeps the contract of core.contract
    rows: int
    cols: int
    refusals: ClassVar[Mapping[int, str]]
    num_actions: int
    perfect_information: bool = True  # False where a position may hold what a player may not see
    max_return: float = 1  # the most that a player can make from a start; of two, -1 is the least

    def __init_subclass__(cls) -> None:
        """Give the game's rules the defaults that they leave out; raises RulesError."""
        if "rules" in vars(cls):
            contract.complete(cls.rules)

    def __init__(self, **given: object) -> None:
        """Check the parameters; those that are not given have their defaults.

        Raises ParameterError for an unknown name or a value that the game cannot have.
        """
        self.values: dict[str, Value] = {}
        for parameter in self.parameters:
            value = given.pop(parameter.name, parameter.default)
            self.values[parameter.name] = parameter.check(value)
        if given:
            known = ", ".join(parameter.name for parameter in self.parameters)
            unknown = shown(next(iter(given)))
            raise ParameterError(f"{self.name} has no parameter {unknown}; it has {known}")
        self.rows = int(self.values["rows"])
        self.cols = int(self.values["cols"])
        self.prepare()

    @classmethod
    def from_text(cls, text: str) -> Game:
        """Make the game from its parameters as ``name=value,name=value``."""
        given: dict[str, object] = {}
        kinds = {parameter.name: parameter for parameter in cls.parameters}
        for part in filter(None, text.split(",")):
            name, _, value = part.partition("=")
            name = name.strip()
            if name in given:
                raise ParameterError(f"{name} is given twice")
            given[name] = kinds[name].parse(value.strip()) if name in kinds else value
        return cls(**given)

    def prepare(self) -> None:
        """Derive what the game needs besides its size; may raise ParameterError."""

    def cell(self, row: int, col: int) -> int | None:
        """Return the number of a cell, row by row, or None if it is off the board."""
        if 0 <= row < self.rows and 0 <= col < self.cols:
            return row * self.cols + col
        return None

    def initial_position(self, seed: int | str) -> Position:
        """Return the position a game starts from; the seed decides what is left to chance."""
        raise NotImplementedError

    def write(self, position: Any) -> str:
        """Return the position as one line of text, without name and parameters."""
        raise NotImplementedError

    def read(self, text: str) -> Position:
        """Return the position that a text spells, else raise PositionError."""
        raise NotImplementedError

    def write_move(self, position: Any, action: int) -> str:
        """Return the move's short text."""
        raise NotImplementedError

    def read_move(self, position: Any, text: str) -> int | None:
        """Return the number of the move that a text spells in full, or None if it spells none."""
        raise NotImplementedError

    def start_from_file(self, text: str, seed: int | str) -> State:
        """Start a game from the text of a file; ``file_holds`` says of what, by default a position.

        Raises what its reading raises, a GridhouseError.
        """
        del seed
        return self.parse(text)

    def board(self, position: Any) -> list[str]:
        """Return the lines of the board as the game's document prints it."""
        raise NotImplementedError

    def status(self, position: Any) -> str:
        """Return what stands beside the board, in one line; empty if nothing does."""
        del position
        return ""

    def public_move(self, position: Any, action: int) -> str:
        """Return what everybody is told of a move about to be played."""
        return self.write_move(position, action)

    def outcome(self, position: Any) -> str:
        """Return how a finished game ended, in one line."""
        state = State(self, position)
        if self.num_players == 1:
            return self.write_result(self.result(state))
        winner = state.winner()
        return "A draw" if winner is None else f"{self.players[winner]} has won"

    def result(self, state: State) -> int:
        """Return what a finished game of one player counts where such games are compared."""
        return int(state.returns()[0])

    def write_result(self, result: int) -> str:
        """Return a result, or by how much one is better than another, in words."""
        return f"{result} point" if result == 1 else f"{result} points"

    @property
    def num_players(self) -> int:
        """How many players the game has."""
        return len(self.players)

    @property
    def observation_tensor_shape(self) -> tuple[int, int, int]:
        """Planes, rows and columns of an observation."""
        return (self.rules.NUM_PLANES, self.rows, self.cols)

    @property
    def has_chance(self) -> bool:
        """Whether the start is left to chance, as far as a few seeds tell."""
        first = self.initial_position(0)
        return any(self.initial_position(seed) != first for seed in range(1, 8))

    def new_initial_state(self, seed: int | str = 0) -> State:
        """Start a game; equal seeds start equal games."""
        return State(self, self.initial_position(seed))

    def parse(self, text: str) -> State:
        """Return the state of a position text of this game, else raise PositionError."""
        return State(self, self.read(text))

    def wrong_position(self, text: str, reason: str) -> PositionError:
        """Return the error for a text that is no position of this game."""
        return PositionError(f"{shown(text)} is not a position of {self}: {reason}")

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is the same game with the same parameters."""
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        """Hash by name and parameters."""
        return hash(str(self))

    def __str__(self) -> str:
        """Return name and parameters, ``binary(rows=6,cols=6)``."""
        return f"{self.name}({','.join(f'{k}={v}' for k, v in self.values.items())})"

    def __repr__(self) -> str:
        """Return the call that makes this game."""
        given = "".join(f", {name}={value!r}" for name, value in self.values.items())
        return f"gridhouse.load({self.name!r}{given})"


class State:
    """A game being played: a position and the moves that led to it."""

    __slots__ = ("_followed", "_history", "_start", "game", "position")

    def __init__(self, game: Game, position: Position) -> None:
        """Begin at a position of the game."""
        self.game = game
        self.position: Any = position
        self._start = position.copy()
        self._history: list[int] = []
        # How many moves the names of pieces have been followed, to which position and names.
        self._followed: tuple[int, Any, list[int]] | None = None

    def current_player(self) -> int:
        """Return the player to move, or TERMINAL when the game is over."""
        return TERMINAL if self.is_terminal() else self._viewer(None)

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return bool(self.game.rules.is_terminal(self.position))

    def returns(self) -> list[float]:
        """Return what each player has made: in two-player games 1, -1 or 0."""
        out = [0.0] * self.game.num_players
        self.game.rules.returns(self.position, out)
        return [float(value) for value in out]

    def winner(self) -> int | None:
        """Return the player who has won a game for two, None without one."""
        returns = self.returns()
        return returns.index(1) if len(returns) > 1 and 1 in returns else None

    def outcome(self) -> Outcome | None:
        """Return how the game has ended, None while it goes on."""
        if not self.is_terminal():
            return None
        from gridhouse.core.outcome import Outcome  # the exact programs start without typing

        return Outcome(self.game.outcome(self.position), self.winner())

    def refusal(self, action: int) -> int:
        """Return 0 if the action is legal, else the member of the game's Refusal that says why.

        Raises InvalidMoveError for a number that is no action of the game.
        """
        found: int = self.game.rules.refusal(self.position, self._checked(action))
        return found

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order; none when the game is over."""
        out = [0] * self.game.num_actions
        return out[: self.game.rules.legal_actions(self.position, out)]

    def legal_actions_mask(self) -> list[int]:
        """Return a 1 for every legal action and a 0 for every other."""
        mask = [0] * self.game.num_actions
        for action in self.legal_actions():
            mask[action] = 1
        return mask

    def legal_moves(self) -> list[str]:
        """Return the texts of the legal actions."""
        return [self.action_to_string(action) for action in self.legal_actions()]

    def apply_action(self, action: int) -> None:
        """Play an action.

        Raises InvalidMoveError or IllegalMoveError and changes nothing if it cannot be played.
        """
        refusal = self.refusal(action)
        if refusal:
            raise self._illegal(self.action_to_string(action), refusal)
        self.game.rules.apply_action(self.position, action)
        self._history.append(action)

    def play(self, text: str) -> None:
        """Play the move that a text names; raises what string_to_action raises."""
        self.apply_action(self.string_to_action(text))

    def undo(self) -> None:
        """Take the last move back; raises InvalidMoveError when there is none."""
        if not self._history:
            raise InvalidMoveError("there is no move to take back", self._seen())
        earlier = self._history[:-1]
        self.position = self._start.copy()
        for action in earlier:
            self.game.rules.apply_action(self.position, action)
        self._history = earlier
        self._followed = None

    def follows(self, earlier: State) -> bool:
        """Tell whether this is the same game as an earlier state, some moves or none later."""
        begun = len(earlier._history)
        return (
            self.game == earlier.game
            and self._start == earlier._start
            and self._history[:begun] == earlier._history
        )

    def has_secrets(self) -> bool:
        """Tell whether there is anything that some player may not see."""
        players = range(self.game.num_players)
        return any(self.observation(player) != self.position for player in players)

    def has_had_secrets(self) -> bool:
        """Tell whether there has been a secret since the start; that it has gone may be one too."""
        replay = type(self)(self.game, self._start.copy())
        for action in self._history:
            if replay.has_secrets():
                return True
            replay.apply_action(action)
        return replay.has_secrets()

    def has_hidden_information(self) -> bool:
        """Tell whether the player to move may not see everything, for all that player knows."""
        return bool(self.game.rules.has_hidden_information(self.position, self._viewer(None)))

    def history(self) -> list[int]:
        """Return the actions played since the start."""
        return self._history[:]

    def action_to_string(self, action: int) -> str:
        """Return the action's short text; raises InvalidMoveError for no action of the game."""
        return self.game.write_move(self.position, self._checked(action))

    def string_to_action(self, text: str) -> int:
        """Return the legal action that a text names.

        The text is a move in full, or so many of its leading words that just one legal move
        begins with them.  Raises InvalidMoveError, IllegalMoveError or AmbiguousMoveError.
        """
        action = self.game.read_move(self.position, text)
        if action is not None:
            refusal = self.game.rules.refusal(self.position, action)
            if refusal:
                raise self._illegal(text, refusal)
            return action
        words = text.split()
        meant = [
            action
            for action in self.legal_actions()
            if words and self.action_to_string(action).split()[: len(words)] == words
        ]
        if len(meant) == 1:
            return meant[0]
        if not meant:
            form = self.game.move_form
            is_full = len(words) == len(form.split())
            failing = "names no move on this board" if is_full else "is not a move"
            raise InvalidMoveError(f"{shown(text)} {failing} ({form})", self._seen())
        candidates = [self.action_to_string(action) for action in meant]
        names = ", ".join(candidates)
        raise AmbiguousMoveError(f"{shown(text)} may mean {names}", self._seen(), candidates)

    def why_not(self, refusal: int) -> str:
        """Return in words why an action was refused."""
        return self.game.refusals[refusal]

    def _illegal(self, text: str, refusal: int) -> IllegalMoveError:
        reason = f"{shown(text)} is not legal: {self.why_not(refusal)}"
        return IllegalMoveError(reason, self._seen(), refusal)

    def _checked(self, action: int) -> int:
        """Return a number that is an action of the game, else raise InvalidMoveError."""
        if not 0 <= action < self.game.num_actions:
            highest = self.game.num_actions - 1
            raise InvalidMoveError(f"{action} is not an action from 0 to {highest}", self._seen())
        return action

    def _seen(self) -> str:
        """Return the position for a message: what the player to move sees, and no more."""
        return f"{self.game} {self.observation_string()}"

    def observation(self, player: int | None = None) -> Any:
        """Return a copy of the position without what the player may not see.

        Without a player it is the view of the one whose turn it is.
        """
        seen = self.position.copy()
        self.game.rules.redact(seen, self._viewer(player))
        return seen

    def observation_string(self, player: int | None = None) -> str:
        """Return the text of what the player sees now."""
        return self.game.write(self.observation(player))

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Return what the player sees now as numbers, in ``observation_tensor_shape`` order."""
        viewer = self._viewer(player)
        planes, rows, cols = self.game.observation_tensor_shape
        out = [0.0] * (planes * rows * cols)
        self.game.rules.observation_planes(self.observation(viewer), viewer, out)
        return out

    def public_observation(self) -> Any:
        """Return a copy of the position without what some player may not see."""
        seen = self.position.copy()
        for player in range(self.game.num_players):
            self.game.rules.redact(seen, player)
        return seen

    def information_state_string(self, player: int | None = None) -> str:
        """Return all that the player has seen and done since the start, a line a position."""
        viewer = self._viewer(player)
        replay = type(self)(self.game, self._start.copy())
        lines = [replay.observation_string(viewer)]
        for action in self._history:
            if replay.game.rules.current_player(replay.position) == viewer:
                lines[-1] += " > " + replay.action_to_string(action)
            replay.apply_action(action)
            lines.append(replay.observation_string(viewer))
        return "\n".join(lines)

    def _viewer(self, player: int | None) -> int:
        if player is None:
            return int(self.game.rules.current_player(self.position))
        if not 0 <= player < self.game.num_players:
            highest = self.game.num_players - 1
            raise PlayerError(f"{self.game.name} has no player {player}: 0..{highest}")
        return player

    def clone(self) -> Self:
        """Return an equal state, with its history, that shares nothing with this one."""
        clone = type(self)(self.game, self._start)
        clone.position = self.position.copy()
        clone._history = self._history[:]
        clone._followed = self._followed
        return clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a clone; a game never changes, and is not copied with each of its states."""
        del memo
        return self.clone()

    def board(self) -> str:
        """Return the board as the game's document prints it, lines joined."""
        return "\n".join(self.game.board(self.position))

    def picture(self, player: int | None = None, side: int | None = None) -> Canvas:
        """Return the picture of what the player sees, without one whoever is to move.

        It is drawn from that player's side of the board, or from the side of another.  A piece
        keeps its name in the picture from move to move.  Raises PictureError.
        """
        viewer = self._viewer(player)
        return self._draw(self.observation(viewer), viewer if side is None else self._viewer(side))

    def public_picture(self, side: int = 0) -> Canvas:
        """Return the picture of what everybody may see, from a player's side of the board.

        Raises PictureError.
        """
        return self._draw(self.public_observation(), self._viewer(side))

    def open_picture(self, side: int = 0) -> Canvas:
        """Return the picture with every secret in it, from a player's side of the board.

        Raises PictureError.
        """
        return self._draw(self.position, self._viewer(side))

    def _draw(self, seen: Position, viewer: int) -> Canvas:
        view = self._view()
        canvas: Canvas = view.draw(self.game, seen, self._names(view), viewer)
        return canvas

    def gesture(self, action: int) -> tuple[list[int], str]:
        """Return the cells that name an action in the picture, and what is left to choose then.

        Raises PictureError or InvalidMoveError.
        """
        named: tuple[list[int], str] = self._view().gesture(self.position, self._checked(action))
        return named

    def _view(self) -> ModuleType:
        from gridhouse.core.components import component

        view = component(type(self.game), "view")
        if view is None:
            raise PictureError(f"{self.game.name} has no pictures")
        return view

    def _names(self, view: ModuleType) -> list[int]:
        """Return for every cell the name of the piece there: the cell where it was at the start."""
        if self._followed is None:
            self._followed = 0, self._start.copy(), list(range(self.game.rows * self.game.cols))
        count, before, names = self._followed
        for action in self._history[count:]:
            after = before.copy()
            self.game.rules.apply_action(after, action)
            names = [names[cell] for cell in view.origins(before, action, after)]
            before = after
        self._followed = len(self._history), before, names
        return names

    def _repr_svg_(self) -> str:
        """Return the picture, by which a notebook shows a state."""
        return self.picture().svg()

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is the same position of the same game."""
        if not isinstance(other, State):
            return NotImplemented
        return self.game == other.game and self.position == other.position

    __hash__ = None  # type: ignore[assignment]  # a state changes; its text is the key

    def __str__(self) -> str:
        """Return the position as one line, game name and parameters included."""
        return f"{self.game} {self.game.write(self.position)}"

    def __repr__(self) -> str:
        """Return the call that makes this state."""
        return f"gridhouse.parse({str(self)!r})"

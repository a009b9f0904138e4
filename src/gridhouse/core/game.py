"""The interface of every game: ``Game`` makes positions, ``State`` plays them.

A game's folder has a module of rules (see ``core.contract``) and a subclass of :class:`Game` that
reads and writes positions and moves.  This module has the rest, once for all games: validation of
parameters, legality, history, undo, and texts that parse back.  The methods of ``State`` have
OpenSpiel's names (Lanctot et al., OpenSpiel: A Framework for Reinforcement Learning in Games,
2019), because existing algorithms use them.
"""

from __future__ import annotations

from functools import lru_cache

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


MAX_NAMED = 5  # moves that a message names
TERMINAL = -4  # OpenSpiel's number for the player to move in a game that is over


class Parameter:
    """A parameter of a game; its type is the type of its default."""

    __slots__ = ("about", "default", "high", "label", "longest", "low", "name")

    def __init__(
        self,
        name: str,
        default: Value,
        about: str,
        *,
        low: int = 0,
        high: int = 0,
        label: str = "",
        longest: int = 100,
    ) -> None:
        """Describe the parameter; ``low`` and ``high`` bound a whole number.

        A text has at most ``longest`` characters.  A form shows the ``label``, by default the name.
        """
        self.name = name
        self.label = label or name.capitalize()
        self.default = default
        self.about = about
        self.low = low
        self.high = high
        self.longest = longest

    def check(self, value: object) -> Value:
        """Return a valid value of the parameter, else raise ParameterError."""
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
        if isinstance(value, str) and len(value) > self.longest:
            raise ParameterError(
                f"{self.name}: {shown(value)} is longer than {self.longest} characters"
            )
        return value

    def parse(self, text: str) -> Value:
        """Return the value of a text, else raise ParameterError."""
        if isinstance(self.default, bool):
            return self.check(_TRUTHS.get(text.lower(), text))
        if isinstance(self.default, int):
            number = parse_integer(text)
            return self.check(text if number is None else number)
        return self.check(text)


class Preset:
    """A board worth playing: its title, what makes it so in a short sentence, its parameters."""

    __slots__ = ("about", "parameters", "title")

    def __init__(self, title: str, about: str, **parameters: Value) -> None:
        """Describe the board; parameters that are not given have their defaults."""
        self.title = title
        self.about = about
        self.parameters = parameters


_KINDS: dict[type, str] = {int: "a whole number", str: "a text", bool: "true or false"}
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


class Token:
    """A count of the status, shown as a symbol with a number.

    ``icon`` names the symbol; ``side`` is the player whose count it is, None for everybody's.
    """

    __slots__ = ("count", "icon", "label", "side")

    def __init__(self, label: str, count: int, icon: str, side: int | None = None) -> None:
        """Describe a count in words."""
        self.label = label
        self.count = count
        self.icon = icon
        self.side = side


class Game:
    """A game with fixed parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    how_to_play: ClassVar[str]
    players: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[Parameter, ...]]
    presets: ClassVar[Mapping[str, Preset]]  # from the quickest to the longest
    usual: ClassVar[str] = "standard"  # the preset that the house offers first
    move_form: ClassVar[str]
    file_holds: ClassVar[str] = "a position"
    can_repeat: ClassVar[bool] = True  # whether a position can occur twice in a game
    # The parameters of the daily puzzle of a game for one, None without a daily puzzle.
    daily: ClassVar[Mapping[str, Value] | None] = None
    fewer_is_better: ClassVar[bool] = False  # whether the smaller of two results is better
    rules: ModuleType  # satisfies core.contract
    rows: int
    cols: int
    refusals: ClassVar[Mapping[int, str]]
    leaves_board: str = ""  # the refusal of a move that would leave the board
    no_move: str = "no move begins with these cells"  # said where no refusal fits
    num_actions: int
    perfect_information: bool = True  # False if a position can have hidden information
    max_return: float = 1  # the highest return from a start; in games of two the lowest is -1

    def __init_subclass__(cls) -> None:
        """Complete the game's rules by defaults; raise RulesError for a missing function."""
        if "rules" in vars(cls):
            contract.complete(cls.rules)

    def __init__(self, /, **given: object) -> None:
        """Check the parameters; the others have their defaults.

        Raises ParameterError for an unknown name or an invalid value.
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
        """Make the game from parameters in the form ``name=value,name=value``."""
        given: dict[str, object] = {}
        kinds = {parameter.name: parameter for parameter in cls.parameters}
        for part in filter(None, text.split(",")):
            name, _, value = part.partition("=")
            name = name.strip()
            if name in given:
                raise ParameterError(f"{shown(name)} is given twice")
            given[name] = kinds[name].parse(value.strip()) if name in kinds else value
        return cls(**given)

    @classmethod
    def from_preset(cls, name: str) -> Self:
        """Make the game of a preset; raise ParameterError if there is none of this name."""
        if name not in cls.presets:
            raise ParameterError(f"there is no preset {shown(name)}")
        return cls(**cls.presets[name].parameters)

    @property
    def preset(self) -> str:
        """The name of the preset that this game is, "" if it is none."""
        usual = {parameter.name: parameter.default for parameter in self.parameters}
        for name, preset in self.presets.items():
            if {**usual, **preset.parameters} == self.values:
                return name
        return ""

    @property
    def board_words(self) -> str:
        """The board in words: the title of its preset, and its size."""
        preset = self.preset
        title = f"{self.presets[preset].title}, " if preset else ""
        return f"{title}{self.rows} by {self.cols}"

    def prepare(self) -> None:
        """Derive further attributes from the parameters; may raise ParameterError."""

    def cell(self, row: int, col: int) -> int | None:
        """Return the number of a cell, row by row, or None if it is off the board."""
        if 0 <= row < self.rows and 0 <= col < self.cols:
            return row * self.cols + col
        return None

    def initial_position(self, seed: int | str) -> Position:
        """Return the start of a game; the seed decides its chance."""
        raise NotImplementedError

    def write(self, position: Any) -> str:
        """Return the position as one line of text, without the game's name and parameters."""
        raise NotImplementedError

    def read(self, text: str) -> Position:
        """Return the position of a text, else raise PositionError."""
        raise NotImplementedError

    def write_move(self, position: Any, action: int) -> str:
        """Return the short text of a move."""
        raise NotImplementedError

    def read_move(self, position: Any, text: str) -> int | None:
        """Return the action of the full text of a move, None for any other text."""
        raise NotImplementedError

    def start_from_file(self, text: str, seed: int | str) -> State:
        """Start a game from the text of a file, which has what ``file_holds`` says.

        Raises a GridhouseError for a text that cannot be read.
        """
        del seed
        return self.parse(text)

    def board(self, position: Any) -> list[str]:
        """Return the lines of the board as the game's document prints it."""
        raise NotImplementedError

    def status(self, position: Any) -> str:
        """Return the line beside the board, which may be empty."""
        del position
        return ""

    def status_tokens(self, position: Any) -> list[Token]:
        """Return the parts of the status that are counts, to be shown as symbols."""
        del position
        return []

    def legend(self) -> list[Token]:
        """Return the kinds of pieces with the number that each side begins with, if they differ."""
        return []

    def public_move(self, position: Any, action: int) -> str:
        """Return the text of the next move without its secrets."""
        return self.write_move(position, action)

    def outcome(self, position: Any) -> str:
        """Return the outcome of a finished game in one line."""
        state = State(self, position)
        if self.num_players == 1:
            return self.write_result(self.result(state))
        winner = state.winner()
        return "A draw" if winner is None else f"{self.players[winner]} has won"

    def reason(self, position: Any) -> str:
        """Return how a game has ended by its rules, as a sentence without a full stop."""
        del position
        return ""

    def comment(self, position: Any, action: int, viewer: int | None) -> str:
        """Return what a move does besides moving, in the words of a viewer, "" for nothing.

        Everybody learns it, so it has nothing that the rules keep secret after the move.
        """
        del position, action, viewer
        return ""

    def losses(self, position: Any) -> list[Token]:
        """Return the pieces that each side has lost, which everybody may know."""
        del position
        return []

    def result(self, state: State) -> int:
        """Return the number by which finished games for one are compared."""
        return int(state.returns()[0])

    def write_result(self, result: int) -> str:
        """Return a result, or a difference of two results, in words."""
        return f"{result} point" if result == 1 else f"{result} points"

    def may_be_daily(self) -> bool:
        """Tell whether a position of this game may belong to a daily puzzle.

        Boards of other sizes may as well, if the game goes on on a part of the board.
        """
        return self.daily is not None

    @property
    def num_players(self) -> int:
        """The number of players."""
        return len(self.players)

    @property
    def observation_tensor_shape(self) -> tuple[int, int, int]:
        """The planes, rows and columns of an observation."""
        return (self.rules.NUM_PLANES, self.rows, self.cols)

    @property
    def has_chance(self) -> bool:
        """Whether starts are random; a few seeds are compared."""
        first = self.initial_position(0)
        return any(self.initial_position(seed) != first for seed in range(1, 8))

    def new_initial_state(self, seed: int | str = 0) -> State:
        """Start a game; equal seeds start equal games."""
        return State(self, self.initial_position(seed))

    def parse(self, text: str) -> State:
        """Return the state of the text of a position, else raise PositionError."""
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


@lru_cache(maxsize=None)
def view_beside(module: str) -> ModuleType | None:
    """Return the module that draws the game of a module, None without pictures."""
    from gridhouse.core.components import sibling  # an exported program has no such modules

    return sibling(module, "view")


class State:
    """A game being played: a position and the moves that led to it."""

    __slots__ = ("_followed", "_history", "_start", "game", "position")

    def __init__(self, game: Game, position: Position) -> None:
        """Start at a position of the game."""
        self.game = game
        self.position: Any = position
        self._start = position.copy()
        self._history: list[int] = []
        # Pieces have been followed for so many moves, to this position with these names.
        self._followed: tuple[int, Any, list[int]] | None = None

    def current_player(self) -> int:
        """Return the player to move, or TERMINAL when the game is over."""
        return TERMINAL if self.is_terminal() else self._viewer(None)

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return bool(self.game.rules.is_terminal(self.position))

    def returns(self) -> list[float]:
        """Return the returns of the players: in two-player games 1, -1 or 0."""
        out = [0.0] * self.game.num_players
        self.game.rules.returns(self.position, out)
        return [float(value) for value in out]

    def winner(self) -> int | None:
        """Return the winner of a game for two, None without a winner."""
        returns = self.returns()
        return returns.index(1) if len(returns) > 1 and 1 in returns else None

    def outcome(self) -> Outcome | None:
        """Return the outcome of the game, None while it goes on."""
        if not self.is_terminal():
            return None
        from gridhouse.core.outcome import Outcome  # the exact programs start without typing

        return Outcome(self.game.outcome(self.position), self.winner())

    def refusal(self, action: int) -> int:
        """Return 0 if the action is legal, else the member of the game's Refusal with the reason.

        Raises InvalidMoveError for a number that is no action of the game.
        """
        found: int = self.game.rules.refusal(self.position, self._checked(action))
        return found

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order, none when the game is over."""
        out = [0] * self.game.num_actions
        return out[: self.game.rules.legal_actions(self.position, out)]

    def legal_actions_mask(self) -> list[int]:
        """Return 1 for every legal action and 0 for every other."""
        mask = [0] * self.game.num_actions
        for action in self.legal_actions():
            mask[action] = 1
        return mask

    def legal_moves(self) -> list[str]:
        """Return the texts of the legal actions."""
        return [self.action_to_string(action) for action in self.legal_actions()]

    def apply_action(self, action: int) -> None:
        """Play an action.

        Raises InvalidMoveError or IllegalMoveError, and changes nothing, for an impossible action.
        """
        refusal = self.refusal(action)
        if refusal:
            raise self._illegal(self.action_to_string(action), refusal)
        self.game.rules.apply_action(self.position, action)
        self._history.append(action)

    def play(self, text: str) -> None:
        """Play the move of a text; raises the errors of ``string_to_action``."""
        self.apply_action(self.string_to_action(text))

    def undo(self) -> None:
        """Take back the last move; raise InvalidMoveError if there is none."""
        if not self._history:
            raise InvalidMoveError("there is no move to take back", self._seen())
        earlier = self._history[:-1]
        self.position = self._start.copy()
        for action in earlier:
            self.game.rules.apply_action(self.position, action)
        self._history = earlier
        self._followed = None

    def checkpoint(self) -> tuple[int, Any, list[int]]:
        """Return the number of moves, the position and the names of its pieces, for ``past``."""
        view = view_beside(type(self.game).__module__)
        if view is None:
            return len(self._history), self.position.copy(), []
        self._names(view)
        assert self._followed is not None
        return self._followed

    def past(self, ply: int, checkpoint: tuple[int, Any, list[int]]) -> Self:
        """Return the state after ``ply`` moves, reached from a checkpoint before it."""
        count, position, _ = checkpoint
        earlier = type(self)(self.game, self._start)
        earlier.position = position.copy()
        earlier._followed = checkpoint
        earlier._history = self._history[:ply]
        for action in earlier._history[count:]:
            self.game.rules.apply_action(earlier.position, action)
        return earlier

    def follows(self, earlier: State) -> bool:
        """Tell whether this state continues an earlier one by any number of moves."""
        count = len(earlier._history)
        return (
            self.game == earlier.game
            and self._start == earlier._start
            and self._history[:count] == earlier._history
        )

    def has_secrets(self) -> bool:
        """Tell whether any player may not see everything."""
        players = range(self.game.num_players)
        return any(self.observation(player) != self.position for player in players)

    def has_had_secrets(self) -> bool:
        """Tell whether there has been a secret since the start; its end may be a secret, too."""
        replay = type(self)(self.game, self._start.copy())
        for action in self._history:
            if replay.has_secrets():
                return True
            replay.apply_action(action)
        return replay.has_secrets()

    def has_hidden_information(self) -> bool:
        """Tell whether information may be hidden from the player to move, as far as it knows."""
        return bool(self.game.rules.has_hidden_information(self.position, self._viewer(None)))

    def history(self) -> list[int]:
        """Return the actions played since the start."""
        return self._history[:]

    def action_to_string(self, action: int) -> str:
        """Return the short text of an action; raise InvalidMoveError for an unknown number."""
        return self.game.write_move(self.position, self._checked(action))

    def string_to_action(self, text: str) -> int:
        """Return the legal action of a text.

        The text is a full move, or leading words that only one legal move begins with.  Raises
        InvalidMoveError, IllegalMoveError or AmbiguousMoveError.
        """
        action = self.game.read_move(self.position, text)
        if action is not None:
            refusal = self.game.rules.refusal(self.position, action)
            if refusal:
                raise self._illegal(text, refusal)
            return action
        words = text.split()
        matching = [
            action
            for action in self.legal_actions()
            if words and self.action_to_string(action).split()[: len(words)] == words
        ]
        if len(matching) == 1:
            return matching[0]
        if not matching:
            form = self.game.move_form
            is_full = len(words) == len(form.split())
            failing = "names no move on this board" if is_full else "is not a move"
            raise InvalidMoveError(f"{shown(text)} {failing} ({form})", self._seen())
        candidates = [self.action_to_string(action) for action in matching]
        names, more = ", ".join(candidates[:MAX_NAMED]), len(candidates) - MAX_NAMED
        meant = f"{names} and {more} more" if more > 0 else names
        raise AmbiguousMoveError(f"{shown(text)} may mean {meant}", self._seen(), candidates)

    def why_not(self, refusal: int) -> str:
        """Return the reason of a refusal in words."""
        return self.game.refusals[refusal]

    def _illegal(self, text: str, refusal: int) -> IllegalMoveError:
        reason = f"{shown(text)} is not legal: {self.why_not(refusal)}"
        return IllegalMoveError(reason, self._seen(), refusal)

    def _checked(self, action: int) -> int:
        """Return the number of an action, else raise InvalidMoveError."""
        if not 0 <= action < self.game.num_actions:
            highest = self.game.num_actions - 1
            raise InvalidMoveError(f"{action} is not an action from 0 to {highest}", self._seen())
        return action

    def _seen(self) -> str:
        """Return the position for a message, as the player to move sees it."""
        return f"{self.game} {self.observation_string()}"

    def observation(self, player: int | None = None) -> Any:
        """Return a copy of the position without the information hidden from a player.

        The default player is the player to move.
        """
        seen = self.position.copy()
        self.game.rules.redact(seen, self._viewer(player))
        return seen

    def observation_string(self, player: int | None = None) -> str:
        """Return the observation of a player as text."""
        return self.game.write(self.observation(player))

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Return the observation of a player as numbers, in ``observation_tensor_shape`` order."""
        viewer = self._viewer(player)
        planes, rows, cols = self.game.observation_tensor_shape
        out = [0.0] * (planes * rows * cols)
        self.game.rules.observation_planes(self.observation(viewer), viewer, out)
        return out

    def public_observation(self) -> Any:
        """Return a copy of the position without the information hidden from any player."""
        seen = self.position.copy()
        for player in range(self.game.num_players):
            self.game.rules.redact(seen, player)
        return seen

    def information_state_string(self, player: int | None = None) -> str:
        """Return the observations and actions of a player since the start, a line a position."""
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
        """Return an independent copy of the state and its history."""
        clone = type(self)(self.game, self._start)
        clone.position = self.position.copy()
        clone._history = self._history[:]
        clone._followed = self._followed
        return clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a clone, which shares the game: a game never changes."""
        del memo
        return self.clone()

    def board(self) -> str:
        """Return the board as the game's document prints it, lines joined."""
        return "\n".join(self.game.board(self.position))

    def cameras(self) -> tuple[str, ...]:
        """Return the names of the viewpoints from which a picture can be drawn, () for one only.

        Viewpoints are counted from the side of the player who looks.
        """
        names: tuple[str, ...] = getattr(view_beside(type(self.game).__module__), "CAMERAS", ())
        return names

    def default_camera(self) -> int:
        """Return the number of the viewpoint of a picture for which none is named."""
        return int(self._view().DEFAULT_CAMERA) if self.cameras() else 0

    def picture(
        self, player: int | None = None, side: int | None = None, camera: int | None = None
    ) -> Canvas:
        """Return the picture of a player's observation, by default of the player to move.

        It is drawn from the side of that player, or of the player ``side``, and from a viewpoint of
        ``cameras``.  A piece keeps its name in the picture from move to move.  Raises PictureError.
        """
        viewer = self._viewer(player)
        side = viewer if side is None else self._viewer(side)
        return self._draw(self.observation(viewer), side, camera)

    def public_picture(self, side: int = 0, camera: int | None = None) -> Canvas:
        """Return the picture of the public observation, from a player's side of the board.

        Raises PictureError.
        """
        return self._draw(self.public_observation(), self._viewer(side), camera)

    def open_picture(self, side: int = 0, camera: int | None = None) -> Canvas:
        """Return the picture of the whole position, from a player's side of the board.

        Raises PictureError.
        """
        return self._draw(self.position, self._viewer(side), camera)

    def _draw(self, seen: Position, side: int, camera: int | None) -> Canvas:
        view, cameras = self._view(), self.cameras()
        number = self.default_camera() if camera is None else camera
        if number not in range(max(1, len(cameras))):
            highest = max(0, len(cameras) - 1)
            raise PictureError(f"{self.game.name} has no viewpoint {number}: 0..{highest}")
        canvas: Canvas = view.draw(
            self.game, seen, self._names(view), side, *([number] if cameras else [])
        )
        return canvas

    def gesture(self, action: int) -> tuple[list[int], str]:
        """Return the cells that name an action in the picture, and the choice left after them.

        Raises PictureError or InvalidMoveError.
        """
        named: tuple[list[int], str] = self._view().gesture(self.position, self._checked(action))
        return named

    def landing(self, action: int) -> list[int]:
        """Return the cells that a piece will newly cover, [] if a game does not name them.

        It names them where a piece may cover several cells.
        """
        found: list[int] = []
        if landing := getattr(self._view(), "landing", None):
            found = landing(self.position, self._checked(action))
        return found

    def obstacles(self, action: int) -> list[int]:
        """Return the cells that name what stands in the way of an action, as far as a game says."""
        found: list[int] = []
        if obstacles := getattr(self._view(), "obstacles", None):
            found = obstacles(self.position, self._checked(action))
        return found

    def _view(self) -> ModuleType:
        view = view_beside(type(self.game).__module__)
        if view is None:
            raise PictureError(f"{self.game.name} has no pictures")
        return view

    def _names(self, view: ModuleType) -> list[int]:
        """Return for every cell the name of its piece: the cell of the piece at the start."""
        if self._followed is None:
            self._followed = 0, self._start.copy(), list(range(self.game.rows * self.game.cols))
        count, before, names = self._followed
        for number, action in enumerate(self._history[count:], count + 1):
            if number == len(self._history):
                after = self.position.copy()
            else:
                after = before.copy()
                self.game.rules.apply_action(after, action)
            names = [names[cell] for cell in view.origins(before, action, after)]
            before = after
        self._followed = len(self._history), before, names
        return names

    def _repr_svg_(self) -> str:
        """Return the picture, which a notebook shows."""
        return self.picture().svg()

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is the same position of the same game."""
        if not isinstance(other, State):
            return NotImplemented
        return self.game == other.game and self.position == other.position

    __hash__ = None  # type: ignore[assignment]  # a state changes; its text is the key

    def __str__(self) -> str:
        """Return the position as one line, with the game's name and parameters."""
        return f"{self.game} {self.game.write(self.position)}"

    def __repr__(self) -> str:
        """Return the call that makes this state."""
        return f"gridhouse.parse({str(self)!r})"

"""The games in OpenSpiel: importing this module registers each as ``gridhouse_<name>``.

They take the parameters of the game, and those of ``SETTINGS``::

    pyspiel.load_game("gridhouse_tactego(rows=6,cols=4,hidden=True,starts=100)")

- A game whose start is left to chance begins with one chance node; outcome ``n`` is the start of
  seed ``seed + n``.  With ``starts=1`` there is none, and the game is deterministic.
- A game is of perfect information or not as its parameters make it: Tactego is unless ``hidden``,
  Sinks is not because of its bombs.  With ``open=True`` nothing is hidden from anybody, and the
  algorithms for perfect information take Sinks as well.
- A state is terminal after ``horizon`` moves at the latest.
- Returns are those of the game, at the end; until then they are 0.
- An information state is told as text alone: as an array it would be as long as the longest game.
- ``resample_from_infostate`` is there for searches in Python; OpenSpiel's own bots in C++ cannot
  call it for a game in Python.
"""

from __future__ import annotations

import math
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gridhouse.adapters import HORIZON, missing
from gridhouse.core import chance
from gridhouse.core.game import TERMINAL, Parameter, State
from gridhouse.core.registry import games, load

try:
    import pyspiel
except ImportError:
    raise missing("openspiel") from None

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST = 2**31 - 1  # OpenSpiel's parameters are 32 bits wide
SETTINGS = (
    Parameter("starts", 16, "equally likely starts", low=1, high=10_000),
    Parameter("seed", 0, "seed of the first start", low=0, high=MOST),
    Parameter("horizon", HORIZON, "moves after which a state is terminal", low=1, high=MOST),
    Parameter("open", False, "nothing is hidden from anybody"),
)
PREFIX = "gridhouse_"
GUESSES = 2**53  # as many as a float between 0 and 1 can tell apart


class OpenState(State):
    """A state of which every player sees everything."""

    __slots__ = ()

    def observation(self, player: int | None = None) -> Any:
        """Return a copy of the position, whoever looks."""
        self._viewer(player)
        return self.position.copy()


class GridGame(pyspiel.Game):  # type: ignore[misc]
    """A game of the house, as OpenSpiel sees it; ``house`` is the game itself.

    Every game has a class of its own, which knows its ``name``.
    """

    name: ClassVar[str]

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        """Make the game; raises ParameterError for parameters that it cannot have."""
        given = dict(parameters or {})
        starts, seed, horizon, opened = (
            setting.check(given.pop(setting.name, setting.default)) for setting in SETTINGS
        )
        self.house = load(self.name, **given)
        self.horizon = int(horizon)
        self.knows_all = bool(opened) or self.house.perfect_information
        self._make = OpenState if opened else State
        self._position = cache(lambda number: self.house.initial_position(int(seed) + number))
        self.starts = self._count(int(starts))
        super().__init__(game_type(self), game_info(self), dict(parameters or {}))

    def _count(self, starts: int) -> int:
        """Return how many starts there are, which is 1 if chance has no say in them."""
        first = self._position(0)
        return starts if any(self._position(n) != first for n in range(1, starts)) else 1

    def start(self, number: int) -> State:
        """Return the start of this number, below ``starts``."""
        return self._make(self.house, self._position(number).copy())

    def new_initial_state(self) -> GridState:
        """Return the state in which the start is drawn, or the start if there is one only."""
        return GridState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> GridObserver | None:
        """Return what observes for one player, or None for any other kind of observation.

        Raises ValueError for parameters; there are none.
        """
        if params:
            raise ValueError(f"an observation has no parameters: {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return GridObserver(self.house.observation_tensor_shape, kind.perfect_recall)


def game_type(game: GridGame) -> pyspiel.GameType:
    """Return how OpenSpiel classifies a game at its parameters."""
    kind, house = pyspiel.GameType, game.house
    modes = kind.ChanceMode
    knowledge = kind.Information
    return kind(
        short_name=PREFIX + house.name,
        long_name=house.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=modes.DETERMINISTIC if game.starts == 1 else modes.EXPLICIT_STOCHASTIC,
        information=knowledge.PERFECT_INFORMATION
        if game.knows_all
        else knowledge.IMPERFECT_INFORMATION,
        utility=kind.Utility.GENERAL_SUM if house.num_players == 1 else kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=house.num_players,
        min_num_players=house.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={p.name: p.default for p in (*house.parameters, *SETTINGS)},
    )


def game_info(game: GridGame) -> pyspiel.GameInfo:
    """Return the bounds of a game at its parameters."""
    alone = game.house.num_players == 1
    return pyspiel.GameInfo(
        num_distinct_actions=game.house.num_actions,
        max_chance_outcomes=0 if game.starts == 1 else game.starts,
        num_players=game.house.num_players,
        min_utility=0.0 if alone else -1.0,
        max_utility=float(game.house.max_return),
        utility_sum=None if alone else 0.0,
        max_game_length=game.horizon,
    )


class GridState(pyspiel.State):  # type: ignore[misc]
    """A state of a game of the house; ``play`` is the house's own, None until the start is drawn.

    OpenSpiel copies and pickles all attributes.
    """

    def __init__(self, game: GridGame) -> None:
        """Begin a game."""
        super().__init__(game)
        self.play = game.start(0) if game.starts == 1 else None
        self._earlier = [""] * game.house.num_players  # what was seen before ``play`` begins
        self._moves_left = game.horizon

    def current_player(self) -> int:
        """Return the player to move, chance before the start and the terminal player at the end."""
        if self.play is None:
            return int(pyspiel.PlayerId.CHANCE)
        return self.play.current_player() if self._moves_left else TERMINAL

    def is_terminal(self) -> bool:
        """Tell whether the game is over or the horizon reached."""
        return self.current_player() == TERMINAL

    def returns(self) -> list[float]:
        """Return what each player has made, 0 before the end."""
        if self.play is None or not self.is_terminal():
            return [0.0] * self.num_players()
        return self.play.returns()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the numbers of the starts, each with its probability."""
        starts = self.get_game().starts
        return [(number, 1 / starts) for number in range(starts)]

    def _legal_actions(self, player: int) -> list[int]:
        del player
        return self._playing.legal_actions()

    def _apply_action(self, action: int) -> None:
        if self.play is None:
            self.play = self.get_game().start(action)
        else:
            self.play.apply_action(action)
            self._moves_left -= 1

    def _action_to_string(self, player: int, action: int) -> str:
        del player
        return f"start {action}" if self.play is None else self.play.action_to_string(action)

    @property
    def _playing(self) -> State:
        assert self.play is not None, "the start is not drawn yet"
        return self.play

    def seen(self, player: int) -> str:
        """Return the text of what the player sees now, empty until the start is drawn."""
        return "" if self.play is None else self.play.observation_string(player)

    def seen_so_far(self, player: int) -> str:
        """Return all that the player has seen and done, empty until the start is drawn."""
        if self.play is None:
            return ""
        return self._earlier[player] + self.play.information_state_string(player)

    def features(self, player: int) -> list[float]:
        """Return what the player sees as numbers, none until the start is drawn."""
        return [] if self.play is None else self.play.observation_tensor(player)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> GridState:
        """Return a state that the player cannot tell from this one, with a guess at what is hidden.

        ``sampler`` draws a number from 0 to 1.  The new state has no history: that of this one
        would tell what is hidden.  What the others have seen begins with it.
        """
        game = self.get_game()
        if self.play is None or game.knows_all:
            return self.clone()  # type: ignore[no-any-return]
        source = SimpleNamespace()
        chance.seed(source, int(sampler() * GUESSES))
        other: GridState = game.new_initial_state()
        other._resample(self, player, source)
        return other

    def _resample(self, known: GridState, player: int, source: Any) -> None:
        """Become what the player knows of another state, completed by a guess."""
        play = known._playing
        position = play.position.copy()
        play.game.rules.resample(position, player, source)
        self.play = type(play)(play.game, position)
        self._earlier[player] = known.seen_so_far(player).removesuffix(known.seen(player))
        self._moves_left = known._moves_left

    def __str__(self) -> str:
        """Return the position as one line."""
        return "the start is not drawn yet" if self.play is None else str(self.play)


class GridObserver:
    """What one player sees (text and array) or has seen so far (text alone)."""

    def __init__(self, shape: tuple[int, int, int], perfect_recall: bool) -> None:
        """Make room for an array of planes, rows and columns; none with perfect recall."""
        self._perfect_recall = perfect_recall
        self.tensor = None if perfect_recall else np.zeros(math.prod(shape), np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: GridState, player: int) -> None:
        """Write what the player sees into ``tensor``, of which ``dict`` is a view."""
        if self.tensor is not None:
            self.tensor[:] = state.features(player) or 0

    def string_from(self, state: GridState, player: int) -> str:
        """Return the text of what the player sees, or has seen so far."""
        return state.seen_so_far(player) if self._perfect_recall else state.seen(player)


def register() -> None:
    """Tell OpenSpiel of every game there is; to tell it again changes nothing.

    OpenSpiel lets go of what makes a game when Python is gone already.  A class bears that, since
    it is never freed, and a function does not.
    """
    for name in games():
        make = type(f"{name.capitalize()}Game", (GridGame,), {"name": name})
        pyspiel.register_game(make().get_type(), make)


register()

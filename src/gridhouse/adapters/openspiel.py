"""The games in OpenSpiel, registered on import as ``gridhouse_<name>``.

They take the parameters of the game and those of ``SETTINGS``::

    pyspiel.load_game("gridhouse_tactego(rows=6,cols=4,hidden=True,starts=100)")

- A game with random starts begins with a chance node; outcome ``n`` is the start of seed
  ``seed + n``.  With ``starts=1`` there is no chance node, and the game is deterministic.
- The parameters decide whether a game has perfect information: Tactego has it unless ``hidden``,
  and Sinks has not, because of its bombs.  With ``open=True`` nothing is hidden, so that
  algorithms for perfect information can play Sinks.
- A state is terminal after ``horizon`` moves at the latest.
- The returns are those of the game at its end, and 0 before.
- There is no information state tensor: it would be as long as the longest game.
- ``resample_from_infostate`` is for searches in Python; OpenSpiel's bots in C++ cannot call it for
  a game in Python.
"""

from __future__ import annotations

import math
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from gridhouse.core.extras import missing

try:
    import numpy as np
    import pyspiel
except ImportError:
    raise missing("OpenSpiel", __name__, "openspiel") from None

from gridhouse.adapters import HORIZON
from gridhouse.core import chance
from gridhouse.core.game import TERMINAL, Parameter, State
from gridhouse.core.registry import games, load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["GridGame", "GridObserver", "GridState", "register"]

MOST = 2**31 - 1  # OpenSpiel's parameters are 32 bits wide
SETTINGS = (
    Parameter("starts", 16, "equally likely starts", low=1, high=10_000),
    Parameter("seed", 0, "seed of the first start", low=0, high=MOST),
    Parameter("horizon", HORIZON, "moves after which a state is terminal", low=1, high=MOST),
    Parameter("open", False, "nothing is hidden from anybody"),
)
PREFIX = "gridhouse_"
NUM_SEEDS = 2**53  # as many as the floats between 0 and 1 of a sampler


class OpenState(State):
    """A state in which every player sees everything."""

    __slots__ = ()

    def observation(self, player: int | None = None) -> Any:
        """Return a copy of the position for any player."""
        self._viewer(player)
        return self.position.copy()


class GridGame(pyspiel.Game):  # type: ignore[misc]
    """A game for OpenSpiel; ``house`` is the game itself.

    Every game has its own class with its ``name``.
    """

    name: ClassVar[str]

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        """Make the game; raise ParameterError for impossible parameters."""
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
        """Return the number of starts, 1 if all are the same."""
        first = self._position(0)
        return starts if any(self._position(n) != first for n in range(1, starts)) else 1

    def start(self, number: int) -> State:
        """Return the start of this number, below ``starts``."""
        return self._make(self.house, self._position(number).copy())

    def new_initial_state(self) -> GridState:
        """Return the state before the start is drawn, or the start if there is only one."""
        return GridState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> GridObserver | None:
        """Return the observer for one player, or None for another kind of observation.

        Raises ValueError for any parameters.
        """
        if params:
            raise ValueError(f"an observation has no parameters: {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return GridObserver(self.house.observation_tensor_shape, kind.perfect_recall)


def game_type(game: GridGame) -> pyspiel.GameType:
    """Return the OpenSpiel type of a game with its parameters."""
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
    """Return the bounds of a game with its parameters."""
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
    """A state for OpenSpiel; ``play`` is the state itself, None until the start is drawn.

    OpenSpiel copies and pickles all attributes.
    """

    def __init__(self, game: GridGame) -> None:
        """Start a game."""
        super().__init__(game)
        self.play = game.start(0) if game.starts == 1 else None
        self._earlier = [""] * game.house.num_players  # the observations before ``play`` begins
        self._moves_left = game.horizon

    def current_player(self) -> int:
        """Return the player to move, chance before the start and the terminal player at the end."""
        if self.play is None:
            return int(pyspiel.PlayerId.CHANCE)
        return self.play.current_player() if self._moves_left else TERMINAL

    def is_terminal(self) -> bool:
        """Tell whether the game is over or the horizon is reached."""
        return self.current_player() == TERMINAL

    def returns(self) -> list[float]:
        """Return the returns of the players, 0 before the end."""
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
        """Return the player's observation as text, empty until the start is drawn."""
        return "" if self.play is None else self.play.observation_string(player)

    def seen_so_far(self, player: int) -> str:
        """Return the player's observations and actions so far, empty until the start is drawn."""
        if self.play is None:
            return ""
        return self._earlier[player] + self.play.information_state_string(player)

    def features(self, player: int) -> list[float]:
        """Return the player's observation as numbers, none until the start is drawn."""
        return [] if self.play is None else self.play.observation_tensor(player)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> GridState:
        """Return a state with resampled hidden information that looks the same to the player.

        ``sampler`` draws a number from 0 to 1.  The new state has no history, because the history
        of this one would tell what is hidden.  The observations of the others begin with it.
        """
        game = self.get_game()
        if self.play is None or game.knows_all:
            return self.clone()  # type: ignore[no-any-return]
        source = SimpleNamespace()
        chance.seed(source, int(sampler() * NUM_SEEDS))
        other: GridState = game.new_initial_state()
        other._resample(self, player, source)
        return other

    def _resample(self, known: GridState, player: int, source: Any) -> None:
        """Become a sample of what the player knows of another state."""
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
    """An observer of one player: of the observation, or, as text alone, of all so far."""

    def __init__(self, shape: tuple[int, int, int], perfect_recall: bool) -> None:
        """Make the array of planes, rows and columns; with perfect recall there is none."""
        self._perfect_recall = perfect_recall
        self.tensor = None if perfect_recall else np.zeros(math.prod(shape), np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: GridState, player: int) -> None:
        """Write the observation of the player into ``tensor``; ``dict`` is a view of it."""
        if self.tensor is not None:
            self.tensor[:] = state.features(player) or 0

    def string_from(self, state: GridState, player: int) -> str:
        """Return the observation of the player, or all of them so far, as text."""
        return state.seen_so_far(player) if self._perfect_recall else state.seen(player)


def register() -> None:
    """Register every game; a second registration changes nothing.

    OpenSpiel releases the factories of games after Python has ended.  This crashes for a function,
    but not for a class, which is never freed.
    """
    for name in games():
        make = type(f"{name.capitalize()}Game", (GridGame,), {"name": name})
        pyspiel.register_game(make().get_type(), make)


register()

"""The games as Gymnasium environments, registered on import as ``gridhouse/<Name>-v0``.

Gymnasium imports this module itself if it is named::

    gymnasium.make("gridhouse.adapters.gymnasium:gridhouse/Sliding-v0", rows=4, cols=4)

- An observation is what the player sees, as planes, rows and columns.
- Legal actions are marked by 1 in ``info["action_mask"]``, and ``action_masks()`` returns them as
  truth values, under the name that sb3-contrib's MaskablePPO looks for.
- The reward is what an action adds to the game's return: the score of a pick in Collapse, 1 for
  solving the sliding puzzle, and 1 or -1 at the end of a game for two.
- An illegal action changes nothing: its reward is ``illegal_reward``, and ``info["illegal"]`` is
  true.
- An episode is cut off after ``HORIZON`` actions, or ``max_episode_steps`` given to ``make``.
- ``reset(seed=7)`` is the start of seed 7; without a seed it is a random one.
- A game for two is played on ``side`` 0 or 1, or one that is drawn at every reset, against
  ``opponent``: ``"random"``, or a function that gets the state and returns an action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.adapters import HORIZON, SEEDS, missing, views
from gridhouse.core.errors import ParameterError
from gridhouse.core.registry import games, load

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise missing("gymnasium") from None

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gridhouse.core.game import State

    Opponent = Callable[[State], int]
    Info = dict[str, Any]

RANDOM = "random"


class GridEnv(gymnasium.Env["NDArray[np.float32]", np.int64]):
    """A game of the house; ``play`` is the state being played, ``side`` the player.

    An opponent gets a clone of the state, with all that it holds.  One that plays fair looks at
    observations only, or at copies in which ``rules.guess`` has replaced what it may not see.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}
    play: State

    def __init__(
        self,
        name: str,
        render_mode: str | None = None,
        *,
        opponent: Opponent | str = RANDOM,
        side: int | None = None,
        illegal_reward: float = 0.0,
        **parameters: Any,
    ) -> None:
        """Make the environment of a game with these parameters.

        Raises UnknownGameError or ParameterError.
        """
        self.game = load(name, **parameters)
        sides = range(self.game.num_players)
        if side not in (None, *sides):
            raise ParameterError(f"side: {name} has no player {side}")
        if opponent != RANDOM and not callable(opponent):
            raise ParameterError(f"opponent: {opponent} is not {RANDOM!r} and no function")
        self.render_mode = render_mode
        self._opponent = opponent
        self._sides = sides if side is None else (side,)
        self._illegal_reward = illegal_reward
        shape = self.game.observation_tensor_shape
        self.observation_space = spaces.Box(0, views.HIGHEST, shape, np.float32)
        self.action_space = spaces.Discrete(self.game.num_actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Begin a game; equal seeds begin equal games.  There are no options."""
        super().reset(seed=seed, options=options)
        start = int(self.np_random.integers(SEEDS)) if seed is None else seed
        self.play = self.game.new_initial_state(start)
        self.side = int(self.np_random.choice(self._sides))
        self._credited = 0.0
        self._answer()
        return views.planes(self.play, self.side), self._info()

    def step(self, action: np.int64) -> tuple[NDArray[np.float32], float, bool, bool, Info]:
        """Play an action and what the opponent answers; an illegal action changes nothing.

        Raises InvalidMoveError for a number that is no action of the game, and what comes of an
        opponent that answers with an illegal action.
        """
        illegal = bool(self.play.refusal(int(action)))
        if not illegal:
            self.play.apply_action(int(action))
            self._answer()
        reward = self._gain() + (self._illegal_reward if illegal else 0.0)
        seen = views.planes(self.play, self.side)
        return seen, reward, self.play.is_terminal(), False, self._info(illegal=illegal)

    def _answer(self) -> None:
        """Let the opponent play until it is the player's turn."""
        while not self.play.is_terminal() and self.play.current_player() != self.side:
            if callable(self._opponent):
                action = self._opponent(self.play.clone())
            else:
                action = self.np_random.choice(self.play.legal_actions())
            self.play.apply_action(int(action))

    def _gain(self) -> float:
        """Return what has been made since this was last asked."""
        made = self.play.returns()[self.side]
        gain, self._credited = made - self._credited, made
        return gain

    def _info(self, *, illegal: bool = False) -> Info:
        return {"action_mask": views.mask(self.play, self.side), "illegal": illegal}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return for every action whether it is legal now."""
        return views.mask(self.play, self.side).astype(bool)

    def render(self) -> str | None:
        """Return the board as the player sees it, or None without a render mode."""
        return None if self.render_mode is None else views.text(self.play, self.side)


def register() -> None:
    """Tell Gymnasium of every game that it does not know yet."""
    for name in games():
        identifier = f"gridhouse/{name.capitalize()}-v0"
        if identifier not in gymnasium.registry:
            gymnasium.register(
                identifier,
                entry_point=f"{__name__}:{GridEnv.__name__}",
                max_episode_steps=HORIZON,
                kwargs={"name": name},
            )


register()

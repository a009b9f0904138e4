"""The games as Gymnasium environments, registered on import as ``gridhouse/<Name>-v0``.

Gymnasium imports this module if the identifier names it::

    gymnasium.make("gridhouse.adapters.gymnasium:gridhouse/Sliding-v0", rows=4, cols=4)

- An observation has planes, rows and columns.
- ``info["action_mask"]`` has 1 for every legal action; ``action_masks()`` returns the mask as
  booleans, for MaskablePPO of sb3-contrib.
- The reward is the change of the game's return: the score of a pick in Collapse, 1 for solving the
  sliding puzzle, and 1 or -1 at the end of a game for two.
- An illegal action changes nothing; its reward is ``illegal_reward``, and ``info["illegal"]`` is
  true.
- An episode is truncated after ``HORIZON`` actions, or ``max_episode_steps`` given to ``make``.
- ``reset(seed=7)`` starts at the start of seed 7, or at a random start if that one is over; without
  a seed the start is random.
- ``gymnasium.make_vec("gridhouse/Sliding-v0", 4096, rows=4, cols=4)`` steps all games at once in
  compiled code (:class:`GridVectorEnv`).
- In a game for two the agent plays ``side`` 0 or 1, by default a random side at every reset.  The
  ``opponent`` is ``"random"``, or a function that takes the state and returns an action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gridhouse.core.extras import missing

try:
    import gymnasium
    import numpy as np
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise missing("Gymnasium", __name__, "gymnasium") from None

from gridhouse.adapters import HORIZON, views
from gridhouse.core.errors import ParameterError
from gridhouse.core.registry import games, load
from gridhouse.search.batch import batch
from gridhouse.search.single_game import SingleGame

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gridhouse.core.game import State
    from gridhouse.search.batch import Batch

    Opponent = Callable[[State], int]
    BatchOpponent = Callable[[Batch], NDArray[np.int64]]
    Info = dict[str, Any]

__all__ = ["GridEnv", "GridVectorEnv", "register"]

RANDOM = "random"


def checked(opponent: object) -> Any:
    """Return a valid opponent, else raise ParameterError."""
    if opponent != RANDOM and not callable(opponent):
        raise ParameterError(f"opponent: {opponent} is not {RANDOM!r} and no function")
    return opponent


class GridEnv(gymnasium.Env["NDArray[np.float32]", np.int64]):
    """The environment of a game; ``side`` is the player of the agent.

    An opponent gets the whole state.  A fair one uses only observations, or copies in which
    ``rules.resample`` has replaced the hidden information.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

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
        self.render_mode = render_mode
        self._opponent = checked(opponent)
        self._sides = sides if side is None else (side,)
        self._illegal_reward = illegal_reward
        shape = self.game.observation_tensor_shape
        self.observation_space = spaces.Box(0, views.HIGHEST, shape, np.float32)
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._play = SingleGame(self.game)

    @property
    def state(self) -> State:
        """The current state; its history begins here."""
        return self._play.state()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Start a game; equal seeds start equal games.  There are no options."""
        super().reset(seed=seed, options=options)
        if seed is not None:
            self._play.seed(seed)
            self._play.begin(self.game.new_initial_state(seed))
        if seed is None or self._play.is_over:
            self._play.randomize_start()
        self.side = self._sides[int(self.np_random.integers(len(self._sides)))]
        self._credited = 0.0
        self._answer()
        seen, mask = self._play.observe(self.side)
        return seen, {"action_mask": mask, "illegal": False}

    def step(self, action: np.int64) -> tuple[NDArray[np.float32], float, bool, bool, Info]:
        """Play an action and the opponent's answer; an illegal action changes nothing.

        Raises InvalidMoveError for a number that is no action of the game, and the error of an
        illegal action of the opponent.
        """
        play = self._play
        illegal = not play.try_action(int(action))
        if not illegal:
            self._answer()
        reward = self._gain() + (self._illegal_reward if illegal else 0.0)
        seen, mask = play.observe(self.side)
        return seen, reward, play.is_over, False, {"action_mask": mask, "illegal": illegal}

    def _answer(self) -> None:
        """Let the opponent play until it is the agent's turn."""
        play = self._play
        while not play.is_over and play.player != self.side:
            if callable(self._opponent):
                play.apply_action(int(self._opponent(play.state())))
            else:
                legal = np.flatnonzero(play.observe(play.player)[1])
                play.apply_action(int(legal[self.np_random.integers(len(legal))]))

    def _gain(self) -> float:
        """Return the change of the agent's return since the last call."""
        total = float(self._play.returns[self.side])
        gain, self._credited = total - self._credited, total
        return gain

    def action_masks(self) -> NDArray[np.bool_]:
        """Return for every action whether it is legal."""
        return self._play.observe(self.side)[1].astype(bool)

    def render(self) -> str | None:
        """Return the board as the agent sees it, or None without a render mode."""
        return None if self.render_mode is None else views.text(self.state, self.side)


class GridVectorEnv(VectorEnv["NDArray[np.float32]", "NDArray[np.int64]", "NDArray[Any]"]):
    """Many games stepped together by the compiled rules.

    A game that is over restarts at the next step, whatever its action.  Actions and parameters are
    as in :class:`GridEnv`, with two differences.  A seed has other starts.  An opponent that is a
    function takes the batch and returns an action for each position; the actions count where it
    is the opponent's turn.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(
        self,
        name: str,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = HORIZON,
        opponent: BatchOpponent | str = RANDOM,
        side: int = 0,
        illegal_reward: float = 0.0,
        **parameters: Any,
    ) -> None:
        """Make the environments; raise UnknownGameError or ParameterError."""
        self.num_envs = num_envs
        self.batch = batch(name, num_envs, **parameters)
        game = self.batch.game
        if side not in range(game.num_players):
            raise ParameterError(f"side: {name} has no player {side}")
        self._horizon = max_episode_steps
        self._steps = np.zeros(num_envs, np.int64)
        self._opponent = checked(opponent)
        self._side = side
        self._illegal_reward = illegal_reward
        box = spaces.Box(0, views.HIGHEST, game.observation_tensor_shape, np.float32)
        self.single_observation_space = box
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Start all games with one seed for all of them.  There are no options.

        Raises ParameterError for a list of seeds.
        """
        del options
        if isinstance(seed, list):
            raise ParameterError("seed: one number is the seed of all games")
        self.batch.reset(seed=seed)
        self._steps[:] = 0
        self._answer()
        return self._seen(), self._info(np.zeros(self.num_envs, np.bool_))

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        """Play an action and the opponent's answer in every game."""
        boards = self.batch
        restarted = boards.terminated | boards.truncated
        illegal = boards.refused(actions).copy()
        gains = boards.step(actions, skipped=illegal)[0][:, self._side]
        gains = gains + self._illegal_reward * illegal + self._answer()
        self._steps = np.where(restarted, 0, self._steps + 1)
        if self._horizon is not None:
            boards.truncated[:] = (self._steps >= self._horizon) & ~boards.terminated
        seen, info = self._seen(), self._info(illegal)
        return seen, gains, boards.terminated.copy(), boards.truncated.copy(), info

    def _answer(self) -> NDArray[Any]:
        """Let the opponent play where it is its turn; return the rewards of the agent."""
        gains = np.zeros(self.num_envs)
        while self.batch.num_players > 1:
            over = self.batch.terminated | self.batch.truncated
            skipped = over | (self.batch.current_players() == self._side)
            if skipped.all():
                break
            answer = self._opponent(self.batch) if callable(self._opponent) else None
            actions = self.batch.random_actions() if answer is None else answer
            gains += self.batch.step(actions, skipped=skipped)[0][:, self._side]
        return gains

    def _seen(self) -> NDArray[np.float32]:
        return self.batch.observations(self._side).copy()

    def _info(self, illegal: NDArray[np.bool_]) -> Info:
        masks = self.batch.masks() * (self.batch.current_players() == self._side)[:, None]
        return {"action_mask": masks, "illegal": illegal}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return for every game and action whether the action is legal."""
        return self.batch.masks().astype(bool)

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        del kwargs
        self.batch.close()


def register() -> None:
    """Register every game that Gymnasium does not know yet."""
    for name in games():
        identifier = f"gridhouse/{name.capitalize()}-v0"
        if identifier not in gymnasium.registry:
            gymnasium.register(
                identifier,
                entry_point=f"{__name__}:{GridEnv.__name__}",
                vector_entry_point=f"{__name__}:{GridVectorEnv.__name__}",
                max_episode_steps=HORIZON,
                kwargs={"name": name},
            )


register()

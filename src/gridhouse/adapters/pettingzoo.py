"""The two-player games as PettingZoo environments of the kind AEC: ``env("sinks", rows=8)``.

- The agents are ``player_0`` and ``player_1``; in Sinks an agent may have several turns in a row.
- An observation is a dictionary: ``observation`` has planes, rows and columns; ``action_mask`` has
  1 for every legal action, and is all 0 while it is not the agent's turn.  With
  ``mask_in_observation=False`` it is the planes alone.  The mask is in ``infos`` in either case.
- The reward is the game's return, given once at its end.
- An illegal action ends the game: its agent gets -1 and the other 0, as in PettingZoo's own games.
  ``raw_env`` raises IllegalMoveError instead.
- ``reset(seed=7)`` starts at the start of seed 7; without a seed the start is random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gridhouse.core.extras import missing

try:
    import numpy as np
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise missing("PettingZoo", __name__, "pettingzoo") from None

from gridhouse.adapters import views
from gridhouse.core.errors import ParameterError
from gridhouse.core.registry import load
from gridhouse.search.single_game import SingleGame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gridhouse.core.game import State

    Observation = NDArray[np.float32] | dict[str, NDArray[Any]]

__all__ = ["env", "raw_env"]

AGENTS = ("player_0", "player_1")


def env(name: str, render_mode: str | None = None, **parameters: Any) -> AECEnv:
    """Return the environment of a game in the usual wrappers of PettingZoo's own games.

    Parameters and errors are those of ``raw_env``.
    """
    wrapped = wrappers.TerminateIllegalWrapper(
        raw_env(name, render_mode, **parameters), illegal_reward=-1
    )
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801  # PettingZoo's name for it
    """The environment of a two-player game, without wrappers."""

    metadata: dict[str, Any] = {
        "render_modes": ["human", "ansi"],
        "name": "gridhouse_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        name: str,
        render_mode: str | None = None,
        *,
        mask_in_observation: bool = True,
        **parameters: Any,
    ) -> None:
        """Make the environment of a game with these parameters.

        Raises UnknownGameError or ParameterError, the latter for a game of one player as well.
        """
        super().__init__()
        self.game = load(name, **parameters)
        if self.game.num_players != len(AGENTS):
            raise ParameterError(f"{name} is for one player; see gridhouse.adapters.gymnasium")
        self.metadata = self.metadata | {"name": f"gridhouse_{name}_v0"}
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self._has_mask = mask_in_observation
        self._play = SingleGame(self.game)
        self.observation_spaces = {agent: self._observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(self.game.num_actions) for agent in AGENTS}

    @property
    def state_of_play(self) -> State:
        """The current state; its history begins here."""
        return self._play.state()

    def _observation_space(self) -> spaces.Space[Any]:
        box = spaces.Box(0, views.HIGHEST, self.game.observation_tensor_shape, np.float32)
        mask = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        return spaces.Dict({"observation": box, "action_mask": mask}) if self._has_mask else box

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of all actions, legal now or not."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; equal seeds start equal games.  There are no options."""
        del options
        if seed is None:
            self._play.randomize_start()
        else:
            self._play.seed(seed)
            self._play.begin(self.game.new_initial_state(seed))
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.agent_selection = AGENTS[self._play.player]
        self._update()

    def _update(self) -> None:
        """Update the masks in ``infos``, and show the board to a human."""
        mover = self._play.player
        self._planes, mask = self._play.observe(mover)
        self.infos = {
            AGENTS[mover]: {"action_mask": mask},
            AGENTS[1 - mover]: {"action_mask": np.zeros(len(mask), np.int8)},
        }
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return the observation of an agent, as new arrays."""
        player = AGENTS.index(agent)
        is_mover = player == self._play.player
        seen = self._planes.copy() if is_mover else self._play.observe(player)[0]
        if not self._has_mask:
            return seen
        return {"observation": seen, "action_mask": self.infos[agent]["action_mask"].copy()}

    def step(self, action: int | None) -> None:
        """Play an action of the agent whose turn it is, None once the game is over.

        Raises InvalidMoveError or IllegalMoveError, and changes nothing, for an impossible action.
        """
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            self._was_dead_step(action)
            return
        self._play.apply_action(-1 if action is None else int(action))
        self._cumulative_rewards[mover] = 0
        if self._play.is_over:
            self.rewards = dict(zip(AGENTS, self._play.returns.tolist(), strict=True))
            self.terminations = dict.fromkeys(AGENTS, True)
            self._accumulate_rewards()
        else:
            self.agent_selection = AGENTS[self._play.player]
        self._update()

    def render(self) -> str | None:
        """Return the board as the agent whose turn it is sees it, or print it for a human."""
        text = views.text(self._play.state(), AGENTS.index(self.agent_selection))
        if self.render_mode != "human":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing: an environment holds no resources."""

"""One game at full speed, driven from Python: what an environment needs of it at every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.search import single
from gridhouse.search.engine import Engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gridhouse.core.game import Game, State


class Play:
    """A game being played by the compiled rules; it has no history.

    ``player`` is who is to move, also once the game ``is_over``; ``returns`` is what each player
    has made: floats, an array that changes with the game.
    """

    def __init__(self, game: Game) -> None:
        """Sit down to a game; ``begin`` begins it."""
        self.game = game
        self._engine = Engine(game)
        self._kernels: Any = self._engine.bind(single)
        self._shape = game.observation_tensor_shape
        self._actions = np.zeros(game.num_actions, np.int32)
        self._work = self._engine.memory(game.initial_position(0))
        self.returns = np.zeros(game.num_players)

    def begin(self, state: State) -> None:
        """Go on from a state of the game."""
        self._memory = self._engine.memory(state.position)
        self._note(self._kernels.status(self._memory, self.returns))

    def _note(self, status: int) -> None:
        self.player = status & 1
        self.is_over = status >= single.OVER

    def try_action(self, action: int) -> bool:
        """Play an action if it is legal; return whether it was.

        Raises InvalidMoveError for a number that is no action of the game.
        """
        if not 0 <= action < self.game.num_actions:
            self.state().refusal(action)  # raises, with the reason
        status = self._kernels.play(self._memory, self.returns, action)
        if status == single.REFUSED:
            return False
        self._note(status)
        return True

    def apply_action(self, action: int) -> None:
        """Play an action; raises what a state raises, and changes nothing, if it is not legal."""
        if not self.try_action(action):
            self.state().apply_action(action)

    def mask(self, player: int) -> NDArray[np.int8]:
        """Return 1 for every action that the player may play now, all 0 on another's turn."""
        out = np.zeros(self.game.num_actions, np.int8)
        if player == self.player:
            self._kernels.mask(self._memory, self._actions, out)
        return out

    def planes(self, player: int) -> NDArray[np.float32]:
        """Return what the player sees as a new array of planes, rows and columns."""
        out = np.zeros(self._shape, np.float32)
        self._kernels.planes(self._memory, self._work, player, out.ravel())
        return out

    def state(self) -> State:
        """Return the state of the game; its history begins here."""
        return self._engine.state(self._memory[0])

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process needs: the game, and how it stands."""
        return {"game": self.game, "state": self.state() if hasattr(self, "_memory") else None}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Sit down again and go on."""
        self.__init__(kept["game"])  # type: ignore[misc]
        if kept["state"] is not None:
            self.begin(kept["state"])

"""One game in compiled code, driven from Python, for environments."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from gridhouse.core.compile_queue import Unit, use_compiled
from gridhouse.core.fast import np
from gridhouse.search import batch_kernels, single_game_kernels
from gridhouse.search.engine import SEED_BITS, Engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gridhouse.core.game import Game, State


PICKLED = ("_memory", "_source", "_starts", "_seed")


class SingleGame:
    """A game played by the compiled rules; it has no history.

    ``player`` is the player to move, also once the game ``is_over``; ``returns`` holds the returns
    of the players: floats, in an array that changes with the game.
    """

    def __init__(self, game: Game, *, jit: bool | None = None) -> None:
        """Make a game that ``begin`` or ``randomize_start`` starts.

        By default it runs compiled once compiled code is ready when it starts, interpreted before.
        With ``jit=True`` it waits for the compiler; with ``jit=False`` it is always interpreted.
        """
        self.game = game
        self._unit = Unit("single", game)
        self._may_switch = jit is None
        self._specialize(jit=use_compiled(self._unit) if jit is None else jit)
        self._shape = game.observation_tensor_shape
        self._actions = np.zeros(game.num_actions, np.int32)
        self._memory = self._engine.memory(game.initial_position(0), 2)
        self._source = self._engine.memory(batch_kernels.Source())
        self._returns = np.zeros((1, game.num_players))
        self.returns = self._returns[0]
        self._starts: Any = []
        self._num_starts = batch_kernels.NUM_STARTS if game.has_chance else 1
        self.seed(random.getrandbits(32))

    def _specialize(self, *, jit: bool) -> None:
        self._engine = Engine(self.game, jit=jit)
        self._kernels = self._engine.specialize(single_game_kernels)
        self._batch_kernels = self._engine.specialize(batch_kernels)

    def _switch_to_compiled(self) -> None:
        """Replace interpreted kernels and their memory if compiled code is ready."""
        if not self._engine.jit and self._may_switch and use_compiled(self._unit):
            self._specialize(jit=True)
            start = self.game.initial_position(0)
            self._memory = self._engine.converted(self._memory, start)
            starts = [self._engine.memory(made) for made in self._starts]
            self._starts = np.concatenate(starts) if starts else []
            self._source = self._engine.converted(self._source, batch_kernels.Source())

    def begin(self, state: State) -> None:
        """Continue from a state of the game."""
        self._switch_to_compiled()
        self._memory = self._engine.memory(state.position, 2)
        self._update(self._kernels.status(self._memory, self.returns))

    def seed(self, seed: int) -> None:
        """Seed the starts that ``randomize_start`` makes."""
        self._seed = seed
        self._starts = []
        self._batch_kernels.seed(self._source, seed & SEED_BITS, 0, 1)

    def randomize_start(self) -> None:
        """Begin at a random start, one that is not over if there is one."""
        self._switch_to_compiled()
        made = len(self._starts)
        if made < self._num_starts:
            start = self._engine.memory(self.game.initial_position(self._seed + made))
            if self._engine.jit:
                self._starts = np.concatenate([*([self._starts] if made else ()), start])
            else:
                self._starts = [*self._starts, start[0]]
        games = batch_kernels.Games(self._memory, self._starts, self._source, self._returns, 0)
        self._batch_kernels.restart(games, 0)
        self._update(self._kernels.status(self._memory, self.returns))

    def _update(self, status: int) -> None:
        self.player = status & 1
        self.is_over = status >= single_game_kernels.OVER

    def try_action(self, action: int) -> bool:
        """Play an action if it is legal; return whether it was.

        Raises InvalidMoveError for a number that is no action of the game.
        """
        if not 0 <= action < self.game.num_actions:
            self.state().refusal(action)  # raises, with the reason
        status = self._kernels.play(self._memory, self.returns, int(action))
        if status == single_game_kernels.REFUSED:
            return False
        self._update(status)
        return True

    def apply_action(self, action: int) -> None:
        """Play an action; an illegal one raises as in a state and changes nothing."""
        if not self.try_action(action):
            self.state().apply_action(action)

    def observe(self, player: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Return the observation of a player and its mask of legal actions, as new arrays.

        The observation has planes, rows and columns; the mask is all 0 when another is to move.
        """
        planes = np.zeros(self._shape, np.float32)
        mask = np.zeros(self.game.num_actions, np.int8)
        self._kernels.observe(self._memory, player, self._actions, mask, planes.ravel())
        return planes, mask

    def state(self) -> State:
        """Return the state of the game; its history begins here."""
        return self._engine.state(self._memory[0])

    def __getstate__(self) -> dict[str, Any]:
        """Return the parts of a copy: the game, its memory, and the seed of further starts."""
        kept = {name: getattr(self, name) for name in ("game", *PICKLED)}
        return {"jit": self._engine.jit, "may_switch": self._may_switch, **kept}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Restore the game."""
        self.__init__(kept["game"], jit=kept["jit"])  # type: ignore[misc]
        self._may_switch = kept["may_switch"]
        for name in PICKLED:
            setattr(self, name, kept[name])
        self._update(self._kernels.status(self._memory, self.returns))

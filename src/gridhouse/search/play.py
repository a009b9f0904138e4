"""One game at full speed, driven from Python: what an environment needs of it at every step."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.core.compile_queue import Unit, use_compiled
from gridhouse.search import batches, single
from gridhouse.search.engine import SEED_BITS, Engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gridhouse.core.game import Game, State


KEPT = ("_memory", "_source", "_starts", "_seed")  # by a copy in another process


class Play:
    """A game being played by the compiled rules; it has no history.

    ``player`` is who is to move, also once the game ``is_over``; ``returns`` is what each player
    has made: floats, an array that changes with the game.
    """

    def __init__(self, game: Game, *, jit: bool | None = None) -> None:
        """Sit down to a game; ``begin`` or ``randomize_start`` begins it.

        It runs compiled if its code is there, or as soon as it is at another beginning; with
        ``jit`` from the start, which may wait for the compiler, and never where that is false.
        """
        self.game = game
        self._unit = Unit("play", game)
        self._may_wake = jit is None
        self._bind(jit=use_compiled(self._unit) if jit is None else jit)
        self._shape = game.observation_tensor_shape
        self._actions = np.zeros(game.num_actions, np.int32)
        self._memory = self._engine.memory(game.initial_position(0), 2)
        self._source = self._engine.memory(batches.Source())
        self._made = np.zeros((1, game.num_players))
        self.returns = self._made[0]
        self._starts: Any = []
        self._most = batches.STARTS if game.has_chance else 1
        self.seed(random.getrandbits(32))

    def _bind(self, *, jit: bool) -> None:
        self._engine = Engine(self.game, jit=jit)
        self._kernels: Any = self._engine.bind(single)
        self._dealer: Any = self._engine.bind(batches)

    def _wake(self) -> None:
        """Go over to compiled code if it has come to be there."""
        if not self._engine.jit and self._may_wake and use_compiled(self._unit):
            self._bind(jit=True)
            start = self.game.initial_position(0)
            self._memory = self._engine.moved(self._memory, start)
            starts = [self._engine.memory(made) for made in self._starts]
            self._starts = np.concatenate(starts) if starts else []
            self._source = self._engine.moved(self._source, batches.Source())

    def begin(self, state: State) -> None:
        """Go on from a state of the game."""
        self._wake()
        self._memory = self._engine.memory(state.position, 2)
        self._note(self._kernels.status(self._memory, self.returns))

    def seed(self, seed: int) -> None:
        """Let the starts that ``randomize_start`` makes be those that follow from a seed."""
        self._seed = seed
        self._starts = []
        self._dealer.seed(self._source, seed & SEED_BITS, 0, 1)

    def randomize_start(self) -> None:
        """Begin at a random start, one that is not over already if that can be."""
        self._wake()
        made = len(self._starts)
        if made < self._most:
            start = self._engine.memory(self.game.initial_position(self._seed + made))
            if self._engine.jit:
                self._starts = np.concatenate([*([self._starts] if made else ()), start])
            else:
                self._starts = [*self._starts, start[0]]
        self._dealer.restart(self._memory, self._starts, self._source, self._made, 0)
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
        status = self._kernels.play(self._memory, self.returns, int(action))
        if status == single.REFUSED:
            return False
        self._note(status)
        return True

    def apply_action(self, action: int) -> None:
        """Play an action; raises what a state raises, and changes nothing, if it is not legal."""
        if not self.try_action(action):
            self.state().apply_action(action)

    def look(self, player: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Return what the player sees and, by a 1 each, what it may play now, as new arrays.

        The first has planes, rows and columns; the second is all 0 on another's turn.
        """
        planes = np.zeros(self._shape, np.float32)
        mask = np.zeros(self.game.num_actions, np.int8)
        self._kernels.look(self._memory, player, self._actions, mask, planes.ravel())
        return planes, mask

    def state(self) -> State:
        """Return the state of the game; its history begins here."""
        return self._engine.state(self._memory[0])

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs: the game, how it stands, and what decides further starts."""
        kept = {name: getattr(self, name) for name in ("game", *KEPT)}
        return {"jit": self._engine.jit, "may_wake": self._may_wake, **kept}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Sit down again and go on."""
        self.__init__(kept["game"], jit=kept["jit"])  # type: ignore[misc]
        self._may_wake = kept["may_wake"]
        for name in KEPT:
            setattr(self, name, kept[name])
        self._note(self._kernels.status(self._memory, self.returns))

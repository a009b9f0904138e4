"""Thousands of games stepped together in compiled code, for learning and for statistics."""

from __future__ import annotations

import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from gridhouse.core.compile_queue import BATCH, PAUSE, Unit, use_compiled
from gridhouse.core.errors import ParameterError
from gridhouse.core.fast import np
from gridhouse.core.registry import load
from gridhouse.search import batch_kernels
from gridhouse.search.engine import SEED_BITS, Engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.core.game import Game, State
    from gridhouse.core.position import Position

    Array = np.ndarray[Any, Any]

MIN_RANGE = 4096  # the fewest positions that are worth a thread


class Batch:
    """``count`` positions of one game, stepped together.

    ``positions`` is an array of records with the fields of the game's positions.  The batch owns
    all arrays that it returns and overwrites them in the next call.
    """

    def __init__(
        self,
        game: Game,
        count: int,
        *,
        seed: int = 0,
        horizon: int = 0,
        threads: int | None = None,
        jit: bool | None = None,
    ) -> None:
        """Make the batch and its starts; a game is truncated after ``horizon`` moves, 0 for never.

        By default the batch runs interpreted until compiled code is ready.  With ``jit=True`` it
        waits for the compiler; with ``jit=False`` it is always interpreted.  Interpreted,
        ``positions`` is no NumPy array.  Raises ParameterError for a count or a number of threads
        below one, or a negative horizon.
        """
        threads = threads or os.cpu_count() or 1
        for name, value, least in (
            ("count", count, 1),
            ("threads", threads, 1),
            ("horizon", horizon, 0),
        ):
            if value < least:
                raise ParameterError(f"{name}: {value} is not {least} or more")
        self.game = game
        self.count = count
        self.horizon = horizon
        self.num_players = game.num_players
        self._unit = Unit(BATCH, game)
        self._may_switch = jit is None
        self.positions: Any = None
        self._starts: list[Position] = []
        self._sources: list[batch_kernels.Source] = []
        self._specialize(jit=use_compiled(self._unit) if jit is None else jit)
        self._ranges = self._split(max(1, min(threads, count // MIN_RANGE)))
        self._pool = ThreadPoolExecutor(len(self._ranges)) if len(self._ranges) > 1 else None
        self._make_work()
        self._make_arrays()
        self.reset(seed=seed)

    def _specialize(self, *, jit: bool) -> None:
        self._engine = Engine(self.game, jit=jit, compact=True)
        self._kernels = self._engine.specialize(batch_kernels)
        self._last_check = time.monotonic()

    def _make_work(self) -> None:
        """Make the working memory of each thread."""
        start = self.game.initial_position(0)
        self._scratches = [self._engine.scratch(0) for _ in self._ranges]
        self._views = [self._engine.memory(start) for _ in self._ranges]

    def _switch_to_compiled(self) -> None:
        """Replace interpreted kernels and their memory if compiled code is ready."""
        if not self._may_switch or self._engine.jit or time.monotonic() - self._last_check < PAUSE:
            return
        self._last_check = time.monotonic()
        if use_compiled(self._unit):
            self._specialize(jit=True)
            self._make_work()
            start = self.game.initial_position(0)
            self.positions = self._engine.converted(self.positions, start)
            self._starts = self._engine.converted(self._starts, start)
            self._sources = self._engine.converted(self._sources, batch_kernels.Source())

    def _split(self, parts: int) -> list[tuple[int, int]]:
        edges = [self.count * part // parts for part in range(parts + 1)]
        return list(itertools.pairwise(edges))

    def _make_arrays(self) -> None:
        count, game = self.count, self.game
        self.positions = self._engine.memory(game.initial_position(0), count)
        self._sources = self._engine.memory(batch_kernels.Source(), count)
        self._returns = np.zeros((count, self.num_players))
        self._rewards = np.zeros((count, self.num_players))
        self.terminated = np.zeros(count, np.bool_)
        self.truncated = np.zeros(count, np.bool_)
        self._results = batch_kernels.Results(self._rewards, self.terminated, self.truncated)
        self._refused = np.zeros(count, np.bool_)
        self._none_skipped = np.zeros(count, np.bool_)
        self._masks = np.zeros((count, game.num_actions), np.int8)
        self._players = np.zeros(count, np.int8)
        self._actions = np.zeros(count, np.int64)
        self._planes = np.zeros((count, int(np.prod(game.observation_tensor_shape))), np.float32)

    @property
    def _games(self) -> batch_kernels.Games:
        return batch_kernels.Games(
            self.positions, self._starts, self._sources, self._returns, self.horizon
        )

    def _each(self, work: Callable[[int, int, int], object]) -> None:
        """Call a function with the number and the range of every thread, in parallel."""
        self._switch_to_compiled()
        if self._pool is None:
            work(0, 0, self.count)
            return
        calls = [
            self._pool.submit(work, thread, begin, end)
            for thread, (begin, end) in enumerate(self._ranges)
        ]
        for call in calls:
            call.result()

    def reset(self, *, seed: int | None = None, where: Array | None = None) -> None:
        """Restart all games, or those where a boolean array is true.

        A seed restarts the random numbers as well.
        """
        if seed is not None:
            low = seed & SEED_BITS
            self._each(lambda _, begin, end: self._kernels.seed(self._sources, low, begin, end))
            count = batch_kernels.NUM_STARTS if self.game.has_chance else 1
            self._starts = self._engine.memory(self.game.initial_position(seed), count)
            for number in range(1, count):
                start = self.game.initial_position(seed + number)
                self._starts[number] = self._engine.memory(start)[0]
        wanted = np.ones(self.count, np.bool_) if where is None else np.asarray(where, np.bool_)
        self.terminated |= wanted  # a step restarts these
        self._step(self._actions, ~wanted)

    def step(self, actions: Array, *, skipped: Array | None = None) -> tuple[Array, Array, Array]:
        """Play an action in every position; return rewards, terminated and truncated.

        The rewards are the changes of the returns: floats, positions by players.  A game that was
        over restarts instead, whatever its action is.  Where ``skipped`` is true, a position does
        not change.  Raises IllegalMoveError, and changes nothing, if any action is illegal.
        """
        chosen = self._column(actions, np.int64)
        passed = self._none_skipped if skipped is None else self._column(skipped, np.bool_)
        illegal = self._refuse(chosen)
        if illegal.any() and (illegal & ~passed).any():
            at = int(np.flatnonzero(illegal & ~passed)[0])
            self.state(at).apply_action(int(chosen[at]))  # raises, with the reason
        self._step(chosen, passed)
        return self._rewards, self.terminated, self.truncated

    def _step(self, actions: Array, skipped: Array) -> None:
        self._each(
            lambda _, begin, end: self._kernels.step(
                self._games, self._results, actions, skipped, begin, end
            )
        )

    def refused(self, actions: Array) -> Array:
        """Return for each position whether its game goes on and the action is illegal: booleans."""
        return self._refuse(self._column(actions, np.int64))

    def _refuse(self, chosen: Array) -> Array:
        over = self.terminated | self.truncated
        self._each(
            lambda _, begin, end: self._kernels.refused(
                self.positions, chosen, over, self._refused, begin, end
            )
        )
        return self._refused

    def _column(self, values: Array, kind: type) -> Array:
        """Return an array with one value per position, else raise ParameterError."""
        column: Array = np.ascontiguousarray(values, kind)
        if column.shape != (self.count,):
            raise ParameterError(f"an array of {column.shape} is not one for each of {self.count}")
        if kind is np.int64 and column.max() >= self.game.num_actions:
            highest = self.game.num_actions - 1
            raise ParameterError(f"{column.max()} is not an action from 0 to {highest}")
        return column

    def state(self, at: int) -> State:
        """Return the state of one position; its history begins there."""
        return self._engine.state(self.positions[at])

    def masks(self) -> Array:
        """Return 1 for every legal action and 0 for every other: positions by actions, int8."""
        self._each(
            lambda thread, begin, end: self._kernels.masks(
                self.positions, self._scratches[thread], self._masks, begin, end
            )
        )
        return self._masks

    def returns(self) -> Array:
        """Return the returns so far: floats, positions by players."""
        return self._returns

    def current_players(self) -> Array:
        """Return the player to move in every position, int8, also where the game is over."""
        self._each(
            lambda _, begin, end: self._kernels.players(self.positions, self._players, begin, end)
        )
        return self._players

    def observations(self, player: int | None = None) -> Array:
        """Return the observations of one player, or of the players to move.

        The array has floats of 32 bits: positions by planes, rows and columns.
        """
        if player is None:
            viewers = self.current_players()
        elif 0 <= player < self.num_players:
            viewers = np.full(self.count, player, np.int8)
        else:
            raise ParameterError(f"player: {player} is not in 0..{self.num_players - 1}")
        self._each(
            lambda thread, begin, end: self._kernels.observations(
                self.positions, self._views[thread], viewers, self._planes, begin, end
            )
        )
        return self._planes.reshape(self.count, *self.game.observation_tensor_shape)

    def random_actions(self) -> Array:
        """Return a random legal action for every position, 0 where the game is over."""
        self._each(
            lambda thread, begin, end: self._kernels.random_actions(
                self.positions, self._sources, self._scratches[thread], self._actions, begin, end
            )
        )
        return self._actions

    def close(self) -> None:
        """End the threads; further calls are an error."""
        if self._pool is not None:
            self._pool.shutdown()


def batch(
    name: str,
    count: int,
    *,
    seed: int = 0,
    horizon: int = 0,
    threads: int | None = None,
    **parameters: object,
) -> Batch:
    """Return a batch of ``count`` positions of a game with these parameters.

    Raises UnknownGameError or ParameterError.

    >>> import numpy
    >>> boards = batch("sliding", 4096, rows=4, cols=4)
    >>> boards.masks().shape
    (4096, 4)
    >>> rewards, terminated, truncated = boards.step(boards.random_actions())
    >>> rewards.shape
    (4096, 1)
    """
    return Batch(load(name, **parameters), count, seed=seed, horizon=horizon, threads=threads)

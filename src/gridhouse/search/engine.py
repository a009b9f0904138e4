"""Specialized modules of a game, compiled or interpreted, and the memory that they run in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from gridhouse.core.components import component
from gridhouse.core.contract import add_missing
from gridhouse.core.errors import ParameterError
from gridhouse.core.game import State
from gridhouse.core.notation import shown
from gridhouse.core.specialize import rules_of, specialize
from gridhouse.search import default_evaluation, montecarlo, playouts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from gridhouse.core.game import Game
    from gridhouse.core.position import Position
    from gridhouse.search.playouts import Scratch

P = TypeVar("P", bound="Position")

SEED_BITS = (1 << 61) - 1  # the bits of a seed that are used; seeds of any size are taken
LIMIT = 1000  # the most moves of a random game


class _Records(Generic[P]):
    """An array of positions with the semantics of an array of records: assignment copies.

    An element is made when it is first used: a search seldom uses all of its memory.
    """

    def __init__(self, position: P, count: int) -> None:
        self._position = position.copy()
        self._made: list[P | None] = [None] * count

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, index: int) -> P:
        found = self._made[index]
        if found is None:
            found = self._made[index] = self._position.copy()
        return found

    def __setitem__(self, index: int, value: P) -> None:
        self._made[index] = value.copy()


def evaluation_of(game: Game) -> ModuleType:
    """Return the module ``evaluation`` of a game, completed by the default evaluation."""
    module = component(type(game), "evaluation")
    if module is None:
        return default_evaluation
    defaults = vars(default_evaluation)
    add_missing(module, {name: value for name, value in defaults.items() if name[0] != "_"})
    return module


def best_search(game: Game) -> str:
    """Return the kind of the search that plays a game best."""
    evaluation = evaluation_of(game)
    best: str = evaluation.BEST if game.perfect_information else evaluation.BEST_HIDDEN
    return best


class Engine:
    """The rules of a game and random games, compiled or, with ``jit=False``, interpreted.

    ``constants`` replace constants of the game's evaluation, so that tuned values can play against
    each other.  With ``compact`` records have little room to spare.
    """

    def __init__(
        self,
        game: Game,
        *,
        jit: bool = True,
        constants: Mapping[str, float] | None = None,
        compact: bool = False,
    ) -> None:
        """Specialize the modules; a function is compiled, or read from disk, at its first call.

        Raises ParameterError for a constant that the evaluation does not have.
        """
        self._constants = dict(constants or {})
        for name in self._constants:
            if not name.isupper() or name not in vars(evaluation_of(game)):
                raise ParameterError(f"the evaluation of {game.name} has no constant {shown(name)}")
        self.game = game
        self.jit = jit
        self.compact = compact
        self.rules = rules_of(game, jit=jit)
        own = getattr(self.rules, "sample_candidate", None)
        replaced = {} if own is None else {"sample_candidate": own}
        self.playouts = specialize(playouts, game.name, jit=jit, rules=self.rules, **replaced)

    @property
    def evaluation(self) -> ModuleType:
        """The specialized evaluation of the game."""
        module = evaluation_of(self.game)
        return specialize(module, self._label, jit=self.jit, rules=self.rules, **self._constants)

    @property
    def _label(self) -> str:
        """The name of modules that use the evaluation, different for all choices of constants."""
        return "_".join([self.game.name, *(f"{k}{v}" for k, v in sorted(self._constants.items()))])

    def specialize(self, module: ModuleType) -> ModuleType:
        """Return a search module specialized for the game."""
        bound = {"rules": self.rules, "evaluation": self.evaluation, "playouts": self.playouts}
        if "montecarlo" in vars(module):
            bound["montecarlo"] = self.specialize(montecarlo)
        used = {name: value for name, value in bound.items() if name in vars(module)}
        return specialize(module, self._label, jit=self.jit, **used)

    def memory(self, position: P, count: int = 1) -> list[P]:
        """Return an array of records equal to the position, in the form that kernels take.

        To a type checker it is a list, as in the kernels.
        """
        if self.jit:
            from gridhouse.core.records import to_records

            return cast("list[P]", to_records(position, count, compact=self.compact))
        return cast("list[P]", _Records(position, count))

    def converted(self, records: list[P], position: P) -> list[P]:
        """Return records of interpreted kernels in the form of this engine's kernels."""
        made = self.memory(position, len(records))
        for index in range(len(records)):
            made[index] = self.memory(records[index])[0]
        return made

    def integers(self, size: int) -> list[int]:
        """Return an array of zeros, integers of 32 bits."""
        if self.jit:
            import numpy as np

            return cast("list[int]", np.zeros(size, np.int32))
        return [0] * size

    def state(self, record: Position) -> State:
        """Return the state of a position in memory; its history begins there."""
        if not self.jit:
            return State(self.game, record.copy())
        from gridhouse.core.records import from_record

        position = self.game.initial_position(0)
        from_record(record, position)
        return State(self.game, position)

    def scratch(self, seed: int) -> Scratch:
        """Return new scratch memory with seeded random numbers."""
        scratch = playouts.Scratch(actions=self.game.num_actions, players=self.game.num_players)
        scratch.num_actions = self.game.num_actions
        record = self.memory(scratch)[0]
        self.playouts.chance.seed(record, seed & SEED_BITS)
        return record

    def play_outs(
        self,
        position: Position,
        games: int,
        *,
        seed: int = 0,
        limit: int = LIMIT,
        threads: int = 1,
    ) -> int:
        """Play random games from a position and return the number of their moves.

        Every thread plays its share of the games with its own random numbers, so the result is the
        same for the same number of threads.  Raises ParameterError for less than one thread.
        """
        if threads < 1:
            raise ParameterError(f"threads: {threads} is not 1 or more")
        shares = [games // threads + (thread < games % threads) for thread in range(threads)]

        def play(thread: int) -> int:
            start, work = self.memory(position), self.memory(position)
            scratch = self.scratch(seed * threads + thread)
            return int(self.playouts.play_outs(start, work, scratch, shares[thread], limit))

        with ThreadPoolExecutor(threads) as pool:
            return sum(pool.map(play, range(threads)))

    def trace(self, position: Position, *, seed: int, limit: int = LIMIT) -> int:
        """Play a random game and return a checksum of all answers of the rules."""
        return int(self.playouts.trace(self.memory(position)[0], self.scratch(seed), limit))

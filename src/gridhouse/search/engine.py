"""A game's rules at full speed: specialized modules, and the memory they run in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from gridhouse.core.components import component
from gridhouse.core.contract import add_missing
from gridhouse.core.errors import ParameterError
from gridhouse.core.game import State
from gridhouse.core.notation import shown
from gridhouse.core.specialize import rules_of, specialize
from gridhouse.search import plain, playouts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from gridhouse.core.game import Game
    from gridhouse.core.position import Position

SEED_BITS = (1 << 61) - 1  # a seed of any size is taken, but not more than these of its bits
LIMIT = 1000  # moves after which a random game that does not end is left


class _Records:
    """Positions in a row, which copy what is assigned to their places, as an array of records does.

    Each is made when it is first asked for: a search seldom uses all of its memory.
    """

    def __init__(self, position: Position, count: int) -> None:
        self._position = position.copy()
        self._made: list[Any] = [None] * count

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, place: int) -> Any:
        found = self._made[place]
        if found is None:
            found = self._made[place] = self._position.copy()
        return found

    def __setitem__(self, place: int, value: Any) -> None:
        self._made[place] = value.copy()


def evaluation_of(game: Game) -> ModuleType:
    """Return the module ``evaluation`` of a game's folder; the plain one has what it leaves out."""
    module = component(type(game), "evaluation")
    if module is None:
        return plain
    add_missing(module, {name: value for name, value in vars(plain).items() if name[0] != "_"})
    return module


def best_search(game: Game) -> str:
    """Return the kind of the search that plays a game best."""
    tuned = evaluation_of(game)
    best: str = tuned.BEST if game.perfect_information else tuned.BEST_HIDDEN
    return best


class Engine:
    """A game's rules and random games by them, compiled or, with ``jit=False``, interpreted.

    ``constants`` stand in the place of those of the game's evaluation that have their names: so
    that tuned values can play against each other.
    """

    def __init__(
        self, game: Game, *, jit: bool = True, constants: Mapping[str, float] | None = None
    ) -> None:
        """Specialize the modules; a function is compiled, or read from disk, when first used.

        Raises ParameterError for a constant that the evaluation does not have.
        """
        self._constants = dict(constants or {})
        for name in self._constants:
            if not name.isupper() or name not in vars(evaluation_of(game)):
                raise ParameterError(f"the evaluation of {game.name} has no constant {shown(name)}")
        self.game = game
        self.jit = jit
        self.rules: Any = rules_of(game, jit=jit)
        own = getattr(self.rules, "sample_candidate", None)
        offered = {} if own is None else {"sample_candidate": own}
        self.playouts: Any = specialize(playouts, game.name, jit=jit, rules=self.rules, **offered)

    @property
    def evaluation(self) -> Any:
        """What searches know of the game besides its rules."""
        module = evaluation_of(self.game)
        return specialize(module, self._label, jit=self.jit, rules=self.rules, **self._constants)

    @property
    def _label(self) -> str:
        """The name of modules that know the evaluation: one for each choice of constants."""
        return "_".join([self.game.name, *(f"{k}{v}" for k, v in sorted(self._constants.items()))])

    def bind(self, module: ModuleType) -> Any:
        """Return a search module specialized for rules, evaluation and random games."""
        bound = {"rules": self.rules, "evaluation": self.evaluation, "playouts": self.playouts}
        named = {name: value for name, value in bound.items() if name in vars(module)}
        return specialize(module, self._label, jit=self.jit, **named)

    def memory(self, position: Position, count: int = 1) -> Any:
        """Return an array of so many records, equal to the position, as kernels take it."""
        if self.jit:
            from gridhouse.core.records import to_records

            return to_records(position, count)
        return _Records(position, count)

    def moved(self, records: Any, position: Position) -> Any:
        """Return records of interpreted kernels as those of compiled ones."""
        made = self.memory(position, len(records))
        for place in range(len(records)):
            made[place] = self.memory(records[place])[0]
        return made

    def table(self, size: int) -> Any:
        """Return an array of so many small whole numbers, all zero."""
        if self.jit:
            import numpy as np

            return np.zeros(size, np.int32)
        return [0] * size

    def state(self, record: Any) -> State:
        """Return the state of a position in memory; its history begins there."""
        if not self.jit:
            return State(self.game, record.copy())
        from gridhouse.core.records import from_record

        position = self.game.initial_position(0)
        from_record(record, position)
        return State(self.game, position)

    def scratch(self, seed: int) -> Any:
        """Return new scratch memory whose random numbers begin at a seed."""
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
        """Play random games from a position and return how many moves they had in all.

        Every thread plays its share of the games with random numbers of its own, so the moves are
        the same for the same number of threads.  Raises ParameterError for less than one thread.
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
        """Play a random game and return a checksum of all that the rules said on the way."""
        return int(self.playouts.trace(self.memory(position)[0], self.scratch(seed), limit))

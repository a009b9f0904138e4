"""The contract of a game's rules: what ``rules.py`` must offer, and what it may leave out.

The names are OpenSpiel's where it has one (Lanctot et al., OpenSpiel: A Framework for
Reinforcement Learning in Games, 2019).  A game without chance and hidden information leaves out the
functions that have a default here.
"""

from __future__ import annotations

from types import FunctionType, ModuleType

from gridhouse.core.errors import RulesError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from gridhouse.core.chance import Rng
    from gridhouse.core.position import Position

    class Rules(Protocol):
        """A module of rules."""

        def refusal(self, state: Position, action: int, /) -> int:
            """Return 0 if an action is legal, else the reason why it is not."""

        def legal_actions(self, state: Position, out: list[int], /) -> int:
            """Write the legal actions in ascending order; return their number."""

        def apply_action(self, state: Position, action: int, /) -> None:
            """Play a legal action."""

        def current_player(self, state: Position, /) -> int:
            """Return the player to move."""

        def is_terminal(self, state: Position, /) -> bool:
            """Tell whether the game is over."""

        def returns(self, state: Position, out: list[float], /) -> None:
            """Write the returns of the players."""

        def key(self, state: Position, /) -> int:
            """Return a hash key of the position, from 0 to 2**61 - 1."""

        def observation_planes(self, state: Position, player: int, out: Any, /) -> None:
            """Write the observation of a player as planes over zeros."""

        def randomize_start(self, state: Position, rng: Rng, /) -> None:
            """Replace a start by a random one."""

        def redact(self, state: Position, player: int, /) -> None:
            """Remove what a player may not see."""

        def has_hidden_information(self, state: Position, player: int, /) -> bool:
            """Tell whether a player may not see everything."""

        def resample(self, state: Position, player: int, rng: Rng, /) -> None:
            """Replace what a player may not see by a sample consistent with what it knows."""


# What every rules.py must define, with the parameters of its functions.
REQUIRED = {
    "NUM_PLANES": "",
    "Position": "",
    "refusal": "state, action",
    "legal_actions": "state, out",
    "apply_action": "state, action",
    "current_player": "state",
    "is_terminal": "state",
    "returns": "state, out",
    "key": "state",
    "observation_planes": "state, player, out",
}


def randomize_start(state: Any, rng: Any) -> None:
    """Replace a start by another one, drawn from ``rng`` by ``core.chance``: there is only one."""


def redact(state: Any, player: int) -> None:
    """Remove from a position all that the player may not see: nothing."""


def has_hidden_information(state: Any, player: int) -> bool:
    """Tell whether the player may not see everything, as far as the player knows: never."""
    return False


def resample(state: Any, player: int, rng: Any) -> None:
    """Replace what the player may not see by a sample consistent with what the player knows.

    The sample depends on nothing else but ``rng``.
    """


DEFAULTS = {
    default.__name__: default
    for default in (randomize_start, redact, has_hidden_information, resample)
}


def complete(rules: ModuleType) -> None:
    """Give a module of rules the defaults that it leaves out.

    Raises RulesError for a required function that is missing.
    """
    for name, parameters in REQUIRED.items():
        if not hasattr(rules, name):
            call = f"{name}({parameters})" if parameters else name
            raise RulesError(f"{rules.__name__} does not define {call}")
    add_missing(rules, DEFAULTS)


def add_missing(module: ModuleType, defaults: Mapping[str, object]) -> None:
    """Define in a module what it leaves out; functions become its own, over its globals."""
    for name, value in defaults.items():
        if hasattr(module, name):
            continue
        if isinstance(value, FunctionType):
            own = FunctionType(value.__code__, vars(module), name, value.__defaults__)
            own.__doc__ = value.__doc__
            own.__module__ = module.__name__  # so that it is compiled with the others
            value = own
        setattr(module, name, value)

"""The contract of a game's rules: the required functions of ``rules.py``, and defaults.

The names are OpenSpiel's where it has them (Lanctot et al., OpenSpiel: A Framework for
Reinforcement Learning in Games, 2019).  A game without chance and hidden information needs none of
the functions that have a default here.
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
            """Remove all information hidden from a player."""

        def has_hidden_information(self, state: Position, player: int, /) -> bool:
            """Tell whether a player may not see everything."""

        def resample(self, state: Position, player: int, rng: Rng, /) -> None:
            """Replace hidden information by a sample consistent with the player's knowledge."""


# The required names of rules.py, with the parameters of its functions.
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
    """Replace a start by a random one, drawn from ``rng`` by ``core.chance``: there is only one."""


def redact(state: Any, player: int) -> None:
    """Remove the information hidden from a player: there is none."""


def has_hidden_information(state: Any, player: int) -> bool:
    """Tell whether information may be hidden from a player, as far as it knows: never."""
    return False


def resample(state: Any, player: int, rng: Any) -> None:
    """Replace hidden information by a sample consistent with the player's knowledge.

    The sample depends only on that knowledge and on ``rng``.
    """


DEFAULTS = {
    default.__name__: default
    for default in (randomize_start, redact, has_hidden_information, resample)
}


def complete(rules: ModuleType) -> None:
    """Complete a module of rules by defaults.

    Raises RulesError for a missing required name.
    """
    for name, parameters in REQUIRED.items():
        if not hasattr(rules, name):
            call = f"{name}({parameters})" if parameters else name
            raise RulesError(f"{rules.__name__} does not define {call}")
    add_missing(rules, DEFAULTS)


def add_missing(module: ModuleType, defaults: Mapping[str, object]) -> None:
    """Define missing names in a module; functions become its own, over its globals."""
    for name, value in defaults.items():
        if hasattr(module, name):
            continue
        if isinstance(value, FunctionType):
            own = FunctionType(value.__code__, vars(module), name, value.__defaults__)
            own.__doc__ = value.__doc__
            own.__module__ = module.__name__  # it is compiled with the functions of this module
            value = own
        setattr(module, name, value)

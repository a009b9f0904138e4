"""Gridhouse: a house for grid games.

The names in ``__all__`` are the supported interface: between versions with the same first number,
what works with them goes on working.  All other modules may change with every version.
"""

import sys
from importlib import import_module

if sys.version_info < (3, 8):  # noqa: UP036  # the scripts may run under any Python
    sys.exit(f"The programs of Gridhouse need Python 3.8; this is {sys.version.split()[0]}")

# The folder of the games is imported before the function of the same name: Python binds a
# subpackage to its name once, so from here on ``gridhouse.games()`` is the function.
import_module("gridhouse.games")

from gridhouse.core.errors import (  # noqa: E402
    AmbiguousMoveError,
    GridhouseError,
    IllegalMoveError,
    InvalidMoveError,
    MoveError,
    ParameterError,
    PictureError,
    PlayerError,
    PositionError,
    RulesError,
    SolverError,
    UnknownGameError,
)
from gridhouse.core.extras import MissingExtraError  # noqa: E402
from gridhouse.core.game import Game, Parameter, State  # noqa: E402
from gridhouse.core.registry import games, load, parse  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.outcome import Outcome
    from gridhouse.core.solving import solve
    from gridhouse.players import Choice, Limits, Player, player
    from gridhouse.search.batch import batch

__all__ = [
    "AmbiguousMoveError",
    "Choice",
    "Game",
    "GridhouseError",
    "IllegalMoveError",
    "InvalidMoveError",
    "Limits",
    "MissingExtraError",
    "MoveError",
    "Outcome",
    "Parameter",
    "ParameterError",
    "PictureError",
    "Player",
    "PlayerError",
    "PositionError",
    "RulesError",
    "SolverError",
    "State",
    "UnknownGameError",
    "__version__",
    "batch",
    "games",
    "load",
    "parse",
    "player",
    "solve",
]
__version__ = "0.1.0"

# Modules with compiled code or threads are imported on first use, so the exact programs start fast.
_LATER = {
    "Choice": "gridhouse.players",
    "Limits": "gridhouse.players",
    "Outcome": "gridhouse.core.outcome",
    "Player": "gridhouse.players",
    "batch": "gridhouse.search.batch",
    "player": "gridhouse.players",
    "solve": "gridhouse.core.solving",
}


def __getattr__(name: str) -> object:
    """Import a name with compiled code on its first use."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

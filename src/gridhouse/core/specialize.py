"""Specialized modules: the same functions over other globals, interpreted or compiled.

A specialized module has the same names as the original, but its functions see other globals.  A
search that names ``rules`` as a module global is thereby specialized for each game.

This module does not need NumPy or Numba.  It imports ``core.compiling``, which does, when compiled
code is requested.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from gridhouse.core import bits, chance, tables
from gridhouse.core.extras import missing
from gridhouse.core.functions import CONSTANTS, copied, digest

if TYPE_CHECKING:
    from gridhouse.core.game import Game

SHARED = {"chance": chance, "tables": tables}
_MADE: dict[tuple[object, ...], ModuleType] = {}


def specialize(module: ModuleType, game: str, *, jit: bool = True, **bound: Any) -> ModuleType:
    """Return a module specialized for a game: ``bound`` replaces globals of these names.

    The modules ``chance`` and ``tables`` are specialized as well wherever they are named; ``bits``,
    compiled, becomes the machine's instructions.  Without ``jit`` the functions run interpreted.
    The same module is returned for the same arguments.

    Raises MissingExtraError for compiled functions where there is no compiler.

    If a module says ``INLINED = True``, its functions are inlined into their callers.  A call
    passes seven words for every array, which can take longer than a short function; inlining takes
    longer to compile.
    """
    inherited = {key: value for key, value in vars(module).items() if not key.startswith("__")}
    for name, shared in SHARED.items():
        if inherited.get(name) is shared:
            bound[name] = specialize(shared, "every game", jit=jit)
    if jit:
        try:
            from gridhouse.core import machine_bits
        except ModuleNotFoundError:
            raise missing("Numba", "compiled code", "fast") from None
        if inherited.get("bits") is bits:
            bound["bits"] = machine_bits
    key = (module, game, jit, *((name, _identity(bound[name])) for name in sorted(bound)))
    if key not in _MADE:
        _MADE[key] = _made(module, game, jit, inherited, bound)
    return _MADE[key]


def _identity(value: Any) -> object:
    """Return the identity of a bound value: constants by value, other objects by ``id``."""
    return value if isinstance(value, CONSTANTS) else id(value)


def _made(
    module: ModuleType, game: str, jit: bool, inherited: dict[str, Any], bound: dict[str, Any]
) -> ModuleType:
    """Make a specialized module."""
    own = {
        key: value
        for key, value in inherited.items()
        if isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and key not in bound
    }
    names = inherited | bound
    short = module.__name__.rpartition(".")[2]
    made: ModuleType
    if jit:
        from gridhouse.core.compiling import Compiled

        made = Compiled(short, digest(own, names), own, names)
    else:
        made = ModuleType(f"gridhouse._interpreted.{short}_{game}", module.__doc__)
        vars(made).update(names)
        vars(made).update((key, copied(value, vars(made), made)) for key, value in own.items())
    sys.modules[made.__name__] = made  # unpickling a compiled function looks there
    return made


def rules_of(game: Game, *, jit: bool = True) -> ModuleType:
    """Return a game's rules, specialized."""
    module = game.rules
    assert isinstance(module, ModuleType)
    return specialize(module, game.name, jit=jit)

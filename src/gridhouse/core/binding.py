"""The same functions over other globals: modules bound to a game, interpreted or compiled.

A *twin* of a module has the same names, but its functions see the twin's own globals.  So the rules
of a game are compiled over each other, and a search that names ``rules`` as a module global is
bound to one game's rules without a word of it written twice.

Nothing here needs NumPy or Numba; what does is in ``core.compiling``, which is imported when a
compiled twin is asked for.
"""

from __future__ import annotations

import hashlib
import sys
from enum import EnumMeta
from importlib.util import find_spec
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from gridhouse.core import bits, chance
from gridhouse.core.position import Field, Position

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gridhouse.core.game import Game

NUMBERS = (int, float, str, bytes, tuple, frozenset)  # constants that compiled code takes in
_TWINS: dict[tuple[object, ...], ModuleType] = {}


def has_compiler() -> bool:
    """Tell whether there is a compiler on this machine."""
    return find_spec("numba") is not None


def twin(module: ModuleType, game: str, *, jit: bool = True, **bound: Any) -> ModuleType:
    """Return a module's twin for a game, with ``bound`` in place of globals of these names.

    The module ``chance`` is bound to its own twin wherever it is named, and ``bits``, compiled, to
    the machine's instructions.  Without ``jit`` the functions run interpreted.  The same twin is
    returned for the same module, game, ``jit`` and ``bound``.

    Where a module says ``INLINED = True``, the code of its functions takes the place of each call.
    A call hands over seven words for every array, which can be more work than what it is for; to
    compile takes longer.
    """
    inherited = {key: value for key, value in vars(module).items() if not key.startswith("__")}
    if inherited.get("chance") is chance:
        bound["chance"] = twin(chance, "every game", jit=jit)
    if jit and inherited.get("bits") is bits:
        from gridhouse.core import machine_bits

        bound["bits"] = machine_bits
    key = (module, game, jit, *((name, _identity(bound[name])) for name in sorted(bound)))
    if key not in _TWINS:
        _TWINS[key] = _made(module, game, jit, inherited, bound)
    return _TWINS[key]


def _identity(value: Any) -> object:
    """Return what tells two bound values apart."""
    return value if isinstance(value, NUMBERS) else id(value)


def _made(
    module: ModuleType, game: str, jit: bool, inherited: dict[str, Any], bound: dict[str, Any]
) -> ModuleType:
    """Make a twin."""
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

        made = Compiled(short, _digest(own, names), own, names)
    else:
        made = ModuleType(f"gridhouse._interpreted.{short}_{game}", module.__doc__)
        vars(made).update(names)
        vars(made).update((key, copied(value, vars(made), made)) for key, value in own.items())
    sys.modules[made.__name__] = made  # where unpickling a compiled function looks for it
    return made


def copied(function: FunctionType, names: dict[str, Any], module: ModuleType) -> FunctionType:
    """Return a function over other globals, as one of another module."""
    key = function.__name__
    copy = FunctionType(function.__code__, names, key, function.__defaults__)
    copy.__module__ = module.__name__
    copy.__qualname__ = key
    return copy


def _digest(own: dict[str, FunctionType], names: dict[str, Any]) -> str:
    """Return what a twin's compiled code hangs on: its functions and the globals they name.

    Comments, lines and docstrings are no part of it.
    """
    found = hashlib.sha256(repr(names.get("INLINED", False)).encode())
    used: set[str] = set()
    for name, function in sorted(own.items()):
        found.update(f"{name} {function.__defaults__!r} ".encode())
        for part in _parts(function.__code__, function.__doc__):
            found.update(part)
        used.update(_names(function.__code__))
    for name in sorted(used & names.keys() - own.keys()):
        found.update(f"{name}={_told(names[name])} ".encode())
    return found.hexdigest()[:16]


def _parts(code: CodeType, doc: str | None) -> Iterable[bytes]:
    """Yield what a function does."""
    yield code.co_code
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)).encode()
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _parts(part, None)
        elif part != doc or doc is None:
            yield repr(part).encode()


def _names(code: CodeType) -> set[str]:
    """Return the names of globals, and of attributes, that a function uses."""
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _told(value: Any) -> str:
    """Return a global as far as compiled code hangs on it."""
    if isinstance(value, ModuleType):
        return str(getattr(value, "DIGEST", value.__name__))
    if isinstance(value, EnumMeta):
        members: dict[str, Any] = dict(value.__members__)
        return repr({name: member.value for name, member in members.items()})
    if isinstance(value, type) and issubclass(value, Position):
        return repr({name: _field(field) for name, field in value.fields.items()})
    if isinstance(value, NUMBERS):
        return repr(value)
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"


def _field(field: Field) -> tuple[str, int | str | None]:
    return field.kind, field.size


def rules_of(game: Game, *, jit: bool = True) -> ModuleType:
    """Return the twin of a game's rules."""
    module = game.rules
    assert isinstance(module, ModuleType)
    return twin(module, game.name, jit=jit)


def capacity(length: int) -> int:
    """Return the room that a record has for so many integers: a power of four, 16 or more.

    Positions of like sizes then share one record type, for which everything is compiled once.
    """
    room = 16
    while room < length:
        room *= 4
    return room

"""The same rules, compiled: modules of plain functions bound to a game and given to Numba.

A *twin* of a module has the same names, but its functions see the twin's own globals.  So the rules
of a game are compiled over each other, and a search that names ``rules`` as a module global is
bound to one game's rules without a word of it written twice.

Compiled code is kept on disk, in a folder named by the hash of all sources of the package: Numba's
own cache does not notice when a function in another file has changed.
"""

from __future__ import annotations

import hashlib
import sys
from opcode import opmap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import platformdirs

from gridhouse.core import bits, chance

if TYPE_CHECKING:
    from gridhouse.core.game import Game
    from gridhouse.core.position import Position

PACKAGE = Path(__file__).resolve().parent.parent


def cache_folder() -> Path:
    """Return the folder of the code compiled from just these sources."""
    sources = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        sources.update(file.relative_to(PACKAGE).as_posix().encode() + b"\0" + file.read_bytes())
    return Path(platformdirs.user_cache_dir("gridhouse")) / "compiled" / sources.hexdigest()[:16]


numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]


def twin(module: ModuleType, game: str, *, jit: bool = True, **bound: Any) -> ModuleType:
    """Return a module's twin for a game, with ``bound`` in place of globals of these names.

    The module ``chance`` is bound to its own twin wherever it is named, and ``bits``, compiled, to
    the machine's instructions.  Without ``jit`` the functions run interpreted.  The same twin is
    returned for the same module, game and ``jit``.

    Where a module says ``INLINED = True``, the code of its functions takes the place of each call.
    A call hands over seven words for every array, which can be more work than what it is for; to
    compile takes longer.
    """
    kind = "compiled" if jit else "interpreted"
    name = f"gridhouse._{kind}.{game}.{module.__name__.rpartition('.')[2]}"
    if name in sys.modules:
        return sys.modules[name]
    made = ModuleType(name, module.__doc__)
    inherited = {key: value for key, value in vars(module).items() if not key.startswith("__")}
    if inherited.get("chance") is chance:
        bound["chance"] = twin(chance, game, jit=jit)
    if jit and inherited.get("bits") is bits:
        from gridhouse.core import machine_bits

        bound["bits"] = machine_bits
    vars(made).update(inherited | bound)
    own = {
        key: value
        for key, value in inherited.items()
        if isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and key not in bound
    }
    inlined = inherited.get("INLINED", False)
    makes_lists = jit and any(_makes_lists(function.__code__) for function in own.values())
    for key, value in own.items():
        copy = FunctionType(value.__code__, vars(made), key, value.__defaults__)
        # Module and name tell the caches of two games apart.
        copy.__module__ = name
        copy.__qualname__ = f"{game}.{key}"
        setattr(made, key, _compiled(copy, makes_lists, inlined) if jit else copy)
    sys.modules[name] = made  # where unpickling a cached function looks for it
    return made


def _compiled(function: FunctionType, makes_lists: bool, inlined: bool) -> Any:
    """Give a function to Numba, with memory management only if its module makes lists.

    All others are lent what they work on by their callers.  Without ``_nrt=False`` every call would
    count references to the arrays that it is given, in steps that the whole machine has to see:
    up to half of the time of a search.
    """
    options: dict[str, Any] = {
        "cache": True,
        "nogil": True,
        "error_model": "numpy",
        "_nrt": makes_lists,
        "forceinline": inlined,
    }
    return numba.njit(**options)(function)


def _makes_lists(code: CodeType) -> bool:
    """Tell whether a function, or a comprehension in it, makes a list."""
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    # Every second byte is an instruction, the others are what it is given.
    return opmap["BUILD_LIST"] in code.co_code[::2] or any(map(_makes_lists, inner))


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


def record_type(position: Position) -> np.dtype[Any]:
    """Return the record type for a position; fields of a chosen length have more room there."""
    fields: list[Any] = []
    for name, field in position.fields.items():
        if field.size is None:
            fields.append((name, field.kind))
        else:
            length = len(getattr(position, name))
            room = capacity(length) if isinstance(field.size, str) else length
            fields.append((name, field.kind, (room,)))
    return np.dtype((np.record, np.dtype(fields, align=True)))


def to_records(position: Position, count: int = 1) -> np.ndarray[Any, Any]:
    """Return an array of so many records, each equal to the position."""
    record = np.zeros(1, record_type(position))
    for name, field in position.fields.items():
        value = getattr(position, name)
        if field.size is None:
            record[name][0] = value
        elif any(value):  # to write many zeros over zeros takes long
            record[name][0, : len(value)] = value
    records = np.zeros(count, record.dtype)
    if record.view("u1").any():  # memory that stays zero is not touched before it is used
        records[:] = record
    return records


def from_record(record: Any, position: Position) -> None:
    """Write the fields of a record into a position of the same size."""
    for name, field in position.fields.items():
        value = record[name].tolist()
        setattr(
            position, name, value if field.size is None else value[: len(getattr(position, name))]
        )

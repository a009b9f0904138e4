"""Copies of functions over other globals, and digests of functions."""

from __future__ import annotations

import hashlib
from enum import EnumMeta
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from gridhouse.core.position import Field, Position

if TYPE_CHECKING:
    from collections.abc import Iterable

CONSTANTS = (int, float, str, bytes, tuple, frozenset)  # types of globals compiled as constants


def copied(function: FunctionType, names: dict[str, Any], module: ModuleType) -> FunctionType:
    """Return a copy of a function over other globals, in another module."""
    key = function.__name__
    copy = FunctionType(function.__code__, names, key, function.__defaults__)
    copy.__module__ = module.__name__
    copy.__qualname__ = key
    return copy


def digest(own: dict[str, FunctionType], names: dict[str, Any]) -> str:
    """Return a digest of a module's functions and the globals that they name.

    It does not depend on comments, line numbers and docstrings.
    """
    found = hashlib.sha256(repr(names.get("INLINED", False)).encode())
    used: set[str] = set()
    for name, function in sorted(own.items()):
        found.update(f"{name} {function.__defaults__!r} ".encode())
        for part in _code_parts(function.__code__, function.__doc__):
            found.update(part)
        used.update(_names(function.__code__))
    for name in sorted(used & names.keys() - own.keys()):
        found.update(f"{name}={_described(names[name], used)} ".encode())
    return found.hexdigest()[:16]


def _code_parts(code: CodeType, doc: str | None) -> Iterable[bytes]:
    """Yield the code of a function as bytes."""
    yield code.co_code
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)).encode()
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _code_parts(part, None)
        elif part != doc or doc is None:
            yield repr(part).encode()


def _names(code: CodeType) -> set[str]:
    """Return the names of the globals and attributes that a function uses."""
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _described(value: Any, used: set[str]) -> str:
    """Return a description of a global, for all that compiled code depends on.

    ``used`` are the names in the code.  A module's digest leaves out what its own functions do not
    name, so that constants of it that the code reads are added.
    """
    if isinstance(value, ModuleType):
        own = vars(value)
        read = {
            name: _described(own[name], used)
            for name in sorted(used & own.keys())
            if isinstance(own[name], (*CONSTANTS, EnumMeta))
        }
        return f"{own.get('DIGEST', value.__name__)} {read}"
    if isinstance(value, EnumMeta):
        members: dict[str, Any] = dict(value.__members__)
        return repr({name: member.value for name, member in members.items()})
    if isinstance(value, type) and issubclass(value, Position):
        return repr({name: _field(field) for name, field in value.fields.items()})
    if isinstance(value, CONSTANTS):
        return repr(value)
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"


def _field(field: Field) -> tuple[str, int | str | None]:
    return field.dtype, field.size


def source_digest(path: str) -> str:
    """Return a digest of a file, for code that is not made from functions."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]

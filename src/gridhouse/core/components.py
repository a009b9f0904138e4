"""The optional modules of a game's folder: view, evaluation, solver, program and others."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def component(cls: type, name: str) -> ModuleType | None:
    """Return a module of the folder of a game's class, None if there is none of this name.

    The name of a module in a package has a dot: ``solver.api``.
    """
    return sibling(cls.__module__, name)


@lru_cache(maxsize=None)
def sibling(module: str, name: str) -> ModuleType | None:
    """Return a module of the folder of another one, as ``component`` does."""
    import importlib
    import importlib.util

    name = f"{module.rpartition('.')[0]}.{name}"
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if not name.startswith(str(error.name)):
            raise
        return None  # there is no such package
    return importlib.import_module(name) if spec else None

"""The modules of a game's folder besides its rules: view, evaluation, solver, program."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def component(cls: type, name: str) -> ModuleType | None:
    """Return a module of the folder of a game's class, None if there is none of this name.

    ``solver.command`` is a module of the package ``solver`` of the folder.
    """
    return _module(cls.__module__.rpartition(".")[0], name)


def advice_of(cls: type) -> ModuleType | None:
    """Return the module ``advice`` of a game: of its package ``solver``, or of its folder."""
    return component(cls, "solver.advice") or component(cls, "advice")


@lru_cache(maxsize=None)
def _module(package: str, name: str) -> ModuleType | None:
    import importlib
    import importlib.util

    first, _, rest = name.partition(".")
    full = f"{package}.{first}"
    spec = importlib.util.find_spec(full)
    if spec is None:
        return None
    if not rest:
        return importlib.import_module(full)
    return _module(full, rest) if spec.submodule_search_locations is not None else None

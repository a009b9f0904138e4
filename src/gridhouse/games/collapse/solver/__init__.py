"""Solves Collapse: ``solve`` returns the best picks found and a bound on the score.

``api`` is what the rest of the package calls, ``command`` the command, ``advice`` for players.
``search`` decides what to search, ``kernels`` search; these need NumPy, so that ``api`` is imported
when one of its names is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gridhouse.games.collapse.solver.api import (
        CollapseSolution,
        can_clear,
        hint,
        par,
        solve,
        warm,
    )

__all__ = ["CollapseSolution", "can_clear", "hint", "par", "solve", "warm"]


def __getattr__(name: str) -> Any:
    """Return a name of ``api``."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gridhouse.games.collapse.solver import api

    return getattr(api, name)

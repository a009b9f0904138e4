"""Searches over the kernels: threads, limits, the best line and the bound.

``base`` has what both scorings share, ``linear`` and ``samegame`` the rest, ``interface`` the
searches at cuts of the board, ``backend`` the kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gridhouse.games.collapse.rules import Scoring
from gridhouse.games.collapse.solver.search.base import MEMORY, Options, Search
from gridhouse.games.collapse.solver.search.linear import LinearSearch
from gridhouse.games.collapse.solver.search.samegame import SamegameSearch

if TYPE_CHECKING:
    from gridhouse.core.game import State

__all__ = ["MEMORY", "LinearSearch", "Options", "SamegameSearch", "Search", "make_search"]


def make_search(state: State, options: Options, *, jit: bool) -> Search:
    """Return a search for a high score from a position."""
    position: Any = state.position
    kind = LinearSearch if position.scoring == Scoring.LINEAR else SamegameSearch
    return kind(state, options, jit=jit)

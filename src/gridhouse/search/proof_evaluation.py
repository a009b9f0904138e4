"""The evaluation of a search for proofs: the game's own orders the moves, and leaves none out.

``rules`` and ``evaluation`` are specialized for a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from gridhouse.search import default_evaluation as evaluation

if TYPE_CHECKING:
    from gridhouse.core.contract import Rules
    from gridhouse.core.position import Position

rules = cast("Rules", None)

HAS_TACTICAL = False


def evaluate(state: Position) -> int:
    """Return 0: an end that is not seen proves nothing."""
    return 0


def move_score(state: Position, action: int) -> int:
    """Return the score of the game's evaluation."""
    return evaluation.move_score(state, action)


def candidates(state: Position, out: list[int]) -> int:
    """Write all legal actions; return their number, 0 if the game is over."""
    return rules.legal_actions(state, out)

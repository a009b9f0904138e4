"""The evaluation of a game that has none: it knows the rules alone.

The ``evaluation.py`` of a game replaces the names that it defines, in the part of Python that can
be compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from gridhouse.core.contract import Rules
    from gridhouse.core.position import Position

rules = cast("Rules", None)

HORIZON = 1000  # the most random moves of a playout before its end is evaluated
RAVE = 0.0  # the number of visits that the RAVE value of a move is worth, 0 for no RAVE
HAS_TACTICAL = False  # whether any move score can reach alpha-beta's TACTICAL

# The search that plays the game best: with perfect information, and where something may be hidden.
BEST = "mcts"
BEST_HIDDEN = "mcts"


def evaluate(state: Position) -> int:
    """Return the evaluation for player 0, in hundredths of a clear advantage."""
    return 0


def move_score(state: Position, action: int) -> int:
    """Return a score of a legal action without playing it; TACTICAL or more if it is forcing."""
    return 0


def candidates(state: Position, out: list[int]) -> int:
    """Write the legal actions that a search tries; return their number, 0 if the game is over."""
    return rules.legal_actions(state, out)

"""What searches know of the Binary Game besides its rules.

Whoever makes the last move wins, so what counts is whether an even or an odd number of moves is
left.  Nothing on the way tells (the parity of the cells that still take a digit hardly goes with
what random games come to), so searches play to the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.games.binary import rules

if TYPE_CHECKING:
    from gridhouse.games.binary.rules import Position

# Moves here are nearly as good at any other time, so what was played later teaches a lot (tuned
# by play on 6x6: RAVE beats none by 85 % at equal playouts).
HORIZON = 1000
RAVE = 1000.0
HAS_TACTICAL = False
BEST = "mcts"
BEST_HIDDEN = "mcts"


def evaluate(state: Position) -> int:
    """Return how player 0 stands before the end: nothing is known of that."""
    return 0


def move_score(state: Position, action: int) -> int:
    """Return how good a legal action looks: nothing is known of that."""
    return 0


def candidates(state: Position, out: list[int]) -> int:
    """Write the legal actions; all are worth a look."""
    return rules.legal_actions(state, out)

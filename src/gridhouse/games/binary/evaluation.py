"""What searches know of the Binary Game besides its rules.

Whoever makes the last move wins, so what counts is whether an even or an odd number of moves is
left.  Nobody knows that before the end; that every cell that still takes a digit will be filled
is a guess that gets better the nearer the end is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import bits
from gridhouse.games.binary import rules
from gridhouse.games.binary.rules import ZEROS

if TYPE_CHECKING:
    from gridhouse.games.binary.rules import Position

# Moves here are nearly as good at any other time, so what was played later teaches a lot (tuned
# by play on 6x6: RAVE beats none by 85 % at equal playouts).
HORIZON = 1000
RAVE = 1000.0
HAS_LOUD = False
BEST = "mcts"
BEST_HIDDEN = "mcts"

PARITY = 50


def evaluate(state: Position) -> int:
    """Return how player 0 stands, in hundredths: the parity of the cells that take a digit."""
    cells = 0
    for y in range(state.rows):
        legal = rules.legal_in_row(state, y)
        cells += bits.population((legal | legal >> 1) & ZEROS)
    return PARITY if (cells + state.ply) & 1 else -PARITY


def promise(state: Position, action: int) -> int:
    """Return how good a legal action looks: nothing is known of that."""
    return 0


def candidates(state: Position, out: list[int]) -> int:
    """Write the legal actions; all are worth a look."""
    return rules.legal_actions(state, out)

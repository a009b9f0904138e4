"""Boards of the Binary Game that were proved once and for all; docs/binary.md has the commands.

Boards of an even number of cells need no table: the second player wins by symmetry.
"""

from __future__ import annotations

# The larger and the smaller side of empty boards on which every first move wins: nimber 1.
EVERY_MOVE_WINS = frozenset(
    {*((side, 1) for side in range(1, 20, 2)), (3, 3), (5, 3), (7, 3), (5, 5)}
)
# Likewise where those do that are diagonally beside a corner; of the others it is not known.
BESIDE_CORNERS_WIN = frozenset({(9, 3)})


def winning_cells(rows: int, cols: int) -> list[int]:
    """Return the cells in which both digits were proved to win an empty board, none without proof.

    Its nimber is 1 then.
    """
    sides = max(rows, cols), min(rows, cols)
    if sides in BESIDE_CORNERS_WIN:
        return sorted({row * cols + col for row in (1, rows - 2) for col in (1, cols - 2)})
    return list(range(rows * cols)) if sides in EVERY_MOVE_WINS else []

"""Boards of the Binary Game that were proved once and for all; docs/binary.md has the commands.

Boards of an even number of cells need no table: the second player wins by symmetry.
"""

from __future__ import annotations

# The larger and the smaller side of empty boards on which every first move wins: nimber 1.
EVERY_MOVE_WINS = frozenset(
    {*((side, 1) for side in range(1, 20, 2)), (3, 3), (5, 3), (7, 3), (9, 3), (5, 5)}
)


def every_move_wins(rows: int, cols: int) -> bool:
    """Tell whether every first move was proved to win an empty board; its nimber is 1 then."""
    return (max(rows, cols), min(rows, cols)) in EVERY_MOVE_WINS

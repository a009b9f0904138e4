"""Positions that are lost because every move can be answered at its image.

If a symmetry of the board that is its own inverse leaves a position as it is with the digits
exchanged, and moves every open cell, the second player wins: a digit takes nothing away from the
other digit, so the other digit at the image is legal after every move.  See docs/binary.md.
"""

from __future__ import annotations

from gridhouse.games.binary import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.rules import Position

# Half turn, the two reflections; on square boards the two diagonals.
IMAGES = (
    (0, 1, 1), (0, 1, 0), (0, 0, 1), (1, 0, 0), (1, 1, 1),
)  # fmt: skip


def image(state: Position, y: int, x: int, kind: tuple[int, int, int]) -> tuple[int, int]:
    """Return where a cell goes."""
    turned, up, left = kind
    row = state.rows - 1 - y if up else y
    col = state.cols - 1 - x if left else x
    return (col, row) if turned else (row, col)


def reply(state: Position, action: int, kind: tuple[int, int, int]) -> int:
    """Return the action that writes the other digit at the image."""
    y, x = divmod(action >> 1, state.cols)
    row, col = image(state, y, x, kind)
    return 2 * (row * state.cols + col) + 1 - (action & 1)


def symmetry_of(state: Position) -> tuple[int, int, int] | None:
    """Return the symmetry by which the position is lost, None if there is none."""
    for kind in IMAGES:
        if (state.rows == state.cols or not kind[0]) and is_symmetric(state, kind):
            return kind
    return None


def is_symmetric(state: Position, kind: tuple[int, int, int]) -> bool:
    """Tell whether a symmetry exchanges the digits and leaves no open cell in its place."""
    for y in range(state.rows):
        legal = rules.legal_in_row(state, y)
        for x in range(state.cols):
            digit = rules.digit_at(state, x, y)
            row, col = image(state, y, x, kind)
            other = rules.digit_at(state, col, row)
            if other != (1 - digit if digit >= 0 else digit):
                return False
            if (row, col) == (y, x) and legal >> 2 * x & 3:
                return False
    return True

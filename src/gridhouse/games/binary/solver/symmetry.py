"""Positions that are lost because every move can be answered at its image.

If a symmetry of the board that is its own inverse maps a position to itself with the digits
exchanged, and moves every cell that takes a digit, the second player wins: a digit constrains only
itself, so after every move the other digit is legal at the image.  The proof is in
``docs/research/half-turn-theorem.md``.
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
    """Return the image of a cell under a symmetry: row and column."""
    turned, up, left = kind
    row = state.rows - 1 - y if up else y
    col = state.cols - 1 - x if left else x
    return (col, row) if turned else (row, col)


def reply(state: Position, action: int, kind: tuple[int, int, int]) -> int:
    """Return the action that writes the other digit at the image."""
    y, x = divmod(action >> 1, state.cols)
    row, col = image(state, y, x, kind)
    return 2 * (row * state.cols + col) + 1 - (action & 1)


def winning_reply(state: Position) -> int | None:
    """Return a legal action after which the opponent loses by symmetry, or None."""
    for kind in IMAGES:
        action = missing_reply(state, kind) if state.rows == state.cols or not kind[0] else None
        if action is not None and not rules.refusal(state, action):
            after = state.copy()
            rules.apply_action(after, action)
            if is_symmetric(after, kind):
                return action
    return None


def missing_reply(state: Position, kind: tuple[int, int, int]) -> int | None:
    """Return the reply to the one digit without an image; None if there is not just one."""
    found = None
    for y in range(state.rows):
        for x in range(state.cols):
            digit = rules.digit_at(state, x, y)
            row, col = image(state, y, x, kind)
            if digit >= 0 and rules.digit_at(state, col, row) < 0:
                if found is not None:
                    return None
                found = 2 * (row * state.cols + col) + 1 - digit
    return found


def symmetry_of(state: Position) -> tuple[int, int, int] | None:
    """Return a symmetry by which the position is lost, or None."""
    for kind in IMAGES:
        if (state.rows == state.cols or not kind[0]) and is_symmetric(state, kind):
            return kind
    return None


def is_symmetric(state: Position, kind: tuple[int, int, int]) -> bool:
    """Return whether a symmetry exchanges the digits and moves every cell that takes a digit."""
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

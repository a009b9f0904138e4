"""The rules of the Binary Game, after Martin Mueller's course assignment (2024).

Players 0 and 1 in turn write a digit into an empty cell.  No three equal digits may stand in a
row, across or down, and a line of length k holds each digit at most ceil(k / 2) times.  Who
cannot move loses.

A row of stones is a bit mask, bit x for column x, so that one word answers for a whole row.
Action ``2 * (y * cols + x) + digit`` writes the digit at column x of row y from the top.
"""

from __future__ import annotations

from enum import IntEnum

from gridhouse.core import chance, position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_SIDE = 20
NUM_PLANES = 3

# Two empty rows stand above and below every digit's rows: looking two rows on needs no test.
MARGIN = 2
STRIDE = MAX_SIDE + 2 * MARGIN


class Refusal(IntEnum):
    """Why a move is not legal; the first reason that holds, in this order."""

    NONE = 0
    OCCUPIED = 1
    THREE_IN_A_ROW = 2
    TOO_MANY_0 = 3
    TOO_MANY_1 = 4


class Position(position.Position):
    """The stones of both digits, and how many of each stand in every row and column."""

    binary = position.integer("int8")
    rows = position.integer("int8")
    cols = position.integer("int8")
    ply = position.integer("int16")
    stones = position.integers("int64", 2 * STRIDE)
    in_row = position.integers("int8", 2 * MAX_SIDE)
    in_col = position.integers("int8", 2 * MAX_SIDE)


def triples(state: Position, digit: int, y: int) -> int:
    """Return the cells of a row in which the digit would make three equal in a row."""
    at = digit * STRIDE + y + MARGIN
    row = state.stones[at]
    up = state.stones[at - 1]
    down = state.stones[at + 1]
    across = ((row << 1) & (row << 2)) | ((row << 1) & (row >> 1)) | ((row >> 1) & (row >> 2))
    return across | (up & state.stones[at - 2]) | (up & down) | (down & state.stones[at + 2])


def occupied(state: Position, y: int) -> int:
    """Return the cells of a row that hold a digit."""
    return state.stones[y + MARGIN] | state.stones[STRIDE + y + MARGIN]


def digit_at(state: Position, x: int, y: int) -> int:
    """Return the digit in a cell, or -1 if the cell is empty."""
    if state.stones[y + MARGIN] >> x & 1:
        return 0
    if state.stones[STRIDE + y + MARGIN] >> x & 1:
        return 1
    return -1


def refusal(state: Position, action: int) -> int:
    """Return 0 if the action is legal, else the reason why it is not."""
    digit = action & 1
    y = (action >> 1) // state.cols
    x = (action >> 1) - y * state.cols
    if occupied(state, y) >> x & 1:
        return Refusal.OCCUPIED
    if triples(state, digit, y) >> x & 1:
        return Refusal.THREE_IN_A_ROW
    row_full = 2 * state.in_row[digit * MAX_SIDE + y] >= state.cols
    col_full = 2 * state.in_col[digit * MAX_SIDE + x] >= state.rows
    if row_full or col_full:
        return Refusal.TOO_MANY_1 if digit else Refusal.TOO_MANY_0
    return Refusal.NONE


def open_columns(state: Position, digit: int) -> int:
    """Return the columns that may hold one more of the digit."""
    mask = 0
    for x in range(state.cols):
        if 2 * state.in_col[digit * MAX_SIDE + x] < state.rows:
            mask |= 1 << x
    return mask


def legal_in_row(state: Position, digit: int, y: int, columns: int) -> int:
    """Return the cells of a row where the digit may be written, among the open columns."""
    if 2 * state.in_row[digit * MAX_SIDE + y] >= state.cols:
        return 0
    return columns & ~occupied(state, y) & ~triples(state, digit, y)


def legal_actions(state: Position, out: list[int]) -> int:
    """Write the legal actions in ascending order and return how many there are."""
    columns0 = open_columns(state, 0)
    columns1 = open_columns(state, 1)
    count = 0
    for y in range(state.rows):
        legal0 = legal_in_row(state, 0, y, columns0)
        legal1 = legal_in_row(state, 1, y, columns1)
        x = 0
        while (legal0 | legal1) >> x:
            action = 2 * (y * state.cols + x)
            if legal0 >> x & 1:
                out[count] = action
                count += 1
            if legal1 >> x & 1:
                out[count] = action + 1
                count += 1
            x += 1
    return count


def apply_action(state: Position, action: int) -> None:
    """Play a legal action."""
    digit = action & 1
    y = (action >> 1) // state.cols
    x = (action >> 1) - y * state.cols
    state.stones[digit * STRIDE + y + MARGIN] |= 1 << x
    state.in_row[digit * MAX_SIDE + y] += 1
    state.in_col[digit * MAX_SIDE + x] += 1
    state.ply += 1


def key(state: Position) -> int:
    """Return a key of the digits; who is to move follows from them."""
    result = 0
    for y in range(state.rows):
        for digit in range(2):
            stones = int(state.stones[digit * STRIDE + y + MARGIN])
            if stones:
                result ^= chance.code((2 * y + digit) << MAX_SIDE | stones)
    return result


def current_player(state: Position) -> int:
    """Return the player to move."""
    return state.ply & 1


def is_terminal(state: Position) -> bool:
    """Tell whether no digit can be written any more."""
    for digit in range(2):
        columns = open_columns(state, digit)
        for y in range(state.rows):
            if legal_in_row(state, digit, y, columns):
                return False
    return True


def returns(state: Position, out: list[float]) -> None:
    """Write 1 for the player who made the last move and -1 for the other, 0 before the end."""
    result = 0
    if is_terminal(state):
        result = 1 if state.ply & 1 else -1
    out[0] = result
    out[1] = -result


def deal(state: Position, source: Any) -> None:
    """Turn one start into another: nothing is left to chance."""


def hide(state: Position, player: int) -> None:
    """Take out what the player may not see: nothing, both see the whole grid."""


def guess(state: Position, player: int, source: Any) -> None:
    """Put something likely in the place of what is hidden: nothing is."""


def planes(state: Position, player: int, out: list[float]) -> None:
    """Write three planes of 0 and 1: the zeros, the ones, the empty cells."""
    cells = state.rows * state.cols
    for y in range(state.rows):
        for x in range(state.cols):
            digit = digit_at(state, x, y)
            plane = 2 if digit < 0 else digit
            out[plane * cells + y * state.cols + x] = 1

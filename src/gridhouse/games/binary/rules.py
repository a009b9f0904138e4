"""The rules of the Binary Game, after Martin Mueller's course assignment (2024).

Players 0 and 1 in turn write a digit into an empty cell.  No three equal digits may stand in a
row, across or down, and a line of length k holds each digit at most ceil(k / 2) times.  A player
who cannot move loses.

A row is a bit mask with bit ``2 * x + digit`` for a digit in column x, so one word covers both
digits of all columns.  The set of legal actions only shrinks; each move removes those that it
forbids.  Action ``2 * (y * cols + x) + digit`` writes the digit at column x of row y from the top.
"""

from __future__ import annotations

from enum import IntEnum

from gridhouse.core import chance, position

TYPE_CHECKING = False

MAX_SIDE = 20
NUM_PLANES = 3

# Two extra rows above and below: looking two rows further needs no bounds test.
MARGIN = 2
STRIDE = MAX_SIDE + 2 * MARGIN
ZEROS = 0x5555555555  # the bits of the digit 0 in a row of 20
INVERSE_BITS = 16


class Refusal(IntEnum):
    """Why a move is not legal; the first reason that holds, in this order."""

    NONE = 0
    OCCUPIED = 1
    THREE_IN_A_ROW = 2
    TOO_MANY_0 = 3
    TOO_MANY_1 = 4


class Position(position.Position):
    """The stones, their numbers in every line, and the digits that rows and columns allow."""

    binary = position.field("int8")
    rows = position.field("int8")
    cols = position.field("int8")
    ply = position.field("int16")
    inverse = position.field("int32")
    columns = position.field("int64")
    stones = position.field("int64", STRIDE)
    free = position.field("int64", STRIDE)
    in_row = position.field("int8", 2 * MAX_SIDE)
    in_col = position.field("int8", 2 * MAX_SIDE)


def start(state: Position) -> None:
    """Allow everything, once the size of an empty grid is set."""
    # A division by the length of a row would take longer than the rest of a test.
    state.inverse = (1 << INVERSE_BITS) // (2 * state.cols) + 1
    state.columns = (1 << 2 * state.cols) - 1
    for y in range(state.rows):
        state.free[y + MARGIN] = state.columns


def row_of(state: Position, action: int) -> int:
    """Return the row of an action."""
    return (action * state.inverse) >> INVERSE_BITS


def beside_pairs(row: int) -> int:
    """Return the bits that would make three in a row across."""
    left = row << 2
    right = row >> 2
    return (left & row << 4) | (left & right) | (right & row >> 4)


def triples(state: Position, y: int) -> int:
    """Return the bits of a row that would make three in a row, across or down."""
    at = y + MARGIN
    up = state.stones[at - 1]
    down = state.stones[at + 1]
    above = up & state.stones[at - 2]
    below = down & state.stones[at + 2]
    return beside_pairs(state.stones[at]) | above | (up & down) | below


def digit_at(state: Position, x: int, y: int) -> int:
    """Return the digit in a cell, or -1 if the cell is empty."""
    return (state.stones[y + MARGIN] >> 2 * x & 3) - 1


def legal_in_row(state: Position, y: int) -> int:
    """Return the bits of the legal digits in a row."""
    return state.free[y + MARGIN] & state.columns


def reason(state: Position, y: int, bit: int) -> int:
    """Return the reason why a digit may not be written; the last one is a full line."""
    if digit_at(state, bit >> 1, y) >= 0:
        return Refusal.OCCUPIED
    if triples(state, y) >> bit & 1:
        return Refusal.THREE_IN_A_ROW
    return Refusal.TOO_MANY_1 if bit & 1 else Refusal.TOO_MANY_0


def refusal(state: Position, action: int) -> int:
    """Return 0 if the action is legal, else the reason."""
    y = row_of(state, action)
    bit = action - 2 * state.cols * y
    if legal_in_row(state, y) >> bit & 1:
        return Refusal.NONE
    return reason(state, y, bit)


def legal_actions(state: Position, out: list[int]) -> int:
    """Write the legal actions in ascending order; return their number."""
    count = 0
    for y in range(state.rows):
        legal = legal_in_row(state, y)
        action = 2 * state.cols * y
        while legal:
            # Illegal actions are written but not counted, which avoids a branch.
            out[count] = action
            count += legal & 1
            legal >>= 1
            action += 1
    return count


def forbid_triples(state: Position, at: int, stone: int) -> None:
    """Forbid the digits that would be third in a row after a new stone."""
    up = state.stones[at - 1] & stone
    down = state.stones[at + 1] & stone
    state.free[at] &= ~beside_pairs(state.stones[at])
    state.free[at - 2] &= ~up
    state.free[at - 1] &= ~(down | state.stones[at - 2] & stone)
    state.free[at + 1] &= ~(up | state.stones[at + 2] & stone)
    state.free[at + 2] &= ~down


def count_stone(state: Position, y: int, bit: int) -> None:
    """Count a new stone in its lines, and forbid its digit in full lines."""
    line = 2 * y + (bit & 1)
    state.in_row[line] += 1
    state.in_col[bit] += 1
    if 2 * state.in_row[line] >= state.cols:
        state.free[y + MARGIN] &= ~(ZEROS << (bit & 1))
    if 2 * state.in_col[bit] >= state.rows:
        state.columns &= ~(1 << bit)


def apply_action(state: Position, action: int) -> None:
    """Play a legal action."""
    y = row_of(state, action)
    at = y + MARGIN
    bit = action - 2 * state.cols * y
    state.stones[at] |= 1 << bit
    state.free[at] &= ~(3 << (bit & ~1))
    forbid_triples(state, at, 1 << bit)
    count_stone(state, y, bit)
    state.ply += 1


def key(state: Position) -> int:
    """Return a hash of the digits; the player to move follows from them."""
    result = 0
    for y in range(state.rows):
        stones = int(state.stones[y + MARGIN])
        if stones:
            result ^= chance.zobrist(y << (2 * MAX_SIDE) | stones)
    return result


def current_player(state: Position) -> int:
    """Return the player to move."""
    return state.ply & 1


def is_terminal(state: Position) -> bool:
    """Tell whether no digit can be written any more."""
    for y in range(state.rows):
        if legal_in_row(state, y):
            return False
    return True


def returns(state: Position, out: list[float]) -> None:
    """Write 1 for the player who made the last move and -1 for the other, 0 before the end."""
    result = 0
    if is_terminal(state):
        result = 1 if state.ply & 1 else -1
    out[0] = result
    out[1] = -result


def observation_planes(state: Position, player: int, out: list[float]) -> None:
    """Write three planes of 0 and 1: the zeros, the ones, the empty cells."""
    cells = state.rows * state.cols
    for y in range(state.rows):
        for x in range(state.cols):
            digit = digit_at(state, x, y)
            plane = 2 if digit < 0 else digit
            out[plane * cells + y * state.cols + x] = 1

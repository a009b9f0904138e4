"""The rules of Collapse, the number board game of a programming course (Hacettepe, 2023).

A pick removes a cell and all connected cells with the same digit, at least two cells.  Cells above
fall down, and columns to the right of an empty one move left.  The score grows by the digit times
the number of removed cells.

With the scoring of SameGame (Moribe, 1985) it grows by (n - 2)^2 for n removed cells and by 1000
when the last pick clears the board.  It shrinks by (k - 2)^2 for every digit with k > 0 cells left
at the end.

Cells are stored column by column from the bottom, so falling stays within a column.  There is a
blank cell over every column and a blank column on both sides, so every cell has four neighbours.
Action ``row * cols + col`` picks a cell, row 0 being the top row of the board as it was at the
start.
"""

from __future__ import annotations

from enum import IntEnum

from gridhouse.core import chance, position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_SIDE = 1000
NUM_DIGITS = 10
NUM_PLANES = NUM_DIGITS
BLANK = -1
REACHED = -2  # and below: the side from which a cell of a group was reached
NOWHERE = -1
CLEARED = 1000  # SameGame's bonus for a cleared board


class Scoring(IntEnum):
    """The ways of scoring."""

    LINEAR = 0
    SAMEGAME = 1


class Refusal(IntEnum):
    """The reason why a pick is not legal."""

    NONE = 0
    BLANK = 1
    ALONE = 2


class Position(position.Position):
    """The digits, and the numbers of rows (``tall``) and columns (``wide``) that they reach."""

    collapse = position.field("int8")
    rows = position.field("int16")
    cols = position.field("int16")
    digits = position.field("int8")
    scoring = position.field("int8")
    tall = position.field("int16")
    wide = position.field("int16")
    score = position.field("int64")
    cells = position.field("int8", "cells")


def bottom(state: Position, col: int) -> int:
    """Return the lowest cell of a column."""
    return (col + 1) * (state.rows + 1)


def cell_of(state: Position, action: int) -> int:
    """Return the index of the cell that an action picks."""
    row = action // state.cols
    return bottom(state, action - row * state.cols) + state.rows - 1 - row


def step(state: Position, side: int) -> int:
    """Return the difference of indices between a cell and its neighbour on a side."""
    far = 1 if side < 2 else state.rows + 1
    return far if side % 2 == 0 else -far


def side_with(state: Position, cell: int, digit: int) -> int:
    """Return a side of a cell whose neighbour holds a digit, or NOWHERE."""
    for side in range(4):
        if state.cells[cell + step(state, side)] == digit:
            return side
    return NOWHERE


def is_alone(state: Position, cell: int) -> bool:
    """Tell whether no cell next to this one holds the same digit."""
    beyond = state.rows + 1
    left = state.cells[cell - beyond]
    right = state.cells[cell + beyond]
    return state.cells[cell] not in (state.cells[cell - 1], state.cells[cell + 1], left, right)


def refusal(state: Position, action: int) -> int:
    """Return 0 if the action is legal, else the reason."""
    cell = cell_of(state, action)
    if state.cells[cell] == BLANK:
        return Refusal.BLANK
    return Refusal.ALONE if is_alone(state, cell) else Refusal.NONE


def legal_actions(state: Position, out: list[int]) -> int:
    """Write the legal actions in ascending order; return their number."""
    count = 0
    for row in range(state.rows - state.tall, state.rows):
        for col in range(state.wide):
            cell = bottom(state, col) + state.rows - 1 - row
            # Illegal actions are written but not counted, which avoids a branch.
            out[count] = row * state.cols + col
            count += 1 if (state.cells[cell] != BLANK) & (not is_alone(state, cell)) else 0
    return count


def remove_group(state: Position, cell: int) -> tuple[int, int, int]:
    """Blank a cell and its group; return their number, the first and the last cell.

    During this depth-first walk a cell stores the side from which it was reached, so that no stack
    is needed.
    """
    digit = state.cells[cell]
    state.cells[cell] = REACHED
    count = 1
    first = last = at = cell
    while state.cells[cell] != BLANK:
        side = side_with(state, at, digit)
        if side != NOWHERE:
            at += step(state, side)
            state.cells[at] = REACHED - side
            count += 1
            first = min(first, at)
            last = max(last, at)
        else:
            side = REACHED - state.cells[at]
            state.cells[at] = BLANK
            at -= step(state, side)
    return count, first, last


def fall(state: Position, col: int, to: int) -> None:
    """Let a column fall, and move it to column ``to``: itself, or an empty one further left."""
    source = bottom(state, col)
    target = bottom(state, to)
    for at in range(source, source + state.tall):
        digit = state.cells[at]
        state.cells[at] = BLANK
        state.cells[target] = digit
        target += 1 if digit != BLANK else 0


def reaches(state: Position, level: int) -> bool:
    """Tell whether any column is higher than ``level``."""
    for col in range(state.wide):
        if state.cells[bottom(state, col) + level] != BLANK:
            return True
    return False


def settle(state: Position, first: int, last: int) -> None:
    """Let the columns from the first to the last blanked cell fall.

    Columns close up over empty ones; ``tall`` and ``wide`` are updated.
    """
    wide = first // (state.rows + 1) - 1
    for col in range(wide, state.wide):
        if bottom(state, col) <= last or wide < col:
            fall(state, col, wide)
        if state.cells[bottom(state, wide)] != BLANK:
            wide += 1
    state.wide = wide
    while state.tall > 0 and not reaches(state, state.tall - 1):
        state.tall -= 1


def points(state: Position, digit: int, count: int) -> int:
    """Return the points for a group of so many equal digits."""
    return digit * count if state.scoring == Scoring.LINEAR else (count - 2) ** 2


def apply_action(state: Position, action: int) -> None:
    """Play a legal action."""
    cell = cell_of(state, action)
    digit = state.cells[cell]
    count, first, last = remove_group(state, cell)
    settle(state, first, last)
    state.score += points(state, digit, count)
    if state.scoring != Scoring.LINEAR:
        if state.wide == 0:
            state.score += CLEARED
        elif is_terminal(state):
            state.score -= penalty(state)


def penalty(state: Position) -> int:
    """Return SameGame's penalty for the remaining cells: (k - 2)^2 for k cells of a digit."""
    result = 0
    for digit in range(state.digits):
        count = 0
        for col in range(state.wide):
            for at in range(bottom(state, col), bottom(state, col) + state.tall):
                if state.cells[at] == digit:
                    count += 1
        if count > 0:
            result += (count - 2) ** 2
    return result


def key(state: Position) -> int:
    """Return a hash of the digits; the score is not included."""
    result = 0
    for col in range(state.wide):
        for at in range(bottom(state, col), bottom(state, col) + state.tall):
            if state.cells[at] != BLANK:
                result ^= chance.zobrist(NUM_DIGITS * at + state.cells[at])
    return result


def current_player(state: Position) -> int:
    """Return the only player."""
    return 0


def is_terminal(state: Position) -> bool:
    """Tell whether no group is left, by comparing every cell with those above and right."""
    for col in range(state.wide):
        for at in range(bottom(state, col), bottom(state, col) + state.tall):
            digit = state.cells[at]
            beside = state.cells[at + 1], state.cells[at + state.rows + 1]
            if digit != BLANK and digit in beside:
                return False
    return True


def returns(state: Position, out: list[float]) -> None:
    """Write the score."""
    out[0] = state.score


def randomize_start(state: Position, rng: Any) -> None:
    """Turn one start into another: fill the board with random digits."""
    for col in range(state.cols):
        for cell in range(bottom(state, col), bottom(state, col) + state.rows):
            state.cells[cell] = chance.randbelow(rng, state.digits)
    state.tall = state.rows
    state.wide = state.cols
    state.score = 0


def observation_planes(state: Position, player: int, out: list[float]) -> None:
    """Write a plane of 0 and 1 for every digit."""
    size = state.rows * state.cols
    for action in range(size):
        digit = state.cells[cell_of(state, action)]
        if digit != BLANK:
            out[digit * size + action] = 1

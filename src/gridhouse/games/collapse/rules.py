"""The rules of Collapse, the number board game of a programming course (Hacettepe, 2023).

A pick removes a cell and all cells connected to it that hold the same digit, at least two.  What
stood above falls down, and columns to the right of an emptied one move left.  The score grows by
the digit times the number of cells removed.

With the scoring of SameGame (Moribe, 1985) it grows by (n - 2)^2 for n cells removed, by 1000 when
the last pick clears the board, and shrinks by (k - 2)^2 for every digit of which the last pick
leaves k cells, k at least 1.

Cells are stored column by column from the bottom, so that falling stays within a column.  Action
``row * cols + col`` picks a cell, row 0 being the top row of the board as it was at the start.
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
NOWHERE = -1
CLEARED = 1000  # what SameGame gives for a cleared board


class Scoring(IntEnum):
    """What a pick scores."""

    LINEAR = 0
    SAMEGAME = 1


class Refusal(IntEnum):
    """Why a pick is not legal."""

    NONE = 0
    BLANK = 1
    ALONE = 2


class Position(position.Position):
    """The digits, how many of them there are, and how far up and to the right they reach."""

    collapse = position.integer("int8")
    rows = position.integer("int16")
    cols = position.integer("int16")
    digits = position.integer("int8")
    scoring = position.integer("int8")
    tall = position.integer("int16")
    wide = position.integer("int16")
    score = position.integer("int64")
    cells = position.integers("int8", "cells")


def cell_of(state: Position, action: int) -> int:
    """Return the index of the cell that an action picks."""
    row = action // state.cols
    return (action % state.cols) * state.rows + state.rows - 1 - row


def neighbour(state: Position, cell: int, side: int) -> int:
    """Return the cell on one of the four sides of another, or NOWHERE off the board."""
    if side == 0:
        return cell - 1 if cell % state.rows > 0 else NOWHERE
    if side == 1:
        return cell + 1 if cell % state.rows + 1 < state.rows else NOWHERE
    if side == 2:
        return cell - state.rows if cell >= state.rows else NOWHERE
    return cell + state.rows if cell + state.rows < state.rows * state.cols else NOWHERE


def has_equal_neighbour(state: Position, cell: int) -> bool:
    """Tell whether a cell next to this one holds the same digit."""
    for side in range(4):
        beside = neighbour(state, cell, side)
        if beside != NOWHERE and state.cells[beside] == state.cells[cell]:
            return True
    return False


def refusal(state: Position, action: int) -> int:
    """Return 0 if the action is legal, else the reason why it is not."""
    cell = cell_of(state, action)
    if state.cells[cell] == BLANK:
        return Refusal.BLANK
    if not has_equal_neighbour(state, cell):
        return Refusal.ALONE
    return Refusal.NONE


def legal_actions(state: Position, out: list[int]) -> int:
    """Write the legal actions in ascending order and return how many there are."""
    count = 0
    for row in range(state.rows - state.tall, state.rows):
        for col in range(state.wide):
            action = row * state.cols + col
            if refusal(state, action) == Refusal.NONE:
                out[count] = action
                count += 1
    return count


def remove_group(state: Position, cell: int) -> int:
    """Blank out a cell and all connected equal ones; return how many they were."""
    digit = state.cells[cell]
    state.cells[cell] = BLANK
    stack = [cell]
    count = 0
    while len(stack) > 0:
        at = stack.pop()
        count += 1
        for side in range(4):
            beside = neighbour(state, at, side)
            if beside != NOWHERE and state.cells[beside] == digit:
                state.cells[beside] = BLANK
                stack.append(beside)
    return count


def settle(state: Position) -> None:
    """Let every column fall and close up over emptied ones; note how far the board reaches."""
    tall = 0
    wide = 0
    for col in range(state.wide):
        source = col * state.rows
        target = wide * state.rows
        level = 0
        for at in range(source, source + state.tall):
            digit = state.cells[at]
            if digit != BLANK:
                state.cells[at] = BLANK
                state.cells[target + level] = digit
                level += 1
        if level > 0:
            wide += 1
            tall = max(tall, level)
    state.tall = tall
    state.wide = wide


def apply_action(state: Position, action: int) -> None:
    """Play a legal action."""
    cell = cell_of(state, action)
    digit = state.cells[cell]
    count = remove_group(state, cell)
    settle(state)
    if state.scoring == Scoring.LINEAR:
        state.score += digit * count
    else:
        state.score += (count - 2) ** 2
        if state.wide == 0:
            state.score += CLEARED
        elif is_terminal(state):
            state.score -= penalty(state)


def penalty(state: Position) -> int:
    """Return what SameGame takes for the cells that are left: (k - 2)^2 for k of a digit."""
    result = 0
    for digit in range(state.digits):
        count = 0
        for col in range(state.wide):
            for at in range(col * state.rows, col * state.rows + state.tall):
                if state.cells[at] == digit:
                    count += 1
        if count > 0:
            result += (count - 2) ** 2
    return result


def key(state: Position) -> int:
    """Return a key of the digits; the score so far is no matter."""
    result = 0
    for col in range(state.wide):
        for at in range(col * state.rows, col * state.rows + state.tall):
            if state.cells[at] != BLANK:
                result ^= chance.code(NUM_DIGITS * at + state.cells[at])
    return result


def current_player(state: Position) -> int:
    """Return the player to move: there is one only."""
    return 0


def is_terminal(state: Position) -> bool:
    """Tell whether no group is left; looks right and up from every cell, which sees each pair."""
    for col in range(state.wide):
        for at in range(col * state.rows, col * state.rows + state.tall):
            digit = state.cells[at]
            if digit != BLANK:
                if at % state.rows + 1 < state.rows and state.cells[at + 1] == digit:
                    return False
                if col + 1 < state.wide and state.cells[at + state.rows] == digit:
                    return False
    return True


def returns(state: Position, out: list[float]) -> None:
    """Write the score."""
    out[0] = state.score


def randomize_start(state: Position, rng: Any) -> None:
    """Turn one start into another: a full board of random digits."""
    for cell in range(state.rows * state.cols):
        state.cells[cell] = chance.draw(rng, state.digits)
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

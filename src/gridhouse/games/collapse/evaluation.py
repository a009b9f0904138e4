"""The evaluation of Collapse for searches: the score, and one candidate for each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.games.collapse import rules
from gridhouse.games.collapse.rules import Refusal

if TYPE_CHECKING:
    from gridhouse.games.collapse.rules import Position

HORIZON = 1_000_000  # no limit: a board empties by itself
RAVE = 0.0
HAS_TACTICAL = False
BEST = "nested"
BEST_HIDDEN = "nested"

PER_DIGIT = 30  # the lower the digit of a group, the sooner it is picked


def evaluate(state: Position) -> int:
    """Return the score."""
    return state.score


def move_score(state: Position, action: int) -> int:
    """Return the ordering score of a pick: low digits first, as they separate high ones."""
    return -PER_DIGIT * state.cells[rules.cell_of(state, action)]


def candidates(state: Position, out: list[int]) -> int:
    """Write one legal pick for every group, that of its first cell; return their number."""
    seen = [0] * rules.bottom(state, state.cols + 1)
    count = 0
    for row in range(state.rows - state.tall, state.rows):
        for col in range(state.wide):
            action = row * state.cols + col
            cell = rules.cell_of(state, action)
            if seen[cell] == 0 and rules.refusal(state, action) == Refusal.NONE:
                mark_group(state, cell, seen)
                out[count] = action
                count += 1
    return count


def mark_group(state: Position, cell: int, seen: list[int]) -> None:
    """Mark a cell and all connected equal ones."""
    seen[cell] = 1
    stack = [cell]
    while len(stack) > 0:
        at = stack.pop()
        for side in range(4):
            beside = at + rules.step(state, side)
            if seen[beside] == 0 and state.cells[beside] == state.cells[cell]:
                seen[beside] = 1
                stack.append(beside)

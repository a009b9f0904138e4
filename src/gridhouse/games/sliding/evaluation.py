"""The evaluation of the sliding puzzle for searches: the distances of the letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.games.sliding import rules
from gridhouse.games.sliding.rules import DOWN, EMPTY, LEFT, UP

if TYPE_CHECKING:
    from gridhouse.games.sliding.rules import Position

HORIZON = 60  # the largest number of moves in a playout
RAVE = 0.0
HAS_TACTICAL = False
BEST = "nested"
BEST_HIDDEN = "nested"

PER_STEP = 100


def evaluate(state: Position) -> int:
    """Return minus the total distance of the letters to their goals, in hundredths."""
    total = 0
    for cell in range(state.rows * state.cols):
        if state.tiles[cell] != EMPTY:
            total += distance(state, state.tiles[cell], cell)
    return -PER_STEP * total


def distance(state: Position, letter: int, cell: int) -> int:
    """Return the steps from a cell to the letter's nearest place in the goal."""
    row = cell // state.cols
    col = cell % state.cols
    best = rules.MAX_SIDE + rules.MAX_SIDE
    for goal in range(state.rows * state.cols - 1):
        if state.goal[goal] == letter:
            steps = abs(goal // state.cols - row) + abs(goal % state.cols - col)
            best = min(best, steps)
    return best


def move_score(state: Position, action: int) -> int:
    """Return the decrease of the moved letter's distance, in hundredths."""
    source = state.blank
    if action == UP:
        source -= state.cols
    elif action == DOWN:
        source += state.cols
    elif action == LEFT:
        source -= 1
    else:
        source += 1
    letter = state.tiles[source]
    return PER_STEP * (distance(state, letter, source) - distance(state, letter, state.blank))


def candidates(state: Position, out: list[int]) -> int:
    """Write all legal actions; return their number."""
    return rules.legal_actions(state, out)

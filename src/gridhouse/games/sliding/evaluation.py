"""What searches know of the sliding puzzle besides its rules: how far the letters have to go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.games.sliding import rules
from gridhouse.games.sliding.rules import DOWN, EMPTY, LEFT, UP

if TYPE_CHECKING:
    from gridhouse.games.sliding.rules import Position

HORIZON = 60  # a search plans so many moves at most
RAVE = 0.0
HAS_TACTICAL = False
BEST = "nested"
BEST_HIDDEN = "nested"

PER_STEP = 100


def evaluate(state: Position) -> int:
    """Return minus the steps that all letters have to go at least, in hundredths."""
    total = 0
    for cell in range(state.rows * state.cols):
        if state.tiles[cell] != EMPTY:
            total += distance(state, state.tiles[cell], cell)
    return -PER_STEP * total


def distance(state: Position, letter: int, cell: int) -> int:
    """Return how many steps a cell is away from the nearest place of the letter's in the goal."""
    row = cell // state.cols
    col = cell % state.cols
    best = rules.MAX_SIDE + rules.MAX_SIDE
    for goal in range(state.rows * state.cols - 1):
        if state.goal[goal] == letter:
            steps = abs(goal // state.cols - row) + abs(goal % state.cols - col)
            best = min(best, steps)
    return best


def move_score(state: Position, action: int) -> int:
    """Return by how much a legal move brings its letter nearer to its place, in hundredths."""
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
    """Write the legal moves; all are worth a look."""
    return rules.legal_actions(state, out)

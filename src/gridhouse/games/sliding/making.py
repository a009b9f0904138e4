"""Puzzles for people: how hard one is, and one of a wished length."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from gridhouse.core.errors import SolverError
from gridhouse.games.sliding import evaluation, rules, solver

if TYPE_CHECKING:
    from gridhouse.games.sliding.rules import Position

ATTEMPTS = 3
PATIENCE = 20  # so many tries for one move of the wished length
BACK = 0.3  # of the moves that lead back are kept
CELLS = 16  # boards up to so many cells have their shortest solutions found


class Difficulty:
    """How hard a puzzle is.

    ``length`` is the moves of a shortest solution, the par; ``solution`` is one; ``blind`` how many
    moves of a greedy player end with all letters as near as it ever gets them, ``left`` how many
    steps are missing then.
    """

    def __init__(self, solution: solver.Solution, blind: int, left: int) -> None:
        """Note what was measured."""
        self.solution = solution
        self.length = solution.length
        self.blind = blind
        self.left = left


def difficulty(position: Position) -> Difficulty:
    """Return how hard a puzzle is; raises SolverError if it is too large or cannot be solved."""
    if position.rows * position.cols > CELLS:
        raise SolverError(f"difficulty is measured on boards of up to {CELLS} cells")
    found = solver.solve_position(position, optimal=True)
    blind, left = greedy(position)
    return Difficulty(found, blind, left)


def greedy(position: Position) -> tuple[int, int]:
    """Return how many moves bring a letter nearer one after the other, and the steps missing then.

    The first move that does so is played, as long as there is one.
    """
    state = position.copy()
    buffer = [0] * rules.NUM_DIRECTIONS
    moves = 0
    while True:
        legal = buffer[: rules.legal_actions(state, buffer)]
        better = [action for action in legal if evaluation.move_score(state, action) > 0]
        if not better:
            return moves, -evaluation.evaluate(state) // evaluation.PER_STEP
        rules.apply_action(state, better[0])
        moves += 1


def of_length(position: Position, length: int, seed: int = 0) -> Position:
    """Return a puzzle with the same solution of which a shortest way out has just so many moves.

    A walk from the solution on keeps the moves that lead farther away, and some of the others.  The
    same puzzle comes for the same seed.  Raises SolverError if none is found.
    """
    if position.rows * position.cols > CELLS:
        raise SolverError(f"puzzles of a length are made on boards of up to {CELLS} cells")
    chance = random.Random(seed)
    for _ in range(ATTEMPTS):
        state, away = solved(position), 0
        for _ in range(PATIENCE * (length + 1)):
            if away == length:
                return state
            further = state.copy()
            step(further, chance)
            found = solver.solve_position(further, optimal=True, threads=1).length
            if found > away or chance.random() < BACK:
                state, away = further, found
    raise SolverError(f"no puzzle was found that needs {length} moves")


def solved(position: Position) -> Position:
    """Return the solution of a puzzle as a position."""
    state = position.copy()
    last = state.rows * state.cols - 1
    state.tiles[:last] = state.goal[:last]
    state.tiles[last] = rules.EMPTY
    rules.start(state)
    return state


def step(state: Position, chance: random.Random) -> None:
    """Move the empty cell anywhere, also away from the solution."""
    ways = [move for move in range(rules.NUM_DIRECTIONS) if not rules.is_off_board(state, move)]
    rules.apply_action(state, chance.choice(ways))

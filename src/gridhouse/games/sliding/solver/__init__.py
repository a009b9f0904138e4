"""Solves the sliding puzzle: ``solve`` returns a :class:`Solution`.

``optimal`` searches for shortest solutions, ``beam`` for short ones, both by the pattern databases
of ``databases``; ``anytime`` runs them beside each other.  Importing this package loads neither
NumPy nor Numba: the smallest puzzles are solved without.
"""

from gridhouse.games.sliding.solver.api import (
    Solution,
    check_options,
    check_solution,
    solve,
    solve_position,
    warm,
)

__all__ = ["Solution", "check_options", "check_solution", "solve", "solve_position", "warm"]

"""The solver of the Binary Game: who wins a position, with which moves, and its nimber.

It reads ``api`` -> ``search`` -> ``kernels``: ``api`` answers questions, by what is known without
search (``known_results``, ``symmetry``, ``book``) or by a ``task`` for a ``search``, which holds
tables and threads over a ``board_encoding``; the ``kernels`` run compiled, or interpreted by
another ``backend``.  ``advice`` is for players, ``command`` for the shell; ``timed_solve`` and
``mcts_fallback`` are for the exact program.
"""

from gridhouse.games.binary.solver.api import solve
from gridhouse.games.binary.solver.search import warm
from gridhouse.games.binary.solver.solution import BinarySolution, UnsavedError

__all__ = ["BinarySolution", "UnsavedError", "solve", "warm"]

"""Who wins a position of the Binary Game: the solver, from ``api`` down to its ``kernels``.

``api`` solves a position, ``search`` holds tables and threads, ``kernels`` search.  Beside them
stand what is known without a search (``symmetry``, ``known_results``, ``book``), what other parts
of the package use (``advice``, ``command``, ``timed_solve``), and ``checkpoint``.
"""

from gridhouse.games.binary.solver.api import BinarySolution, UnsavedError, solve
from gridhouse.games.binary.solver.search import warm

__all__ = ["BinarySolution", "UnsavedError", "solve", "warm"]

"""Solving a position of the Binary Game: who wins, with which moves, and its nimber.

The game is impartial and whoever cannot move loses: each position is a win or a loss for the
player to move and equals one nim heap (Sprague, 1935; Grundy, 1939).  A position that a symmetry
of the board maps to itself, with the digits exchanged, is lost at once
(``docs/research/half-turn-theorem.md``); all others are searched.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import NamedTuple

from gridhouse.core.errors import SolverError
from gridhouse.core.solving import (
    attempt_interpreted,
    check_limits,
    request_compiled,
    stopped_after,
    watched,
)
from gridhouse.games.binary.solver.backend import Backend, has_compiler
from gridhouse.games.binary.solver.board_encoding import Board, TooLargeError
from gridhouse.games.binary.solver.kernels import records
from gridhouse.games.binary.solver.known_results import try_known
from gridhouse.games.binary.solver.search import NO_LIMIT, Search, warm
from gridhouse.games.binary.solver.solution import UnsavedError
from gridhouse.games.binary.solver.task import SolveTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gridhouse.core.game import State
    from gridhouse.games.binary.solver.solution import BinarySolution

TECHNIQUES = {
    "components": records.COMPONENTS,
    "lookup": records.LOOKUP,
    "symmetry": records.SYMMETRY,
    "order": records.ORDER,
    "structure": records.STRUCTURE,
}
LEAST_TIME = 0.001  # seconds


class Options(NamedTuple):
    """What to find out about a position, and how."""

    nimber: bool = False  # find the nimber as well
    all_moves: bool = False  # find all winning moves, not only one
    seconds: float | None = None  # limit of time, after kernels are loaded
    limit: int | None = None  # limit of nodes for each thread
    memory: int = 256  # MiB of the tables
    threads: int = 2
    jit: bool | None = None  # None: compiled as soon as the code is there
    off: str | Sequence[str] = ()  # names of ``TECHNIQUES`` to switch off
    proof: bool = True  # search large positions by proof numbers
    proved: bool = True  # use the book and boards proved once
    checkpoint: str | None = None  # a file that keeps the tables

    def check(self) -> None:
        """Raise SolverError for options that cannot be kept."""
        check_limits(seconds=self.seconds)
        for name in ("memory", "threads", "limit"):
            number = getattr(self, name)
            if number is not None and not (isinstance(number, int) and number > 0):
                raise SolverError(f"{name}: {number} is not a whole number above 0")
        techniques_without(self.off)
        if self.checkpoint is not None:
            from gridhouse.games.binary.solver.checkpoint import check_place

            check_place(self.checkpoint)


def techniques_without(off: str | Sequence[str]) -> int:
    """Return the bits of all techniques but some; raises SolverError for an unknown name."""
    techniques = records.ALL
    for name in [off] if isinstance(off, str) else off:
        if name not in TECHNIQUES:
            raise SolverError(f"there is no technique {name}: {', '.join(TECHNIQUES)}")
        techniques &= ~TECHNIQUES[name]
    return techniques


def solve(state: State, **options: Any) -> BinarySolution:
    """Return the outcome of a position, a winning move, and more if asked for by ``Options``.

    The search runs compiled as soon as its code is there; with ``jit`` or a checkpoint it waits for
    the compiler.  It uses and renews the file ``checkpoint``.  Raises SolverError for options that
    cannot be kept, and for a file that is damaged or of another position; and UnsavedError, which
    holds the solution, if the file cannot be written at the end.
    """
    asked = Options(**options)
    asked.check()
    task = SolveTask(state, nimber=asked.nimber, all_moves=asked.all_moves)
    one_move = not (asked.nimber or asked.all_moves)
    known = try_known(state.position, proved=asked.proved, one_move=one_move)
    if known is not None:
        task.note_known(known)
    else:
        watched(Runner(task, asked).run, task.stop, status=task.status)
    return task.solution


class Runner:
    """Runs the search of a task: compiled, or interpreted until the compiled code is there."""

    def __init__(self, task: SolveTask, options: Options) -> None:
        """Decide whether the search is compiled."""
        self._task = task
        self._options = options
        jit = options.jit
        if jit is None and options.checkpoint is not None:
            jit = has_compiler()
        self._waits = jit is None and not (has_compiler() and request_compiled(task.state.game))
        self._jit = not self._waits and jit is not False

    def run(self) -> None:
        """Search until all is found or time is up, and write the checkpoint."""
        task, seconds = self._task, self._options.seconds
        try:
            begun = self._begin(jit=self._jit)
        except TooLargeError as error:
            task.solution.reason = str(error)
            return
        if seconds is not None:
            seconds = max(LEAST_TIME, seconds - (time.monotonic() - begun))
        with stopped_after(seconds, task.stop):
            if self._waits:
                attempt_interpreted(task.state.game, self._attempt, lambda: task.search.stop())
            else:
                task.run()
        task.note_cost()
        task.solution.seconds = time.monotonic() - begun
        self._save()

    def _save(self) -> None:
        if self._options.checkpoint is not None:
            solution = self._task.solution
            try:
                self._task.search.save(self._options.checkpoint, solution.position)
            except SolverError as error:
                raise UnsavedError(str(error), solution) from None

    def _begin(self, *, jit: bool) -> float:
        """Make the search, from a checkpoint if there is one; return when its time began."""
        task, options = self._task, self._options
        backend = Backend(jit=jit)
        if jit and options.seconds is not None:
            _warm_once()
        begun = time.monotonic()
        search = Search(
            Board(task.state.position, backend),
            memory=options.memory,
            threads=options.threads,
            techniques=techniques_without(options.off),
            proof=options.proof,
            limit=options.limit or NO_LIMIT,
        )
        if options.checkpoint is not None:
            search.resume(options.checkpoint, task.solution.position)
        task.use(search)
        return begun

    def _attempt(self, jit: bool) -> bool:
        """Search the position, anew if compiled; return whether the task is over."""
        if jit:
            self._task.reset()
            self._begin(jit=True)
        self._task.run()
        return self._task.is_over()


@lru_cache(maxsize=None)
def _warm_once() -> None:
    warm()

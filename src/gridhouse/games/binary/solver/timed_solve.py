"""Solving, and choosing a move, within a time limit that begins now: for the exact program.

The search begins interpreted.  Meanwhile the compiled kernels are loaded, if they were compiled
before (``gridhouse warm`` does it), and the search starts over with them.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager

from gridhouse.core.solving import stopped_after
from gridhouse.games.binary.solver import mcts_fallback
from gridhouse.games.binary.solver.backend import Backend, has_compiler
from gridhouse.games.binary.solver.board_encoding import Board, TooLargeError
from gridhouse.games.binary.solver.known_results import try_known
from gridhouse.games.binary.solver.search import Search, warm
from gridhouse.games.binary.solver.task import SolveTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.core.game import State
    from gridhouse.games.binary.solver.solution import BinarySolution

MEMORY = 256  # MiB
GRACE = 0.5  # seconds that the search runs alone: most results come in them
TURN = 0.0001  # seconds that a thread runs while another one waits for Python's lock
# The solver's part of the time of a move.  The player who first solves a won position wins it,
# which is worth more than a better choice before.
SHARE = 0.9
MARGIN = 0.02  # seconds kept back for the answer


class Loader:
    """Loads the compiled kernels in a thread, and stops the search that waits for them."""

    def __init__(self) -> None:
        """Begin with nothing loaded."""
        self.backend: Backend | None = None
        self._waiting: Search | None = None
        self._lock = threading.Lock()
        self.thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, once, if there is a compiler."""
        if self.thread is None and has_compiler():
            self.thread = threading.Thread(target=self._load, daemon=True)
            self.thread.start()

    def _load(self) -> None:
        time.sleep(GRACE)
        with short_turns():
            if not was_compiled():
                return
            backend = Backend(jit=True)
            warm(backend)
        with self._lock:
            self.backend = backend
            if self._waiting is not None:
                self._waiting.stop()

    def stop_when_loaded(self, search: Search | None) -> bool:
        """Have a search stopped once the kernels are loaded; return False if they are already."""
        with self._lock:
            self._waiting = search
            return self.backend is None


LOADER = Loader()


@contextmanager
def short_turns() -> Iterator[None]:
    """Let threads take turns more often.

    The loader gives up Python's lock at each of thousands of reads.  If it waited five milliseconds
    every time, which is Python's default, it could take half a minute.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def was_compiled() -> bool:
    """Return whether the kernels have been compiled before from these sources."""
    from gridhouse.core.compile_queue import SOLVER, Unit, is_ready
    from gridhouse.games.binary.game import BinaryGame

    return is_ready(Unit(SOLVER, BinaryGame()))


def solve_within(state: State, seconds: float) -> BinarySolution:
    """Return the outcome and a winning move, as far as they are found in time."""
    deadline = time.monotonic() + seconds - MARGIN
    task = SolveTask(state)
    known = try_known(state.position)
    if known is not None:
        task.note_known(known)
        return task.solution
    LOADER.start()
    if LOADER.backend is None:
        attempt(task, Backend(jit=False), deadline, waits=True)
    if not is_complete(task.solution) and LOADER.backend is not None:
        attempt(task, LOADER.backend, deadline, waits=False)
    return task.solution


def move_within(state: State, seconds: float) -> int:
    """Return a winning move if one is found in time, else the choice of a Monte-Carlo search.

    In a lost position that is the move after which errors are most likely; it gets no more than the
    time that is not the solver's.
    """
    deadline = time.monotonic() + seconds - MARGIN
    solution = solve_within(state, SHARE * seconds)
    if solution.moves:
        return state.string_to_action(solution.moves[0])
    if solution.outcome == "loss":
        deadline = min(deadline, time.monotonic() + (1 - SHARE) * seconds)
    return mcts_fallback.best_move(state.position, lambda: time.monotonic() < deadline)


def is_complete(solution: BinarySolution) -> bool:
    """Return whether the outcome is known, and a move if it is a win."""
    return solution.outcome == "loss" or bool(solution.moves)


def attempt(task: SolveTask, backend: Backend, deadline: float, *, waits: bool) -> None:
    """Search until the deadline, or if it ``waits`` until the compiled kernels are loaded."""
    try:
        board = Board(task.state.position, backend)
    except TooLargeError:
        return
    search = Search(board, memory=MEMORY)
    task.use(search)
    with stopped_after(deadline - time.monotonic(), search.stop):
        if not waits or LOADER.stop_when_loaded(search):
            task.run()
        LOADER.stop_when_loaded(None)
    task.note_cost()

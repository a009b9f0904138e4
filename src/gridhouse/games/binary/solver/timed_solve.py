"""Solving and moving within a time limit that begins now, whether compiled code is at hand or not.

The search begins interpreted.  Meanwhile the compiled kernels are loaded, if they were compiled
before (``gridhouse warm`` does it): the search then starts over with them.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager

from gridhouse.core.solving import stopped_after
from gridhouse.games.binary.solver import mcts_fallback
from gridhouse.games.binary.solver.api import BinarySolution, Work
from gridhouse.games.binary.solver.backend import Memory, has_compiler
from gridhouse.games.binary.solver.board_encoding import Board, TooLargeError
from gridhouse.games.binary.solver.search import Search, warm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.core.game import State

MEMORY = 256  # MiB
GRACE = 0.5  # seconds that the search has to itself: much is found in these
TURN = 0.0001  # seconds that the search may go on when the kernels could
# Of the time of a move, for the solver: who is the first to solve a won position wins it, which is
# worth more than a better choice before.
SHARE = 0.9
MARGIN = 0.02  # seconds kept back for answering


class Loader:
    """Loads the compiled kernels in the background, and wakes up the search that waits for them."""

    def __init__(self) -> None:
        """Begin with nothing loaded."""
        self.memory: Memory | None = None
        self._waiting: Search | None = None
        self._lock = threading.Lock()
        self.thread: threading.Thread | None = None

    def begin(self) -> None:
        """Load in a thread of its own, once, if there is a compiler."""
        if self.thread is None and has_compiler():
            self.thread = threading.Thread(target=self._load, daemon=True)
            self.thread.start()

    def _load(self) -> None:
        time.sleep(GRACE)
        with hurried():
            if not was_compiled():
                return
            memory = Memory(jit=True)
            warm(memory)
        with self._lock:
            self.memory = memory
            if self._waiting is not None:
                self._waiting.stop()

    def wait_for(self, search: Search | None) -> bool:
        """Have a search stopped when the kernels are there; tell whether they are not yet."""
        with self._lock:
            self._waiting = search
            return self.memory is None


LOADER = Loader()


@contextmanager
def hurried() -> Iterator[None]:
    """Have threads take turns more often meanwhile.

    Who loads lets the others go on at each of thousands of reads, and has to wait for its turn
    again: with Python's five milliseconds it may not be done in half a minute.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def was_compiled() -> bool:
    """Tell whether the kernels have been compiled from these sources before."""
    from gridhouse.core.compile_queue import SOLVER, Unit, is_ready
    from gridhouse.games.binary.game import BinaryGame

    return is_ready(Unit(SOLVER, BinaryGame()))


def solve_within(state: State, seconds: float) -> BinarySolution:
    """Return what can be found out in so many seconds: the outcome and a winning move."""
    deadline = time.monotonic() + seconds - MARGIN
    solution = BinarySolution(state)
    work = Work(state, solution, nimber=False, all_moves=False)
    if work.knows_at_once(proved=True):
        return solution
    LOADER.begin()
    if LOADER.memory is None:
        attempt(work, Memory(jit=False), deadline, waits=True)
    if not is_complete(solution) and LOADER.memory is not None:
        attempt(work, LOADER.memory, deadline, waits=False)
    return solution


def move_within(state: State, seconds: float) -> int:
    """Return a winning move if one is found in so many seconds, else what random games like best.

    Where all is lost, that is where the other side is most likely to err; only the part of the
    time that is not the solver's goes into it.
    """
    deadline = time.monotonic() + seconds - MARGIN
    solution = solve_within(state, SHARE * seconds)
    if solution.moves:
        return state.string_to_action(solution.moves[0])
    if solution.outcome == "loss":
        deadline = min(deadline, time.monotonic() + (1 - SHARE) * seconds)
    return mcts_fallback.likely_move(state.position, lambda: time.monotonic() < deadline)


def is_complete(solution: BinarySolution) -> bool:
    """Tell whether the outcome is known, and a move if it is a win."""
    return solution.outcome == "loss" or bool(solution.moves)


def attempt(work: Work, memory: Memory, deadline: float, *, waits: bool) -> None:
    """Search until the deadline, or as long as waiting for the compiled kernels lasts."""
    try:
        board = Board(work.state.position, memory)
    except TooLargeError:
        return
    search = Search(board, memory=MEMORY)
    work.begin(search)
    with stopped_after(deadline - time.monotonic(), search.stop):
        if not waits or LOADER.wait_for(search):
            work.run()
        LOADER.wait_for(None)
    work.finish()

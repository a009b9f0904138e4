"""Who wins a position of the Binary Game, with which moves, and its nimber.

The game is impartial and whoever cannot move loses: each position is a win or a loss for the
player to move and equals one nim heap (Sprague, 1935; Grundy, 1939).  A position that a symmetry
of the board leaves as it is, with the digits exchanged, is lost at once (``docs/binary.md``); the
rest is searched (``_search``).
"""

from __future__ import annotations

import time
from functools import lru_cache

from gridhouse.core.errors import SolverError
from gridhouse.core.solving import (
    Solution,
    attempt_interpreted,
    check_limits,
    stopped_after,
    uses_compiled,
    watched,
)
from gridhouse.games.binary import rules
from gridhouse.games.binary.solver import book
from gridhouse.games.binary.solver.backend import Memory, has_compiler
from gridhouse.games.binary.solver.board_encoding import Board, TooLargeError
from gridhouse.games.binary.solver.kernels import nodes
from gridhouse.games.binary.solver.known_results import every_move_wins
from gridhouse.games.binary.solver.search import NO_LIMIT, Search, warm
from gridhouse.games.binary.solver.symmetry import symmetry_of, winning_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gridhouse.core.game import State

OUTCOMES = {nodes.LOSS: "loss", nodes.WIN: "win", nodes.UNKNOWN: "unknown"}
TECHNIQUES = {
    "components": nodes.COMPONENTS,
    "lookup": nodes.LOOKUP,
    "symmetry": nodes.SYMMETRY,
    "order": nodes.ORDER,
    "structure": nodes.STRUCTURE,
}


class BinarySolution(Solution):
    """What is known of a position: for the player to move, ``win``, ``loss`` or ``unknown``."""

    def __init__(self, state: State) -> None:
        """Begin with nothing known."""
        self.position = str(state)
        self.outcome = OUTCOMES[nodes.UNKNOWN]
        self.moves: list[str] = []
        self.nimber: int | None = None
        self.nodes = 0
        self.seconds = 0.0
        self.used = 0.0
        self.all_moves = False
        self.reason = ""  # why nothing was searched

    def facts(self) -> dict[str, object]:
        """Return outcome, winning moves, nimber, nodes and seconds."""
        return {
            "outcome": self.outcome,
            "moves": self.moves,
            "nimber": self.nimber,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        """Tell the outcome, the moves, the nimber and what it took."""
        unknown = f"unknown who wins: {self.reason}" if self.reason else "unknown who wins"
        lines = [
            {"win": "the player to move wins", "loss": "the player to move loses"}.get(
                self.outcome, unknown
            )
        ]
        if self.moves:
            name = "all winning moves" if self.all_moves else "winning moves known"
            lines.append(f"{name}: {', '.join(self.moves)}")
        if self.nimber is not None:
            lines.append(f"nimber: {self.nimber}")
        lines.append(
            f"{self.nodes} nodes in {self.seconds:.2f} s, {self.used:.1%} of the table used"
        )
        return "\n".join(lines)


class UnsavedError(SolverError):
    """What was found could not be kept in a file; it is in ``solution``."""

    def __init__(self, message: str, solution: BinarySolution) -> None:
        """Keep the solution beside the message."""
        super().__init__(message)
        self.solution = solution


class Work:
    """What is to be found out about a position, and the solution that it goes into."""

    def __init__(
        self, state: State, solution: BinarySolution, *, nimber: bool, all_moves: bool
    ) -> None:
        """Take note of what is asked."""
        self.state = state
        self.solution = solution
        self._nimber = nimber
        self._all_moves = all_moves
        self.search: Search | None = None
        self._is_stopped = False

    def begin(self, search: Search) -> None:
        """Take the search that is to find it out."""
        self.search = search
        if self._is_stopped:  # before there was one
            search.stop()

    def stop(self) -> None:
        """Make the search end soon."""
        self._is_stopped = True
        if self.search is not None:
            self.search.stop()

    def pause(self) -> None:
        """Make the search end soon, for another one."""
        self.searching().stop()

    def forget(self) -> None:
        """Forget what a search has found."""
        self.solution.outcome = OUTCOMES[nodes.UNKNOWN]
        self.solution.moves = []
        self.solution.all_moves = False
        self.solution.nimber = None

    def is_over(self) -> bool:
        """Tell whether all that was asked is found, or was given up."""
        found = self.solution
        if self._is_stopped or found.outcome == OUTCOMES[nodes.LOSS]:
            return True
        has_moves = found.all_moves or (bool(found.moves) and not self._all_moves)
        return has_moves and (found.nimber is not None or not self._nimber)

    def knows_at_once(self, *, proved: bool) -> bool:
        """Tell whether nothing needs to be searched, and note what is known."""
        position, solution = self.state.position, self.solution
        if (
            rules.is_terminal(position)
            or symmetry_of(position) is not None
            or (proved and book.covers(position) and book.is_lost(position))
        ):
            solution.outcome = "loss"
            solution.nimber = 0
            solution.all_moves = True
            return True
        best = book.winning_move(position) if proved else None
        if proved and position.ply == 0 and every_move_wins(position.rows, position.cols):
            solution.outcome = "win"
            solution.nimber = 1
            solution.all_moves = True
            solution.moves = self.state.legal_moves()
            if best is not None:  # the one after which the book goes on comes first
                known = self.state.action_to_string(best)
                solution.moves.sort(key=lambda move: move != known)
            return True
        if self._nimber or self._all_moves:
            return False
        if best is None:
            best = winning_reply(position)
        if best is None:
            return False
        solution.outcome = "win"
        self._note(best)
        return True

    def run(self) -> None:
        """Search until everything is known or the search is stopped."""
        search, solution = self.searching(), self.solution
        value = search.value()
        solution.outcome = OUTCOMES[value]
        if value == nodes.LOSS:
            solution.nimber = 0
            solution.all_moves = True
        elif value == nodes.WIN:
            self._find_moves(search)
            if self._nimber:
                self._find_nimber(search)

    def searching(self) -> Search:
        """Return the search, which has begun."""
        assert self.search is not None
        return self.search

    def _find_moves(self, search: Search) -> None:
        """Note a winning move, one that the table knows if it knows one, or all of them."""
        if not self._all_moves:
            for move in search.moves():
                if search.known((move,)) == nodes.LOSS:
                    self._note(search.board.action(move))
                    return
        complete = self._all_moves
        for move in search.moves():
            value = search.value((move,))
            complete = complete and value != nodes.UNKNOWN
            if value == nodes.LOSS:
                self._note(search.board.action(move))
                if not self._all_moves:
                    return
        self.solution.all_moves = complete

    def _note(self, action: int) -> None:
        """Note a winning move; it has to be legal by the rules, whatever the search says."""
        after = self.state.clone()
        after.apply_action(action)
        self.solution.moves.append(self.state.action_to_string(action))

    def _find_nimber(self, search: Search) -> None:
        """Find the one heap that makes a lost position with this one."""
        heap = 1
        while True:
            value = search.value((), heap)
            if value != nodes.WIN:
                break
            heap += 1
        if value == nodes.LOSS:
            self.solution.nimber = heap

    def status(self) -> str:
        """Return the line shown while the search runs."""
        search = self.search
        if search is None:
            return "getting ready, which takes a minute the first time"
        return f"{search.nodes:,} nodes, {search.used:.1%} of the table used"

    def finish(self) -> None:
        """Note what the search took."""
        search, solution = self.searching(), self.solution
        solution.nodes = search.nodes
        solution.used = search.used


def check(seconds: float | None, **numbers: int | None) -> None:
    """Raise SolverError for limits that cannot be kept."""
    check_limits(seconds=seconds)
    for name, number in numbers.items():
        if number is not None and not (isinstance(number, int) and number > 0):
            raise SolverError(f"{name}: {number} is not a whole number above 0")


def solve(
    state: State,
    *,
    seconds: float | None = None,
    memory: int = 256,
    nimber: bool = False,
    all_moves: bool = False,
    threads: int = 2,
    jit: bool | None = None,
    off: tuple[str, ...] = (),
    proof: bool = True,
    limit: int | None = None,
    proved: bool = True,
    checkpoint: str | None = None,
) -> BinarySolution:
    """Return who wins, a winning move or with ``all_moves`` all, and with ``nimber`` the nimber.

    It takes at most so many ``seconds``, after what is compiled has been loaded, and MiB of
    ``memory``, and each thread searches at most ``limit`` nodes.  Techniques named in ``off`` are
    left out, ``proof`` numbers and boards ``proved`` once if these are false.  What was found is
    kept in the file ``checkpoint``, and a search goes on with what is there.  It runs compiled as
    soon as its code is there, with ``jit`` or a checkpoint from the start, and never where that is
    false, or there is no compiler.  Raises SolverError for limits that cannot be kept, and for a
    file that is damaged or of another position, and UnsavedError, which holds the solution, if the
    file cannot be written at the end.
    """
    check(seconds, memory=memory, threads=threads, limit=limit)
    switches = _switches(off)
    if checkpoint is not None:
        from gridhouse.games.binary.solver.checkpoint import check_place

        check_place(checkpoint)
        jit = has_compiler() if jit is None else jit
    solution = BinarySolution(state)
    work = Work(state, solution, nimber=nimber, all_moves=all_moves)
    if not work.knows_at_once(proved=proved):
        search = {
            "memory": memory,
            "threads": threads,
            "switches": switches,
            "proof": proof,
            "limit": limit or NO_LIMIT,
        }
        attempts = _Attempts(work, search, seconds, checkpoint, jit)
        watched(attempts.run, work.stop, status=work.status)
    return solution


class _Attempts:
    """Searches of a position: one, or one interpreted and another compiled."""

    def __init__(
        self,
        work: Work,
        settings: dict[str, Any],
        seconds: float | None,
        checkpoint: str | None,
        jit: bool | None,
    ) -> None:
        """Take what is asked for, and how."""
        self._work = work
        self._settings = settings
        self._seconds = seconds
        self._checkpoint = checkpoint
        self._waits = jit is None and not (has_compiler() and uses_compiled(work.state.game))
        self._jit = not self._waits and jit is not False

    def run(self) -> None:
        """Search until all is found or time is up."""
        work, solution = self._work, self._work.solution
        try:
            begun = self._prepare(jit=self._jit)
        except TooLargeError as error:
            solution.reason = str(error)
            return
        left = self._seconds
        if left is not None:
            left = max(0.001, left - (time.monotonic() - begun))
        with stopped_after(left, work.stop):
            if self._waits:
                attempt_interpreted(work.state.game, self._attempt, work.pause)
            else:
                work.run()
        work.finish()
        solution.seconds = time.monotonic() - begun
        if self._checkpoint is not None:
            try:
                work.searching().save(self._checkpoint, solution.position)
            except SolverError as error:
                raise UnsavedError(str(error), solution) from None

    def _prepare(self, *, jit: bool) -> float:
        """Have the search begin; return when."""
        work = self._work
        kernels = Memory(jit=jit)
        if jit and self._seconds is not None:
            _warm_once()
        begun = time.monotonic()
        search = Search(Board(work.state.position, kernels), **self._settings)
        if self._checkpoint is not None:
            search.resume(self._checkpoint, work.solution.position)
        work.begin(search)
        return begun

    def _attempt(self, jit: bool) -> bool:
        """Search the position, anew if compiled; tell whether all is found, or time is up."""
        if jit:
            self._work.forget()
            self._prepare(jit=True)
        self._work.run()
        return self._work.is_over()


def _switches(off: Sequence[str]) -> int:
    """Return the techniques that are not off; raises SolverError for a name that is none."""
    switches = nodes.ALL
    for name in [off] if isinstance(off, str) else off:
        if name not in TECHNIQUES:
            raise SolverError(f"there is no technique {name}: {', '.join(TECHNIQUES)}")
        switches &= ~TECHNIQUES[name]
    return switches


@lru_cache(maxsize=None)
def _warm_once() -> None:
    warm()

"""Who wins a position of the Binary Game, with which moves, and its nimber.

The game is impartial and whoever cannot move loses: each position is a win or a loss for the
player to move and equals one nim heap (Sprague, 1935; Grundy, 1939).  A position that a symmetry
of the board leaves as it is, with the digits exchanged, is lost at once (``docs/binary.md``); the
rest is searched (``_search``).
"""

from __future__ import annotations

import sys
import threading
import time
from functools import lru_cache

from gridhouse.core import arrays, bits
from gridhouse.core.errors import SolverError
from gridhouse.core.solving import (
    Solution,
    attempt_interpreted,
    check_limits,
    request_compiled,
    stopped_after,
    watched,
)
from gridhouse.games.binary import _frame, _search, book, rules
from gridhouse.games.binary._layout import Board, Memory, TooLargeError
from gridhouse.games.binary.proved import every_move_wins
from gridhouse.games.binary.symmetry import symmetry_of, winning_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gridhouse.core.game import State
    from gridhouse.games.binary.rules import Position

OUTCOMES = {_frame.LOSS: "loss", _frame.WIN: "win", _frame.UNKNOWN: "unknown"}
TECHNIQUES = {
    "components": _frame.COMPONENTS,
    "lookup": _frame.LOOKUP,
    "symmetry": _frame.SYMMETRY,
    "order": _frame.ORDER,
    "structure": _frame.STRUCTURE,
}
WORD = 8  # bytes
LEAST_WORDS = 1 << 12
# Memory takes time when it is first used, and more of it is slower, so tables grow as they fill.
FIRST_WORDS = 1 << 17
GROWTH = 8
FILLING = 2  # words for each node, at least
PLAIN_WORDS = 1 << 16  # of a table in interpreted code
NO_LIMIT = 1 << 60
DEPTH_FIRST = 12  # cells up to which proof numbers cost more than they earn
LARGE = 21  # cells above which proof numbers come first
NOISE = 4  # of the order of each thread after the first, depth first
SHARE = 4  # the part of the memory that proof numbers have
OLDEST_COMPILED = (3, 11)


class BinarySolution(Solution):
    """What is known of a position: for the player to move, ``win``, ``loss`` or ``unknown``."""

    def __init__(self, state: State) -> None:
        """Begin with nothing known."""
        self.position = str(state)
        self.outcome = OUTCOMES[_frame.UNKNOWN]
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


def has_compiler() -> bool:
    """Tell whether compiled code can be had here.

    A copy of the exact program does without, and so does an older Python than the package's.
    """
    from importlib.util import find_spec

    needed = ("numba", "gridhouse.core.compiling")
    return sys.version_info >= OLDEST_COMPILED and all(map(find_spec, needed))


class Search:
    """The memory of a search, which may be told to stop from another thread."""

    def __init__(
        self,
        board: Board,
        *,
        memory: int = 256,
        threads: int = 1,
        switches: int = _frame.ALL,
        proof: bool = True,
        limit: int = NO_LIMIT,
    ) -> None:
        """Make room for each thread, and for tables that grow to so many MiB."""
        self.board = board
        self.kernels = board.memory.search
        self._proof = proof
        # What is kept of long lines is written by whoever searches: by one.
        self._threads = threads if board.memory.jit and not board.has_long else 1
        board.layout[0].switches = switches
        if not switches & _frame.SYMMETRY:
            board.layout[0].num_symmetries = 1
        board.layout[0].limit = DEPTH_FIRST
        records = board.memory.records
        size = LEAST_WORDS
        while 2 * size * WORD <= memory * arrays.MEGABYTE * (SHARE - 1) // SHARE:
            size *= 2
        if not board.memory.jit:
            size = min(size, PLAIN_WORDS)
        self.most_words = size
        self._limit = limit
        self.start = records(_frame.Frame)
        self.frames = [records(_frame.Frame, _search.MOST_FRAMES) for _ in range(self._threads)]
        self.controls = [records(_search.Control) for _ in range(self._threads)]
        for number, control in enumerate(self.controls):
            control[0].number = number
            control[0].s0 = number + 1
        self.trail = board.memory.words(_search.MOST_FRAMES * self._threads)
        self.nodes_before = 0  # of a search that this one goes on with
        self.stopped = False
        self.take(*self._tables(min(size, FIRST_WORDS)))
        self._begin(())

    def _tables(self, size: int) -> tuple[Any, Any]:
        words = self.board.memory.words
        return words(size), words(max(LEAST_WORDS, size // SHARE))

    def take(self, words: Any, pairs: Any) -> None:
        """Go on with other tables, of what is known and of proof numbers, until they are full."""
        self.words = words
        self.pairs = pairs
        is_last = len(words) >= self.most_words
        room = NO_LIMIT if is_last else len(words) // FILLING // self._threads
        for control in self.controls:
            control[0].limit = min(self._limit, int(control[0].nodes) + room)

    @property
    def switches(self) -> int:
        """The techniques that are in use, a bit each."""
        return int(self.board.layout[0].switches)

    def save(self, path: str, position: str) -> None:
        """Write down in a checkpoint what has been found of a position; raises SolverError."""
        from gridhouse.games.binary import checkpoint

        found = checkpoint.Snapshot(position, self.switches, self.words, self.pairs, self.nodes)
        checkpoint.save(path, found)

    def resume(self, path: str, position: str) -> bool:
        """Go on with a checkpoint; tell whether there is one; raises SolverError."""
        from gridhouse.games.binary import checkpoint

        found = checkpoint.load(
            path, position, self.switches, self.most_words, self.board.memory.words
        )
        if found is not None:
            self.take(found.words, found.pairs)
            self.nodes_before = found.nodes
        return found is not None

    def _grows(self) -> bool:
        """Go on with larger tables if the search has stopped for these; tell whether it did."""
        size = len(self.words)
        is_over = any(control[0].nodes >= self._limit for control in self.controls)
        if self.stopped or is_over or size >= self.most_words:
            return False
        try:
            words, pairs = self._tables(min(GROWTH * size, self.most_words))
        except MemoryError:  # the machine has less than was allowed: what there is has to do
            self.most_words = size
            words, pairs = self.words, self.pairs
        else:
            self.kernels.move_words(self.words, words)
            self.kernels.move_pairs(self.pairs, pairs)
        self.take(words, pairs)
        self._release()
        return not self.stopped

    def _release(self) -> None:
        """Let threads search again that were made to stop, unless the whole search was."""
        for control in self.controls:
            control[0].stop = 0
        if self.stopped:  # maybe since then
            self.stop()

    @property
    def nodes(self) -> int:
        """How many positions have been searched."""
        return self.nodes_before + sum(int(control[0].nodes) for control in self.controls)

    @property
    def used(self) -> float:
        """The part of the largest table that is in use, told by a sample of the one there is."""
        sample = self.words[: 1 << 12]
        share = sum(1 for word in sample if word) / len(sample)
        return share * len(self.words) / self.most_words

    def stop(self) -> None:
        """Make the search end soon."""
        self.stopped = True
        for control in self.controls:
            control[0].stop = 1

    def follow(self, state: Position) -> bool:
        """Go on to a position that the board's moves lead to; tell whether it is one.

        What was found out stays known, and a search that was stopped may run again.
        """
        moves = self.board.moves_to(state)
        if moves is None:
            return False
        self._begin(moves)
        self.stopped = False
        self._release()
        return True

    def _begin(self, moves: Sequence[int]) -> None:
        """Begin at the position that some moves lead to."""
        self.board.memory.frame.copy(
            self.start[0], self.board.start[0], self.board.layout[0].num_lines
        )
        self._play(self.start[0], moves)

    def _play(self, frame: Any, moves: Sequence[int]) -> None:
        board = self.board
        for move in moves:
            board.memory.frame.play(
                frame, board.layout[0], board.table, board.sets, move >> 1, move & 1
            )

    def known(self, moves: tuple[int, ...]) -> int:
        """Return who wins after some moves if that needs no search."""
        return self._enter(0, moves, 0)

    def value(self, moves: tuple[int, ...] = (), heap: int = 0) -> int:
        """Return who wins after some moves, with a heap beside: WIN, LOSS or UNKNOWN."""
        value = self._enter(0, moves, heap)
        if value != _frame.UNKNOWN or self.stopped:
            return value
        while True:
            if self._threads == 1:
                value = self.run(0, moves, heap, proof=self._proof and self._is_large(0))
            else:
                value = self._race(moves, heap)
            if value != _frame.UNKNOWN or not self._grows():
                return value

    def _is_large(self, thread: int) -> bool:
        frame = self.frames[thread][0]
        return bits.population(int(frame.opened[0]) | int(frame.opened[1])) > LARGE

    def _place(self, thread: int, moves: tuple[int, ...]) -> None:
        """Make the position after some moves that of a thread's first frame."""
        frame = self.frames[thread][0]
        self.board.memory.frame.copy(frame, self.start[0], self.board.layout[0].num_lines)
        self._play(frame, moves)

    def _enter(self, thread: int, moves: tuple[int, ...], heap: int) -> int:
        board, kernels, frames = self.board, self.kernels, self.frames[thread]
        layout = board.layout[0]
        self._place(thread, moves)
        frames[0].heap = heap
        return int(kernels.enter(frames[0], layout, board.table, board.sets, self.words))

    def run(self, thread: int, moves: tuple[int, ...], heap: int, *, proof: bool) -> int:
        """Search in one thread."""
        value = self._enter(thread, moves, heap)
        board, kernels, frames = self.board, self.kernels, self.frames[thread]
        control = self.controls[thread][0]
        control.noise = 0 if proof else NOISE * thread
        common = (board.layout[0], board.table, board.sets, self.words)
        if value == _frame.UNKNOWN and not proof:
            value = int(kernels.prove(frames, *common, control, 0))
        if value == _frame.UNKNOWN and proof and kernels.start_parts(frames[0], *common[:-1]):
            value = int(kernels.search_parts(frames, 0, *common, control))
        if value == _frame.UNKNOWN and proof and not control.stop:
            bound = _search.INFINITE
            shared = (self.pairs, control, self.trail)
            value = int(kernels.expand(frames, *common, *shared, 0, bound, bound))
        return _frame.UNKNOWN if control.stop else value

    def _race(self, moves: tuple[int, ...], heap: int) -> int:
        """Search in several threads that share the table; the first to end stops the others."""
        found: list[int] = []

        def run(thread: int) -> None:
            proof = self._proof and self._is_large(0)
            value = self.run(thread, moves, heap, proof=proof)
            if value != _frame.UNKNOWN:
                found.append(value)
            for other in self.controls:
                other[0].stop = 1

        runners = [threading.Thread(target=run, args=(number,)) for number in range(self._threads)]
        for runner in runners:
            runner.start()
        for runner in runners:
            runner.join()
        if found:
            self._release()
        return found[0] if found else _frame.UNKNOWN

    def risk(self) -> int:
        """Return how many cells may come to stay empty, 0 where it is plain who wins."""
        self._place(0, ())
        board, frame = self.board, self.frames[0][0]
        kernels, layout = board.memory.frame, board.layout[0]
        value = kernels.settle(frame, layout, board.table, board.sets)
        risk = int(kernels.at_risk(frame, layout)) if value == _frame.UNKNOWN else 0
        return bits.population(risk)

    def answers(self, move: int, most: int) -> tuple[int, int]:
        """Return how many replies there are to a move, and how many of these are known to win.

        Winning ones are looked for, depth first, until there are more than ``most``.
        """
        board, frames, control = self.board, self.frames[0], self.controls[0][0]
        while True:
            self._place(0, (move,))
            replies = sum(bits.population(int(cells)) for cells in frames[0].opened)
            common = (board.layout[0], board.table, board.sets, self.words)
            count = int(self.kernels.count_wins(frames, *common, control, 0, most))
            if not control.stop or not self._grows():
                return replies, count

    def moves(self) -> list[int]:
        """Return the moves, by cell and digit."""
        self._place(0, ())
        opened = [int(cells) for cells in self.frames[0][0].opened]
        return [
            2 * cell + digit
            for cell in range(len(self.board.cells))
            for digit in range(2)
            if opened[digit] >> cell & 1
        ]


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
        self.solution.outcome = OUTCOMES[_frame.UNKNOWN]
        self.solution.moves = []
        self.solution.all_moves = False
        self.solution.nimber = None

    def is_over(self) -> bool:
        """Tell whether all that was asked is found, or was given up."""
        found = self.solution
        if self._is_stopped or found.outcome == OUTCOMES[_frame.LOSS]:
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
        if value == _frame.LOSS:
            solution.nimber = 0
            solution.all_moves = True
        elif value == _frame.WIN:
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
                if search.known((move,)) == _frame.LOSS:
                    self._note(search.board.action(move))
                    return
        complete = self._all_moves
        for move in search.moves():
            value = search.value((move,))
            complete = complete and value != _frame.UNKNOWN
            if value == _frame.LOSS:
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
            if value != _frame.WIN:
                break
            heap += 1
        if value == _frame.LOSS:
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
        from gridhouse.games.binary.checkpoint import check_place

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
        self._waits = jit is None and not (has_compiler() and request_compiled(work.state.game))
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
    switches = _frame.ALL
    for name in [off] if isinstance(off, str) else off:
        if name not in TECHNIQUES:
            raise SolverError(f"there is no technique {name}: {', '.join(TECHNIQUES)}")
        switches &= ~TECHNIQUES[name]
    return switches


@lru_cache(maxsize=None)
def _warm_once() -> None:
    warm()


def warm(memory: Memory | None = None) -> None:
    """Compile the kernels, or load them, by using each of them on a small board."""
    from gridhouse.games.binary.game import BinaryGame

    state = BinaryGame(rows=3, cols=3).new_initial_state()
    memory = memory or Memory(jit=True)
    for proof in (False, True):
        # Each with a table of its own, and proof numbers even for a board so small: what is known
        # already, or searched depth first, would leave their kernels uncompiled.
        search = Search(Board(state.position, memory), memory=1)
        search.board.layout[0].limit = 0
        search.run(0, (), 0, proof=proof)
    search.answers(0, 0)
    search.risk()
    search.kernels.move_words(search.words, search.words)
    search.kernels.move_pairs(search.pairs, search.pairs)

"""Anytime search: a solution at once, then better ones until time is up or one is good enough."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import SolverError
from gridhouse.games.sliding.solver import assignment
from gridhouse.games.sliding.solver.beam import beam_heuristic
from gridhouse.games.sliding.solver.beam.beam_search import (
    DATABASE_SIDE,
    MAX_STARTS,
    MAX_WIDTH,
    MIN_WIDTH,
    BeamOptions,
    BeamSearch,
    solve_by_layers,
)
from gridhouse.games.sliding.solver.databases import good_partitions
from gridhouse.games.sliding.solver.databases.heuristic import make_heuristic
from gridhouse.games.sliding.solver.databases.pattern_database import StoppedError
from gridhouse.games.sliding.solver.optimal import stages
from gridhouse.games.sliding.solver.optimal.optimal_search import OptimalSearch, lower_bound
from gridhouse.games.sliding.solver.puzzle import inverted, round_up_to_parity

if TYPE_CHECKING:
    from gridhouse.games.sliding.solver.databases.pattern_database import BuildOptions
    from gridhouse.games.sliding.solver.puzzle import Puzzle

SMALL = 16  # cells up to which a shortest solution is searched for at once
FIRST_WIDTH = MIN_WIDTH
GROWTH = 4
MAX_GROWTH = 16  # where a beam can become narrower again on its way
GROWTH_POWER = 0.8  # the time of a beam is its width to the power of one over this
WHOLE_BOARD_WIDTH = 6400  # from here on beams over a large board find more than those by layers
MIN_VARIED_WIDTH = 4000  # from here on beams try other databases, which take a while to build
NEVER = MAX_WIDTH + 1
MAX_MOVES = 400  # of a beam over a whole board
SLACK = 2  # moves that a solution may be longer than the best one and still be worth shortening
FIRST_DATABASE_SIDE = 3  # rows and columns that the first beam over a large board leaves
NUM_TIE_BREAKS = 40
NODES_PER_SECOND = 50_000_000  # of shortening

POLL_SECONDS = 0.02  # between two looks at the flag
STOP_SECONDS = 0.2  # for a search that was told to stop
HEAD_START = 10.0  # seconds, of which beams have half before a proof begins, without a limit,
HEAD_START_SHARE = 0.05  # and this part of a time that is longer
BEAM_SHARE = 0.8  # of the time, for beams where no proof was asked for,
MIN_PROOF_SECONDS = 5.0  # from here on a bound is worth searching for
FIRST_BESIDE = 20.0  # seconds of a proof before a beam runs beside it
BESIDE_RATIO = 8  # the next one runs after this multiple of the seconds of all of these
LAST_BEAM_SHARE = 0.9  # of the time that is left
MIN_SHARE = 0.5  # of the time of the beam before: less is too little for another one
MIN_BACKWARD_SECONDS = 5.0  # from here on databases for beams from the goal are worth building


class Limits(NamedTuple):
    """When a search is done: at ``ratio`` times the lower bound, or after ``seconds``."""

    ratio: float = 1.0
    threads: int = 1
    seconds: float | None = None


class Direction(NamedTuple):
    """A puzzle, or its reverse, and the tiles that beams over the whole board begin from.

    These are the same puzzle under several assignments of equal tiles.
    """

    puzzle: Puzzle
    starts: list[list[int]]


class Anytime:
    """A search for ever better solutions, which can be stopped from another thread.

    ``moves`` is the best solution so far, ``bound`` a lower bound of the length of all solutions.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        limits: Limits,
        *,
        proves: bool = True,
        allow_slow_build: bool = True,
        jit: bool = True,
    ) -> None:
        """Take an unsolved puzzle; with ``proves`` a search for a shortest solution runs as well.

        Without ``allow_slow_build`` that search starts late, uses only databases that are on disk
        or quickly built, and serves only to raise the lower bound, on boards of up to 25 cells.
        """
        self.puzzle, bound = assignment.with_best_assignment(puzzle)
        self.moves: list[int] = []
        self._lower_bound = round_up_to_parity(puzzle, max(1, bound))
        self._limits = limits
        most = good_partitions.LARGE if puzzle.is_distinct else good_partitions.SMALL
        if not allow_slow_build:
            most = good_partitions.SMALL if (limits.seconds or 0.0) >= MIN_PROOF_SECONDS else 0
        self._proves = proves and puzzle.cells <= most
        self._allow_slow_build = allow_slow_build
        # The width from which beams search the whole board.
        self._min_whole_width = 0 if puzzle.cells <= good_partitions.SMALL else NEVER
        self._stopped = False
        self._given_up = False
        self._failure: Exception | None = None
        self._beam_searches = [BeamSearch(self.puzzle, jit=jit) for _ in range(limits.threads)]
        self._proof = OptimalSearch(
            self.puzzle, limits.threads, allow_slow_build=allow_slow_build, jit=jit
        )
        self._directions: list[Direction] = []  # of beams, in turns
        self._jit = jit
        self._lock = threading.Lock()
        self._ended = threading.Event()  # set when there is no proof to wait for

    @property
    def bound(self) -> int:
        """A lower bound of the length of all solutions."""
        return max(self._lower_bound, self._proof.bound)

    @property
    def nodes(self) -> int:
        """The number of moves looked at."""
        return sum(beam.nodes for beam in self._beam_searches) + self._proof.nodes

    def status(self) -> str:
        """Return the state of the search in one line."""
        length = str(len(self.moves)) if self.moves else "none"
        return f"solution: {length}, bound: {self.bound}, nodes: {self.nodes}"

    def stop(self) -> None:
        """Make the search end soon; there is a solution in any case."""
        self._stopped = True
        self._ended.set()
        self._proof.stop()
        if self.moves:
            self._stop_beams()

    def give_up(self) -> None:
        """Make the search end soon, maybe without a solution."""
        self._given_up = True
        self.stop()

    def _stop_beams(self) -> None:
        for beam in self._beam_searches:
            beam.stop()

    @property
    def _is_done(self) -> bool:
        return self._stopped or (
            bool(self.moves) and len(self.moves) <= self._limits.ratio * self.bound
        )

    def run(self) -> None:
        """Search."""
        if not self._proves:
            self._run_beams(self._limits.seconds)
            return
        if self.puzzle.cells > SMALL:
            self._run_beams(self._head_start())
            if self._is_done:
                return
        self._prove_beside_beams()
        if self._failure is not None and self._allow_slow_build:
            raise SolverError(f"a shortest solution: {self._failure}") from self._failure
        if not self.moves and not self._given_up:
            self._run_beams(0.0)

    def _head_start(self) -> float:
        """Return the seconds of beams before a proof begins."""
        seconds = self._limits.seconds or HEAD_START
        if self._allow_slow_build:
            return min(seconds / 2, HEAD_START / 2 + HEAD_START_SHARE * seconds)
        return BEAM_SHARE * seconds

    def _prove_beside_beams(self) -> None:
        """Search for a shortest solution, and run beams beside that if there is a solution."""
        # Building databases may not stop in time; then its thread is left alone.
        proof = threading.Thread(target=self._prove, daemon=True)
        threads = [proof]
        if self.moves:
            threads.append(threading.Thread(target=self._run_beams_beside, daemon=True))
        for thread in threads:
            thread.start()
        while proof.is_alive() and not self._is_done:
            proof.join(POLL_SECONDS)
        self._ended.set()
        self._proof.stop()  # the bound may have come up to a solution that beams found
        if len(threads) > 1:
            self._stop_beams()
        for thread in threads:
            thread.join(STOP_SECONDS)

    def _prove(self) -> None:
        """Search for a shortest solution; an error is kept for the thread that waits."""
        try:
            self._proof.run()
        except MemoryError:
            self._failure = MemoryError("there is not enough memory for the databases")
        except Exception as error:
            self._failure = error
        self._offer(self._proof.moves)

    def _run_beams_beside(self) -> None:
        """Run beams beside a proof, rarely enough not to hold it up.

        If a beam has found a shortest solution, the proof ends with its last but one bound.
        """
        began, spent, seed = perf_counter(), 0.0, len(self._beam_searches)
        with suppress(MemoryError):  # the proof has precedence
            while not self._ended.wait(
                began + max(FIRST_BESIDE, BESIDE_RATIO * spent) - perf_counter()
            ):
                before = perf_counter()
                self._search(self._beam_searches[0], MAX_WIDTH, seed)
                spent += perf_counter() - before
                seed += 1

    def _offer(self, moves: list[int] | None) -> None:
        """Keep a solution if it is the best so far; stop all searches if it is good enough."""
        with self._lock:
            if moves is None or (self.moves and len(moves) >= len(self.moves)):
                return
            self.moves = moves
        if self._is_done:
            self._proof.stop()
            self._stop_beams()

    def _run_beams(self, seconds: float | None) -> None:
        """Run ever wider beams, at least until there is a solution."""
        started = perf_counter()
        deadline = None if seconds is None else started + seconds
        search = self._beam_searches[0]
        self._directions = [_direction(self.puzzle)]
        width, seed = FIRST_WIDTH, 0
        while not self.moves and not self._given_up:
            self._search(search, width, seed)
            width, seed = GROWTH * width, seed + 1
        if self._is_done:
            return
        self._add_backward_direction(deadline)
        self._use_whole_board(deadline)
        wider = GROWTH * FIRST_WIDTH
        if self._min_whole_width > 0:
            if deadline is not None:
                now = perf_counter()
                share = max(MIN_SHARE, LAST_BEAM_SHARE * (deadline - now) / (now - started))
                wider = int(FIRST_WIDTH * min(MAX_GROWTH, share**GROWTH_POWER))
            search.preload_databases(DATABASE_SIDE)
        if len(self._beam_searches) == 1:
            self._widen(search, 0, wider, deadline)
            return
        with ThreadPoolExecutor(len(self._beam_searches)) as pool:
            jobs = [
                pool.submit(self._widen, each, number, wider, deadline)
                for number, each in enumerate(self._beam_searches)
            ]
            for job in jobs:
                job.result()

    def _add_backward_direction(self, deadline: float | None) -> None:
        """Let every other beam search from the goal, if it can and there is time to prepare it.

        It errs where others do not, so the better solution of two is shorter.
        """
        back = self.puzzle.reversed()
        if not back.has_blank_last:
            time = math.inf if deadline is None else deadline - perf_counter()
            if back.cells > good_partitions.SMALL or time < MIN_BACKWARD_SECONDS:
                return
        self._directions.append(_direction(back))

    def _use_whole_board(self, deadline: float | None) -> None:
        """Switch to beams over the whole board if its databases are there, or there is time."""
        if self.puzzle.cells > good_partitions.LARGE:
            return
        wait = beam_heuristic.seconds_needed(self.puzzle, jit=self._jit)
        if wait > 0 and deadline is not None and deadline - perf_counter() < wait:
            return
        with suppress(StoppedError):
            self._load_databases()
            self._min_whole_width = min(self._min_whole_width, WHOLE_BOARD_WIDTH)

    def _load_databases(self) -> None:
        """Load databases for beams, and take their lower bound."""
        puzzle, jit = self.puzzle, self._jit
        options: BuildOptions = {
            "threads": self._limits.threads,
            "jit": jit,
            "is_stopped": lambda: self._stopped,
        }
        layout, _, entries = beam_heuristic.heuristic_for(puzzle, 0, **options)
        if not puzzle.is_distinct:  # those of the beams hold for one assignment of equal tiles only
            if puzzle.cells > good_partitions.SMALL:
                return
            size = good_partitions.PATTERN_SIZE
            databases = stages.small_databases(puzzle, size, **options)
            layout, entries = make_heuristic(puzzle, *databases)
        bound = lower_bound(puzzle, layout, entries, jit=jit)
        self._lower_bound = max(self._lower_bound, bound)

    def _widen(self, search: BeamSearch, seed: int, width: int, deadline: float | None) -> None:
        """Run ever wider beams until time is up or a solution is good enough.

        Time that is too little for another beam goes into shortening the best solution.
        """
        while not self._is_done:
            before = perf_counter()
            self._search(search, width, seed, deadline)
            now = perf_counter()
            growth = float(GROWTH)
            if deadline is not None:
                if deadline <= now:
                    return
                # What is left may be too little for a wider beam.
                share = LAST_BEAM_SHARE * (deadline - now) / (now - before)
                if share < MIN_SHARE:
                    nodes = int((deadline - now) * NODES_PER_SECOND)
                    self._offer(search.shorten(self.moves, nodes, seed))
                    return
                growth = self._growth(share)
            width = max(FIRST_WIDTH, min(int(growth * width), MAX_WIDTH))
            seed += len(self._beam_searches)

    def _growth(self, share: float) -> float:
        """Return the factor of the next width, with time for ``share`` beams like the last one."""
        if self._min_whole_width > 0:
            return min(MAX_GROWTH, math.pow(share, GROWTH_POWER))
        # No time is left for a beam after one that is only a little wider, so it gets all.
        return GROWTH if share > GROWTH * (1 + GROWTH) else share

    def _search(
        self, search: BeamSearch, width: int, seed: int, deadline: float | None = None
    ) -> None:
        """Run one beam, and spend as many nodes on shortening its solution."""
        spent = search.nodes
        moves = self._search_once(search, width, seed, deadline)
        if moves is None:
            return
        self._offer(moves)
        if not self._is_done:
            self._offer(search.shorten(moves, search.nodes - spent, seed))

    def _search_once(
        self, search: BeamSearch, width: int, seed: int, deadline: float | None
    ) -> list[int] | None:
        """Return the solution of one beam, None without one."""
        turn, number = divmod(seed, len(self._directions))
        puzzle, starts = self._directions[number]
        tie_break = turn % NUM_TIE_BREAKS
        # Beams over a whole board may lose their way; those by layers never do for long.
        if width >= self._min_whole_width and (self.moves or width <= MIN_VARIED_WIDTH):
            upper_bound = len(self.moves) + SLACK if self.moves else MAX_MOVES
            choice = turn if width >= MIN_VARIED_WIDTH else 0
            options = BeamOptions(width, upper_bound, tie_break, choice, deadline)
            moves = search.search_board(puzzle, [(tiles, []) for tiles in starts], options)
        else:
            side = DATABASE_SIDE if self.moves else FIRST_DATABASE_SIDE
            moves = solve_by_layers(search, puzzle, width, side, tie_break, deadline)
        return moves if moves is None or number == 0 else inverted(moves)


def _direction(puzzle: Puzzle) -> Direction:
    return Direction(puzzle, assignment.assignments(puzzle, MAX_STARTS))

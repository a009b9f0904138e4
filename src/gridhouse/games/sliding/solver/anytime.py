"""Solutions at once, then better ones until time is up or one is good enough."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core.errors import SolverError
from gridhouse.games.sliding.solver import assignment
from gridhouse.games.sliding.solver.beam import beam_heuristic
from gridhouse.games.sliding.solver.beam.beam_search import (
    CORE,
    NARROWEST,
    SEEDS,
    WIDEST,
    Run,
    by_layers,
)
from gridhouse.games.sliding.solver.databases import good_partitions, heuristic, pattern_database
from gridhouse.games.sliding.solver.optimal import optimal_search
from gridhouse.games.sliding.solver.puzzle import backwards, even_out

if TYPE_CHECKING:
    from gridhouse.games.sliding.solver.puzzle import Puzzle

FIRST = NARROWEST  # the width of the first beam
SMALL = 16  # cells up to which a shortest solution is sought at once
LONGEST = 400  # moves of a beam over a whole board
WIDE = 6400  # the width from which beams over a large board find more than those by layers
GROWTH = 4
LEAP = 16  # growth where a beam can become narrower again on its way
CACHES = 0.8  # beams take time as their width to the power of one over this
GLANCE = 0.02  # seconds between two looks at the flag
HEAD_START = 10.0  # seconds of which beams have half before a proof is sought, without a limit,
SHARE = 0.05  # and this part of a time that is longer
MOSTLY = 0.8  # the part of the time that beams have where a proof is not what was asked for,
WORTH_PROVING = 5.0  # if it is so many seconds or more: less has no time for a bound
GRACE = 0.2  # seconds for a search that was told to stop
SOON = 20.0  # seconds of a proof before a beam runs beside it,
RARELY = 8  # and so many times as many as all of these have taken before the next one
SALTS = 40
VARIED = 4000  # the width from which beams look at other databases, which take a while to build
NEVER = WIDEST + 1
MARGIN = 0.9  # of the time that is left, for the last beam
LITTLE = 0.5  # of the time for the beam before: less is no time for another one
NODES_PER_SECOND = 50_000_000  # of shortening
HOPE = 2  # moves that a solution may be longer than the best one and still be worth shortening
WORTH_TURNING = 5.0  # seconds of beams from which databases of their way back are worth building
EARLY = 3  # rows and columns that the first beam over a large board leaves to the databases


class Side(NamedTuple):
    """A puzzle, or its way back, and what beams over the whole board begin from."""

    puzzle: Puzzle
    starts: list[list[int]]  # equal tiles numbered in several ways


class Anytime:
    """A search for a solution of at most ``goal`` times the bound, which can be stopped.

    ``moves`` is the best solution so far, ``bound`` what every solution needs.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        goal: float,
        threads: int,
        seconds: float | None,
        *,
        proves: bool = True,
        waits: bool = True,
        jit: bool = True,
    ) -> None:
        """Take an unsolved puzzle; ``proves`` has a shortest solution sought as well.

        That is for a better bound only if nobody ``waits`` for it: late, with what databases there
        are, on boards of up to 25 cells.
        """
        self.puzzle, bound = assignment.paired(puzzle)
        self.moves: list[int] = []
        self._least = even_out(puzzle, max(1, bound))
        self._goal = goal
        most = good_partitions.LARGE if puzzle.is_distinct else good_partitions.SMALL
        if not waits:
            most = good_partitions.SMALL if (seconds or 0.0) >= WORTH_PROVING else 0
        self._proves = proves and puzzle.cells <= most
        self._waits = waits
        # The width from which beams are over the whole board.
        self._whole = 0 if puzzle.cells <= good_partitions.SMALL else NEVER
        self._seconds = seconds
        self._stopped = False
        self._given_up = False
        self._failure: Exception | None = None
        self._runs = [Run(self.puzzle, jit=jit) for _ in range(threads)]
        self._optimal = optimal_search.Optimal(self.puzzle, threads, waits=waits, jit=jit)
        self._sides: list[Side] = []  # that beams set out from in turns
        self._threads = threads
        self._jit = jit
        self._lock = threading.Lock()
        self._ended = threading.Event()  # set when a proof is sought no more

    @property
    def bound(self) -> int:
        """The length below which there is no solution."""
        return max(self._least, self._optimal.bound)

    @property
    def nodes(self) -> int:
        """How many moves were looked at."""
        return sum(run.nodes for run in self._runs) + self._optimal.nodes

    def status(self) -> str:
        """Return how far the search is, in a line."""
        length = str(len(self.moves)) if self.moves else "none"
        return f"solution: {length}, bound: {self.bound}, nodes: {self.nodes}"

    def stop(self) -> None:
        """Have the search end soon; there is a solution in any case."""
        self._stopped = True
        self._ended.set()
        self._optimal.stop()
        if self.moves:
            self._stop_runs()

    def give_up(self) -> None:
        """Have the search end soon, maybe without a solution."""
        self._given_up = True
        self.stop()

    def _stop_runs(self) -> None:
        for run in self._runs:
            run.stop()

    @property
    def _is_done(self) -> bool:
        return self._stopped or (bool(self.moves) and len(self.moves) <= self._goal * self.bound)

    def run(self) -> None:
        """Search."""
        if not self._proves:
            self._beams(self._seconds)
            return
        if self.puzzle.cells > SMALL:
            self._beams(self._head_start())
            if self._is_done:
                return
        self._seek_proof()
        if self._failure is not None and self._waits:
            raise SolverError(f"a shortest solution: {self._failure}") from self._failure
        if not self.moves and not self._given_up:
            self._beams(0.0)

    def _head_start(self) -> float:
        """Return how many seconds beams have before a proof is sought."""
        seconds = self._seconds or HEAD_START
        if self._waits:
            return min(seconds / 2, HEAD_START / 2 + SHARE * seconds)
        return MOSTLY * seconds

    def _seek_proof(self) -> None:
        """Have a shortest solution sought, with beams beside that if there is a first solution."""
        # Building databases stops between two steps only, so it is left alone when time is up.
        proof = threading.Thread(target=self._prove, daemon=True)
        threads = [proof]
        if self.moves:
            threads.append(threading.Thread(target=self._look_beside, daemon=True))
        for thread in threads:
            thread.start()
        while proof.is_alive() and not self._is_done:
            proof.join(GLANCE)
        self._ended.set()
        self._optimal.stop()  # the bound may have come up to a solution that beams found
        if len(threads) > 1:
            self._stop_runs()
        for thread in threads:
            thread.join(GRACE)

    def _prove(self) -> None:
        """Seek a shortest solution; what goes wrong is kept for the thread that waits."""
        try:
            self._optimal.run()
        except MemoryError:
            self._failure = MemoryError("there is not enough memory for the databases")
        except Exception as error:
            self._failure = error
        self._take(self._optimal.moves)

    def _look_beside(self) -> None:
        """Run beams beside a proof, rarely enough not to hold it up.

        A proof that has a shortest solution at hand ends as soon as there can be no shorter one,
        and need not find it.
        """
        began, spent, salt = perf_counter(), 0.0, len(self._runs)
        with suppress(MemoryError):  # the proof needs what there is
            while not self._ended.wait(began + max(SOON, RARELY * spent) - perf_counter()):
                before = perf_counter()
                self._beam(self._runs[0], WIDEST, salt)
                spent += perf_counter() - before
                salt += 1

    def _take(self, moves: list[int] | None) -> None:
        """Keep a solution if it is the best so far."""
        with self._lock:
            if moves is None or (self.moves and len(moves) >= len(self.moves)):
                return
            self.moves = moves
        if self._is_done:
            self._optimal.stop()
            self._stop_runs()

    def _beams(self, seconds: float | None) -> None:
        """Run beams, ever wider ones, at least until there is a solution."""
        started = perf_counter()
        deadline = None if seconds is None else started + seconds
        run = self._runs[0]
        self._sides = [_side(self.puzzle)]
        width, salt = FIRST, 0
        while not self.moves and not self._given_up:
            self._beam(run, width, salt)
            width, salt = GROWTH * width, salt + 1
        if self._is_done:
            return
        self._look_back(deadline)
        self._look_at_all(deadline)
        wider = GROWTH * FIRST
        if self._whole > 0:
            if deadline is not None:
                now = perf_counter()
                share = max(LITTLE, MARGIN * (deadline - now) / (now - started))
                wider = int(FIRST * min(LEAP, share**CACHES))
            run.prepare(CORE)
        if len(self._runs) == 1:
            self._widen(run, 0, wider, deadline)
            return
        with ThreadPoolExecutor(len(self._runs)) as pool:
            jobs = [
                pool.submit(self._widen, each, number, wider, deadline)
                for number, each in enumerate(self._runs)
            ]
            for job in jobs:
                job.result()

    def _look_back(self, deadline: float | None) -> None:
        """Have every other beam go back from the goal if it can, and there is time to prepare it.

        It goes wrong where others do not, so that the better of two is worth more.
        """
        back = self.puzzle.reversed()
        if not back.ends_last:
            time = math.inf if deadline is None else deadline - perf_counter()
            if back.cells > good_partitions.SMALL or time < WORTH_TURNING:
                return
        self._sides.append(_side(back))

    def _look_at_all(self, deadline: float | None) -> None:
        """Go on with beams over the whole board if its databases are there, or there is time."""
        if self.puzzle.cells > good_partitions.LARGE:
            return
        wait = beam_heuristic.patience(self.puzzle, jit=self._jit)
        if wait > 0 and deadline is not None and deadline - perf_counter() < wait:
            return
        with suppress(pattern_database.StoppedError):
            how = {"threads": self._threads, "is_stopped": lambda: self._stopped}
            self._load(how)
            self._whole = min(self._whole, WIDE)

    def _load(self, how: dict[str, Any]) -> None:
        """Have databases at hand for beams, and take their bound."""
        puzzle, jit = self.puzzle, self._jit
        plan, _, words = beam_heuristic.views_for(puzzle, 0, jit=jit, **how)
        if not puzzle.is_distinct:  # those of the beams hold for one way to number equal tiles only
            if puzzle.cells > good_partitions.SMALL:
                return
            tables = optimal_search.small_tables(puzzle, good_partitions.TILES, jit=jit, **how)
            plan, words = heuristic.plan_of(puzzle, *tables)
        self._least = max(self._least, optimal_search.least(puzzle, plan, words, jit=jit))

    def _widen(self, run: Run, salt: int, width: int, deadline: float | None) -> None:
        """Run beams, ever wider ones, until time is up or a solution is good enough.

        What time is too little for another one goes into shortening the best solution.
        """
        while not self._is_done:
            before = perf_counter()
            self._beam(run, width, salt, deadline)
            now = perf_counter()
            growth = float(GROWTH)
            if deadline is not None:
                if deadline <= now:
                    return
                # What is left may be too little for a wider beam.
                share = MARGIN * (deadline - now) / (now - before)
                if share < LITTLE:
                    nodes = int((deadline - now) * NODES_PER_SECOND)
                    self._take(run.shorten(self.moves, nodes, salt))
                    return
                growth = self._growth(share)
            width = max(FIRST, min(int(growth * width), WIDEST))
            salt += len(self._runs)

    def _growth(self, share: float) -> float:
        """Return how much wider the next beam is, with time for ``share`` like the last one."""
        if self._whole > 0:
            return min(LEAP, math.pow(share, CACHES))
        # No time is left for a beam after one that is only a little wider, so it gets all.
        return GROWTH if share > GROWTH * (1 + GROWTH) else share

    def _beam(self, run: Run, width: int, salt: int, deadline: float | None = None) -> None:
        """Take a solution by one beam, if there is one, and shorten it by as many nodes."""
        spent = run.nodes
        moves = self._found(run, width, salt, deadline)
        if moves is None:
            return
        self._take(moves)
        if not self._is_done:
            self._take(run.shorten(moves, run.nodes - spent, salt))

    def _found(self, run: Run, width: int, salt: int, deadline: float | None) -> list[int] | None:
        """Return a solution by one beam, None without one."""
        turn, number = divmod(salt, len(self._sides))
        puzzle, starts = self._sides[number]
        # Beams over a whole board may lose their way; those by layers never do for long.
        if width >= self._whole and (self.moves or width <= VARIED):
            shorter = len(self.moves) + HOPE if self.moves else LONGEST
            seeds = [(tiles, list[int]()) for tiles in starts]
            look = turn if width >= VARIED else 0
            moves = run.finish(puzzle, seeds, width, shorter, turn % SALTS, look, deadline)
        else:
            core = CORE if self.moves else EARLY
            moves = by_layers(run, puzzle, width, core, turn % SALTS, deadline)
        return moves if moves is None or number == 0 else backwards(moves)


def _side(puzzle: Puzzle) -> Side:
    return Side(puzzle, assignment.pairings(puzzle, SEEDS))

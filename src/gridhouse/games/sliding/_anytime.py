"""Solutions at once, then better ones until time is up or one is good enough."""

from __future__ import annotations

import threading
from time import perf_counter
from typing import TYPE_CHECKING

from gridhouse.games.sliding import _pairing
from gridhouse.games.sliding._beams import CORE, Run, by_layers
from gridhouse.games.sliding._optimal import Optimal
from gridhouse.games.sliding._puzzle import even_out

if TYPE_CHECKING:
    from gridhouse.games.sliding._puzzle import Puzzle

FIRST = 100  # the width of the first beam
WIDEST = 250_000
SMALL = 16  # cells up to which a shortest solution is sought at once
COVERED = 25  # cells up to which there are databases
LONGEST = 400  # moves of a beam over so many cells
GROWTH = 2
GLANCE = 0.02  # seconds between two looks at the flag
HEAD_START = 10.0  # seconds of which beams have half before a proof is sought, without a limit
GRACE = 0.2  # seconds for a search that was told to stop
SALTS = 40
EARLY = 3  # rows and columns that the first beam over a large board leaves to the databases


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
        jit: bool = True,
    ) -> None:
        """Take an unsolved puzzle; ``proves`` has a shortest solution sought as well."""
        self.puzzle, bound = _pairing.paired(puzzle)
        self.moves: list[int] = []
        self._least = even_out(puzzle, max(1, bound))
        self._goal = goal
        self._proves = proves and puzzle.cells <= COVERED
        self._seconds = seconds
        self._stopped = False
        self._run = Run(self.puzzle, jit=jit)
        self._optimal = Optimal(self.puzzle, threads, jit=jit)
        self._threads = threads

    @property
    def bound(self) -> int:
        """The length below which there is no solution."""
        return max(self._least, self._optimal.bound)

    @property
    def nodes(self) -> int:
        """How many moves were looked at."""
        return self._run.nodes + self._optimal.nodes

    def status(self) -> str:
        """Return how far the search is, in a line."""
        length = str(len(self.moves)) if self.moves else "none"
        return f"solution: {length}, bound: {self.bound}, nodes: {self.nodes}"

    def stop(self) -> None:
        """Have the search end soon; there is a solution in any case."""
        self._stopped = True
        self._optimal.stop()
        if self.moves:
            self._run.stop()

    @property
    def _is_done(self) -> bool:
        return self._stopped or (bool(self.moves) and len(self.moves) <= self._goal * self.bound)

    def run(self) -> None:
        """Search."""
        if not self._proves:
            self._beams(self._seconds)
            return
        if self.puzzle.cells > SMALL:
            self._beams((self._seconds or HEAD_START) / 2)
            if self._is_done:
                return
        # Building databases cannot be stopped, so it is left alone when time is up.
        proof = threading.Thread(target=self._prove, daemon=True)
        proof.start()
        while proof.is_alive() and not self._stopped:
            proof.join(GLANCE)
        proof.join(GRACE)
        if not self.moves:
            self._beams(0.0)

    def _prove(self) -> None:
        """Seek a shortest solution."""
        self._optimal.run()
        self._take(self._optimal.moves)
        if self.moves:
            self._run.stop()

    def _take(self, moves: list[int] | None) -> None:
        """Keep a solution if it is the best so far."""
        if moves is not None and (not self.moves or len(moves) < len(self.moves)):
            self.moves = moves
            if self._is_done:
                self._optimal.stop()

    def _beams(self, seconds: float | None) -> None:
        """Run beams, ever wider ones, at least until there is a solution."""
        started = perf_counter()
        if self.puzzle.cells <= COVERED:
            self._least = max(self._least, self._run.least())
        width, salt = FIRST, 0
        while True:
            before = perf_counter()
            self._take(self._beam(width, salt))
            if self._is_done and self.moves:
                return
            spent = perf_counter() - before
            wider = min(GROWTH * width, WIDEST)
            if self.moves and seconds is not None:
                left = seconds - (perf_counter() - started)
                if left <= 0:
                    return
                # What is left may be too little for twice the width.
                wider = max(FIRST, min(wider, int(width * 0.9 * left / spent)))
            salt = (salt + 1) % (SALTS + 1)
            width = wider

    def _beam(self, width: int, salt: int) -> list[int] | None:
        """Return a solution by one beam, None without a better one."""
        if self.puzzle.cells <= COVERED:
            shorter = len(self.moves) or LONGEST
            return self._run.finish(self.puzzle, [(self.puzzle.tiles, [])], width, shorter, salt)
        return by_layers(self._run, width, CORE if self.moves else EARLY, salt)

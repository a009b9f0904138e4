"""Searching for a shortest solution: stages of IDA*, in all threads where few nodes do not do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gridhouse.core.fast import np
from gridhouse.core.records import to_records
from gridhouse.core.specialize import specialize
from gridhouse.games.sliding.solver.databases import retrograde
from gridhouse.games.sliding.solver.databases.heuristic import (
    MOVE_SETS,
    HeuristicLayout,
    make_heuristic,
)
from gridhouse.games.sliding.solver.databases.pattern_database import StoppedError, read_only
from gridhouse.games.sliding.solver.optimal import duplicate_pruning, idastar, stages
from gridhouse.games.sliding.solver.optimal.stages import NO_LIMIT
from gridhouse.games.sliding.solver.puzzle import neighbours, round_up_to_parity

if TYPE_CHECKING:
    from gridhouse.games.sliding.solver.puzzle import Puzzle

Root = tuple[list[int], list[int]]  # the tiles of a position that is searched from, and its path

NUM_ROOTS = 256  # at least, when several threads share the work
# Moves of the longest redundant sequences: finding them takes 0.03 and 0.6 s,
LONGEST_SEQUENCE = 10
LONGEST_SEQUENCE_LARGE = 13
LONGEST_SEQUENCE_INTERPRETED = 7  # and 0.1 s in interpreted code.
# The numbers of views and of patterns in each, and whether some tiles are equal, of the layouts of
# square boards of sixteen and of twenty-five cells.
SHAPES = (
    (2, 3, False),
    (2, 4, False),
    (2, 5, False),
    (2, 6, False),
    (1, 3, True),
    (1, 4, True),
    (2, 4, True),
    (2, 5, True),
    (2, 6, True),
)


def load_root(
    layout: np.ndarray, entries: np.ndarray, search: np.ndarray, *, jit: bool = True
) -> int:
    """Read the entries of a search's root; return its heuristic value."""
    rank_of = specialize(retrograde, "sliding", jit=jit).rank_of
    kernel = specialize(idastar, "sliding", jit=jit, rank_of=rank_of)
    return int(kernel.load_root(layout, entries, search))


def kernel_for(layout: np.ndarray, *, jit: bool = True) -> Any:
    """Return the kernels specialized for a layout's numbers of views and patterns."""
    rank_of = specialize(retrograde, "sliding", jit=jit).rank_of
    views, patterns, has_equal = (
        int(layout[0][name]) for name in ("views", "patterns", "has_equal_tiles")
    )
    name = f"sliding{views}x{patterns}{'r' if has_equal else ''}"
    constants = {"VIEWS": views, "PATTERNS": patterns, "HAS_EQUAL_TILES": has_equal}
    return specialize(idastar, name, jit=jit, rank_of=rank_of, **constants)


class OptimalSearch:
    """A search for a shortest solution, which can be stopped from another thread.

    ``bound`` is a lower bound of the length of all solutions, ``nodes`` the number of moves looked
    at, ``moves`` a shortest solution once one is found.
    """

    def __init__(
        self, puzzle: Puzzle, threads: int = 1, *, allow_slow_build: bool = True, jit: bool = True
    ) -> None:
        """Take an unsolved puzzle."""
        self.puzzle = puzzle
        self.bound = 0
        self.nodes = 0
        self.moves: list[int] | None = None
        self._threads = threads
        self._allow_slow_build = allow_slow_build
        self._jit = jit
        self._stopped = False
        self._records: list[np.ndarray] = []

    def stop(self) -> None:
        """Make the search end soon."""
        self._stopped = True
        for record in self._records:
            record[0].stop = 1

    def run(self) -> None:
        """Search until a shortest solution is found or ``stop`` is called."""
        with suppress(StoppedError):
            self._run_stages()

    def _run_stages(self) -> None:
        """Search with ever larger databases, in all threads where a few nodes are not enough."""
        for stage in stages.search_stages(
            self.puzzle,
            allow_slow_build=self._allow_slow_build,
            jit=self._jit,
            threads=self._threads,
            is_stopped=self._is_stopped,
        ):
            # No other name holds the databases: they may be gigabytes, of which there is a copy.
            layout, entries = make_heuristic(self.puzzle, *stage.build())
            few = stage.node_limit if self._threads == 1 else min(stage.node_limit, stages.SMALL)
            self._search_alone(layout, entries, few)
            if self._goes_on() and few < stage.node_limit:
                self._search_in_threads(layout, entries, stage.node_limit)
            if not self._goes_on():
                break

    def _is_stopped(self) -> bool:
        return self._stopped

    @property
    def _automaton(self) -> np.ndarray:
        longest = LONGEST_SEQUENCE if self._jit else LONGEST_SEQUENCE_INTERPRETED
        if self._jit and self._allow_slow_build and self.puzzle.cells > 16:
            longest = LONGEST_SEQUENCE_LARGE
        return duplicate_pruning.automaton(longest, jit=self._jit)

    def _goes_on(self) -> bool:
        return self.moves is None and not self._stopped

    def _search_alone(self, layout: np.ndarray, entries: np.ndarray, node_limit: int) -> None:
        """Search in one thread, bound by bound, until the node limit."""
        record = search_record(self.puzzle.tiles, [], node_limit)
        self._records = [record]
        h = load_root(layout, entries, record, jit=self._jit)
        self.bound = max(self.bound, round_up_to_parity(self.puzzle, h))
        kernel = kernel_for(layout, jit=self._jit)
        frames = to_records(idastar.Frame(), idastar.MAX_DEPTH)
        automaton = self._automaton
        result = idastar.EXHAUSTED
        while result == idastar.EXHAUSTED and not self._stopped:
            record[0].bound = self.bound
            result = kernel.search_to_bound(layout, entries, automaton, record, frames)
            if result == idastar.EXHAUSTED:
                self.bound += 2
        self.nodes += int(record[0].nodes)
        if result == idastar.FOUND:
            self._take_solution([], record)

    def _take_solution(self, path: list[int], record: np.ndarray) -> None:
        """Take the solution of a record's root, which a path has led to."""
        self.moves = path + record[0].path[: int(record[0].length)].tolist()

    def _search_in_threads(self, layout: np.ndarray, entries: np.ndarray, node_limit: int) -> None:
        """Search in all threads, bound by bound, until the node limit."""
        if not entries.flags.owndata:
            # A long search is faster in memory of its own, whose pages are larger than a file's.
            entries = read_only(np.array(entries))
        roots = spread_roots(self.puzzle, NUM_ROOTS)
        nodes_before = self.nodes
        while self._goes_on() and self.nodes - nodes_before < node_limit:
            self._search_bound(layout, entries, roots)
            if self._goes_on():
                self.bound += 2

    def _search_bound(self, layout: np.ndarray, entries: np.ndarray, roots: list[Root]) -> None:
        """Search all paths within the bound in all threads, from positions near the puzzle's."""
        self._records = [search_record(*root, NO_LIMIT) for root in roots]
        # Each thread takes frames while it searches.
        frames = [to_records(idastar.Frame(), idastar.MAX_DEPTH) for _ in range(self._threads)]
        with ThreadPoolExecutor(self._threads) as pool:
            jobs = [
                pool.submit(self._search_root, layout, entries, record, path, frames)
                for record, (_, path) in zip(self._records, roots, strict=True)
            ]
            for job in jobs:
                job.result()
        self.nodes += sum(int(record[0].nodes) for record in self._records)

    def _search_root(
        self,
        layout: np.ndarray,
        entries: np.ndarray,
        record: np.ndarray,
        path: list[int],
        frames: list[np.ndarray],
    ) -> None:
        """Search from one root; a solution ends the searches from all others."""
        own_frames = frames.pop()
        record[0].bound = self.bound
        h = load_root(layout, entries, record, jit=self._jit)
        if h + len(path) <= self.bound and not self._stopped:
            kernel = kernel_for(layout, jit=self._jit)
            given = layout, entries, self._automaton, record, own_frames
            if kernel.search_to_bound(*given) == idastar.FOUND and self.moves is None:
                self._take_solution(path, record)
                for other in self._records:
                    other[0].stop = 1
        frames.append(own_frames)


def search_record(tiles: list[int], path: list[int], node_limit: int) -> np.ndarray:
    """Return the record of a search from a position that a path has led to."""
    search = idastar.SearchState()
    search.tiles[: len(tiles)] = tiles
    search.blank = tiles.index(0)
    search.last_move = path[-1] if path else idastar.NO_MOVE
    search.root_depth = len(path)
    search.node_limit = node_limit
    return to_records(search)


def lower_bound(
    puzzle: Puzzle, layout: np.ndarray, entries: np.ndarray, *, jit: bool = True
) -> int:
    """Return the heuristic value of a puzzle, rounded up to its parity."""
    record = search_record(puzzle.tiles, [], NO_LIMIT)
    return round_up_to_parity(puzzle, load_root(layout, entries, record, jit=jit))


def spread_roots(puzzle: Puzzle, count: int) -> list[Root]:
    """Return ``count`` different positions near a puzzle, or more, with the paths there.

    They are a whole layer of a breadth-first search.
    """
    near = neighbours(puzzle.rows, puzzle.cols)
    layer: list[Root] = [(puzzle.tiles, [])]
    seen = {tuple(puzzle.tiles)}
    while len(layer) < count:
        wider = []
        for tiles, path in layer:
            blank = tiles.index(0)
            for move, target in enumerate(near[blank]):
                moved = tiles[:]
                if target >= 0:
                    moved[blank], moved[target] = moved[target], 0
                if tuple(moved) not in seen:
                    seen.add(tuple(moved))
                    wider.append((moved, [*path, move]))
        layer = wider
    return layer


def compile_kernels() -> None:
    """Compile the kernels for each of the usual shapes, by one search of one move."""
    entries = read_only(np.zeros(4, np.int32))  # by the cells of the move, as bits
    automaton = duplicate_pruning.automaton(1)
    frames = to_records(idastar.Frame(), idastar.MAX_DEPTH)
    for views, patterns, has_equal_tiles in SHAPES:
        layout = HeuristicLayout()
        layout.views, layout.patterns, layout.chunk = views, patterns, 2
        layout.has_equal_tiles = int(has_equal_tiles)
        layout.legal_moves[MOVE_SETS - 1] = 1 << 3 | 1
        search = idastar.SearchState()
        search.last_move, search.node_limit, search.bound = idastar.NO_MOVE, NO_LIMIT, 1
        layouts, searches = to_records(layout), to_records(search)
        load_root(layouts, entries, searches)
        kernel_for(layouts).search_to_bound(layouts, entries, automaton, searches, frames)

"""Optimal solutions: IDA*, with larger databases and all cores when needed."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.core.records import to_records
from gridhouse.core.specialize import specialize
from gridhouse.games.sliding.solver.databases import (
    disk_cache,
    good_partitions,
    heuristic,
    pattern_database,
    retrograde,
)
from gridhouse.games.sliding.solver.databases.partitioning import partitions
from gridhouse.games.sliding.solver.optimal import duplicate_pruning, idastar, optimal_search
from gridhouse.games.sliding.solver.puzzle import even_out, neighbours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.games.sliding.solver.databases.partitioning import Parts
    from gridhouse.games.sliding.solver.databases.pattern_database import Tables
    from gridhouse.games.sliding.solver.puzzle import Puzzle

Root = tuple[list[int], list[int]]  # a position that is searched from, and the way there

NO_LIMIT = 1 << 60
TASKS = 256  # so many positions are searched from, at least, when several threads share the work

# What the databases kept on disk hold, ever larger ones: the partitions of Korf and Felner (2002).
LARGE: dict[tuple[int, int], tuple[Parts, ...]] = {
    (4, 4): (((1, 5, 6, 9, 10, 13), (7, 8, 11, 12, 14, 15), (2, 3, 4)),),
    (5, 5): (
        (
            (1, 2, 3, 6, 7),
            (4, 5, 8, 9, 10),
            (11, 12, 16, 17, 21),
            (13, 14, 15, 19, 20),
            (18, 22, 23, 24),
        ),
        (
            (1, 2, 3, 6, 7, 8),
            (4, 5, 9, 10, 14, 15),
            (11, 12, 16, 17, 21, 22),
            (13, 18, 19, 20, 23, 24),
        ),
    ),
}
# Nodes after which larger databases are worth the time it takes to build them.
SMALL = 4_000_000
MEDIUM = 200_000_000
VAST = 2_000_000_000
ROOM = 7 << 30  # bytes of memory; databases of a byte a word take up to five while they are built
# Moves of the longest ways that are known to repeat others: finding them takes 0.03 and 0.6 s.
LONGEST = 10
LONGEST_LARGE = 13
LONGEST_PLAIN = 7  # in interpreted code: 0.1 s
# How many views databases give, how many patterns there are in each, and whether some tiles are
# equal, on square boards of sixteen and of twenty-five cells.
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
PLAIN = (2, 3)  # tiles of parts that interpreted code begins with,
PLAIN_NODES = 3000  # and how many nodes it searches with each


@lru_cache(maxsize=6)
def _shelf(
    rows: int, cols: int, kinds: tuple[int, ...], rest: int, parts: int | Parts, jit: bool
) -> list[Tables]:
    """Return the place where databases are kept for a while, empty at first."""
    return []


def _shelf_of(puzzle: Puzzle, parts: int | Parts, *, jit: bool) -> list[Tables]:
    """Return the place for a puzzle's databases of these parts, or of parts of so many tiles."""
    return _shelf(puzzle.rows, puzzle.cols, tuple(puzzle.kinds), puzzle.rest, parts, jit)


def small_tables(puzzle: Puzzle, most: int, *, jit: bool = True, **how: Any) -> list[Tables]:
    """Return databases of parts as large as of so many distinct tiles, kept for a while."""
    shelf = _shelf_of(puzzle, most, jit=jit)
    if not shelf:
        # At once, since two threads may come here together.
        shelf[:] = own_tables(puzzle, puzzle.cells**most, jit=jit, **how)
    return shelf


def own_tables(puzzle: Puzzle, largest: int, *, jit: bool, **how: Any) -> list[Tables]:
    """Return databases of parts of at most so many words, built in memory.

    On more than sixteen cells they are of two partitions, unless the mirror makes two of one; on
    smaller boards a second one takes longer to build than it saves.
    """
    count = 1 if puzzle.cells <= 16 or puzzle.has_mirror else 2
    different = dict.fromkeys(partitions(puzzle, largest, count))
    return [pattern_database.tables_for(puzzle, parts, jit=jit, **how) for parts in different]


def large_partitions(puzzle: Puzzle) -> list[Parts]:
    """Return the partitions of which there are databases for the disk, ever larger ones.

    Without the memory that building takes, the largest are left out.
    """
    if not puzzle.is_distinct:
        return []
    return [
        parts
        for parts in LARGE.get((puzzle.rows, puzzle.cols), ())
        if pattern_database.word_type(puzzle, parts) is not np.uint8 or physical_memory() >= ROOM
    ]


def physical_memory() -> int:
    """Return how many bytes of memory the machine has, or ROOM where it does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return ROOM


def levels(
    puzzle: Puzzle, *, waits: bool = True, jit: bool, **how: Any
) -> Iterator[tuple[list[Tables], int]]:
    """Yield databases, ever larger ones, and how many nodes to search with them.

    ``how`` says with how many ``threads`` they are built, and when that ``is_stopped``.  Those for
    the disk, and those of gigabytes, are built only if the caller ``waits``.
    """
    how["jit"] = jit
    if not jit:  # what is solved by few nodes should not wait for what takes long to build
        for most in PLAIN:
            yield small_tables(puzzle, most, **how), PLAIN_NODES
    if puzzle.cells > good_partitions.SMALL:
        yield good_partitions.tables_of(puzzle, 0, **how), NO_LIMIT
    elif large := large_partitions(puzzle):
        yield from _kept_levels(puzzle, large, waits, how)
    elif puzzle.cells <= 16:
        yield small_tables(puzzle, 4, **how), SMALL
        yield small_tables(puzzle, 5, **how), MEDIUM
        yield small_tables(puzzle, 6, **how), NO_LIMIT
    else:
        yield small_tables(puzzle, 4, **how), MEDIUM
        vast = waits and physical_memory() >= ROOM
        yield small_tables(puzzle, 5, **how), VAST if vast else NO_LIMIT
        if vast:
            # Gigabytes, which are not kept for another search.
            yield own_tables(puzzle, pattern_database.LARGEST, **how), NO_LIMIT


def _kept_levels(
    puzzle: Puzzle, large: list[Parts], waits: bool, how: dict[str, Any]
) -> Iterator[tuple[list[Tables], int]]:
    """Yield the levels of a puzzle that has databases for the disk, of these partitions."""
    at_hand = [parts for parts in large if waits or disk_cache.path_of(puzzle, parts).exists()]
    if not at_hand:
        yield small_tables(puzzle, 4, **how), NO_LIMIT
        return
    if not disk_cache.path_of(puzzle, at_hand[0]).exists():
        for most in (4, 5) if puzzle.cells <= 16 else (4,):
            yield small_tables(puzzle, most, **how), SMALL
    for parts in at_hand:
        shelf = _shelf_of(puzzle, parts, jit=how["jit"])
        if not shelf:
            shelf[:] = [disk_cache.large_tables(puzzle, parts, **how)]
        yield shelf, NO_LIMIT if parts == at_hand[-1] else VAST


def load(plan: Any, words: Any, search: Any, *, jit: bool = True) -> int:
    """Read the words of a search's root; return how many moves it needs at least."""
    rank_of = specialize(retrograde, "sliding", jit=jit).rank_of
    return int(specialize(idastar, "sliding", jit=jit, rank_of=rank_of).load(plan, words, search))


def searcher(plan: Any, *, jit: bool = True) -> Any:
    """Return the search by plans of so many views and patterns as one has, equal tiles or not."""
    rank_of = specialize(retrograde, "sliding", jit=jit).rank_of
    views, patterns, ranked = int(plan[0].views), int(plan[0].patterns), int(plan[0].ranked)
    bound = {"VIEWS": views, "PATTERNS": patterns, "RANKED": ranked, "rank_of": rank_of}
    return specialize(
        idastar, f"sliding{views}x{patterns}{'r' if ranked else ''}", jit=jit, **bound
    )


class Optimal:
    """A search for a shortest solution, which can be stopped from another thread.

    ``bound`` is a length below which there is no solution, ``nodes`` how many moves were looked at,
    ``moves`` a shortest solution once one is found.
    """

    def __init__(
        self, puzzle: Puzzle, threads: int = 1, *, waits: bool = True, jit: bool = True
    ) -> None:
        """Take an unsolved puzzle; what takes long to prepare is only for who ``waits``."""
        self.puzzle = puzzle
        self.bound = 0
        self.nodes = 0
        self.moves: list[int] | None = None
        self._threads = threads
        self._waits = waits
        self._jit = jit
        self._stopped = False
        self._records: list[Any] = []

    def stop(self) -> None:
        """Have the search end soon."""
        self._stopped = True
        for record in self._records:
            record[0].stop = 1

    def run(self) -> None:
        """Search until a shortest solution is found or ``stop`` is called."""
        with suppress(pattern_database.StoppedError):
            self._climb()

    def _climb(self) -> None:
        """Search with ever larger databases, in all threads where a few nodes are not enough."""
        how: dict[str, Any] = {"threads": self._threads, "is_stopped": self._is_stopped}
        for tables, limit in levels(self.puzzle, waits=self._waits, jit=self._jit, **how):
            plan, words = heuristic.plan_of(self.puzzle, *tables)
            del tables  # gigabytes, of whose words there is a copy now
            few = limit if self._threads == 1 else min(limit, SMALL)
            self._alone(plan, words, few)
            if self._goes_on() and few < limit:
                self._together(plan, words, limit)
            if not self._goes_on():
                break

    def _is_stopped(self) -> bool:
        return self._stopped

    @property
    def _machine(self) -> Any:
        longest = LONGEST if self._jit else LONGEST_PLAIN
        if self._jit and self._waits and self.puzzle.cells > 16:
            longest = LONGEST_LARGE
        return duplicate_pruning.machine(longest, jit=self._jit)

    def _goes_on(self) -> bool:
        return self.moves is None and not self._stopped

    def _alone(self, plan: Any, words: Any, limit: int) -> None:
        """Search in one thread, bound by bound, until so many nodes were looked at."""
        record = record_of(self.puzzle.tiles, [], limit)
        self._records = [record]
        asked = optimal_search.load(plan, words, record, jit=self._jit)
        self.bound = max(self.bound, even_out(self.puzzle, asked))
        kernel = optimal_search.searcher(plan, jit=self._jit)
        frames = to_records(idastar.Frame(), idastar.MAX_DEPTH)
        result = idastar.EXHAUSTED
        while result == idastar.EXHAUSTED and not self._stopped:
            record[0].bound = self.bound
            result = kernel.sweep(plan, words, self._machine, record, frames)
            if result == idastar.EXHAUSTED:
                self.bound += 2
        self.nodes += int(record[0].nodes)
        if result == idastar.FOUND:
            self._take([], record)

    def _take(self, path: list[int], record: Any) -> None:
        """Take a solution: a path and what was found from there on."""
        self.moves = path + record[0].path[: int(record[0].length)].tolist()

    def _together(self, plan: Any, words: Any, limit: int) -> None:
        """Search in all threads, bound by bound, until so many nodes were looked at."""
        if not words.flags.owndata:
            # A long search is faster in memory of its own, whose pages are larger than a file's.
            words = pattern_database.sealed(np.array(words))
        roots = spread_out(self.puzzle, TASKS)
        spent = self.nodes
        while self._goes_on() and self.nodes - spent < limit:
            self._sweep(plan, words, roots)
            if self._goes_on():
                self.bound += 2

    def _sweep(self, plan: Any, words: Any, roots: list[Root]) -> None:
        """Search all ways within the bound in all threads, from positions near the puzzle's."""
        self._records = [record_of(*root, NO_LIMIT) for root in roots]
        frames = [to_records(idastar.Frame(), idastar.MAX_DEPTH) for _ in range(self._threads)]
        with ThreadPoolExecutor(self._threads) as pool:
            jobs = [
                pool.submit(self._share, plan, words, record, path, frames)
                for record, (_, path) in zip(self._records, roots, strict=True)
            ]
            for job in jobs:
                job.result()
        self.nodes += sum(int(record[0].nodes) for record in self._records)

    def _share(
        self, plan: Any, words: Any, record: Any, path: list[int], frames: list[Any]
    ) -> None:
        """Search from one position; whoever finds a way sends the others home."""
        memory = frames.pop()
        record[0].bound = self.bound
        asked = optimal_search.load(plan, words, record, jit=self._jit)
        if asked + len(path) <= self.bound and not self._stopped:
            kernel = optimal_search.searcher(plan, jit=self._jit)
            result = kernel.sweep(plan, words, self._machine, record, memory)
            if result == idastar.FOUND and self.moves is None:
                self._take(path, record)
                for other in self._records:
                    other[0].stop = 1
        frames.append(memory)


def record_of(tiles: list[int], path: list[int], limit: int) -> Any:
    """Return the record of a search from a position that a path has led to."""
    search = idastar.Search()
    search.tiles[: len(tiles)] = tiles
    search.blank = tiles.index(0)
    search.came = path[-1] if path else idastar.NONE
    search.made = len(path)
    search.limit = limit
    return to_records(search)


def least(puzzle: Puzzle, plan: Any, words: Any, *, jit: bool = True) -> int:
    """Return how many moves databases ask for, odd or even as it has to be."""
    record = record_of(puzzle.tiles, [], NO_LIMIT)
    return even_out(puzzle, optimal_search.load(plan, words, record, jit=jit))


def spread_out(puzzle: Puzzle, count: int) -> list[Root]:
    """Return at least so many different positions near a puzzle with the ways there, if there are.

    All have as many moves behind them, but for positions that can be reached sooner as well.
    """
    near = neighbours(puzzle.rows, puzzle.cols)
    layer: list[Root] = [(puzzle.tiles, [])]
    seen = {tuple(puzzle.tiles)}
    while len(layer) < count:
        wider = []
        for tiles, path in layer:
            blank = tiles.index(0)
            for move, there in enumerate(near[blank]):
                moved = tiles[:]
                if there >= 0:
                    moved[blank], moved[there] = moved[there], 0
                if tuple(moved) not in seen:
                    seen.add(tuple(moved))
                    wider.append((moved, [*path, move]))
        layer = wider
    return layer


def touch() -> None:
    """Have the search compiled for each of the usual shapes: one move, by databases of no moves.

    What reads databases without a search is compiled as well.
    """
    words = pattern_database.sealed(np.zeros(4, np.int32))  # by the cells of the move, as bits
    machine = duplicate_pruning.machine(1)
    frames = to_records(idastar.Frame(), idastar.MAX_DEPTH)
    for views, patterns, ranked in SHAPES:
        plan = heuristic.Plan()
        plan.views, plan.patterns, plan.ranked, plan.chunk = views, patterns, int(ranked), 2
        plan.ways[heuristic.SETS - 1] = 1 << 3 | 1
        search = idastar.Search()
        search.came, search.limit, search.bound = idastar.NONE, NO_LIMIT, 1
        plans, searches = to_records(plan), to_records(search)
        optimal_search.load(plans, words, searches)
        optimal_search.searcher(plans).sweep(plans, words, machine, searches, frames)

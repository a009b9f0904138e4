"""Optimal solutions: IDA*, with larger databases and all cores when needed."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gridhouse.core.compiling import to_records
from gridhouse.games.sliding import _cache, _databases, _idastar, _repeats, _views
from gridhouse.games.sliding._partitions import partitions
from gridhouse.games.sliding._puzzle import Puzzle, even_out, neighbours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.games.sliding._databases import Tables
    from gridhouse.games.sliding._partitions import Parts

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
TRIAL = 2_000_000  # nodes that show which databases are the better ones
CHOICE = 3  # partitions, of which the best pair is taken
ROOM = 7 << 30  # bytes of memory; databases of a byte a word take up to five while they are built
# Moves of the longest ways that are known to repeat others: finding them takes 0.03 and 0.6 s.
LONGEST = 10
LONGEST_LARGE = 13
# How many views databases give and how many patterns there are in each, and whether some tiles are
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

    On more than sixteen cells they are of two partitions, unless the mirror makes two of one, and
    large ones of some to choose from; on smaller boards a second one takes longer to build than it
    saves.
    """
    count = 2 if largest <= puzzle.cells**4 else CHOICE
    if puzzle.cells <= 16 or _databases.has_mirror(puzzle):
        count = 1
    different = dict.fromkeys(partitions(puzzle, largest, count))
    return [_databases.tables_for(puzzle, parts, jit=jit, **how) for parts in different]


def large_partitions(puzzle: Puzzle) -> list[Parts]:
    """Return the partitions of which there are databases for the disk, ever larger ones.

    Without the memory that building takes, the largest are left out.
    """
    if not puzzle.is_distinct:
        return []
    return [
        parts
        for parts in LARGE.get((puzzle.rows, puzzle.cols), ())
        if _databases.word_type(puzzle, parts) is not np.uint8 or physical_memory() >= ROOM
    ]


def physical_memory() -> int:
    """Return how many bytes of memory the machine has, or ROOM where it does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return ROOM


def levels(puzzle: Puzzle, *, jit: bool, **how: Any) -> Iterator[tuple[list[Tables], int]]:
    """Yield databases, ever larger ones, with how many nodes to search with them.

    ``how`` says with how many ``threads`` they are built, and when that ``is_stopped``.
    """
    if puzzle.cells > _views.SMALL:
        yield _views.tables_of(puzzle, 0, jit=jit, **how), NO_LIMIT
        return
    large = large_partitions(puzzle)
    if not large or not _cache.path_of(puzzle, large[0]).exists():
        yield small_tables(puzzle, 4, jit=jit, **how), SMALL
        if puzzle.cells <= 16:
            yield small_tables(puzzle, 5, jit=jit, **how), SMALL if large else MEDIUM
    for parts in large:
        shelf = _shelf_of(puzzle, parts, jit=jit)
        if not shelf:
            shelf[:] = [_cache.large_tables(puzzle, parts, jit=jit, **how)]
        yield shelf, NO_LIMIT if parts == large[-1] else VAST
    if large:
        return
    if puzzle.cells <= 16:
        yield small_tables(puzzle, 6, jit=jit, **how), NO_LIMIT
        return
    vast = physical_memory() >= ROOM
    yield small_tables(puzzle, 5, jit=jit, **how), VAST if vast else NO_LIMIT
    if vast:
        # A gigabyte, which is not kept for another search.
        yield own_tables(puzzle, _databases.LARGEST, jit=jit, **how), NO_LIMIT


def has_two_sides(puzzle: Puzzle) -> bool:
    """Tell whether databases of the way back can be had as well as those of the way there."""
    return 16 < puzzle.cells <= _views.SMALL and not large_partitions(puzzle)


class Way(NamedTuple):
    """A puzzle or its way back, and what it is searched with."""

    side: Puzzle
    plan: Any
    words: Any


class Optimal:
    """A search for a shortest solution, which can be stopped from another thread.

    ``bound`` is a length below which there is no solution, ``nodes`` how many moves were looked at,
    ``moves`` a shortest solution once one is found.
    """

    def __init__(self, puzzle: Puzzle, threads: int = 1, *, jit: bool = True) -> None:
        """Take an unsolved puzzle."""
        self.puzzle = puzzle
        self.bound = 0
        self.nodes = 0
        self.moves: list[int] | None = None
        self._threads = threads
        self._jit = jit
        self._stopped = False
        self._records: list[Any] = []
        self._way = Way(puzzle, None, None)

    def stop(self) -> None:
        """Have the search end soon."""
        self._stopped = True
        for record in self._records:
            record[0].stop = 1

    def run(self) -> None:
        """Search until a shortest solution is found or ``stop`` is called."""
        with suppress(_databases.StoppedError):
            self._climb()

    def _climb(self) -> None:
        """Search with ever larger databases, from the side that is easier.

        The way back is as long as the way there, but its databases are other ones, and either may
        take many times the nodes of the other.  So where all databases are for the puzzle at hand,
        those of the other side are tried after a search before there are larger ones.
        """
        how: dict[str, Any] = {"threads": self._threads, "is_stopped": self._is_stopped}
        sides = [self.puzzle]
        if has_two_sides(self.puzzle):
            sides.append(self.puzzle.reversed())
        ladders = [levels(side, jit=self._jit, **how) for side in sides]
        here = 0
        while (level := next(ladders[here], None)) is not None:
            tables, limit = level
            self._way = self._best_way(sides[here], tables)
            self._alone(limit if self._threads == 1 else min(limit, SMALL))
            if self.moves is None and limit > SMALL and not self._stopped:
                self._together(limit)
            if self.moves is not None or self._stopped or limit == NO_LIMIT:
                break
            if len(sides) > 1:
                there = 1 - here
                tables, _ = next(ladders[there])
                if self._tried(self._best_way(sides[there], tables)) > self._tried(self._way):
                    here = there

    def _is_stopped(self) -> bool:
        return self._stopped

    @property
    def _machine(self) -> Any:
        longest = LONGEST if self.puzzle.cells <= 16 else LONGEST_LARGE
        return _repeats.machine(longest, jit=self._jit)

    def _best_way(self, side: Puzzle, tables: list[Tables]) -> Way:
        """Return how to search from a side with these databases, or the better two of more."""
        pairs = list(itertools.combinations(tables, 2)) if len(tables) > 2 else [tables]
        plans, words = _databases.plans_of(side, pairs)
        ways = [Way(side, plan, words) for plan in plans]
        return max(ways, key=self._tried) if len(ways) > 1 else ways[0]

    def _tried(self, way: Way) -> tuple[int, int]:
        """Return what bound a few nodes prove, and how many, negative, it took."""
        record, _ = self._deepened(way, 0, TRIAL)
        return int(record[0].bound), -int(record[0].spent)

    def _record(self, tiles: list[int], path: list[int], limit: int) -> Any:
        """Return the record of a search from a position that a path has led to."""
        search = _idastar.Search()
        search.tiles[: len(tiles)] = tiles
        search.blank = tiles.index(0)
        search.came = path[-1] if path else _idastar.NONE
        search.made = len(path)
        search.limit = limit
        search.stop = int(self._stopped)
        return to_records(search)

    def _raise_bound(self, least: int) -> None:
        """Take a lower bound."""
        self.bound = max(self.bound, least)

    def _alone(self, limit: int) -> None:
        """Search in one thread."""
        record, result = self._deepened(self._way, self.bound, limit)
        if result == _idastar.FOUND:
            self._take([], record)

    def _deepened(self, way: Way, bound: int, limit: int) -> tuple[Any, int]:
        """Search a way from its root, from a bound or what databases ask for on."""
        side, plan, words = way
        kernel = _databases.searcher(plan, jit=self._jit)
        record = self._record(side.tiles, [], limit)
        self._records = [record]
        least = even_out(side, kernel.load(plan, words, record))
        self._raise_bound(least)
        record[0].bound = max(bound, least)
        frames = to_records(_idastar.Frame(), _idastar.MAX_DEPTH)
        if self._stopped:
            record[0].stop = 1
        result = kernel.deepen(plan, words, self._machine, record, frames)
        self._raise_bound(int(record[0].bound))
        self.nodes += int(record[0].nodes)
        return record, result

    def _take(self, path: list[int], record: Any) -> None:
        """Take a solution: a path and what was found from there on."""
        moves = path + record[0].path[: int(record[0].length)].tolist()
        self.moves = moves if self._way.side is self.puzzle else backwards(moves)

    def _together(self, limit: int) -> None:
        """Search in several threads, each from other positions near the root."""
        side, plan, words = self._way
        if not words.flags.owndata:
            # A long search is faster in memory of its own, whose pages are larger than a file's.
            words = _databases.sealed(np.array(words))
            self._way = Way(side, plan, words)
        roots = spread_out(side, TASKS)
        spent = self.nodes
        while self.moves is None and not self._stopped and self.nodes - spent < limit:
            self._records = [self._record(tiles, path, NO_LIMIT) for tiles, path in roots]
            frames = [
                to_records(_idastar.Frame(), _idastar.MAX_DEPTH) for _ in range(self._threads)
            ]
            with ThreadPoolExecutor(self._threads) as pool:
                jobs = [
                    pool.submit(self._share, record, path, frames)
                    for record, (_, path) in zip(self._records, roots, strict=True)
                ]
                for job in jobs:
                    job.result()
            self.nodes += sum(int(record[0].nodes) for record in self._records)
            if self.moves is None and not self._stopped:
                self.bound += 2

    def _share(self, record: Any, path: list[int], frames: list[Any]) -> None:
        """Search from one position; whoever finds a way sends the others home."""
        _, plan, words = self._way
        kernel = _databases.searcher(plan, jit=self._jit)
        record[0].bound = self.bound
        memory = frames.pop()
        if kernel.load(plan, words, record) + len(path) <= self.bound:
            result = kernel.sweep(plan, words, self._machine, record, memory)
            if result == _idastar.FOUND and self.moves is None:
                self._take(path, record)
                for other in self._records:
                    other[0].stop = 1
        frames.append(memory)


def least(puzzle: Puzzle, plan: Any, words: Any, *, jit: bool = True) -> int:
    """Return how many moves databases ask for, odd or even as it has to be."""
    search = _idastar.Search()
    search.tiles[: puzzle.cells] = puzzle.tiles
    search.blank = puzzle.tiles.index(0)
    kernel = _databases.searcher(jit=jit)
    return even_out(puzzle, int(kernel.load(plan, words, to_records(search))))


def backwards(moves: list[int]) -> list[int]:
    """Return the moves that take others back."""
    return [move ^ 1 for move in reversed(moves)]


def spread_out(puzzle: Puzzle, count: int) -> list[tuple[list[int], list[int]]]:
    """Return at least so many different positions near a puzzle with the ways there, if there are.

    All have as many moves behind them, but for positions that can be reached sooner as well.
    """
    near = neighbours(puzzle.rows, puzzle.cols)
    layer: list[tuple[list[int], list[int]]] = [(puzzle.tiles, [])]
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

    What asks databases without a search is compiled as well.
    """
    words = _databases.sealed(np.zeros(4, np.int32))  # by the cells of the move, as bits
    machine = _repeats.machine(1)
    frames = to_records(_idastar.Frame(), _idastar.MAX_DEPTH)
    for views, patterns, ranked in SHAPES:
        plan = _idastar.Plan()
        plan.views, plan.patterns, plan.ranked, plan.chunk = views, patterns, int(ranked), 2
        plan.ways[_idastar.SETS - 1] = 1 << 3 | 1
        search = _idastar.Search()
        search.came, search.limit, search.bound = _idastar.NONE, NO_LIMIT, 1
        plans, searches = to_records(plan), to_records(search)
        kernel = _databases.searcher(plans)
        kernel.load(plans, words, searches)
        kernel.deepen(plans, words, machine, searches, frames)
    _databases.searcher().load(plans, words, searches)

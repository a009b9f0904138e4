"""Optimal solutions: IDA*, with larger databases and all cores when needed."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gridhouse.core.records import to_records
from gridhouse.games.sliding import _cache, _databases, _idastar, _repeats, _views
from gridhouse.games.sliding._partitions import partitions
from gridhouse.games.sliding._puzzle import Puzzle, backwards, even_out, neighbours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
HUGE = 250_000_000
VAST = 2_000_000_000
GROWTH = 5  # of the nodes of one side from one reach to the next, about
SPARSE = 16  # nodes of the side that marks for each word of the set, at least, and
FEWEST_WORDS = 1 << 10  # words of it in any case,
MOST_WORDS = 1 << 28  # but two gigabytes of them at most, or an eighth of the memory
ROOM = 7 << 30  # bytes of memory; databases of a byte a word take up to five while they are built
# Moves of the longest ways that are known to repeat others: finding them takes 0.03 and 0.6 s.
LONGEST = 10
LONGEST_LARGE = 13
LONGEST_PLAIN = 7  # in interpreted code: 0.1 s
# How many views databases give and how many patterns there are in each, whether some tiles are
# equal, and how many views tell how far the root is, on square boards of sixteen and of twenty-five
# cells.
SHAPES = (
    (2, 3, False, 0),
    (2, 4, False, 0),
    (2, 5, False, 0),
    (2, 6, False, 0),
    (1, 3, True, 0),
    (1, 4, True, 0),
    (2, 4, True, 0),
    (2, 5, True, 0),
    (2, 6, True, 0),
    (2, 4, True, 2),
    (2, 5, True, 2),
    (2, 6, True, 2),
)
PLAIN = (2, 3)  # tiles of parts that interpreted code begins with,
PLAIN_NODES = 3000  # and how many nodes it searches with each
NOTHING = np.zeros(1, np.int64)  # the set of a search from one side, which it leaves alone


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
    smaller boards a second one takes longer to build than it saves.  Those that are searched with
    from both sides are consistent.
    """
    how["consistent"] = has_two_sides(puzzle)
    count = 1 if puzzle.cells <= 16 or _databases.has_mirror(puzzle) else 2
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


def levels(
    puzzle: Puzzle, *, waits: bool = True, jit: bool, **how: Any
) -> Iterator[tuple[Callable[[Puzzle], list[Tables]], int]]:
    """Yield how to get databases, ever larger ones, and how many nodes to search with them.

    ``how`` says with how many ``threads`` they are built, and when that ``is_stopped``.  Those for
    the disk, and those of gigabytes, are built only for who ``waits``.
    """
    how["jit"] = jit
    # What is solved by few nodes should not wait for what takes long to build.
    yield from [] if jit else [(partial(small_tables, most=n, **how), PLAIN_NODES) for n in PLAIN]
    if puzzle.cells > _views.SMALL:
        yield partial(_views.tables_of, look=0, **how), NO_LIMIT
        return
    wanted = large_partitions(puzzle)
    large = [parts for parts in wanted if waits or _cache.path_of(puzzle, parts).exists()]
    if wanted and not large:
        yield partial(small_tables, most=4, **how), NO_LIMIT
        return
    if not large or not _cache.path_of(puzzle, large[0]).exists():
        yield partial(small_tables, most=4, **how), MEDIUM if has_two_sides(puzzle) else SMALL
        if puzzle.cells <= 16:
            yield partial(small_tables, most=5, **how), SMALL if large else MEDIUM
    for parts in large:
        limit = NO_LIMIT if parts == large[-1] else VAST
        yield partial(_large_tables, parts=parts, **how), limit
    if large:
        return
    if puzzle.cells <= 16:
        yield partial(small_tables, most=6, **how), NO_LIMIT
        return
    vast = waits and physical_memory() >= ROOM
    yield partial(small_tables, most=5, **how), HUGE if vast else NO_LIMIT
    if vast:
        # Gigabytes, which are not kept for another search.
        yield partial(own_tables, largest=_databases.LARGEST, **how), NO_LIMIT


def _large_tables(puzzle: Puzzle, parts: Parts, *, jit: bool, **how: Any) -> list[Tables]:
    """Return databases for the disk, kept for a while."""
    shelf = _shelf_of(puzzle, parts, jit=jit)
    if not shelf:
        shelf[:] = [_cache.large_tables(puzzle, parts, jit=jit, **how)]
    return shelf


def has_two_sides(puzzle: Puzzle) -> bool:
    """Tell whether databases of the way back can be had as well as those of the way there."""
    return 16 < puzzle.cells <= _views.SMALL and not large_partitions(puzzle)


class Way(NamedTuple):
    """A puzzle or its way back, and what it is searched with."""

    side: Puzzle
    plan: Any
    words: Any


@dataclass
class Side:
    """One of two sides that a search goes from: how much strain it allows, and nodes for that."""

    puzzle: Puzzle
    reach: int
    nodes: int


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
        self._sides: list[Side] = []

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
        """Search with ever larger databases, from both sides where that can be done.

        A puzzle that small databases solve soon is not worth those of the other side.
        """
        how: dict[str, Any] = {"threads": self._threads, "is_stopped": self._is_stopped}
        both = has_two_sides(self.puzzle)
        for make, limit in levels(self.puzzle, waits=self._waits, jit=self._jit, **how):
            if not both or self.nodes == 0:
                way = Way(self.puzzle, *_databases.plan_of(self.puzzle, *make(self.puzzle)))
                self._alone(way, limit if self._threads == 1 and not both else min(limit, SMALL))
            if self._goes_on() and limit > SMALL:
                if both:
                    self._meet(make, limit)
                else:
                    self._together(way, limit)
            if not self._goes_on():
                break

    def _is_stopped(self) -> bool:
        return self._stopped

    @property
    def _machine(self) -> Any:
        longest = LONGEST if self._jit else LONGEST_PLAIN
        if self._jit and self._waits and self.puzzle.cells > 16:
            longest = LONGEST_LARGE
        return _repeats.machine(longest, jit=self._jit)

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

    def _alone(self, way: Way, limit: int) -> None:
        """Search in one thread."""
        side, plan, words = way
        kernel = _databases.searcher(plan, jit=self._jit)
        record = self._record(side.tiles, [], limit)
        self._records = [record]
        self._raise_bound(even_out(side, kernel.load(plan, words, record)))
        record[0].bound = self.bound
        frames = to_records(_idastar.Frame(), _idastar.MAX_DEPTH)
        if self._stopped:
            record[0].stop = 1
        result = kernel.deepen(plan, words, self._machine, NOTHING, record, frames)
        self._raise_bound(int(record[0].bound))
        self.nodes += int(record[0].nodes)
        if result == _idastar.FOUND:
            self._take(way, [], record)

    def _take(self, way: Way, path: list[int], record: Any) -> None:
        """Take a solution: a path and what was found from there on."""
        moves = path + record[0].path[: int(record[0].length)].tolist()
        self.moves = moves if way.side is self.puzzle else backwards(moves)

    def _together(self, way: Way, limit: int) -> None:
        """Search in several threads, bound by bound."""
        side, plan, words = way
        if not words.flags.owndata:
            # A long search is faster in memory of its own, whose pages are larger than a file's.
            way = Way(side, plan, _databases.sealed(np.array(words)))
        spent = self.nodes
        while self._goes_on() and self.nodes - spent < limit:
            self._sweep(way, NOTHING)
            if self._goes_on():
                self.bound += 2

    def _meet(self, make: Callable[[Puzzle], list[Tables]], limit: int) -> None:
        """Search from both sides, bound by bound, so far that they meet on every way.

        The side that has taken fewer nodes goes farther for the next bound.
        """
        if not self._sides:
            puzzles = self.puzzle, self.puzzle.reversed()
            self._sides = [Side(puzzle, self.bound - 2, self.nodes) for puzzle in puzzles]
        there, back = self._sides
        # Nothing keeps the tables after that, whose words are copied.
        plan, plan_back, words = _databases.plans_of(
            there.puzzle, back.puzzle, make(there.puzzle), make(back.puzzle)
        )
        ways = Way(there.puzzle, plan, words), Way(back.puzzle, plan_back, words)
        for side, way in zip(self._sides, ways, strict=True):
            asked = least(*way, jit=self._jit)
            self._raise_bound(asked)
            side.reach = max(side.reach, asked)
        spent = self.nodes
        while self._goes_on() and self.nodes - spent < limit:
            while there.reach + back.reach < 2 * self.bound - 2:
                side = min(self._sides, key=lambda side: side.nodes)
                side.reach += 2
                side.nodes *= GROWTH
            first = min(self._sides, key=lambda side: side.nodes)
            met = np.zeros(words_of_set(first.nodes), np.int64)
            both = zip(self._sides, ways, strict=True)
            for side, way in sorted(both, key=lambda each: each[0] is not first):
                before = self.nodes
                self._sweep(way, met, side.reach, marks=side is first)
                side.nodes = self.nodes - before
                if not self._goes_on():
                    return
            self.bound += 2

    def _goes_on(self) -> bool:
        return self.moves is None and not self._stopped

    def _sweep(self, way: Way, met: Any, reach: int = 0, *, marks: bool = False) -> None:
        """Search all ways within the bound in several threads, from positions near the root."""
        roots, passed = spread_out(way.side, TASKS)
        if marks:
            kernel = _databases.searcher(way.plan, jit=self._jit)
            record = self._record(way.side.tiles, [], 0)
            for near in passed:
                record[0].tiles[: len(near)] = near
                kernel.mark_root(way.plan, met, record)
        self._records = []
        for tiles, path in roots:
            record = self._record(tiles, path, NO_LIMIT)
            record[0].bound, record[0].reach, record[0].marks = self.bound, reach, marks
            self._records.append(record)
        frames = [to_records(_idastar.Frame(), _idastar.MAX_DEPTH) for _ in range(self._threads)]
        with ThreadPoolExecutor(self._threads) as pool:
            jobs = [
                pool.submit(self._share, way, met, record, path, frames)
                for record, (_, path) in zip(self._records, roots, strict=True)
            ]
            for job in jobs:
                job.result()
        self.nodes += sum(int(record[0].nodes) for record in self._records)

    def _share(self, way: Way, met: Any, record: Any, path: list[int], frames: list[Any]) -> None:
        """Search from one position; whoever finds a way sends the others home."""
        _, plan, words = way
        kernel = _databases.searcher(plan, jit=self._jit)
        memory = frames.pop()
        is_over = kernel.load(plan, words, record) + len(path) > self.bound
        is_beyond = record[0].marks and record[0].strain > record[0].reach
        if not (is_over or is_beyond or self._stopped):
            result = kernel.sweep(plan, words, self._machine, met, record, memory)
            if result == _idastar.FOUND and self.moves is None:
                self._take(way, path, record)
                for other in self._records:
                    other[0].stop = 1
        frames.append(memory)


def words_of_set(nodes: int) -> int:
    """Return how many words the set of so many nodes has, a power of two."""
    words = max(FEWEST_WORDS, 1 << (nodes // SPARSE).bit_length())
    room = 1 << (physical_memory() // 64).bit_length() - 1
    return min(words, MOST_WORDS, room)


def least(puzzle: Puzzle, plan: Any, words: Any, *, jit: bool = True) -> int:
    """Return how many moves databases ask for, odd or even as it has to be."""
    search = _idastar.Search()
    search.tiles[: puzzle.cells] = puzzle.tiles
    search.blank = puzzle.tiles.index(0)
    kernel = _databases.searcher(jit=jit)
    return even_out(puzzle, int(kernel.load(plan, words, to_records(search))))


def spread_out(
    puzzle: Puzzle, count: int
) -> tuple[list[tuple[list[int], list[int]]], set[tuple[int, ...]]]:
    """Return at least so many different positions near a puzzle with the ways there, if there are.

    All have as many moves behind them, but for positions that can be reached sooner as well.  The
    set has these positions and all on the ways there.
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
    return layer, seen


def touch() -> None:
    """Have the search compiled for each of the usual shapes: one move, by databases of no moves.

    What asks databases without a search is compiled as well, and what makes them consistent.
    """
    _databases.build(Puzzle(5, 5, [*range(1, 25), 0], range(25)), (1,), consistent=True)
    words = _databases.sealed(np.zeros(4, np.int32))  # by the cells of the move, as bits
    machine = _repeats.machine(1)
    frames = to_records(_idastar.Frame(), _idastar.MAX_DEPTH)
    for views, patterns, ranked, back in SHAPES:
        plan = _idastar.Plan()
        plan.views, plan.patterns, plan.ranked, plan.chunk = views, patterns, int(ranked), 2
        plan.back = back
        plan.ways[_idastar.SETS - 1] = 1 << 3 | 1
        search = _idastar.Search()
        search.came, search.limit, search.bound, search.reach = _idastar.NONE, NO_LIMIT, 1, NO_LIMIT
        plans, searches = to_records(plan), to_records(search)
        kernel = _databases.searcher(plans)
        kernel.load(plans, words, searches)
        kernel.deepen(plans, words, machine, NOTHING, searches, frames)
        kernel.mark_root(plans, NOTHING.copy(), searches)
    _databases.searcher().load(plans, words, searches)

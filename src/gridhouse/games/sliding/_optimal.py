"""Optimal solutions: IDA*, with larger databases and all cores when needed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gridhouse.core.compiling import to_records
from gridhouse.games.sliding import _cache, _databases, _idastar
from gridhouse.games.sliding._puzzle import Puzzle, even_out, neighbours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.games.sliding._databases import Parts, Tables

NO_LIMIT = 1 << 60
TASKS = 64  # so many positions are searched from, at least, when several threads share the work

# What the databases kept on disk hold: the partitions of Korf and Felner (2002), as cells.
LARGE: dict[tuple[int, int], Parts] = {
    (4, 4): ((1, 5, 6, 9, 10, 13), (7, 8, 11, 12, 14, 15), (2, 3, 4)),
    (5, 5): (
        (1, 2, 3, 6, 7),
        (4, 5, 8, 9, 10),
        (11, 12, 16, 17, 21),
        (13, 14, 15, 19, 20),
        (18, 22, 23, 24),
    ),
}
# Nodes after which larger databases are worth the time it takes to build them.
SMALL = 4_000_000
MEDIUM = 200_000_000


@lru_cache(maxsize=6)
def _tables(
    rows: int, cols: int, kinds: tuple[int, ...], most: int, threads: int, jit: bool
) -> Tables:
    puzzle = Puzzle(rows, cols, range(rows * cols), kinds)
    parts = _databases.partition(puzzle, most)
    return _databases.tables_for(puzzle, parts, threads=threads, jit=jit)


@lru_cache(maxsize=4)
def _large_tables(rows: int, cols: int, threads: int, jit: bool) -> Tables:
    puzzle = Puzzle(rows, cols, range(rows * cols), range(rows * cols))
    return _cache.large_tables(puzzle, LARGE[rows, cols], threads=threads, jit=jit)


def small_tables(puzzle: Puzzle, most: int, threads: int = 1, *, jit: bool = True) -> Tables:
    """Return databases of parts of at most so many tiles, built in memory and kept for a while."""
    return _tables(puzzle.rows, puzzle.cols, tuple(puzzle.kinds), most, threads, jit)


def has_large(puzzle: Puzzle) -> bool:
    """Tell whether there are databases for the disk."""
    return puzzle.is_distinct and (puzzle.rows, puzzle.cols) in LARGE


def is_kept(puzzle: Puzzle) -> bool:
    """Tell whether the large databases are on disk already."""
    parts = LARGE[puzzle.rows, puzzle.cols]
    return _cache.path_of(puzzle, parts).exists()


def levels(puzzle: Puzzle, threads: int, *, jit: bool) -> Iterator[tuple[Tables, int]]:
    """Yield databases, ever larger ones, with how many nodes to search with them."""
    kept = has_large(puzzle) and is_kept(puzzle)
    if not kept:
        yield small_tables(puzzle, 4, threads, jit=jit), SMALL
    if not kept and puzzle.cells <= 16:
        yield small_tables(puzzle, 5, threads, jit=jit), MEDIUM if not has_large(puzzle) else SMALL
    if has_large(puzzle):
        yield _large_tables(puzzle.rows, puzzle.cols, threads, jit), NO_LIMIT
    elif puzzle.cells <= 16:
        yield small_tables(puzzle, 6, threads, jit=jit), NO_LIMIT
    else:
        yield small_tables(puzzle, 5, threads, jit=jit), NO_LIMIT


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
        self._plan: Any = None
        self._words: Any = None

    def stop(self) -> None:
        """Have the search end soon."""
        self._stopped = True
        for record in self._records:
            record[0].stop = 1

    def run(self) -> None:
        """Search until a shortest solution is found or ``stop`` is called."""
        for tables, limit in levels(self.puzzle, self._threads, jit=self._jit):
            self._plan, self._words = _databases.plan_of(self.puzzle, tables)
            self._alone(limit if self._threads == 1 else min(limit, SMALL))
            if self.moves is None and limit > SMALL and not self._stopped:
                self._together(limit)
            if self.moves is not None or self._stopped:
                break

    def _record(self, tiles: list[int], came: int, path: list[int], limit: int) -> Any:
        """Return the record of a search from a position that a path has led to."""
        search = _idastar.Search()
        search.tiles[: len(tiles)] = tiles
        search.blank = tiles.index(0)
        search.came = came
        search.made = len(path)
        search.limit = limit
        search.stop = int(self._stopped)
        return to_records(search)

    def _raise_bound(self, least: int) -> None:
        """Take a lower bound."""
        self.bound = max(self.bound, even_out(self.puzzle, least))

    def _alone(self, limit: int) -> None:
        """Search in one thread."""
        _, kernel = _databases.kernels(self._jit)
        record = self._record(self.puzzle.tiles, _idastar.NONE, [], limit)
        self._records = [record]
        self._raise_bound(kernel.load(self._plan, self._words, record))
        record[0].bound = self.bound
        frames = to_records(_idastar.Frame(), _idastar.MAX_DEPTH)
        if self._stopped:
            record[0].stop = 1
        if kernel.deepen(self._plan, self._words, record, frames) == _idastar.FOUND:
            self.moves = record[0].path[: int(record[0].length)].tolist()
        self.bound = int(record[0].bound)
        self.nodes += int(record[0].nodes)

    def _together(self, limit: int) -> None:
        """Search in several threads, each from other positions near the root."""
        roots = spread_out(self.puzzle, TASKS)
        spent = self.nodes
        while self.moves is None and not self._stopped and self.nodes - spent < limit:
            self._records = [self._record(tiles, path[-1], path, NO_LIMIT) for tiles, path in roots]
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
        _, kernel = _databases.kernels(self._jit)
        record[0].bound = self.bound
        memory = frames.pop()
        if kernel.load(self._plan, self._words, record) + len(path) <= self.bound:
            result = kernel.sweep(self._plan, self._words, record, memory)
            if result == _idastar.FOUND and self.moves is None:
                self.moves = path + record[0].path[: int(record[0].length)].tolist()
                for other in self._records:
                    other[0].stop = 1
        frames.append(memory)


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

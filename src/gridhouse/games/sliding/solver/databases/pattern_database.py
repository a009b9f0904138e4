"""Pattern databases for a puzzle: building them, and how a search looks at them."""

from __future__ import annotations

import itertools
import math
import operator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.core.records import to_records
from gridhouse.core.specialize import specialize
from gridhouse.games.sliding.solver.databases import retrograde
from gridhouse.games.sliding.solver.databases.partitioning import kinds_of, size_of
from gridhouse.games.sliding.solver.puzzle import Puzzle, neighbours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gridhouse.games.sliding.solver.databases.partitioning import Parts

# Bits for the regions in words of each type, the moves above them; words of other types have none.
UP = {np.dtype(np.int32): 25, np.dtype(np.int64): retrograde.MAX_CELLS}
GAIN = 2  # moves more where such a bit is set, since what a pattern needs stays odd or even
REGIONS = (np.uint16, np.uint32, np.int64)  # types for a bit a cell
LARGEST = 1 << 26  # words of a table that tells regions apart: a larger one has a byte a word


class StoppedError(Exception):
    """Databases are not wanted any more."""


class Tables:
    """The databases of one partition of a puzzle's tiles, one after another in ``words``.

    ``up`` is by how many bits the moves are shifted there.
    """

    def __init__(self, puzzle: Puzzle, parts: Parts, words: Any, start: int = 0) -> None:
        """Note where each part's table starts, the first at ``start``."""
        self.puzzle = puzzle
        self.parts = parts
        self.words = sealed(words)
        sizes = [size_of(puzzle, part) for part in parts]
        self.starts = list(itertools.accumulate(sizes, initial=start))[:-1]
        self.up = UP.get(words.dtype.newbyteorder("="), 0)

    def split(self, count: int) -> list[Tables]:
        """Return so many partitions, of equally many parts, that stand one after another."""
        each = len(self.parts) // count
        return [
            Tables(self.puzzle, self.parts[at : at + each], self.words, self.starts[at])
            for at in range(0, len(self.parts), each)
        ]


def sealed(words: Any) -> Any:
    """Return words that cannot be written any more, as those that are mapped from the disk.

    To the compiler these are other arrays, for which it would do everything twice.
    """
    words.flags.writeable = False
    return words


def word_type(puzzle: Puzzle, parts: Sequence[Sequence[int]]) -> type[Any]:
    """Return the type of the words of tables for these parts."""
    largest = max(size_of(puzzle, part) for part in parts)
    if largest > LARGEST:
        return np.uint8
    return np.int32 if puzzle.cells <= UP[np.dtype(np.int32)] else np.int64


def weights_of(puzzle: Puzzle, part: Sequence[int]) -> dict[int, int]:
    """Return by kind what its digit is worth in a part's key."""
    kinds = kinds_of(puzzle, part)
    sizes = [math.comb(puzzle.cells, count) for count in kinds.values()]
    return dict(zip(kinds, itertools.accumulate(sizes, operator.mul, initial=1), strict=False))


def chunk_of(cells: int) -> int:
    """Return of how many cells of a board ranks are looked up at once, at most sixteen."""
    return -(-cells // -(-cells // 16))


@lru_cache(maxsize=4)
def ranks_of(cells: int, most: int) -> Any:
    """Return what ``retrograde.rank_of`` looks up for sets of at most so many cells."""
    chunk = chunk_of(cells)
    ranks = np.zeros((-(-cells // chunk), most + 1, 1 << chunk), np.int32)
    counts = np.bitwise_count(np.arange(1 << chunk))
    for cell in range(cells):
        at, first = cell // chunk, 1 << cell % chunk
        added = np.array([math.comb(cell, place) for place in range(1, most + 1)])
        for below in range(min(most, at * chunk + 1)):
            # What those before add, and the cell, which comes so many places after them.
            places = below + counts[:first]
            ranks[at, below, first : 2 * first] = ranks[at, below, :first] + np.where(
                places < most, added[np.minimum(places, most - 1)], 0
            )
    return ranks.reshape(-1)


def shape_of(puzzle: Puzzle, part: Sequence[int], up: int) -> Any:
    """Return the record of a board, a part, and words with ``up`` bits."""
    shape = retrograde.Shape()
    cols, cells = puzzle.cols, puzzle.cells
    weights = [*weights_of(puzzle, part).values(), size_of(puzzle, part)]
    shape.cols, shape.cells, shape.rest, shape.kinds = cols, cells, puzzle.rest, len(weights) - 1
    shape.half = shape.kinds // 2
    shape.split = weights[shape.half]
    shape.inner_left = sum(1 << cell for cell in range(cells) if cell % cols)
    shape.inner_right = sum(1 << cell for cell in range(cells) if cell % cols < cols - 1)
    shape.up, shape.told = up, (1 << min(up, cells)) - 1
    near = [sum(1 << cell for cell in ways if cell >= 0) for ways in neighbours(puzzle.rows, cols)]
    shape.near[:cells] = near
    shape.weight[: shape.kinds] = weights[:-1]
    shape.chunk, shape.alike = chunk_of(cells), 1 + max(kinds_of(puzzle, part).values())
    return to_records(shape)


def digits_of(cells: int, counts: Sequence[int]) -> Any:
    """Return the sets of so many cells for each kind, as bits, kind by kind for every rank."""
    ranks = np.arange(math.prod(math.comb(cells, count) for count in counts))
    digits = np.empty((len(ranks), len(counts)), np.int64)
    for kind, count in enumerate(counts):
        sets = itertools.combinations([1 << cell for cell in range(cells)], count)
        ranked = np.array(sorted(map(sum, sets)))
        digits[:, kind] = ranked[ranks % len(ranked)]
        ranks //= len(ranked)
    return digits.reshape(-1)


def goal_of(puzzle: Puzzle, part: Sequence[int]) -> int:
    """Return the key of a part's tiles at home."""
    return sum(
        weight * math.comb(home, place)
        for kind, weight in weights_of(puzzle, part).items()
        for place, home in enumerate(puzzle.homes(kind), 1)
    )


def is_never() -> bool:
    """Tell that databases are wanted."""
    return False


def build(
    puzzle: Puzzle,
    part: Sequence[int],
    word: type[Any] | None = None,
    *,
    jit: bool = True,
    is_stopped: Callable[[], bool] = is_never,
) -> Any:
    """Return the words of a part by key; raises StoppedError soon after ``is_stopped`` says so."""
    patterns = specialize(retrograde, "sliding", jit=jit)
    word = word or word_type(puzzle, [part])
    up = UP.get(np.dtype(word), 0)
    shape = shape_of(puzzle, part, up)
    half = shape[0].half
    counts, size = list(kinds_of(puzzle, part).values()), size_of(puzzle, part)
    ranks = ranks_of(puzzle.cells, max(counts))
    lows, highs = digits_of(puzzle.cells, counts[:half]), digits_of(puzzle.cells, counts[half:])
    words = np.zeros(size, word)
    regions = next(kind for kind in REGIONS if puzzle.cells <= 8 * np.dtype(kind).itemsize)
    seen, fresh = np.zeros((2, size), regions)
    marks = np.zeros(-(-size // retrograde.MARKS), np.int64)
    goal = goal_of(puzzle, part)
    count = patterns.begin(shape, lows, highs, goal, seen, fresh, marks)
    depth = 0
    while count > 0:
        queue = np.empty(count, np.int64)
        patterns.settle(shape, depth, words, fresh, marks, queue)
        count = patterns.expand(shape, ranks, lows, highs, queue, seen, fresh, marks)
        depth += 1
        if is_stopped():
            raise StoppedError
    if not up:
        words[goal] = 0  # without a bit set it looked as if nothing had been written yet
    return words


def tables_for(
    puzzle: Puzzle,
    parts: Parts,
    *,
    threads: int = 1,
    show: bool = False,
    **how: Any,
) -> Tables:
    """Return the databases of a partition, built in memory; ``show`` shows how far this is.

    ``how`` is for ``build``.

    Raises StoppedError soon after ``is_stopped`` says that they are not wanted any more.
    """
    from rich.console import Console
    from rich.progress import track

    word = word_type(puzzle, parts)
    with ThreadPoolExecutor(threads) as pool:
        made = pool.map(lambda part: build(puzzle, part, word, **how), parts)
        console = Console(stderr=True)
        shown = show and console.is_terminal
        title = "Building pattern databases"
        tables = list(
            track(made, title, len(parts), transient=True, console=console) if shown else made
        )
    return Tables(puzzle, parts, np.concatenate(tables))

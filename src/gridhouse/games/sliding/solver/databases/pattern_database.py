"""Building the pattern databases of a puzzle in memory."""

from __future__ import annotations

import itertools
import math
import operator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypedDict

from gridhouse.core.fast import np
from gridhouse.core.records import to_records
from gridhouse.core.specialize import specialize
from gridhouse.games.sliding.solver.databases import retrograde
from gridhouse.games.sliding.solver.databases.partitioning import class_sizes, database_size
from gridhouse.games.sliding.solver.puzzle import Puzzle, neighbours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from gridhouse.games.sliding.solver.databases.partitioning import Partition

EntryType = type[Any]  # of NumPy

# Bits for regions in entries of each type, the moves above them; other types have none.
MOVES_SHIFT = {np.dtype(np.int32): 25, np.dtype(np.int64): retrograde.MAX_CELLS}
REGION_TYPES = (np.uint16, np.uint32, np.int64)  # types for a bit a cell
LARGEST = 1 << 26  # entries of a database that tells regions apart: a larger one has bytes
CHUNK = 16  # cells, at most, of which ranks are looked up at once


class StoppedError(Exception):
    """Databases are not wanted any more."""


class BuildOptions(TypedDict, total=False):
    """The number of threads, whether to run compiled, and a function that says when to give up."""

    threads: int
    jit: bool
    is_stopped: Callable[[], bool]


class PatternDatabases:
    """The databases of one partition of a puzzle's tiles, one after another in ``entries``.

    ``moves_shift`` is the number of bits below the moves of an entry.
    """

    def __init__(
        self, puzzle: Puzzle, partition: Partition, entries: np.ndarray, start: int = 0
    ) -> None:
        """Take entries of which the first pattern's begin at ``start``."""
        self.puzzle = puzzle
        self.partition = partition
        self.entries = read_only(entries)
        sizes = [database_size(puzzle, pattern) for pattern in partition]
        self.starts = list(itertools.accumulate(sizes, initial=start))[:-1]
        self.moves_shift = MOVES_SHIFT.get(entries.dtype.newbyteorder("="), 0)

    def split(self, count: int) -> list[PatternDatabases]:
        """Return ``count`` partitions, of equally many patterns each."""
        each = len(self.partition) // count
        return [
            PatternDatabases(
                self.puzzle, self.partition[at : at + each], self.entries, self.starts[at]
            )
            for at in range(0, len(self.partition), each)
        ]


def read_only(entries: np.ndarray) -> np.ndarray:
    """Make entries read-only, as those mapped from the disk are, and return them.

    Numba would compile the search a second time for arrays that can be written.
    """
    entries.flags.writeable = False
    return entries


def entry_type(puzzle: Puzzle, partition: Sequence[Sequence[int]]) -> EntryType:
    """Return the type of the entries of a partition's databases."""
    largest = max(database_size(puzzle, pattern) for pattern in partition)
    if largest > LARGEST:
        return np.uint8
    return np.int32 if puzzle.cells <= MOVES_SHIFT[np.dtype(np.int32)] else np.int64


def digit_weights(puzzle: Puzzle, pattern: Sequence[int]) -> dict[int, int]:
    """Return by tile class the factor of its digit in an index."""
    sizes = class_sizes(puzzle, pattern)
    counts = [math.comb(puzzle.cells, count) for count in sizes.values()]
    return dict(zip(sizes, itertools.accumulate(counts, operator.mul, initial=1), strict=False))


def chunk_of(cells: int) -> int:
    """Return the number of cells of a board whose ranks are looked up at once."""
    return -(-cells // -(-cells // CHUNK))


@lru_cache(maxsize=4)
def rank_table(cells: int, most: int) -> np.ndarray:
    """Return the table of ``retrograde.rank_of`` for sets of at most ``most`` cells."""
    chunk = chunk_of(cells)
    ranks = np.zeros((-(-cells // chunk), most + 1, 1 << chunk), np.int32)
    counts = np.bitwise_count(np.arange(1 << chunk))
    for cell in range(cells):
        at, first = cell // chunk, 1 << cell % chunk
        added = np.array([math.comb(cell, place) for place in range(1, most + 1)])
        for below in range(min(most, at * chunk + 1)):
            # The cell adds to what the cells before it do; its place is how many these are.
            places = below + counts[:first]
            ranks[at, below, first : 2 * first] = ranks[at, below, :first] + np.where(
                places < most, added[np.minimum(places, most - 1)], 0
            )
    return ranks.reshape(-1)


def pattern_layout(puzzle: Puzzle, pattern: Sequence[int], moves_shift: int) -> np.ndarray:
    """Return the record of a board and a pattern."""
    layout = retrograde.PatternLayout()
    cols, cells = puzzle.cols, puzzle.cells
    weights = [*digit_weights(puzzle, pattern).values(), database_size(puzzle, pattern)]
    layout.cols, layout.cells, layout.blank_goal = cols, cells, puzzle.blank_goal
    layout.num_classes = len(weights) - 1
    layout.num_low = layout.num_classes // 2
    layout.split = weights[layout.num_low]
    layout.not_leftmost = sum(1 << cell for cell in range(cells) if cell % cols)
    layout.not_rightmost = sum(1 << cell for cell in range(cells) if cell % cols < cols - 1)
    layout.moves_shift = moves_shift
    layout.region_mask = (1 << min(moves_shift, cells)) - 1
    for cell, near in enumerate(neighbours(puzzle.rows, cols)):
        layout.neighbours[cell] = sum(1 << there for there in near if there >= 0)
    layout.weight[: layout.num_classes] = weights[:-1]
    layout.chunk = chunk_of(cells)
    layout.rank_rows = 1 + max(class_sizes(puzzle, pattern).values())
    return to_records(layout)


def cell_sets(cells: int, counts: Sequence[int]) -> np.ndarray:
    """Return by part of an index and class the set of its cells, as bits.

    ``counts`` is by class of the part's digits the number of its tiles.
    """
    indices = np.arange(math.prod(math.comb(cells, count) for count in counts))
    found = np.empty((len(indices), len(counts)), np.int64)
    for digit, count in enumerate(counts):
        sets = itertools.combinations([1 << cell for cell in range(cells)], count)
        by_rank = np.array(sorted(map(sum, sets)))
        found[:, digit] = by_rank[indices % len(by_rank)]
        indices //= len(by_rank)
    return found.reshape(-1)


def goal_index(puzzle: Puzzle, pattern: Sequence[int]) -> int:
    """Return the index of a pattern's tiles at home."""
    return sum(
        weight * math.comb(home, place)
        for tile, weight in digit_weights(puzzle, pattern).items()
        for place, home in enumerate(puzzle.goal_cells(tile), 1)
    )


def is_never() -> bool:
    """Tell that databases are wanted."""
    return False


def build(
    puzzle: Puzzle,
    pattern: Sequence[int],
    kind: EntryType | None = None,
    *,
    jit: bool = True,
    is_stopped: Callable[[], bool] = is_never,
) -> np.ndarray:
    """Return the entries of a pattern by index, of the NumPy type ``kind``.

    Raises StoppedError soon after ``is_stopped`` returns True.
    """
    kernel = specialize(retrograde, "sliding", jit=jit)
    kind = kind or entry_type(puzzle, [pattern])
    shift = MOVES_SHIFT.get(np.dtype(kind), 0)
    layout = pattern_layout(puzzle, pattern, shift)
    memory = _memory(puzzle, pattern, int(layout[0].num_low))
    entries = np.zeros(len(memory.visited), kind)
    goal = goal_index(puzzle, pattern)
    count = kernel.begin(layout, memory, goal)
    depth = 0
    while count > 0:
        queue = np.empty(count, np.int64)
        kernel.store_layer(layout, memory, depth, entries, queue)
        count = kernel.expand_layer(layout, memory, queue)
        depth += 1
        if is_stopped():
            raise StoppedError
    if not shift:
        entries[goal] = 0  # without a bit set it looked as if nothing had been written yet
    return entries


def _memory(puzzle: Puzzle, pattern: Sequence[int], num_low: int) -> retrograde.Memory:
    """Return the arrays of a build, with ``num_low`` digits in the low part of an index."""
    counts, size = list(class_sizes(puzzle, pattern).values()), database_size(puzzle, pattern)
    kind = next(kind for kind in REGION_TYPES if puzzle.cells <= 8 * np.dtype(kind).itemsize)
    visited, frontier = np.zeros((2, size), kind)
    return retrograde.Memory(
        ranks=rank_table(puzzle.cells, max(counts)),
        low_sets=cell_sets(puzzle.cells, counts[:num_low]),
        high_sets=cell_sets(puzzle.cells, counts[num_low:]),
        visited=visited,
        frontier=frontier,
        frontier_bits=np.zeros(-(-size // retrograde.BLOCK), np.int64),
    )


def build_all(
    puzzle: Puzzle,
    partition: Partition,
    *,
    show: bool = False,
    **options: Unpack[BuildOptions],
) -> PatternDatabases:
    """Return the databases of a partition, built in memory; ``show`` draws a progress bar.

    Raises StoppedError soon after ``is_stopped`` returns True.
    """
    from rich.console import Console
    from rich.progress import track

    kind = entry_type(puzzle, partition)
    threads, jit = options.get("threads", 1), options.get("jit", True)
    stop = options.get("is_stopped", is_never)

    def build_one(pattern: Sequence[int]) -> np.ndarray:
        return build(puzzle, pattern, kind, jit=jit, is_stopped=stop)

    with ThreadPoolExecutor(threads) as pool:
        made = pool.map(build_one, partition)
        console = Console(stderr=True)
        shown = show and console.is_terminal
        title = "Building pattern databases"
        entries = list(
            track(made, title, len(partition), transient=True, console=console) if shown else made
        )
    return PatternDatabases(puzzle, partition, np.concatenate(entries))

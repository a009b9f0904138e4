"""The stages of an optimal search: ever larger databases, and the nodes to spend with each."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.fast import np
from gridhouse.games.sliding.solver.databases import (
    disk_cache,
    good_partitions,
    pattern_database,
)
from gridhouse.games.sliding.solver.databases.build_cache import BuildCache
from gridhouse.games.sliding.solver.databases.partitioning import partitions

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Unpack

    from gridhouse.games.sliding.solver.databases.partitioning import Partition
    from gridhouse.games.sliding.solver.databases.pattern_database import (
        BuildOptions,
        PatternDatabases,
    )
    from gridhouse.games.sliding.solver.puzzle import Puzzle

NO_LIMIT = 1 << 60

# The partitions of databases kept on disk, ever larger ones (Korf and Felner, 2002).
LARGE: dict[tuple[int, int], tuple[Partition, ...]] = {
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
MIN_MEMORY = 7 << 30  # bytes; databases of bytes take up to five gigabytes while they are built
INTERPRETED_SIZES = (2, 3)  # tiles of patterns that interpreted code begins with,
INTERPRETED_NODES = 3000  # and the nodes it spends with each
CACHE: BuildCache[list[PatternDatabases]] = BuildCache(
    lambda databases: sum(each.entries.nbytes for each in databases)
)


class Stage(NamedTuple):
    """A function that builds databases, and the nodes to spend with them."""

    build: Callable[[], list[PatternDatabases]]
    node_limit: int


def search_stages(
    puzzle: Puzzle, *, allow_slow_build: bool = True, **options: Unpack[BuildOptions]
) -> list[Stage]:
    """Return the stages of a puzzle's search, the smallest databases first.

    Those for the disk, and those of gigabytes, are built only with ``allow_slow_build``.
    """

    def small(size: int, node_limit: int) -> Stage:
        return Stage(partial(small_databases, puzzle, size, **options), node_limit)

    # Interpreted, a puzzle of few nodes should not wait for databases that take long to build.
    is_interpreted = not options.get("jit", True)
    first = [small(size, INTERPRETED_NODES) for size in INTERPRETED_SIZES if is_interpreted]
    if puzzle.cells > good_partitions.SMALL:
        good = partial(good_partitions.databases_of, puzzle, 0, **options)
        return [*first, Stage(good, NO_LIMIT)]
    if large := large_partitions(puzzle):
        return first + _disk_stages(puzzle, large, allow_slow_build, **options)
    if puzzle.cells <= 16:
        return [*first, small(4, SMALL), small(5, MEDIUM), small(6, NO_LIMIT)]
    if not (allow_slow_build and physical_memory() >= MIN_MEMORY):
        return [*first, small(4, MEDIUM), small(5, NO_LIMIT)]
    # Gigabytes, which are not kept for another search.
    vast = partial(databases_within, puzzle, pattern_database.LARGEST, **options)
    return [*first, small(4, MEDIUM), small(5, VAST), Stage(vast, NO_LIMIT)]


def _disk_stages(
    puzzle: Puzzle,
    large: list[Partition],
    allow_slow_build: bool,
    **options: Unpack[BuildOptions],
) -> list[Stage]:
    """Return the stages of a puzzle that has databases for the disk, of these partitions."""
    usable = [
        partition
        for partition in large
        if allow_slow_build or disk_cache.path_of(puzzle, partition).exists()
    ]
    if not usable:
        return [Stage(partial(small_databases, puzzle, 4, **options), NO_LIMIT)]
    found = []
    if not disk_cache.path_of(puzzle, usable[0]).exists():
        sizes = (4, 5) if puzzle.cells <= 16 else (4,)
        small = [partial(small_databases, puzzle, size, **options) for size in sizes]
        found += [Stage(build, SMALL) for build in small]
    for partition in usable:
        node_limit = NO_LIMIT if partition == usable[-1] else VAST
        found.append(Stage(partial(large_databases, puzzle, partition, **options), node_limit))
    return found


def _key(puzzle: Puzzle, size: int | Partition, options: BuildOptions) -> Hashable:
    classes, jit = tuple(puzzle.tile_classes), options.get("jit", True)
    return puzzle.rows, puzzle.cols, classes, puzzle.blank_goal, size, jit


def small_databases(
    puzzle: Puzzle, size: int, **options: Unpack[BuildOptions]
) -> list[PatternDatabases]:
    """Return databases as large as those of ``size`` distinct tiles, cached."""
    build = partial(databases_within, puzzle, puzzle.cells**size, **options)
    return CACHE.get(_key(puzzle, size, options), build)


def large_databases(
    puzzle: Puzzle, partition: Partition, **options: Unpack[BuildOptions]
) -> list[PatternDatabases]:
    """Return databases from the disk, cached."""
    return CACHE.get(
        _key(puzzle, partition, options),
        lambda: [disk_cache.load_or_build(puzzle, partition, **options)],
    )


def databases_within(
    puzzle: Puzzle, largest: int, **options: Unpack[BuildOptions]
) -> list[PatternDatabases]:
    """Return databases of at most ``largest`` entries each, built in memory.

    On more than sixteen cells they are of two partitions, unless the mirror makes two of one; on
    smaller boards a second one takes longer to build than it saves.
    """
    count = 1 if puzzle.cells <= 16 or puzzle.has_mirror else 2
    different = dict.fromkeys(partitions(puzzle, largest, count))
    return [pattern_database.build_all(puzzle, partition, **options) for partition in different]


def large_partitions(puzzle: Puzzle) -> list[Partition]:
    """Return the partitions of which there are databases for the disk, ever larger ones.

    The largest are left out where there is not the memory that building takes.
    """
    if not puzzle.is_distinct:
        return []
    return [
        partition
        for partition in LARGE.get((puzzle.rows, puzzle.cols), ())
        if pattern_database.entry_type(puzzle, partition) is not np.uint8
        or physical_memory() >= MIN_MEMORY
    ]


def physical_memory() -> int:
    """Return the bytes of memory of the machine, or MIN_MEMORY where they are unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return MIN_MEMORY

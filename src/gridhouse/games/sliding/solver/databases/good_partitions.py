"""Partitions by which beams go deeper than by most others, and their databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core.fast import np
from gridhouse.games.sliding.solver.databases import partitioning
from gridhouse.games.sliding.solver.databases.disk_cache import load_or_build
from gridhouse.games.sliding.solver.databases.pattern_database import build_all

if TYPE_CHECKING:
    from typing import Unpack

    from gridhouse.games.sliding.solver.databases.partitioning import Partition
    from gridhouse.games.sliding.solver.databases.pattern_database import (
        BuildOptions,
        PatternDatabases,
    )
    from gridhouse.games.sliding.solver.puzzle import Puzzle

SMALL = 25  # cells up to which databases are built for the puzzle at hand, in a moment
LARGE = 36  # cells up to which there are any; these take seconds and go on the disk
PATTERN_SIZE = 4  # tiles

# Partitions by which beams go deeper than by most others: by cell the pattern of its tile.  Each
# pair makes mistakes of its own, so beams by several are worth a wider one.
PAIRS = {
    (5, 5): (
        ("bbcccbbaacddaaedffeedffe", "baaccbaaccbdddebfdeefffe"),
        ("abcccabbceabeeeadfddfffd", "caaabccabbcdddbffdeeffee"),
        ("baaaabbbddcffddcffeeccee", "baaacbbaccbffceddfeeddfe"),
    ),
    (6, 6): (("baacccbaacddbbefddieeffhiigfhhigggh", "ddddccaabbccaabbeeggffeeggffiihhhii"),),
}


def pairs(puzzle: Puzzle) -> tuple[tuple[str, str], ...]:
    """Return the good pairs of partitions that are known for a puzzle."""
    return PAIRS.get((puzzle.rows, puzzle.cols), ())


def num_choices(puzzle: Puzzle) -> int:
    """Return the number of sets of partitions that a puzzle has databases of.

    It is one where the empty cell does not end last: for another one databases would be built.
    """
    return max(1, len(pairs(puzzle))) if puzzle.has_blank_last else 1


def partitions(puzzle: Puzzle, choice: int) -> list[Partition]:
    """Return the partitions of a choice, a number from 0 on."""
    distinct = puzzle.with_distinct_tiles()
    if not pairs(puzzle):
        return partitioning.partitions(distinct, puzzle.cells**PATTERN_SIZE, 2)
    pictures = pairs(puzzle)[choice]
    side, goal = puzzle.cols, puzzle.blank_goal
    found = [partition_of_picture(move_blank(picture, side, goal)) for picture in pictures]
    if not distinct.has_mirror:
        # A mirrored view would need databases of its own anyway, so it gets partitions of its own.
        found += [
            partition_of_picture(move_blank(picture, side, goal, mirrored=True))
            for picture in pictures
        ]
    return found


def move_blank(picture: str, side: int, blank_goal: int, *, mirrored: bool = False) -> str:
    """Return a picture of a square board for one on which the empty cell ends on another cell.

    The picture is turned so that its empty corner is near; from there the empty cell goes up or
    down, then across, and letters make way as tiles do, so that patterns hardly fall apart.
    ``mirrored`` does so with rows and columns exchanged.
    """
    row, col = divmod(blank_goal, side)
    if mirrored:
        row, col = col, row
    down, right = (1 if 2 * at >= side - 1 else -1 for at in (row, col))
    row, col = max(row, side - 1 - row), max(col, side - 1 - col)
    letters = np.array([*picture, " "]).reshape(side, side)
    letters[row + 1 :, -1] = letters[row:-1, -1].copy()
    letters[row, col + 1 :] = letters[row, col:-1].copy()
    turned = letters[::down, ::right]
    return "".join(np.delete(turned.T if mirrored else turned, blank_goal))


def partition_of_picture(picture: str) -> Partition:
    """Return the partition of a picture: by cell of the goal the letter of its tile's pattern."""
    patterns = sorted(set(picture))
    return tuple(
        tuple(tile for tile, letter in enumerate(picture, 1) if letter == pattern)
        for pattern in patterns
    )


def databases_of(
    puzzle: Puzzle, choice: int, **options: Unpack[BuildOptions]
) -> list[PatternDatabases]:
    """Return the databases of a choice of partitions; raises StoppedError if told to stop."""
    distinct = puzzle.with_distinct_tiles()
    found = partitions(distinct, choice)
    if puzzle.cells <= SMALL:
        return [build_all(distinct, partition, **options) for partition in found]
    return load_or_build(distinct, sum(found, ()), **options).split(len(found))

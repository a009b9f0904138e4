"""Partitions by which beams go deeper than by most others, and their databases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.games.sliding.solver.databases import disk_cache, partitioning, pattern_database

if TYPE_CHECKING:
    from gridhouse.games.sliding.solver.databases.partitioning import Parts
    from gridhouse.games.sliding.solver.databases.pattern_database import Tables
    from gridhouse.games.sliding.solver.puzzle import Puzzle

SMALL = 25  # cells up to which databases are built for the puzzle at hand, in a moment
LARGE = 36  # cells up to which there are any; these take seconds and go on the disk
TILES = 4  # of a pattern

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


def looks(puzzle: Puzzle) -> int:
    """Return by how many sets of partitions a puzzle can be looked at.

    One has to do where the empty cell ends elsewhere, as databases would have to be built for it.
    """
    return max(1, len(pairs(puzzle))) if puzzle.ends_last else 1


def partitions(puzzle: Puzzle, look: int) -> list[Parts]:
    """Return the partitions of a look."""
    if not pairs(puzzle):
        return partitioning.partitions(puzzle.numbered(), puzzle.cells**TILES, 2)
    pictures = pairs(puzzle)[look]
    side, rest = puzzle.cols, puzzle.rest
    found = [pictured(slid(picture, side, rest)) for picture in pictures]
    if not puzzle.numbered().has_mirror:
        # What is seen there otherwise is a partition of its own.
        found += [pictured(slid(picture, side, rest, mirrored=True)) for picture in pictures]
    return found


def slid(picture: str, side: int, rest: int, *, mirrored: bool = False) -> str:
    """Return a picture of a square board for one on which the empty cell ends on another cell.

    The picture is turned so that its empty corner is near; from there the empty cell goes up or
    down, then across, and letters make way as tiles do, so that patterns hardly fall apart.
    ``mirrored`` does so with rows and columns exchanged.
    """
    row, col = divmod(rest, side)
    if mirrored:
        row, col = col, row
    down, right = (1 if 2 * at >= side - 1 else -1 for at in (row, col))
    row, col = max(row, side - 1 - row), max(col, side - 1 - col)
    letters = np.array([*picture, " "]).reshape(side, side)
    letters[row + 1 :, -1] = letters[row:-1, -1].copy()
    letters[row, col + 1 :] = letters[row, col:-1].copy()
    turned = letters[::down, ::right]
    return "".join(np.delete(turned.T if mirrored else turned, rest))


def pictured(picture: str) -> Parts:
    """Return the partition that a picture shows."""
    patterns = sorted(set(picture))
    return tuple(
        tuple(tile for tile, letter in enumerate(picture, 1) if letter == pattern)
        for pattern in patterns
    )


def tables_of(puzzle: Puzzle, look: int, *, jit: bool = True, **how: Any) -> list[Tables]:
    """Return the databases of a look.

    ``how`` says with how many ``threads`` they are built, and when that ``is_stopped``; then
    StoppedError is raised.
    """
    puzzle = puzzle.numbered()
    parts = partitions(puzzle, look)
    if puzzle.cells <= SMALL:
        return [pattern_database.tables_for(puzzle, part, jit=jit, **how) for part in parts]
    return disk_cache.large_tables(puzzle, sum(parts, ()), jit=jit, **how).split(len(parts))

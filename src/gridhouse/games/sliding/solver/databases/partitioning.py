"""Which tiles make a pattern: those with near homes, as many as a table has room for."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.games.sliding.solver.puzzle import Puzzle

Parts = tuple[tuple[int, ...], ...]

HEAT = 1.0  # by how much an exchange may do harm at first, about
AGAIN = 0.5  # what a pair is worth that an earlier partition has together


def kinds_of(puzzle: Puzzle, part: Sequence[int]) -> dict[int, int]:
    """Return how many tiles there are of each kind of a part's.

    Raises ValueError if there are more of them elsewhere.
    """
    counts = Counter(puzzle.kinds[tile] for tile in part)
    if any(len(puzzle.homes(kind)) != count for kind, count in counts.items()):
        raise ValueError("equal tiles are in different parts")
    return dict(counts)


def size_of(puzzle: Puzzle, part: Sequence[int]) -> int:
    """Return on how many sets of cells a part's kinds may stand, each for itself."""
    return math.prod(math.comb(puzzle.cells, count) for count in kinds_of(puzzle, part).values())


def partitions(puzzle: Puzzle, largest: int, count: int = 1) -> list[Parts]:
    """Return so many partitions of parts of at most so large a size, as ``size_of`` has it.

    A kind that is larger is a part of its own.  Tiles are worth being together as much as their
    homes are near, and less if an earlier partition has them together.  The same ones come for the
    same puzzle.
    """
    kinds = list(kinds_of(puzzle, range(1, puzzle.cells)))
    worth = [[_nearness(puzzle, one, other) for other in kinds] for one in kinds]
    sizes = [size_of(puzzle, _tiles(puzzle, kind)) for kind in kinds]
    found = []
    for _ in range(count):
        groups = _gathered(sizes, worth, largest)
        found.append(
            tuple(
                tuple(tile for at in group for tile in _tiles(puzzle, kinds[at]))
                for group in groups
            )
        )
        for group in groups:
            for one, other in itertools.permutations(group, 2):
                worth[one][other] *= AGAIN
    return found


def _tiles(puzzle: Puzzle, kind: int) -> tuple[int, ...]:
    """Return the tiles of a kind."""
    return tuple(tile for tile in range(1, puzzle.cells) if puzzle.kinds[tile] == kind)


def _nearness(puzzle: Puzzle, one: int, other: int) -> float:
    """Return how much tiles of two kinds belong together."""
    if one == other:
        return 0.0
    places = [(home // puzzle.cols, home % puzzle.cols) for home in puzzle.homes(one)]
    others = [(home // puzzle.cols, home % puzzle.cols) for home in puzzle.homes(other)]
    return sum(1 / math.dist(place, there) for place in places for there in others)


def _gathered(
    sizes: Sequence[int], worth: Sequence[Sequence[float]], largest: int
) -> list[list[int]]:
    """Return groups of things of at most so large a product of their sizes, worth most together.

    Found by simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983): random exchanges that do
    less and less harm, beginning with the largest first, each where it fits.  What is large is
    worth more of them.
    """
    groups: list[list[int]] = []
    for thing in sorted(range(len(sizes)), key=lambda thing: -sizes[thing]):
        fitting = (group for group in groups if _fits(sizes, [*group, thing], largest))
        group = next(fitting, None)
        if group is None:
            groups.append([thing])
        else:
            group.append(thing)
    groups.append([])
    chance = random.Random(1)
    attempts = 2 * math.isqrt(largest)
    for attempt in range(attempts):
        heat = HEAT * (1 - attempt / attempts)
        here, there = chance.sample(range(len(groups)), 2)
        given = chance.choice([*groups[here], None])
        taken = chance.choice([*groups[there], None])
        rest = [thing for thing in groups[here] if thing != given]
        others = [thing for thing in groups[there] if thing != taken]
        change = _together(worth, given, others) - _together(worth, given, rest)
        change += _together(worth, taken, rest) - _together(worth, taken, others)
        if given is not None:
            others.append(given)
        if taken is not None:
            rest.append(taken)
        if change < 0 and chance.random() >= math.exp(change / heat):
            continue
        if _fits(sizes, rest, largest) and _fits(sizes, others, largest):
            groups[here], groups[there] = rest, others
    return [sorted(group) for group in groups if group]


def _together(worth: Sequence[Sequence[float]], thing: int | None, others: list[int]) -> float:
    """Return what a thing is worth together with others."""
    return 0.0 if thing is None else sum(worth[thing][other] for other in others)


def _fits(sizes: Sequence[int], group: list[int], largest: int) -> bool:
    """Tell whether a group is small enough, or can be no smaller."""
    return len(group) < 2 or math.prod(sizes[thing] for thing in group) <= largest

"""Partitions of the tiles into patterns: tiles of near homes together, by simulated annealing."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.games.sliding.solver.puzzle import Puzzle

Pattern = tuple[int, ...]  # tiles
Partition = tuple[Pattern, ...]

START_TEMPERATURE = 1.0
REPEATED_PAIR = 0.5  # factor on the affinity of two classes that an earlier partition has together


def class_sizes(puzzle: Puzzle, pattern: Sequence[int]) -> dict[int, int]:
    """Return by tile class the number of its tiles in a pattern.

    Raises ValueError if there are more of them elsewhere.
    """
    counts = Counter(puzzle.tile_classes[tile] for tile in pattern)
    if any(len(puzzle.goal_cells(tile)) != count for tile, count in counts.items()):
        raise ValueError("equal tiles are in different patterns")
    return dict(counts)


def database_size(puzzle: Puzzle, pattern: Sequence[int]) -> int:
    """Return the number of entries of a pattern's database."""
    counts = class_sizes(puzzle, pattern).values()
    return math.prod(math.comb(puzzle.cells, count) for count in counts)


def partitions(puzzle: Puzzle, largest: int, count: int = 1) -> list[Partition]:
    """Return ``count`` partitions into patterns whose databases have at most ``largest`` entries.

    A class whose own database is larger is a pattern of its own.  Classes attract each other by the
    nearness of their homes, less if an earlier partition has them together.  The result depends on
    the puzzle alone.
    """
    classes = list(class_sizes(puzzle, range(1, puzzle.cells)))
    affinity = [[_nearness(puzzle, one, other) for other in classes] for one in classes]
    sizes = [database_size(puzzle, _tiles_of(puzzle, number)) for number in classes]
    found = []
    for _ in range(count):
        groups = _anneal(sizes, affinity, largest)
        found.append(
            tuple(
                tuple(tile for at in group for tile in _tiles_of(puzzle, classes[at]))
                for group in groups
            )
        )
        for group in groups:
            for one, other in itertools.permutations(group, 2):
                affinity[one][other] *= REPEATED_PAIR
    return found


def _tiles_of(puzzle: Puzzle, tile_class: int) -> Pattern:
    return tuple(tile for tile in range(1, puzzle.cells) if puzzle.tile_classes[tile] == tile_class)


def _nearness(puzzle: Puzzle, one: int, other: int) -> float:
    """Return the sum of one over the distance between the homes of two classes."""
    if one == other:
        return 0.0
    places = [divmod(home, puzzle.cols) for home in puzzle.goal_cells(one)]
    others = [divmod(home, puzzle.cols) for home in puzzle.goal_cells(other)]
    return sum(1 / math.dist(place, there) for place in places for there in others)


def _anneal(
    sizes: Sequence[int], affinity: Sequence[Sequence[float]], largest: int
) -> list[list[int]]:
    """Return groups of high affinity inside, the product of their sizes at most ``largest``.

    Found by simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983): members of two groups are
    exchanged at random.
    """
    groups = [*_first_fit(sizes, largest), []]
    rng = random.Random(1)
    attempts = 2 * math.isqrt(largest)
    for attempt in range(attempts):
        temperature = START_TEMPERATURE * (1 - attempt / attempts)
        here, there = rng.sample(range(len(groups)), 2)
        given = rng.choice([*groups[here], None])
        taken = rng.choice([*groups[there], None])
        rest = [member for member in groups[here] if member != given]
        others = [member for member in groups[there] if member != taken]
        gain = _attraction(affinity, given, others) - _attraction(affinity, given, rest)
        gain += _attraction(affinity, taken, rest) - _attraction(affinity, taken, others)
        if given is not None:
            others.append(given)
        if taken is not None:
            rest.append(taken)
        if gain < 0 and rng.random() >= math.exp(gain / temperature):
            continue
        if _fits(sizes, rest, largest) and _fits(sizes, others, largest):
            groups[here], groups[there] = rest, others
    return [sorted(group) for group in groups if group]


def _first_fit(sizes: Sequence[int], largest: int) -> list[list[int]]:
    """Return groups: each member, large ones first, joins the first group where it fits."""
    groups: list[list[int]] = []
    for member in sorted(range(len(sizes)), key=lambda member: -sizes[member]):
        for group in groups:
            if _fits(sizes, [*group, member], largest):
                group.append(member)
                break
        else:
            groups.append([member])
    return groups


def _attraction(
    affinity: Sequence[Sequence[float]], member: int | None, others: list[int]
) -> float:
    return 0.0 if member is None else sum(affinity[member][other] for other in others)


def _fits(sizes: Sequence[int], group: list[int], largest: int) -> bool:
    """Tell whether a group is small enough, or has a single member."""
    return len(group) < 2 or math.prod(sizes[member] for member in group) <= largest

"""Assigning equal tiles to their homes, for the fewest steps."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import combinations, islice

from gridhouse.games.sliding.solver.puzzle import Puzzle, is_solvable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_EXCHANGES = 24  # of two equal tiles, of which other assignments are made


def manhattan(puzzle: Puzzle, tile: int, cell: int) -> int:
    """Return the Manhattan distance of a cell from the home of a tile."""
    home = tile - 1
    cols = puzzle.cols
    return abs(home // cols - cell // cols) + abs(home % cols - cell % cols)


def manhattan_distance(puzzle: Puzzle) -> int:
    """Return the Manhattan distance of all tiles from the homes of their numbers."""
    return sum(manhattan(puzzle, tile, cell) for cell, tile in enumerate(puzzle.tiles) if tile)


def minimum_cost_assignment(costs: Sequence[Sequence[int]]) -> list[int]:
    """Return by row its column in an assignment of minimum cost.

    Shortest augmenting paths with potentials (Kuhn, 1955; Jonker and Volgenant, 1987).
    """
    size = len(costs)
    row_price = [0] * (size + 1)
    col_price = [0] * (size + 1)
    taken = [size] * (size + 1)  # by column its row; the column ``size`` is where a path begins
    for row in range(size):
        taken[size] = row
        col = size
        least = [1 << 60] * size
        before = [size] * size
        done = [False] * (size + 1)
        while taken[col] != size:
            done[col] = True
            here = taken[col]
            for other in range(size):
                price = costs[here][other] - row_price[here] - col_price[other]
                if not done[other] and price < least[other]:
                    least[other], before[other] = price, col
            # The nearest column that is not reached yet.
            delta, nearest = min((least[other], other) for other in range(size) if not done[other])
            for other in range(size + 1):
                if done[other]:
                    row_price[taken[other]] += delta
                    col_price[other] -= delta
                else:
                    least[other] -= delta
            col = nearest
        while col != size:
            taken[col] = taken[before[col]]
            col = before[col]
    columns = [0] * size
    for col in range(size):
        columns[taken[col]] = col
    return columns


def nearest_assignment(puzzle: Puzzle, cells: Iterable[int]) -> Puzzle:
    """Return the puzzle with equal tiles on some cells assigned for the fewest steps.

    It may not be solvable.
    """
    tiles = puzzle.tiles[:]
    for group in groups(puzzle, cells):
        numbers = [tiles[cell] for cell in group]
        costs = [[manhattan(puzzle, number, cell) for number in numbers] for cell in group]
        for cell, col in zip(group, minimum_cost_assignment(costs), strict=True):
            tiles[cell] = numbers[col]
    return puzzle.with_tiles(tiles)


def groups(puzzle: Puzzle, cells: Iterable[int]) -> list[list[int]]:
    """Return the groups of two cells or more, out of some cells, that have equal tiles."""
    found: dict[int, list[int]] = {}
    for cell in cells:
        if puzzle.tiles[cell]:
            found.setdefault(puzzle.tile_classes[puzzle.tiles[cell]], []).append(cell)
    return [group for group in found.values() if len(group) > 1]


def assignments(puzzle: Puzzle, count: int, cells: Iterable[int] | None = None) -> list[list[int]]:
    """Return the tiles under at most ``count`` solvable assignments, those of few steps first.

    They come from the assignment of the fewest steps by its cheapest exchanges.  Only tiles on the
    ``cells`` are assigned anew, all if none are given; their homes must be there.
    """
    cells = range(puzzle.cells) if cells is None else list(cells)
    return list(islice(_exchanged(nearest_assignment(puzzle, cells), cells), count))


def _exchanged(best: Puzzle, cells: Sequence[int]) -> Iterator[list[int]]:
    """Yield the assignments that exchanges make of the best one, those of few steps first."""
    pairs = [pair for group in groups(best, cells) for pair in combinations(group, 2)]
    cheapest = sorted((_exchange_cost(best, *pair), *pair) for pair in pairs)[:MAX_EXCHANGES]
    heap = [(manhattan_distance(best), best.tiles, 0)]
    seen = set()
    while heap:
        cost, tiles, first = heappop(heap)
        if tuple(tiles) in seen:
            continue
        seen.add(tuple(tiles))
        if is_solvable(best.rows, best.cols, tiles):
            yield tiles
        here = best.with_tiles(tiles)
        for number, (_, one, other) in enumerate(cheapest[first:], first + 1):
            moved = tiles[:]
            moved[one], moved[other] = moved[other], moved[one]
            heappush(heap, (cost + _exchange_cost(here, one, other), moved, number))


def with_best_assignment(puzzle: Puzzle) -> tuple[Puzzle, int]:
    """Return the puzzle under the solvable assignment of the fewest steps, and a lower bound.

    The bound holds for all assignments.
    """
    cells = range(puzzle.cells)
    best = nearest_assignment(puzzle, cells)
    return puzzle.with_tiles(next(_exchanged(best, cells))), manhattan_distance(best)


def _exchange_cost(puzzle: Puzzle, one: int, other: int) -> int:
    """Return the change of the Manhattan distance when the tiles of two cells are exchanged."""
    first, second = puzzle.tiles[one], puzzle.tiles[other]
    after = manhattan(puzzle, first, other) + manhattan(puzzle, second, one)
    return after - manhattan(puzzle, first, one) - manhattan(puzzle, second, other)

"""Which of several equal tiles goes where: the way that costs the fewest steps."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import combinations, islice

from gridhouse.games.sliding.solver.puzzle import Puzzle, parity_fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

EXCHANGES = 24  # of two equal tiles, of which other pairings are made


def steps(puzzle: Puzzle, tile: int, cell: int) -> int:
    """Return the steps from a cell to the home of a tile."""
    home = tile - 1
    cols = puzzle.cols
    return abs(home // cols - cell // cols) + abs(home % cols - cell % cols)


def distance(puzzle: Puzzle) -> int:
    """Return the steps that all tiles have to go to the homes of their numbers."""
    return sum(steps(puzzle, tile, cell) for cell, tile in enumerate(puzzle.tiles) if tile)


def assign(costs: Sequence[Sequence[int]]) -> list[int]:
    """Return by row the column that it gets in an assignment of least cost.

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


def assigned(puzzle: Puzzle, cells: Iterable[int]) -> Puzzle:
    """Return the puzzle with equal tiles on some cells numbered for the fewest steps.

    It may be that they cannot come home so.
    """
    tiles = puzzle.tiles[:]
    for group in groups(puzzle, cells):
        numbers = [tiles[cell] for cell in group]
        costs = [[steps(puzzle, number, cell) for number in numbers] for cell in group]
        for cell, col in zip(group, assign(costs), strict=True):
            tiles[cell] = numbers[col]
    return puzzle.with_tiles(tiles)


def groups(puzzle: Puzzle, cells: Iterable[int]) -> list[list[int]]:
    """Return those of some cells with equal tiles, together."""
    found: dict[int, list[int]] = {}
    for cell in cells:
        if puzzle.tiles[cell]:
            found.setdefault(puzzle.kinds[puzzle.tiles[cell]], []).append(cell)
    return [group for group in found.values() if len(group) > 1]


def pairings(puzzle: Puzzle, count: int, cells: Iterable[int] | None = None) -> list[list[int]]:
    """Return the tiles in ways to number equal ones that can come home, at most so many ways.

    They come from the way of the fewest steps by its cheapest exchanges, those of few steps first.
    Only tiles on the ``cells`` are numbered anew, all if none are given; their homes are there.
    """
    cells = range(puzzle.cells) if cells is None else list(cells)
    return list(islice(_exchanged(assigned(puzzle, cells), cells), count))


def _exchanged(best: Puzzle, cells: Sequence[int]) -> Iterator[list[int]]:
    """Yield the pairings that exchanges make of the one of the fewest steps."""
    pairs = [pair for group in groups(best, cells) for pair in combinations(group, 2)]
    cheapest = sorted((_exchange(best, *pair), *pair) for pair in pairs)[:EXCHANGES]
    heap = [(distance(best), best.tiles, 0)]
    seen = set()
    while heap:
        cost, tiles, first = heappop(heap)
        if tuple(tiles) in seen:
            continue
        seen.add(tuple(tiles))
        if parity_fits(best.rows, best.cols, tiles):
            yield tiles
        here = best.with_tiles(tiles)
        for number, (_, one, other) in enumerate(cheapest[first:], first + 1):
            moved = tiles[:]
            moved[one], moved[other] = moved[other], moved[one]
            heappush(heap, (cost + _exchange(here, one, other), moved, number))


def paired(puzzle: Puzzle) -> tuple[Puzzle, int]:
    """Return the puzzle with equal tiles numbered as they can come home in the fewest steps.

    With it comes how many steps it takes at least whichever way they are numbered, a lower bound
    of its solutions.
    """
    cells = range(puzzle.cells)
    best = assigned(puzzle, cells)
    return puzzle.with_tiles(next(_exchanged(best, cells))), distance(best)


def _exchange(puzzle: Puzzle, one: int, other: int) -> int:
    """Return how many steps exchanging the tiles of two cells costs."""
    first, second = puzzle.tiles[one], puzzle.tiles[other]
    after = steps(puzzle, first, other) + steps(puzzle, second, one)
    return after - steps(puzzle, first, one) - steps(puzzle, second, other)

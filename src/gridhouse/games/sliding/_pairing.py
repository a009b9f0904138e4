"""Which of several equal tiles goes where: the way that costs the fewest steps."""

from __future__ import annotations

from gridhouse.games.sliding._puzzle import Puzzle, parity_fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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


def paired(puzzle: Puzzle) -> tuple[Puzzle, int]:
    """Return the puzzle with equal tiles numbered for the fewest steps, and how many these are.

    The steps are a lower bound of its solutions.  If that numbering cannot come home, two equal
    tiles are exchanged that cost least; the bound stays.
    """
    tiles = puzzle.tiles[:]
    cells: dict[int, list[int]] = {}
    for cell, tile in enumerate(tiles):
        if tile:
            cells.setdefault(puzzle.kinds[tile], []).append(cell)
    for group in cells.values():
        numbers = [tiles[cell] for cell in group]
        costs = [[steps(puzzle, number, cell) for number in numbers] for cell in group]
        for cell, col in zip(group, assign(costs), strict=True):
            tiles[cell] = numbers[col]
    best = puzzle.with_tiles(tiles)
    bound = distance(best)
    if not parity_fits(puzzle.rows, puzzle.cols, tiles):
        _, one, other = min(
            (_exchange(best, one, other), one, other)
            for group in cells.values()
            for one in group
            for other in group
            if one < other
        )
        tiles[one], tiles[other] = tiles[other], tiles[one]
        best = puzzle.with_tiles(tiles)
    return best, bound


def _exchange(puzzle: Puzzle, one: int, other: int) -> int:
    """Return how many steps exchanging the tiles of two cells costs."""
    first, second = puzzle.tiles[one], puzzle.tiles[other]
    after = steps(puzzle, first, other) + steps(puzzle, second, one)
    return after - steps(puzzle, first, one) - steps(puzzle, second, other)

"""The layers of a board, from the outside to the inside, and the costs of tiles away from home."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from gridhouse.core.fast import np
from gridhouse.core.records import to_records
from gridhouse.games.sliding.solver.beam import layer_beam
from gridhouse.games.sliding.solver.puzzle import Puzzle, neighbours

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_MOVES = 3000  # of one layer

# The weights of a score, tuned on random boards of 8x8 to 12x12 by an evolution strategy (Hansen
# and Ostermeier, 2001).  Steps of the layer's tiles across its line and along it count to a power,
# so that tiles far from home come along early; less where both are to be done.
OWN, OWN_POWER, BOTH = 70, 1.4, -30
ACROSS = 40  # more where a tile is not on its line yet,
ALONG = -60  # and less where it is, but elsewhere on it
# Steps of the tiles of the next layer, of the one after it and of others, on boards of ``SIDE``
# rows.  On larger boards they count less, or all of the board would be put in order before the
# first layer.
INNER, INNER_POWER, SIDE = (29, 17, 13), 1.6, 8
CONFLICT = 80  # a move beyond the distance
AWAY = 28  # a step from the empty cell to a misplaced tile of the layer


class RemainingBoard:
    """The rows and columns of a board that are still to be brought home: from these on."""

    def __init__(self, rows: int, cols: int, row: int = 0, col: int = 0) -> None:
        """Begin with a board as a whole."""
        self.rows = rows
        self.cols = cols
        self.row = row
        self.col = col
        high, wide = rows - row, cols - col
        self.has_row = high >= wide
        self.has_col = wide >= high

    def is_small(self, database_side: int) -> bool:
        """Tell whether it is left to databases of boards of that side, or has no layer left."""
        return self.size <= database_side * database_side

    @property
    def size(self) -> int:
        """The number of its cells; the moves of a layer grow with it."""
        return (self.rows - self.row) * (self.cols - self.col)

    def work(self, database_side: int) -> int:
        """Return the sizes of all layers from here on, the databases' part counted double."""
        if self.is_small(database_side):
            return 2 * self.size
        return self.size + self.without_layer().work(database_side)

    def without_layer(self) -> RemainingBoard:
        """Return the board that remains after the outer layer."""
        return RemainingBoard(
            self.rows, self.cols, self.row + self.has_row, self.col + self.has_col
        )

    def holds(self, cell: int) -> bool:
        """Tell whether it has a cell."""
        return cell // self.cols >= self.row and cell % self.cols >= self.col

    def is_outer(self, cell: int) -> bool:
        """Tell whether a cell is in its outer row or column."""
        on_row = self.has_row and cell // self.cols == self.row
        return self.holds(cell) and (on_row or (self.has_col and cell % self.cols == self.col))

    @property
    def corner(self) -> tuple[int, int, int, int]:
        """The arguments that it was made with."""
        return self.rows, self.cols, self.row, self.col

    def record(self, width: int, tie_break: int) -> np.ndarray:
        """Return the record for the beam that brings the outer layer home."""
        layer = layer_beam.LayerBeam()
        cells = self.rows * self.cols
        layer.cells, layer.cols = cells, self.cols
        layer.top = self.row if self.has_row else -1
        layer.left = self.col if self.has_col else -1
        layer.width, layer.max_moves, layer.tie_break = width, MAX_MOVES, tie_break
        layer.conflict, layer.away = CONFLICT, AWAY
        for cell, near in enumerate(neighbours(self.rows, self.cols)):
            layer.row[cell], layer.col[cell] = divmod(cell, self.cols)
            for move, target in enumerate(near):
                is_open = target >= 0 and self.holds(target)
                layer.neighbour[layer_beam.NUM_MOVES * cell + move] = target if is_open else -1
            if cell < cells - 1 and self.holds(cell):
                layer.is_target[cell + 1] = int(self.is_outer(cell))
        return to_records(layer)

    def as_puzzle(self, puzzle: Puzzle) -> tuple[Puzzle, Callable[[list[int]], list[int]]]:
        """Return it as a puzzle, and a function that renumbers tiles of the whole board for it."""
        cells = [cell for cell in range(puzzle.cells) if self.holds(cell)]
        numbers = {cell + 1: number for number, cell in enumerate(cells, 1)}
        numbers[0] = 0
        classes = [0, *(puzzle.tile_classes[cell + 1] for cell in cells[:-1])]

        def renumber(tiles: list[int]) -> list[int]:
            return [numbers[tiles[cell]] for cell in cells]

        tiles = renumber(puzzle.tiles)
        return Puzzle(self.rows - self.row, self.cols - self.col, tiles, classes), renumber


@lru_cache(maxsize=16)
def costs(rows: int, cols: int, row: int, col: int) -> np.ndarray:
    """Return by tile and cell the cost of the tile there; these rows and columns remain."""
    cells = rows * cols
    side = max(rows - row, cols - col)
    down, across = np.divmod(np.arange(cells), cols)
    steps = np.indices((max(rows, cols), max(rows, cols)))
    found = np.zeros((cells + 1, cells), np.int16)
    remaining, depth = RemainingBoard(rows, cols, row, col), 0
    while remaining.size > 0:
        by_steps = _inner_costs(depth, side, *steps) if depth else _outer_costs(*steps)
        for cell in range(cells):
            if remaining.is_outer(cell):
                away = abs(down - down[cell]), abs(across - across[cell])
                on_row = remaining.has_row and down[cell] == remaining.row
                found[cell + 1] = by_steps[away] if on_row else by_steps[away[::-1]]
        remaining, depth = remaining.without_layer(), depth + 1
    return found[:cells].reshape(-1)


def _outer_costs(off: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return the cost of a tile of the layer by its steps from home, off its line and along it."""
    cost = OWN * (off**OWN_POWER + along**OWN_POWER) + BOTH * np.minimum(off, along)
    found: np.ndarray = np.rint(cost + ACROSS * (off > 0) + ALONG * ((off == 0) & (along > 0)))
    return found


def _inner_costs(depth: int, side: int, off: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return the same of a tile that is ``depth`` layers inside, on ``side`` remaining rows."""
    weight = INNER[min(depth, len(INNER)) - 1] * SIDE / side
    found: np.ndarray = np.rint(weight * (off**INNER_POWER + along**INNER_POWER))
    return found

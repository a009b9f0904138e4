"""The layers of a board, from the outside to the inside, and what tiles away from home count."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.core.records import to_records
from gridhouse.games.sliding.solver.beam import layer_beam
from gridhouse.games.sliding.solver.puzzle import Puzzle, neighbours

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 3000  # moves for one layer

# What counts how much, tuned on random boards of 8x8 to 12x12 by an evolution strategy (Hansen and
# Ostermeier, 2001).  Steps of the layer's tiles across its line and along it count to a power, so
# that tiles far from home come along early, less where both are to be done ...
OWN, OWN_POWER, BOTH = 70, 1.4, -30
ACROSS = 40  # ... more where a tile is not on its line yet,
ALONG = -60  # and less where it is, but elsewhere on it.
# Steps of the next layer's tiles, of the one after and of others, on boards of so many rows; on
# larger ones they count less, or all of the board would be put in order before the first layer.
INNER, INNER_POWER, SIDE = (29, 17, 13), 1.6, 8
CONFLICT = 80  # a move beyond the distance
AWAY = 28  # a step from the empty cell to a tile of the layer that is not home


class Ends:
    """The rest of a board that is still to do: rows and columns from these on."""

    def __init__(self, rows: int, cols: int, row: int = 0, col: int = 0) -> None:
        """Begin with a board as a whole."""
        self.rows = rows
        self.cols = cols
        self.row = row
        self.col = col
        high, wide = rows - row, cols - col
        self.has_row = high >= wide
        self.has_col = wide >= high

    def is_small(self, core: int) -> bool:
        """Tell whether the rest is for the databases, or too thin for another layer."""
        return self.size <= core * core

    @property
    def size(self) -> int:
        """The number of cells of the rest; the moves of a layer grow with it."""
        return (self.rows - self.row) * (self.cols - self.col)

    def work(self, core: int) -> int:
        """Return the sizes of all layers from here on, the databases' part counted double."""
        return 2 * self.size if self.is_small(core) else self.size + self.next().work(core)

    def next(self) -> Ends:
        """Return what is left after this layer."""
        return Ends(self.rows, self.cols, self.row + self.has_row, self.col + self.has_col)

    def holds(self, cell: int) -> bool:
        """Tell whether a cell is in the rest."""
        return cell // self.cols >= self.row and cell % self.cols >= self.col

    def is_outer(self, cell: int) -> bool:
        """Tell whether a cell of the rest is in its outer row or column."""
        on_row = self.has_row and cell // self.cols == self.row
        return self.holds(cell) and (on_row or (self.has_col and cell % self.cols == self.col))

    @property
    def corner(self) -> tuple[int, int, int, int]:
        """What it was made of."""
        return self.rows, self.cols, self.row, self.col

    def record(self, width: int, salt: int) -> Any:
        """Return the record for the beam that does the layer."""
        layer = layer_beam.Layer()
        cells = self.rows * self.cols
        layer.cells, layer.cols = cells, self.cols
        layer.top = self.row if self.has_row else -1
        layer.left = self.col if self.has_col else -1
        layer.width, layer.most, layer.salt = width, MOST, salt
        layer.conflict, layer.away = CONFLICT, AWAY
        for cell, near in enumerate(neighbours(self.rows, self.cols)):
            layer.row[cell], layer.col[cell] = divmod(cell, self.cols)
            for move, there in enumerate(near):
                is_open = there >= 0 and self.holds(there)
                layer.next[layer_beam.NUM_MOVES * cell + move] = there if is_open else -1
            if cell < cells - 1 and self.holds(cell):
                layer.target[cell + 1] = int(self.is_outer(cell))
        return to_records(layer)

    def inner(self, puzzle: Puzzle) -> tuple[Puzzle, Callable[[list[int]], list[int]]]:
        """Return the rest as a puzzle of its own, and what turns tiles of the whole into its."""
        cells = [cell for cell in range(puzzle.cells) if self.holds(cell)]
        numbers = {cell + 1: number for number, cell in enumerate(cells, 1)}
        numbers[0] = 0
        kinds = [0, *(puzzle.kinds[cell + 1] for cell in cells[:-1])]

        def turn(tiles: list[int]) -> list[int]:
            return [numbers[tiles[cell]] for cell in cells]

        rest = Puzzle(self.rows - self.row, self.cols - self.col, turn(puzzle.tiles), kinds)
        return rest, turn


@lru_cache(maxsize=16)
def costs(rows: int, cols: int, row: int, col: int) -> Any:
    """Return by tile and cell what the tile counts there when these rows and columns are next."""
    cells = rows * cols
    side = max(rows - row, cols - col)
    down, across = np.divmod(np.arange(cells), cols)
    steps = np.indices((max(rows, cols), max(rows, cols)))
    found = np.zeros((cells + 1, cells), np.int16)
    ends, depth = Ends(rows, cols, row, col), 0
    while ends.size > 0:
        counts = inner(depth, side, *steps) if depth else own(*steps)
        for cell in range(cells):
            if ends.is_outer(cell):
                away = abs(down - down[cell]), abs(across - across[cell])
                on_row = ends.has_row and down[cell] == ends.row
                found[cell + 1] = counts[away] if on_row else counts[away[::-1]]
        ends, depth = ends.next(), depth + 1
    return found[:cells].reshape(-1)


def own(off: Any, along: Any) -> Any:
    """Return what a tile of the layer counts so many steps from home, off its line and along it."""
    steps = OWN * (off**OWN_POWER + along**OWN_POWER) + BOTH * np.minimum(off, along)
    return np.rint(steps + ACROSS * (off > 0) + ALONG * ((off == 0) & (along > 0)))


def inner(depth: int, side: int, off: Any, along: Any) -> Any:
    """Return what a tile counts that is of a later layer, ``depth`` on, with so many rows left."""
    weight = INNER[min(depth, len(INNER)) - 1] * SIDE / side
    return np.rint(weight * (off**INNER_POWER + along**INNER_POWER))

"""The puzzle as solvers see it: numbered tiles, the goal cells of each, and solvability."""

from __future__ import annotations

from gridhouse.core.errors import SolverError
from gridhouse.games.sliding import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.games.sliding.rules import Position

MOVES = "UDLR"


class Puzzle:
    """A board of tiles, each with the number of its home plus one; 0 is the empty cell.

    The empty cell ends on ``blank_goal``, by default the last cell; tiles behind that have the
    number of their home.  ``tile_classes`` is by tile the number of its class: equal tiles have the
    same one, and each may end on the home of any other.
    """

    def __init__(
        self,
        rows: int,
        cols: int,
        tiles: Sequence[int],
        tile_classes: Sequence[int],
        blank_goal: int | None = None,
    ) -> None:
        """Take the tiles row by row."""
        self.rows = rows
        self.cols = cols
        self.tiles = list(tiles)
        self.tile_classes = list(tile_classes)
        self.blank_goal = rows * cols - 1 if blank_goal is None else blank_goal

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.rows * self.cols

    @property
    def is_distinct(self) -> bool:
        """Whether no two tiles are equal."""
        return len(set(self.tile_classes)) == self.cells

    @property
    def has_blank_last(self) -> bool:
        """Whether the empty cell belongs on the last cell."""
        return self.blank_goal == self.cells - 1

    @property
    def has_mirror(self) -> bool:
        """Whether databases hold for the board mirrored (Culberson and Schaeffer, 1998) as well."""
        return self.rows == self.cols and self.is_distinct and self.has_blank_last

    def goal_cells(self, tile: int) -> list[int]:
        """Return the cells where a tile may end."""
        classes = self.tile_classes
        return [
            cell
            for cell, other in enumerate(self.goal())
            if other and classes[other] == classes[tile]
        ]

    def goal(self) -> list[int]:
        """Return by cell the tile that belongs there."""
        return [*range(1, self.blank_goal + 1), 0, *range(self.blank_goal + 1, self.cells)]

    def with_tiles(self, tiles: Sequence[int]) -> Puzzle:
        """Return the same puzzle with the tiles elsewhere."""
        return Puzzle(self.rows, self.cols, tiles, self.tile_classes, self.blank_goal)

    def with_distinct_tiles(self) -> Puzzle:
        """Return the same puzzle with all tiles told apart; each has its own home only."""
        return Puzzle(self.rows, self.cols, self.tiles, range(self.cells), self.blank_goal)

    def reversed(self) -> Puzzle:
        """Return the puzzle of the way back: its solutions are this one's, read backwards."""
        numbers: dict[int, list[int]] = {}
        tile_classes = [0]
        for number, tile in enumerate(filter(None, self.tiles), 1):
            alike = numbers.setdefault(self.tile_classes[tile], [])
            alike.append(number)
            tile_classes.append(alike[0])
        tiles = [numbers[self.tile_classes[tile]].pop(0) if tile else 0 for tile in self.goal()]
        return Puzzle(self.rows, self.cols, tiles, tile_classes, self.tiles.index(0))

    def is_solved(self) -> bool:
        """Tell whether all tiles and the empty cell are on goal cells."""
        return [self.tile_classes[tile] for tile in self.tiles] == [
            self.tile_classes[tile] for tile in self.goal()
        ]


def neighbours(rows: int, cols: int) -> list[list[int]]:
    """Return by cell the neighbours up, down, left and right, -1 for none."""
    near = []
    for cell in range(rows * cols):
        row, col = divmod(cell, cols)
        near.append(
            [
                cell - cols if row else -1,
                cell + cols if row < rows - 1 else -1,
                cell - 1 if col else -1,
                cell + 1 if col < cols - 1 else -1,
            ]
        )
    return near


def inverted(moves: Sequence[int]) -> list[int]:
    """Return the moves that undo others."""
    return [move ^ 1 for move in reversed(moves)]


def round_up_to_parity(puzzle: Puzzle, least: int) -> int:
    """Return a lower bound of the moves, raised by one if its parity is not that of all solutions.

    Every move changes the colour of the empty cell's cell.
    """
    row, col = divmod(puzzle.tiles.index(0), puzzle.cols)
    last_row, last_col = divmod(puzzle.blank_goal, puzzle.cols)
    return least + (least + last_row - row + last_col - col) % 2


def is_even(order: Sequence[int]) -> bool:
    """Tell whether a permutation of 0, 1, 2 … is even."""
    seen = [False] * len(order)
    even = True
    for start in range(len(order)):
        at, length = start, 0
        while not seen[at]:
            seen[at] = True
            at = order[at]
            length += 1
        if length and length % 2 == 0:
            even = not even
    return even


def is_solvable(rows: int, cols: int, tiles: Sequence[int]) -> bool:
    """Tell whether distinct tiles can come home (Johnson and Story, 1879).

    Every move is an exchange with the empty cell and changes the colour of its cell.
    """
    blank = tiles.index(0)
    away = rows - 1 - blank // cols + cols - 1 - blank % cols
    home = [tile - 1 if tile else rows * cols - 1 for tile in tiles]
    return is_even(home) == (away % 2 == 0)


def puzzle_of(state: Position) -> Puzzle:
    """Return the puzzle of a position, its equal tiles numbered so that the numbers can come home.

    Raises SolverError, with the reason, if it cannot be solved.
    """
    rows, cols = int(state.rows), int(state.cols)
    last = rows * cols - 1
    letters = [int(letter) for letter in state.tiles[: last + 1]]
    goal = [int(letter) for letter in state.goal[:last]]
    if letters.count(rules.EMPTY) != 1 or sorted(letters) != sorted([rules.EMPTY, *goal]):
        raise SolverError("the puzzle cannot be solved: it has other letters than its solution")
    numbers = {letter: [at + 1 for at in range(last) if goal[at] == letter] for letter in goal}
    tile_classes = [0, *(numbers[letter][0] for letter in goal)]
    tiles = [numbers[letter].pop(0) if letter else 0 for letter in letters]
    if not is_solvable(rows, cols, tiles):
        _exchange_equal(tiles, tile_classes)
    return Puzzle(rows, cols, tiles, tile_classes)


def _exchange_equal(tiles: list[int], tile_classes: list[int]) -> None:
    """Exchange two equal tiles, which makes an odd puzzle even; raises SolverError without any."""
    first: dict[int, int] = {}
    for cell, tile in enumerate(tiles):
        if tile and tile_classes[tile] in first:
            other = first[tile_classes[tile]]
            tiles[cell], tiles[other] = tiles[other], tile
            return
        first[tile_classes[tile]] = cell
    raise SolverError(
        "the puzzle cannot be solved: it is an odd permutation of its solution, as if two tiles "
        "had been exchanged by hand, and no two tiles are equal"
    )

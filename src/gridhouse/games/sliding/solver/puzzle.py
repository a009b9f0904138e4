"""A puzzle as the solvers see it: numbered tiles, the cells where each may end, whether it can."""

from __future__ import annotations

from gridhouse.core.errors import SolverError
from gridhouse.games.sliding import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.games.sliding.rules import Position

MOVES = "UDLR"


class Puzzle:
    """A board of tiles, numbered by the cells where they belong; 0 is the empty cell.

    ``rest`` is the cell where that belongs, the last one where nothing else is said.  ``kinds``
    says by tile which are equal to each other: a tile may end on the cell of any equal one.
    ``kinds[0]`` is that of the empty cell.
    """

    def __init__(
        self,
        rows: int,
        cols: int,
        tiles: Sequence[int],
        kinds: Sequence[int],
        rest: int | None = None,
    ) -> None:
        """Take the tiles row by row."""
        self.rows = rows
        self.cols = cols
        self.tiles = list(tiles)
        self.kinds = list(kinds)
        self.rest = rows * cols - 1 if rest is None else rest

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.rows * self.cols

    @property
    def is_distinct(self) -> bool:
        """Whether no two tiles are equal."""
        return len(set(self.kinds)) == self.cells

    @property
    def ends_last(self) -> bool:
        """Whether the empty cell belongs on the last cell."""
        return self.rest == self.cells - 1

    @property
    def has_mirror(self) -> bool:
        """Whether databases hold for the board mirrored (Culberson and Schaeffer, 1998) as well."""
        return self.rows == self.cols and self.is_distinct and self.ends_last

    def homes(self, tile: int) -> list[int]:
        """Return the cells where a tile may end."""
        kind = self.kinds[tile]
        return [
            cell for cell, other in enumerate(self.goal()) if other and self.kinds[other] == kind
        ]

    def goal(self) -> list[int]:
        """Return by cell the tile that belongs there."""
        return [*range(1, self.rest + 1), 0, *range(self.rest + 1, self.cells)]

    def with_tiles(self, tiles: Sequence[int]) -> Puzzle:
        """Return the same puzzle with the tiles elsewhere."""
        return Puzzle(self.rows, self.cols, tiles, self.kinds, self.rest)

    def numbered(self) -> Puzzle:
        """Return the same puzzle with all tiles told apart, each bound for its own cell."""
        return Puzzle(self.rows, self.cols, self.tiles, range(self.cells), self.rest)

    def reversed(self) -> Puzzle:
        """Return the puzzle of the way back: its solutions are this one's, read backwards."""
        numbers: dict[int, list[int]] = {}
        kinds = [0]
        for number, tile in enumerate(filter(None, self.tiles), 1):
            alike = numbers.setdefault(self.kinds[tile], [])
            alike.append(number)
            kinds.append(alike[0])
        tiles = [numbers[self.kinds[tile]].pop(0) if tile else 0 for tile in self.goal()]
        return Puzzle(self.rows, self.cols, tiles, kinds, self.tiles.index(0))

    def is_solved(self) -> bool:
        """Tell whether every tile is where it may end, and the empty cell too."""
        return [self.kinds[tile] for tile in self.tiles] == [
            self.kinds[tile] for tile in self.goal()
        ]


def neighbours(rows: int, cols: int) -> list[list[int]]:
    """Return by cell where the empty cell comes to by U, D, L and R, -1 for nowhere."""
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


def backwards(moves: Sequence[int]) -> list[int]:
    """Return the moves that take others back."""
    return [move ^ 1 for move in reversed(moves)]


def even_out(puzzle: Puzzle, least: int) -> int:
    """Return a lower bound, one more if no solution has so many moves.

    Every move changes the colour of the empty cell's cell.
    """
    row, col = divmod(puzzle.tiles.index(0), puzzle.cols)
    last_row, last_col = divmod(puzzle.rest, puzzle.cols)
    return least + (least + last_row - row + last_col - col) % 2


def is_even(order: Sequence[int]) -> bool:
    """Tell whether a permutation of 0, 1, 2 … takes an even number of exchanges."""
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


def parity_fits(rows: int, cols: int, tiles: Sequence[int]) -> bool:
    """Tell whether moves can bring distinct tiles home (Johnson and Story, 1879).

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
    kinds = [0, *(numbers[letter][0] for letter in goal)]
    tiles = [numbers[letter].pop(0) if letter else 0 for letter in letters]
    if not parity_fits(rows, cols, tiles):
        _exchange_equal(tiles, kinds)
    return Puzzle(rows, cols, tiles, kinds)


def _exchange_equal(tiles: list[int], kinds: list[int]) -> None:
    """Exchange two equal tiles, which makes an odd puzzle even; raises SolverError without any."""
    first: dict[int, int] = {}
    for cell, tile in enumerate(tiles):
        if tile and kinds[tile] in first:
            other = first[kinds[tile]]
            tiles[cell], tiles[other] = tiles[other], tile
            return
        first[kinds[tile]] = cell
    raise SolverError(
        "the puzzle cannot be solved: it is an odd permutation of its solution, as if two tiles "
        "had been exchanged by hand, and no two tiles are equal"
    )

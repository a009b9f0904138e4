"""The layout of the window of Sinks, and the field or button at a point.

The unit is one pixel of the canvas; y counts from the bottom.  The board is seen obliquely from
the front: fields stay squares, and a height of ``z`` fields is drawn ``LIFT * z`` fields further
up.  LIFT and INSET are such that no block hides the centre of the field behind it.
"""

from __future__ import annotations

from typing import NamedTuple

from gridhouse.games.sinks import rules
from gridhouse.games.sinks.rules import NOWHERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.sinks.rules import Position

WIDTH = 1000
HEIGHT = 720
LIFT = 0.19
INSET = 0.09  # the margin between a block and the edges of its fields

BOARD_LEFT = 52
BOARD_BOTTOM = 84
BOARD_SIZE = 600
PANEL_LEFT = 700
PANEL_WIDTH = 276
START_GAP = 24
START_MIDDLE = 350
START_NAME = 46  # the height of a start position's name
START_MARGIN = 22  # between the edge of a start's card and its little board


class Box(NamedTuple):
    """A rectangle: its bottom-left corner and its extents."""

    left: float
    bottom: float
    width: float
    height: float

    def holds(self, x: float, y: float) -> bool:
        """Tell whether the rectangle contains a point."""
        return (
            self.left <= x < self.left + self.width and self.bottom <= y < self.bottom + self.height
        )

    def centre(self) -> tuple[float, float]:
        """Return the middle of the rectangle."""
        return self.left + self.width / 2, self.bottom + self.height / 2

    def shrunk(self, by: float) -> Box:
        """Return the rectangle without a margin of width ``by``."""
        return Box(self.left + by, self.bottom + by, self.width - 2 * by, self.height - 2 * by)


class Place(NamedTuple):
    """The position of a board on the canvas, and the size of its fields."""

    left: float
    bottom: float
    field: float
    rows: int
    cols: int

    def box(self, row: float, col: float, height: float = 1, width: float = 1) -> Box:
        """Return the rectangle of some fields, from a row and column on."""
        left = self.left + col * self.field
        bottom = self.bottom + row * self.field
        return Box(left, bottom, width * self.field, height * self.field)

    def whole(self) -> Box:
        """Return the rectangle of all fields."""
        return self.box(0, 0, self.rows, self.cols)

    def cell_box(self, cell: int) -> Box:
        """Return the rectangle of a field."""
        return self.box(*divmod(cell, self.cols))

    def point(self, x: float, y: float, z: float) -> tuple[float, float]:
        """Return the canvas point of a point over the board, which is in units of fields."""
        return self.left + x * self.field, self.bottom + (y + LIFT * z) * self.field

    def pick(self, position: Position, x: float, y: float) -> int:
        """Return the cell that is visible at a point, NOWHERE off the board.

        A block that covers part of the field behind it is picked there.
        """
        if not self.whole().holds(x, y):
            return NOWHERE
        row, up = divmod((y - self.bottom) / self.field, 1)
        col, right = divmod((x - self.left) / self.field, 1)
        cell = int(row) * self.cols + int(col)
        below = cell - self.cols
        if below >= 0 and INSET <= right <= 1 - INSET and up < overlap(position, below):
            return below
        return cell


def overlap(position: Position, cell: int) -> float:
    """Return the height, in fields, by which a piece covers the field behind it."""
    anchor = rules.named(position, cell)
    kind = position.kind[anchor]
    if not rules.is_piece(kind) or rules.named(position, cell + position.cols) == anchor:
        return 0.0
    return (rise(kind, position.lie[anchor]) - INSET) * LIFT - INSET


def rise(kind: int, lie: int) -> int:
    """Return the height of a piece in fields."""
    if rules.is_cube(kind):
        return 2
    return rules.worth(kind) if lie == rules.UPRIGHT else 1


def board_place(rows: int, cols: int, box: Box) -> Place:
    """Return the place of a board that fills a rectangle and is centred in it."""
    field = min(box.width / cols, box.height / rows)
    x, y = box.centre()
    return Place(x - field * cols / 2, y - field * rows / 2, field, rows, cols)


def main_place(rows: int, cols: int) -> Place:
    """Return the place of the game's board."""
    return board_place(rows, cols, Box(BOARD_LEFT, BOARD_BOTTOM, BOARD_SIZE, BOARD_SIZE))


def start_cards(count: int) -> list[Box]:
    """Return the rectangles of the start positions."""
    width = (WIDTH - START_GAP) / count - START_GAP
    height = width + START_NAME
    return [
        Box(START_GAP + number * (width + START_GAP), START_MIDDLE - height / 2, width, height)
        for number in range(count)
    ]


def start_place(rows: int, cols: int, card: Box) -> Place:
    """Return the place of the small board on a card."""
    board = Box(card.left, card.bottom + START_NAME, card.width, card.height - START_NAME)
    return board_place(rows, cols, board.shrunk(START_MARGIN))


def _button(number: int) -> Box:
    """Return the rectangle of a button of the panel, which has two in a row."""
    row, col = divmod(number, 2)
    return Box(PANEL_LEFT + col * 142, 280 - row * 50, 134, 42)


LABELS = {
    "b": "Bomb",
    "f": "Freeze",
    "v": "Show bombs",
    "n": "New game",
    "h": "Help",
    "q": "Quit",
}
BUTTONS = {key: _button(number) for number, key in enumerate(LABELS)}
MESSAGE_BAR = Box(26, 10, 652, 38)
TYPED_LINE = Box(PANEL_LEFT, 116, PANEL_WIDTH, 36)
TURN_CARD = Box(PANEL_LEFT, 616, PANEL_WIDTH, 90)
SIDE_CARDS = (Box(PANEL_LEFT, 476, PANEL_WIDTH, 128), Box(PANEL_LEFT, 336, PANEL_WIDTH, 128))
BANNER = Box(102, 282, 500, 188)
AGAIN = Box(262, 324, 180, 44)  # the banner's button for a new game


def button_at(x: float, y: float) -> str:
    """Return the key of the panel's button at a point, "" if there is none."""
    return next((key for key, box in BUTTONS.items() if box.holds(x, y)), "")

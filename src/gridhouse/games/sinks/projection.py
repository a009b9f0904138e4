"""The cameras of Sinks: how points over the board become points of the picture.

A camera looks from above, from a corner or from an edge.  Lengths are in fields.  The board is
first turned: ``u`` counts fields to the right and ``v`` fields away from the viewer; a level is the
height of the smallest block.  Every projection is linear: a page rolls blocks with its matrix.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from gridhouse.core.picture import CELL, EDGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Point = tuple[float, float]

NAMES = (
    "from above",
    "from the south-west",
    "from the west",
    "from the north-west",
    "from the north",
    "from the north-east",
    "from the east",
    "from the south-east",
    "from the south",
)
ABOVE = 0
RIM = 10  # units around the board where no numbers are
GAP = 0.04  # between objects and the edges of their fields


class Kind(NamedTuple):
    """A kind of projection.

    ``right``, ``away`` and ``up`` are the steps in the picture, in units, of a field or a level.
    ``light`` is the shadow, in fields, of a body of one level.  ``numbers`` are the distances, in
    fields, of the numbers from the left and the near edge.
    """

    right: Point
    away: Point
    up: float
    light: Point
    numbers: Point


FLAT = Kind((CELL, 0), (0, -CELL), 0, (0.24, -0.14), (0.22, 0.22))
CORNER = Kind((34, -23), (-34, -23), 28, (0.3, -0.3), (0.4, 0.4))
FRONT = Kind((CELL, 0), (0, -39), 30, (0.34, -0.1), (0.22, 0.34))


class Body(NamedTuple):
    """A block as the camera sees it: its nearest column and row, and its size along the axes."""

    col: int
    row: int
    wide: int
    deep: int
    levels: int

    def is_beyond(self, other: Body) -> bool:
        """Tell whether a line between two rows or columns has this on its far side only."""
        return self.col >= other.col + other.wide or self.row >= other.row + other.deep

    def hides_behind(self, other: Body) -> bool:
        """Tell whether the other has to be drawn later; bodies side by side never overlap."""
        return self.is_beyond(other) and not other.is_beyond(self)

    def corners(self, gap: float = GAP) -> tuple[Point, ...]:
        """Return the corners of the floor under the body."""
        left, right = self.col + gap, self.col + self.wide - gap
        near, far = self.row + gap, self.row + self.deep - gap
        return (left, near), (right, near), (right, far), (left, far)


class Camera:
    """A camera over a board; equal cameras are one object, see :func:`camera`."""

    def __init__(self, kind: Kind, quarters: int, rows: int, cols: int, levels: int) -> None:
        """Turn a board of this size by some quarters; ``levels`` is the height of its blocks."""
        self.kind = kind
        self.quarters = quarters
        self.rows, self.cols = rows, cols
        self.size = (rows, cols) if quarters % 2 else (cols, rows)  # to the right and away
        self.is_flat = kind.up == 0
        self.left, self.top, right, bottom = self._box(levels)
        self.extent = right - self.left, bottom - self.top

    def turned(self, x: float, y: float) -> Point:
        """Return a point of the board, by column and row, as the viewer counts."""
        return turned(x, y, self.cols, self.rows, self.quarters)

    def body(self, row: int, col: int, wide: int, deep: int, levels: int) -> Body:
        """Return the body on these fields of the board."""
        (u, v), (other_u, other_v) = self.turned(col, row), self.turned(col + wide, row + deep)
        left, near = int(min(u, other_u)), int(min(v, other_v))
        return Body(left, near, int(abs(u - other_u)), int(abs(v - other_v)), levels)

    def _raw(self, u: float, v: float, level: float) -> Point:
        (right_x, right_y), (away_x, away_y), up = self.kind[:3]
        return u * right_x + v * away_x, u * right_y + v * away_y - level * up

    def _box(self, levels: int) -> tuple[float, float, float, float]:
        """Return the left, upper, right and lower limits of the picture."""
        u, v = self.size
        corners = [
            self._raw(*corner, level)
            for corner in ((0, 0), (u, 0), (u, v), (0, v))
            for level in (0, levels)
        ]
        margin = RIM if self.kind is CORNER else EDGE
        left, right = (pick(x for x, _ in corners) for pick in (min, max))
        top, bottom = (pick(y for _, y in corners) for pick in (min, max))
        return left - margin, top - RIM, right + RIM, bottom + margin

    def point(self, u: float, v: float, level: float = 0.0) -> Point:
        """Return the point of the picture for a point over the turned board."""
        x, y = self._raw(u, v, level)
        return x - self.left, y - self.top

    def floor(self, corners: Iterable[Point], level: float = 0.0) -> list[Point]:
        """Return the points of the picture for some points of one level."""
        return [self.point(*corner, level) for corner in corners]

    def numbers(self) -> list[tuple[Point, int]]:
        """Return the numbers of rows and columns along the near edges, with their places."""
        (u, v), (beside, below) = self.size, self.kind.numbers
        edges = [(step + 0.5, -below) for step in range(u)]
        edges += [(-beside, step + 0.5) for step in range(v)]
        numbers = []
        for at, (right, away) in enumerate(edges):
            col, row = turned(max(right, 0), max(away, 0), u, v, -self.quarters % 4)
            is_column = (at < u) == (self.quarters % 2 == 0)
            numbers.append((self.point(right, away), int(col if is_column else row)))
        return numbers

    def matrix(self) -> list[float]:
        """Return the picture's point over the board's corner, and the steps by column, row, level.

        They are coordinates of the board itself, as it is before it is turned.
        """
        start = self.point(*self.turned(0, 0))
        ends = (
            self.point(*self.turned(1, 0)),
            self.point(*self.turned(0, 1)),
            self.point(*self.turned(0, 0), 1),
        )
        return [*start, *(end[axis] - start[axis] for end in ends for axis in range(2))]

    def faces(self, body: Body) -> list[tuple[str, list[Point]]]:
        """Return the visible faces of a body, each with the shade of its colour.

        The last is the top; light comes from the left.
        """
        corners = body.corners()
        low, high = self.floor(corners), self.floor(corners, body.levels)
        front = [low[0], low[1], high[1], high[0]]
        if self.is_flat:
            return [("", high)]
        if self.kind is FRONT:
            return [("-side", front), ("", high)]
        left = [low[3], low[0], high[0], high[3]]
        return [("-side", left), ("-dim", front), ("", high)]

    def silhouette(self, body: Body) -> list[Point]:
        """Return the outline of a body in the picture."""
        corners = body.corners()
        return hull([*self.floor(corners), *self.floor(corners, body.levels)])

    def shadow(self, body: Body, share: float) -> list[Point]:
        """Return the shadow of a body on the floor, or the part of it that a share of it casts."""
        length = body.levels * share
        right, away = self.kind.light
        corners = body.corners(GAP / 2)
        moved = [(u + right * length, v + away * length) for u, v in corners]
        u, v = self.size
        return self.floor(clip(hull([*corners, *moved]), [(0, 0), (u, 0), (u, v), (0, v)]))


@lru_cache(maxsize=256)
def far_to_near(bodies: tuple[Body, ...]) -> tuple[int, ...]:
    """Return the numbers of some bodies, each after those that it may hide."""
    left = dict(enumerate(bodies))
    ordered = []
    while left:
        # Hiding has no cycles, so at least one body hides no other.
        farthest = next(
            at
            for at, body in left.items()
            if not any(other.hides_behind(body) for other in left.values())
        )
        del left[farthest]
        ordered.append(farthest)
    return tuple(ordered)


@lru_cache(maxsize=256)
def camera(number: int, side: int, rows: int, cols: int, levels: int) -> Camera:
    """Return the camera with this number in ``NAMES``, for the player of a side.

    Its picture has room for blocks of so many levels.
    """
    if number == ABOVE:
        return Camera(FLAT, 2 * side, rows, cols, levels)
    kind = CORNER if number % 2 else FRONT
    return Camera(kind, (number // 2 + 2 * side) % 4, rows, cols, levels)


def turned(x: float, y: float, wide: float, high: float, quarters: int) -> Point:
    """Return a point of a rectangle after some quarter turns of the rectangle."""
    for _ in range(quarters):
        x, y, wide, high = high - y, x, high, wide
    return x, y


def cross(start: Point, end: Point, point: Point) -> float:
    """Return twice the area of a triangle; it is positive if the point is left of the line."""
    across = (end[0] - start[0]) * (point[1] - start[1])
    return across - (end[1] - start[1]) * (point[0] - start[0])


def hull(points: Iterable[Point]) -> list[Point]:
    """Return the convex hull, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    chains = []
    for sequence in (ordered, ordered[::-1]):
        chain: list[Point] = []
        for point in sequence:
            while len(chain) > 1 and cross(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        chains += chain[:-1]
    return chains


def clip(shape: Sequence[Point], window: Sequence[Point]) -> list[Point]:
    """Return the part of a convex shape inside a counter-clockwise window (Sutherland, Hodgman)."""
    inside = list(shape)
    for at, end in enumerate(window):
        start, before = window[at - 1], inside
        inside = []
        for number, point in enumerate(before):
            last = before[number - 1]
            here, there = cross(start, end, point), cross(start, end, last)
            if here * there < 0:
                share = there / (there - here)
                inside.append(
                    (last[0] + share * (point[0] - last[0]), last[1] + share * (point[1] - last[1]))
                )
            if here >= 0:
                inside.append(point)
    return inside


def area(shape: Sequence[Point]) -> float:
    """Return the area of a convex shape."""
    return abs(sum(cross((0, 0), shape[at - 1], shape[at]) for at in range(len(shape)))) / 2

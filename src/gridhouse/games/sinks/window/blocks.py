"""The geometry of blocks: visible faces of a lying, standing or rolling body.

Lengths are in fields.  A point ``(x, y, z)`` is over column ``x`` and row ``y`` at height ``z``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gridhouse.games.sinks import rules
from gridhouse.games.sinks.window.layout import INSET, LIFT, rise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Vector = tuple[float, float, float]


class Body(NamedTuple):
    """An axis-parallel box: its lowest corner and its extents."""

    corner: Vector
    extents: Vector

    def spans(self, axis: int) -> list[tuple[float, float]]:
        """Return the unit intervals along an axis; the outer ones are shortened by INSET."""
        start, length = self.corner[axis], round(self.extents[axis])
        cuts = [start + INSET, *(start + cut for cut in range(1, length)), start + length - INSET]
        return list(zip(cuts, cuts[1:]))


class Face(NamedTuple):
    """A square of a body's surface: its corners, and the upward part of its normal."""

    corners: list[Vector]
    upward: float


class Rotation(NamedTuple):
    """A rotation by an angle about the edge at ``pivot``, along axis 0 or 1 with ``sign``."""

    axis: int
    sign: int
    pivot: float
    angle: float

    def vector(self, vector: Vector) -> Vector:
        """Return a direction after the rotation."""
        along, up = self.sign * vector[self.axis], vector[2]
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        turned = self.sign * (along * cos + up * sin)
        height = up * cos - along * sin
        return (turned, vector[1], height) if self.axis == 0 else (vector[0], turned, height)

    def point(self, point: Vector) -> Vector:
        """Return a point after the rotation."""
        offset = (self.pivot, 0.0) if self.axis == 0 else (0.0, self.pivot)
        x, y, z = self.vector((point[0] - offset[0], point[1] - offset[1], point[2]))
        return x + offset[0], y + offset[1], z


STILL = Rotation(0, 1, 0.0, 0.0)


def body(row: float, col: float, kind: int, lie: int) -> Body:
    """Return the body of a piece at a row and column."""
    extents = (rules.width(kind, lie), rules.height(kind, lie), rise(kind, lie))
    return Body((col, row, 0), extents)


def rolling(block: Body, verb: int, share: float) -> Rotation:
    """Return the rotation of a body after a share of its roll in a direction."""
    axis = 0 if verb in (rules.LEFT, rules.RIGHT) else 1
    sign = 1 if verb in (rules.RIGHT, rules.UP) else -1
    pivot = block.corner[axis] + (block.extents[axis] if sign > 0 else 0)
    return Rotation(axis, sign, pivot, share * math.pi / 2)


def faces(block: Body, turn: Rotation = STILL) -> Iterator[Face]:
    """Yield the unit squares of a body's surface that are visible from the front and above."""
    for axis in range(3):
        for side in (-1, 1):
            normal = [0.0, 0.0, 0.0]
            normal[axis] = side
            _, north, upward = turn.vector((normal[0], normal[1], normal[2]))
            if upward - LIFT * north > 1e-9:
                for corners in squares(block, axis, side):
                    yield Face([turn.point(corner) for corner in corners], upward)


def squares(block: Body, axis: int, side: int) -> Iterator[list[Vector]]:
    """Yield the corners of the unit squares of one side of a body."""
    level = block.spans(axis)[0][0] if side < 0 else block.spans(axis)[-1][1]
    first, second = (other for other in range(3) if other != axis)
    for a, b in block.spans(first):
        for c, d in block.spans(second):
            corners = []
            for u, v in ((a, c), (b, c), (b, d), (a, d)):
                point = [level, level, level]
                point[first], point[second] = u, v
                corners.append((point[0], point[1], point[2]))
            yield corners

"""A thin layer over ``stddraw``: whole pixels, colours as triples, one call per shape."""

from __future__ import annotations

import math

from gridhouse.games.sinks.window import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gridhouse.games.sinks.window.layout import Box

    Colour = tuple[int, int, int]
    Point = tuple[float, float]

FONTS = "dejavusans,verdana,segoeui,helvetica,arial"  # the first installed one is used
PEN_UNIT = 512  # stddraw measures a pen's radius in parts of its default canvas


def blend(one: Colour, other: Colour, share: float) -> Colour:
    """Return the mixture of two colours: the first for a share of 0, the second for 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other))
    return red, green, blue


class Canvas:
    """The canvas of the module ``stddraw``, in pixels from the bottom left."""

    def __init__(self, stddraw: Any) -> None:
        """Open the window."""
        self._stddraw = stddraw
        stddraw.setCanvasSize(layout.WIDTH, layout.HEIGHT)
        stddraw.setXscale(0, layout.WIDTH)
        stddraw.setYscale(0, layout.HEIGHT)
        stddraw.setFontFamily(FONTS)

    def show(self, milliseconds: int) -> None:
        """Show the drawing on the screen and wait."""
        self._stddraw.show(milliseconds)

    def _set_pen(self, colour: Colour, width: float = 0) -> None:
        """Set the pen's colour and its width in pixels."""
        self._stddraw.setPenColor(self._stddraw.color.Color(*colour))
        self._stddraw.setPenRadius(width / PEN_UNIT)

    def clear(self, colour: Colour) -> None:
        """Fill the whole canvas."""
        self._stddraw.clear(self._stddraw.color.Color(*colour))

    def rectangle(self, box: Box, colour: Colour) -> None:
        """Fill a rectangle."""
        self._set_pen(colour)
        left, bottom = round(box.left), round(box.bottom)
        width = round(box.left + box.width) - left
        height = round(box.bottom + box.height) - bottom
        self._stddraw.filledRectangle(left, bottom, width, height)

    def frame(self, box: Box, colour: Colour, width: float = 1) -> None:
        """Draw the outline of a rectangle on its inside."""
        left, bottom, across, up = box
        self.rectangle(layout.Box(left, bottom, across, width), colour)
        self.rectangle(layout.Box(left, bottom + up - width, across, width), colour)
        self.rectangle(layout.Box(left, bottom, width, up), colour)
        self.rectangle(layout.Box(left + across - width, bottom, width, up), colour)

    def polygon(self, points: Iterable[Point], colour: Colour) -> None:
        """Fill a polygon."""
        self._set_pen(colour)
        xs, ys = zip(*((round(x), round(y)) for x, y in points))
        self._stddraw.filledPolygon(xs, ys)

    def outline(self, points: Iterable[Point], colour: Colour) -> None:
        """Draw a polygon's edges, one pixel wide."""
        self._set_pen(colour, 1)
        xs, ys = zip(*((round(x), round(y)) for x, y in points))
        self._stddraw.polygon(xs, ys)

    def line(self, start: Point, end: Point, colour: Colour) -> None:
        """Draw a line, two pixels wide."""
        self._set_pen(colour, 1)
        self._stddraw.line(round(start[0]), round(start[1]), round(end[0]), round(end[1]))

    def disc(self, centre: Point, radius: float, colour: Colour) -> None:
        """Fill a circle."""
        self._set_pen(colour)
        self._stddraw.filledCircle(centre[0], centre[1], radius)

    def ring(self, centre: Point, radius: float, colour: Colour) -> None:
        """Draw a circle."""
        self._set_pen(colour, 2)
        self._stddraw.circle(centre[0], centre[1], radius)

    def star(self, centre: Point, radius: float, colour: Colour) -> None:
        """Fill a star of ten points."""
        spokes = (
            (radius if spoke % 2 else radius * 0.55, math.tau * spoke / 20) for spoke in range(20)
        )
        x, y = centre
        self.polygon([(x + r * math.sin(a), y + r * math.cos(a)) for r, a in spokes], colour)

    def text(self, centre: Point, size: int, colour: Colour, words: str) -> None:
        """Write a line of text, its middle at a point."""
        self._set_pen(colour)
        self._stddraw.setFontSize(size)
        self._stddraw.text(centre[0], centre[1], words)

"""The two charts of the pages: ratings with error bars, and the values of a game."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.arena.reports.texts import signed
from gridhouse.core.picture import format_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

STEPS = (1, 2, 5)  # of the axis, times powers of ten
MOST_TICKS = 6
LEAST_SPAN = 10.0  # Elo of the axis
SPARE = 1.2  # the half of the axis, as against that of the finite numbers
EDGE = 4  # percent of the width that stay free at both ends


class Bar(NamedTuple):
    """A row of the ratings: places are in percent of the width; open ends have no bound.

    An infinite rating has no place.
    """

    label: str
    middle: float | None
    low: float
    high: float
    open_low: bool
    open_high: bool


class RatingChart(NamedTuple):
    """The ratings, and the ticks of the axis with their places."""

    bars: list[Bar]
    ticks: list[tuple[float, str]]


def rating_chart(rows: Sequence[tuple[str, float, float, float]]) -> RatingChart | None:
    """Return the chart of ratings with their bounds; None if none of them is finite.

    The axis has 0; an infinite bound is at its end.
    """
    finite = [value for row in rows for value in row[1:] if math.isfinite(value)]
    if not finite:
        return None
    finite.append(0.0)
    middle = (min(finite) + max(finite)) / 2
    half = max((max(finite) - middle) * SPARE, LEAST_SPAN / 2)

    def place(value: float) -> float:
        share = min(1.0, max(-1.0, (value - middle) / half))
        return 50 + (50 - EDGE) * share

    bars = [
        Bar(
            label,
            round(place(elo), 2) if math.isfinite(elo) else None,
            round(place(low), 2),
            round(place(high), 2),
            open_low=math.isinf(low),
            open_high=math.isinf(high),
        )
        for label, elo, low, high in rows
    ]
    ticks = [(round(place(tick), 2), signed(tick)) for tick in _ticks(middle - half, middle + half)]
    return RatingChart(bars, ticks)


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two bounds."""
    power = 10 ** math.floor(math.log10((high - low) / MOST_TICKS))
    sizes = (size * power * ten for ten in (1, 10) for size in STEPS)
    step = next(size for size in sizes if (high - low) / size <= MOST_TICKS)
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def value_lines(told: Iterable[tuple[int, float | None]]) -> list[str]:
    """Return for each side the points of its line, "" if it told no values.

    ``told`` are the side and the value of each move.  A point is the number of the position before
    the move, and the value for the first side, from 1 at the top to -1 at the bottom.
    """
    lines: list[list[str]] = [[], []]
    for at, (side, value) in enumerate(told):
        if value is not None and math.isfinite(value):
            height = -value if side == 0 else value
            lines[side].append(f"{at},{format_number(min(1.0, max(-1.0, height)))}")
    return [" ".join(line) for line in lines]

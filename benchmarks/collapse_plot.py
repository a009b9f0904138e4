"""How Collapse's scores grow with time: ``python benchmarks/collapse_plot.py SAMEGAME FILE.svg``.

On the left the share of random boards that are proved, on the right the mean score of SameGame on
the first boards of the file SAMEGAME, both by the processor's seconds (two threads).
"""

from __future__ import annotations

from math import log10
from time import process_time
from typing import TYPE_CHECKING

import plot_file
from collapse_solver import samegames, sampled
from command_line import Word, start

import gridhouse
from gridhouse.games.collapse import solver
from gridhouse.games.collapse.solver.search import Options, make_search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.core.game import State

Point = tuple[float, float]

WIDE, HIGH, EDGE = 420, 320, 56
SIZES = ((8, 8), (7, 11), (10, 10), (15, 15))
COLOURS = ("#c2410c", "#1d4ed8", "#15803d", "#7e22ce")
MARKS = tuple(0.02 * 1.5**step for step in range(12))  # seconds of the processor
BOARDS = 12
SAMEGAMES = 2


def followed(state: State) -> list[tuple[int, bool]]:
    """Return by time the score of a board and whether it is proved."""
    search = make_search(state, Options(threads=2), jit=True)
    return sampled(search, MARKS, process_time)


def mean(rows: list[list[float]]) -> list[Point]:
    """Return the means of all rows, with their marks."""
    return [(mark, sum(column) / len(rows)) for mark, *column in zip(MARKS, *rows, strict=True)]


def proved(rows: int, cols: int) -> list[Point]:
    """Return by time how many in a hundred boards are proved."""
    game = gridhouse.load("collapse", rows=rows, cols=cols, digits=5)
    states = [game.new_initial_state(seed) for seed in range(BOARDS)]
    return mean([[100.0 * is_proved for _, is_proved in followed(state)] for state in states])


def samegame(file: str) -> list[Point]:
    """Return by time the mean score."""
    states = samegames(file)[:SAMEGAMES]
    return mean([[float(score) for score, _ in followed(state)] for state in states])


def panel(left: float, title: str, most: float, series: Sequence[Sequence[Point]]) -> list[str]:
    """Return the lines of a plot over the logarithm of time."""

    def place(x: float, y: float) -> Point:
        along = log10(x / MARKS[0]) / log10(MARKS[-1] / MARKS[0])
        return left + EDGE + (WIDE - 2 * EDGE) * along, HIGH - EDGE - (HIGH - 2 * EDGE) * y / most

    lines = [f'<text x="{left + WIDE / 2}" y="24" text-anchor="middle">{title}</text>']
    for quarter in range(5):
        x, y = place(MARKS[0], most * quarter / 4)
        lines.append(f'<path d="M{x:.1f} {y:.1f}h{WIDE - 2 * EDGE}" stroke="#ddd"/>')
        label = f"{most * quarter / 4:g}"
        lines.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for tick in (0.1, 1.0):
        x, y = place(tick, 0)
        lines.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{tick:g} s</text>')
    for colour, one in zip(COLOURS, series, strict=False):
        path = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in one)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return lines


def key() -> list[str]:
    """Return the lines that say which colour is which size."""
    return [
        f'<text x="{EDGE + 78 * place}" y="{HIGH - 12}" fill="{colour}">{rows}x{cols}</text>'
        for place, (colour, (rows, cols)) in enumerate(zip(COLOURS, SIZES, strict=True))
    ]


def main(file: Word, path: Word) -> None:
    """Measure, and write the file."""
    solver.warm()
    shares = [proved(*size) for size in SIZES]
    scores = samegame(file)
    for size, share in zip(SIZES, shares, strict=True):
        print(size, " ".join(f"{y:.0f}" for _, y in share))
    print("SameGame", " ".join(f"{y:.0f}" for _, y in scores))
    lines = [
        *panel(0, "Boards proved, of a hundred", 100, shares),
        *key(),
        *panel(WIDE, "SameGame: mean score", 4000, [scores]),
    ]
    plot_file.write(path, 2 * WIDE, HIGH, lines)


if __name__ == "__main__":
    start(main)

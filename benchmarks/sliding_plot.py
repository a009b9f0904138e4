"""What the sliding puzzle costs by its size: ``python benchmarks/sliding_plot.py FILE.svg``.

On the left the nodes of shortest solutions by their length: random 3x3, Korf's hundred 15-puzzles.
On the right the processor's seconds to the first solution, and its length, of boards of 5x5 to
14x14.
"""

from __future__ import annotations

from math import log10
from pathlib import Path
from statistics import mean
from time import process_time
from typing import TYPE_CHECKING

from command_line import Word, start
from sliding_solver import instances, shuffled

from gridhouse.games.sliding import solver

if TYPE_CHECKING:
    from collections.abc import Sequence

Point = tuple[float, float]

WIDE, HIGH, EDGE = 420, 320, 56
SIDES = range(5, 15)
COLOURS = ("#c2410c", "#1d4ed8")


def optimal() -> list[Point]:
    """Return lengths and nodes of shortest solutions."""
    states = [state for _, state in instances("korf15")] + shuffled(3, 60)
    found = [solver.solve_position(state, optimal=True, threads=1) for state in states]
    return [(solution.length, solution.nodes) for solution in found if solution.nodes]


def first() -> tuple[list[Point], list[Point]]:
    """Return by side the seconds to the first solution, and its length."""
    seconds, lengths = [], []
    for side in SIDES:
        states = shuffled(side, 4)
        solver.solve_position(states[0], within=99.0, threads=1)  # waits for compiled code
        began = process_time()
        found = [solver.solve_position(state, within=99.0, threads=1) for state in states[1:]]
        seconds.append((float(side), (process_time() - began) / len(found)))
        lengths.append((float(side), mean(solution.length for solution in found)))
    return seconds, lengths


def panel(left: float, title: str, across: str, series: Sequence[Sequence[Point]]) -> list[str]:
    """Return the lines of a plot with a logarithmic axis upwards."""
    points = [point for one in series for point in one]
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    least = int(log10(min(y for _, y in points)) // 1)
    most = int(-(-log10(max(y for _, y in points)) // 1))

    def place(x: float, y: float) -> Point:
        return (
            left + EDGE + (WIDE - 2 * EDGE) * (x - low) / (high - low),
            HIGH - EDGE - (HIGH - 2 * EDGE) * (log10(y) - least) / (most - least),
        )

    lines = [f'<text x="{left + WIDE / 2}" y="24" text-anchor="middle">{title}</text>']
    lines.append(
        f'<text x="{left + WIDE / 2}" y="{HIGH - 12}" text-anchor="middle">{across}</text>'
    )
    for power in range(least, most + 1):
        x, y = place(low, 10.0**power)
        lines.append(f'<path d="M{x:.1f} {y:.1f}h{WIDE - 2 * EDGE}" stroke="#ddd"/>')
        lines.append(
            f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>'
        )
    for tick in sorted({low, (low + high) // 2, high}):
        x, y = place(tick, 10.0**least)
        lines.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{tick:g}</text>')
    for colour, one in zip(COLOURS, series, strict=False):
        for point in one:
            x, y = place(*point)
            lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
    return lines


def main(path: Word) -> None:
    """Measure, and write the file."""
    seconds, lengths = first()
    for (side, spent), (_, length) in zip(seconds, lengths, strict=True):
        print(f"{side:g}x{side:g}: {spent:.3f} s, {length:.0f} moves")
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDE} {HIGH}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        *panel(0, "Nodes of a shortest solution", "its length: 3x3 and 4x4", [optimal()]),
        *panel(
            WIDE, "First solution: seconds (red), moves (blue)", "side of the board",
            [seconds, lengths],
        ),
        "</svg>",
    ]  # fmt: skip
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    start(main)

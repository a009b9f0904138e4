"""The memory of a house: ``python benchmarks/house_memory_plot.py TABLE.md FILE.svg``.

The numbers are those of the table in docs/performance.md that house_soak.py has led to: the mean of
each ten minutes as a line, between the least and the most.
"""

from __future__ import annotations

import re
from pathlib import Path

import plot_file
from command_line import Word, start

from gridhouse.core.console import UsageError

ROWS = ("| minutes ", "| MiB, mean ", "| MiB, least and most ")
WIDE, HIGH, EDGE = 560, 300, 56
MOST, STEP = 600, 100  # MiB
SPAN = 60  # minutes
COLOUR = "#1d4ed8"


def numbers(text: str, row: str) -> list[int]:
    """Return the numbers in a row of the table; raises UsageError."""
    for line in text.splitlines():
        if line.startswith(row):
            return [int(number) for number in re.findall(r"\d+", line)]
    raise UsageError(f"there is no row that begins with {row!r}")


def place(minutes: float, size: float) -> str:
    """Return where a size in MiB stands at a time."""
    across = EDGE + (WIDE - 2 * EDGE) * minutes / SPAN
    return f"{across:.1f},{HIGH - EDGE - (HIGH - 2 * EDGE) * size / MOST:.1f}"


def drawn(text: str) -> list[str]:
    """Return the lines of the plot; raises UsageError."""
    times, means, bounds = (numbers(text, row) for row in ROWS)
    middles = [(low + high) / 2 for low, high in zip(times[::2], times[1::2], strict=True)]
    least = [place(*each) for each in zip(middles, bounds[::2], strict=True)]
    most = [place(*each) for each in zip(middles, bounds[1::2], strict=True)]
    mean = [place(*each) for each in zip(middles, means, strict=True)]
    lines = [f'<text x="{WIDE / 2}" y="24" text-anchor="middle">Memory of a house, MiB</text>']
    for size in range(0, MOST + 1, STEP):
        x, y = place(0, size).split(",")
        lines.append(f'<path d="M{x} {y}h{WIDE - 2 * EDGE}" stroke="#ddd"/>')
        lines.append(f'<text x="{EDGE - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{size}</text>')
    for minutes in range(0, SPAN + 1, 10):
        x = place(minutes, 0).split(",")[0]
        lines.append(f'<text x="{x}" y="{HIGH - EDGE + 18}" text-anchor="middle">{minutes}</text>')
    lines += [
        f'<text x="{WIDE / 2}" y="{HIGH - 12}" text-anchor="middle">'
        "minutes: mean of ten (line), least and most (area)</text>",
        f'<polygon points="{" ".join(least + most[::-1])}" fill="{COLOUR}" opacity="0.2"/>',
        f'<polyline points="{" ".join(mean)}" fill="none" stroke="{COLOUR}" stroke-width="2"/>',
    ]
    return lines


def main(table: Word, path: Word) -> None:
    """Read the table, and write the file."""
    plot_file.write(path, WIDE, HIGH, drawn(Path(table).read_text(encoding="utf-8")))


if __name__ == "__main__":
    start(main)

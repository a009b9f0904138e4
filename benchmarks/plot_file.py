"""Files of plots, as benchmarks draw them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def write(path: str, wide: int, high: int, lines: Iterable[str]) -> None:
    """Write the elements of an SVG picture of a size in pixels into a file."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
        'font-family="sans-serif" font-size="12">'
    )
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    text = "\n".join((head, paper, *lines, "</svg>", ""))
    Path(path).write_text(text, encoding="utf-8")

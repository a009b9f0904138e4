"""The pictures of visitors: small symmetric patterns, drawn from a hash."""

from __future__ import annotations

import hashlib

PICTURES = range(8)  # among which a visitor chooses
SIZE = 5  # cells of a side; the right half mirrors the left one
COLOURS = 4


def identicon(visitor: str, picture: int) -> str:
    """Return a visitor's picture as SVG; it does not tell who the visitor is."""
    noise = hashlib.sha256(f"picture {picture} {visitor}".encode()).digest()
    half = (SIZE + 1) // 2
    shown = [byte % 2 for byte in noise[: SIZE * half]]
    shown[:half] = [picture >> at & 1 for at in range(half)]  # no two of a visitor are alike
    cells = "".join(
        f"M{col} {row}h1v1h-1z"
        for row in range(SIZE)
        for col in range(SIZE)
        if shown[row * half + min(col, SIZE - 1 - col)]
    )
    colour = noise[-1] % COLOURS
    return (
        f'<svg class="face face-{colour}" viewBox="-1 -1 7 7" aria-hidden="true">'
        f'<path d="{cells}"/></svg>'
    )

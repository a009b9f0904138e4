"""What stands beside the board: pieces that have fallen, or that are still to be placed."""

from __future__ import annotations

from typing import TypedDict


class Token(TypedDict):
    """So many pieces of a kind and a side; ``icon`` is the short text that stands for the kind."""

    label: str
    count: int
    icon: str
    side: int

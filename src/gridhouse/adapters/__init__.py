"""The games in the clothes of other libraries; each module needs the extra of its name."""

from __future__ import annotations

HORIZON = 1000
"""Moves after which a game is cut off where nothing else ends it; a puzzle may last for ever."""


def missing(extra: str) -> ImportError:
    """Return the error for a library that is not installed; it names the extra that brings it."""
    return ImportError(f"gridhouse.adapters.{extra} needs: pip install gridhouse[{extra}]")

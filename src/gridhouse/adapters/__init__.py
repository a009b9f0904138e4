"""The games as environments of other libraries; each module needs the extra of its name."""

from __future__ import annotations

HORIZON = 1000
"""The default limit of moves of a game: a puzzle could go on for ever."""


def missing(extra: str) -> ImportError:
    """Return the error for a library that is not installed; it names the extra that installs it."""
    return ImportError(f"gridhouse.adapters.{extra} needs: pip install gridhouse[{extra}]")

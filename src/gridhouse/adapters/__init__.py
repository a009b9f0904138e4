"""The games as environments of other libraries; each module needs the extra of its name."""

from __future__ import annotations

HORIZON = 1000
"""The default limit of moves of a game: a puzzle could go on for ever."""

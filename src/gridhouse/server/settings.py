"""What can be set about a house in the browser, and the limits that keep it standing."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_CELLS = 400  # of a board: larger ones are slow to draw and to send
MOST_BODY = 64 * 1024  # bytes of a form, or of what a program sends
MOST_MESSAGE = 4 * 1024  # bytes of a message on a socket
MAX_SUBSCRIBERS = 200  # sockets at a table
MOST_TABLES = 60  # that one address may open in an hour
MOST_WAIT = 30  # seconds that a program may wait for a table to change
MOST_NAME = 20  # characters of a name
MOST_PLACES = 100  # lines of the table of a day


def _own_database() -> str:
    """Return the address of a file in the folder for the user's data, which is made."""
    folder = Path(platformdirs.user_data_dir("gridhouse", appauthor=False))
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder / 'house.db'}"


def _database() -> str:
    return os.environ.get("GRIDHOUSE_DATABASE_URL") or _own_database()


def _now() -> datetime:
    return datetime.now(UTC)


def _workers() -> int:
    """Return how many moves are thought over at once: one core is left for everything else."""
    return max(1, (os.cpu_count() or 2) - 1)


@dataclass(frozen=True)
class Settings:
    """One house: where its tables are kept, and how its machine thinks.

    ``patience`` is after how many seconds a search is told to stop, ``pause`` how many lie between
    two moves of the machine, so that people can follow.  It thinks compiled as soon as that can be,
    with ``jit`` from the start, and never where that is false.
    A page may send ``burst`` messages at once, and ``rate`` a second in the long run.
    ``now`` tells the time, and so which day's puzzle is today's.
    """

    database: str = field(default_factory=_database)
    workers: int = field(default_factory=_workers)
    patience: float = 10.0
    pause: float = 0.4
    jit: bool | None = None
    burst: int = 40
    rate: float = 10.0
    now: Callable[[], datetime] = _now

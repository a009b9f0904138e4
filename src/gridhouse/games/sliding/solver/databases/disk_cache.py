"""Pattern databases on disk: built once, checked by their hash, mapped into memory.

A file that is damaged, unfinished or foreign is reported in one line and built again.  A full disk
is reported in one line, and the databases stay in memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from gridhouse.core.fast import np
from gridhouse.games.sliding.solver.databases import pattern_database

if TYPE_CHECKING:
    from typing import Unpack

    from gridhouse.games.sliding.solver.databases.partitioning import Partition
    from gridhouse.games.sliding.solver.databases.pattern_database import (
        BuildOptions,
        PatternDatabases,
    )
    from gridhouse.games.sliding.solver.puzzle import Puzzle

HEADER = 4096  # bytes, a page, so that what follows is aligned
FORMAT = "gridhouse sliding pattern databases 1"


def folder() -> Path:
    """Return the folder of the databases."""
    return Path(platformdirs.user_cache_dir("gridhouse")) / "patterns"


def path_of(puzzle: Puzzle, partition: Partition) -> Path:
    """Return the file of a partition of distinct tiles."""
    name = hashlib.sha256(repr(partition).encode()).hexdigest()[:12]
    return folder() / f"sliding-{puzzle.rows}x{puzzle.cols}-{name}.words"


def warn(path: Path, reason: str) -> None:
    """Report the fault of a file in one line."""
    print(f"gridhouse: {str(path)!r}: {reason}", file=sys.stderr)


def _header(puzzle: Puzzle, partition: Partition, entries: np.ndarray) -> dict[str, Any]:
    """Return the header of a file; entries are little-endian whatever the machine."""
    return {
        "format": FORMAT,
        "rows": puzzle.rows,
        "cols": puzzle.cols,
        "parts": [list(pattern) for pattern in partition],
        "sha256": hashlib.sha256(entries.data.cast("B")).hexdigest(),
    }


def save(path: Path, puzzle: Puzzle, databases: PatternDatabases) -> None:
    """Write a file atomically: others see all of it or none."""
    header = (
        json.dumps(_header(puzzle, databases.partition, databases.entries))
        .encode()
        .ljust(HEADER - 1)
        + b"\n"
    )
    unfinished = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            unfinished = file.name
            file.write(header)
            file.write(databases.entries.data.cast("B"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        warn(path, f"{error.strerror}; the databases stay in memory")
        if unfinished is not None:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)


def load(path: Path, puzzle: Puzzle, partition: Partition) -> PatternDatabases | None:
    """Return the databases of a file, mapped into memory; None if it is missing or bad."""
    try:
        with open(path, "rb") as file:
            header = json.loads(file.read(HEADER))
        kind = np.dtype(pattern_database.entry_type(puzzle, partition)).newbyteorder("<")
        entries = np.asarray(np.memmap(path, kind, "r", HEADER))
        if header == _header(puzzle, partition, entries):
            return pattern_database.PatternDatabases(puzzle, partition, entries)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        pass
    warn(path, "damaged or not a file of pattern databases; built again")
    return None


def load_or_build(
    puzzle: Puzzle, partition: Partition, **options: Unpack[BuildOptions]
) -> PatternDatabases:
    """Return the databases of distinct tiles from the disk, else built and kept there.

    Raises StoppedError, and keeps nothing, soon after ``is_stopped`` returns True.
    """
    path = path_of(puzzle, partition)
    databases = load(path, puzzle, partition)
    if databases is None:
        databases = pattern_database.build_all(puzzle, partition, show=True, **options)
        save(path, puzzle, databases)
    return databases

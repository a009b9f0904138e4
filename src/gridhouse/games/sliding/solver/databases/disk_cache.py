"""Pattern databases on disk: built once, checked by their hash, mapped into memory.

A file that is damaged, unfinished or not ours is said in one line and built again; a disk that is
full is said in one line, and the databases stay in memory.
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

import numpy as np
import platformdirs

from gridhouse.games.sliding.solver.databases import pattern_database

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.games.sliding.solver.databases.partitioning import Parts
    from gridhouse.games.sliding.solver.databases.pattern_database import Tables
    from gridhouse.games.sliding.solver.puzzle import Puzzle

HEADER = 4096  # bytes, a page, so that what follows is aligned
FORMAT = "gridhouse sliding pattern databases 1"


def folder() -> Path:
    """Return the folder of the databases."""
    return Path(platformdirs.user_cache_dir("gridhouse")) / "patterns"


def path_of(puzzle: Puzzle, parts: Parts) -> Path:
    """Return the file of a partition of distinct tiles."""
    name = hashlib.sha256(repr(parts).encode()).hexdigest()[:12]
    return folder() / f"sliding-{puzzle.rows}x{puzzle.cols}-{name}.words"


def complain(path: Path, reason: str) -> None:
    """Say in one line what is wrong with a file."""
    print(f"gridhouse: {str(path)!r}: {reason}", file=sys.stderr)


def _facts(puzzle: Puzzle, parts: Parts, words: Any) -> dict[str, Any]:
    """Return the header of a file; the words are little-endian whatever the machine."""
    return {
        "format": FORMAT,
        "rows": puzzle.rows,
        "cols": puzzle.cols,
        "parts": [list(part) for part in parts],
        "sha256": hashlib.sha256(memoryview(words).cast("B")).hexdigest(),
    }


def save(path: Path, puzzle: Puzzle, tables: Tables) -> None:
    """Write a file, which is there as a whole or not at all."""
    header = (
        json.dumps(_facts(puzzle, tables.parts, tables.words)).encode().ljust(HEADER - 1) + b"\n"
    )
    unfinished = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            unfinished = file.name
            file.write(header)
            file.write(memoryview(tables.words).cast("B"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        complain(path, f"{error.strerror}; the databases stay in memory")
        if unfinished is not None:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)


def read(path: Path, puzzle: Puzzle, parts: Parts) -> Tables | None:
    """Return the databases of a file, mapped into memory; None without a good one."""
    try:
        with open(path, "rb") as file:
            header = json.loads(file.read(HEADER))
        word = np.dtype(pattern_database.word_type(puzzle, parts)).newbyteorder("<")
        words = np.asarray(np.memmap(path, word, "r", HEADER))
        if header == _facts(puzzle, parts, words):
            return pattern_database.Tables(puzzle, parts, words)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        pass
    complain(path, "damaged or not a file of pattern databases; built again")
    return None


def large_tables(
    puzzle: Puzzle,
    parts: Parts,
    *,
    threads: int = 1,
    jit: bool = True,
    is_stopped: Callable[[], bool] = pattern_database.is_never,
) -> Tables:
    """Return the databases of distinct tiles from the disk, else built and kept there.

    Raises StoppedError, and keeps nothing, soon after ``is_stopped`` says so.
    """
    path = path_of(puzzle, parts)
    tables = read(path, puzzle, parts)
    if tables is None:
        tables = pattern_database.tables_for(
            puzzle, parts, threads=threads, jit=jit, show=True, is_stopped=is_stopped
        )
        save(path, puzzle, tables)
    return tables

"""Branches of a game's rules and exact program that the generated sessions do not meet."""

from __future__ import annotations

import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import coverage

import gridhouse
from gridhouse.core.registry import game_class
from gridhouse.grading.check import SESSIONS
from gridhouse.grading.games import grading_of, sessions_of
from gridhouse.grading.reference import transcript

MODULES = ("rules.py", "program.py", "document.py")
SEED = "0"
OF_OPTIONAL_PARTS = 6  # sessions, some of which take long to make


def unmet(game: str) -> list[str]:
    """Return functions that are not called, and lines in called ones from which a way is not taken.

    They are those of the first sessions that a check runs, and a few of each optional part.
    """
    grading, cls = grading_of(game), game_class(game)
    optional = [name for name, part in grading.PARTS.items() if part.optional]
    sessions = [
        *sessions_of(grading, SESSIONS, SEED),
        *sessions_of(grading, OF_OPTIONAL_PARTS * len(optional), SEED, optional),
    ]
    folder = Path(gridhouse.__file__).parent / "games" / game
    traced = coverage.Coverage(
        data_file=None,
        config_file=False,
        branch=True,
        include=[str(folder / name) for name in MODULES],
    )
    random.seed(SEED)  # programs draw from it, and some branches are met by chance
    with traced.collect():
        for _, session in sessions:
            transcript(cls, session)
    with TemporaryDirectory() as place:
        path = Path(place) / "coverage.json"
        traced.json_report(outfile=str(path))
        report = json.loads(path.read_text())
    return [line for name, file in report["files"].items() for line in _of_file(Path(name), file)]


def _of_file(path: Path, report: dict[str, Any]) -> list[str]:
    lines = path.read_text().splitlines()
    found = []
    for name, function in report["functions"].items():
        if not name:  # lines outside of functions ran at the import
            continue
        if not function["executed_lines"]:
            found.append(f"{path.stem}.{name}")
            continue
        skipped = set(function["missing_lines"])
        branches = {line for line, _ in function["missing_branches"]} - skipped
        # No branch leads to a line that catches an error.
        branches |= {line for line in skipped if lines[line - 1].lstrip().startswith("except ")}
        found += [f"{path.stem}.{name}: {lines[line - 1].strip()}" for line in sorted(branches)]
    return found

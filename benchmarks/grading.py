"""How many planted faults `gridhouse check` finds: ``python benchmarks/grading.py [GAME …]``.

`tests/grading/faults.json` holds forty faults a game, written from the documents without sight of
how sessions are generated: a replaced text of the exact program, and the shortest session known to
show it.  For each game it prints how many were found within 300 sessions, after how many sessions,
and how long the shortened sessions are.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from command_line import Words, start

from grading_helpers import write_program
from gridhouse.core.console import UsageError
from gridhouse.grading.check import Report, check
from gridhouse.grading.submissions import PythonSubmission
from gridhouse.sandbox import Limits

FAULTS = Path(__file__).resolve().parent.parent / "tests" / "grading" / "faults.json"
LIMITS = Limits(wall=3, cpu=3)
MAX_LINES = 20


def report_of(game: str, fault: dict[str, Any]) -> Report:
    """Check the exact program with a fault in it."""
    with TemporaryDirectory() as folder:
        script = write_program(Path(folder), game, (fault["old"], fault["new"]))
        with PythonSubmission(game, script, LIMITS) as program:
            return check(program)


def row(game: str, faults: list[dict[str, Any]]) -> str:
    """Return a game's row of the table; the faults that were missed go to standard error."""
    began = time.perf_counter()
    tried, lengths, longer, missed = [], [], 0, []
    for fault in faults:
        report = report_of(game, fault)
        if report.finding is None:
            missed.append(fault["name"])
            continue
        length, known = len(report.finding.session.lines), len(fault["session"].get("lines", ()))
        tried.append(report.tried)
        lengths.append(length)
        longer += length > max(2 * known, known + 2)
    print(f"{game} missed: {', '.join(missed) or 'none'}", file=sys.stderr)
    seconds = (time.perf_counter() - began) / len(faults)
    long = sum(length > MAX_LINES for length in lengths)
    return (
        f"| {game} | {len(tried)} of {len(faults)} | {statistics.median(tried):.0f} | {max(tried)} "
        f"| {max(lengths)} | {long} | {longer} | {seconds:.1f} |"
    )


def main(games: Words = None) -> None:
    """Print the table."""
    faults = json.loads(FAULTS.read_text())
    for game in games or ():
        if game not in faults:
            raise UsageError(f"{game}: there are faults of {', '.join(faults)}")
    print("| game | found | sessions | most | lines, most | over 20 | over 2x | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for game in games or faults:
        print(row(game, faults[game]), flush=True)


if __name__ == "__main__":
    start(main)

"""How many planted faults `gridhouse check` finds: ``python benchmarks/grading.py [GAME …]``.

`src/gridhouse/grading/mutants.json` holds forty faults a game, written from the documents without
sight of how sessions are generated: a replaced text of the exact program, and the shortest session
known to show it.  For each game it prints how many were found within 300 sessions, after how many
sessions, and how long the shortened sessions are.  With ``--write`` it notes these sessions in the
file, from which ``gridhouse audit`` has them.  ``--right N`` runs N sessions with the right program
instead, in which nothing may differ.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer
from command_line import Words, start

from gridhouse.core.console import UsageError
from gridhouse.grading.check import check
from gridhouse.grading.mutants import FILE, Mutant, mutants, noted, session_data, write_program
from gridhouse.grading.submissions import PythonSubmission
from gridhouse.sandbox import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.core.sessions import Session

PATH = Path(__file__).resolve().parent.parent / "src" / "gridhouse" / "grading" / FILE
LIMITS = Limits(wall=3, cpu=3)
MAX_LINES = 20


@contextmanager
def running(game: str, *replaced: tuple[str, str]) -> Iterator[PythonSubmission]:
    """Run the exact program, with these texts replaced, as a submission."""
    with TemporaryDirectory() as folder:
        script = write_program(Path(folder), game, *replaced)
        with PythonSubmission(game, script, LIMITS) as program:
            yield program


def row(game: str, planted: list[Mutant], found: dict[str, Session]) -> str:
    """Return a game's row of the table, and note the sessions by the names of the faults.

    The faults that were missed go to standard error.
    """
    tried, lengths, longer, missed, seconds = [], [], 0, [], 0.0
    for mutant in planted:
        began = time.perf_counter()
        with running(game, (mutant.old, mutant.new)) as program:
            report = check(program)
            seconds += time.perf_counter() - began
            if report.finding is None:
                missed.append(mutant.name)
                continue
            found[mutant.name] = noted(mutant, program, report.finding.session)
        length, known = len(report.finding.session.lines), len(mutant.known.lines)
        tried.append(report.tried)
        lengths.append(length)
        longer += length > max(2 * known, known + 2)
    print(f"{game} missed: {', '.join(missed) or 'none'}", file=sys.stderr)
    long = sum(length > MAX_LINES for length in lengths)
    return (
        f"| {game} | {len(tried)} of {len(planted)} | {statistics.median(tried):.0f} "
        f"| {max(tried)} | {max(lengths)} | {long} | {longer} | {seconds / len(planted):.1f} |"
    )


def alarms(game: str, count: int) -> str:
    """Return what is found in sessions with the right program."""
    with running(game) as program:
        report = check(program, sessions=count, seed="right")
    found = len(report.unspecified) + (report.finding is not None)
    return f"{game}: {report.tried} sessions, {found} alarms"


def write(game: str, found: dict[str, Session]) -> None:
    """Note the sessions that were found in the file of mutants."""
    data = json.loads(PATH.read_text(encoding="utf-8"))
    for fault in data[game]:
        session = found.get(fault["name"])
        fault["found"] = None if session is None else session_data(session)
    PATH.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(
    games: Words = None,
    *,
    writes: Annotated[bool, typer.Option("--write")] = False,
    right: Annotated[int, typer.Option("--right", min=0)] = 0,
) -> None:
    """Print the table, or the alarms."""
    planted = mutants()
    for game in games or ():
        if game not in planted:
            raise UsageError(f"{game}: there are faults of {', '.join(planted)}")
    if right:
        for game in games or planted:
            print(alarms(game, right), flush=True)
        return
    print("| game | found | sessions | most | lines, most | over 20 | over 2x | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for game in games or planted:
        found: dict[str, Session] = {}
        print(row(game, planted[game], found), flush=True)
        if writes:
            write(game, found)


if __name__ == "__main__":
    start(main)

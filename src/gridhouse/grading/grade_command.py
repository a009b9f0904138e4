"""The commands ``gridhouse grade`` and ``gridhouse rubric``."""

from __future__ import annotations

import os
import re
import tempfile
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.progress import track

from gridhouse.core.console import UsageError
from gridhouse.core.processes import terminated_by_exit
from gridhouse.grading.collect import Entry, collect
from gridhouse.grading.jobs import FAULT, Job, run_jobs
from gridhouse.grading.reports import class_table, feedback_text, write_reports
from gridhouse.grading.rubric import default_rubric, load_rubric
from gridhouse.grading.store import Store
from gridhouse.grading.submissions import tell_missing_walls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.grading.grades import Grade
    from gridhouse.grading.rubric import Rubric
    from gridhouse.grading.submissions import Commands

SHARD = re.compile(r"([1-9]\d*)/([1-9]\d*)", re.ASCII)
INCOMPLETE = 1  # the status where a submission could not be run, or a single one lost points


class Options(NamedTuple):
    """The options of grading."""

    commands: Commands
    rubric: Path | None
    output: Path | None
    store: Path | None
    merge: list[Path]
    shard: str
    single: bool
    workers: int
    ray: str | None
    require_sandbox: bool


@terminated_by_exit()
def grade_command(game: str, path: Path, options: Options) -> int:
    """Grade a class, or a single submission; return 0 where each one could be run.

    For a single one 0 means full marks.  Raises UsageError and SandboxError.
    """
    rubric = load_rubric(options.rubric, game) if options.rubric else default_rubric(game)
    shard = _shard(options.shard)
    if options.output is not None and shard != (1, 1) and options.store is None:
        raise UsageError("--shard needs --store, from which --merge takes the grades later")
    with tempfile.TemporaryDirectory(prefix="gridhouse-class-") as workspace:
        if options.single:
            entries = [Entry(path.resolve().stem, path)]
        else:
            entries = collect(path, Path(workspace))
        jobs = [
            Job(
                entry.name,
                entry.path,
                rubric,
                options.commands,
                options.require_sandbox,
                entry.problem,
            )
            for entry in entries[shard[0] - 1 :: shard[1]]
        ]
        if options.ray is None and not options.require_sandbox:
            tell_missing_walls(options.commands)
        with Store(options.store or ":memory:") as store:
            store.merge(options.merge)
            grades = sorted(_grades(jobs, store, options), key=lambda grade: grade.name)
    return _report(grades, rubric, options)


def _grades(jobs: list[Job], store: Store, options: Options) -> Iterator[Grade]:
    """Yield the grades of the store, and then the others, which are put into it."""
    left = []
    for job in jobs:
        grade = store.get(job.key)
        if grade is None:
            left.append(job)
        else:
            yield grade
    if options.ray is None:
        graded = run_jobs(left, options.workers or os.cpu_count() or 1)
    else:
        from gridhouse.grading.cluster import run_jobs_on_ray

        graded = run_jobs_on_ray(left, options.ray)
    console = Console(stderr=True)
    for job, grade in track(
        graded, "Grading", len(left), console=console, disable=not console.is_terminal
    ):
        if not grade.problem.startswith(FAULT):
            store.put(job.key, grade)
        yield grade


def _report(grades: list[Grade], rubric: Rubric, options: Options) -> int:
    today = date.today()
    if options.output is not None:
        write_reports(grades, rubric, options.output, today)
    if options.single:
        (grade,) = grades
        print(feedback_text(grade, rubric, today), end="")
        return INCOMPLETE if grade.problem or grade.points < grade.out_of else 0
    print(class_table(grades), end="")
    if options.output is not None:
        print(f"The reports are in {options.output}; begin with {options.output / 'index.html'}.")
    return INCOMPLETE if any(grade.problem for grade in grades) else 0


def _shard(text: str) -> tuple[int, int]:
    """Return the number of a shard and of all, from ``2/5``."""
    found = SHARD.fullmatch(text or "1/1")
    if found is None or int(found[1]) > int(found[2]):
        raise UsageError(f"--shard {text}: write 2/5 for the second of five")
    return int(found[1]), int(found[2])

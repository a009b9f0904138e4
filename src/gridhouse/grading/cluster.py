"""The submissions of a class, each graded on a node of a Ray cluster."""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections import deque
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gridhouse.core.cluster import MOST_LOST, PATIENCE, check_version, connected
from gridhouse.core.console import UsageError
from gridhouse.grading.grade import ungraded
from gridhouse.grading.jobs import DIED, TRIES, faulty, try_job
from gridhouse.programs.files import copy_program
from gridhouse.sandbox import SandboxError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gridhouse.grading.grades import Grade
    from gridhouse.grading.jobs import Job

AHEAD = 2  # submissions that are sent for each processor: one runs, one waits


@dataclass
class _Attempt:
    """A job, how often its worker was killed, and how often a node went away with it."""

    job: Job
    killed: int = 0
    lost: int = 0


def run_jobs_on_ray(jobs: Iterable[Job], address: str) -> Iterator[tuple[Job, Grade]]:
    """Grade submissions on a Ray cluster; yield each with its grade as soon as it is there.

    The address is one of Ray's: ``auto``, ``local``, ``host:port`` or ``ray://host:port``.  Raises
    UsageError where the cluster cannot be reached or cannot grade, and SandboxError as `run_job`
    does.
    """
    left = deque(map(_Attempt, jobs))
    if not left:
        return
    ray = connected(address)
    try:
        yield from _grades(ray, left)
    except ConnectionError:
        raise UsageError(f"the connection to the Ray cluster {address!r} was lost") from None
    finally:
        ray.shutdown()


def _grades(ray: Any, left: deque[_Attempt]) -> Iterator[tuple[Job, Grade]]:
    """Yield the grades; only so many submissions are sent ahead as the processors need.

    Ray's own retries are off: it counts nodes that go away like workers that die, and tries without
    end what runs out of memory.
    """
    send = ray.remote(max_retries=0)(_grade)
    sent: dict[Any, _Attempt] = {}
    while left or sent:
        processors = int(ray.cluster_resources().get("CPU", 0))
        while left and len(sent) < AHEAD * max(processors, 1):
            attempt = left.popleft()
            try:
                task = send.remote(*_packed(attempt.job), version("gridhouse"))
            except OSError as error:
                task = ray.put(faulty(attempt.job, error))
            sent[task] = attempt
        done, _ = ray.wait(list(sent), timeout=PATIENCE)
        if not done and not processors:
            raise UsageError("the Ray cluster has no processors")
        for task in done:
            attempt = sent.pop(task)
            grade = _grade_of(ray, task, attempt)
            if grade is None:
                left.append(attempt)
            else:
                yield attempt.job, grade


def _grade_of(ray: Any, task: Any, attempt: _Attempt) -> Grade | None:
    """Return the grade of a task that has ended, None where it is to be tried again."""
    failed = ray.exceptions
    try:
        answer: Grade | SandboxError = ray.get(task)
    except failed.RayTaskError as error:
        reason = str(error.cause).strip().splitlines()[-1]
        raise UsageError(f"a node of the Ray cluster cannot grade: {reason}") from None
    except (failed.WorkerCrashedError, failed.OutOfMemoryError):
        attempt.killed += 1
    except failed.RayError:
        attempt.lost += 1
    else:
        if isinstance(answer, SandboxError):
            raise answer
        return answer
    if attempt.killed < TRIES and attempt.lost < MOST_LOST:
        return None
    return ungraded(attempt.job.rubric, attempt.job.name, DIED)


def _packed(job: Job) -> tuple[Job, bytes]:
    """Return a job and its files as an archive, in which its path lies."""
    with tempfile.TemporaryDirectory() as folder, io.BytesIO() as data:
        if job.path.exists():
            copy_program(job.path, Path(folder))
        with tarfile.open(fileobj=data, mode="w:gz", compresslevel=1) as archive:
            archive.add(folder, ".")
        return replace(job, path=Path("" if job.path.is_dir() else job.path.name)), data.getvalue()


def _grade(job: Job, files: bytes, wanted: str) -> Grade | SandboxError:
    """Grade a packed submission on this node; raises UsageError for another version."""
    check_version(wanted)
    with tempfile.TemporaryDirectory(prefix="gridhouse-job-") as folder:
        try:
            with tarfile.open(fileobj=io.BytesIO(files)) as archive:
                archive.extractall(folder, filter="fully_trusted")  # a copy, no links followed
        except OSError as error:
            return faulty(job, error)
        return try_job(replace(job, path=Path(folder, job.path)))

"""The submissions of a class, each graded in a process of its own."""

from __future__ import annotations

import hashlib
import signal
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING

from gridhouse.core.console import UsageError
from gridhouse.core.processes import preloaded, run_to_exit
from gridhouse.grading.grade import grade, ungraded
from gridhouse.grading.submissions import Commands, open_submission
from gridhouse.programs.languages import BuildError
from gridhouse.sandbox import Limits, SandboxError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess
    from pathlib import Path

    from gridhouse.grading.grades import Grade
    from gridhouse.grading.rubric import Rubric

TRIES = 2  # processes that may die of a submission
FAULT = "the grader has a fault, please report it: "
DIED = "its grading was killed twice, perhaps for want of memory"


@dataclass(frozen=True)
class Job:
    """A submission to grade, with all that its grade depends on; it can be sent to a process."""

    name: str
    path: Path
    rubric: Rubric
    commands: Commands
    require_sandbox: bool = False
    problem: str = ""

    @cached_property
    def key(self) -> str:
        """A digest of the files, the rubric, the commands and the version."""
        digest = hashlib.sha256()
        files = [self.path] if self.path.is_file() else sorted(self.path.rglob("*"))
        for file in files:
            if file.is_file() and not file.is_symlink():
                digest.update(f"{file.relative_to(self.path.parent)}\0".encode(errors="replace"))
                digest.update(hashlib.sha256(file.read_bytes()).digest())
        facts = [self.name, self.rubric.digest(), *self.commands, version("gridhouse")]
        digest.update("\0".join(facts).encode(errors="surrogatepass"))
        return digest.hexdigest()


def run_job(job: Job) -> Grade:
    """Grade a submission in this process; what keeps it from running is the grade's problem.

    Raises SandboxError where this machine cannot run programs as safely as is asked for.
    """
    rubric = job.rubric
    if job.problem:
        return ungraded(rubric, job.name, job.problem)
    limits = Limits(wall=rubric.seconds, cpu=rubric.seconds)
    try:
        with open_submission(
            rubric.game, job.path, limits, job.commands, require=job.require_sandbox
        ) as submission:
            return grade(submission, rubric, job.name)
    except (UsageError, BuildError) as error:
        # A path of the teacher's is none of the student's business.
        problem = str(error).replace(repr(str(job.path)), "the submission")
        return ungraded(rubric, job.name, problem, getattr(error, "errors", ()))


def try_job(job: Job) -> Grade | SandboxError:
    """Grade as `run_job` does, but return its error; any other error is the grade's problem.

    A fault of ours in one grade must not take the class down.
    """
    try:
        return run_job(job)
    except SandboxError as error:
        return error
    except Exception as error:
        return faulty(job, error)


def faulty(job: Job, error: Exception) -> Grade:
    """Return the grade of a submission in which the grader has failed."""
    return ungraded(job.rubric, job.name, f"{FAULT}{type(error).__name__}: {error}")


def run_jobs(jobs: Iterable[Job], workers: int) -> Iterator[tuple[Job, Grade]]:
    """Grade submissions side by side; yield each with its grade as soon as it is there.

    A process that dies takes no other down.  Its submission is tried once more, then given up.
    Raises SandboxError as `run_job` does.
    """
    processes = Processes()
    with ThreadPoolExecutor(workers) as threads:
        tasks = {threads.submit(processes.grade, job): job for job in jobs}
        try:
            for task in as_completed(tasks):
                yield tasks[task], task.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            processes.stop()


class Processes:
    """Processes that grade one submission each; threads start them and wait for them."""

    def __init__(self) -> None:
        """Make ready to start processes from a server that has this module loaded."""
        self.context = preloaded(__name__)
        self._running: set[ForkServerProcess] = set()
        self._is_stopped = False

    def grade(self, job: Job) -> Grade:
        """Grade a submission in a process of its own; raises SandboxError as `run_job` does."""
        for _ in range(TRIES):
            ours, theirs = self.context.Pipe(duplex=False)
            process = self.context.Process(target=run_to_exit, args=(_send_grade, job, theirs))
            process.start()
            theirs.close()
            self._running.add(process)
            if self._is_stopped:
                process.terminate()
            try:
                answer: Grade | SandboxError = ours.recv()
            except EOFError:
                continue
            finally:
                ours.close()
                process.join()
                self._running.discard(process)
            if isinstance(answer, SandboxError):
                raise answer
            return answer
        return ungraded(job.rubric, job.name, DIED)

    def stop(self) -> None:
        """End what is running, whose grades nobody waits for any more."""
        self._is_stopped = True
        for process in list(self._running):
            process.terminate()


def _send_grade(job: Job, connection: Connection) -> None:
    # An interrupt, too, ends it without a word.
    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGTERM))
    connection.send(try_job(job))
    connection.close()

"""A class on a cluster of several Ray nodes: the same grades, whatever dies meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from grading_helpers import write_program
from gridhouse.core.console import UsageError
from gridhouse.core.extras import MissingExtraError
from gridhouse.grading import cluster
from gridhouse.grading.cluster import run_jobs_on_ray
from gridhouse.grading.jobs import DIED, Job, run_jobs
from gridhouse.grading.rubric import default_rubric, rubric_text
from gridhouse.grading.store import Store
from gridhouse.grading.submissions import NO_COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = replace(default_rubric("binary"), sessions=12)
TRIPLES = ('"three in a row"', '"3 in a row"')


class Deadly(Job):
    """A job that kills each process in which it arrives, and counts them."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what another process is to call."""
        return os.system, (f"echo >> '{self.problem}'; kill -9 $PPID",)


def submission(folder: Path, name: str, *replaced: tuple[str, str]) -> Job:
    """Write a submission in a folder of its own."""
    (folder / name).mkdir(parents=True)
    write_program(folder / name, "binary", *replaced)
    return Job(name, folder / name, RUBRIC, NO_COMMANDS)


@pytest.mark.slow("starts a Ray cluster")
def test_the_grades_are_the_same_whatever_kills_its_worker(nodes: Any, tmp_path: Path) -> None:
    single = submission(tmp_path, "single")
    jobs = [
        submission(tmp_path, "right"),
        submission(tmp_path, "wrong", TRIPLES),
        replace(single, path=single.path / "binary.py"),
        Job("none", tmp_path / "none", RUBRIC, NO_COMMANDS),
        Job("refused", tmp_path, RUBRIC, NO_COMMANDS, problem="it is empty"),
    ]
    (tmp_path / "none").mkdir()
    killed = tmp_path / "killed"
    deadly = Deadly("deadly", tmp_path / "none", RUBRIC, NO_COMMANDS, problem=str(killed))
    grades = {job.name: grade for job, grade in run_jobs_on_ray([deadly, *jobs], nodes.address)}
    assert grades.pop("deadly").problem == DIED
    assert killed.read_text() == "\n\n"
    assert grades == {job.name: grade for job, grade in run_jobs(jobs, 1)}


@pytest.mark.slow("starts a Ray cluster")
def test_a_node_goes_away(nodes: Any, tmp_path: Path) -> None:
    jobs = [submission(tmp_path, str(number)) for number in range(8)]
    graded = run_jobs_on_ray(jobs, nodes.address)
    grades = [next(graded)]
    nodes.remove_node(nodes.worker_nodes.copy().pop(), allow_graceful=False)
    grades += graded
    assert sorted(job.name for job, _ in grades) == [job.name for job in jobs]
    assert {grade.problem for _, grade in grades} == {""}


@pytest.mark.slow("starts a Ray cluster")
def test_nodes_have_the_same_version(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "version", lambda _: "0.0")
    with pytest.raises(UsageError, match=r"a node of the Ray cluster .* gridhouse .*, not 0\.0"):
        list(run_jobs_on_ray([submission(tmp_path, "anna")], nodes.address))


@pytest.mark.slow("starts a Ray cluster")
def test_an_interrupted_run_goes_on_and_ray_prints_nothing(nodes: Any, tmp_path: Path) -> None:
    for number in range(8):
        submission(tmp_path / "class", str(number))
    (tmp_path / "rubric.toml").write_text(rubric_text(replace(RUBRIC, sessions=100)))
    store = tmp_path / "grades.sqlite"
    command = [sys.executable, "-m", "gridhouse", "grade", "binary", str(tmp_path / "class")]
    command += ["--rubric", str(tmp_path / "rubric.toml")]
    options = ["--store", str(store), "--ray", nodes.address]
    with subprocess.Popen([*command, *options], stdout=-1, stderr=-1) as run:
        deadline = time.monotonic() + 60
        while not (begun := count(store)) and time.monotonic() < deadline:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        assert run.communicate(timeout=60) == (b"", b"")
        assert run.returncode == 130
    assert 0 < begun <= count(store) < 8
    again = subprocess.run([*command, *options], capture_output=True, check=True)
    assert again.stderr == b""
    assert again.stdout == subprocess.run(command, capture_output=True, check=True).stdout
    assert count(store) == 8


def count(path: Path) -> int:
    """Return how many grades a store holds."""
    with Store(path) as store:
        return int(store._base.execute("SELECT count(*) FROM grades").fetchone()[0])


def test_an_address_that_nothing_listens_at(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs the extra cluster")
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):
        with pytest.raises(UsageError, match=f"'{address}' cannot be reached: .*refused"):
            list(run_jobs_on_ray([Job("anna", tmp_path, RUBRIC, NO_COMMANDS)], address))


def test_ray_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'gridhouse\[cluster\]'"):
        list(run_jobs_on_ray([Job("anna", tmp_path, RUBRIC, NO_COMMANDS)], "auto"))

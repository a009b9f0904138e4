"""``gridhouse grade``: points, faults, limits, other languages, and runs taken up again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from grading_helpers import write_program
from gridhouse.core.console import UsageError
from gridhouse.grading import grade_command, jobs
from gridhouse.grading.compare import Profile
from gridhouse.grading.grade import sessions
from gridhouse.grading.grades import Grade
from gridhouse.grading.jobs import DIED, FAULT, Job, run_job, run_jobs, try_job
from gridhouse.grading.rubric import Credit, PartRubric, default_rubric, parse_rubric, rubric_text
from gridhouse.grading.store import Store
from gridhouse.grading.submissions import Commands, PythonSubmission, open_submission
from gridhouse.sandbox import Limits, SandboxError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.grading.grades import PartGrade
    from gridhouse.grading.rubric import Rubric

    Run = Callable[..., tuple[int, str, str]]

TRIPLES = ('"three in a row"', '"3 in a row"')
ANSWERS = {  # programs that answer every line of input with a status
    "c": (
        "main.c",
        "#include <stdio.h>\nint main(void) { char s[99]; while (fgets(s, 99, stdin))"
        ' puts("= 1\\n"); return 0; }',
        "cc",
    ),
    "java": (
        "Answers.java",
        "import java.util.Scanner; public class Answers { public static void main(String[] a) {"
        " Scanner s = new Scanner(System.in); while (true) { s.nextLine();"
        ' System.out.println("= 1\\n"); } } }',
        "javac",
    ),
    "javascript": (
        "main.js",
        'require("readline").createInterface({ input: process.stdin })'
        '.on("line", () => console.log("= 1\\n"));',
        "node",
    ),
}
FEW = 20


def rubric_for(game: str = "binary", **changes: Any) -> Rubric:
    """Return the document's rubric with few sessions."""
    return replace(default_rubric(game), **{"sessions": FEW} | changes)


def graded(folder: Path, rubric: Rubric, **others: str) -> Grade:
    """Grade a folder in this process."""
    return run_job(Job("anna", folder, rubric, Commands(**others)))


def part(grade: Grade, name: str) -> PartGrade:
    """Return a part of a grade."""
    return next(part for part in grade.parts if part.name == name)


def test_a_right_program_has_full_marks(tmp_path: Path) -> None:
    write_program(tmp_path, "binary")
    found = graded(tmp_path, rubric_for(hidden_sessions=FEW, hidden_seed="secret"))
    assert (found.points, found.out_of, found.problem, found.notes) == (5.0, 5.0, "", ())
    assert sum(one.total for one in found.parts) == sum(one.hidden_total for one in found.parts)
    assert [one.faults for one in found.parts] == [()] * len(found.parts)


@pytest.mark.slow("grades many programs")
def test_a_fault_costs_the_share_of_its_sessions_in_its_parts(tmp_path: Path) -> None:
    write_program(tmp_path, "binary", TRIPLES)
    parts = {"errors": PartRubric(8), "grids": PartRubric(1)}
    found = graded(tmp_path, rubric_for(sessions=60, parts=parts))
    errors = part(found, "errors")
    assert 0 < errors.passed < errors.total
    assert errors.points == round(8 * errors.passed / errors.total, 2)
    (fault,) = errors.faults
    assert (fault.kind, fault.count, fault.is_hidden) == (
        "triples",
        errors.total - errors.passed,
        False,
    )
    assert fault.typed[-1].startswith("play")
    assert len(fault.typed) <= 4
    assert "3·in·a·row" in fault.printed
    assert fault.position
    assert fault.picture.startswith("<svg")
    assert part(found, "grids").points == 1
    assert found.points == errors.points + 1
    parts = {"errors": PartRubric(8, Credit.ALL)}
    assert graded(tmp_path, rubric_for(parts=parts)).points == 0


@pytest.mark.slow("runs many sessions with each program")
@pytest.mark.parametrize(
    ("game", "old", "new", "lost"),
    [
        (
            "binary",
            '"\\n".join(session.game.board',
            '"\\n\\n".join("x" + r for r in session.game.board',
            ["grids"],
        ),
        ("collapse", "Your score is:", "The score is", ["scores"]),
        (
            "tactego",
            "for cell, kind in enumerate(armies[0]",
            "armies.reverse()\n        for cell, kind in enumerate(armies[0]",
            ["placing"],
        ),
        ("tactego", "Select Piece to Move by", "Your turn! Which", ["moves"]),
        ("tactego", "{SIDES[rules.winner(position)]} has won", "Nobody has won", ["ends"]),
    ],
)
def test_what_is_wrong_everywhere_costs_its_own_part_alone(
    game: str, old: str, new: str, lost: list[str], tmp_path: Path
) -> None:
    write_program(tmp_path, game, (old, new))
    found = graded(tmp_path, rubric_for(game, sessions=24))
    assert [one.name for one in found.parts if one.points < one.out_of] == lost


def test_where_every_byte_counts_each_part_compares_all(tmp_path: Path) -> None:
    write_program(tmp_path, "collapse", ("Your score is:", "The score is"))
    assert graded(tmp_path, rubric_for("collapse", profile=Profile.STRICT)).points == 0


@pytest.mark.slow("runs thirty sessions")
def test_a_placing_that_is_no_shuffle_of_the_army_is_not_followed(tmp_path: Path) -> None:
    write_program(
        tmp_path,
        "tactego",
        ("for army in armies:", "armies[0][0] = 'F'\n        for army in armies:"),
    )
    found = graded(tmp_path, rubric_for("tactego", sessions=30))
    lost = {one.name for one in found.parts if one.points < one.out_of}
    assert {"placing", "loading", "turns"} <= lost
    assert "boards" not in lost


@pytest.mark.slow("grades many programs")
def test_a_fault_that_only_hidden_sessions_meet_is_hidden(tmp_path: Path) -> None:
    write_program(tmp_path, "binary", TRIPLES)
    parts = {"grids": PartRubric(1), "errors": PartRubric(1)}
    rubric = rubric_for(sessions=2, hidden_sessions=60, hidden_seed="secret", parts=parts)
    errors = part(graded(tmp_path, rubric), "errors")
    assert (errors.passed, errors.total) == (1, 1)
    assert errors.hidden_passed < errors.hidden_total
    assert [fault.is_hidden for fault in errors.faults] == [True]


@pytest.mark.slow("grades many programs")
def test_grades_are_the_same_each_time_and_survive_json(tmp_path: Path) -> None:
    write_program(tmp_path, "tactego")
    rubric = rubric_for("tactego")
    one, other = (graded(tmp_path, rubric) for _ in range(2))
    assert one == other == type(one).from_dict(json.loads(json.dumps(one.to_dict())))
    assert one.out_of == 80  # the extra parts come on top
    assert one.points == 95


@pytest.mark.slow("waits for programs that do not end")
def test_a_program_that_takes_too_long_is_not_waited_for_again_and_again(tmp_path: Path) -> None:
    (tmp_path / "a1.py").write_text("while True: pass")
    found = graded(tmp_path, rubric_for(seconds=0.1))
    assert (found.points, found.timeouts, found.crashes) == (0, 5, 0)
    assert found.notes == (
        f"{FEW - 5} sessions were not run, since the program took too long before.",
    )
    # One that takes too long in one thing only fails there.
    write_program(
        tmp_path,
        "binary",
        ('"winner": (winner,', '"winner": (lambda *_: exec("while True: pass"),'),
    )
    found = graded(tmp_path, rubric_for(seconds=0.5, sessions=60))
    assert found.timeouts > 3
    assert part(found, "forced").points == part(found, "ends").points == 0
    assert part(found, "grids").points == 0.5


def test_crashes_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a1.py").write_text("import nothing_like_this")
    found = graded(tmp_path, rubric_for())
    assert (found.points, found.crashes, found.timeouts) == (0, FEW, 0)
    assert {fault.failure for one in found.parts for fault in one.faults} == {
        "it ended with ModuleNotFoundError: No module named 'nothing_like_this'"
    }


@pytest.mark.parametrize("language", [*ANSWERS, "make", "command"])
def test_programs_in_other_languages(tmp_path: Path, language: str) -> None:
    name, text, tool = ANSWERS.get(language, ANSWERS["c"])
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is missing")
    commands = Commands()
    if language == "make":
        name = "any.c"
        (tmp_path / "Makefile").write_text("a1: any.c\n\tcc -o $@ $<\n")
    if language == "command":
        name = "any.c"
        commands = Commands(build="cc -o here any.c", run="./here")
    (tmp_path / name).write_text(text)
    session = next(session for _, _, session in sessions(rubric_for()))
    with open_submission("binary", tmp_path, Limits(), commands) as submission:
        output = submission.run(session)
    assert output.text == "= 1\n\n" * len(session.lines)
    assert output.failure == ""


@pytest.mark.slow("grades many programs")
def test_what_cannot_be_built_or_is_no_program_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("later")
    assert graded(tmp_path, rubric_for()).problem == "the submission holds no a1.py"
    (tmp_path / "main.c").write_text("int main({")
    if shutil.which("cc") is not None:
        found = graded(tmp_path, rubric_for())
        assert found.problem.startswith("it cannot be built: 'cc ")
        assert "main.c:1" in found.notes[0]
        assert str(tmp_path) not in str(found)
    assert graded(tmp_path, rubric_for(), run="./none", build="true").points == 0
    failed = graded(tmp_path, rubric_for(), run="./none", build="exit 3")
    assert failed.problem == "it cannot be built: 'exit 3' ended with status 3"
    (tmp_path / "main.c").rename(tmp_path / "Makefile")
    (tmp_path / "Makefile").write_text("all:\n\ttouch nothing\n")
    assert "makes no program with one of the names" in graded(tmp_path, rubric_for()).problem


def test_functions_of_other_languages_cannot_be_called(tmp_path: Path) -> None:
    found = graded(tmp_path, rubric_for("sliding"), run="true")
    assert part(found, "check_win").faults[0].failure.startswith("its functions cannot be called")


def test_a_process_that_dies_takes_no_other_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(tmp_path, "binary")
    rubric = rubric_for(sessions=8)
    work = [Job(name, tmp_path, rubric, Commands()) for name in ("anna", "bert", "carl")]
    died: list[Job] = []
    real = jobs.Processes

    class Deadly(real):  # type: ignore[misc,valid-type]
        """Processes of which bert's are killed at once."""

        def __init__(self) -> None:
            super().__init__()
            self.real: Any = self.context
            self.context: Any = self

        def Pipe(self, **facts: Any) -> Any:  # noqa: N802
            return self.real.Pipe(**facts)

        def Process(self, target: Any, args: Any) -> Any:  # noqa: N802
            _, job, _ = args
            if job.name == "bert":
                died.append(job)
                target = kill_this
            return self.real.Process(target=target, args=args)

    monkeypatch.setattr(jobs, "Processes", Deadly)
    found = {job.name: grade.problem for job, grade in run_jobs(work, 2)}
    assert found == {"anna": "", "bert": DIED, "carl": ""}
    assert len(died) == jobs.TRIES


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow("grades many programs")
def test_an_interrupt_ends_everything_without_a_traceback(
    tmp_path: Path, number: signal.Signals
) -> None:
    for name in ("anna", "bert", "carl"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "a1.py").write_text("while True: pass")
    words = [sys.executable, "-m", "gridhouse", "grade", "binary", str(tmp_path / "class")]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        words,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"TMPDIR": str(temporary)},
    ) as process:
        time.sleep(3)
        began = time.monotonic()
        os.killpg(process.pid, number)
        out, err = process.communicate(timeout=30)
        assert time.monotonic() - began < 5
    assert "Traceback" not in err + out
    assert process.returncode != 0
    assert list(temporary.iterdir()) == []


def kill_this(*_: object) -> None:
    """Kill this process."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_fault_of_the_grader_costs_one_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(tmp_path, "binary")

    def broken(*_: object) -> None:
        raise KeyError("oops")

    def unsafe(*_: object) -> None:
        raise SandboxError("no walls")

    job = Job("anna", tmp_path, rubric_for(), Commands())
    monkeypatch.setattr(jobs, "grade", broken)
    answer = try_job(job)
    assert isinstance(answer, Grade)
    assert answer.problem == f"{FAULT}KeyError: 'oops'"
    monkeypatch.setattr(jobs, "grade", unsafe)
    assert isinstance(try_job(job), SandboxError)


def class_of(folder: Path) -> Path:
    """Write a class: a right program, a faulty one, and one that is none."""
    place = folder / "class"
    for name, faults in (("anna", ()), ("bert", (TRIPLES,))):
        (place / name).mkdir(parents=True)
        write_program(place / name, "binary", *faults)
    (place / "carl").mkdir()
    (place / "carl" / "a1.txt").write_text("print()")
    return place


def test_a_class_from_folder_to_reports(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, store = class_of(tmp_path), tmp_path / "grades.sqlite"
    (tmp_path / "rubric.toml").write_text("sessions = 20\n")
    words = ("grade", "binary", place, "--rubric", tmp_path / "rubric.toml", "--store", store)
    status, out, err = run(*words, "-o", tmp_path / "one")
    assert (status, err) == (1, "")  # carl's could not be run
    assert out.splitlines()[1].split()[:2] == ["anna", "5"]
    assert f"begin with {tmp_path / 'one' / 'index.html'}" in out

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(jobs.Processes, "grade", never)  # all grades are in the store
    assert run(*words, "-o", tmp_path / "other")[:2] == (
        1,
        out.replace(f"{tmp_path / 'one'}", f"{tmp_path / 'other'}"),
    )
    files = [path for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        again = tmp_path / "other" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == again.read_bytes()
        assert str(tmp_path) not in path.read_text(encoding="utf-8")


@pytest.mark.slow("grades many programs")
def test_shards_make_the_whole(tmp_path: Path, run: Run) -> None:
    place = class_of(tmp_path)
    shutil.rmtree(place / "carl")
    (tmp_path / "rubric.toml").write_text("sessions = 8\n")
    words = ("grade", "binary", place, "--rubric", tmp_path / "rubric.toml")
    stores = [tmp_path / f"what?{number}.sqlite" for number in (1, 2)]
    for number, store in enumerate(stores, 1):
        assert run(*words, "--shard", f"{number}/2", "--store", store)[0] == 0
    merged = (*words, "-o", tmp_path / "merged", "--merge", stores[0], "--merge", stores[1])
    status, out, _ = run(*merged)
    assert status == 0
    assert out.replace("merged", "whole") == run(*words, "-o", tmp_path / "whole")[1]
    assert "is no folder" not in out


@pytest.mark.slow("grades many programs")
def test_a_single_submission_has_its_feedback_printed(tmp_path: Path, run: Run) -> None:
    place = class_of(tmp_path)
    rubric = tmp_path / "rubric.toml"
    words = ("grade", "binary", "--single", place / "bert", "--rubric", rubric)
    rubric.write_text("sessions = 20\n[parts]\nerrors = 2\n")
    status, out, _ = run(*words)
    assert status == 1
    assert "triples" in out.lower()
    rubric.write_text("sessions = 8\n[parts]\ngrids = 2\n")
    status, out, _ = run(*words)
    assert status == 0
    assert "2 of 2" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--shard", "3/2"), "--shard 3/2: write 2/5"),
        (("--shard", "1/2"), "--shard needs --store"),
        (("--merge", "none.sqlite"), "'none.sqlite': unable to open"),
        (("--store", "class"), "'class': unable to open"),
        (("--store", "text"), "'text': file is not a database"),
        (("--rubric", "none.toml"), "'none.toml': No such file"),
        (("--rubric", "text"), "'text': Expected '='"),
    ],
)
def test_wrong_options_are_one_line(
    tmp_path: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    class_of(tmp_path)
    (tmp_path / "text").write_text("this is just a text that is longer than a header\n" * 9)
    monkeypatch.chdir(tmp_path)
    status, out, err = run("grade", "binary", "class", "-o", "report", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('game = "sinks"', "a rubric for sinks, not for binary"),
        ("session = 3", "session is no setting; the settings are game, parts, profile"),
        ("sessions = -1", "sessions must be a whole number from 0 to 100000"),
        ("sessions = true", "sessions must be a whole number"),
        ("sessions = 3", "sessions must be at least 8, so that each part has one"),
        ("hidden_sessions = 9", "hidden_sessions need a hidden_seed"),
        ("seed = 3", "seed must be a text in quotes"),
        ("seconds = 0", "seconds must be more than 0"),
        ("seconds = nan", "seconds must be a number"),
        ('until = "2026-12-01"', "until must be a date like 2026-12-24"),
        ("until = 2026-12-01T10:00:00", "until must be a date like 2026-12-24"),
        ('show = "all"', "show must be one of: full, output, kind, nothing"),
        ("parts = 3", "parts must be a table of parts"),
        ("[parts]\nboard = 3", "board is no part; the parts are grids"),
        ("[parts]\ngrids = true", "parts.grids.points must be a number"),
        ("[parts.grids]\nworth = 3", "parts.grids: worth is no setting"),
        ('[parts.grids]\ncredit = "none"', "parts.grids.credit must be one of: share, all"),
        ("[parts.grids]\nextra = 1", "parts.grids.extra must be true or false"),
    ],
)
def test_wrong_rubrics_are_one_line(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_rubric(tomllib.loads(text), "binary")
    assert said in str(error.value)


@pytest.mark.parametrize("game", ["binary", "collapse", "sinks", "sliding", "tactego"])
def test_a_printed_rubric_is_the_documents(run: Run, game: str) -> None:
    status, out, _ = run("rubric", game)
    assert status == 0
    assert out == rubric_text(default_rubric(game))
    assert parse_rubric(tomllib.loads(out), game) == default_rubric(game)


def test_a_store_keeps_the_first_grade_of_a_key(tmp_path: Path) -> None:
    write_program(tmp_path, "binary")
    job = Job("anna", tmp_path, rubric_for(sessions=8), Commands())
    found = run_job(job)
    with Store(tmp_path / "a.sqlite") as store:
        store.put(job.key, found)
        store.put(job.key, replace(found, name="other"))
        assert store.get(job.key) == found
        assert store.get("none") is None


def test_the_key_of_a_grade_is_all_that_it_depends_on(tmp_path: Path) -> None:
    write_program(tmp_path, "binary")
    job = Job("anna", tmp_path, rubric_for(), Commands())
    keys = {
        replace(job, name="bert").key,
        replace(job, rubric=rubric_for(sessions=30)).key,
        replace(job, commands=Commands(python="python3.9")).key,
        job.key,
    }
    shown = replace(job, rubric=rubric_for(show="nothing"))
    assert shown.key == job.key  # what students see changes no grade
    (tmp_path / "more.py").write_text("")
    keys.add(replace(job).key)
    assert len(keys) == 5


def test_faults_of_the_grader_are_not_kept(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = class_of(tmp_path)

    def faulty(work: list[Job], _: int) -> object:
        for job in work:
            yield job, replace(run_job(replace(job, problem="none")), problem=FAULT + "oops")

    monkeypatch.setattr(grade_command, "run_jobs", faulty)
    words = ("grade", "binary", place, "--store", tmp_path / "grades.sqlite")
    assert FAULT[:20] in run(*words)[1]
    with Store(tmp_path / "grades.sqlite") as store:
        assert store._base.execute("SELECT count(*) FROM grades").fetchone() == (0,)


@pytest.mark.slow("runs hundreds of draws")
def test_a_biased_program_is_shown_its_bias(tmp_path: Path) -> None:
    write_program(tmp_path, "binary", ("random.randrange(count)", "0"))
    found = graded(tmp_path, rubric_for(parts={"random": PartRubric(1)}))
    faults = part(found, "random").faults
    assert [(fault.kind, fault.position) for fault in faults] == [("uniform", "")]
    write_program(
        tmp_path, "binary", ("print(session.game.write_move(position, action))", "print(1)")
    )
    found = graded(tmp_path, rubric_for(parts={"random": PartRubric(1)}))
    (fault,) = part(found, "random").faults
    assert (fault.kind, fault.printed, fault.typed[-1]) == ("random", "1", "genmove")
    assert set(fault.position) <= {".", "\n"}
    assert fault.position


@pytest.mark.slow("grades many programs")
def test_nothing_of_a_submission_runs_outside_of_its_sandbox(tmp_path: Path) -> None:
    """Files named like modules of the library lie in the working folder."""
    write_program(tmp_path, "binary")
    for name in ("multiprocessing", "random", "json", "tarfile", "threading"):
        path = tmp_path / f"{name}.py"
        path.write_text(f"open({str(tmp_path / 'escaped')!r}, 'w'); raise SystemExit")
    program = Path(sys.executable).with_name("gridhouse")
    command = [str(program), "grade", "binary", ".", "--single"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert b"of 5" in done.stdout
    assert not (tmp_path / "escaped").exists()


def test_the_solution_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "a1.py").write_text("from gridhouse.games.binary.program import main\nmain([])")
    found = graded(tmp_path, rubric_for())
    assert found.points == 0
    assert found.crashes == FEW
    with open_submission("binary", tmp_path, Limits()) as submission:
        assert isinstance(submission, PythonSubmission)
        sandbox = submission._programs.sandbox
    assert sandbox.hidden == (str(Path(gridhouse.__file__).parent),)
    if sys.prefix != sys.base_prefix:  # what is installed there is out of reach
        assert sys.prefix not in sandbox.python.folders

"""What a teacher uploads to other systems: what is in it, and that it grades there."""

from __future__ import annotations

import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gridhouse.core.console import UsageError
from gridhouse.grading.mutants import exact_program, mutants
from gridhouse.grading.packages import FAILED, Options, System, own_wheel, package_command
from gridhouse.sandbox import Kind, strongest
from harness import command

if TYPE_CHECKING:
    from collections.abc import Mapping

SECRET = "Wolpertinger é 😀"
OPEN = "sessions = 4\n"
HIDDEN = f'{OPEN}hidden_sessions = 4\nhidden_seed = "{SECRET}"  # {SECRET}\n'
PARTS = "[parts.setups]\npoints = 10\n"
SHADOW = "open('/tmp/gridhouse-shadow', 'w'); raise SystemExit"
HOSTILE = """
import glob, os
for path in (RUBRIC, RESULTS):
    try:
        print(open(path).read())
        open(path, "w").write('{"score": 100}')
    except OSError:
        pass
for path in glob.glob("/proc/[0-9]*"):
    try:
        os.kill(int(path[6:]), 9)
    except OSError:
        pass
"""

needs_walls = pytest.mark.skipif(
    strongest() is Kind.PLAIN, reason="this machine has no walls, which the package asks for"
)


def package(
    folder: Path, system: str, rubric: str = OPEN, game: str = "sinks", **options: Any
) -> Path:
    """Write a package and return its path."""
    (folder / "rubric.toml").write_text(rubric + PARTS, encoding="utf-8")
    chosen = Options(folder / "rubric.toml", folder / f"{system}.zip", "", "", [], None, False)
    package_command(system, game, chosen._replace(**options))
    return chosen.output


def unpacked(path: Path) -> Path:
    """Unpack a package as Unix does, with the modes, and return the folder."""
    folder = path.with_suffix("")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
        for info in archive.infolist():
            (folder / info.filename).chmod(info.external_attr >> 16)
    return folder


def shim(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\nexec {line}\n")
    path.chmod(0o755)


def run_autograder(folder: Path, submission: Mapping[str, str], python: str = "") -> dict[str, Any]:
    """Run Gradescope's script with this interpreter in place of an installed one."""
    prefix = folder / "prefix"
    shim(prefix / "venv/bin/gridhouse", f'{sys.executable} -m gridhouse "$@"')
    shim(prefix / "venv/bin/python", python or f'{sys.executable} "$@"')
    (prefix / "python3").symlink_to(getattr(sys, "_base_executable"))  # noqa: B009 - untyped
    (folder / "submission").mkdir()
    for name, text in submission.items():
        (folder / "submission" / name).write_text(text)
    unpacked(folder / "gradescope.zip").rename(folder / "source")
    environment = {**os.environ, "GRADESCOPE_ROOT": str(folder), "GRIDHOUSE_PREFIX": str(prefix)}
    subprocess.run([folder / "source/run_autograder"], env=environment, check=False, timeout=120)
    result: dict[str, Any] = json.loads((folder / "results/results.json").read_text())
    assert SECRET not in json.dumps(result, ensure_ascii=False)
    assert str(folder) not in json.dumps(result)
    return result


def test_the_zip_of_gradescope_has_what_it_asks_for_and_is_always_the_same(tmp_path: Path) -> None:
    first = package(tmp_path, "gradescope", HIDDEN, apt=["gcc"], run="./it's").read_bytes()
    assert package(tmp_path, "gradescope", HIDDEN, apt=["gcc"], run="./it's").read_bytes() == first
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
    (wheel,) = (name for name in modes if name.startswith("wheels/gridhouse-"))
    assert modes == {"setup.sh": 0o755, "run_autograder": 0o755, "rubric.toml": 0o600, wheel: 0o644}
    folder = unpacked(tmp_path / "gradescope.zip")
    for name in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n", folder / name], check=True)
    assert "python3-venv gcc\n" in (folder / "setup.sh").read_text()
    assert """ '--run=./it'"'"'s' """ in (folder / "run_autograder").read_text()
    assert f'hidden_seed = "{SECRET}"' in (folder / "rubric.toml").read_text(encoding="utf-8")


def test_wheels_of_dependencies_are_packed_and_used(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (wheels / "rich-1.0-py3-none-any.whl").write_bytes(b"rich")
    (wheels / "gridhouse-0.0-py3-none-any.whl").write_bytes(b"another version")
    folder = unpacked(package(tmp_path, "gradescope", wheels=wheels))
    assert sorted(path.name for path in (folder / "wheels").iterdir()) == [
        own_wheel()[0],
        "rich-1.0-py3-none-any.whl",
    ]
    assert '--no-index --find-links "$source/wheels"' in (folder / "setup.sh").read_text()


def test_the_wheel_can_be_installed_and_packs_itself_again(tmp_path: Path) -> None:
    name, content = own_wheel()
    (tmp_path / name).write_bytes(content)
    there = tmp_path / "there"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, "--target", there, tmp_path / name], check=True)
    code = (
        "import sys, gridhouse; from gridhouse.grading.packages import own_wheel\n"
        "assert gridhouse.__file__.startswith(sys.argv[1])\n"
        "open(sys.argv[2], 'wb').write(own_wheel()[1])"
    )
    again = tmp_path / "again.whl"
    subprocess.run(
        [sys.executable, "-c", code, there, again],
        env={**os.environ, "PYTHONPATH": str(there)},
        cwd=tmp_path,
        check=True,
    )
    with zipfile.ZipFile(tmp_path / name) as old, zipfile.ZipFile(again) as new:
        ours = {each for each in old.namelist() if not each.endswith(("/WHEEL", "/RECORD"))}
        assert {each: old.read(each) for each in ours} == {each: new.read(each) for each in ours}
        assert len(new.namelist()) == len(old.namelist())
    subprocess.run(
        [*pip, "--target", tmp_path / "third", again.rename(tmp_path / name)], check=True
    )


@pytest.mark.parametrize("system", ["classroom50", "github", "gitlab"])
def test_nothing_that_students_can_read_has_a_secret(tmp_path: Path, system: str) -> None:
    with pytest.raises(UsageError, match="hidden sessions"):
        package(tmp_path, system, HIDDEN)
    rubric = HIDDEN.replace("hidden_sessions = 4", "hidden_sessions = 0")
    folder = unpacked(package(tmp_path, system, rubric))
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == "rubric.toml" for path in files)
    for path in files:
        assert b"Wolpertinger" not in path.read_bytes()
        assert str(tmp_path).encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("system", "options", "message"),
    [
        ("moodle", {}, "the systems are gradescope, classroom50, github, gitlab"),
        ("github", {"apt": ["gcc; reboot"]}, "no name of a package"),
        ("github", {"build": "make\nreboot"}, "must be one line"),
        ("github", {"wheels": Path()}, "for gradescope only"),
        ("gradescope", {"wheels": Path("/nowhere")}, "holds no wheels"),
        ("gradescope", {"output": Path("/proc/nowhere.zip")}, "/proc/nowhere.zip"),
    ],
)
def test_what_cannot_be_packed_is_refused(
    tmp_path: Path, system: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        package(tmp_path, system, **options)


def test_the_command_writes_a_file_and_says_what_to_do_with_it(tmp_path: Path) -> None:
    run = command("package", "gradescope", "binary", "-o", str(tmp_path / "a.zip"))
    assert (run.status, run.err) == (0, "")
    assert "Upload it" in run.out
    assert zipfile.is_zipfile(tmp_path / "a.zip")


@needs_walls
@pytest.mark.slow("installs a package")
def test_gradescope_grades_right_and_faulty_programs(tmp_path: Path) -> None:
    for name in ("right", "faulty", "empty"):
        (tmp_path / name).mkdir()
        package(tmp_path / name, "gradescope", HIDDEN)
    right = exact_program("sinks")
    shadow = {"sinks.py": right, "multiprocessing.py": SHADOW, "json.py": SHADOW}
    assert run_autograder(tmp_path / "right", shadow)["score"] == 10
    assert not Path("/tmp/gridhouse-shadow").exists()

    name = "rows and columns exchanged"
    mutant = next(each for each in mutants()["sinks"] if each.name == name)
    faulty = {"sinks.py": right.replace(mutant.old, mutant.new, 1)}
    result = run_autograder(tmp_path / "faulty", faulty)
    assert result["score"] < 10
    assert "Typed:" in result["tests"][0]["output"]

    result = run_autograder(tmp_path / "empty", {})
    assert result["score"] == 0
    assert "holds no sinks.py" in result["output"]


@needs_walls
def test_a_hostile_program_gets_neither_the_rubric_nor_points(tmp_path: Path) -> None:
    package(tmp_path, "gradescope", HIDDEN)
    rubric, results = tmp_path / "source/rubric.toml", tmp_path / "results/results.json"
    program = f"RUBRIC, RESULTS = {str(rubric)!r}, {str(results)!r}\n{HOSTILE}"
    result = run_autograder(tmp_path, {"sinks.py": program})
    assert result["score"] == 0
    assert result["tests"]
    assert SECRET in rubric.read_text(encoding="utf-8")


PLAIN = (
    "import sys; sys.argv.pop(0); from gridhouse.sandbox import Kind, sandbox; "
    "sandbox.strongest = lambda python: Kind.PLAIN; "
    "from gridhouse.sandbox import launch; launch.changes_user = lambda *_: False; "
    "exec(sys.stdin.read())"
)


@pytest.mark.parametrize("allow_plain", [False, True])
def test_gradescope_grades_nothing_where_programs_could_read_the_rubric(
    tmp_path: Path, allow_plain: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    package(tmp_path, "gradescope", HIDDEN, allow_plain=allow_plain)
    python = f"{sys.executable} -c '{PLAIN}' \"$@\""
    result = run_autograder(tmp_path, {"sinks.py": exact_program("sinks")}, python)
    assert result == FAILED
    said = "could read the rubric" if allow_plain else "no safe sandbox"
    assert said in capfd.readouterr().err


def test_gradescope_gets_a_result_from_a_grader_that_fails(tmp_path: Path) -> None:
    package(tmp_path, "gradescope", HIDDEN)
    assert run_autograder(tmp_path, {}, "false") == FAILED


@needs_walls
def test_classroom_50_gets_its_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interface is that of `runner.py`; installing is left out, which needs the network."""
    folder = unpacked(package(tmp_path, "classroom50", apt=["gcc"]))
    runtime = json.loads((folder / "runtime.json").read_text())
    assert runtime == {"python": "{}.{}".format(*sys.version_info), "apt": ["gcc"]}
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "sinks.py").write_text(exact_program("sinks"))
    (checkout / "multiprocessing.py").write_text(SHADOW)
    monkeypatch.chdir(checkout)
    for name in ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL"):
        monkeypatch.setenv(name, name.lower())
    run = subprocess.run
    wheel = own_wheel()[0]
    installed = []

    def run_this(arguments: list[str], **options: Any) -> Any:
        assert Path.cwd() != checkout
        if arguments[0] == "venv/bin/gridhouse":
            return run([sys.executable, "-m", "gridhouse", *arguments[1:]], **options)
        installed.append(arguments[-1])
        return None

    monkeypatch.setattr(subprocess, "run", run_this)
    runpy.run_path(str(folder / "autograder.py"), run_name="__main__")
    assert installed == ["venv", str(folder / wheel)]
    assert (folder / wheel).is_file()
    result = json.loads((checkout / "result.json").read_text())
    assert (result["score"], result["max-score"]) == (1000, 1000)
    assert result["review"] == result["commit"] == "commit_url"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", result["datetime"])
    body = (checkout / "release-body.md").read_text()
    assert body.startswith("    checkout: 10 of 10 points\n")
    assert not Path("/tmp/gridhouse-shadow").exists()


@needs_walls
def test_the_workflow_of_github_grades_and_shows_the_feedback(tmp_path: Path) -> None:
    folder = unpacked(package(tmp_path, "github"))
    workflow = (folder / ".github/workflows/grade.yml").read_text()
    found = re.search(r"- name: Grade\n +run: \|\n(.*?)\n      - uses", workflow, re.DOTALL)
    assert found is not None
    temporary, repository = tmp_path / "temporary", tmp_path / "repository"
    (temporary / "gridhouse").parent.mkdir()
    shutil.move(folder / ".gridhouse", temporary / "gridhouse")
    shim(temporary / "gridhouse/venv/bin/gridhouse", f'{sys.executable} -m gridhouse "$@"')
    repository.mkdir()
    (repository / "sinks.py").write_text("print('```')\n")
    environment = {
        **os.environ,
        "RUNNER_TEMP": str(temporary),
        "GITHUB_WORKSPACE": str(repository),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", textwrap.dedent(found[1])],
        env=environment,
        check=False,
    )
    assert done.returncode == 1
    lines = (tmp_path / "summary.md").read_text().splitlines()
    assert lines[0].startswith("    repository: 0 of 10 points")
    assert all(line.startswith("    ") for line in lines)
    assert [path.name for path in (temporary / "gridhouse/report/feedback").iterdir()]


@pytest.mark.parametrize(
    ("rubric", "is_shown"),
    [
        (OPEN, True),
        (f'{OPEN}show = "kind"\n', False),
        (f'{OPEN}show = "kind"\nuntil = 2030-01-01\nthen = "full"\n', False),
    ],
)
def test_gitlab_shows_all_details_only_where_the_rubric_does(
    tmp_path: Path, rubric: str, is_shown: bool
) -> None:
    folder = unpacked(package(tmp_path, System.GITLAB, rubric))
    assert ("junit.xml" in (folder / ".gitlab-ci.yml").read_text()) == is_shown

"""Packages that grade in other systems: an autograder of Gradescope, and workflows of forges."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import replace
from enum import StrEnum
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gridhouse.core.console import UsageError, write_whole
from gridhouse.core.processes import SAFE_PATH
from gridhouse.export import PACKAGE
from gridhouse.grading.rubric import Detail, default_rubric, load_rubric, rubric_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gridhouse.grading.rubric import Rubric

TEMPLATES = Path(__file__).parent / "package_files"
APT_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+", re.ASCII)
EPOCH = (1980, 1, 1, 0, 0, 0)  # of all files, so that the same files make the same archive
PLAIN, EXECUTABLE, SECRET = 0o644, 0o755, 0o600
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
INFORMATION = ("METADATA", "entry_points.txt", "licenses/")  # in an installed package
WHEEL = b"Wheel-Version: 1.0\nGenerator: gridhouse\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
FAILED = {
    "score": 0,
    "output": "Your program was not graded, because the autograder failed. Tell your teacher.",
    "output_format": "text",
    "visibility": "visible",
    "stdout_visibility": "hidden",
    "tests": [],
}


class System(StrEnum):
    """The systems that a package can be made for."""

    GRADESCOPE = "gradescope"
    CLASSROOM50 = "classroom50"
    GITHUB = "github"
    GITLAB = "gitlab"


NEXT = {
    System.GRADESCOPE: "Upload it as the autograder of a programming assignment.",
    System.CLASSROOM50: "Unpack it into CLASSROOM/autograders/ASSIGNMENT of the classroom50 "
    "repository, and give runtime.json to gh teacher assignment add --runtime.",
    System.GITHUB: "Unpack it into the repository that students start from.",
    System.GITLAB: "Unpack it into the repository that students start from.",
}


class Options(NamedTuple):
    """The options of a package.

    ``apt`` are more packages of Debian or Ubuntu to install, ``wheels`` is a folder with those of
    the dependencies, ``allow_plain`` grades where files and network are open to a program too.
    """

    rubric: Path | None
    output: Path
    build: str
    run: str
    apt: list[str]
    wheels: Path | None
    allow_plain: bool


class Member(NamedTuple):
    """A file of a package: its content and its mode."""

    content: bytes
    mode: int = PLAIN


def package_command(system: str, game: str, options: Options) -> None:
    """Write the package for a system as a zip file; raises UsageError."""
    if system not in list(System):
        raise UsageError(f"{system!r} is no system; the systems are {', '.join(System)}")
    rubric = load_rubric(options.rubric, game) if options.rubric else default_rubric(game)
    write_whole(options.output, zipped(members(System(system), rubric, options)))
    print(f"{options.output} is written. {NEXT[System(system)]}")


def members(system: System, rubric: Rubric, options: Options) -> dict[str, Member]:
    """Return the files of a package by their names; raises UsageError.

    Those of all systems but Gradescope can be read by students, so no secret may be in them.
    """
    _check(system, rubric, options)
    if not rubric.hidden_sessions:
        rubric = replace(rubric, hidden_seed="")
    wheel, content = own_wheel()
    grade = ["grade", rubric.game, "--single", "--require-sandbox"]
    grade = grade[: -1 if options.allow_plain else None]
    for name, command in (("--build", options.build), ("--run", options.run)):
        grade += [f"{name}={command}"] * bool(command)
    values = {
        "version": wheel.split("-")[1],
        "wheel": wheel,
        "python": PYTHON,
        "apt": options.apt,
        "wheels": options.wheels,
        "require": not options.allow_plain,
        "grade": shlex.join(grade),
        "arguments": grade,
        "failed": json.dumps(FAILED),
        "all_shown": {rubric.show, rubric.then if rubric.until else rubric.show} == {Detail.FULL},
    }
    text = rubric_text(rubric).encode()
    if system is System.GRADESCOPE:
        more = _wheels(options.wheels) if options.wheels else {}
        return {
            "setup.sh": Member(_rendered("setup.sh", values), EXECUTABLE),
            "run_autograder": Member(_rendered("run_autograder", values), EXECUTABLE),
            "rubric.toml": Member(text, SECRET),
            f"wheels/{wheel}": Member(content),
            **more,
        }
    if system is System.CLASSROOM50:
        runtime = {"python": PYTHON} | ({"apt": options.apt} if options.apt else {})
        return {
            "autograder.py": Member(_rendered("autograder.py", values)),
            "rubric.toml": Member(text),
            "runtime.json": Member((json.dumps(runtime) + "\n").encode()),
            wheel: Member(content),
        }
    workflow = {
        System.GITHUB: (".github/workflows/grade.yml", "grade.yml"),
        System.GITLAB: (".gitlab-ci.yml", "gitlab-ci.yml"),
    }
    path, template = workflow[system]
    return {
        path: Member(_rendered(template, values)),
        ".gridhouse/rubric.toml": Member(text),
        f".gridhouse/{wheel}": Member(content),
    }


def _check(system: System, rubric: Rubric, options: Options) -> None:
    """Raise UsageError where a package would give a secret away or could not work."""
    if rubric.hidden_sessions and system is not System.GRADESCOPE:
        raise UsageError(
            f"the rubric has hidden sessions, and students can read a package for {system}; "
            "set hidden_sessions = 0, and grade those with gridhouse grade"
        )
    if options.wheels and system is not System.GRADESCOPE:
        raise UsageError(f"--wheels is for {System.GRADESCOPE} only")
    for name in options.apt:
        if not APT_NAME.fullmatch(name):
            raise UsageError(f"--apt {name!r}: this is no name of a package")
    for option, command in (("--build", options.build), ("--run", options.run)):
        if not command.isprintable():
            raise UsageError(f"{option}: the command must be one line")


def _rendered(template: str, values: Mapping[str, object]) -> bytes:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )
    environment.filters["quote"] = shlex.quote
    return environment.get_template(f"{template}.jinja").render(values).encode()


def _wheels(folder: Path) -> dict[str, Member]:
    try:
        paths = sorted(folder.glob("*.whl"))
        found = {f"wheels/{path.name}": Member(path.read_bytes()) for path in paths}
    except OSError as error:
        raise UsageError(f"{str(folder)!r}: {error.strerror}") from None
    if not found:
        raise UsageError(f"{str(folder)!r} holds no wheels")
    return {name: member for name, member in found.items() if "/gridhouse-" not in name}


def own_wheel() -> tuple[str, bytes]:
    """Return the name and the content of a wheel of the Gridhouse that runs; raises UsageError.

    Marks depend on its code, so it is built from the checkout that runs, or packed again from the
    installed files.
    """
    project = PACKAGE.parents[1]
    if not (project / "pyproject.toml").is_file():
        return _packed_again()
    with tempfile.TemporaryDirectory() as folder:
        build = [
            sys.executable,
            SAFE_PATH,
            "-m",
            "flit_core.wheel",
            str(project),
            "--outdir",
            folder,
        ]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "0"}
        done = subprocess.run(build, env=environment, capture_output=True, text=True)
        if done.returncode:
            reason = (done.stderr.splitlines() or ["no reason given"])[-1]
            raise UsageError(f"the wheel of {str(project)!r} cannot be built: {reason}")
        (wheel,) = Path(folder).iterdir()
        return wheel.name, wheel.read_bytes()


def _packed_again() -> tuple[str, bytes]:
    installed = distribution("gridhouse")
    name = f"gridhouse-{installed.version}"
    files = {
        f"gridhouse/{path.relative_to(PACKAGE).as_posix()}": Member(path.read_bytes())
        for path in sorted(PACKAGE.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    for file in sorted(installed.files or []):
        folder, _, rest = file.as_posix().partition(".dist-info/")
        if folder == name and rest.startswith(INFORMATION):
            files[file.as_posix()] = Member(Path(str(file.locate())).read_bytes())
    files[f"{name}.dist-info/WHEEL"] = Member(WHEEL)
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for path, member in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(member.content).digest())
        rows.writerow([path, f"sha256={digest.decode().rstrip('=')}", len(member.content)])
    rows.writerow([f"{name}.dist-info/RECORD", "", ""])
    files[f"{name}.dist-info/RECORD"] = Member(record.getvalue().encode())
    return f"{name}-py3-none-any.whl", zipped(files)


def zipped(files: Mapping[str, Member]) -> bytes:
    """Return a zip archive with these files; the same files make the same bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, member in files.items():
            info = zipfile.ZipInfo(name, EPOCH)
            info.create_system = 3  # Unix, so that the modes count
            info.external_attr = (stat.S_IFREG | member.mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, member.content)
    return file.getvalue()

"""Golden sessions of the exact programs, under every Python found, as scripts and exported."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

import pythons
from gridhouse import export
from harness import CONFORMANCE, PROGRAMS, SESSIONS, Program, golden

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = {
    "sinks/example1": ("sinks.py", "10", "10", "0"),
    "sinks/example2": ("sinks.py", "10", "10", "0"),
    "tactego/sample": ("tactego.py",),
    "collapse/figure4": ("assignment3.py", "figure4.txt"),
}


def run(command: list[str], program: Program, **environment: str) -> tuple[bytes, bytes]:
    """Return what a program prints and complains of."""
    done = subprocess.run(
        [*command, *program.arguments],
        input=program.typed,
        cwd=program.folder,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with every program exported into a folder of its own."""
    folder = tmp_path_factory.mktemp("exported")
    for game in export.games_with_programs():
        for script in export.scripts_of(game):
            export.export(game, str(folder / game), script.name)
    return folder


@pytest.fixture(params=pythons.able())
def python(request: pytest.FixtureRequest) -> list[str]:
    """Return each Python that runs the programs, without what is installed for it."""
    return [pythons.found()[request.param], "-S", "-E"]


@pytest.mark.parametrize("name", SESSIONS)
def test_golden_sessions(name: str, python: list[str], alone: Path) -> None:
    program, printed = golden(name)
    for folder in (PROGRAMS, alone):
        script = str(folder / program.game / program.script)
        assert run([*python, script], program)[0] == printed


@pytest.mark.skipif(not CONFORMANCE.exists(), reason="the documents' samples are not at hand")
@pytest.mark.parametrize("name", SAMPLES)
def test_the_documents_samples(name: str, python: list[str], alone: Path) -> None:
    game, sample = name.split("/")
    script, *arguments = SAMPLES[name]
    typed = (CONFORMANCE / game / f"{sample}.in").read_bytes()
    printed = (CONFORMANCE / game / f"{sample}.out").read_bytes()
    program = Program(game, script, tuple(arguments), CONFORMANCE / game, typed)
    for folder in (PROGRAMS, alone):
        assert run([*python, str(folder / game / script)], program)[0] == printed


def test_another_console_and_other_line_ends_make_no_difference(alone: Path) -> None:
    current = [pythons.found()[pythons.able()[-1]], "-S"]
    for name in SESSIONS:
        program, printed = golden(name)
        typed = program.typed.replace(b"\n", b"\r\n")
        for folder in (PROGRAMS, alone):
            script = str(folder / program.game / program.script)
            foreign = program._replace(typed=typed)
            assert run([*current, script], foreign, PYTHONIOENCODING="cp1252")[0] == printed


IMPORTED = """
import random, sys
import a1, a1_support
random.seed(5)
solution = a1_support.get_game_solution("words.txt", 3)
puzzle = a1.shuffle_puzzle(solution)
a1.print_grid(puzzle)
a1.print_grid("")
print(solution, a1.check_win(solution[:-1] + " ", solution), a1.move("ab c", "R"))
print(a1_support.CORNER)
print(sorted(name for name in sys.modules if name.startswith("numpy")))
"""


def test_an_exported_program_is_imported(python: list[str], alone: Path, tmp_path: Path) -> None:
    shutil.copytree(alone / "sliding", tmp_path, dirs_exist_ok=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a1.py",
        "a1_support.py",
        "words.txt",
    ]
    program = Program("sliding", "a1.py", (), tmp_path, b"")
    printed, complained = run([*python, "-c", IMPORTED], program)
    words = (alone / "sliding" / "words.txt").read_text().split()
    lines = printed.decode().splitlines()
    assert lines[-1] == "[]"
    assert lines[-3:-1] == [f"{lines[-3][:9]} True abc ", "+"]
    assert all(lines[-3][at : at + 3] in words for at in (0, 3, 6))
    assert complained == b""


@pytest.mark.parametrize("version", pythons.too_old())
def test_an_older_python_is_refused_in_a_line(version: str, alone: Path) -> None:
    for folder in (PROGRAMS, alone):
        for game in export.games_with_programs():
            script = export.scripts_of(game)[0].name
            done = subprocess.run(
                [pythons.found()[version], "-S", str(folder / game / script)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            said = f"{script} needs Python 3.8 or later; this is {version}"
            assert (done.stdout, done.stderr[: len(said)]) == ("", said)
            assert done.stderr.count("\n") == 1

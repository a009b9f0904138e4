"""Exporting an exact program: what is written, what is kept, and what a bare copy says."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse import export
from gridhouse.core.console import UsageError
from gridhouse.core.errors import UnknownGameError
from harness import PROGRAMS, ROOT

if TYPE_CHECKING:
    from pathlib import Path

SCRIPTS = [
    script
    for game in gridhouse.games()
    for script in export.scripts_of(game) + export.support_of(game)
    if (PROGRAMS / game / script.name).exists()
]


def test_the_scripts_are_as_they_are_written(tmp_path: Path) -> None:
    for game in export.games_with_programs():
        (tmp_path / game).mkdir()
    export.write_linked(str(tmp_path))
    written = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.py")}
    assert written == {path.relative_to(PROGRAMS) for path in PROGRAMS.rglob("*.py")}
    for path in written:
        assert (tmp_path / path).read_text() == (PROGRAMS / path).read_text(), "make programs"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: f"{script.game}/{script.name}")
def test_a_bare_copy_needs_an_installed_package(script: export.Script, tmp_path: Path) -> None:
    copy = tmp_path / script.name
    copy.write_text((PROGRAMS / script.game / script.name).read_text())
    # Neither beside the copy nor among the installed packages.
    bare = [sys.executable, "-S", "-E", str(copy)]
    done = subprocess.run(bare, input="", capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert done.stderr == (
        f"{script.name} needs the package gridhouse, which is not installed here; "
        f"'gridhouse export {script.game} FOLDER' writes a copy that does not\n"
    )
    installed = [sys.executable, "-S", str(copy)]
    done = subprocess.run(
        installed,
        input="",
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT / "src")},
    )
    assert "which is not installed" not in done.stderr


def test_a_script_is_not_written_over_and_files_beside_it_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    words = folder / "words.txt"
    assert export.export("sliding", str(folder)) == [
        f"wrote {folder / name}" for name in ("a1.py", "a1_support.py", "words.txt")
    ]
    words.write_text("aa\n")
    (folder / "a1.py").write_text("mine")
    with pytest.raises(UsageError, match=r"a1\.py' is there already; --force replaces it"):
        export.export("sliding", str(folder))
    assert (folder / "a1.py").read_text() == "mine"
    done = export.export("sliding", str(folder), force=True)
    assert done[0] == f"wrote {folder / 'a1.py'}"
    assert done[2] == f"kept {words}"
    assert words.read_text() == "aa\n"
    assert "SCOWL" in (folder / "a1.py").read_text()


def test_what_cannot_be_written_is_told_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(UnknownGameError, match="there is no game 'chess'; the games are binary"):
        export.export("chess", str(tmp_path))
    with pytest.raises(UsageError, match=r"'a5\.py' is no program of binary: a1\.py, a2\.py"):
        export.export("binary", str(tmp_path), "a5.py")
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(UsageError, match="is no folder: File exists"):
        export.export("sinks", str(file))
    (tmp_path / "sinks.py").mkdir()
    with pytest.raises(UsageError, match=r"sinks\.py': Is a directory"):
        export.export("sinks", str(tmp_path), force=True)


def test_only_what_a_program_runs_is_written() -> None:
    (script,) = export.scripts_of("tactego")
    assert export.modules(script) == [
        "gridhouse.core.notation",
        "gridhouse.core.errors",
        "gridhouse.core.console",
        "gridhouse.core.chance",
        "gridhouse.core.position",
        "gridhouse.games.tactego.rules",
        "gridhouse.core.contract",
        "gridhouse.core.game",
        "gridhouse.games.tactego.game",
        "gridhouse.games.tactego.program",
    ]
    text = export.exported(script)
    assert "numba" not in text
    assert all(export.source(module) in text for module in export.modules(script))


def test_without_its_book_the_binary_game_is_solved_all_the_same(tmp_path: Path) -> None:
    export.export("binary", str(tmp_path), "a4.py")
    (tmp_path / "book.txt").unlink()
    typed = "game 5 5\nplay 0 0 0\nplay 1 1 0\nplay 2 2 0\nsolve\ngenmove\ngame 3 3\nsolve\n"
    done = subprocess.run(
        [sys.executable, "-S", str(tmp_path / "a4.py")],
        input=typed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert re.search(r"\n\n1 \d \d \d\n= 1\n\n$", done.stdout)

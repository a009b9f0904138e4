"""The kit's players and helper keep the protocol, and the check of the protocol finds faults."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gridhouse
import pythons
from gridhouse.arena.competitors.house import HouseCompetitor
from gridhouse.arena.competitors.program import ProgramCompetitor, Starter, submitted
from gridhouse.arena.compliance import Compliance, Level, check
from gridhouse.arena.records import Termination
from gridhouse.arena.referee import play
from gridhouse.arena.time_control import TimeControl
from gridhouse.core.console import UsageError
from gridhouse.export import export
from harness import ROOT

pytestmark = pytest.mark.slow("builds and starts many programs")

KIT = Path(gridhouse.__file__).parent / "arena" / "kit"
BINARY = ("binary(rows=3,cols=5)#0",)
SECOND = TimeControl.parse("5s")


def texts(found: Compliance, level: Level) -> list[str]:
    return [finding.text for finding in found.findings if finding.level is level]


def checked(path: Path, **settings: object) -> Compliance:
    return check(submitted(path, "binary"), startup_wait=3, longest_wait=2, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["random_player.py", "player.c", "player.js"])
def test_players_keep_the_protocol(tmp_path: Path, name: str) -> None:
    for file in {name, "engine.py"}:
        shutil.copy(KIT / file, tmp_path)
    found = checked(tmp_path / name)
    assert found.findings == ()
    assert found.games == ("game 5 3",)


def test_players_play_to_the_end(tmp_path: Path) -> None:
    """The players in C and JavaScript know the same rules as the package."""
    start = gridhouse.parse("binary(rows=4,cols=5) 01.../...../1..../....0")
    with (
        ProgramCompetitor(submitted(KIT / "player.c", "binary")) as first,
        ProgramCompetitor(submitted(KIT / "player.js", "binary")) as second,
    ):
        for number in range(4):
            record = play(start, [first, second], SECOND, number=number)
            assert record.termination is Termination.RULES


def test_player_with_the_package() -> None:
    command = [sys.executable, str(KIT / "random_player.py")]
    found = check(Starter(command, sandboxed=False), longest_wait=5)
    assert found.findings == ()
    assert [game.partition("(")[0] for game in found.games] == [
        "game 5 3",
        "game sinks",
        "game tactego",
    ]


def test_oldest_python(tmp_path: Path) -> None:
    for name in ("random_player.py", "engine.py"):
        shutil.copy(KIT / name, tmp_path)
    command = [pythons.found()[pythons.able()[0]], str(tmp_path / "random_player.py")]
    found = check(Starter(command), longest_wait=2, starts=BINARY)
    assert (found.findings, found.games) == ((), ("game 5 3",))


def test_ten_lines(tmp_path: Path) -> None:
    """The example in the helper is a player."""
    shutil.copy(KIT / "engine.py", tmp_path)
    words = ast.get_docstring(ast.parse((KIT / "engine.py").read_text())) or ""
    lines = [line[4:] for line in words.splitlines() if line.startswith("    ")]
    assert 5 <= len(lines) <= 10
    (tmp_path / "mine.py").write_text("\n".join(["import random, engine", *lines]))
    game = gridhouse.load("tactego", rows=4, cols=4, pieces="2x2 1x2 Fx1", limit=30)
    starter = Starter([sys.executable, str(tmp_path / "mine.py")], sandboxed=False)
    with ProgramCompetitor(starter) as mine:
        for control in ("0.5s", "60+1", "100n"):
            record = play(
                game.new_initial_state(1),
                [mine, HouseCompetitor("random", game)],
                TimeControl.parse(control),
            )
            assert record.termination is Termination.RULES


def test_player_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "how-to" / "write-a-player.md").read_text(encoding="utf-8")
    shutil.copy(KIT / "engine.py", tmp_path)
    player = tmp_path / "player.py"
    player.write_text(page.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for sandboxed in (True, False):
        found = check(Starter(f"python3 {player}", sandboxed=sandboxed), longest_wait=5)
        assert found.findings == ()
        assert len(found.games) == 3
    # The processes that play a match do not import from where they are; its programs do.
    words = ["--game", "binary(rows=3,cols=3)", "--games", "2", "--limit", "5s"]
    match = [sys.executable, "-m", "gridhouse", "match", f"python3 {player}", "random", *words]
    for walls in ([], ["--no-sandbox"]):
        done = subprocess.run([*match, *walls], capture_output=True, text=True, check=True)
        assert "Traceback" not in done.stderr
        assert "Ends: rules 2." in done.stdout


def test_a_python_without_the_package_is_named(tmp_path: Path) -> None:
    shutil.copy(KIT / "engine.py", tmp_path)
    player = tmp_path / "mine.py"
    player.write_text("import engine\nengine.run(lambda me: me.state().legal_moves()[0])\n")
    with ProgramCompetitor(submitted(player, "binary")) as mine:
        record = play(gridhouse.parse(BINARY[0]), [mine, mine], SECOND)
    assert record.termination is Termination.CRASH
    assert "MissingPackageError: gridhouse is not installed for /" in record.reason


@pytest.mark.parametrize("script", ["a1.py", "a4.py"])
def test_programs_of_the_course(tmp_path: Path, script: str) -> None:
    export("binary", str(tmp_path), script)
    found = checked(tmp_path / script, starts=BINARY)
    assert texts(found, Level.MUST) == []
    assert found.games == ("game 5 3",)


# What is wrong with a player at random when these lines of the helper are others.
FAULTS = {
    "output has to be flushed": ('end="\\n\\n", flush=True', 'end="\\n\\n"'),
    "it plays the illegal move": ("if reason:", "if False:"),
    "its move is illegal": ("[move] if value is None", '["0 0 7"] if value is None'),
    "more after its status": ('[*lines, "= 1"]', '[*lines, "= 1", "= 1"]'),
    "it does not take back": ("self.moves.pop()", "raise RefusedError('no')"),
    "it carries out a command that there is not": ('return ["= -1"]', 'return ["= 1"]'),
    "the version of the protocol is 1": ('VERSION = "1"', 'VERSION = "2"'),
    "it plays none of the games": ("return game.startswith", "return not game.startswith"),
    "does not end within a second after 'exit'": ("raise EOFError", "pass"),
    "it does not list exit": ('startswith("do_")', 'startswith("do_") and name != "do_exit"'),
    "ZeroDivisionError": ("if not self.moves:", "if 1 / 0:"),
    "its move takes": (
        "chosen = self.genmove()",
        "__import__('time').sleep(1.6)\n        chosen = self.genmove()",
    ),
    "it refuses a position": ("before = self._begun()\n", "raise RefusedError('no')\n"),
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults_are_found(tmp_path: Path, text: str) -> None:
    before, after = FAULTS[text]
    sources = {name: (KIT / name).read_text() for name in ("engine.py", "random_player.py")}
    assert any(before in source for source in sources.values())
    for name, source in sources.items():
        (tmp_path / name).write_text(source.replace(before, after))
    found = checked(tmp_path / "random_player.py", starts=BINARY)
    assert any(text in line for line in texts(found, Level.MUST)), str(found)
    assert found.status == 1
    assert any(line.startswith("> ") for line in found.findings[0].talk)


def test_report(tmp_path: Path) -> None:
    """A program of another protocol gets one finding, with what was sent and received."""
    (tmp_path / "player.py").write_text(
        "print('= protocol_version quit', flush=True)\ninput()\n" * 9
    )
    found = checked(tmp_path)
    assert str(found).splitlines() == [
        "must: it answers 'list_commands' with '= protocol_version quit' is no status: "
        "= 1, = -1 or = illegal move: …",
        "    > list_commands",
        "    < = protocol_version quit",
        "it plays no game",
        "findings: 1 that it must change, 0 that it should change",
    ]


def test_submissions(tmp_path: Path) -> None:
    """A folder is taken by the names of its files; what nobody can run is said in a line."""
    for name in ("engine.py", "random_player.py"):
        shutil.copy(KIT / name, tmp_path)
    with pytest.raises(UsageError, match="holds no program: player, main, a4, binary"):
        submitted(tmp_path, "binary")
    (tmp_path / "random_player.py").rename(tmp_path / "player.py")
    game = gridhouse.load("binary", rows=3, cols=3)
    with ProgramCompetitor(submitted(tmp_path, "binary")) as mine:
        record = play(game.new_initial_state(), [mine, HouseCompetitor("random", game)], SECOND)
    assert record.termination is Termination.RULES
    with pytest.raises(UsageError, match="there is no file"):
        submitted(tmp_path / "nothing", "binary")


def test_c_compiles_without_warnings(tmp_path: Path) -> None:
    command = ["cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-o", "player"]
    subprocess.run([*command, str(KIT / "player.c")], cwd=tmp_path, check=True)

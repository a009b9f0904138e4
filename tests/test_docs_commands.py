"""The commands of the documentation are there, and run."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer

from browser_helpers import house_process
from gridhouse import cli
from gridhouse.export import export
from gridhouse.server.storage.store import Store
from harness import GOLDEN, PAGES, PROGRAMS, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

KIT = ROOT / "src" / "gridhouse" / "arena" / "kit"

TOOLS = ("gridhouse ", "python3 programs/", "curl ")

# What other tests run: houses, clusters, databases, other machines, a game that is being written.
ELSEWHERE = (
    "gridhouse #",  # the menu
    "gridhouse play",
    "gridhouse tournament FILE",
    "gridhouse admin copy",
    "gridhouse check-game nim",
    "--ray",
    "node player.js",
    "go build",
    "gridhouse audit",
    " TABLE",
    " EVENING",
)
# What makes them short.
SHORTER = (
    (r"--games \d+", "--games 2"),
    (r"--time 5\+0\.05|--limit [\d.]+s", "--limit 0.01s"),
    (r"--time \d+", "--time 1"),
    ("~/", ""),
    (r"gridhouse check (\w+ \S+)", r"gridhouse check \1 --sessions 10"),
    (r"gridhouse grade (\w+) (?!.*--rubric)", r"gridhouse grade \1 --rubric \1.toml "),
    ("--python 3.9", f"--python {sys.version_info[0]}.{sys.version_info[1]}"),
)
FEW = "sessions = 21"


def shown_in(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands that stand on lines of their own, and the output below those after a $."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        lines = block.splitlines()
        for number, line in enumerate(lines):
            command = line.removeprefix("$ ")
            if command.startswith(TOOLS):
                yield command, lines[number + 1 :] if command != line else []


def named(page: Path) -> Iterator[list[str]]:
    """Yield the words of all commands of a page, those in its sentences as well."""
    text = re.sub(r"\s+", " ", page.read_text(encoding="utf-8"))
    in_sentences = re.findall(r"`(gridhouse [a-z][^`]*)`", text)
    lines = [line for line, _ in shown_in(page) if line.startswith("gridhouse ")]
    for line in [*lines, *in_sentences]:
        yield shlex.split(line, comments=True)[1:]


def test_the_commands_have_the_options_that_are_shown() -> None:
    top: Any = typer.main.get_command(cli.complete_app())
    for words in (words for page in PAGES for words in named(page)):
        command, rest = top, list(words)
        while rest and hasattr(command, "commands") and not rest[0].startswith("-"):
            assert rest[0] in command.commands, words
            command = command.commands[rest.pop(0)]
        options = {"--help"}
        for option in command.params:
            options |= {*option.opts, *option.secondary_opts}
        if not command.context_settings.get("ignore_unknown_options"):
            assert {word for word in rest if re.match(r"--?[a-z]", word)} <= options, words


@pytest.fixture
def temporary() -> Iterator[Path]:
    """Return a folder for temporary files with a short path, since sockets lie in it."""
    with tempfile.TemporaryDirectory(prefix="pages-") as folder:
        yield Path(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that has the files of which the pages speak."""
    games = {name: tmp_path / name for name in ("sinks", "sliding", "binary", "tactego")}
    for name, exact in games.items():
        export(name, str(exact))
        (tmp_path / f"{name}.toml").write_text(f'game = "{name}"\n{FEW}\n')
    (tmp_path / "my_sinks.py").write_bytes((games["sinks"] / "sinks.py").read_bytes())
    games["sliding"].rename(tmp_path / "assignment1")
    for name in ("player.c", "player.js", "engine.py", "random_player.py"):
        shutil.copy(KIT / name, tmp_path)
    for name in ("player.py", "new.py", "old.py"):
        shutil.copy(KIT / "random_player.py", tmp_path / name)
    subprocess.run(["cc", "-o", "player", "player.c"], cwd=tmp_path, check=True)
    for student in ("abe", "zoe"):
        both = tmp_path / "submissions" / student
        shutil.copytree(games["binary"], both)
        for name in ("player.py", "engine.py"):
            shutil.copy(tmp_path / name, both)
    shutil.make_archive(str(tmp_path / "submissions"), "zip", games["tactego"].parent, "tactego")
    shutil.make_archive(str(tmp_path / "class"), "zip", games["sinks"].parent, "sinks")
    shutil.copy(GOLDEN / "sinks-a-game" / "in", tmp_path / "game.txt")
    (tmp_path / "programs").symlink_to(PROGRAMS)
    for name in ("board.txt", "input.txt"):
        (tmp_path / name).write_text("1 2 2\n1 1 2\n3 3 3\n")
    (tmp_path / "puzzles.txt").write_text("fhg bcade/abcdefghi\n")
    return tmp_path


def shorter(line: str) -> list[str]:
    """Return what is run for a command: the same in little time, all of its shards."""
    for long, short in SHORTER:
        line = re.sub(long, short, line)
    shards = range(1, 5) if "--shard" in line else [1]
    return [line.replace("1.sqlite --shard 1", f"{n}.sqlite --shard {n}") for n in shards]


def pattern(output: str) -> str:
    """Return what matches an output of which parts are left out; times and nodes vary."""
    escaped = re.escape(output).replace(r"\.\.\.", ".*")
    return re.sub(r"\d+(\\\.\d+)?(?=\\ (nodes|s\b|seconds))", r"[\\d.]+", escaped)


@pytest.mark.slow("runs the commands of all pages: matches, grades, solvers")
def test_the_commands_run(folder: Path, temporary: Path) -> None:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    database = f"sqlite:///{folder / 'house.db'}"
    Store(database).close()
    own = {"PATH": path, "GRIDHOUSE_DATABASE_URL": database, "TMPDIR": str(temporary)}
    env = {**os.environ, **own}
    ran = []
    for page in PAGES:
        for command, output in shown_in(page):
            if any(word in command for word in (*ELSEWHERE, "curl ")):
                continue
            for line in shorter(command):
                done = subprocess.run(
                    ["bash", "-c", line],
                    cwd=folder,
                    env=env,
                    # To what is asked before things are removed; games are not begun.
                    input="y\n" * 5 if command.startswith("gridhouse ") else "",
                    capture_output=True,
                    text=True,
                )
                assert done.returncode == 0, (page.name, line, done.stdout, done.stderr)
                assert re.match(pattern("\n".join(output)), done.stdout), (line, done.stdout)
                assert not list(temporary.iterdir()), line
                ran.append(line)
            if command.startswith("gridhouse rubric"):
                rubric = folder / "rubric.toml"
                rubric.write_text(re.sub("(?m)^sessions = .*", FEW, rubric.read_text()))
    assert len(ran) > 40


@pytest.mark.slow("opens a house")
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_requests_are_answered(tmp_path: Path) -> None:
    """Each is one that the house knows; what it refuses has to do with the game."""
    with house_process(f"sqlite:///{tmp_path / 'house.db'}") as house:
        env = {**os.environ, "HOUSE": house.address, "TABLE": "", "TOKEN": ""}

        def requested(line: str, *options: str) -> str:
            line = " ".join(["curl -sS", *options, line.removeprefix("curl ")])
            return subprocess.run(
                ["bash", "-c", line], env=env, check=True, capture_output=True, text=True
            ).stdout

        statuses, invitation = [], ""
        for line, _ in shown_in(ROOT / "docs" / "api.md"):
            if not line.startswith("curl "):
                continue
            sent = line.replace('"..."', f'"{invitation}"').replace("wait=20", "wait=1")
            if '"friends"' in line:
                founded = json.loads(requested(sent))
                env |= {"TABLE": founded["table"]["id"], "TOKEN": founded["token"]}
                invitation = founded["table"]["invitation"]
            else:
                statuses.append(requested(sent, "-o /dev/null", "-w '%{http_code}'"))
        assert set(statuses) <= {"200", "201", "409"}, statuses
        assert len(statuses) > 10
        assert statuses.count("409") < 4

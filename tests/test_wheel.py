"""The wheel and the sdist, and what an installed copy does away from the source tree.

Copies are installed without a network: each environment has links to those installed libraries
that the package, or an extra, asks for, and to nothing else.
"""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urldefrag, urljoin
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement

import gridhouse
from harness import ROOT
from ports import reserved_port

if TYPE_CHECKING:
    from collections.abc import Iterator

BACKEND = "import flit_core.buildapi as flit, sys; print(getattr(flit, sys.argv[1])(sys.argv[2]))"
SESSIONS = 10  # with the exact program, at which nothing is found
PAGES = ("/", "/learn/sinks", "/puzzles", "/puzzles/tactego", "/daily", "/new/binary")
pytestmark = pytest.mark.slow("builds packages and installs them")


def build(kind: str, source: Path, folder: Path) -> Path:
    """Build a ``wheel`` or an ``sdist`` from a source tree."""
    command = [sys.executable, "-c", BACKEND, f"build_{kind}", str(folder)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
    return folder / done.stdout.strip()


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("dist"))


class Installed(NamedTuple):
    """An environment with an installed copy, and an empty folder to work in."""

    python: str
    folder: Path

    @property
    def command(self) -> str:
        return str(Path(self.python).with_name("gridhouse"))

    def run(self, *words: object, typed: str = "", status: int = 0) -> str:
        """Run the command ``gridhouse``; return its output, or its errors if it fails."""
        return self._done([self.command, *map(str, words)], typed, status)

    def say(self, code: str) -> str:
        """Return what Python code prints."""
        return self._done([self.python, "-c", code], "", 0)

    def _done(self, command: list[str], typed: str, status: int) -> str:
        done = subprocess.run(
            command,
            input=typed,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment(),
            timeout=120,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stderr if status else done.stdout

    def environment(self) -> dict[str, str]:
        home = str(self.folder.parent)
        return {"HOME": home, "PATH": os.environ["PATH"], "GRIDHOUSE_COMPILE": "never"}


def needed(name: str, extras: set[str], path: list[str]) -> Iterator[metadata.Distribution]:
    """Yield the installed distributions that a distribution needs with its extras."""
    (found, *_) = metadata.distributions(name=name, path=path)
    for line in found.requires or []:
        requirement = Requirement(line)
        marker = requirement.marker
        if not marker or any(marker.evaluate({"extra": extra}) for extra in {"", *extras}):
            if requirement.name != name:
                yield from metadata.distributions(name=requirement.name, path=path)
            yield from needed(requirement.name, requirement.extras, path)


def install(wheel: Path, folder: Path, *extras: str) -> Installed:
    """Install the wheel into an empty environment, and link what it needs with these extras."""
    home = folder / "there"
    venv.create(home, with_pip=False)
    python = str(home / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "-q", "--python", python, "install", "--no-index"]
    subprocess.run([*pip, "--no-deps", "--no-compile", str(wheel)], check=True)
    site = next(home.glob("lib/python*/site-packages"))
    for library in needed("gridhouse", set(extras), [str(site), *sys.path]):
        for top in {file.parts[0] for file in library.files or []} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(library.locate_file(top)))
    (folder / "work").mkdir()
    return Installed(python, folder / "work")


@pytest.fixture(scope="module")
def light(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the package without any extra."""
    return install(wheel, tmp_path_factory.mktemp("light"))


@pytest.fixture(scope="module")
def web(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the package with the extra that ``make play`` has."""
    return install(wheel, tmp_path_factory.mktemp("web"), "web")


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    package = ROOT / "src" / "gridhouse"
    files = [path for path in package.rglob("*") if path.is_file()]
    wanted = {
        path.relative_to(ROOT / "src").as_posix(): path.read_bytes()
        for path in files
        if "__pycache__" not in path.parts
    }
    packed = contents(wheel)
    assert {name: packed.get(name) for name in wanted} == wanted
    assert len(packed) == len(wanted) + len([name for name in packed if ".dist-info/" in name])


def test_the_sdist_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", ROOT, tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / f"gridhouse-{gridhouse.__version__}"
    again = build("wheel", source, tmp_path)
    assert again.name == wheel.name
    assert contents(again) == contents(wheel)


def test_there_is_one_version(light: Installed) -> None:
    code = "from importlib.metadata import version; print(version('gridhouse'))"
    assert light.say(code) == light.run("--version") == f"{gridhouse.__version__}\n"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {gridhouse.__version__}\n" in citation


def test_a_light_copy_has_neither_numpy_nor_numba(light: Installed) -> None:
    code = (
        "from importlib.util import find_spec\n"
        "import gridhouse\n"
        "print(gridhouse.__file__, find_spec('numpy'), find_spec('numba'))"
    )
    place, *found = light.say(code).split()
    assert Path(place).is_relative_to(light.folder.parent / "there")
    assert found == ["None", "None"]


@pytest.mark.parametrize("game", gridhouse.games())
def test_every_kind_of_player_moves_in_a_light_copy(light: Installed, game: str) -> None:
    code = f"""
import gridhouse
from gridhouse.players import strongest
state = gridhouse.load({game!r}).new_initial_state(seed=1)
one = [strongest(state.game)] + [gridhouse.player("level", state.game, level=n) for n in (1, 8)]
for mover in one:
    choice = mover.choose(state.clone(), gridhouse.Limits(seconds=0.2))
    assert choice.action in state.legal_actions()
print(state.picture().svg("light").count("<svg"))
"""
    assert light.say(code) == "1\n"


def test_what_solves_without_numpy_does_and_the_rest_says_what_it_needs(
    light: Installed, web: Installed
) -> None:
    assert "nimber: 1" in light.run("solve", "binary", 5, 3, "--nimber")
    assert "optimal: no solution is shorter" in light.run(
        "solve", "sliding", "--tiles", "1 2 3 4 0 5 7 8 6"
    )
    board = "collapse(rows=4,cols=4,digits=3)#3"
    needs = "NumPy is missing; this needs the extra fast: pip install 'gridhouse[fast]'\n"
    assert light.run("solve", "collapse", board, status=2) == f"gridhouse: '{board}': {needs}"
    match = [
        "match",
        "random",
        "greedy",
        "--game",
        "binary(rows=2,cols=2)",
        "--games",
        "2",
        "--limit",
        "20p",
    ]
    assert light.run(*match, status=2) == f"gridhouse: {needs}"
    assert light.run("warm", status=2).endswith("pip install 'gridhouse[fast]'\n")
    assert "optimal" in web.run("solve", "collapse", board)
    assert "random" in web.run(*match)


def test_the_menu_plays_a_game(light: Installed) -> None:
    printed = light.run(typed="1\nrows=1,cols=2\nmachine 1\n0 0 1\nq\n")
    assert "Traceback" not in printed
    assert " wins" in printed


def test_programs_are_exported_checked_and_graded(light: Installed) -> None:
    for game in gridhouse.games():
        light.run("export", game, game)
    bare = [sys.executable, "-S", "-E", "binary/a1.py"]
    typed = "game 1 2\nplay 0 0 1\nwinner\n"
    done = subprocess.run(bare, input=typed, capture_output=True, text=True, cwd=light.folder)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.startswith("= 1\n")
    few = f"--sessions={SESSIONS}"
    assert "no difference" in light.run("check", "binary", "binary/a1.py", few)
    (light.folder / "class").mkdir()
    program = (light.folder / "binary" / "a1.py").read_text(encoding="utf-8")
    (light.folder / "class" / "ada.py").write_text(program, encoding="utf-8")
    (light.folder / "class" / "bob.py").write_text("print('= 1')\n", encoding="utf-8")
    rubric = light.run("rubric", "binary").replace("\nsessions = 300", f"\nsessions = {SESSIONS}")
    (light.folder / "rubric.toml").write_text(rubric, encoding="utf-8")
    light.run("grade", "binary", "class", "-o", "report", "--rubric", "rubric.toml")
    (grades,) = (light.folder / "report").glob("*.csv")
    with grades.open(encoding="utf-8-sig", newline="") as file:
        assert [(row["name"], row["total"]) for row in csv.DictReader(file)] == [
            ("ada", "5"),
            ("bob", "0"),
        ]
    light.run("package", "gradescope", "binary", "-o", "autograder.zip")
    with zipfile.ZipFile(light.folder / "autograder.zip") as archive:
        assert {"setup.sh", "run_autograder", "rubric.toml"} < set(archive.namelist())


def test_the_house_opens_and_all_that_its_pages_name_is_there(web: Installed) -> None:
    with reserved_port() as port:
        house = subprocess.Popen(
            [web.command, "play", "--no-open", "--port", str(port)],
            stdout=subprocess.PIPE,
            cwd=web.folder,
            env=web.environment(),
            text=True,
        )
        try:
            assert house.stdout is not None
            said = house.stdout.readline()
            address = f"http://127.0.0.1:{port}"
            assert said == f"The house is open at {address}/ (Ctrl-C closes it)\n"
            named = set(PAGES)
            for path in PAGES:
                page = urlopen(address + path).read().decode()
                links = re.findall(r'(?:href|src)="(/[^"]*)"', page)
                named.update(urldefrag(link).url for link in links)
            assert len(named) > 40
            for path in sorted(named):
                assert urlopen(urljoin(address, path)).status == 200, path
        finally:
            house.send_signal(signal.SIGINT)
            house.communicate(timeout=30)


def test_a_type_checker_sees_the_types_of_an_installed_copy(light: Installed) -> None:
    (light.folder / "user.py").write_text(
        "import gridhouse\n"
        "reveal_type(gridhouse.load('binary').new_initial_state())\n"
        "gridhouse.parse(3)\n",
        encoding="utf-8",
    )
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", light.python]
    done = subprocess.run(
        [*mypy, "user.py"],
        cwd=light.folder,
        env=light.environment(),
        capture_output=True,
        text=True,
    )
    assert 'note: Revealed type is "gridhouse.core.game.State"' in done.stdout
    assert 'error: Argument 1 to "parse" has incompatible type "int"' in done.stdout
    assert "Found 1 error in 1 file" in done.stdout

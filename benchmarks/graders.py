"""Graders on the same programs: ``python benchmarks/graders.py binary CASES [HARNESS]``.

The programs are the exact one with every fourth fault of `src/gridhouse/grading/mutants.json`
planted in it, ten of forty, and the right one, about which nobody should complain.  CASES are the
course's public cases: the checks of check50, the tests of otter-grader and the text that `diff`
compares are written from them.  HARNESS is the course's `a1test.py`.  ``sliding TESTS`` takes the
folder of the sliding puzzle's `test_a1.py`, with its test runner, data and words.  A grader that is
not on the path is left out.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from command_line import Word, start

from gridhouse.core.console import UsageError
from gridhouse.export import export
from gridhouse.grading.mutants import mutants, write_program

if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 4  # of forty faults, ten are taken
TIMEOUT = 300
COLORS = re.compile(r"\x1b\[[\d;]*m")
OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")  # progress, of which a terminal shows the last

CHECK50_LOG = r"    (running|sending|checking) .*\n?"
CHECK50 = "import check50\n"
CHECK50_GAME = '''

@check50.check()
def game_{number}():
    """game {number} is answered as the course's cases say"""
    program = check50.run("python3 a1.py")
    for typed, pattern, shown in {steps!r}:
        program.stdin(typed, prompt=False).stdout(pattern, shown)
'''
OTTER_RUN = """\
>>> import re, subprocess
>>> done = subprocess.run(["python3", "a1.py"], input={typed!r}, capture_output=True, text=True)
>>> answer = re.sub("\\\\n+", "\\\\n", done.stdout)
"""


class Game(NamedTuple):
    """A game of the public cases: the typed commands, and the lines of each answer."""

    typed: list[str]
    answers: list[list[str]]

    @property
    def is_fixed(self) -> bool:
        """Whether no answer depends on chance."""
        return not any(line.startswith("@") for answer in self.answers for line in answer)

    @property
    def text(self) -> str:
        """All answers as one text; patterns stand in it as they are."""
        return "".join(line + "\n" for answer in self.answers for line in answer)

    @property
    def input(self) -> str:
        """The text of standard input."""
        return "".join(line + "\n" for line in self.typed)


class Grader(NamedTuple):
    """A grader: a command that is run beside a program, and whether it found a fault then."""

    name: str
    command: list[str]
    finds: Callable[[int, str], bool]  # from the status and the text that it showed
    hidden: str = "$^"  # what it shows to teachers only, as a regular expression


class Verdict(NamedTuple):
    """A grader's result on a program."""

    found: bool
    shown: str
    seconds: float


def read_games(path: str) -> list[Game]:
    """Return the games of a file of cases; raises UsageError."""
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise UsageError(f"{path!r}: {error.strerror}") from None
    games: list[Game] = []
    is_open = False
    for line in lines:
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        if is_open:
            games[-1].answers[-1].append(words)
            is_open = not words.startswith("= ")
        else:
            if not games or words.startswith("game "):
                games.append(Game([], []))
            games[-1].typed.append(words)
            games[-1].answers.append([])
            is_open = True
    if not games:
        raise UsageError(f"{path!r} holds no cases")
    return games


def pattern_of(lines: list[str]) -> str:
    """Return a regular expression of lines in which those with @ are one already."""
    return "".join(
        (line[1:] if line.startswith("@") else re.escape(line)) + "\n+" for line in lines
    )


def check50(games: list[Game], folder: Path) -> list[str]:
    """Write the cases as checks of check50, one a game, and return its command."""
    text = CHECK50
    for number, game in enumerate(games, 1):
        steps = [
            (typed, pattern_of(answer), "\n".join(answer))
            for typed, answer in zip(game.typed, game.answers, strict=True)
        ]
        text += CHECK50_GAME.format(number=number, steps=steps)
    (folder / "__init__.py").write_text(text)
    (folder / ".cs50.yaml").write_text("check50: true\n")
    return ["check50", "--dev", "--log-level", "warning", "--output", "ansi", "--", str(folder)]


def otter(games: list[Game], folder: Path) -> list[str]:
    """Write the cases as tests of otter-grader, one a game, and return its command."""
    for number, game in enumerate(games, 1):
        code = OTTER_RUN.format(typed=game.input)
        if game.is_fixed:
            code += f'>>> print(answer, end="")\n{game.text}'
        else:
            pattern = pattern_of(game.text.splitlines())
            code += f">>> re.fullmatch({pattern!r}, answer) is not None\nTrue\n"
        suite = {"type": "doctest", "cases": [{"code": code}]}
        test = {"name": f"game {number}", "points": 1, "suites": [suite]}
        (folder / f"q{number}.py").write_text(f"OK_FORMAT = True\ntest = {test!r}\n")
    return ["otter", "check", "a1.py", "-t", str(folder)]


def diff(games: list[Game], folder: Path) -> list[str]:
    """Write the cases without chance as two texts, and return a command that compares them."""
    fixed = [game for game in games if game.is_fixed]
    typed, expected = folder / "typed", folder / "expected"
    typed.write_text("".join(game.input for game in fixed))
    expected.write_text("".join(game.text for game in fixed))
    names = (shlex.quote(str(path)) for path in (typed, expected))
    return ["sh", "-c", "python3 a1.py < {} | diff -B {} -".format(*names)]


def own(game: str) -> Grader:
    """Return our own grader."""
    command = [sys.executable, "-m", "gridhouse", "check", game, "a1.py"]
    return Grader("gridhouse check", command, lambda status, _: status == 1)


def try_on(grader: Grader, folder: Path) -> Verdict:
    """Run a grader in a folder with a program."""
    begun = time.perf_counter()
    done = subprocess.run(
        grader.command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT,
        check=False,
    )
    seconds = time.perf_counter() - begun
    shown = OVERWRITTEN.sub("", COLORS.sub("", done.stdout.decode(errors="replace")))
    shown = re.sub(grader.hidden, "", shown)
    return Verdict(grader.finds(done.returncode, shown), shown, seconds)


def compare(game: str, graders: list[Grader], beside: str = "") -> None:
    """Run all graders on all programs in turns, a folder's files beside them; print the table."""
    for grader in [*graders]:
        if not shutil.which(grader.command[0]):
            print(f"{grader.name} is not installed", file=sys.stderr)
            graders.remove(grader)
    planted = mutants()[game][::STEP]
    verdicts: dict[str, list[Verdict]] = {grader.name: [] for grader in graders}
    for mutant in [*planted, None]:  # the right program last
        for grader in graders:
            with TemporaryDirectory() as name:
                folder = Path(name)
                export(game, name)
                write_program(folder, game, *([(mutant.old, mutant.new)] if mutant else []))
                if beside:
                    shutil.copytree(beside, folder, dirs_exist_ok=True)
                verdicts[grader.name].append(try_on(grader, folder))
    print("| grader | found | false alarms | lines shown | characters | seconds | right program |")
    print("|---|---|---|---|---|---|---|")
    for name, (*faulty, right) in verdicts.items():
        print(row(name, faulty, right))
        missed = [mutant.name for mutant, v in zip(planted, faulty, strict=True) if not v.found]
        print(f"{name} missed: {', '.join(missed) or 'none'}", file=sys.stderr)


def row(name: str, faulty: list[Verdict], right: Verdict) -> str:
    """Return a grader's row of the table; what is shown is the median of the found faults."""
    shown = [verdict.shown for verdict in faulty if verdict.found] or [""]
    lines = statistics.median(len(text.splitlines()) for text in shown)
    characters = statistics.median(map(len, shown))
    seconds = statistics.median(verdict.seconds for verdict in faulty)
    return (
        f"| {name} | {sum(verdict.found for verdict in faulty)} of {len(faulty)} "
        f"| {int(right.found)} | {lines:.0f} | {characters:.0f} "
        f"| {seconds:.2f} | {right.seconds:.2f} |"
    )


def has_frown(_: int, shown: str) -> bool:
    """Return whether check50 says that a check failed or could not be run."""
    return re.search(r"^:[(|]", shown, re.MULTILINE) is not None


def misses(pattern: str) -> Callable[[int, str], bool]:
    """Return whether a pattern, which a grader shows if nothing is wrong, is not there."""
    return lambda _, shown: re.search(pattern, shown) is None


def binary(cases: Word, harness: Word = "") -> None:
    """Compare graders on the Binary Game."""
    games = read_games(cases)
    if harness and not Path(harness).is_file():
        raise UsageError(f"there is no file {harness!r}")
    with ExitStack() as folders:
        written = [Path(folders.enter_context(TemporaryDirectory())) for _ in range(3)]
        checks = check50(games, written[0])
        graders = [
            own("binary"),
            Grader("check50", checks, has_frown, CHECK50_LOG),
            Grader("check50 with its log", checks, has_frown),
            Grader("otter-grader", otter(games, written[1]), misses("All tests passed!")),
            Grader("`diff`", diff(games, written[2]), lambda status, _: status == 1),
        ]
        if harness:
            command = ["python3", os.path.abspath(harness), "a1.py", os.path.abspath(cases)]
            passed = misses(r"\n(\d+) Tests performed\n\1 Successful")
            graders.append(Grader("the course's harness", command, passed))
        compare("binary", graders)


def sliding(tests: Word) -> None:
    """Compare graders on the sliding puzzle."""
    if not (Path(tests) / "test_a1.py").is_file():
        raise UsageError(f"{tests!r} holds no test_a1.py")
    command = ["python3", "test_a1.py"]
    harness = Grader("the course's harness", command, misses(r"/0 skipped/0 failed\."))
    compare("sliding", [own("sliding"), harness], tests)


if __name__ == "__main__":
    start(binary=binary, sliding=sliding)

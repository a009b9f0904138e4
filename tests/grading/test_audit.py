"""``gridhouse audit``: wrong expectations and missed faults of tests are told, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gridhouse.core.console import UsageError
from gridhouse.core.sessions import Session
from gridhouse.grading import audit
from gridhouse.grading.audit import Options, audit_command
from gridhouse.grading.mutants import exact_program, mutants, noted, write_program
from gridhouse.grading.submissions import PythonSubmission
from gridhouse.sandbox import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PLAIN = Options("", "", 0.0, 10.0, require_sandbox=False, write="")


def plant(monkeypatch: pytest.MonkeyPatch, game: str, *names: str) -> None:
    """Plant no faults but these."""
    chosen = [mutant for mutant in mutants()[game] if mutant.name in names]
    assert len(chosen) == len(names)
    monkeypatch.setattr(audit, "mutants", lambda: {game: chosen})


@pytest.mark.parametrize("game", mutants())
def test_the_faults_are_in_the_program(game: str) -> None:
    planted = mutants()[game]
    assert len(planted) == 40
    for mutant in planted:
        assert mutant.old in exact_program(game), mutant.name
    assert sum(mutant.found is not None for mutant in planted) >= 38


def test_a_session_in_which_chance_may_hide_the_fault_is_not_noted(tmp_path: Path) -> None:
    name = "row balance allows one more"
    mutant = next(mutant for mutant in mutants()["binary"] if mutant.name == name)
    drawn, typed = (Session(("game 2 1", "play 0 0 1", line)) for line in ("genmove", "play 1 0 1"))
    script = write_program(tmp_path, "binary", (mutant.old, mutant.new))
    with PythonSubmission("binary", script, Limits(wall=5, cpu=5)) as program:
        assert noted(mutant, program, drawn) == mutant.known
        assert noted(mutant, program, typed) == typed


WRONG = """\
# two expectations are wrong, one depends on chance
game 3 1
= 1
genmove
@[0-2] 0 [01]
= 1
?winner
1
= 1

game 2 2
= 1
play 0 0 0
= 1

   # nothing below a comment is lost
play 1 0 0
= illegal move: 1 0 0 three in a row
show

0.
..
= 1
game 20 20
= 1
genmove
3 4 0
= 1
"""
TOLD = """\
9 expectations were checked: 3 wrong.

FOLDER/tests.txt, line 8, after 'winner':
Expected there: 1
Exact program:  unfinished
Why: player 2 has a legal move, so the game is unfinished (winner)

FOLDER/tests.txt, line 18, after 'play 1 0 0':
Expected there: =·illegal·move:·1·0·0·three·in·a·row
Exact program:  =·illegal·move:·1·0·0·too·many·0
Why: a line of n cells holds at most n/2 zeros, rounded up (The constraints on a move are)

FOLDER/tests.txt, line 27, after 'genmove':
Expected there: 3·4·0
"""


def test_wrong_expectations_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(monkeypatch, "binary")
    (tmp_path / "tests.txt").write_text(WRONG)
    assert audit_command("binary", tmp_path / "tests.txt", PLAIN) == 1
    out = capsys.readouterr().out
    assert out.startswith(TOLD.replace("FOLDER", str(tmp_path)))
    assert out.endswith(
        "Why: the answer depends on chance\n\nOf 0 planted faults the tests find 0.\n"
    )


FAULTS = {
    "sinks": ("argument that is no number crashes", "up and down exchanged"),
    "binary": ("row balance allows one more", "too few arguments crash", "winner exchanged"),
    "sliding": ("swap: returns the old puzzle", "main: give up ends the program"),
    "tactego": ("flags move", "length and width exchanged"),
}
CASES = {
    "sinks": {"a.args": "", "a.out": "ERROR: Too few arguments\n"},
    "sliding": {"a.call": "print_grid('a')\n", "a.out": "+---+\n| a |\n+---+\n"},
    "tactego": {"a.in": "", "a.out": "What is seed? "},
}


@pytest.mark.parametrize("game", FAULTS)
def test_tests_with_the_suggested_sessions_miss_nothing(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(monkeypatch, game, *FAULTS[game])
    tests, more = tmp_path / "tests", tmp_path / "more"
    if game == "binary":
        tests.write_text("play 0 0\n= -1\ngame 1 1\n= 1\n")
    else:
        tests.mkdir()
        for name, text in CASES[game].items():
            (tests / name).write_text(text)
    assert audit_command(game, tests, PLAIN._replace(write=str(more))) == 1
    out = capsys.readouterr().out
    count = len(FAULTS[game])
    assert f"none wrong.\n\nOf {count} planted faults the tests find 0.\n" in out
    for number, name in enumerate(FAULTS[game], 1):
        assert f"Missed, {number}: {name}." in out
    if game == "binary":
        more.write_text(tests.read_text() + more.read_text())
    assert audit_command(game, more, PLAIN._replace(arguments="a b")) == 0
    assert f"Of {count} planted faults the tests find {count}.\n" in capsys.readouterr().out


def test_typed_lines_may_stand_in_an_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(monkeypatch, "collapse")
    (tmp_path / "board.txt").write_text("1 1 2\n")
    (tmp_path / "a.in").write_text("1 3\n1 1\n")
    ask = "Please enter a row and a column number: "
    (tmp_path / "a.out").write_text(
        f"1 1 2\n\nYour score is: 0\n\n{ask}1 3\n\nNo movement happened try again\n\n"
        f"1 1 2\n\nYour score is: 0\n\n{ask}1 1\n\n2\n\nYour score is: 3\n\nGame over\n"
    )
    assert audit_command("collapse", tmp_path, PLAIN._replace(arguments="board.txt")) == 1
    assert capsys.readouterr().out.startswith(
        f"1 expectation was checked: 1 wrong.\n\n{tmp_path}/a.out, line 17, after '1 1':\n"
        "Expected there: Your·score·is:·3\nExact program:  Your·score·is:·2\nWhy: "
    )


@pytest.mark.parametrize(
    ("game", "files", "told"),
    [
        ("binary", {"t": "game 1 1\n= 1\nshow\n.\n"}, "t', line 3: no line that begins with '='"),
        ("binary", {"t": "genmove\n@(0\n= 1\n"}, "t', line 1: '(0' is no regular expression"),
        ("binary", {"t": "# nothing\n"}, "t' holds no test"),
        ("binary", {}, "there is no file or folder"),
        ("sinks", {"t": ""}, "t' is no folder with NAME.in and NAME.out"),
        ("sinks", {"t/a.out": ""}, "a' has no file that ends in one of .in, .args and .call"),
        ("sinks", {"t/a.in": ""}, "a' has no file that ends in .out"),
        ("collapse", {"t/a.in": "", "t/a.out": ""}, "a.out': the exact program refuses"),
        ("sliding", {"t/a.call": "open('x', 'w')", "t/a.out": ""}, "is no call of a function"),
        ("sliding", {"t/a.call": "main(", "t/a.out": ""}, "is no call of a function"),
        ("sliding", {"t/a.call": "check_win(1)", "t/a.out": ""}, "cannot do this: it ended with"),
    ],
)
def test_bad_tests_are_told_in_a_line(
    game: str, files: dict[str, str], told: str, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as error:
        audit_command(game, tmp_path / "t", PLAIN)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_the_command_ends_with_status_2_for_bad_input(
    tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    path = str(tmp_path / "none")
    said = f"gridhouse: there is no file or folder {path!r}\n"
    assert run("audit", "binary", path) == (2, "", said)

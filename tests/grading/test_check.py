"""``gridhouse check``: right programs pass, faulty ones are shown their shortest session."""

from __future__ import annotations

import functools
import re
import threading
import time
from typing import TYPE_CHECKING

import pytest

import gridhouse
from grading_helpers import write_program
from gridhouse.core.components import component
from gridhouse.core.registry import game_class
from gridhouse.core.sessions import Session
from gridhouse.grading import check_command
from gridhouse.grading.check import Check
from gridhouse.grading.compare import Profile
from gridhouse.grading.submissions import Commands, open_submission
from gridhouse.sandbox import Kind, Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

GRADED = [name for name in gridhouse.games() if component(game_class(name), "grading")]


@pytest.fixture
def check(run: Run) -> Run:
    """Return what runs ``gridhouse check``."""
    return functools.partial(run, "check")


@pytest.mark.parametrize("name", GRADED)
def test_the_right_program_has_no_difference(name: str, tmp_path: Path, check: Run) -> None:
    program = write_program(tmp_path, name)
    assert check(name, program, "--sessions", 15, "--profile", "strict") == (
        0,
        f"{program.name}: 15 sessions were run, and no difference was found.\n",
        "",
    )


def test_a_fault_is_shown_with_its_session_its_reason_and_the_position(
    tmp_path: Path, check: Run
) -> None:
    program = write_program(tmp_path, "binary", ('not in ("0", "1"):', 'not in ("0", "1", "2"):'))
    status, out, err = check("binary", tmp_path, "--part", "errors")
    assert (status, err) == (1, "")
    assert program.name in out
    assert out.endswith(
        """\
Typed:
    game 1 1
  > play 0 0 2

Expected: =·illegal·move:·0·0·2·wrong·number
Printed:  =·illegal·move:·0·0·2·too·many·0
                                ^
Why: the third argument is neither 0 nor 1 (Details of the play command)

The position before it:
    .
"""
    )


@pytest.mark.parametrize(
    ("game", "old", "new", "lines"),
    [
        (
            "tactego",
            "return ATTACKER_WINS if attacker >= defender else DEFENDER_WINS",
            "return ATTACKER_WINS if attacker > defender else DEFENDER_WINS",
            ["(Rules of the Game, 5)", "attacks"],
        ),
        pytest.param(
            "tactego",
            "IMMOVABLE = (FLAG, MINE)",
            "IMMOVABLE = (FLAG,)",
            ["of the part 'mines'"],
            marks=[pytest.mark.slow("is found after many sessions"), pytest.mark.measured],
        ),
        (
            "tactego",
            "    if belongs_to(state.board[end], state.turn):\n        return Refusal.OWN_PIECE\n",
            "",
            ["is not one step away, or holds a piece of the player"],
        ),
        (
            "sinks",
            "if owner(kind) != state.turn:",
            "if False:",
            ["one moves one's own pieces and freezes the other's (Rules for moving pieces)"],
        ),
        (
            "collapse",
            '"No movement happened try again"',
            '"No movement happened, try again"',
            ["has no neighbour with its digit (3 Game Play)", "File input.txt:"],
        ),
        (
            "sliding",
            "if text == texts.HELP:",
            'if text == "h":',
            ["H displays the help message, then both grids", "main()"],
        ),
        (
            "sliding",
            "return puzzle == solution[:-1] + texts.EMPTY",
            'return puzzle.replace(texts.EMPTY, "") == solution[:-1]',
            ["check_win tells whether the letters are those of the solution, the blank last"],
        ),
    ],
)
def test_faults_are_found_in_every_game(
    game: str, old: str, new: str, lines: list[str], tmp_path: Path, check: Run
) -> None:
    program = write_program(tmp_path, game, (old, new))
    status, out, err = check(game, program)
    assert (status, err) == (1, "")
    for line in lines:
        assert line in out


def test_a_difference_where_the_document_is_silent_is_told_and_passes(
    tmp_path: Path, check: Run
) -> None:
    silent = ('raise CommandError("no game has been started: game n m")', "return self._game")
    program = write_program(tmp_path, "binary", silent)
    status, out, _ = check("binary", program, "--part", "silent", "--sessions", 40)
    assert status == 0
    assert out.startswith("Where the document is silent (no marks depend on it):\n")
    assert "AttributeError" in out


def test_a_part_can_be_checked_alone(tmp_path: Path, check: Run) -> None:
    program = write_program(tmp_path, "binary", ('print("no" if', 'print("No" if'))
    assert check("binary", program, "--part", "moves", "--part", "ends", "--sessions", 20)[0] == 0
    status, out, _ = check("binary", program, "--part", "questions")
    assert status == 1
    assert "With --profile caseless this session passes" in out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("while True: pass", "took too"),
        ("while True: print('x' * 1000)", "wrote too much"),
        ("input()\nraise KeyError('a\\x1b[2Jb')", r"it ended with KeyError: 'a\x1b[2Jb'"),
        ("print('\\x1b[2J\\x1b]0;title\\x07')", r"Printed:  \x1b[2J\x1b]0;title\x07"),
        ("this is no Python", "SyntaxError"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by a signal"),
    ],
)
@pytest.mark.slow("checks many programs")
def test_bad_programs_end_in_a_report(text: str, told: str, tmp_path: Path, check: Run) -> None:
    (tmp_path / "a1.py").write_text(text)
    status, out, err = check("binary", tmp_path, "--seconds", 1)
    assert (status, err) == (1, "")
    assert told in out
    assert "1 session was run" in out
    assert "\x1b" not in out
    assert "Traceback" not in out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "def move():\n    return [][1]\n\nmove()\n",
            """The program: it ended with IndexError: list index out of range
Its standard error ends with:
      File "a1.py", line 4, in <module>
        move()
      File "a1.py", line 2, in move
        return [][1]
    IndexError: list index out of range
Why:""",
        ),
        (
            "import sys\nsys.exit('no module in ' + __file__ + '\\n\\x1b' + 'x' * 999)\n",
            "Its standard error ends with:\n    no module in a1.py\n    \\x1b" + "x" * 199 + "\n",
        ),
        (
            "open('/no/such/folder/words.txt')\n",
            "The program: it ended with FileNotFoundError: [Errno 2] No such file or directory: "
            "'words.txt'\n",
        ),
    ],
)
def test_the_end_of_standard_error_is_shown(
    text: str, told: str, tmp_path: Path, check: Run
) -> None:
    (tmp_path / "a1.py").write_text(text)
    _, out, _ = check("binary", tmp_path)
    assert told in out
    assert "/a1.py" not in out


def test_the_course_s_own_modules_stand_beside_a_program_of_sinks(
    tmp_path: Path, check: Run
) -> None:
    program = tmp_path / "SU1.py"
    program.write_text(
        "import color, picture, stdarray, stddraw, stdio\n"
        "stddraw.setPenColor(stddraw.color.RED)\n"
        "stdio.writeln(stdarray.create2D(2, 2, stdio.readString())[1][1])\n"
    )
    _, out, _ = check("sinks", program, "--part", "setups")
    assert "Printed:  #" in out
    (tmp_path / "stdio.py").write_text("raise KeyError('its own')\n")
    assert "it ended with KeyError: 'its own'" in check("sinks", program)[1]


@pytest.mark.slow("checks a program in hundreds of sessions")
def test_an_extra_part_comes_after_what_is_required(tmp_path: Path, check: Run) -> None:
    extra = ("    if defender == FLAG or attacker == ASSASSIN:\n", "    if defender == FLAG:\n")
    program = write_program(tmp_path, "tactego", extra)
    _, out, _ = check("tactego", program, "--sessions", 25)
    assert "It is of the part 'assassins': assassins." in out
    program = write_program(
        tmp_path, "tactego", extra, ("with one of your pieces, not", "with your pieces, not")
    )
    _, out, _ = check("tactego", program, "--profile", "strict", "--sessions", 25)
    assert "assassins" not in out
    assert "You·must·select·a·starting·position·with·your·pieces" in out


def test_a_difference_is_shown_where_it_was_printed_in_a_game_without_prompts(
    tmp_path: Path, check: Run
) -> None:
    verbs = ('("l", "r", "u", "d", "b", "f")', '("l", "r", "u", "d", "b")')
    program = write_program(tmp_path, "sinks", verbs)
    _, out, _ = check("sinks", program, "--part", "errors")
    shown = r"  > (\d \d f)\n\nExpected: \(nothing more\)\nPrinted:  ERROR.*\nWhy: \1 is legal"
    assert re.search(shown, out)


def test_an_input_that_ends_in_the_middle_of_a_game_is_no_fault(tmp_path: Path, check: Run) -> None:
    quiet = ("    except EOFError:\n        return 0\n", "    except EOFError:\n        raise\n")
    program = write_program(tmp_path, "tactego", quiet)
    assert check("tactego", program, "--sessions", 10)[0] == 0


@pytest.mark.measured
@pytest.mark.slow("checks a program in hundreds of sessions")
def test_questions_in_another_order_are_told_once(tmp_path: Path, check: Run) -> None:
    program = write_program(
        tmp_path,
        "tactego",
        (
            "    file_name = read_line(ASK_FILE)\n    length = ask_size(ASK_LENGTH)\n"
            "    tactego(file_name, length, ask_size(ASK_WIDTH))",
            "    width = ask_size(ASK_WIDTH)\n    length = ask_size(ASK_LENGTH)\n"
            "    tactego(read_line(ASK_FILE), length, width)",
        ),
    )
    status, out, _ = check("tactego", program, "--sessions", 20)
    assert (status, out) == (
        0,
        "It asks for seed, width, length, file in this order; the document for seed, file, "
        "length, width. The sessions are typed in its order.\n\n"
        "tactego.py: 20 sessions were run, and no difference was found.\n",
    )
    assert check("tactego", program, "--profile", "strict")[0] == 1


FUNCTION = "def tactego(pieces_file: str, length: int, width: int) -> None:"
ASKING = "    file_name = read_line(ASK_FILE)\n    length = ask_size(ASK_LENGTH)\n"
CALLING = "    tactego(file_name, length, ask_size(ASK_WIDTH))"


@pytest.mark.measured
@pytest.mark.parametrize(
    ("replaced", "told"),
    [
        (((ASKING, ""), (CALLING, "    tactego(read_line(ASK_FILE), 4, 4)")), ""),
        ((("    play(game, game.shuffled(random))", "\\g<0>\n    return 1"),), ""),
        (
            (
                (FUNCTION, FUNCTION.replace("length: int, width: int", "width: int, length: int")),
                (CALLING, "    width = ask_size(ASK_WIDTH)\n    tactego(file_name, width, length)"),
            ),
            "tactego('game.pieces', 2, 1);",
        ),
        (
            (
                (FUNCTION, FUNCTION.replace("tactego", "start")),
                (CALLING, CALLING + "\n\ntactego = 0"),
            ),
            "The program: it ended with TypeError: 'int' object is not callable",
        ),
    ],
    ids=["other questions", "a value returned", "sides exchanged", "no function"],
)
@pytest.mark.slow("checks many programs")
def test_the_function_of_tactego_is_called_with_typed_moves(
    replaced: tuple[tuple[str, str], ...], told: str, tmp_path: Path, check: Run
) -> None:
    program = write_program(
        tmp_path, "tactego", *((old, new.replace("\\g<0>", old)) for old, new in replaced)
    )
    status, out, _ = check("tactego", program, "--part", "calls", "--sessions", 10)
    assert status == bool(told)
    assert told in out


def test_a_later_crash_is_not_blamed(tmp_path: Path) -> None:
    program = write_program(
        tmp_path,
        "binary",
        ('"three in a row"', '"3 in a row"'),
        ('    """Print the winner."""', '    raise ValueError("no winner")'),
    )
    lines = ("game 3 1", "play 0 0 1", "play 1 0 1", "play 2 0 1", "show", "winner")
    with open_submission("binary", program, Limits()) as submission:
        runs = Check(submission, Profile.COURSE)
        found = runs.compare("errors", Session(lines))
        assert found is not None
        assert found.failure == "later in this session it ended with ValueError: no winner"
        shortest = runs.shrunk(found)
        assert (shortest.session.lines, shortest.failure) == (lines[:4], "")


def test_a_missing_function_is_told_without_frames(tmp_path: Path, check: Run) -> None:
    program = tmp_path / "a1.py"
    program.write_text("import random\n")
    _, out, _ = check("sliding", program, "--sessions", 40)
    assert re.search(r"NameError: name '\w+' is not defined in the program\n", out)
    assert "Traceback" not in out
    assert "driver" not in out


@pytest.mark.slow("checks a program in hundreds of sessions")
def test_a_picture_of_the_position_is_written(tmp_path: Path, check: Run) -> None:
    program = write_program(tmp_path, "binary", ('"three in a row"', '"3 in a row"'))
    svg = tmp_path / "position.svg"
    status, out, _ = check("binary", program, "--svg", svg)
    assert status == 1
    assert out.endswith(f"The position is drawn in {svg}.\n")
    assert svg.read_text().startswith("<svg")
    status, _, err = check("binary", program, "--svg", tmp_path / "no" / "file.svg")
    assert (status, err.count("\n")) == (2, 1)


def test_wrong_words_are_told_in_a_line(tmp_path: Path, check: Run) -> None:
    program = write_program(tmp_path, "binary")
    cases: list[tuple[list[object], str]] = [
        (["binary", tmp_path / "none.py"], f"there is no file '{tmp_path / 'none.py'}'"),
        (["chess", program], "there is no game 'chess'"),
        (["binary", program, "--profile", "kind"], "--profile kind: the profiles are strict, "),
        (["binary", program, "--part", "all"], "--part all: the parts are grids, moves, "),
        (["binary", program, "--python", "/no/python"], "/no/python"),
        (["binary", program, "--python", "3.1"], "the interpreter python3.1 cannot be used"),
    ]
    for words, told in cases:
        status, out, err = check(*words)
        assert (status, out) == (2, "")
        assert told in err
        assert err.count("\n") == 1
    (tmp_path / "other.py").write_text("")
    program.unlink()
    (tmp_path / "more.py").write_text("")
    assert "holds no a1.py" in check("binary", tmp_path)[2]


def test_missing_walls_are_told(
    tmp_path: Path, check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = write_program(tmp_path, "binary")
    monkeypatch.setattr("gridhouse.sandbox.sandbox.strongest", lambda _: Kind.PLAIN)
    status, _, err = check("binary", program, "--sessions", 1)
    assert status == 0
    assert err.startswith("gridhouse: no safe sandbox: file system: NOT KEPT, ")
    assert check("binary", program, "--require-sandbox")[0] == 2


@pytest.mark.slow("checks a program in hundreds of sessions")
def test_a_watched_program_is_checked_again_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class EnoughError(Exception):
        """The test has seen enough."""

    program = write_program(tmp_path, "binary", ('"three in a row"', '"3 in a row"'))
    monkeypatch.setattr(check_command, "POLL", 0.01)
    options = check_command.Options(
        "course", 40, "0", Commands(), 5.0, [], "", require_sandbox=False
    )
    seen: list[int] = []
    wait = check_command._wait_for_change

    def change_once(path: Path) -> None:
        seen.append(1)
        if len(seen) == 2:
            raise EnoughError
        timer = threading.Timer(0.1, write_program, (tmp_path, "binary"))
        timer.start()
        wait(path)
        timer.join()
        time.sleep(0.05)

    monkeypatch.setattr(check_command, "_wait_for_change", change_once)
    with pytest.raises(EnoughError):
        check_command.check_command("binary", program, options, watch=True)
    first, second = capfd.readouterr().out.split("\n", 1)
    assert "differs" in first
    assert second.endswith("a1.py: 40 sessions were run, and no difference was found.\n")


def test_faults_that_differ_in_their_details_are_one_fault(tmp_path: Path, check: Run) -> None:
    (tmp_path / "assignment3.py").write_text(
        "import sys\nprint('Score')\nraise KeyError(open(sys.argv[1]).read())\n"
    )
    _, out, _ = check("collapse", tmp_path)
    assert "File input.txt:\n    0\n" in re.sub("[0-9]", "0", out)

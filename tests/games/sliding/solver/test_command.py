"""The commands ``gridhouse solve sliding`` and ``gridhouse verify sliding``."""

from __future__ import annotations

import json
import signal
import threading
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse import cli
from gridhouse.core.console import EXIT_INTERRUPTED
from gridhouse.games.sliding import solver
from harness import Run, run_command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Run]


KORF = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3"
SWAPPED = "1 2 3 4 5 6 8 7 0"


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Return what runs one of the two commands in this process."""

    def run(name: str, *arguments: str) -> Run:
        capfd.readouterr()
        status = run_command(monkeypatch, name, "sliding", *arguments)
        said = capfd.readouterr()
        return Run(said.out, said.err, status)

    return run


def test_both_commands_are_there() -> None:
    cli._add_solver("sliding")
    names = [group.registered_commands[-1].name for group in (cli.solving, cli.verifying)]
    assert names == ["sliding", "sliding"]


def test_the_documents_puzzle(command: Command) -> None:
    run = command("solve", "fhg bcade", "--goal", "abcdefghi", "--threads", "1")
    moves, length, work = run.out.splitlines()
    assert moves.startswith("Moves: ")
    assert length == "Length: 21, optimal: no solution is shorter"
    assert work.startswith("Work: ")
    assert (run.err, run.status) == ("", 0)


def test_the_literatures_numbers_and_their_replay(command: Command, tmp_path: Path) -> None:
    small = "3 1 2 4 0 5 6 7 8"
    puzzles, answers = tmp_path / "puzzles", tmp_path / "answers"
    puzzles.write_text(f"{small}\n\n1,2,5,3,4,0,6,7,8\r\n", encoding="utf-8")
    run = command("solve", "--file", str(puzzles), "--blank", "first", "--json", "--optimal")
    found = [json.loads(line) for line in run.out.splitlines()]
    assert [facts["moves"] for facts in found] == ["LU", "ULL"]
    assert list(found[0]) == ["moves", "length", "bound", "optimal", "nodes", "seconds"]
    assert [facts["optimal"] for facts in found] == [True, True]
    answers.write_text(run.out, encoding="utf-8")
    replay = ("verify", str(answers), "--file", str(puzzles), "--blank", "first")
    assert command(*replay) == Run("1: 2 moves, solved\n2: 3 moves, solved\n", "", 0)
    answers.write_text("LU\nULX\n", encoding="utf-8")
    assert command(*replay) == Run(
        "1: 2 moves, solved\n2: 3 moves, move 3, 'X', is not one of U, D, L and R\n", "", 1
    )
    answers.write_text("L\nUUU\n", encoding="utf-8")
    assert command(*replay) == Run(
        "1: 1 moves, not solved\n2: 3 moves, move 2, D, is not legal\n", "", 1
    )
    answers.write_text("LU\n", encoding="utf-8")
    assert command(*replay) == Run("", "gridhouse: 1 solutions for 2 puzzles\n", 2)
    for line in ("{}", '{"moves": null}'):
        answers.write_text(f"{line}\nULL\n", encoding="utf-8")
        answer = f"1: Error: {line!r} is not an object with moves\n2: 3 moves, solved\n"
        assert command(*replay) == Run(answer, "", 1)
    answers.write_text("LUL\nULL\n", encoding="utf-8")
    assert command(*replay).out.startswith(
        "1: 3 moves, move 3, R, comes after the puzzle is solved\n"
    )


@pytest.mark.measured
@pytest.mark.slow("compiles all of the solver")
@pytest.mark.usefixtures("uncollected")
def test_an_interrupt_ends_a_file_with_what_is_found(command: Command, tmp_path: Path) -> None:
    puzzles = tmp_path / "puzzles"
    lines = [str(gridhouse.parse(f"sliding(rows=5,cols=5)#{seed}")) for seed in range(3)]
    puzzles.write_text("\n".join(lines), encoding="utf-8")
    solver.warm()
    timer = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
    timer.start()
    run = command("solve", "--file", str(puzzles), "--json", "--time", "60")
    assert ["moves" in json.loads(line) for line in run.out.splitlines()] == [True]
    assert (run.err, run.status) == ("", EXIT_INTERRUPTED)
    puzzles.write_text(lines[0], encoding="utf-8")
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    assert command("solve", "--file", str(puzzles), "--json", "--time", "60").status == 0


def test_a_file_of_letters_and_positions(command: Command, tmp_path: Path) -> None:
    puzzles = tmp_path / "puzzles"
    lines = ["abc /abcd", "cab /abcd", "sliding(rows=2,cols=2)  bac/abcd"]
    puzzles.write_text("\n".join(lines), encoding="utf-8")
    run = command("solve", "--file", str(puzzles), "--json")
    assert [json.loads(line)["length"] for line in run.out.splitlines()] == [0, 4, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one of a puzzle, --tiles and --file is needed"),
        (["abc ", "--goal", "abcd", "--tiles", "1"],
         "one of a puzzle, --tiles and --file is needed"),
        (["abc "], "a puzzle of letters and --goal belong together"),
        (["--tiles", "1 2", "--blank", "middle"], "--blank 'middle' is neither first nor last"),
        (["--tiles", "1 2 x"], "'1 2 x': these are not numbers"),
        (["--tiles", "1 2 3"], "'1 2 3': 3 cells are no square of sides 2 to 14"),
        (["--tiles", "1 2 3 4 5 0", "--rows", "4"],
         "'1 2 3 4 5 0': 6 cells are no board of 4 rows of sides 2 to 14"),
        (["--tiles", "1 2 3 4 5 0", "--rows", "-1"],
         "'1 2 3 4 5 0': 6 cells are no board of -1 rows of sides 2 to 14"),
        (["--tiles", "1 2 2 0"], "'1 2 2 0': every number from 0 to 3 is needed once"),
        (["fhg bcade", "--goal", "dogcatpig"],
         "'fhg bcade' and 'dogcatpig' have other letters: the puzzle should have 'iopt' in place "
         "of 'befh' (the solution's last letter is left out)"),
        (["abcde", "--goal", "abcd"],
         "'abcde' and 'abcd' are boards of 5 and 4 cells"),
        (["--tiles", SWAPPED],
         f"'{SWAPPED}': the puzzle cannot be solved: it is an odd permutation of its solution, as "
         "if two tiles had been exchanged by hand, and no two tiles are equal"),
        # Named as it was given: turned by half a circle it is another one.
        (["--tiles", "0 2 1 3 4 5 6 7 8", "--blank", "first"],
         "'0 2 1 3 4 5 6 7 8': the puzzle cannot be solved: it is an odd permutation of its "
         "solution, as if two tiles had been exchanged by hand, and no two tiles are equal"),
        # With numbers that are too many to be told from letters by their size.
        (["--tiles", "2 1 " + " ".join(map(str, [*range(3, 36), 0]))],
         "'2 1 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1...': the puzzle cannot be solved: it is an odd "
         "permutation of its solution, as if two tiles had been exchanged by hand, and no two "
         "tiles are equal"),
        (["bac ", "--goal", "abcd"],
         "'bac ': the puzzle cannot be solved: it is an odd permutation of its solution, as "
         "if two tiles had been exchanged by hand, and no two tiles are equal"),
        (["bca ", "--goal", "abcd", "--time", "0"], "'bca ': seconds: 0.0 is not above 0"),
        (["--file", "nowhere"], "'nowhere': No such file or directory"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_line(
    command: Command, arguments: list[str], message: str
) -> None:
    assert command("solve", *arguments) == Run("", f"gridhouse: {message}\n", 2)


def test_a_puzzle_of_a_file_that_cannot_be_solved_is_no_end(
    command: Command, tmp_path: Path
) -> None:
    puzzles, answers = tmp_path / "puzzles", tmp_path / "answers"
    wrong = ("sliding(rows=2,cols=2) nonsense", "2 1 3 0", "1 2 x 0", "a", "1 2 3 4")
    lines = ("1 2 0 3", *wrong, "sliding(rows=2,cols=2) ab c/abcd")
    puzzles.write_text("\n".join(lines), encoding="utf-8")
    run = command("solve", "--file", str(puzzles))
    assert (run.err, run.status) == ("", 1)
    errors = [line for line in run.out.splitlines() if line.startswith("Error: ")]
    assert len(errors) == len(wrong)
    assert errors[0].startswith("Error: 'nonsense' is not a position of sliding(rows=2,cols=2)")
    assert errors[1].startswith("Error: '2 1 3 0': the puzzle cannot be solved: it is an odd")
    run = command("solve", "--file", str(puzzles), "--json")
    for option in ("--time", "--threads", "--within"):  # these are wrong for all of them
        assert command("solve", "--file", str(puzzles), option, "0").status == 2
    facts = [json.loads(line) for line in run.out.splitlines()]
    assert [fact.get("moves") for fact in facts] == ["R", None, None, None, None, None, "R"]
    assert [f"Error: {fact['error']}" for fact in facts[1:-1]] == errors
    answers.write_text(run.out, encoding="utf-8")
    replay = command("verify", str(answers), "--file", str(puzzles))
    assert (replay.err, replay.status) == ("", 1)
    assert replay.out.splitlines()[0] == "1: 1 moves, solved"
    assert replay.out.splitlines()[2].startswith('3: Error: \'{"error":')
    assert replay.out.splitlines()[-1] == "7: 1 moves, solved"


def test_a_positions_text_is_an_argument_too(command: Command) -> None:
    assert "Moves: R\n" in command("solve", "sliding(rows=2,cols=2) ab c/abcd").out
    run = command("solve", "sliding(rows=2,cols=2) bac /abcd")
    assert run.err.startswith("gridhouse: 'bac ': the puzzle cannot be solved")
    assert run.status == 2


def test_a_blank_that_is_missing_at_the_end_is_put_back(command: Command) -> None:
    assert "Length: 4" in command("solve", "cab", "--goal", "abcd").out


def test_a_board_that_is_not_square(command: Command) -> None:
    run = command("solve", "--tiles", "0 1 2 4 5 3", "--rows", "2", "--json")
    assert json.loads(run.out)["moves"] == "RRD"
    run = command("solve", "--tiles", KORF, "--blank", "first", "--within", "1.3", "--json")
    assert json.loads(run.out)["length"] == 57

"""The exact program of the sliding puzzle: the document's sessions, functions and every message."""

from __future__ import annotations

import importlib
import random
import sys
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from gridhouse.games.sliding import program, texts
from gridhouse.games.sliding.words import load_words, own_words_file
from harness import CONFORMANCE, PROGRAMS, Run, run_here, run_script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAMPLES = CONFORMANCE / "sliding"
SEED = 1001.2021
at_hand = pytest.mark.skipif(not SAMPLES.exists(), reason="the document's samples are not at hand")


@pytest.fixture(name="a1")
def drop_in() -> Iterator[Any]:
    """Import ``a1`` and ``a1_support`` as a course's tests do."""
    folder = str(PROGRAMS / "sliding")
    with mock.patch.object(sys, "path", [folder, *sys.path]):
        for name in ("a1", "a1_support"):
            sys.modules.pop(name, None)
        yield importlib.import_module("a1")


def play(words: list[str], *typed: str, folder: Path, seed: object = 0) -> Run:
    """Run the program with these words and typed lines."""
    file = folder / "own words"
    file.write_text("\n".join(words), encoding="utf-8")
    random.seed(seed)  # type: ignore[arg-type]
    lines = "".join(line + "\n" for line in typed)
    return run_here(program.main, "--words", str(file), typed=lines)


@at_hand
@pytest.mark.parametrize(
    "name",
    ["spec_example", "test_main_2x2_simple", "test_main_give_up", "test_main_help",
     "test_main_restart_1", "test_main_restart_2"],
)  # fmt: skip
def test_the_documents_sessions(
    name: str, a1: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter((SAMPLES / f"{name}.in").read_text(encoding="utf-8").split("\n"))

    def echoing_input(prompt: str = "") -> str:
        line = next(typed)
        print(prompt + line)
        return line

    monkeypatch.chdir(SAMPLES)  # where the course puts words.txt
    monkeypatch.setattr("builtins.input", echoing_input)
    random.seed(SEED)
    a1.main()
    assert capsys.readouterr().out == (SAMPLES / f"{name}.out").read_text(encoding="utf-8")


GRIDS = {
    "print_grid_puzzle_2x2": "ca b",
    "print_grid_puzzle_3x3": "abc efghi",
    "print_grid_rick_roll_1": "nevagonagiveu up",
    "print_grid_rick_roll_2": "nevergonnalet udooooowwwn",
}


@at_hand
@pytest.mark.parametrize("name", ["print_big_grid_solution", *GRIDS])
def test_the_documents_grids(name: str, a1: Any, capsys: pytest.CaptureFixture[str]) -> None:
    expected = (SAMPLES / f"{name}.out").read_text(encoding="utf-8")
    file = SAMPLES / f"{name}.in"
    puzzle = file.read_text(encoding="utf-8") if file.exists() else GRIDS[name]
    a1.print_grid(puzzle)
    assert capsys.readouterr().out == expected


def test_the_package_has_the_scripts_as_modules(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a1 = importlib.import_module("gridhouse.games.sliding.a1")
    support = importlib.import_module("gridhouse.games.sliding.a1_support")
    assert support.CORNER == texts.CORNER
    lines = iter(["3", "GU", "n"])
    monkeypatch.chdir(tmp_path)  # where there are no words, so that the game's own are taken
    monkeypatch.setattr("builtins.input", lambda prompt="": next(lines))
    a1.main()
    assert capsys.readouterr().out.endswith(texts.BYE + "\n")


def test_importing_prints_nothing_and_everything_is_documented(
    a1: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert capsys.readouterr() == ("", "")
    for name in ("check_win", "swap_position", "move", "print_grid", "shuffle_puzzle", "main"):
        assert getattr(a1, name).__doc__


def test_the_documents_examples(a1: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert a1.check_win("abcdefgh ", "abcdefghi") is True
    assert a1.check_win("dabecghf ", "abcdefghi") is False
    assert a1.check_win("abcdefghi", "abcdefghi") is False
    assert a1.swap_position("care", 0, 2) == "race"
    assert a1.swap_position("does", 3, 2) == "dose"
    assert a1.move("abcdefgh ", "U") == "abcde ghf"
    assert a1.move("abcdefgh ", "R") is None
    assert a1.move(" bcdefgha", "D") == "dbc efgha"
    assert a1.move("ab c", "L") is None
    assert a1.move("ab c", "R") == "abc "
    for direction in ("u", "", "UD", "X"):
        assert a1.move("abcdefgh ", direction) is None
    a1.print_grid("a bc")
    assert capsys.readouterr().out == "+---+---+\n| a |   |\n+---+---+\n| b | c |\n+---+---+\n"


def test_shuffling_is_the_documents(a1: Any) -> None:
    random.seed(SEED)
    puzzle = a1.shuffle_puzzle("abcdefghi")
    random.seed(SEED)
    letters = list("abcdefgh")
    for _ in range(18):
        first, second = random.sample(range(8), k=2)
        letters[first], letters[second] = letters[second], letters[first]
    assert puzzle == "".join(letters) + " "
    assert a1.shuffle_puzzle("a") == " "
    assert a1.shuffle_puzzle("ab") == "a "


def test_the_support_file(a1: Any, tmp_path: Path) -> None:
    support = importlib.import_module("a1_support")
    names = [name for name in vars(texts) if name.isupper()]
    assert len(names) > 15
    for name in names:
        assert getattr(support, name) == getattr(texts, name)
    file = tmp_path / "w"
    file.write_text("one\nab\ncd\n  two \n\nice cream\n", encoding="utf-8")
    random.seed(3)
    expected = "".join(random.choices(["one", "two"], k=3))
    random.seed(3)
    assert support.get_game_solution(str(file), 3) == expected
    with pytest.raises(ValueError, match="has no words of 9 letters"):
        support.get_game_solution(str(file), 9)


def test_the_support_file_gives_all_with_a_star(a1: Any) -> None:
    names: dict[str, Any] = {}
    exec("from a1_support import *", names)
    for name in ("WELCOME_MESSAGE", "EMPTY", "BYE", "get_game_solution", "random"):
        assert name in names


def test_main_calls_the_functions_of_the_document(
    a1: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: list[object] = []

    def new_solution(file_name: str, size: int) -> str:
        calls.append(size)
        return "acfc"

    def new_puzzle(solution: str) -> str:
        calls.append(solution)
        return "cfa "

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(a1, "get_game_solution", new_solution)
    monkeypatch.setattr(a1, "shuffle_puzzle", new_puzzle)
    lines = iter(["2", "GU", "n"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(lines))
    a1.main()
    assert calls == [2, "acfc"]


def test_the_script_takes_other_words(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("qq\n")
    run = run_script("sliding/a1.py", "--words", "mine", typed="2\n", cwd=tmp_path)
    assert "| q | q |" in run.out
    for arguments in (("--words", "/no/such/file"), ("x",), ("--words",)):
        run = run_script("sliding/a1.py", *arguments, typed="2\n")
        assert (run.out, run.status, run.err.count("\n")) == ("", 2, 1)


def test_main_prefers_the_words_of_the_working_folder(tmp_path: Path) -> None:
    own = run_script("sliding/a1.py", typed="2\n", cwd=tmp_path)
    assert "Solution:" in own.out
    (tmp_path / "words.txt").write_text("zz\n")
    other = run_script("sliding/a1.py", typed="2\n", cwd=tmp_path)
    assert "| z | z |" in other.out
    assert own.status == other.status == 0


def test_every_message(tmp_path: Path) -> None:
    run = play(["ab", "cd"], "2", "x", "R", "H", "GU", "n", folder=tmp_path, seed=4)
    assert (run.err, run.status) == ("", 0)
    grids = [part for part in run.out.split("Solution:\n") if "Current" in part]
    assert len(grids) == 4
    assert grids[0].endswith("Please input a direction (enter \"H\" for instructions): "
                             "That's not a valid input, try again.\n\n")  # fmt: skip
    assert grids[1].endswith("'R' is not a possible move here. Please try again.\n\n")
    assert grids[2].endswith("                respectively.\n\n\n")
    assert grids[3].endswith(
        "Aww, too bad. Better luck next time.\n\nDo you want to play again? [Y/n] Bye.\n\n"
    )


def test_a_puzzle_that_is_solved_already_wins_without_a_prompt(tmp_path: Path) -> None:
    run = play(["aa"], "2", "n", folder=tmp_path)
    assert texts.DIRECTION_PROMPT not in run.out
    assert run.out.endswith(texts.WIN_MESSAGE + "\n" + texts.PLAY_AGAIN_PROMPT + texts.BYE + "\n")


@pytest.mark.parametrize(
    ("answer", "goes_on"),
    [("Y", True), ("y", True), ("", True), ("n", False), ("yes", False), (" ", False)],
)
def test_only_three_answers_start_again(answer: str, goes_on: bool, tmp_path: Path) -> None:
    run = play(["aa"], "2", answer, folder=tmp_path)
    assert run.out.count(texts.BOARD_SIZE_PROMPT) == (2 if goes_on else 1)
    assert run.out.endswith(texts.BOARD_SIZE_PROMPT if goes_on else texts.BYE + "\n")


@pytest.mark.parametrize(
    "difficulty", ["1", "15", "3", "", "two", "2.0", "-2", "0", "9" * 5000, "\x00", "\udcff", "²"]
)
def test_a_difficulty_without_words_is_asked_again(difficulty: str, tmp_path: Path) -> None:
    run = play(["ab", "cd"], difficulty, folder=tmp_path)
    prompt = texts.BOARD_SIZE_PROMPT
    assert run.out.endswith(prompt + texts.WRONG_DIFFICULTY + "\n" + prompt)
    assert (run.err, run.status) == ("", 0)


def test_letters_that_were_hard_to_type_are_fine(tmp_path: Path) -> None:
    run = play(["äß"], " +02 ", "U", folder=tmp_path)
    assert "| ä | ß |" in run.out


@pytest.mark.parametrize("words", ["", "a\n", "x y\n", "\x00\x00\n", "fifteenletterss\n"])
def test_a_file_without_words_is_refused(words: str, tmp_path: Path) -> None:
    file = tmp_path / "words"
    file.write_text(words, encoding="utf-8")
    run = run_here(program.main, "--words", str(file), typed="2\n")
    assert (run.out, run.status) == ("", 2)
    assert run.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [("--words",), ("--words", "/no/such/file"), ("--words", "."), ("--words", "a\0b"), ("x",),
     ("--words", "a", "b"), ("--word", "a")],
)  # fmt: skip
def test_bad_arguments_are_refused(arguments: tuple[str, ...]) -> None:
    run = run_here(program.main, *arguments, typed="2\n")
    assert (run.out, run.status) == ("", 2)
    assert run.err.count("\n") == 1


def test_without_arguments_our_own_words_are_used() -> None:
    run = run_here(program.main, typed="14\nGU\nn\n")
    assert run.out.endswith(texts.BYE + "\n")
    assert (run.err, run.status) == ("", 0)


def test_our_own_words() -> None:
    with open(own_words_file(), encoding="ascii") as file:
        words = file.read().split("\n")[:-1]
    assert all(word.isalpha() and word.islower() and 2 <= len(word) <= 14 for word in words)
    assert words == sorted(set(words))
    for length in range(2, 15):
        assert len(load_words(own_words_file(), length)) >= 30
    beside = PROGRAMS / "sliding/words.txt"
    with open(beside, "rb") as copy, open(own_words_file(), "rb") as words_file:
        assert copy.read() == words_file.read()  # a link would be lost on some systems

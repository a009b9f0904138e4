"""The exact program of Collapse: the document's figure and every message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gridhouse.games.collapse import program
from harness import CONFORMANCE, run_here, run_script

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = CONFORMANCE / "collapse"
PROMPT = "Please enter a row and a column number: "


def play(folder: Path, board: str | bytes, typed: str = "") -> str:
    """Return what the program prints for a board and typed lines; it must end well."""
    file = folder / "input.txt"
    file.write_bytes(board if isinstance(board, bytes) else board.encode("utf-8"))
    run = run_here(program.main, str(file), typed=typed)
    assert (run.err, run.status) == ("", 0)
    return run.out


@pytest.mark.skipif(not SAMPLES.exists(), reason="the document's figure is not at hand")
def test_the_documents_figure() -> None:
    typed = (SAMPLES / "figure4.in").read_bytes()
    expected = (SAMPLES / "figure4.out").read_text(encoding="utf-8")
    for ends in (b"\n", b"\r\n"):
        run = run_script(
            "collapse/assignment3.py", "figure4.txt", typed=typed.replace(b"\n", ends), cwd=SAMPLES
        )
        assert run == (expected, "", 0)


def test_a_game_to_the_byte(tmp_path: Path) -> None:
    assert play(tmp_path, "1 2\n1 2\n3 0\n", "2 2\n1 1\n1 1\n3 1\n") == (
        "1 2\n1 2\n3 0\n\nYour score is: 0\n\n" + PROMPT + "\n"
        "1\n1\n3 0\n\nYour score is: 4\n\n" + PROMPT + "\n"
        "3 0\n\nYour score is: 6\n\nGame over\n"
    )


@pytest.mark.parametrize(
    "typed",
    ["0 1", "1 0", "-1 1", "3 1", "1 3", "", "1", "1 1 1", "a b", "1.0 1", "1,1", "1 1 x",
     "9" * 5000 + " 1", "\x00", "\udcff"],
)  # fmt: skip
def test_a_wrong_size_asks_again_without_a_board(tmp_path: Path, typed: str) -> None:
    start = "1 1\n1 2\n\nYour score is: 0\n\n" + PROMPT + "\n"
    size = "Please enter a correct size!\n\n" + PROMPT
    assert play(tmp_path, "1 1\n1 2\n", typed + "\n") == start + size


def test_a_blank_cell_is_a_wrong_size(tmp_path: Path) -> None:
    out = play(tmp_path, "1 3\n1 2\n5 5\n4 4\n", "1 1\n1 1\n")
    assert out.endswith("Please enter a correct size!\n\n" + PROMPT)


def test_a_cell_without_an_equal_neighbour(tmp_path: Path) -> None:
    start = "1 2\n3 3\n\nYour score is: 0\n\n" + PROMPT + "\n"
    again = "No movement happened try again\n\n1 2\n3 3\n\nYour score is: 0\n\n" + PROMPT
    assert play(tmp_path, "1 2\n3 3\n", "+1 01\n") == start + again


def test_a_cleared_board_prints_no_rows(tmp_path: Path) -> None:
    assert play(tmp_path, "9 9\n9 9\n", "1 1\n") == (
        "9 9\n9 9\n\nYour score is: 0\n\n" + PROMPT + "\n\nYour score is: 36\n\nGame over\n"
    )


def test_zeros_can_be_removed_and_score_nothing(tmp_path: Path) -> None:
    assert play(tmp_path, "0 0 1\n", "1 2\n").endswith("\n1\n\nYour score is: 0\n\nGame over\n")


def test_a_board_without_groups_is_over_at_once(tmp_path: Path) -> None:
    assert play(tmp_path, "1 2\n2 1\n") == "1 2\n2 1\n\nYour score is: 0\n\nGame over\n"


def test_an_emptied_column_closes_and_a_blank_row_goes(tmp_path: Path) -> None:
    out = play(tmp_path, "1 2 3\n1 5 4\n", "1 1\n")
    assert out.endswith("\n2 3\n5 4\n\nYour score is: 2\n\nGame over\n")
    out = play(tmp_path, "1 1 1\n2 3 3\n", "1 2\n1 2\n")
    assert "\n2 3 3\n\nYour score is: 3\n\n" in out
    assert out.endswith("\n2\n\nYour score is: 9\n\nGame over\n")


def test_the_end_of_input_is_quiet(tmp_path: Path) -> None:
    assert play(tmp_path, "1 1\n").endswith("\n\n" + PROMPT)
    assert play(tmp_path, "1 1\n", "1").endswith("Please enter a correct size!\n\n" + PROMPT)


def test_files_may_have_tabs_windows_ends_and_blank_lines_after(tmp_path: Path) -> None:
    plain = play(tmp_path, "1 2\n2 1\n")
    for text in ("1 2\r\n2 1\r\n", "1\t2\n2   1 ", "1 2 \n2 1\n\n\n", "1 2\n2 1"):
        assert play(tmp_path, text) == plain


@pytest.mark.parametrize(
    "board",
    ["", "\n\n", "1 2\n3\n", "1 2\n\n3 4\n", "\n1 2\n", "12 3\n", "1 a\n", "1 -1\n", "1,2\n",
     "\x00", b"\xff\xfe", "1 ٣\n", "1 " * 1001 + "\n", "1\n" * 1001, "1 2\n" + "9" * 5000],
)  # fmt: skip
def test_a_bad_board_is_refused_in_one_line(tmp_path: Path, board: str | bytes) -> None:
    file = tmp_path / "input.txt"
    file.write_bytes(board if isinstance(board, bytes) else board.encode("utf-8"))
    run = run_here(program.main, str(file), typed="1 1\n")
    assert (run.out, run.status) == ("", 2)
    assert run.err.count("\n") == 1
    assert "input.txt" in run.err
    assert len(run.err) < 300


def test_the_line_that_is_wrong_is_named(tmp_path: Path) -> None:
    file = tmp_path / "b.txt"
    for board, said in (
        ("\n1 1\n", "line 1 is empty"),
        ("1 1\n\n1 1\n", "line 2 is empty"),
        ("1 1\n1\n", "line 2 has another length than line 1: 1 and 2"),
        ("1 1\n1 x\n", "line 2: 'x' is not a digit 0 to 9"),
    ):
        file.write_text(board)
        assert said in run_here(program.main, str(file)).err


def test_only_line_ends_end_a_row(tmp_path: Path) -> None:
    assert play(tmp_path, "1 2\x0c3\u20284\n") == play(tmp_path, "1 2 3 4\n")


def test_a_missing_file_a_folder_and_wrong_arguments(tmp_path: Path) -> None:
    for arguments in ([], [str(tmp_path), "b"], [str(tmp_path)], [str(tmp_path / "no")], ["a\0b"]):
        run = run_here(program.main, *arguments)
        assert (run.out, run.status) == ("", 2)
        assert run.err.count("\n") == 1

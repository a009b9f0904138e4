"""``gridhouse solve collapse``, and the benchmark of the solver."""

from __future__ import annotations

import json
import re
import runpy
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse import cli
from gridhouse.core import solving
from gridhouse.core.console import EXIT_INTERRUPTED
from gridhouse.games.collapse import solver
from gridhouse.games.collapse.game import read_board
from gridhouse.terminal.table import save
from harness import CONFORMANCE, ROOT
from naive import collapse_best

if TYPE_CHECKING:
    from collections.abc import Callable

Said = tuple[str, str, int]


def ended(capsys: pytest.CaptureFixture[str], program: Callable[[], object], *argv: str) -> Said:
    """Run a program in this process; return what it wrote, and its status."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", list(argv))
        with pytest.raises(SystemExit) as caught:
            program()
    out, err = capsys.readouterr()
    return out, err, int(caught.value.code or 0)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """Run ``gridhouse solve collapse`` in this process."""
    return ended(capsys, cli.main, "gridhouse", "solve", "collapse", *arguments)


def complaint_of(said: Said) -> str:
    """Return the one line that a program wrote that could not use its arguments."""
    out, err, status = said
    assert (out, status, err.count("\n")) == ("", 2, 1)
    return err


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board, other = tmp_path / "board.txt", tmp_path / "other.txt"
    board.write_text("1 2\n1 2\n", encoding="utf-8")
    other.write_text("1 2\n2 1\n", encoding="utf-8")
    out, err, status = said(capsys, str(board), str(other))
    assert (err, status) == ("", 0)
    assert out.startswith(f"{board}: Score 6, optimal, the board is cleared\nPicks: ")
    assert f"{other}: Score 0, optimal\nPicks: none\n" in out
    out, _, _ = said(capsys, str(board), "--scoring", "samegame", "--json", "--nodes", "50")
    facts = json.loads(out)
    assert set(facts) == {"picks", "score", "bound", "optimal", "cleared", "nodes", "seconds"}
    assert facts["score"] == facts["bound"] == 1000
    assert len(facts["picks"]) == 2


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        ("1 a\n", [], "line 1: 'a' is not a digit 0 to 9"),
        ("1 1\n", ["--time", "-1"], "seconds: -1.0 is not above 0"),
        ("1 1\n", ["--scoring", "best"], "scoring: 'best' is not linear or samegame"),
    ],
)
def test_the_command_complains_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    options: list[str],
    complaint: str,
) -> None:
    board = tmp_path / "board.txt"
    board.write_text(text, encoding="utf-8")
    assert complaint in complaint_of(said(capsys, str(board), *options))


def test_the_command_takes_texts_and_saved_positions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    state = gridhouse.parse("collapse(rows=3,cols=4,digits=3)#2")
    for row, col in solver.solve(state, threads=1).picks[:2]:
        state.play(f"{row} {col}")
    assert state.position.score > 0
    save(state, "saved")
    samegame = "collapse(rows=2,cols=2,digits=3,scoring=samegame)"
    Path("same").write_text(f"{samegame}#1\r\n", encoding="utf-8")
    Path("board(1)").write_text("1 2\n1 2\n", encoding="utf-8")
    start = "collapse(rows=3,cols=4,digits=3)#2"
    names = (start, str(state), "saved", "same", f"{samegame} 7 11/22", "board(1)")
    out, err, status = said(capsys, *names)
    assert (err, status) == ("", 0)
    scores = dict(re.findall(r"^(.*): Score (\S+), optimal", out, re.MULTILINE))
    best = solver.solve(state).score
    same = solver.solve(gridhouse.parse(f"{samegame}#1")).score
    assert list(map(int, scores.values())) == [best, best, best, same, 1007, 6]
    assert tuple(scores) == names
    assert said(capsys, "same", "--scoring", "samegame")[2] == 0


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        ("binary(rows=2,cols=2)#1", [], "this is a position of Binary Game, not of Collapse"),
        ("collapse(rows=2,cols=2) 0 11/1", [], "it needs 2 rows of 2 cells"),
        ("collapse(rows=250,cols=251)#1", [], "the board has 62750 cells"),
        (
            "collapse(scoring=samegame)#1",
            ["--scoring", "linear"],
            "--scoring 'linear', but the position has scoring=samegame",
        ),
        (
            "collapse()#1",
            ["--scoring", "best"],
            "--scoring 'best', but the position has scoring=linear",
        ),
    ],
)
def test_the_command_refuses_positions_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    options: list[str],
    complaint: str,
) -> None:
    saved = tmp_path / "saved.txt"
    saved.write_text(f"{text}\n", encoding="utf-8")
    for name in (text, str(saved)):
        line = complaint_of(said(capsys, name, *options))
        assert line.startswith(f"gridhouse: {name!r}: ")
        assert complaint in line


def test_a_board_that_cannot_be_solved_is_no_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board, large, missing = (str(tmp_path / name) for name in ("board.txt", "large.txt", "none"))
    Path(board).write_text("1 2\n1 2\n", encoding="utf-8")
    Path(large).write_text(("1 " * 251 + "\n") * 250, encoding="utf-8")
    errors = [
        f"{large!r}: the board has 62750 cells; the solver takes at most 62500",
        f"{missing!r}: No such file or directory",
    ]
    out, err, status = said(capsys, "--json", large, board, missing, board)
    facts = [json.loads(line) for line in out.splitlines()]
    assert (err, status) == ("", 1)
    assert [fact.get("score") for fact in facts] == [None, 6, None, 6]
    assert [facts[0], facts[2]] == [{"error": error} for error in errors]
    out, err, status = said(capsys, large, board, missing)
    assert (err, status) == ("", 1)
    assert [line for line in out.splitlines() if "Error" in line] == [
        f"Error: {error}" for error in errors
    ]
    assert complaint_of(said(capsys, "--time", "0", board, board)) == (
        "gridhouse: seconds: 0.0 is not above 0\n"
    )


def test_an_interrupt_leaves_the_boards_after_it_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = tmp_path / "board"
    board.write_text("1 1 2\n", encoding="utf-8")
    monkeypatch.setattr(solving, "consume_interrupt", lambda: True)
    out, err, status = said(capsys, "--json", str(board), str(board))
    assert (out.count("picks"), err, status) == (1, "", EXIT_INTERRUPTED)
    out, err, status = said(capsys, "--json", str(board))
    assert (out.count("picks"), err, status) == (1, "", 0)


def benchmarked(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """Run the benchmark of the solver in this process."""
    script = str(ROOT / "benchmarks" / "collapse_solver.py")
    run = partial(runpy.run_path, script, run_name="__main__")
    return ended(capsys, run, script, *arguments)


def test_the_benchmark_complains_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing, boards = str(tmp_path / "missing"), str(tmp_path / "boards")
    Path(boards).write_text("1 1\n\n1 a\n", encoding="utf-8")
    found = f"gridhouse: {boards!r}: board 2: line 1: 'a' is not a digit 0 to 9\n"
    for words in (["samegame", "1"], ["runs", "9", "1"]):
        line = complaint_of(benchmarked(capsys, words[0], missing, *words[1:]))
        assert line == f"gridhouse: {missing!r}: No such file or directory\n"
        assert complaint_of(benchmarked(capsys, words[0], boards, *words[1:])) == found
    Path(boards).write_text("1 1\n\n2 2\n", encoding="utf-8")
    line = complaint_of(benchmarked(capsys, "runs", boards, "9", "1", "1", "3"))
    assert line == f"gridhouse: {boards!r} has 2 boards and none of number 3\n"
    assert benchmarked(capsys, "linear", "2", "2", "2", "1", "0")[1:] == (
        "gridhouse: seconds: 0.0 is not above 0\n",
        2,
    )


@pytest.mark.slow("searches for seconds")
def test_the_benchmark_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    boards = tmp_path / "boards"
    boards.write_text("1 1\n\n2 2\n", encoding="utf-8")
    for arguments, wanted in (
        (["linear", "2", "2", "2", "1", "1"], "| 2x2, 2 digits | 1 | 1 s | 1 (100.0 %)"),
        (["samegame", str(boards), "1", "2", "2"], "sum   1000 of 1 boards,      1 s each"),
        (["cuts", "2", "2", "2", "1", "9"], "cut  1: left    0,"),
        (["runs", str(boards), "9", "1"], "   9 of   1 rounds a level:   2000,"),
    ):
        out, err, status = benchmarked(capsys, *arguments)
        assert (err, status) == ("", 0)
        assert wanted in out


@pytest.mark.skipif(not CONFORMANCE.exists(), reason="the documents' samples are not at hand")
def test_the_documents_board_is_solved(capsys: pytest.CaptureFixture[str]) -> None:
    out, _, _ = said(capsys, str(CONFORMANCE / "collapse" / "figure4.txt"), "--json")
    facts = json.loads(out)
    board = read_board((CONFORMANCE / "collapse" / "figure4.txt").read_text(encoding="utf-8"))
    best = collapse_best.best(collapse_best.board_of(board), "linear")
    assert (facts["score"], facts["bound"], facts["optimal"]) == (best, best, True)

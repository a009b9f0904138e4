"""The exact program of Tactego: the document's sample, combat, and every message."""

from __future__ import annotations

import importlib.util
import random
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from gridhouse.games.tactego import program
from harness import CONFORMANCE, PROGRAMS, run_here, run_script

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = CONFORMANCE / "tactego"
ASK_START = "Select Piece to Move by Position >> "
ASK_END = "Select Position to move Piece >> "
BAD_START = "You must select a starting position with one of your pieces, not a flag.\n"
STUCK = "That piece cannot move anywhere, you must select another one.\n"
BAD_END = "You must select an ending position which is either empty or has an enemy piece.\n"
QUESTIONS = (
    "What is seed? What is the filename for the pieces? What is the length? What is the width? "
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a pieces file of one flag and one piece of strength 5."""
    (tmp_path / "two.pieces").write_text("F 1\n5 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def play(pieces: str, rows: int, cols: int, *typed: str, seed: str = "0") -> str:
    """Return what the program prints after its questions; it must end well."""
    lines = [seed, pieces, str(rows), str(cols), *typed]
    run = run_here(program.main, typed="".join(line + "\n" for line in lines))
    assert (run.err, run.status) == ("", 0)
    assert run.out.startswith(QUESTIONS)
    return run.out[len(QUESTIONS) :]


@pytest.mark.skipif(not SAMPLES.exists(), reason="the document's sample is not at hand")
def test_the_documents_sample() -> None:
    typed = (SAMPLES / "sample.in").read_bytes()
    expected = (SAMPLES / "sample.out").read_text(encoding="utf-8")
    for ends in (b"\n", b"\r\n"):
        run = run_script("tactego/tactego.py", typed=typed.replace(b"\n", ends), cwd=SAMPLES)
        assert run == (expected, "", 0)


@pytest.mark.skipif(not SAMPLES.exists(), reason="the course's pieces are not at hand")
@pytest.mark.parametrize(
    ("name", "rows", "cols"),
    [("small_game", 6, 4), ("basic", 10, 10), ("assassins", 5, 5), ("sappers_mines", 8, 8)],
)
def test_the_courses_pieces_files(name: str, rows: int, cols: int) -> None:
    out = play(str(SAMPLES / f"{name}.pieces"), rows, cols)
    assert out.count("RF") == out.count("BF") == 1


def test_a_game_to_the_byte(folder: Path) -> None:
    start = "  0    1\n0 R5   RF\n1\n2 B5   BF\n" + ASK_START
    assert play("two.pieces", 3, 2, "0 0", "1 0", "2 0", "1 1", "1 0", "2 1", seed="9") == (
        start + ASK_END
        + "  0    1\n0      RF\n1 R5\n2 B5   BF\n" + ASK_START + ASK_END
        + "  0    1\n0      RF\n1 R5   B5\n2      BF\n" + ASK_START + ASK_END
        + "  0    1\n0      RF\n1      B5\n2      R5\nR has won the game\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    "start",
    ["0 1", "2 0", "2 1", "1 0", "-1 0", "0 2", "3 0", "", "0", "0 0 0", "a b", "0 0.0",
     "9" * 5000 + " 0", "\x00", "\udcff"],
)  # fmt: skip
def test_a_bad_start_is_asked_again(folder: Path, start: str) -> None:
    out = play("two.pieces", 3, 2, start, seed="9")
    board = "  0    1\n0 R5   RF\n1\n2 B5   BF\n"
    assert out == board + ASK_START + BAD_START + ASK_START


@pytest.mark.parametrize(
    "end", ["0 0", "0 1", "2 0", "-1 0", "0 2", "1 2", "", "1", "1 0 0", "x y", "1 -0.5", "\x00"]
)
def test_a_bad_end_is_asked_again(folder: Path, end: str) -> None:
    out = play("two.pieces", 3, 2, "0 0", end, seed="9")
    board = "  0    1\n0 R5   RF\n1\n2 B5   BF\n"
    assert out == board + ASK_START + ASK_END + BAD_END + ASK_END


def test_a_piece_with_no_field_to_go_to_is_told_so(folder: Path) -> None:
    (folder / "many.pieces").write_text("F 1\n5 5\n")
    out = play("many.pieces", 4, 3, "0 0", "2 0", seed="0")
    assert out.endswith(ASK_START + STUCK + ASK_START + BAD_START + ASK_START)


FIGHTS = [
    # Attacker, defender, what stands on the field attacked afterwards.
    ("5", "5", "R5"), ("5", "3", "R5"), ("3", "5", "B5"), ("10", "9", "R10"), ("9", "10", "B10"),
    ("5", "F", "R5"), ("S", "F", "RS"), ("A", "F", "RA"), ("5", "M", ""), ("S", "M", "RS"),
    ("A", "M", "RA"), ("A", "10", "RA"), ("A", "A", "RA"), ("A", "S", "RA"), ("S", "A", "RS"),
    ("S", "S", "RS"), ("S", "0", "RS"), ("S", "1", "B1"), ("S", "5", "B5"), ("5", "A", "R5"),
    ("5", "S", "R5"), ("0", "S", "R0"), ("0", "0", "R0"),
]  # fmt: skip


@pytest.mark.parametrize(("attacker", "defender", "left"), FIGHTS)
def test_combat(attacker: str, defender: str, left: str) -> None:
    army = "Fx2 Mx1 Sx1 Ax1 0x1 1x1 3x1 5x2 9x1 10x1"
    game = f"tactego(rows=6,cols=4,pieces={army})"
    state = gridhouse.parse(f"{game} R 0 RF,,,/R{attacker},,,/B{defender},,,/BF,,,/R5,,B5,/,,,")
    state.play("1 0 2 0")
    row = state.board().split("\n")[3].split()
    assert row[1:] == ([left] if left else [])
    assert state.board().split("\n")[2].split() == ["1"]


def test_a_side_that_has_to_move_and_cannot_has_lost() -> None:
    state = gridhouse.parse("tactego(rows=3,cols=2,pieces=Fx1 Mx1 5x1) R 0 RF,RM/,R5/BF,BM")
    state.play("1 1 1 0")
    assert state.is_terminal()
    assert state.game.outcome(state.position) == "Red has won the game"


def test_at_the_start_too(folder: Path) -> None:
    (folder / "flags.pieces").write_text("F 2\n")
    out = play("flags.pieces", 3, 2)
    assert out == "  0    1\n0 RF   RF\n1\n2 BF   BF\nB has won the game\n"


def test_all_flags_have_to_be_captured() -> None:
    state = gridhouse.parse("tactego(rows=2,cols=3,pieces=Fx2 5x1) R 0 RF,R5,/BF,BF,B5")
    state.play("0 1 1 1")
    assert not state.is_terminal()
    state.play("1 2 0 2")
    state.play("1 1 1 0")
    assert state.game.outcome(state.position) == "Red has won the game"


def test_a_game_without_captures_goes_on_for_ever(folder: Path) -> None:
    cycle = ["0 0", "1 0", "4 0", "3 0", "1 0", "0 0", "3 0", "4 0"]
    out = play("two.pieces", 5, 2, *cycle * 60, seed="9")
    assert out.count(ASK_START) == 241
    assert out.endswith("  0    1\n0 R5   RF\n1\n2\n3\n4 B5   BF\n" + ASK_START)


def test_long_texts_widen_the_cells_and_labels_are_padded(folder: Path) -> None:
    (folder / "strong.pieces").write_text("F 1\n1000 1\n\n007 0\n")
    out = play("strong.pieces", 11, 2, seed="9")
    assert out == (
        "   0      1\n0  R1000  RF\n" + "".join(f"{row}\n" for row in range(1, 10))
        + "10 B1000  BF\n" + ASK_START
    )  # fmt: skip


def test_where_both_armies_reach_a_row_blue_takes_the_free_fields(folder: Path) -> None:
    (folder / "five.pieces").write_text("F 1\n5 4\n")
    out = play("five.pieces", 3, 4, seed="3")
    assert out.count("R") == 5
    assert out.count("B") == 5


def test_every_end_of_input_is_quiet(folder: Path) -> None:
    typed = "9\ntwo.pieces\n3\n2\n0 0\n1 0\n2 0\n1 1\n1 0\n2 1\n"
    whole = run_here(program.main, typed=typed).out
    for end in range(len(typed)):
        run = run_here(program.main, typed=typed[:end])
        if run.status:  # a cut file name is no file
            assert run.err.count("\n") == 1
        else:
            assert run.err == ""
            assert whole.startswith(run.out[:20])


@pytest.mark.parametrize(
    "pieces",
    ["", "\n", "5 1\n", "F 0\n5 1\n", "F -1\n", "F 1\n5\n", "F 1\n5 1 1\n", "F 1\nX 1\n",
     "F 1\nf 1\n", "F 1\n-5 1\n", "F 1\n5 a\n", "F 1\n5.5 1\n", "F 7\n", "F 1\n1 99999999999\n",
     "F 1\n1 " + "9" * 5000, "\x00\xff", "F 1\n" + "1 0\n" * 1001],
)  # fmt: skip
def test_a_bad_pieces_file_is_refused_before_any_board(folder: Path, pieces: str) -> None:
    (folder / "bad.pieces").write_text(pieces, encoding="latin-1")
    run = run_here(program.main, typed="0\nbad.pieces\n3\n4\n0 0\n")
    assert (run.out, run.status) == (QUESTIONS, 2)
    assert run.err.count("\n") == 1
    assert "bad.pieces" in run.err


@pytest.mark.parametrize("name", ["no.pieces", ".", "", "a\0b", "\udcff", "x" * 5000])
def test_a_missing_pieces_file_is_refused(folder: Path, name: str) -> None:
    run = run_here(program.main, typed=f"0\n{name}\n3\n4\n")
    assert (run.out, run.status) == (QUESTIONS, 2)
    assert run.err.count("\n") == 1


@pytest.mark.parametrize("size", ["", "0", "-1", "x", "1001", "2.0", "9" * 5000])
def test_a_bad_size_is_refused(folder: Path, size: str) -> None:
    for typed in (f"0\ntwo.pieces\n{size}\n", f"0\ntwo.pieces\n3\n{size}\n"):
        run = run_here(program.main, typed=typed)
        assert run.status == 2
        assert QUESTIONS.startswith(run.out)
        assert run.err.count("\n") == 1


def test_the_seed_is_the_text_that_is_typed(folder: Path) -> None:
    (folder / "army").write_text("F 1\n5 1\n3 1\n2 1\n1 2\n")
    for seed in ("asdf", "12", " 12", ""):
        state = gridhouse.load(
            "tactego", rows=6, cols=3, pieces="Fx1 5x1 3x1 2x1 1x2"
        ).new_initial_state(seed)
        assert play("army", 6, 3, seed=seed) == state.board() + "\n" + ASK_START


def test_the_function_of_the_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("drop_in", PROGRAMS / "tactego/tactego.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert capsys.readouterr().out == ""
    random.seed("9")
    with pytest.raises(OSError, match="stdin"):  # pytest lets nobody read
        module.tactego("two.pieces", 3, 2)
    assert capsys.readouterr().out.startswith("  0    1\n0 R5   RF\n")


@pytest.mark.parametrize("sizes", [("6", 4), (6, "4"), (0, 4), (6, 1001), (6, None)])
def test_the_function_names_the_size_that_is_wrong(folder: Path, sizes: tuple[Any, Any]) -> None:
    name = "width" if sizes[0] == 6 else "length"
    with pytest.raises(ValueError, match=f"^{name}: .* is not a size from 1 to 1000"):
        program.tactego("two.pieces", *sizes)


def test_arguments_are_refused() -> None:
    run = run_here(program.main, "asdf")
    assert (run.out, run.status) == ("", 2)
    assert run.err.count("\n") == 1

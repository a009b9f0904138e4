"""The exact program of Sinks: the document's samples and every message."""

from __future__ import annotations

import pytest

import gridhouse
from gridhouse.core.console import Tokens
from gridhouse.games.sinks import program
from gridhouse.games.sinks.game import SinksGame
from harness import CONFORMANCE, run_here, run_script

SAMPLES = CONFORMANCE / "sinks"


def text_mode(typed: str, rows: int = 10, cols: int = 10) -> str:
    """Return what the program prints for this input; it must end without an error of ours."""
    run = run_here(program.main, str(rows), str(cols), "0", typed=typed)
    assert (run.err, run.status) == ("", 0)
    return run.out


def test_a_set_up_is_chosen_on_screen_where_nothing_is_piped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    game = SinksGame()
    assert program.piped_setup(game, Tokens(iter(["#"]))) is None
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert program.piped_setup(game, Tokens(iter([]))) is None
    assert program.piped_setup(game, Tokens(iter(["x 0 0", "#"]))) is not None


def last_line(typed: str) -> str:
    """Return the last line that the program prints for this input."""
    return text_mode(typed).split("\n")[-2]


def boards(out: str) -> list[str]:
    """Return the boards of an output, each without its heading and edges."""
    rows = [line for line in out.split("\n") if line[1:3] == " |"]
    return ["\n".join(rows[at : at + 10]) for at in range(0, len(rows), 10)]


@pytest.mark.skipif(not SAMPLES.exists(), reason="the documents' samples are not at hand")
@pytest.mark.parametrize("name", ["example1", "example2"])
def test_the_documents_samples(name: str) -> None:
    typed = (SAMPLES / f"{name}.in").read_bytes()
    expected = (SAMPLES / f"{name}.out").read_text(encoding="utf-8")
    for ends in (b"\n", b"\r\n", b" "):
        run = run_script("sinks/sinks.py", "10", "10", "0", typed=typed.replace(b"\n", ends))
        assert run == (expected, "", 0)


def test_the_smallest_board_is_printed_to_the_byte() -> None:
    assert text_mode("x 0 1 s 2 0 3 l b 3 3 d b 4 4 #\n3 3 l", 8, 8) == (
        "   0  1  2  3  4  5  6  7\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "7 |  |  |  |  |  |  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "6 |  |  |  |  |  |  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "5 |  |  |  |  |  |  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "4 |  |  |  |  | B|  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "3 |  |  |  | b|  |  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "2 |  |  |  |  |  |  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "1 |  |  |  | s| s|  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "0 |  | x|  | s| s|  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "   0  1  2  3  4  5  6  7\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "7 |  |  |  |  |  |  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "6 |  |  |  |  |  |  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "5 |  |  |  |  |  |  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "4 |  |  |  |  | B|  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "3 |  | b|25|  |  |  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "2 |  |  |  |  |  |  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "1 |  |  |  | s| s|  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
        "0 |  | x|  | s| s|  |  |  |\n"
        "  +--+--+--+--+--+--+--+--+\n"
    )


def test_a_one_digit_identifier_is_padded_on_the_right() -> None:
    moves = "3 3 d 1 3 l 6 6 u 7 6 r 1 2 d 0 2 r"
    out = boards(text_mode(f"l b 3 3 d b 6 6 # {moves}"))
    assert out[-1].split("\n")[-1] == "0 |  |  |  | b|3 |  |  |  |  |  |"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Too few arguments"),
        (("10", "10"), "Too few arguments"),
        (("7", "x"), "Too few arguments"),
        (("10", "10", "0", "0"), "Too many arguments"),
        (("a", "b", "c", "d"), "Too many arguments"),
        (("7", "10", "0"), "Illegal argument"),
        (("11", "10", "0"), "Illegal argument"),
        (("10", "7", "0"), "Illegal argument"),
        (("10", "11", "0"), "Illegal argument"),
        (("10", "10", "2"), "Illegal argument"),
        (("10", "10", "-1"), "Illegal argument"),
        (("ten", "10", "0"), "Illegal argument"),
        (("10.0", "10", "0"), "Illegal argument"),
        (("1_0", "10", "0"), "Illegal argument"),
        (("", "10", "0"), "Illegal argument"),
        (("9" * 5000, "10", "0"), "Illegal argument"),
        (("10", "0" * 5000 + "7", "0"), "Illegal argument"),
    ],
)
def test_arguments(arguments: tuple[str, ...], message: str) -> None:
    run = run_here(program.main, *arguments, typed="#")
    assert run == (f"ERROR: {message}\n", "", 0)


def test_arguments_may_have_a_sign_and_zeros() -> None:
    for rows in ("+8", "08", "0" * 5000 + "8"):
        run = run_here(program.main, rows, "010", "-0", typed="#")
        assert run.out.endswith("Light loses\n")


SETUP_ERRORS = [
    ("q 1 2", "Invalid object type q"),
    ("S 1 1 1", "Invalid object type S"),
    ("s 3 1 1", "Invalid piece type 3"),
    ("s 12 1 1", "Invalid piece type 12"),
    ("s a 1 1", "Invalid piece type a"),
    ("l e 3 3", "Invalid piece type e"),
    ("d ab 3 3", "Invalid piece type ab"),
    ("l 1 3 3", "Invalid piece type 1"),
    ("x 10 0", "Field 10 0 not on board"),
    ("x 0 -1", "Field 0 -1 not on board"),
    ("x zero 0", "Field zero 0 not on board"),
    ("s 1 +00 10", "Field +00 10 not on board"),
    ("l a 3 3.0", "Field 3 3.0 not on board"),
    (f"x 0 {'9' * 5000}", f"Field 0 {'9' * 5000} not on board"),
    ("s 1 3 3", "Sink in the wrong position"),
    ("s 2 2 2 l a 3 3", "Sink in the wrong position"),
    ("s 2 9 0", "Sink in the wrong position"),
    ("s 2 0 9", "Sink in the wrong position"),
    ("l a 2 5", "Piece in the wrong position"),
    ("l a 5 7", "Piece in the wrong position"),
    ("d d 6 6", "Piece in the wrong position"),
    ("x 5 5 l a 5 5", "Field 5 5 not free"),
    ("x 6 5 l d 5 4", "Field 6 5 not free"),
    ("l a 6 5 l a 5 5 d d 5 4", "Field 5 5 not free"),
    ("x 1 1 x 01 +1", "Field 1 1 not free"),
    ("s 2 0 0 s 1 1 1", "Field 1 1 not free"),
    ("s 1 0 0 s 2 0 1", "Sink cannot be next to another sink"),
    ("s 1 0 0 s 1 1 0", "Sink cannot be next to another sink"),
    ("s 2 0 0 s 2 1 2", "Sink cannot be next to another sink"),
    ("s 2 7 7 s 2 5 7", "Sink cannot be next to another sink"),
]


@pytest.mark.parametrize(("typed", "message"), SETUP_ERRORS)
def test_setup_errors(typed: str, message: str) -> None:
    assert text_mode(f"{typed} #") == f"ERROR: {message}\n"


def test_sinks_may_touch_at_corners() -> None:
    assert text_mode("s 1 0 0 s 1 1 1 #").startswith("   0  1")


START = (
    "s 1 0 0 s 1 3 0 s 2 7 7 s 1 2 5 x 9 0 "
    "l a 3 3 l b 3 4 l c 4 5 l d 5 3 d a 4 3 d b 4 6 d c 3 6 d d 5 5 # "
)
MOVE_ERRORS = [
    ("10 0 l", "Field 10 0 not on board"),
    ("a b c", "Field a b not on board"),
    ("0 -1 b", "Field 0 -1 not on board"),
    ("1 1 l", "No piece on field 1 1"),
    ("1 1 q", "No piece on field 1 1"),
    ("9 0 l", "No piece on field 9 0"),
    ("1 1 f", "No piece on field 1 1"),
    ("7 7 f", "No piece on field 7 7"),
    ("8 8 f", "No piece on field 8 8"),
    ("3 3 q", "Invalid direction q"),
    ("3 3 lr", "Invalid direction lr"),
    ("3 3 L", "Invalid direction L"),
    ("8 8 x", "Invalid direction x"),
    ("6 6 l", "Piece does not belong to the correct player"),
    ("4 3 f 4 6 f 3 6 f", "No freezings left"),
    ("6 6 f 6 6 f 3 3 f", "No freezings left"),
    ("3 3 f", "Piece does not belong to the correct player"),
    ("3 4 f", "Piece does not belong to the correct player"),
    ("6 6 f 3 3 d 2 3 d 6 6 u", "Cannot move frozen piece"),
    ("3 3 d 5 3 l", "Cannot move a 2x2x2 piece on the second move"),
    ("3 3 d 6 4 q", "Invalid direction q"),
    ("3 3 d 2 3 d 4 6 r 4 7 l", "Piece cannot be returned to starting position"),
    ("3 4 d 1 4 u", "Piece cannot be returned to starting position"),
    ("3 3 r", "Field 3 4 not free"),
    ("4 5 r", "Field 4 6 not free"),
    ("4 5 l", "Field 4 3 not free"),
    ("5 3 r", "Field 5 5 not free"),
    ("3 3 b", "Field 3 3 not free"),
    ("8 7 b", "Field 8 7 not free"),
    ("9 0 b", "Field 9 0 not free"),
    ("0 1 b 0 2 b", "Cannot place bomb after move"),
    ("3 3 d 0 1 b", "Cannot place bomb after move"),
    ("3 3 d 9 0 b", "Field 9 0 not free"),
    ("0 0 l", "Cannot move beyond the board"),
    ("0 0 d", "Cannot move beyond the board"),
    ("8 8 r 7 9 r", "Cannot move beyond the board"),
    ("8 8 r 7 9 l", "Piece cannot be returned to starting position"),
    ("8 8 d 6 7 l", "Field 6 6 not free"),
    ("0 0 r 0 1 r 6 6 u 0 2 r", "No sink moves left"),
    ("0 0 u 1 0 u", "Sink cannot be next to another sink"),
]


@pytest.mark.parametrize(("typed", "message"), MOVE_ERRORS)
def test_move_errors(typed: str, message: str) -> None:
    assert last_line(START + typed) == f"ERROR: {message}"


def test_an_error_ends_the_program() -> None:
    out = text_mode(START + "1 1 l 3 3 d")
    assert out.count("ERROR") == 1
    assert out.endswith("ERROR: No piece on field 1 1\n")
    assert len(boards(out)) == 1


def test_a_freeze_prints_no_board_and_a_bomb_does() -> None:
    assert len(boards(text_mode(START + "4 3 f"))) == 1
    assert len(boards(text_mode(START + "4 3 f 0 5 b 3 3 d"))) == 3


def test_a_frozen_piece_is_free_after_the_next_turn_of_its_owner() -> None:
    turns = "6 6 f 3 3 d 2 3 d 4 6 r 4 7 r 1 3 r 1 4 r 6 6 u"
    assert "ERROR" not in text_mode(START + turns)


def test_a_piece_may_take_the_place_that_a_like_piece_has_left() -> None:
    assert "ERROR" not in text_mode("l a 3 3 l a 3 4 d a 6 6 # 3 3 d 3 4 l")


def test_rolling_there_and_back_through_another_turn_is_allowed() -> None:
    assert "ERROR" not in text_mode(
        "l a 3 3 l a 3 5 d a 6 6 d a 6 4 # 3 3 d 3 5 d 6 6 u 6 4 u 2 3 u"
    )


def test_a_bomb_takes_the_piece_and_the_bombs_under_it() -> None:
    out = boards(text_mode("l b 3 4 d a 6 6 # 1 4 b 3 4 u 4 4 d"))
    # upright on 3 4, lying on 4 4 and 5 4, upright again on 3 4: nothing has gone off yet
    assert "b" in out[-1]
    gone = boards(text_mode("l b 3 4 l a 5 5 d a 6 6 # 1 4 b 3 4 d"))
    assert "b" not in gone[-1]
    assert "a" in gone[-1]


def test_bombs_of_either_player_go_off_and_twice_bombed_fields_do_not() -> None:
    start = "l a 3 3 l b 3 5 d a 6 6 d b 6 4 # "
    both = "2 3 b 3 5 d 1 5 l 2 3 b 6 6 u 7 6 u 3 3 d"
    assert " a|" in boards(text_mode(start + both))[-1]
    one = "2 3 b 3 5 d 1 5 l 2 2 b 6 6 u 7 6 u 3 3 d"
    assert " a|" not in boards(text_mode(start + one))[-1]


def test_a_bombed_piece_has_no_value_and_the_move_counts() -> None:
    typed = "l d 3 3 l a 5 5 d a 6 6 d a 6 4 # 1 3 b 3 3 d 6 6 u 6 4 u 5 5 r"
    out = text_mode(typed)
    assert "wins" not in out
    assert "ERROR" not in out


def test_a_sink_takes_a_bomb_away() -> None:
    start = "s 1 0 5 l a 3 5 l b 3 3 d a 6 6 d b 6 4 # "
    walk = "3 3 d 1 3 r 7 6 u 7 4 r 1 4 r"  # over 1 5 at last
    unbombed = boards(text_mode(start + "1 5 b 0 5 u 1 5 r 6 6 u 6 4 u " + walk))
    assert " b|" in unbombed[-1]
    bombed = boards(text_mode(start + "1 5 b 0 5 r 0 6 r 6 6 u 6 4 u " + walk))
    assert " b|" not in bombed[-1]


def test_pieces_sink_whatever_their_size_and_pose() -> None:
    start = "s 2 1 3 s 1 2 6 l b 3 3 l b 3 6 l a 4 4 d a 6 6 # "
    assert text_mode(start + "3 3 d").count(" b|") == 3  # lying in the large sink: one bar is left
    out = text_mode(start + "3 6 d")
    assert out.endswith("ERROR: Field 2 6 not free\n")  # the bar would lie half over the sink
    standing = "s 1 0 4 l b 3 4 l a 5 5 d a 6 6 # 3 4 d 1 4 d"
    assert " b|" not in boards(text_mode(standing))[-1]


def test_light_wins_and_the_program_stops_at_once() -> None:
    out = text_mode("s 2 1 3 l d 3 3 d a 6 6 # 3 3 d 6 6 u rubbish")
    assert out.endswith("--+\nLight wins!\n")


def test_dark_wins() -> None:
    out = text_mode("s 2 7 5 l a 3 3 l a 3 5 d d 5 5 # 3 3 d 3 5 d 5 5 u")
    assert out.endswith("Dark wins!\n")


def test_a_sink_pushed_under_a_piece_sinks_it_for_its_owner() -> None:
    start = "s 2 1 3 l a 4 4 d d 3 3".replace("l a 4 4", "l a 5 5")
    # Light pushes a large sink under Dark's cube, one field after the other is not free
    assert text_mode(start + " # 1 3 u").endswith("ERROR: Field 3 3 not free\n")
    out = text_mode("s 1 2 4 l b 3 3 d c 3 4 d a 5 5 l a 5 3 d a 4 4 # 2 4 u")
    assert "ERROR" not in out
    assert " C|" not in boards(out)[-1]


@pytest.mark.parametrize("moves_made", [0, 1])
@pytest.mark.parametrize(("side", "verdict"), [("l", "Light wins!"), ("d", "Dark wins!")])
def test_the_mover_wins_when_both_sides_reach_four_at_once(
    side: str, moves_made: int, verdict: str
) -> None:
    state = gridhouse.parse(
        f"sinks(rows=10,cols=10) {side} {moves_made} - 2/2 2/2 3/3 - s233 la53 da54 lb66 db77"
    )
    state.play("3 3 u")
    assert state.game.outcome(state.position) == verdict
    assert state.returns() == ([1, -1] if side == "l" else [-1, 1])


def test_a_frozen_piece_that_sinks_leaves_no_frost() -> None:
    state = gridhouse.parse("sinks(rows=10,cols=10) l 0 - 1/2 2/2 0/0 - s133 da43* lb66 db77")
    state.play("3 3 u")
    assert "*" not in str(state)
    assert not any(state.position.frozen)


def test_a_sink_pushed_under_the_others_piece_may_win_the_game_for_the_other() -> None:
    state = gridhouse.parse("sinks(rows=10,cols=10) l 0 - 2/2 2/2 0/3 - s133 da43 lb66 db77")
    state.play("3 3 u")
    assert state.game.outcome(state.position) == "Dark wins!"


def test_a_player_who_cannot_move_loses_at_once() -> None:
    blocked = "x 2 3 x 3 2 x 4 3 x 3 4 l a 3 3 d a 6 6 #"
    assert text_mode(blocked).endswith("--+\nLight loses\n")
    assert text_mode("#").endswith("--+\nLight loses\n")
    dark = "x 5 6 x 6 5 x 7 6 x 6 7 l a 3 3 d a 6 6 # 3 3 d 2 3 d"
    assert text_mode(dark).endswith("--+\nDark loses\n")


def test_a_long_game_in_which_nothing_is_lost_goes_on() -> None:
    turns = "3 3 r 3 4 u 6 6 l 6 5 d 4 4 l 4 3 d 5 5 r 5 6 u "
    out = text_mode("l a 3 3 d a 6 6 # " + 20 * turns)
    assert len(boards(out)) == 161
    assert out.endswith("--+\n")


def test_a_player_who_cannot_make_the_second_move_loses() -> None:
    # The only move is to roll back, and that is forbidden.
    alone = "x 3 2 x 4 3 x 3 4 x 2 2 x 2 4 x 1 3 l a 3 3 d a 6 6 # 3 3 d"
    assert text_mode(alone).endswith("--+\nLight loses\n")


@pytest.mark.parametrize("typed", ["", "s", "s 1", "s 1 0", "s 1 0 0", "x 0", "l a 3 3\n"])
def test_nothing_is_printed_without_the_end_of_the_setup(typed: str) -> None:
    assert text_mode(typed) == ""


@pytest.mark.parametrize("cut", ["3", "3 3", "3 3 d 2", "3 3 d 2 3"])
def test_a_partial_game_ends_quietly(cut: str) -> None:
    out = text_mode(START + cut)
    assert len(boards(out)) == (2 if " d" in cut else 1)
    assert out.endswith("--+\n")


def test_a_move_may_name_any_field_of_a_piece() -> None:
    assert text_mode(START + "6 4 l") == text_mode(START + "5 3 l")

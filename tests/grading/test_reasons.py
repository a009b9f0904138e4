"""The reasons of answers that generated sessions seldom come to."""

from __future__ import annotations

import random

import pytest

from gridhouse.core.sessions import Session
from gridhouse.games.collapse import grading as collapse_grading
from gridhouse.games.tactego.program import STUCK
from gridhouse.grading.games import grading_of

SINKS, TACTEGO, BINARY, COLLAPSE, SLIDING = map(
    grading_of, ("sinks", "tactego", "binary", "collapse", "sliding")
)
BOARD = ("8", "8", "0")
ARMY = (("game.pieces", "F 1\n"),)
END = ("s", "game.pieces", "2", "1", "0 0", "1 0")  # a flag beside a flag: nobody can move


def test_a_bomb_that_is_laid() -> None:
    session = Session(("l a 3 3", "d a 4 4", "#", "0 0 b"), BOARD)
    assert SINKS.explain(session, 4, "board").kind == "laid"


def test_a_piece_that_a_bomb_takes() -> None:
    session = Session(("l a 3 3", "d a 4 4", "l b 3 4", "#", "2 3 b", "3 3 d"), BOARD)
    assert SINKS.explain(session, 6, "board").kind == "exploded"


@pytest.mark.parametrize("text", ["Piece in", "Field 3 4 not free", "Too many arguments"])
def test_an_error_has_the_section_of_its_rule(text: str) -> None:
    assert SINKS.explain(Session(("#",), BOARD), 1, f"ERROR: {text}").section


def test_no_game_of_sinks_is_without_its_arguments() -> None:
    assert SINKS.state_at(Session(("#",), ("7", "8", "0")), 1) is None


def test_lines_after_the_end_of_tactego_mean_nothing() -> None:
    state = TACTEGO.state_at(Session(END, files=ARMY), 6)
    assert state is not None
    assert state.is_terminal()
    assert TACTEGO.explain(Session(END, files=ARMY), 5, STUCK).kind == "stuck"


def test_a_size_of_the_binary_game_that_is_none() -> None:
    assert BINARY.state_at(Session(("game 0 1",)), 1) is None
    assert BINARY.explain(Session(("game 0 1",)), 1, "= -1").kind == "silent"


@pytest.mark.parametrize("lines", [("game 1 3", "genmove"), ("game 2 2", "genmove", "show")])
def test_a_genmove_with_a_choice_has_no_reason(lines: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="by chance"):
        BINARY.explain(Session(lines), len(lines), "..")


def test_simpler_sessions_come_to_an_end() -> None:
    board = Session(("1 1",), ("input.txt",), (("input.txt", "1 2\n3 3\n"),))
    files = {session.files[0][1] for session in COLLAPSE.simpler(board)}
    assert files == {"3 3\n", "1 2\n", "2\n3\n", "1\n3\n"}
    cell = Session((), ("input.txt",), (("input.txt", "1\n"),))
    assert list(COLLAPSE.simpler(cell)) == []
    calls = Session(calls=("move('ab c', 'U')", "move('ab c', 'D')"))
    assert [session.calls for session in SLIDING.simpler(calls)] == [
        calls.calls[1:],
        calls.calls[:1],
    ]
    assert list(SLIDING.simpler(calls._replace(calls=calls.calls[:1]))) == []
    play = Session(("2",), files=(("words.txt", "ab\ncd\n"),), calls=("main()",))
    assert list(SLIDING.simpler(play)) == []


def test_a_cell_that_is_alone_is_typed_only_where_there_is_one() -> None:
    writer = collapse_grading.Writer([[1, 1]])
    writer.single(random.Random(0))
    assert writer.lines == []
    writer.group(random.Random(0))
    writer.group(random.Random(0))  # the board is cleared
    assert len(writer.lines) == 1

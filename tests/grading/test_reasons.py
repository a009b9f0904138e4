"""The reasons of answers that generated sessions seldom come to."""

from __future__ import annotations

import random
import re

import pytest

from gridhouse.core.sessions import Session
from gridhouse.games.collapse import grading as collapse_grading
from gridhouse.games.tactego import grading as tactego_grading
from gridhouse.games.tactego.program import STUCK
from gridhouse.grading.games import grading_of, sessions_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.grading.games import Grading

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


@pytest.mark.parametrize(
    ("move", "line", "text"),
    [
        ("0 0 u", "board", "0 0 u is legal; it moves a sink"),
        ("3 3 l", "board", "3 3 l is legal; it rolls a piece"),
        ("0 0 u", "", "0 0 u is legal, and only the board is printed"),
        ("3 3 l", "Dark loses", "it is Dark's turn, and Dark can move neither"),
    ],
)
def test_a_legal_move_is_called_legal(move: str, line: str, text: str) -> None:
    session = Session(("l a 3 3", "d a 4 4", "s 1 0 0", "#", move), BOARD)
    assert SINKS.explain(session, 5, line).text.startswith(text)
    assert (
        SINKS.explain(session, 4, "").text == "the set-up is legal, and only the board is printed"
    )


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


def test_a_flag_that_is_taken_ends_a_game_of_tactego() -> None:
    typed = ("2dgd", "game.pieces", "4", "1", "1 0", "2 0")  # a seed that puts the flags in reach
    taken = Session(typed, files=(("game.pieces", "5 1\nF 1\n"),))
    reason = TACTEGO.explain(taken, len(typed), "R has won the game")
    assert (reason.kind, reason.text) == ("end", "a player without flags has lost")


def test_a_size_of_the_binary_game_that_is_none() -> None:
    assert BINARY.state_at(Session(("game 0 1",)), 1) is None
    assert BINARY.explain(Session(("game 0 1",)), 1, "= -1").kind == "silent"


@pytest.mark.parametrize(
    ("lines", "line", "kind", "part"),
    [
        (("genmove", "show"), "= -1", "silent", "silent"),
        (("game 1 1", "legal 0 0"), "= -1", "silent", "silent"),
        (("game 1 1", "legal 5 0 1"), "no", "legal coordinate", "no, since x or y"),
        (("game 1 1", "show"), "= 1", "status", "the answer to show ends here"),
        (("game 1 1", "winner"), "unfinished", "winner", "player 1 has a legal move"),
        (("game 1 1", "play 0 0 1", "winner"), "1", "winner", "player 2 has no legal move"),
    ],
)
def test_reasons_of_the_binary_game(
    lines: tuple[str, ...], line: str, kind: str, part: str
) -> None:
    reason = BINARY.explain(Session(lines), len(lines), line)
    assert (reason.kind, part in reason.text) == (kind, True)


BLANK_ROW = Session(("1 1", "1 1"), ("input.txt",), (("input.txt", "1 1\n2 2\n2 3\n"),))


@pytest.mark.parametrize(
    ("typed", "line", "text"),
    [
        (0, "Your score is: 0", "the score below the board is 0"),
        (1, "Your score is: 2", "the pick 1 1 scores 2, its digit times the cells; "),
        (1, "2 2", "the pick 1 1 empties the top row: a blank top row is left out"),
        (2, "  3", "a blank top row is left out, and rows are counted anew, as before this pick"),
    ],
)
def test_reasons_of_collapse(typed: int, line: str, text: str) -> None:
    assert text in COLLAPSE.explain(BLANK_ROW, typed, line).text


@pytest.mark.parametrize(
    ("game", "session", "typed", "line"),
    [
        (SLIDING, Session(("GU",), calls=("main()",)), 1, "Solution:"),
        (TACTEGO, Session(END, files=ARMY), 4, "B has won the game"),
        (SINKS, Session(("l a 3 3",), BOARD), 1, ""),
    ],
)
def test_what_no_document_says_has_no_section(
    game: Grading, session: Session, typed: int, line: str
) -> None:
    reason = game.explain(session, typed, line)
    assert (reason.text.startswith("the document says nothing"), reason.section) == (True, "")


def test_an_answer_to_another_game_has_its_own_reason() -> None:
    play = Session(("2", "GU", "n"), files=(("words.txt", "ab\ncd\n"),), calls=("main()",))
    assert SLIDING.explain(play, 3, "Bye.").kind == "again"


def test_no_side_of_tactego_is_stuck_at_the_end_of_a_session() -> None:
    for _, session in sessions_of(TACTEGO, 60, "stuck"):
        state = TACTEGO.state_at(session, len(session.lines))
        assert state is not None
        assert not tactego_grading.is_stuck(state)


def test_nothing_more_has_a_reason_in_sinks() -> None:
    kinds = [
        SINKS.explain(Session((*lines, "#", *more), BOARD), len(lines) + 1 + len(more), "").kind
        for lines, more in (
            (("l a 3 3", "d a 4 4"), ("4 4 f",)),
            (("l a 3 3", "d a 4 4"), ("9 9 l",)),
            (("l d 3 3", "s 2 2 5"), ()),
        )
    ]
    assert kinds == ["frozen", "after error", "end of output"]


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


def fight(session: Session) -> str:
    """Return the kinds that fight in the last move of a session of Tactego, "" if none do."""
    text = TACTEGO.explain(session, len(session.lines), "").text
    found = re.search(r"[RB](\w+) attacks [RB](\w+):", text)
    return " ".join(found.groups()) if found else ""


@pytest.mark.parametrize(("part", "questions"), [("mines", 4), ("calls", 0)])
def test_a_fight_of_tactego_is_looked_for_in_games_of_one_move(part: str, questions: int) -> None:
    fights: set[str] = set()
    for seed in range(20):
        session = TACTEGO.PARTS[part].make(random.Random(seed))
        most = len(session.lines)
        ends = range(max(most - 8, questions + 3), most + 1)
        cuts = [session._replace(lines=session.lines[:end]) for end in ends]
        for cut in [cut for cut in cuts if fight(cut)][-1:]:
            small = [one for one in TACTEGO.simpler(cut) if len(one.lines) == questions + 2]
            assert {fight(one) for one in small} <= {fight(cut)}
            fights.update(fight(one) for one in small)
    assert len(fights) > 3
    assert any("F" in kinds for kinds in fights)


def test_a_cell_that_is_alone_is_typed_only_where_there_is_one() -> None:
    writer = collapse_grading.Writer([[1, 1]])
    writer.single(random.Random(0))
    assert writer.lines == []
    writer.group(random.Random(0))
    writer.group(random.Random(0))  # the board is cleared
    assert len(writer.lines) == 1

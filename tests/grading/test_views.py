"""What each part of a rubric looks at, and the sessions that follow a program's own placing."""

from __future__ import annotations

import random

from gridhouse.core.registry import game_class
from gridhouse.core.sessions import Session
from gridhouse.games.collapse import grading as collapse
from gridhouse.games.sinks import grading as sinks
from gridhouse.games.sliding import grading as sliding
from gridhouse.games.tactego import grading as tactego
from gridhouse.grading.compare import Profile, lines_of
from gridhouse.grading.games import grading_of
from gridhouse.grading.reference import transcript

SETUP = ("0", "game.pieces", "3", "2")
ARMY = (("game.pieces", "F 1\n3 1\n"),)
MOVES = Session((*SETUP, "0 0", "0 1", "1 1", "2 1", "1 1"), files=ARMY)
BOARD = ["0 1", "0 RF R3", "1", "2 B3 BF"]


def seen(game: str, part: str, keys: list[str], session: Session | None = None) -> list[str]:
    """Return the lines that a part compares, without the others."""
    view = grading_of(game).PARTS[part].view
    assert view is not None
    return [key for key in view(session or Session(), keys) if key]


def test_parts_of_tactego_look_at_their_own_lines() -> None:
    moved = ["0 1", "0 RF", "1 R3", "2 B3 BF"]
    keys = [*BOARD, "<start>", *BOARD, "you", *moved, "Red has won the game", "", "1 R3"]
    assert seen("tactego", "boards", keys) == ["0 1", "0", "1", "2"] * 3
    assert seen("tactego", "placing", keys) == BOARD[1:]
    assert seen("tactego", "loading", keys) == ["B3 BF R3 RF"]
    assert seen("tactego", "fights", keys) == BOARD[1:] + moved[1:]
    assert seen("tactego", "ends", keys) == ["R"]
    assert "Red has won the game" not in seen("tactego", "moves", keys)
    for part in ("placing", "loading", "fights"):  # a heading alone, and no board at all
        assert seen("tactego", part, ["0 1", "nothing"]) == []
        assert seen("tactego", part, []) == []


def test_parts_of_other_games_look_at_their_own_lines() -> None:
    keys = ["1 2", "Your score is: 4", "<cell>", "No movement happened try again", "Game over"]
    assert seen("collapse", "picks", keys) == keys[:1]
    assert seen("collapse", "scores", keys) == keys[1:2]
    assert seen("collapse", "errors", keys) == [keys[0], *keys[3:]]
    assert seen("collapse", "ends", keys) == [keys[2], keys[4]]
    assert seen("sinks", "errors", ["0 |  |", "ERROR: Field"]) == ["ERROR: Field"]
    assert seen("sinks", "ends", ["0 |  |", "Light wins!"]) == ["Light wins!"]
    answers = ["= 1", "01", "= 1", "yes", "= 1"]
    typed = Session(("game 2 1", "show", "legal 0 0 1"))
    assert seen("binary", "grids", answers, typed) == ["= 1", "01", "= 1"]
    assert seen("binary", "questions", answers, typed) == ["yes", "= 1"]


def keys_of(session: Session, placing: list[str]) -> list[str]:
    """Return what a program prints that places pieces in these rows."""
    return ["<seed>", "0 1", *placing, "<start>"]


def follow(session: Session, placing: list[str]) -> Session | None:
    """Return the session that follows a placing."""
    part = tactego.PARTS["turns"]
    assert part.follow is not None
    return part.follow(session, keys_of(session, placing))


def test_a_session_follows_a_placing_of_the_same_pieces() -> None:
    right = [line for line in lines(MOVES) if line[:1].isdigit()][1:4]
    assert follow(MOVES, right) is None
    swapped = [" ".join([row.split()[0], *reversed(row.split()[1:])]) for row in right]
    other = follow(MOVES, swapped)
    assert other is not None
    assert other.lines[:4] == MOVES.lines[:4]
    assert len(other.lines) >= len(MOVES.lines)
    assert list(tactego.simpler(other)) == []
    # The exact program, from there, prints this board and takes each line.
    assert [line for line in lines(other) if line[:1].isdigit()][1:4] == swapped
    assert follow(other, swapped) is None


def lines(session: Session) -> list[str]:
    """Return what the exact program prints, as the parts see it."""
    text = transcript(game_class("tactego"), session).text
    return [line.key for line in lines_of(text, Profile.COURSE, grading_of("tactego"))]


def test_nothing_follows_the_end_of_a_game() -> None:
    session = next(
        session
        for session in (tactego.PARTS["ends"].make(random.Random(seed)) for seed in range(100))
        if (state := tactego.state_at(session, len(session.lines))) and state.is_terminal()
    )
    height = int(session.lines[2])
    rows = [line for line in lines(session) if line[:1].isdigit()][1 : height + 1]
    swapped = [" ".join([row.split()[0], *reversed(row.split()[1:])]) for row in rows]
    longer = session._replace(lines=(*session.lines, "0 0", "1 0"))
    one, other = (follow(typed, swapped) for typed in (session, longer))
    assert one is not None
    assert other is not None


def test_other_placings_are_not_followed() -> None:
    assert follow(MOVES, []) is None  # no board
    assert follow(MOVES, ["0 RF R3", "1 B3 BF", "2"]) is None  # in other rows
    assert follow(MOVES, ["0 RF R2", "1", "2 B3 BF"]) is None  # other pieces


def test_drawn_sessions_can_be_followed_to_their_ends() -> None:
    part = tactego.PARTS["moves"]
    assert part.follow is not None
    followed = 0
    for seed in range(30):
        session = part.make(random.Random(seed))
        rows = [line for line in lines(session) if line[:1].isdigit()]
        height = int(session.lines[2])
        swapped = [
            " ".join([row.split()[0], *reversed(row.split()[1:])]) for row in rows[1 : height + 1]
        ]
        other = part.follow(session, ["<seed>", rows[0], *swapped])
        if other is not None:
            followed += 1
            assert lines(other)[4 : 5 + height] == [rows[0], *swapped]
    assert followed > 10


def test_reasons_at_the_edges() -> None:
    blank = Session(("1 1", "1 1"), ("input.txt",), (("input.txt", "1 2\n1 3\n4 5\n"),))
    assert collapse.explain(blank, 2, "Please enter a correct size!").kind == "blank"
    ends = sinks.PARTS["ends"]
    over = next(
        session
        for session in (ends.make(random.Random(seed)) for seed in range(100))
        if (state := sinks.state_at(session, len(session.lines))) and state.is_terminal()
    )
    assert sinks.explain(over, len(over.lines), "").kind == "after end"
    wrong = Session(("l a 3 3",), ("a",))
    assert sinks.legal(wrong) == wrong


def test_a_game_of_the_puzzle_can_be_given_up_sooner() -> None:
    main = sliding.PARTS["main"]
    session = next(
        session
        for session in (main.make(random.Random(seed)) for seed in range(100))
        if len(session.lines) > 4 and sliding.state_at(session, 3) is not None
    )
    sooner = [
        simpler.lines
        for simpler in sliding.simpler(session)
        if (simpler.seed, simpler.files) == (session.seed, session.files)
    ]
    assert sooner
    assert all("GU" in typed and len(typed) < len(session.lines) for typed in sooner)

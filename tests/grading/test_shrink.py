"""Shrinking keeps what fails, and leaves nothing that could go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gridhouse.core.console import Tokens
from gridhouse.core.registry import game_class
from gridhouse.core.sessions import Session
from gridhouse.games.sinks import grading
from gridhouse.games.sinks.document import END_OF_SETUP, read_setup
from gridhouse.grading.games import grading_of
from gridhouse.grading.reference import transcript
from gridhouse.grading.shrink import shrink

if TYPE_CHECKING:
    import pytest

BINARY = grading_of("binary")
PASSING = Session(  # of Sinks, with turns that only pass
    (
        *("s 2 1 1", "s 2 5 5", "s 1 2 5", "s 1 5 2", "l b 3 3", "d b 4 4", "l c 4 3", "#"),
        *("3 3 l", "4 4 f", "1 1 r", "5 5 l", "2 5 u", "4 3 l", "5 2 u", "4 4 r"),
    ),
    ("8", "8", "0"),
)
WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=30)


@given(WORDS, st.sets(st.sampled_from("abcdefgh"), max_size=3))
def test_the_lines_that_matter_are_left(lines: list[str], needed: set[str]) -> None:
    if not needed <= set(lines):
        return
    runs: list[Session] = []

    def fails(session: Session) -> bool:
        runs.append(session)
        return needed <= set(session.lines)

    smallest = shrink(BINARY, Session(tuple(lines)), fails, 200)
    assert sorted(smallest.lines) == sorted(needed)
    assert len(runs) <= 200


def test_a_board_shrinks_as_well() -> None:
    def fails(session: Session) -> bool:
        return any(line.startswith("game") and "1" not in line.split() for line in session.lines)

    session = Session(("show", "game 6 5", "show"))
    assert shrink(BINARY, session, fails, 200) == Session(("game 2 2",))


def test_runs_are_bounded() -> None:
    runs: list[Session] = []

    def fails(session: Session) -> bool:
        runs.append(session)
        return "a" in session.lines

    shrink(BINARY, Session(tuple("abcdefgh" * 8)), fails, 3)
    assert len(runs) == 3


def test_what_cannot_fail_is_not_run() -> None:
    runs: list[Session] = []

    def fails(session: Session) -> bool:
        runs.append(session)
        return {"a", "h"} <= set(session.lines)

    smallest = shrink(BINARY, Session(tuple("abcdefgh")), fails, 200, fails_in_document)
    assert smallest.lines == ("a", "h")
    assert all(fails_in_document(session) for session in runs)


def fails_in_document(session: Session) -> bool:
    return session.lines[-1:] == ("h",)


def test_a_long_session_has_a_short_relative() -> None:
    def fails(session: Session) -> bool:
        return session.lines in (tuple("abcdefgh"), ("x", "y"), ("x",))

    others = [Session(("z",)), Session(("x", "y"))]
    assert shrink(BINARY, Session(tuple("abcdefgh")), fails, 200, others=others).lines == ("x",)


def test_a_session_of_sinks_stays_legal_and_begins_late() -> None:
    sinks, cls = grading_of("sinks"), game_class("sinks")
    setup = ("l a 4 4", "d c 5 5", "s 2 0 0", "#")
    session = Session((*setup, "4 4 d", "3 4 d", "5 5 u"), ("10", "10", "0"))

    def fails(smaller: Session) -> bool:
        text = transcript(cls, smaller).text
        return smaller.lines[-1:] == ("5 5 u",) and "ERROR" not in text and "loses" not in text

    assert shrink(sinks, session, fails, 200).lines == ("l c 5 5", "#", "5 5 u")
    without = session._replace(lines=("4 4 l", *session.lines[1:-1], "0 0 u", "9 9 u"))
    assert sinks.legal(without).lines == (*setup[1:], "0 0 u", "9 9 u")


def test_a_puzzle_is_given_up_or_replaced() -> None:
    sliding = grading_of("sliding")
    files = (("words.txt", "ab\ncd\nabc\nfgh\nxyz\n"),)
    session = Session(("3", "L", "U", "H", "GU", "n"), files=files, calls=("main()",), seed=1)

    def fails(smaller: Session) -> bool:
        typed = len(smaller.lines)
        states = [sliding.state_at(smaller, at) for at in (1, typed - 1)] if typed else [None]
        return states[0] is not None and states[-1] is None and smaller.lines[-1] == "n"

    assert shrink(sliding, session, fails, 200).lines[1:] == ("GU", "n")


def test_a_cube_of_sinks_that_survives_nowhere_passes_no_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    objects = ("s 1 2 3", "x 4 3", "x 3 2", "x 3 4", "l a 3 3", "l a 4 4", END_OF_SETUP)
    position = read_setup(8, 8, 0, Tokens(iter(objects)))
    assert grading._roll_cube(position, 3 * 8 + 3) is None
    assert grading._roll_cube(position, 4 * 8 + 4) is not None
    monkeypatch.setattr(grading, "_roll_cube", lambda position, cell: None)
    assert grading._passed_by_cubes(PASSING) == PASSING


def test_turns_of_sinks_that_only_pass_are_passed_by_cubes() -> None:
    sinks, cls = grading_of("sinks"), game_class("sinks")
    session = PASSING

    def fails(smaller: Session) -> bool:
        text = transcript(cls, smaller).text
        is_played = not any(word in text for word in ("ERROR", "loses", "wins"))
        return is_played and "4 4 f" in smaller.lines and smaller.lines[-1] == "4 4 r"

    assert fails(session)
    cubes = ("l d 5 5", "d d 5 3")
    passed = ("4 4 f", "5 5 r", "5 3 r", "5 7 u")
    assert shrink(sinks, session, fails, 200).lines == ("d b 4 4", *cubes, "#", *passed, "4 4 r")

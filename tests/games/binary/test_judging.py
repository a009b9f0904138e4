"""Answers that chance or strength decides: right ones pass, and each kind of mistake is met."""

from __future__ import annotations

import random
from math import comb, isclose

import pytest

from gridhouse.core.registry import game_class
from gridhouse.core.sessions import Session
from gridhouse.games.binary import grading, judging
from gridhouse.games.binary.judging import judge_random, judge_search, tail
from gridhouse.grading.reference import transcript

OK = "= 1\n\n"


def said(*answers: str) -> str:
    """Return an output: each answer before its status."""
    return "".join((answer + "\n" if answer else "") + OK for answer in answers)


def test_the_exact_programs_random_moves_are_right() -> None:
    for number in range(8):
        session = grading.PARTS["random"].make(random.Random(number))
        assert judge_random(session, transcript(game_class("binary"), session).text) is None


@pytest.mark.parametrize(
    ("lines", "answers", "typed", "kind"),
    [
        (("game 1 1", "genmove"), ("", "0 0 2"), 2, "random"),
        (("game 1 1", "genmove"), ("", "resign"), 2, "random"),
        (("game 1 1", "genmove"), ("",), 2, "random"),
        (("game 1 1", "genmove", "genmove"), ("", "0 0 1", "0 0 0"), 3, "random"),
        (("game 3 1", "play 0 0 1", "genmove"), ("", "", "0 0 0"), 3, "random"),
        (("game 1 1", "genmove", "genmove"), ("", "0 0 1", "resign\nresign"), 3, "random"),
        (("game 1 1", "genmove") * 60, ("", "0 0 1") * 60, 120, "uniform"),
    ],
)
def test_mistakes_of_random_moves(
    lines: tuple[str, ...], answers: tuple[str, ...], typed: int, kind: str
) -> None:
    mistake = judge_random(Session(lines), said(*answers))
    assert mistake is not None
    assert (mistake.typed, mistake.reason.kind) == (typed, kind)


def test_right_answers_and_sessions_that_lost_their_game() -> None:
    lines = ("game 1 1", "genmove", "genmove")
    assert judge_random(Session(lines), said("", "0 0 1", "resign")) is None
    assert judge_random(Session(("genmove", *lines)), said("", "", "0 0 1", "resign")) is None
    twenty = Session(("game 1 1", "genmove") * 20)
    assert judge_random(twenty, said(*("", "0 0 1") * 10, *("", "0 0 0") * 10)) is None


def test_an_answer_ends_with_its_status() -> None:
    mistake = judge_random(Session(("game 1 1", "genmove")), said("") + "0 0 1\n")
    assert mistake is not None
    assert mistake.printed == "0 0 1, then no status = 1"


def test_moves_on_each_board_are_counted_alone() -> None:
    draws = [f"0 {cell} {digit}" for cell in (0, 1) for digit in (0, 1)]
    lines = ("game 1 1", "genmove") * 60 + ("game 1 2", "genmove") * 60
    even = ("", "0 0 0", "", "0 0 1") * 30
    assert judge_random(Session(lines), said(*even, *("", draws[0], "", draws[3]) * 30)) is not None
    fair = [text for number in range(60) for text in ("", draws[number % 4])]
    assert judge_random(Session(lines), said(*even, *fair)) is None


def test_an_alarm_is_as_rare_as_is_said() -> None:
    """The exact chance of an alarm, summed over all counts of one of two moves."""
    draws, moves = 200, 2
    alarms = sum(
        comb(draws, count) * 0.5**draws
        for count in range(draws + 1)
        if tail(count, draws, moves) * 2 * moves < judging.FALSE_ALARM
    )
    assert 0 < alarms < judging.FALSE_ALARM
    assert isclose(tail(0, 10, 2), 0.5**10)
    assert isclose(tail(10, 10, 2), 0.5**10)


LOST = ("game 2 2",)  # by symmetry
WON = ("game 3 1",)


@pytest.mark.parametrize(
    ("lines", "answers", "kind"),
    [
        ((*WON, "solve"), ("", "1 1 0 0"), ""),
        ((*WON, "solve"), ("", "2"), "solve"),
        ((*WON, "solve"), ("", "unknown"), "solve"),
        ((*LOST, "solve"), ("", "2"), ""),
        ((*LOST, "solve"), ("", "1 0 0 0"), "solve"),
        ((*LOST, "genmove", "winner"), ("", "0 0 0", "unfinished"), ""),
        ((*LOST, "genmove"), ("", "0 0 2"), "random"),
        (("game 1 1", "genmove", "genmove", "solve"), ("", "0 0 0", "resign", "1"), ""),
    ],
)
def test_answers_of_searches(lines: tuple[str, ...], answers: tuple[str, ...], kind: str) -> None:
    mistake = judge_search(Session(lines), said(*answers))
    assert (mistake.reason.kind if mistake else "") == kind


def test_a_move_that_gives_the_win_away_is_a_mistake() -> None:
    lines = ("game 3 3", "play 0 1 1", "play 0 2 1", "play 2 0 0", "genmove")
    mistake = judge_search(Session(lines), said("", "", "", "", "1 2 1"))
    assert mistake is not None
    assert (mistake.typed, mistake.reason.kind) == (5, "strong")


def test_searches_are_asked_where_few_moves_win() -> None:
    for number in range(6):
        session = grading.PARTS["search"].make(random.Random(number))
        assert session.lines[-4:] == ("timelimit 2", "solve", "genmove", "solve")
        protocol = next(
            protocol for _, line, _, protocol in judging.answers(session, "") if line == "solve"
        )
        winning, legal = judging.winning_moves(protocol), judging.legal_moves(protocol)
        assert 0 < 2 * len(winning) <= len(legal)


def test_moves_that_were_drawn_are_typed_in_the_session_that_shows_a_mistake() -> None:
    lines = ("game 2 1", "genmove", "genmove", "genmove", "winner")
    mistake = judge_random(Session(lines), said("", "0 0 1", "1 0 0", "1 0 1", "2"))
    assert mistake is not None
    assert mistake.session == Session(("game 2 1", "play 0 0 1", "play 1 0 0", "genmove"))

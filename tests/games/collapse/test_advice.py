"""Advice for players of Collapse."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING

import gridhouse
from collapse_helpers import state_of
from gridhouse.games.collapse import solver
from gridhouse.games.collapse.solver.advice import Adviser
from gridhouse.games.collapse.solver.search import (
    LinearSearch,
    Search,
)

if TYPE_CHECKING:
    import pytest


def test_advice_keeps_its_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gridhouse.parse("collapse(rows=4,cols=5,digits=3)#2")
    best = solver.solve(state, seconds=None, threads=1).score
    adviser = Adviser(jit=False, threads=1)
    adviser.stop()
    searches = []
    run = Search.run

    def counted(search: Search) -> None:
        searches.append(search)
        run(search)

    monkeypatch.setattr(Search, "run", counted)
    while not state.is_terminal():
        advice = adviser.advise(state, 60.0)
        assert advice is not None
        assert advice.value == best
        assert advice.verdict == (
            f"Proved: {best:.0f} is the most that can be scored; the board can be cleared"
        )
        assert adviser.advise(state, 60.0) == advice
        after = state.clone()
        for action in advice.line:
            after.apply_action(action)
        assert after.returns()[0] == best
        state.apply_action(advice.action)
    assert state.returns()[0] == best
    assert len(searches) == 1
    assert adviser.advise(state, 60.0) is None


def test_advice_begins_anew_where_the_game_leaves_the_plan() -> None:
    state = gridhouse.parse("collapse(rows=4,cols=5,digits=3)#2")
    adviser = Adviser(threads=1)
    first = adviser.advise(state, 60.0)
    assert first is not None
    state.apply_action(next(action for action in state.legal_actions() if action != first.action))
    advice = adviser.advise(state, 60.0)
    assert advice is not None
    assert advice.value == solver.solve(state, seconds=None, threads=1).score
    assert Adviser(threads=1).advise(state, 0.0) is None


def test_advice_that_is_stopped_is_better_than_none_and_never_gets_worse() -> None:
    state = gridhouse.parse("collapse(rows=10,cols=10,digits=10)#1")
    adviser = Adviser(threads=1)
    threading.Timer(0.1, adviser.stop).start()
    planned = -1.0
    for _ in range(4):
        advice = adviser.advise(state, 0.2)
        assert advice is not None
        assert advice.value >= planned
        assert "and no play scores more than" in advice.verdict
        planned = advice.value
        state.apply_action(advice.action)


def test_advice_says_whether_the_board_can_be_cleared() -> None:
    told = {
        "collapse(rows=2,cols=3,digits=3) 0 112/112": "the board can be cleared",
        "collapse(rows=2,cols=3,digits=3) 0 112/110": "the board cannot be cleared",
        "collapse(rows=2,cols=3,digits=3,scoring=samegame) 0 112/110": (
            "the board cannot be cleared"
        ),
        "collapse(rows=12,cols=12,digits=10,scoring=samegame)#3": (
            "whether the board can be cleared is not known"
        ),
    }
    for text, words in told.items():
        advice = Adviser(threads=1).advise(gridhouse.parse(text), 0.2)
        assert advice is not None
        assert advice.verdict.endswith(f"; {words}"), text


def test_advice_on_clearing_is_true_all_the_way() -> None:
    chance = random.Random(3)
    turns = 0  # of the best picks, that only other ones would have cleared
    for _ in range(30):
        state = state_of([[chance.choice((0, 0, 1, 2)) for _ in range(3)] for _ in range(3)])
        adviser = Adviser()
        could = False
        while advice := adviser.advise(state, 10.0):
            can = solver.can_clear(state, seconds=None)
            assert advice.verdict.endswith(f"; the board can{'' if can else 'not'} be cleared")
            turns += could and not can
            could = bool(can)
            state.apply_action(advice.action)
    assert turns


def test_advice_is_no_worse_when_it_is_asked_for_again() -> None:
    state = gridhouse.parse("collapse(rows=15,cols=15,digits=5,scoring=samegame)#2")
    adviser = Adviser()
    values = []
    for _ in range(6):
        advice = adviser.advise(state, 0.15)
        assert advice is not None
        values.append(advice.value)
    assert values == sorted(values)


def test_advice_that_is_not_better_changes_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gridhouse.parse("collapse(rows=10,cols=10,digits=10)#1")
    adviser = Adviser(threads=1)
    advice = adviser.advise(state, 1.0)
    assert advice is not None
    planned = advice.value
    # From now on only random picks are looked at.
    monkeypatch.setattr(LinearSearch, "_run", lambda search: None)
    for _ in range(3):
        state.apply_action(advice.action)
        advice = adviser.advise(state, 1.0)
        assert advice is not None
        assert advice.value == planned

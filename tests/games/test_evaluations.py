"""What searches know of the games besides their rules: laws that hold for every evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gridhouse
from gridhouse.search import default_evaluation
from gridhouse.search.engine import Engine, evaluation_of
from walks import GAMES, states, walk

if TYPE_CHECKING:
    from gridhouse.core.game import State


def listed(evaluation: Any, state: State) -> list[int]:
    out = [0] * state.game.num_actions
    return out[: evaluation.candidates(state.position, out)]


@given(states)
def test_candidates_are_legal_and_there_are_some(state: State) -> None:
    found = listed(evaluation_of(state.game), state)
    assert set(found) <= set(state.legal_actions())
    assert len(set(found)) == len(found)
    assert bool(found) == bool(state.legal_actions())


@pytest.mark.measured
@pytest.mark.slow("compiles evaluations of many kinds of boards")
@pytest.mark.parametrize("text", GAMES)
def test_evaluations_are_the_same_compiled(text: str) -> None:
    for seed in range(4):
        state = walk(text, seed)
        engine, module = Engine(state.game), evaluation_of(state.game)
        compiled, record = engine.evaluation, engine.memory(state.position)[0]
        assert compiled.evaluate(record) == module.evaluate(state.position)
        for action in state.legal_actions():
            assert compiled.move_score(record, action) == module.move_score(state.position, action)
        out = engine.integers(state.game.num_actions)
        count = compiled.candidates(record, out)
        assert [int(action) for action in out[:count]] == listed(module, state)


@pytest.mark.parametrize("name", gridhouse.games())
def test_every_evaluation_has_what_the_default_has(name: str) -> None:
    module = evaluation_of(gridhouse.load(name))
    assert module is not default_evaluation
    for attribute in vars(default_evaluation):
        if attribute.isupper() or attribute in ("evaluate", "move_score", "candidates"):
            assert hasattr(module, attribute), attribute


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_a_group_of_collapse_is_one_candidate(seed: int) -> None:
    state = walk("collapse(rows=4,cols=5,digits=3)", seed)
    ends = []
    for action in listed(evaluation_of(state.game), state):
        after = state.clone()
        after.apply_action(action)
        ends.append(str(after))
    everything = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        everything.append(str(after))
    assert set(ends) == set(everything)
    assert len(ends) <= len(everything)
    cells = sum(digit >= 0 for digit in state.position.cells)
    assert len(ends) <= cells // 2


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_letters_have_as_far_to_go_as_the_evaluation_says(seed: int) -> None:
    state = walk("sliding(rows=3,cols=4)", seed)
    position, evaluation = state.position, evaluation_of(state.game)
    total = 0
    for cell, letter in enumerate(position.tiles):
        if letter:
            total += min(
                abs(goal // 4 - cell // 4) + abs(goal % 4 - cell % 4)
                for goal in range(11)
                if position.goal[goal] == letter
            )
    assert evaluation.evaluate(position) == -100 * total
    before = evaluation.evaluate(position)
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        gain = evaluation.evaluate(after.position) - before
        assert gain == evaluation.move_score(position, action)

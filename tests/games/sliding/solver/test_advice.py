"""The advice of the sliding puzzle's solver: whoever follows it solves the puzzle."""

from __future__ import annotations

import random
import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from gridhouse.core.extras import MissingExtraError
from gridhouse.core.registry import parse
from gridhouse.games.sliding import rules
from gridhouse.games.sliding.solver import advice, anytime, bidirectional
from gridhouse.games.sliding.solver.optimal import optimal_search
from gridhouse.games.sliding.solver.puzzle import puzzle_of
from naive.sliding_solver import shortest

if TYPE_CHECKING:
    from gridhouse.core.game import State


def puzzle(text: str, goal: str, rows: int = 3) -> State:
    """Return a state; the goal's last letter is not used."""
    return parse(f"sliding(rows={rows},cols={len(goal) // rows}) {text}/{goal[:-1]}!")


def follow(adviser: advice.Adviser, state: State) -> int:
    """Return how many moves the advice takes to the end."""
    moves = 0
    while not state.is_terminal():
        advised = adviser.advise(state, 30.0)
        assert advised is not None
        assert advised.value == 1.0
        assert advised.line[0] == advised.action
        assert advised.verdict.startswith(f"Proved: {len(advised.line)} move")
        state.apply_action(advised.action)
        moves += 1
    assert adviser.advise(state, 1.0) is None
    return moves


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("goal", ["abcdefgh ", "aabbccdd "])
def test_advice_is_a_shortest_way(goal: str, jit: bool) -> None:
    known = shortest(goal, 3)
    adviser = advice.Adviser(jit=jit)
    for text in random.Random(5).sample(sorted(known), 10):
        assert follow(adviser, puzzle(text, goal)) == known[text]


def test_who_leaves_the_way_is_led_from_there() -> None:
    known = shortest("abcdefgh ", 3)
    state = puzzle("fhg bcade", "abcdefgh ")
    adviser = advice.Adviser()
    advised = adviser.advise(state, 1.0)
    assert advised is not None
    other = next(action for action in state.legal_actions() if action != advised.action)
    state.apply_action(other)
    text = "".join(chr(tile) if tile else " " for tile in state.position.tiles)
    assert follow(adviser, state) == known[text]


FIFTEEN = "eaijd kcfbgnlmho", "abcdefghijklmnop"


def test_larger_boards_are_for_compiled_code() -> None:
    state = puzzle(*FIFTEEN, 4)
    assert advice.Adviser(jit=False).advise(state, 1.0) is None
    search = optimal_search.OptimalSearch(puzzle_of(state.position))
    search.run()
    assert search.moves is not None
    assert follow(advice.Adviser(), state) == len(search.moves)


def test_what_cannot_be_solved_gets_no_advice() -> None:
    position = rules.Position(tiles=4)
    position.rows = position.cols = 2
    position.tiles, position.goal = [2, 1, 3, 0], [1, 2, 3, 9]
    rules.start(position)
    state = puzzle("bca ", "abcd", 2)
    state.position = position
    assert advice.Adviser().advise(state, 1.0) is None


def test_advice_comes_when_told_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    adviser = advice.Adviser()
    adviser.stop()  # nothing runs yet
    real = anytime.Anytime.run

    def run(search: anytime.Anytime) -> None:
        adviser.stop()
        real(search)

    monkeypatch.setattr(anytime.Anytime, "run", run)
    goal = "abcdefghijklmnopqrstuvwxy"
    state = puzzle("xwvutsrqponmlkjihgfedcba ", goal, 5)
    advised = adviser.advise(state, 600.0)
    assert advised is not None
    assert advised.action in state.legal_actions()
    assert "are needed at least" in advised.verdict


def test_a_bound_that_is_found_in_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def prove(proof: optimal_search.OptimalSearch) -> None:
        proof.bound = 150

    monkeypatch.setattr(optimal_search.OptimalSearch, "run", prove)
    monkeypatch.setattr(anytime, "BEAM_SHARE", 0.0)
    state = puzzle("xwvutsrqponmlkjihgfedcba ", "abcdefghijklmnopqrstuvwxy", 5)
    for seconds, is_told in ((1.0, False), (anytime.MIN_PROOF_SECONDS, True)):
        advised = advice.Adviser().advise(state, seconds)
        assert advised is not None
        assert ("150 are needed at least" in advised.verdict) is is_told


def test_without_numpy_there_is_no_advice_on_a_long_puzzle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Missing(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise MissingExtraError(name)

    name = "gridhouse.games.sliding.solver.anytime"
    monkeypatch.setitem(sys.modules, name, Missing(name))
    monkeypatch.setattr(bidirectional, "shortest", lambda puzzle: ([], 0))
    assert advice.Adviser(jit=False).advise(puzzle("fhg bcade", "abcdefgh "), 1.0) is None

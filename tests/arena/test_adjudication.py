"""Proofs against whole game trees, and the moves that threw a win away."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridhouse
from gridhouse.arena import adjudication
from gridhouse.arena.adjudication import SearchProver, blunders, prover_for
from gridhouse.arena.records import GameRecord, PlayedMove, Termination
from gridhouse.core.game import State
from gridhouse.core.registry import parse_game
from naive.binary_solver import all_nimbers

if TYPE_CHECKING:
    from gridhouse.arena.referee import Prover

# Small enough to know the whole game; the second is often drawn, and far from a draw at its start.
TACTEGO = (
    "tactego(rows=3,cols=3,pieces=Fx1 2x1 1x1,limit=3)",
    "tactego(rows=1,cols=9,pieces=Fx1 1x1,limit=40)",
    "tactego(rows=3,cols=3,pieces=Fx1 Ax1 Mx1 Sx1,limit=2)",
)
SINKS = "sinks(rows=8,cols=8,setup=s211 s125 s264 la33 da44) l 0 - 2/2 2/2"
OBJECTS = "- s211 la24 s125 da44 s264"


@cache
def prover(text: str) -> Prover:
    made = prover_for(parse_game(text)[0])
    assert made is not None
    return made


@cache
def results(text: str) -> dict[str, int]:
    """Return the results known so far of positions of a game."""
    del text
    return {}


def exact(state: State) -> int:
    """Return the result of a position for the player to move, by its whole tree."""
    known = results(str(state.game))
    key = str(state)
    if key not in known:
        mover = int(state.game.rules.current_player(state.position))
        values = []
        for action in state.legal_actions():
            after = State(state.game, state.position.copy())
            after.apply_action(action)
            value = exact(after)
            values.append(value if after.current_player() == mover else -value)
        known[key] = int(state.returns()[mover]) if state.is_terminal() else max(values)
    return known[key]


def walked(text: str, seed: int, longest: int) -> State:
    """Return a position after random moves."""
    chance = random.Random(seed)
    state = parse_game(text)[0].new_initial_state(seed)
    for _ in range(chance.randrange(longest)):
        if not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("text", TACTEGO)
@given(seed=st.integers(0, 10**6))
def test_a_search_proves_nothing_but_the_result_of_the_whole_tree(text: str, seed: int) -> None:
    state = walked(text, seed, 12)
    if not state.is_terminal():
        value = prover(text)(state)
        assert value in (None, exact(state))


def test_a_search_proves_most_of_what_is_decided_soon() -> None:
    states = [walked(TACTEGO[0], seed, 6) for seed in range(60)]
    decided = [state for state in states if not state.is_terminal() and exact(state)]
    proved = [state for state in decided if prover(TACTEGO[0])(state)]
    assert {exact(state) for state in proved} == {1, -1}
    assert len(proved) > 0.9 * len(decided)


@given(seed=st.integers(0, 10**6))
def test_the_solver_of_the_binary_game_proves_the_result(seed: int) -> None:
    state = walked("binary(rows=3,cols=3)", seed, 12)
    if not state.is_terminal():
        nimber = nimbers()[state.game.write(state.position)]
        assert prover("binary(rows=3,cols=3)")(state) == (1 if nimber else -1)


@cache
def nimbers() -> dict[str, int]:
    return all_nimbers(3, 3)


def test_a_stopped_search_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    states = [walked(TACTEGO[0], seed, 6) for seed in range(60)]
    for limit in range(1, 40):
        monkeypatch.setattr(adjudication, "NODES", limit)
        for state in states:
            if not state.is_terminal():
                assert prover(TACTEGO[0])(state) in (None, exact(state))


def test_a_proof_takes_few_nodes_and_does_not_depend_on_those_before_it() -> None:
    text = "tactego(rows=6,cols=4)"
    game = parse_game(text)[0]
    states = [game.new_initial_state(seed) for seed in range(5)]
    asked = SearchProver(game)
    values, nodes = [], []
    for state in [*states, *reversed(states)]:
        values.append(asked(state))
        nodes.append(int(asked._memory.control.nodes))
    assert values == values[::-1]
    assert nodes == nodes[::-1]
    assert max(nodes) <= adjudication.NODES + 1  # the one that sees the end


def test_where_something_is_hidden_nothing_is_proved() -> None:
    hidden = "tactego(rows=3,cols=3,pieces=Fx1 2x1 1x1,limit=4,hidden=True)"
    assert all(prover(hidden)(walked(hidden, seed, 1)) is None for seed in range(20))


def test_a_win_within_a_turn_is_proved_though_something_could_be_hidden() -> None:
    near = gridhouse.parse(f"{SINKS} 3/0 {OBJECTS}")
    asked = SearchProver(near.game, jit=False)
    assert asked(near) == 1
    assert asked(gridhouse.parse(f"{SINKS} 0/0 {OBJECTS}")) is None
    assert asked(gridhouse.parse(f"{SINKS} 3/0 {OBJECTS} bd77")) is None  # Light cannot see it


def test_a_win_that_the_opponent_moves_in_is_not_within_a_turn() -> None:
    asked = SearchProver(parse_game(TACTEGO[0])[0])
    found = set()
    for seed in range(60):
        state = walked(TACTEGO[0], seed, 6)
        if not state.is_terminal() and asked(state) == 1:
            at_once = any(wins(state, action) for action in state.legal_actions())
            assert asked._is_own(state.clone()) == at_once
            found.add(at_once)
    assert found == {True, False}


def wins(state: State, action: int) -> bool:
    after = state.clone()
    after.apply_action(action)
    return after.winner() == state.current_player()


def test_a_game_of_one_has_no_prover() -> None:
    assert prover_for(gridhouse.load("sliding")) is None


def played(opening: State, moves: list[str]) -> GameRecord:
    texts = tuple(PlayedMove(move, 0.0) for move in moves)
    return GameRecord(0, str(opening), ("a", "b"), 0.0, Termination.RULES, "", texts)


@given(seed=st.integers(0, 10**6))
def test_blunders_are_those_of_the_whole_tree(seed: int) -> None:
    opening = walked("binary(rows=3,cols=3)", seed, 4)
    state, moves, expected = opening.clone(), [], []
    chance = random.Random(seed)
    made, chances = [0, 0], [0, 0]
    while not state.is_terminal():
        side = state.current_player()
        won = bool(nimbers()[state.game.write(state.position)])
        moves.append(chance.choice(state.legal_moves()))
        state.play(moves[-1])
        thrown = bool(nimbers()[state.game.write(state.position)])
        expected.append(thrown if won else None)
        made[side] += won and thrown
        chances[side] += won
    found = blunders(played(opening, moves), prover("binary(rows=3,cols=3)"))
    assert found.moves == tuple(expected)
    assert (list(found.made), list(found.chances)) == (made, chances)


def test_what_is_not_proved_is_no_blunder() -> None:
    opening = gridhouse.load("binary", rows=3, cols=4).new_initial_state()
    found = blunders(played(opening, ["0 0 0", "1 0 1"]), lambda _: None)
    assert found.moves == (None, None)
    assert found.chances == (0, 0)

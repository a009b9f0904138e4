"""Tactego's evaluation: the same compiled, fair to both colours, right about captures and runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gridhouse
from gridhouse.games.tactego import evaluation, rules
from gridhouse.players import Limits, player
from gridhouse.search import alphabeta
from gridhouse.search.engine import Engine
from walks import GAMES, walk

if TYPE_CHECKING:
    from gridhouse.core.game import State

MANY_FLAGS = "tactego(rows=7,cols=5,pieces=Fx2 Mx3 Sx2 Ax1 3x2 1x4)"
TACTEGO = [text for text in GAMES if text.startswith("tactego")] + [
    MANY_FLAGS,
    "tactego(rows=4,cols=4,pieces=Fx1 2x1 1x1)",
    "tactego(rows=4,cols=4,pieces=Fx1 Ax1 Sx1 Mx1,limit=0)",
]
ENDINGS = [
    "tactego(rows=4,cols=3,pieces=2x1 1x1 Fx1)",
    "tactego(rows=4,cols=3,pieces=1x1 Ax1 Fx1)",
    "tactego(rows=4,cols=3,pieces=1x1 Sx1 Mx1 Fx1)",
    "tactego(rows=3,cols=3,pieces=2x1 Fx1)",
    "tactego(rows=4,cols=4,pieces=1x2 Fx2)",
]
PLIES = 4

states = st.builds(walk, st.sampled_from(TACTEGO), st.integers(0, 2**32))
endings = st.builds(walk, st.sampled_from(ENDINGS), st.integers(0, 2**32))


def candidates(engine: Engine, position: Any) -> list[int]:
    """Return the actions that the evaluation names."""
    out = engine.integers(engine.game.num_actions)
    count = engine.evaluation.candidates(position, out)
    return [int(action) for action in out[:count]]


@pytest.mark.slow("compiles an evaluation of many kinds of boards")
@given(states)
def test_compiled_is_interpreted(state: State) -> None:
    compiled, plain = Engine(state.game), Engine(state.game, jit=False)
    record, position = compiled.memory(state.position)[0], plain.memory(state.position)[0]
    assert compiled.evaluation.evaluate(record) == plain.evaluation.evaluate(position)
    actions = candidates(plain, position)
    assert candidates(compiled, record) == actions
    for action in actions:
        promised = plain.evaluation.move_score(position, action)
        assert compiled.evaluation.move_score(record, action) == promised
    assert position == state.position


@given(states)
def test_candidates_are_the_legal_actions(state: State) -> None:
    assert candidates(Engine(state.game, jit=False), state.position) == state.legal_actions()


def turned(position: rules.Position) -> rules.Position:
    """Return the position with the board turned round and the colours swapped."""
    other = position.copy()
    other.turn = 1 - position.turn
    other.flags_left = position.flags_left[::-1]
    other.board = [-piece for piece in position.board[::-1]]
    other.known = position.known[::-1]
    return other


@given(states)
def test_colours_are_treated_alike(state: State) -> None:
    position: Any = state.position
    other = turned(position)
    assert evaluation.evaluate(other) == -evaluation.evaluate(position)
    assert abs(evaluation.evaluate(position)) < 100_000
    for action in state.legal_actions():
        cell, direction = divmod(action, rules.NUM_DIRECTIONS)
        start = position.rows * position.cols - 1 - cell
        mirrored = rules.NUM_DIRECTIONS * start + rules.NUM_DIRECTIONS - 1 - direction
        assert evaluation.move_score(other, mirrored) == evaluation.move_score(position, action)


@given(states)
def test_where_kinds_are_hidden_ways_to_the_flag_count_as_learned(state: State) -> None:
    position = state.position.copy()
    position.hidden = position.limit = 0
    formula = evaluation.evaluate(position)
    weights = np.frombuffer(evaluation.WEIGHTS, "<u2").astype(int) - evaluation.ZERO
    of_mover, of_other = weights.reshape(2, 5, 8)
    kinds = {rules.FLAG: 0, **{rules.NUMBER + number: 1 + number for number in range(4)}}
    is_learned = True
    learned = 0
    for cell, piece in enumerate(position.board):
        row, col = divmod(cell, position.cols)
        enemy = -rules.FLAG if piece > 0 else rules.FLAG
        flags = [divmod(at, position.cols) for at, it in enumerate(position.board) if it == enemy]
        way = min((max(abs(row - r), abs(col - c)) for r, c in flags), default=7)
        mine = (piece > 0) == (position.turn == 0)
        if piece and abs(piece) in kinds:
            learned += (of_mover if mine else of_other)[kinds[abs(piece)], min(7, way)]
        elif piece:
            is_learned = False
    position.hidden = 1
    ways = evaluation.flag_distances(position)
    guards = evaluation.guard_distances(position, ways, evaluation.highest_kind(position))
    is_decided = abs(evaluation.race(position, ways, guards)) > evaluation.DECISIVE
    by_hand = int(abs(formula) * evaluation.HAND // 100) * (1 if formula > 0 else -1)
    told = by_hand + (learned if position.turn == 0 else -learned)
    has_weights = is_learned and not is_decided
    event(f"has weights: {has_weights}")
    assert evaluation.evaluate(position) == (told if has_weights else formula)


def what_happens(position: Any, action: int) -> tuple[int, int]:
    """Return how many pieces the mover and the enemy lose by an action."""
    after = position.copy()
    rules.apply_action(after, action)

    def lost(player: int) -> int:
        before, now = (
            sum(rules.belongs_to(piece, player) for piece in one.board) for one in (position, after)
        )
        return before - now

    return lost(position.turn), lost(1 - position.turn)


@given(states)
def test_tactical_are_the_captures_that_win_a_piece(state: State) -> None:
    assert evaluation.TACTICAL == alphabeta.TACTICAL
    for action in state.legal_actions():
        promised = evaluation.move_score(state.position, action)
        mine, theirs = what_happens(state.position, action)
        assert (promised >= alphabeta.TACTICAL) == (theirs > mine)
        if mine:
            assert promised < 0


def promises(text: str) -> dict[str, int]:
    """Return what every legal move of a position promises."""
    state = gridhouse.parse(text)
    actions = state.legal_actions()
    return {
        state.game.write_move(state.position, a): evaluation.move_score(state.position, a)
        for a in actions
    }


def test_flags_promise_most_and_danger_little() -> None:
    promised = promises("tactego(rows=3,cols=5,pieces=5x1 3x1 Fx1) R 0 R3,,,,RF/,B5,,,/BF,,,,R5")
    assert promised["0 0 1 1"] < promised["0 0 0 1"] < promised["2 4 2 3"]
    promised = promises("tactego(rows=3,cols=3,pieces=5x1 3x1 Fx1) R 0 RF,,/,R3,/BF,B3,B5")
    assert max(promised, key=lambda move: promised[move]) == "1 1 2 0"
    assert promised["1 1 2 1"] >= alphabeta.TACTICAL > promised["1 1 2 2"]


def outcome(state: State, plies: int, known: dict[tuple[str, int], int]) -> int:
    """Return 1 if the player to move wins within so many plies whatever happens, -1 if the other.

    The plain minimax over all moves; what is ``known`` already is not done again.
    """
    if state.is_terminal():
        return int(state.returns()[state.position.turn])
    if plies == 0:
        return 0
    text = str(state), plies
    if text not in known:
        best = -1
        for action in state.legal_actions():
            best = max(best, -outcome(after(state, action), plies - 1, known))
            if best == 1:
                break
        known[text] = best
    return known[text]


def after(state: State, action: int) -> State:
    """Return the state that an action leads to."""
    state = state.clone()
    state.apply_action(action)
    return state


@given(endings)
def test_a_safe_run_wins(state: State) -> None:
    value = evaluation.evaluate(state.position)
    if abs(value) > evaluation.DECISIVE and not state.is_terminal():
        steps = (evaluation.WON - abs(value)) // evaluation.WON_STEP
        mover = 1 if (value > 0) == (state.current_player() == 0) else -1
        assert outcome(state, 2 * steps - (mover == 1), {}) == mover


@pytest.mark.slow("searches for seconds")
@given(endings)
def test_alpha_beta_plays_small_endings_as_minimax_does(state: State) -> None:
    if state.is_terminal():
        return
    known: dict[tuple[str, int], int] = {}
    value = outcome(state, PLIES, known)
    choice = player("alphabeta", state.game).choose(state, Limits(nodes=100_000))
    if value != 0:
        assert choice.value == value
    assert -outcome(after(state, choice.action), PLIES - 1, known) == value


def test_a_number_is_worth_something_against_an_army_without_numbers() -> None:
    game = "tactego(rows=4,cols=3,pieces=Fx1 2x1 Sx1) "
    bare = gridhouse.parse(game + "R 0 RF,R2,/,,/,,/BS,BF,").position
    even = gridhouse.parse(game + "R 0 RF,,/,,/,,/BS,BF,").position
    assert evaluation.evaluate(bare) > evaluation.evaluate(even)

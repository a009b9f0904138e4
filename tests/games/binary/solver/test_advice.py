"""What the solver advises the perfect player."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from binary_helpers import plain, random_play, random_position
from gridhouse.core.errors import PlayerError
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import advice, board_encoding, symmetry
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.search import Search

if TYPE_CHECKING:
    from gridhouse.core.game import State


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
def test_the_perfect_player_wins_what_can_be_won(jit: bool) -> None:
    chance = random.Random(8)
    for rows, cols in [(5, 3), (3, 3), (6, 6), (4, 3)] if jit else [(3, 3), (1, 5)]:
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        perfect = gridhouse.player("perfect", state.game, jit=jit)
        mine = rows * cols % 2 == 0
        while not state.is_terminal():
            if state.position.ply & 1 == mine:
                choice = perfect.choose(state, gridhouse.Limits(seconds=10))
                assert choice.value == 1
                state.apply_action(choice.action)
            else:
                random_play(state, chance)
        assert state.returns()[int(mine)] == 1


def test_when_all_is_lost_the_hardest_reply_is_chosen() -> None:
    chance = random.Random(10)
    adviser = advice.Adviser()
    seen = 0
    while seen < 5:
        state = random_position(chance, 8, (3, 5))
        if state.is_terminal() or plain(state, jit=True).outcome == "win":
            continue
        if symmetry.symmetry_of(state.position) is not None:
            continue
        seen += 1
        answers = {}
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            answers[action] = len(plain(after, jit=True, all_moves=True).moves)
        advised = adviser.advise(state, 20.0)
        assert advised is not None
        assert advised.value == -1
        assert answers[advised.action] == min(answers.values())


@pytest.mark.slow("searches for seconds")
def test_what_cannot_be_solved_is_searched_in_time_and_can_be_stopped() -> None:
    for rows, cols in [(9, 7), (20, 20), (1, 20), (6, 6)]:
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        if rows == 6:
            state.play("0 0 0")
        perfect = gridhouse.player("perfect", state.game)
        perfect.choose(state, gridhouse.Limits(seconds=0.05))
        choice = perfect.choose(state, gridhouse.Limits(seconds=0.1))
        assert choice.action in state.legal_actions()
        timer = threading.Timer(0.3, perfect.stop)
        timer.start()
        perfect.choose(state, gridhouse.Limits(seconds=0.6))
        timer.join()


def test_no_choice_waits_for_what_is_compiled_for_a_size() -> None:
    game = BinaryGame(rows=7, cols=11)
    perfect: Any = gridhouse.player("perfect", game)
    kernels = [
        each
        for each in vars(perfect._search._kernels).values()
        if hasattr(each, "nopython_signatures")
    ]
    compiled = [len(each.nopython_signatures) for each in kernels]
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(perfect.choose(state, gridhouse.Limits(seconds=0.1)).action)
    assert sum(compiled) > 5
    assert [len(each.nopython_signatures) for each in kernels] == compiled


def test_time_may_run_out_while_the_hardest_reply_is_looked_for() -> None:
    state = gridhouse.parse("binary(rows=3,cols=5) 0..../...../.....")
    adviser = advice.Adviser()
    search = Search(Board(state.position, Backend(jit=True)))
    search.stop()
    assert advice.hardest_reply(search) == []
    adviser.stop()


def lost_position() -> State:
    """Return a position with a dozen cells, lost for who is to move, that shows no symmetry."""
    chance = random.Random(3)
    while True:
        state = random_position(chance, 12, (5, 5))
        if (
            symmetry.symmetry_of(state.position) is None
            and plain(state, jit=True).outcome == "loss"
        ):
            return state


def test_where_all_is_lost_the_search_moves_if_replies_cannot_be_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = lost_position()
    perfect = gridhouse.player("perfect", state.game)
    limits = gridhouse.Limits(seconds=2, playouts=500)
    told = perfect.choose(state, limits)
    assert told.work == 0
    monkeypatch.setattr(advice, "is_countable", lambda search, seconds: False)
    advised = advice.Adviser().advise(state, 2)
    assert advised is not None
    assert (advised.value, advised.line) == (-1, ())
    choice = perfect.choose(state, limits)
    assert choice.work == 500
    assert choice.action in state.legal_actions()
    assert (choice.value, choice.verdict) == (told.value, told.verdict) == (-1, advised.verdict)


def test_replies_are_compared_where_that_is_likely_to_end() -> None:
    state = gridhouse.parse("binary(rows=6,cols=6) ...0../...0.0/...1.1/...1.0/....../0.0..0")
    search = Search(Board(state.position, Backend(jit=False)))
    assert advice.is_countable(search, 60)
    assert not advice.is_countable(search, 0.5)


def test_advice_leaves_symmetries_when_they_cost_more_than_they_earn() -> None:
    adviser = advice.Adviser()
    state = BinaryGame(rows=6, cols=6).new_initial_state()
    for move in ("0 0 0", "3 2 0", "1 4 1"):
        adviser.advise(state, 0.05)
        state.play(move)
    adviser.advise(state, 0.05)
    assert adviser._search is not None
    assert not adviser._search.board.is_whole


def test_a_search_that_would_not_end_is_not_begun() -> None:
    state = BinaryGame(rows=6, cols=6).new_initial_state()
    state.play("0 0 0")
    search = Search(Board(state.position, Backend(jit=True)), memory=8)
    assert search.count_contested() > 30
    assert not advice.is_worth_a_try(search, 1.0)
    assert advice.is_worth_a_try(search, 1e4)
    plainly = gridhouse.parse("binary(rows=1,cols=3) 0.1")
    search = Search(Board(plainly.position, Backend(jit=True)), memory=8)
    assert search.count_contested() == 0


def test_a_game_without_a_solver_has_no_perfect_player() -> None:
    with pytest.raises(PlayerError, match="perfect: sinks has no solver"):
        gridhouse.player("perfect", gridhouse.load("sinks"))


def test_advice_for_what_needs_none_and_what_is_too_large() -> None:
    adviser = advice.Adviser()
    assert adviser.advise(BinaryGame(rows=20, cols=19).new_initial_state(), 1) is None
    large = BinaryGame(rows=5, cols=7).new_initial_state()
    assert adviser.advise(large, 0.05) is None
    timer = threading.Timer(0.5, adviser.stop)
    timer.start()
    assert adviser.advise(large, 600) is None
    timer.join()
    # Laying it out would take longer than there is: told by counts, not by a clock.
    assert advice.Adviser().advise(large, 1e-4) is None
    with pytest.raises(board_encoding.TooLargeError, match="tables"):
        Board(large.position, Backend(jit=False), most=1000)
    lost = adviser.advise(BinaryGame(rows=2, cols=3).new_initial_state(), 5)
    assert lost is not None
    assert lost.value == -1
    assert lost.verdict == "Proved: Player 2 wins with perfect play"
    won = adviser.advise(BinaryGame(rows=3, cols=3).new_initial_state(), 5)
    assert won is not None
    assert won.value == 1
    assert won.verdict == "Proved: Player 1 wins with perfect play"

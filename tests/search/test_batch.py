"""Batches and single games in compiled code say what the states of the house say."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import gridhouse
from gridhouse.core.errors import IllegalMoveError, InvalidMoveError, ParameterError
from gridhouse.search import batch_kernels
from gridhouse.search.batch import Batch, batch
from gridhouse.search.single_game import SingleGame
from walks import SMALL, walk


def made(text: str, count: int, **given: Any) -> Batch:
    return Batch(gridhouse.parse(f"{text}#0").game, count, **given)


def compare(boards: Batch, at: int) -> None:
    """Compare all that a batch says of one position with what its state says."""
    state = boards.state(at)
    assert gridhouse.parse(str(state)) == state
    assert boards.masks()[at].tolist() == state.legal_actions_mask()
    assert boards.returns()[at].tolist() == state.returns()
    assert bool(boards.terminated[at]) == state.is_terminal()
    player = state.game.rules.current_player(state.position)
    assert boards.current_players()[at] == player
    for viewer in range(state.game.num_players):
        expected = np.array(state.observation_tensor(viewer), np.float32)
        assert np.array_equal(boards.observations(viewer)[at].ravel(), expected)
    assert np.array_equal(boards.observations()[at], boards.observations(int(player))[at])


@pytest.mark.slow("compiles batches of its own")
@pytest.mark.parametrize("text", SMALL)
def test_a_batch_plays_as_its_states_do(text: str) -> None:
    boards = made(text, 6, seed=3)
    over = np.zeros(6, bool)
    for _ in range(60):
        states = [boards.state(at) for at in range(6)]
        before = boards.returns().copy()
        actions = boards.random_actions().copy()
        rewards, terminated, truncated = boards.step(actions)
        for at, state in enumerate(states):
            if over[at]:
                assert rewards[at].tolist() == [0] * boards.num_players
                continue
            state.apply_action(int(actions[at]))
            assert boards.state(at) == state
            assert rewards[at].tolist() == (np.array(state.returns()) - before[at]).tolist()
        compare(boards, 0)
        assert not truncated.any()
        over = terminated.copy()


@pytest.mark.slow("compiles batches of its own")
@pytest.mark.parametrize("text", SMALL)
def test_nothing_depends_on_the_number_of_threads(text: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("gridhouse.search.batch.MIN_RANGE", 4)
    several = [made(text, 23, seed=9, threads=threads) for threads in (1, 2, 5)]
    for _ in range(30):
        for boards in several:
            boards.step(boards.random_actions())
        for boards in several[1:]:
            assert np.array_equal(boards.positions, several[0].positions)
            assert np.array_equal(boards.masks(), several[0].masks())
    for boards in several:
        boards.close()


@pytest.mark.parametrize(
    "text",
    [
        text
        if text.startswith(("collapse", "sliding"))
        else pytest.param(text, marks=pytest.mark.slow("compiles batches of its own"))
        for text in SMALL
    ],
)
def test_equal_seeds_begin_equal_games_and_others_do_not(text: str) -> None:
    first, second, other = made(text, 8, seed=1), made(text, 8, seed=1), made(text, 8, seed=2)
    assert np.array_equal(first.positions, second.positions)
    if text.startswith(("collapse", "sliding", "tactego")):
        assert not np.array_equal(first.positions, other.positions)
        assert len({str(first.state(at)) for at in range(8)}) > 1
    other.reset(seed=1)
    for boards in (first, other):
        boards.step(boards.random_actions())
    assert np.array_equal(first.positions, other.positions)


def test_a_game_that_is_over_begins_anew_at_the_next_step() -> None:
    boards = batch("collapse", 50, rows=2, cols=2, digits=2, seed=4)
    assert not boards.terminated.any()
    while not boards.terminated.all():
        boards.step(boards.random_actions(), skipped=boards.terminated)
    scores = boards.returns().copy()
    assert scores.max() > 0
    rewards, terminated, _ = boards.step(np.zeros(50, int))
    assert not terminated.any()
    assert not rewards.any()
    assert not boards.returns().any()


def test_only_some_games_begin_anew() -> None:
    boards = batch("binary", 4, rows=2, cols=2)
    boards.step(np.zeros(4, int))
    boards.reset(where=np.array([True, False, True, False]))
    assert [int(record.ply) for record in boards.positions] == [0, 1, 0, 1]


def test_a_long_game_is_truncated() -> None:
    boards = batch("sliding", 3, horizon=2, seed=1)
    for cut in (False, True, False, False, True):
        _, terminated, truncated = boards.step(boards.random_actions())
        assert truncated.tolist() == [cut] * 3
        assert not terminated.any()


def test_an_illegal_action_changes_nothing() -> None:
    boards = batch("binary", 3, rows=4, cols=4)
    boards.step(np.array([0, 2, 4]))
    before = boards.positions.copy()
    with pytest.raises(IllegalMoveError, match="occupied"):
        boards.step(np.array([4, 4, 4]))
    assert np.array_equal(boards.positions, before)
    assert boards.refused(np.array([4, 4, 4])).tolist() == [False, False, True]
    boards.step(np.array([3, 4, 4]), skipped=np.array([False, True, True]))
    assert [int(record.ply) for record in boards.positions] == [2, 1, 1]


def test_what_cannot_be_is_said() -> None:
    for given in ({"count": 0}, {"count": 1, "threads": -1}, {"count": 1, "horizon": -1}):
        with pytest.raises(ParameterError, match="or more"):
            batch("binary", **given)
    boards = batch("binary", 3)
    for actions in (np.zeros(2, int), np.zeros((3, 1), int), np.full(3, 72)):
        with pytest.raises(ParameterError):
            boards.step(actions)
    with pytest.raises(InvalidMoveError):
        boards.step(np.full(3, -1))
    with pytest.raises(ParameterError, match="player: 2"):
        boards.observations(2)


@pytest.mark.parametrize("text", SMALL)
def test_a_single_game_is_dealt_by_its_seed(text: str) -> None:
    game = SingleGame(gridhouse.parse(f"{text}#0").game)

    def dealt() -> list[str]:
        starts = []
        for _ in range(batch_kernels.NUM_STARTS + 6):
            game.randomize_start()
            assert not game.is_over
            assert not any(game.returns)
            starts.append(str(game.state()))
        return starts

    game.seed(7)
    first = dealt()
    copy = pickle.loads(pickle.dumps(game))
    game.randomize_start()
    copy.randomize_start()
    assert copy.state() == game.state()
    game.seed(7)
    assert dealt() == first
    game.seed(8)
    assert (dealt() == first) != game.game.has_chance


@pytest.mark.parametrize("text", SMALL)
@pytest.mark.parametrize("seed", range(3))
def test_a_single_game_says_what_its_state_says(text: str, seed: int) -> None:
    state = walk(text, seed)
    game = SingleGame(state.game)
    game.begin(state)
    game = pickle.loads(pickle.dumps(game))
    for action in range(state.game.num_actions):
        assert game.is_over == state.is_terminal()
        assert game.returns.tolist() == state.returns()
        assert game.state() == state
        mask = state.legal_actions_mask()
        mover = state.game.rules.current_player(state.position)
        assert game.observe(mover)[1].tolist() == mask
        assert game.observe(1 - mover)[1].tolist() == [0] * len(mask)
        for player in range(state.game.num_players):
            expected = np.array(state.observation_tensor(player), np.float32)
            assert np.array_equal(game.observe(player)[0].ravel(), expected)
        assert game.try_action(action) == bool(mask[action])
        if mask[action]:
            state.apply_action(action)
        elif not state.is_terminal():
            with pytest.raises(IllegalMoveError):
                game.apply_action(action)
    with pytest.raises(InvalidMoveError):
        game.apply_action(state.game.num_actions)

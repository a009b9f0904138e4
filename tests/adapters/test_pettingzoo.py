"""PettingZoo's own tests pass, and its environments say what the house says."""

from __future__ import annotations

import pickle
import random
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gridhouse
from gridhouse.adapters import pettingzoo
from gridhouse.core.errors import IllegalMoveError, InvalidMoveError, ParameterError

with warnings.catch_warnings():
    # Where pygame is there, this imports a game of its own in a way that it has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test

if TYPE_CHECKING:
    from gridhouse.core.game import State

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("binary", {}),
    ("binary", {"rows": 2, "cols": 3}),
    ("sinks", {}),
    ("sinks", {"rows": 8, "cols": 9, "setup": "corners"}),
    ("tactego", {"rows": 4, "cols": 4, "pieces": "3x1 2x1 1x1 Fx1"}),
    ("tactego", {"rows": 6, "cols": 5, "pieces": "5x1 Sx1 Mx1 2x2 Fx1", "hidden": True}),
]
PARAMETERS = pytest.mark.parametrize(("name", "parameters"), GAMES)
# PettingZoo says this of every dictionary that is not of one of its own games, which it knows by
# their names, and of the mask of a game that is over.
ABOUT_DICTIONARIES = [
    pytest.mark.filterwarnings(f"ignore:{text}:UserWarning")
    for text in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be",
        "Action mask numpy array is all zeros",
    )
]


@pytest.mark.slow("plays what PettingZoo asks for")
@PARAMETERS
def test_pettingzoos_own_test_passes_without_a_warning(
    name: str, parameters: dict[str, Any]
) -> None:
    api_test(pettingzoo.env(name, mask_in_observation=False, **parameters), num_cycles=1000)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [pytest.param(name, values, marks=ABOUT_DICTIONARIES) for name, values in GAMES],
)
def test_pettingzoos_own_test_passes(name: str, parameters: dict[str, Any]) -> None:
    api_test(pettingzoo.env(name, **parameters), num_cycles=1000)
    api_test(pettingzoo.raw_env(name, **parameters), num_cycles=100)


@PARAMETERS
def test_equal_seeds_give_equal_games(name: str, parameters: dict[str, Any]) -> None:
    seed_test(partial(pettingzoo.env, name, **parameters), num_cycles=100)


@PARAMETERS
def test_pettingzoos_rendering_test_passes(name: str, parameters: dict[str, Any]) -> None:
    render_test(partial(pettingzoo.env, name, **parameters))


@PARAMETERS
def test_a_random_game_is_that_of_the_house(name: str, parameters: dict[str, Any]) -> None:
    environment = pettingzoo.env(name, **parameters)
    for seed in range(3):
        play_beside(environment, gridhouse.load(name, **parameters).new_initial_state(seed), seed)


def play_beside(environment: Any, state: State, seed: int) -> None:
    """Play a random game in both and compare."""
    chance = random.Random(seed)
    environment.reset(seed=seed)
    totals = dict.fromkeys(pettingzoo.AGENTS, 0.0)
    for agent in environment.agent_iter():
        _, reward, is_over, is_cut, _ = environment.last()
        totals[agent] += reward
        compare(environment, state)
        assert not is_cut
        assert is_over == state.is_terminal()
        action = None if is_over else chance.choice(state.legal_actions())
        environment.step(action)
        if action is not None:
            assert agent == pettingzoo.AGENTS[state.current_player()]
            state.apply_action(action)
    assert list(totals.values()) == state.returns()


def compare(environment: Any, state: State) -> None:
    """Compare what both sides are shown."""
    for player, agent in enumerate(pettingzoo.AGENTS):
        if agent in environment.agents:
            seen = environment.observe(agent)
            is_on_turn = state.current_player() == player
            mask = state.legal_actions_mask() if is_on_turn else [0] * state.game.num_actions
            assert seen["action_mask"].tolist() == mask
            assert environment.infos[agent]["action_mask"].tolist() == mask
            assert seen["observation"].shape == state.game.observation_tensor_shape
            expected = np.array(state.observation_tensor(player), np.float32)
            assert np.array_equal(seen["observation"].ravel(), expected)


def test_a_seed_is_the_start_of_that_seed() -> None:
    environment = pettingzoo.raw_env("tactego")
    environment.reset(seed=7)
    assert environment.state_of_play == gridhouse.parse("tactego()#7")
    starts = set()
    for _ in range(4):
        environment.reset()
        starts.add(str(environment.state_of_play))
    assert len(starts) == 4


def test_a_player_of_sinks_moves_twice() -> None:
    environment = pettingzoo.env("sinks", rows=9, cols=9, setup="s211 la33 da55")
    environment.reset()
    agents = [environment.agent_selection]
    for move in ("3 3 u", "4 3 u", "5 5 d"):
        environment.step(environment.unwrapped.state_of_play.string_to_action(move))
        agents.append(environment.agent_selection)
    assert agents == ["player_0", "player_0", "player_1", "player_1"]


def test_nobody_sees_the_others_bombs() -> None:
    environment = pettingzoo.env("sinks", render_mode="ansi")
    environment.reset()
    state = environment.unwrapped.state_of_play
    before = environment.observe("player_1")["observation"]
    environment.step(state.string_to_action("0 0 b"))
    assert "Light's bombs: 0 0" in environment.render()
    after = environment.observe("player_1")["observation"]
    assert np.argwhere((before != after).any(axis=(1, 2))).ravel().tolist() == [16]  # that one lies


@pytest.mark.filterwarnings("ignore")
def test_an_illegal_action_loses_and_ends_the_game() -> None:
    environment = pettingzoo.env("binary")
    environment.reset()
    for _ in range(2):
        environment.step(0)
    assert environment.terminations == {"player_0": True, "player_1": True}
    assert environment.rewards == {"player_0": 0, "player_1": -1}


def test_the_raw_environment_refuses_an_illegal_action() -> None:
    environment = pettingzoo.raw_env("binary")
    environment.reset()
    environment.step(0)
    before = str(environment.state_of_play)
    with pytest.raises(IllegalMoveError, match="occupied"):
        environment.step(0)
    for nothing in (None, 72):
        with pytest.raises(InvalidMoveError):
            environment.step(nothing)
    assert str(environment.state_of_play) == before
    assert environment.agent_selection == "player_1"


def test_a_human_is_shown_every_board(capsys: pytest.CaptureFixture[str]) -> None:
    environment = pettingzoo.env("binary", render_mode="human", rows=1, cols=2)
    environment.reset()
    environment.step(1)
    assert capsys.readouterr().out == "..\n1.\n"


@pytest.mark.parametrize("name", ["collapse", "sliding"])
def test_a_game_for_one_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="for one player"):
        pettingzoo.env(name)


def test_environments_have_names_and_are_pickled() -> None:
    environment = pettingzoo.raw_env("tactego", hidden=True)
    environment.reset(seed=3)
    twin = pickle.loads(pickle.dumps(environment))
    assert str(twin) == "gridhouse_tactego_v0"
    assert twin.state_of_play == environment.state_of_play

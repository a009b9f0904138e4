"""Gymnasium's own checks pass, and its environments say what the house says."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import gridhouse
from gridhouse.adapters.gymnasium import GridEnv, register
from gridhouse.core.errors import InvalidMoveError, ParameterError

if TYPE_CHECKING:
    from gridhouse.core.game import State

IDS = [f"gridhouse/{name.capitalize()}-v0" for name in gridhouse.games()]
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in gridhouse.games()),
    ("collapse", {"rows": 2, "cols": 3, "digits": 2}),
    ("sliding", {"rows": 2, "cols": 2}),
    ("binary", {"rows": 1, "cols": 1}),
    ("binary", {"rows": 3, "cols": 3, "side": 1}),
    ("sinks", {"rows": 8, "cols": 8, "side": 0}),
    ("tactego", {"hidden": True, "illegal_reward": -0.5}),
]


@pytest.mark.parametrize("identifier", IDS)
def test_gymnasiums_own_check_passes(identifier: str) -> None:
    check_env(gymnasium.make(identifier).unwrapped)
    check_env(gymnasium.make(identifier, render_mode="ansi").unwrapped)


@pytest.mark.parametrize(("name", "parameters"), VARIANTS)
@pytest.mark.parametrize("is_masked", [True, False])
def test_episodes_are_games_of_the_house(
    name: str, parameters: dict[str, Any], is_masked: bool
) -> None:
    environment = GridEnv(name, **parameters)
    for seed in range(3):
        play(environment, seed, is_masked, parameters.get("illegal_reward", 0))


def play(environment: GridEnv, seed: int, is_masked: bool, illegal_reward: float) -> None:
    """Play a random episode and compare what is told with the state."""
    environment.action_space.seed(seed)
    seen, info = environment.reset(seed=seed)
    total = 0.0
    for _ in range(200):
        state, side = environment.play, environment.side
        assert np.array_equal(seen.ravel(), np.array(state.observation_tensor(side), np.float32))
        assert info["action_mask"].tolist() == state.legal_actions_mask()
        assert environment.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
        action = environment.action_space.sample(info["action_mask"] if is_masked else None)
        was_legal = info["action_mask"][action] == 1
        seen, reward, is_over, is_cut, info = environment.step(action)
        assert info["illegal"] == (not was_legal)
        assert (is_over, is_cut) == (state.is_terminal(), False)
        total += reward - (0 if was_legal else illegal_reward)
        if is_over:
            break
    assert total == pytest.approx(environment.play.returns()[environment.side])


def test_an_illegal_action_changes_nothing() -> None:
    environment = GridEnv("sliding", illegal_reward=-1)
    environment.reset(seed=1)
    before = environment.play.clone()  # with the empty cell at the bottom
    seen, reward, is_over, is_cut, info = environment.step(np.int64(1))
    assert (reward, is_over, is_cut, info["illegal"]) == (-1, False, False, True)
    assert environment.play == before
    assert seen.tolist() == environment.reset(seed=1)[0].tolist()
    with pytest.raises(InvalidMoveError):
        environment.step(np.int64(4))


def test_a_pick_in_collapse_makes_its_score() -> None:
    environment = GridEnv("collapse")
    environment.reset(seed=2)
    total = 0.0
    while not environment.play.is_terminal():
        before = environment.play.position.score
        action = environment.play.legal_actions()[0]
        _, reward, _, _, _ = environment.step(np.int64(action))
        assert reward == environment.play.position.score - before
        total += reward
    assert total == environment.play.position.score > 0


def test_solving_the_sliding_puzzle_makes_1() -> None:
    environment = GridEnv("sliding", rows=2, cols=2)
    environment.reset(seed=1)
    chance = random.Random(1)
    is_over = False
    while not is_over:
        action = chance.choice(environment.play.legal_actions())
        _, reward, is_over, _, _ = environment.step(np.int64(action))
        assert reward == is_over


def test_an_episode_is_cut_off() -> None:
    environment = gymnasium.make("gridhouse/Sliding-v0", max_episode_steps=3)
    environment.reset(seed=1)
    assert [environment.step(1)[3] for _ in range(3)] == [False, False, True]


def test_equal_seeds_give_equal_episodes() -> None:
    for identifier in IDS:
        told = []
        for _ in range(2):
            environment = gymnasium.make(identifier)
            environment.action_space.seed(5)
            seen, info = environment.reset(seed=5)
            lines = [seen.tolist()]
            for _ in range(20):
                action = environment.action_space.sample(info["action_mask"])
                seen, reward, is_over, _, info = environment.step(action)
                lines += [seen.tolist(), reward]
                if is_over:
                    seen, info = environment.reset()
            told.append(lines)
        assert told[0] == told[1]


def test_a_seed_is_the_start_of_that_seed() -> None:
    environment = GridEnv("tactego", side=0)
    environment.reset(seed=7)
    assert environment.play == gridhouse.parse("tactego()#7")
    environment.reset()
    assert environment.play != gridhouse.parse("tactego()#7")


def test_a_side_is_drawn_unless_it_is_chosen() -> None:
    environment = GridEnv("binary")
    sides = [environment.reset(seed=seed) and environment.side for seed in range(20)]
    assert set(sides) == {0, 1}
    for side in (0, 1):
        chosen = GridEnv("binary", side=side)
        chosen.reset(seed=1)
        assert chosen.side == side
        assert len(chosen.play.history()) == side


def test_the_opponent_is_a_function_of_the_state() -> None:
    asked = []

    def opponent(state: State) -> int:
        asked.append(state.current_player())
        action = state.legal_actions()[-1]
        state.apply_action(action)  # of no consequence: it is a clone
        return action

    environment = GridEnv("sinks", opponent=opponent, side=0)
    environment.reset(seed=1)
    while not asked:
        action = next(
            action
            for action in environment.play.legal_actions()
            if environment.play.action_to_string(action)[-1] in "lrud"
        )
        environment.step(np.int64(action))
    assert set(asked) == {1}
    assert environment.play.is_terminal() or environment.play.current_player() == 0


def test_many_environments_step_together() -> None:
    together = gymnasium.make_vec("gridhouse/Collapse-v0", num_envs=3)
    seen, info = together.reset(seed=1)
    assert seen.shape == (3, 10, 7, 11)
    actions = info["action_mask"].argmax(axis=1)
    _, rewards, _, _, info = together.step(actions)
    assert info["action_mask"].shape == (3, 77)
    assert (rewards >= 0).all()
    together.close()


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ParameterError, match="no player 2"):
        GridEnv("binary", side=2)
    with pytest.raises(ParameterError, match="no function"):
        GridEnv("binary", opponent="strong")
    with pytest.raises(ParameterError):
        GridEnv("collapse", rows=0)


def test_the_board_is_shown_as_the_player_sees_it() -> None:
    environment = GridEnv("tactego", "ansi", hidden=True, side=1)
    environment.reset(seed=1)
    shown = environment.render()
    assert shown is not None
    assert "R?" in shown
    assert "B?" not in shown
    silent = GridEnv("tactego")
    silent.reset(seed=1)
    assert silent.render() is None


def test_gymnasium_imports_the_module_that_an_id_names() -> None:
    register()  # a second time
    made = gymnasium.make("gridhouse.adapters.gymnasium:gridhouse/Sliding-v0", rows=4, cols=4)
    assert made.observation_space.shape == (4, 4, 4)

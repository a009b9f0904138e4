"""Gymnasium's own checks pass, and its environments say what the house says."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import gridhouse
from gridhouse.adapters.gymnasium import GridEnv, GridVectorEnv, register
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


@pytest.mark.slow("compiles environments of its own")
@pytest.mark.parametrize("identifier", IDS)
def test_gymnasiums_own_check_passes(identifier: str) -> None:
    check_env(gymnasium.make(identifier).unwrapped)
    check_env(gymnasium.make(identifier, render_mode="ansi").unwrapped)


@pytest.mark.slow("compiles environments of its own")
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
        state, side = environment.state, environment.side
        assert np.array_equal(seen.ravel(), np.array(state.observation_tensor(side), np.float32))
        assert info["action_mask"].tolist() == state.legal_actions_mask()
        assert environment.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
        action = environment.action_space.sample(info["action_mask"] if is_masked else None)
        was_legal = info["action_mask"][action] == 1
        seen, reward, is_over, is_cut, info = environment.step(action)
        assert info["illegal"] == (not was_legal)
        assert (is_over, is_cut) == (environment.state.is_terminal(), False)
        total += reward - (0 if was_legal else illegal_reward)
        if is_over:
            break
    assert total == pytest.approx(environment.state.returns()[environment.side])


def test_an_illegal_action_changes_nothing() -> None:
    environment = GridEnv("sliding", illegal_reward=-1)
    environment.reset(seed=1)
    before = environment.state.clone()  # with the empty cell at the bottom
    seen, reward, is_over, is_cut, info = environment.step(np.int64(1))
    assert (reward, is_over, is_cut, info["illegal"]) == (-1, False, False, True)
    assert environment.state == before
    assert seen.tolist() == environment.reset(seed=1)[0].tolist()
    with pytest.raises(InvalidMoveError):
        environment.step(np.int64(4))


def test_a_pick_in_collapse_makes_its_score() -> None:
    environment = GridEnv("collapse")
    environment.reset(seed=2)
    total = 0.0
    while not environment.state.is_terminal():
        before = environment.state.position.score
        action = environment.state.legal_actions()[0]
        _, reward, _, _, _ = environment.step(np.int64(action))
        assert reward == environment.state.position.score - before
        total += reward
    assert total == environment.state.position.score > 0


def test_solving_the_sliding_puzzle_makes_1() -> None:
    environment = GridEnv("sliding", rows=2, cols=2)
    environment.reset(seed=1)
    chance = random.Random(1)
    is_over = False
    while not is_over:
        action = chance.choice(environment.state.legal_actions())
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
    assert environment.state == gridhouse.parse("tactego()#7")
    environment.reset()
    assert environment.state != gridhouse.parse("tactego()#7")


def test_a_side_is_drawn_unless_it_is_chosen() -> None:
    environment = GridEnv("binary")
    sides = [environment.reset(seed=seed) and environment.side for seed in range(20)]
    assert set(sides) == {0, 1}
    for side in (0, 1):
        chosen = GridEnv("binary", side=side)
        chosen.reset(seed=1)
        assert chosen.side == side
        assert chosen.state.position.ply == side


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
            for action in environment.state.legal_actions()
            if environment.state.action_to_string(action)[-1] in "lrud"
        )
        environment.step(np.int64(action))
    assert set(asked) == {1}
    assert environment.state.is_terminal() or environment.state.current_player() == 0


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


VECTORS: list[tuple[str, dict[str, Any]]] = [
    ("gridhouse/Sliding-v0", {"rows": 2, "cols": 2}),
    ("gridhouse/Collapse-v0", {"rows": 3, "cols": 3}),
    ("gridhouse/Binary-v0", {"rows": 3, "cols": 3, "side": 1}),
    ("gridhouse/Tactego-v0", {"rows": 6, "cols": 4, "hidden": True, "limit": 20}),
]


@pytest.mark.slow("compiles environments of its own")
@pytest.mark.parametrize(("identifier", "parameters"), VECTORS)
def test_a_vector_of_games_plays_what_single_states_play(
    identifier: str, parameters: dict[str, Any]
) -> None:
    vector: Any = gymnasium.make_vec(
        identifier, 9, vectorization_mode="vector_entry_point", illegal_reward=-5, **parameters
    )
    seen, info = vector.reset(seed=4)
    side = parameters.get("side", 0)
    vector.action_space.seed(4)
    over = np.zeros(9, bool)
    for turn in range(40):
        for at in range(9):
            state = vector.batch.state(at)
            expected = np.array(state.observation_tensor(side), np.float32)
            assert np.array_equal(seen[at].ravel(), expected)
            on_turn = state.current_player() == side
            mask = state.legal_actions_mask() if on_turn else [0] * state.game.num_actions
            assert info["action_mask"][at].tolist() == mask
            assert state.is_terminal() == over[at]
        actions = vector.action_space.sample()
        if turn % 2:
            actions = info["action_mask"].argmax(axis=1)
        legal = np.take_along_axis(info["action_mask"], actions[:, None], 1)[:, 0] == 1
        seen, rewards, terminated, truncated, info = vector.step(actions)
        assert info["illegal"].tolist() == (~legal & ~over).tolist()
        assert set(rewards[info["illegal"]]) <= {-5}
        if vector.batch.num_players == 2:
            assert set(rewards[terminated & ~over]) <= {-1, 0, 1}
        over = terminated | truncated
    vector.close()


def test_a_vector_may_have_an_opponent_and_a_horizon() -> None:
    asked = []

    def lowest(boards: Any) -> Any:
        asked.append(boards.count)
        return boards.masks().argmax(axis=1)

    vector: Any = GridVectorEnv("binary", 5, opponent=lowest, side=1, max_episode_steps=3)
    vector.reset(seed=1)
    assert asked == [5]
    _, info = vector.reset(seed=1)
    for cut in (False, False, True, False):
        *_, truncated, info = vector.step(info["action_mask"].argmax(axis=1))
        assert truncated.tolist() == [cut] * 5
    assert vector.action_masks().shape == (5, 72)


def test_what_a_vector_cannot_do_is_said() -> None:
    with pytest.raises(ParameterError, match="no player 2"):
        GridVectorEnv("binary", 2, side=2)
    with pytest.raises(ParameterError, match="no function"):
        GridVectorEnv("binary", 2, opponent="strong")
    with pytest.raises(ParameterError, match="seed"):
        GridVectorEnv("binary", 2).reset(seed=[1, 2])


def test_equal_seeds_give_equal_vectors() -> None:
    vectors = [GridVectorEnv("collapse", 6, rows=4, cols=4) for _ in range(2)]
    starts = [vector.reset(seed=7)[0].tolist() for vector in vectors]
    assert starts[0] == starts[1] != vectors[0].reset(seed=8)[0].tolist()


def test_a_start_that_is_over_is_drawn_anew() -> None:
    environment = GridEnv("collapse", rows=2, cols=2, digits=9)
    for seed in range(20):
        _, info = environment.reset(seed=seed)
        assert info["action_mask"].any()
    GridEnv("collapse", rows=1, cols=1).reset(seed=1)

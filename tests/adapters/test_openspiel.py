"""OpenSpiel's own tests and algorithms run on the games of the house."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel
import pytest
from absl import flags
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts, minimax
from open_spiel.python.observation import make_observation

import gridhouse
from gridhouse.adapters import openspiel
from gridhouse.core.errors import GridhouseError

if TYPE_CHECKING:
    from pathlib import Path

    from gridhouse.core.game import State

DETERMINISTIC = [
    "gridhouse_binary(rows=3,cols=3)",
    "gridhouse_tactego(rows=4,cols=3,pieces=2x1 Ax1 Fx1,starts=1,seed=5,horizon=40)",
    "gridhouse_sinks(rows=8,cols=9,open=True,horizon=12)",
]
WITH_CHANCE = [
    "gridhouse_collapse(rows=4,cols=5,digits=3,starts=3)",
    "gridhouse_sliding(rows=2,cols=2,starts=4,horizon=20)",
    "gridhouse_tactego(rows=4,cols=3,pieces=2x1 1x1 Fx1,horizon=40)",
]
HIDDEN = [
    "gridhouse_tactego(rows=4,cols=3,pieces=2x1 1x2 Fx1,hidden=True,horizon=40)",
    "gridhouse_sinks(rows=8,cols=8,setup=corners,horizon=16)",
]
ALL = DETERMINISTIC + WITH_CHANCE + HIDDEN


def first_state(game: Any, outcome: int = 0) -> Any:
    """Return the first state in which a player is to move."""
    state = game.new_initial_state()
    if state.is_chance_node():
        state.apply_action(outcome)
    return state


def random_state(text: str, seed: int) -> Any:
    """Return a state with a player to move, after some random moves."""
    chance = random.Random(seed)
    state = first_state(pyspiel.load_game(text), chance.randrange(3))
    for _ in range(chance.randrange(12)):
        after = state.child(chance.choice(state.legal_actions()))
        if after.is_terminal():
            break
        state = after
    return state


def test_every_game_is_registered_and_loads_with_its_defaults() -> None:
    openspiel.register()
    for name in gridhouse.games():
        game = pyspiel.load_game(f"gridhouse_{name}")
        assert game.house == gridhouse.load(name)
        assert game.num_distinct_actions() == game.house.num_actions
        assert tuple(game.observation_tensor_shape()) == game.house.observation_tensor_shape


@pytest.mark.parametrize("text", ALL)
def test_openspiels_own_test_passes(text: str) -> None:
    pyspiel.random_sim_test(
        pyspiel.load_game(text), num_sims=3, serialize=True, verbose=False, mask_test=True
    )


@pytest.mark.parametrize("text", ALL)
def test_a_playthrough_replays_to_the_letter(text: str, tmp_path: Path) -> None:
    flags.FLAGS.mark_as_parsed()
    file = tmp_path / "playthrough.txt"
    file.write_text(generate_playthrough.playthrough(text, [], seed=3), encoding="utf-8")
    before, after = generate_playthrough.replay(str(file))
    assert before == after
    assert "IsTerminal() = True" in before


@pytest.mark.parametrize("text", ALL)
@pytest.mark.parametrize("seed", range(3))
def test_states_agree_with_those_of_the_house(text: str, seed: int) -> None:
    chance = random.Random(seed)
    game = pyspiel.load_game(text)
    state = first_state(game, seed)
    own = game.start(seed if game.starts > 1 else 0)
    moves = 0
    while not state.is_terminal():
        compare(state, own)
        assert state.returns() == state.rewards() == [0] * own.game.num_players
        action = chance.choice(own.legal_actions())
        state.apply_action(action)
        own.apply_action(action)
        moves += 1
    assert state.returns() == own.returns()
    assert own.is_terminal() or moves == game.max_game_length() == game.horizon
    assert state.legal_actions() == []
    assert state.current_player() == pyspiel.PlayerId.TERMINAL


def compare(state: Any, own: State) -> None:
    """Compare all that the two kinds of states tell of a position with a player to move."""
    assert str(state) == str(own)
    assert state.current_player() == own.current_player()
    assert state.legal_actions() == own.legal_actions()
    assert [state.action_to_string(action) for action in state.legal_actions()] == own.legal_moves()
    for player in range(own.game.num_players):
        assert state.observation_string(player) == own.observation_string(player)
        assert state.observation_tensor(player) == pytest.approx(own.observation_tensor(player))
        assert state.information_state_string(player) == own.information_state_string(player)


def test_a_game_is_classified_as_its_parameters_make_it() -> None:
    kind = pyspiel.GameType
    for text in DETERMINISTIC:
        types = pyspiel.load_game(text).get_type()
        assert types.chance_mode == kind.ChanceMode.DETERMINISTIC
        assert types.information == kind.Information.PERFECT_INFORMATION
    for text in WITH_CHANCE:
        types = pyspiel.load_game(text).get_type()
        assert types.chance_mode == kind.ChanceMode.EXPLICIT_STOCHASTIC
        assert types.information == kind.Information.PERFECT_INFORMATION
    for text in HIDDEN:
        types = pyspiel.load_game(text).get_type()
        assert types.information == kind.Information.IMPERFECT_INFORMATION


def test_an_outcome_of_chance_is_a_seed() -> None:
    game = pyspiel.load_game("gridhouse_collapse(rows=4,cols=5,starts=3,seed=7)")
    state = game.new_initial_state()
    assert state.chance_outcomes() == [(n, pytest.approx(1 / 3)) for n in range(3)]
    assert state.action_to_string(2) == "start 2"
    assert str(state.child(2)) == str(gridhouse.parse("collapse(rows=4,cols=5)#9"))
    assert state.returns() == [0]
    assert state.information_state_string(0) == state.observation_string(0) == ""
    assert not any(state.observation_tensor(0))


def test_there_is_no_chance_where_all_starts_are_equal() -> None:
    for text in ("gridhouse_sinks", "gridhouse_binary", "gridhouse_collapse(digits=1)"):
        game = pyspiel.load_game(text)
        assert game.max_chance_outcomes() == 0
        assert not game.new_initial_state().is_chance_node()


@pytest.mark.parametrize(
    "text",
    [
        "gridhouse_tactego(rows=0)",
        "gridhouse_tactego(pieces=1x1)",
        "gridhouse_sliding(horizon=0)",
        "gridhouse_sliding(starts=0)",
    ],
)
def test_a_game_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(GridhouseError):
        pyspiel.load_game(text)


def test_states_are_copied_and_pickled() -> None:
    for text in ALL:
        state = random_state(text, 1)
        for twin in (state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
            assert str(twin) == str(state)
            assert twin.history() == state.history()
            twin.apply_action(twin.legal_actions()[0])
            assert str(twin) != str(state)


def test_observers_observe_one_player() -> None:
    game = pyspiel.load_game(HIDDEN[0])
    state = first_state(game)
    observer = make_observation(game)
    observer.set_from(state, 1)
    assert observer.dict["observation"].shape == game.house.observation_tensor_shape
    assert observer.tensor.tolist() == pytest.approx(state.observation_tensor(1))
    memory = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    memory.set_from(state, 1)
    assert memory.tensor is None
    assert memory.string_from(state, 1) == state.information_state_string(1)
    nobody = pyspiel.IIGObservationType(
        perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE
    )
    assert make_observation(game, nobody) is None
    with pytest.raises(ValueError, match="no parameters"):
        make_observation(game, params={"sharp": True})


def test_what_is_hidden_is_in_no_text() -> None:
    state = random_state(HIDDEN[0], 0)
    assert "B2" not in state.information_state_string(0)
    assert "R2" not in state.information_state_string(1)
    bombed = pyspiel.load_game("gridhouse_sinks").new_initial_state()
    bombed.apply_action(bombed.string_to_action("0 0 b"))
    assert "bl00" in bombed.observation_string(0)
    assert "bl00" not in bombed.information_state_string(1)


def test_an_open_game_shows_everything() -> None:
    state = pyspiel.load_game("gridhouse_sinks(open=True)").new_initial_state()
    state.apply_action(state.string_to_action("0 0 b"))
    for player in range(2):
        assert "bl00" in state.observation_string(player)
        assert "bl00" in state.information_state_string(player)
    with pytest.raises(GridhouseError):
        state.play.observation(2)


def value(state: State, moves_left: int) -> float:
    """Return what the first player makes by the best play of both."""
    if state.is_terminal():
        return state.returns()[0]
    if not moves_left:
        return 0
    after = []
    for action in state.legal_actions():
        child = state.clone()
        child.apply_action(action)
        after.append(value(child, moves_left - 1))
    return max(after) if state.current_player() == 0 else min(after)


@pytest.mark.parametrize(
    "text",
    [
        "gridhouse_binary(rows=1,cols=5)",
        "gridhouse_binary(rows=2,cols=2)",
        "gridhouse_binary(rows=2,cols=3)",
        *(
            f"gridhouse_tactego(rows=3,cols=2,pieces=1x1 Fx1,starts=1,seed={seed},horizon=7)"
            for seed in range(4)
        ),
        "gridhouse_tactego(rows=3,cols=2,pieces=Ax1 Fx1,hidden=True,open=True,starts=1,horizon=6)",
        "gridhouse_sinks(rows=8,cols=8,setup=s213 ld33,open=True,horizon=1)",
        "gridhouse_sinks(rows=9,cols=9,setup=s213 ld33 da55,open=True,horizon=2)",
    ],
)
def test_openspiels_alpha_beta_finds_the_value(text: str) -> None:
    game = pyspiel.load_game(text)
    found, action = minimax.alpha_beta_search(game)
    assert found == value(game.start(0), game.horizon)
    assert action in game.new_initial_state().legal_actions()


def test_openspiels_alpha_beta_sinks_the_cube() -> None:
    game = pyspiel.load_game("gridhouse_sinks(rows=8,cols=8,setup=s213 ld33,open=True,horizon=1)")
    found, action = minimax.alpha_beta_search(game)
    assert (found, game.new_initial_state().action_to_string(action)) == (1, "3 3 d")


def test_openspiels_alpha_beta_wants_perfect_information_and_no_chance() -> None:
    # Its own error message fails.
    for text in ("gridhouse_sinks", "gridhouse_tactego"):
        with pytest.raises((ValueError, AttributeError)):
            minimax.alpha_beta_search(pyspiel.load_game(text))


def play(game: Any, bot: Any) -> None:
    """Let a bot play all sides of a game to its end."""
    state = first_state(game)
    while not state.is_terminal():
        action = int(bot.step_with_policy(state)[1])
        assert action in state.legal_actions()
        state.apply_action(action)


@pytest.mark.parametrize("text", DETERMINISTIC + WITH_CHANCE)
def test_openspiels_tree_search_plays(text: str) -> None:
    game = pyspiel.load_game(text)
    chance = np.random.RandomState(1)
    play(
        game, mcts.MCTSBot(game, 2, 10, mcts.RandomRolloutEvaluator(1, chance), random_state=chance)
    )


@pytest.mark.parametrize("text", DETERMINISTIC + WITH_CHANCE)
def test_openspiels_tree_search_in_cpp_plays(text: str) -> None:
    # Its method step() cannot be used with any game in Python: it lets go of Python's lock.
    game = pyspiel.load_game(text)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    play(game, pyspiel.MCTSBot(game, evaluator, 2.0, 10, 100, True, 1, False))


def test_openspiels_learning_environment_takes_the_games() -> None:
    environment = rl_environment.Environment(pyspiel.load_game(WITH_CHANCE[0]))
    step = environment.reset()
    while not step.last():
        step = environment.step([step.observations["legal_actions"][0][0]])
    assert step.rewards[0] > 0


@pytest.mark.parametrize("by_observation", [False, True])
@pytest.mark.parametrize("text", HIDDEN)
def test_openspiels_search_under_hidden_information_plays(text: str, by_observation: bool) -> None:
    game = pyspiel.load_game(text)
    chance = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, chance)
    bot = ismcts.ISMCTSBot(
        game, evaluator, 2, 6, random_state=chance, use_observation_string=by_observation
    )
    play(game, bot)


@pytest.mark.parametrize("text", HIDDEN)
@pytest.mark.parametrize("seed", range(8))
def test_a_player_cannot_tell_a_guess_from_the_state(text: str, seed: int) -> None:
    chance = random.Random(seed)
    state = random_state(text, seed)
    player = state.current_player()
    before = str(state)
    guess = state.resample_from_infostate(player, chance.random)
    assert guess.history() == []
    assert guess.current_player() == player
    assert guess.legal_actions() == state.legal_actions()
    assert guess.observation_tensor(player) == state.observation_tensor(player)
    assert guess.information_state_string(player) == state.information_state_string(player)
    after = guess.child(chance.choice(guess.legal_actions()))
    assert after.information_state_string(player).startswith(guess.information_state_string(player))
    assert str(state) == before
    assert pickle.loads(pickle.dumps(guess)).history() == []
    assert str(pickle.loads(pickle.dumps(guess))) == str(guess)


def test_guesses_differ() -> None:
    chance = random.Random(0)
    state = first_state(pyspiel.load_game(HIDDEN[0]))
    guesses = {str(state.resample_from_infostate(0, chance.random)) for _ in range(60)}
    assert len(guesses) > 1
    assert {text.split("/")[0] for text in guesses} == {str(state).split("/")[0]}


def test_where_nothing_is_hidden_a_guess_is_a_clone() -> None:
    for text in DETERMINISTIC:
        state = random_state(text, 2)
        twin = state.resample_from_infostate(0, random.random)
        assert (str(twin), twin.history()) == (str(state), state.history())


def test_python_ends_quietly_with_the_games_registered() -> None:
    # OpenSpiel keeps what makes a game until after Python's end.
    run = [sys.executable, "-c", "import gridhouse.adapters.openspiel"]
    done = subprocess.run(run, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

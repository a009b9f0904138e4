"""Laws that hold in every position of every game."""

from __future__ import annotations

import copy
import random  # noqa: TC003  # Hypothesis reads the annotations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridhouse
from gridhouse.conformance import LAWS, random_source
from gridhouse.core.errors import AmbiguousMoveError, GridhouseError, InvalidMoveError
from walks import GAMES, scramble_hidden, states, walk

if TYPE_CHECKING:
    from gridhouse.conformance import Law
    from gridhouse.core.game import State


def eval_(text: str) -> object:
    return eval(text, {"gridhouse": gridhouse})


@pytest.mark.parametrize("law", LAWS, ids=lambda law: str(law.__name__))
@given(state=states, rng=st.randoms(use_true_random=False))
def test_laws_hold(law: Law, state: State, rng: random.Random) -> None:
    law(state, rng)


@given(states)
def test_a_position_is_what_its_repr_says(state: State) -> None:
    assert eval_(repr(state)) == state
    assert eval_(repr(state.game)) == state.game
    assert hash(eval_(repr(state.game))) == hash(state.game)


@given(states)
def test_blanks_around_a_move_do_not_matter(state: State) -> None:
    for action, move in zip(state.legal_actions(), state.legal_moves(), strict=True):
        if " " in move:
            assert state.string_to_action(f" {move} ".replace(" ", "  ")) == action


@given(states, st.randoms(use_true_random=False))
def test_a_shortened_move_names_the_only_one_or_is_refused(
    state: State, chance: random.Random
) -> None:
    moves = state.legal_moves()
    if not moves:
        return
    words = chance.choice(moves).split()
    short = words[: chance.randrange(1, len(words) + 1)]
    meant = [move for move in moves if move.split()[: len(short)] == short]
    text = " ".join(short)
    if len(meant) == 1:
        assert state.action_to_string(state.string_to_action(text)) == meant[0]
    else:
        with pytest.raises(AmbiguousMoveError) as caught:
            state.string_to_action(text)
        assert caught.value.candidates == meant


@given(states, st.text(max_size=12))
def test_rubbish_is_a_move_error_or_a_move(state: State, text: str) -> None:
    try:
        action = state.string_to_action(text)
    except GridhouseError as error:
        assert "\n" not in str(error)
    else:
        assert action in state.legal_actions()


@given(states)
def test_a_clone_shares_nothing(state: State) -> None:
    text, history = str(state), state.history()
    clone = state.clone()
    assert clone == state == copy.deepcopy(state)
    assert clone.history() == history == copy.deepcopy(state).history()
    assert copy.deepcopy(state).game is state.game
    if not clone.is_terminal():
        clone.apply_action(clone.legal_actions()[0])
        assert (str(state), state.history()) == (text, history)
    for value in vars(clone.position).values():
        if isinstance(value, list):
            value[:] = [1] * len(value)
    for value in vars(clone._start).values():
        if isinstance(value, list):
            value[:] = [1] * len(value)
    assert (str(state), state.history()) == (text, history)
    while state.history():
        state.undo()
    assert gridhouse.parse(str(state)) == state


@given(st.sampled_from(GAMES), st.integers(0, 2**32))
def test_undo_restores_every_position(game: str, seed: int) -> None:
    state = walk(game, seed)
    texts = [str(state)]
    history = state.history()
    while state.history():
        state.undo()
        texts.append(str(state))
    with pytest.raises(InvalidMoveError):
        state.undo()
    for action, text in zip(history, reversed(texts[:-1]), strict=True):
        state.apply_action(action)
        assert str(state) == text


@given(states)
def test_a_game_for_two_is_won_or_drawn(state: State) -> None:
    if state.game.num_players == 2:
        ends = [{1, -1}, {0}] if state.game.values.get("limit") else [{1, -1}]
        assert set(state.returns()) in (ends if state.is_terminal() else [{0}])
    outcome = state.outcome()
    assert (outcome is None) == (not state.is_terminal())
    if outcome is not None:
        assert outcome == (state.game.outcome(state.position), state.winner())
        assert outcome.winner is None or state.returns()[outcome.winner] == 1


@given(states)
def test_the_player_to_move_is_the_default_viewer(state: State) -> None:
    if not state.is_terminal():
        player = state.current_player()
        assert state.observation_tensor() == state.observation_tensor(player)
        assert state.observation_string() == state.observation_string(player)
        assert state.information_state_string() == state.information_state_string(player)


@given(states, st.randoms(use_true_random=False))
def test_an_observation_does_not_tell_what_is_hidden(state: State, chance: random.Random) -> None:
    assert not (state.has_secrets() and state.game.perfect_information)
    for player in range(state.game.num_players):
        other = scramble_hidden(state, player, chance)
        assert other.observation(player) == state.observation(player)
        if state.current_player() == other.current_player() == player:
            assert other.legal_actions() == state.legal_actions()
        assert other.observation_string(player) == state.observation_string(player)
        assert other.observation_tensor(player) == state.observation_tensor(player)


@given(states, st.randoms(use_true_random=False), st.integers(0, 2**32))
def test_a_guess_fits_what_is_seen_and_depends_on_nothing_else(
    state: State, chance: random.Random, seed: int
) -> None:
    for player in range(state.game.num_players):
        guesses = [state.clone(), scramble_hidden(state, player, chance)]
        for guess in guesses:
            state.game.rules.resample(guess.position, player, random_source(seed))
        assert guesses[0] == guesses[1]
        assert guesses[0].observation(player) == state.observation(player)
        assert guesses[0].is_terminal() == state.is_terminal()


@given(states)
def test_a_player_sees_the_own_side(state: State) -> None:
    position = state.position
    for player in range(state.game.num_players):
        seen = state.observation(player)
        if state.game.name == "sinks":
            own = [cell for cell, bomb in enumerate(position.bomb) if bomb == player + 1]
            assert [cell for cell, bomb in enumerate(seen.bomb) if bomb] == own
        elif state.game.name == "tactego":
            sign = 1 if player == 0 else -1
            assert all(
                seen.board[cell] == piece
                for cell, piece in enumerate(position.board)
                if piece * sign > 0 or not position.hidden
            )
        elif state.game.name in ("binary", "collapse", "sliding"):
            assert seen == position


@given(st.sampled_from(GAMES), st.integers(0, 2**32))
def test_what_a_player_knows_grows_by_a_line_a_move(game: str, seed: int) -> None:
    state = walk(game, seed)
    for player in range(state.game.num_players):
        lines = state.information_state_string(player).split("\n")
        assert len(lines) == len(state.history()) + 1
        assert lines[-1] == state.observation_string(player)


def test_what_a_player_knows_does_not_hold_the_others_bombs() -> None:
    told = []
    for field in ("0 0", "0 9"):
        state = gridhouse.load("sinks").new_initial_state()
        for move in (f"{field} b", "5 3 l"):
            state.play(move)
        told.append([state.information_state_string(player) for player in (0, 1)])
    assert told[0][1] == told[1][1]
    assert told[0][0] != told[1][0]


@given(st.sampled_from(GAMES), st.integers(0, 2**32))
def test_equal_seeds_start_equal_games(game: str, seed: int) -> None:
    start = gridhouse.parse(f"{game}#{seed}")
    assert start == start.game.new_initial_state(seed) == start.game.new_initial_state(str(seed))
    assert start == gridhouse.parse(f"{start.game}#{seed}")

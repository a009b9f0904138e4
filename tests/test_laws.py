"""Laws that hold in every position of every game."""

from __future__ import annotations

import copy
import random  # noqa: TC003  # Hypothesis reads the annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridhouse
from gridhouse.core.errors import (
    AmbiguousMoveError,
    GridhouseError,
    IllegalMoveError,
    InvalidMoveError,
)
from gridhouse.core.game import TERMINAL, State
from walks import GAMES, source, states, walk


def eval_(text: str) -> object:
    return eval(text, {"gridhouse": gridhouse})


@given(states)
def test_a_position_is_what_its_text_says(state: State) -> None:
    text = str(state)
    assert "\n" not in text
    twin = gridhouse.parse(text)
    assert twin == state
    assert str(twin) == text
    assert eval_(repr(state)) == state
    assert eval_(repr(state.game)) == state.game
    assert hash(eval_(repr(state.game))) == hash(state.game)
    assert twin.legal_actions() == state.legal_actions()
    assert twin.returns() == state.returns()


@given(states, st.randoms(use_true_random=False))
def test_a_key_is_a_position_s_own(state: State, chance: random.Random) -> None:
    key = state.game.rules.key
    before = key(state.position)
    assert key(gridhouse.parse(str(state)).position) == before
    if not state.is_terminal():
        state.apply_action(chance.choice(state.legal_actions()))
        assert key(state.position) != before


@given(states)
def test_legal_actions_are_those_that_are_not_refused(state: State) -> None:
    allowed = [action for action in range(state.game.num_actions) if not state.refusal(action)]
    assert state.legal_actions() == allowed
    mask = state.legal_actions_mask()
    assert len(mask) == state.game.num_actions
    assert [action for action, legal in enumerate(mask) if legal] == allowed
    assert state.is_terminal() == (not allowed)
    assert (state.current_player() == TERMINAL) == state.is_terminal()


@given(states, st.randoms(use_true_random=False))
def test_a_refused_action_changes_nothing(state: State, chance: random.Random) -> None:
    before = state.clone()
    for _ in range(10):
        action = chance.randrange(state.game.num_actions)
        refusal = state.refusal(action)
        if refusal:
            with pytest.raises(IllegalMoveError) as caught:
                state.apply_action(action)
            assert caught.value.refusal == refusal
            assert state.why_not(refusal) in str(caught.value)
    for action in (-1, state.game.num_actions):
        with pytest.raises(InvalidMoveError):
            state.apply_action(action)
    assert state == before
    assert state.history() == before.history()


@given(states)
def test_moves_parse_back(state: State) -> None:
    actions = state.legal_actions()
    moves = [state.action_to_string(action) for action in actions]
    assert moves == state.legal_moves()
    assert len(set(moves)) == len(moves)
    for action, move in zip(actions, moves, strict=True):
        assert move.isascii()
        assert len(move) < 20
        assert state.string_to_action(move) == action
        assert state.string_to_action(f" {move} ".replace(" ", "  ") if " " in move else move) == (
            action
        )


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
def test_returns_add_up(state: State) -> None:
    returns = state.returns()
    assert len(returns) == state.game.num_players
    assert max(returns) <= state.game.max_return
    if state.game.num_players == 2:
        assert sum(returns) == 0
        ends = [{1, -1}, {0}] if state.game.values.get("limit") else [{1, -1}]
        assert set(returns) in (ends if state.is_terminal() else [{0}])


@given(states)
def test_observations_have_their_shape(state: State) -> None:
    planes, rows, cols = state.game.observation_tensor_shape
    for player in range(state.game.num_players):
        tensor = state.observation_tensor(player)
        assert len(tensor) == planes * rows * cols
        assert all(-1 <= value <= 2**21 for value in tensor)
    if not state.is_terminal():
        player = state.current_player()
        assert state.observation_tensor() == state.observation_tensor(player)
        assert state.observation_string() == state.observation_string(player)
        assert state.information_state_string() == state.information_state_string(player)


def scramble_hidden(state: State, player: int, chance: random.Random) -> State:
    """Return the state with the secrets of the other player changed."""
    other = state.clone()
    position = other.position
    if state.game.name == "sinks":
        for cell, bomb in enumerate(position.bomb[: position.rows * position.cols]):
            if bomb == 2 - player or not (bomb or position.covered[cell]):
                position.bomb[cell] = chance.choice((0, 2 - player))
    elif state.game.name == "tactego" and position.hidden:
        sign = -1 if player == 0 else 1
        cells = [
            cell
            for cell, piece in enumerate(position.board)
            if piece * sign > 0 and position.known[cell] != 2
        ]
        pieces = [position.board[cell] for cell in cells]
        chance.shuffle(pieces)
        for cell, piece in zip(cells, pieces, strict=True):
            position.board[cell] = piece
    return other


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
            state.game.rules.guess(guess.position, player, source(seed))
        assert guesses[0] == guesses[1]
        assert guesses[0].observation(player) == state.observation(player)
        assert guesses[0].is_terminal() == state.is_terminal()


@given(states, st.randoms(use_true_random=False))
def test_where_nothing_is_hidden_all_is_seen(state: State, chance: random.Random) -> None:
    for player in range(state.game.num_players):
        hides = state.game.rules.hides
        assert hides(state.position, player) == hides(state.observation(player), player)
        other = scramble_hidden(state, player, chance)
        assert hides(other.position, player) == hides(state.position, player)
        if not hides(state.position, player):
            assert state.observation(player) == state.position


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

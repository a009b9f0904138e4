"""The boards that the house offers are games: their result hangs on how they are played."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse.core.registry import game_class
from gridhouse.players import player
from gridhouse.players.levels import LevelPlayer
from gridhouse.players.simple import RandomPlayer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gridhouse.core.game import Game
    from gridhouse.players.base import Player

FEW = 12  # games
MANY = {"random": 50, "greedy": 10}
ALWAYS = 0.95  # a side that wins more often has no opponent

FOR_TWO = [name for name in gridhouse.games() if len(game_class(name).players) == 2]
BOARDS = [(name, preset) for name in FOR_TWO for preset in game_class(name).presets]


def results(game: Game, players: Sequence[Player], count: int) -> Iterator[float]:
    """Yield the first player's return in games from different starts."""
    for seed in range(count):
        state = game.new_initial_state(seed)
        while not state.is_terminal():
            state.apply_action(players[state.current_player()].choose(state).action)
        yield state.returns()[0]


def require_two_sides(name: str, preset: str, kind: str, count: int) -> None:
    game = game_class(name).from_preset(preset)
    enough = math.ceil((1 - ALWAYS) * count)  # games that a side must not win
    not_won = {1: 0, -1: 0}
    for result in results(game, [player(kind, game, seed=seed) for seed in range(2)], count):
        for winner in not_won:
            not_won[winner] += result != winner
        if min(not_won.values()) >= enough:
            return
    raise AssertionError(f"of {count} games, {not_won[1]} and {not_won[-1]} were not won")


@pytest.mark.parametrize("name", FOR_TWO)
def test_no_side_always_wins(name: str) -> None:
    require_two_sides(name, game_class(name).usual, "random", FEW)


@pytest.mark.slow("plays for some minutes")
@pytest.mark.parametrize("kind", MANY)
@pytest.mark.parametrize(("name", "preset"), BOARDS)
def test_no_side_wins_nearly_always(name: str, preset: str, kind: str) -> None:
    require_two_sides(name, preset, kind, MANY[kind])


@pytest.mark.slow("the machine plays whole games")
@pytest.mark.parametrize("name", FOR_TWO)
def test_a_child_can_beat_level_1_from_the_seat_it_is_given(name: str) -> None:
    game = game_class(name).from_preset(game_class(name).usual)
    machine = LevelPlayer(game, level=1, seed=1, jit=False)
    assert 1 in results(game, [RandomPlayer(game, seed=2), machine], 8)

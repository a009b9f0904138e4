"""Armies that are arranged before the first move of Tactego."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse.core.errors import ParameterError
from gridhouse.core.registry import game_class
from gridhouse.games.tactego.arrangement import SETUPS, half, home, read, ready, start

if TYPE_CHECKING:
    from gridhouse.games.tactego.game import TactegoGame

SMALL: TactegoGame = gridhouse.load("tactego", rows=6, cols=2, pieces="5x1 Fx1 Mx2")  # type: ignore[assignment]


def test_an_army_is_the_name_of_a_set_up_or_all_pieces() -> None:
    chance = random.Random(0)
    assert read(SMALL, 0, "M F  5 M", chance) == ["M", "F", "5", "M"]
    assert read(SMALL, 1, "attack", random.Random(3)) == ready(SMALL, 1, "attack", random.Random(3))
    for text in ("M F 5", "M F 5 5", "clever"):
        with pytest.raises(ParameterError, match=f"army: '{text}' is neither balanced, attack"):
            read(SMALL, 0, text, chance)


def test_armies_stand_where_they_were_put() -> None:
    armies = list("FMM5"), list("5MMF")
    assert str(start(SMALL, armies)).endswith("R 0 RF,RM/RM,R5/,/,/B5,BM/BM,BF")
    assert str(half(SMALL, 0, armies[0])).endswith(" R 0 RF,RM/RM,R5/,/,/B?,B?/B?,B?")
    assert str(half(SMALL, 1, armies[1])).endswith(" R 0 R?,R?/R?,R?/,/,/B5,BM/BM,BF")
    assert [home(SMALL, player) for player in (0, 1)] == [[0, 1, 2, 3], [8, 9, 10, 11]]


def test_an_army_that_cannot_move_is_refused() -> None:
    free, stuck = list("FMM5"), list("F5MM")
    for armies, name in (((stuck, free[::-1]), "Red"), ((free, stuck[::-1]), "Blue")):
        with pytest.raises(ParameterError, match=f"army: {name} could not move"):
            start(SMALL, armies)


@pytest.mark.parametrize("setup", list(SETUPS)[:3])
def test_mines_never_shut_a_ready_made_army_in(setup: str) -> None:
    for seed in range(20):
        armies = [ready(SMALL, side, setup, random.Random(seed)) for side in range(2)]
        start(SMALL, armies)


@pytest.mark.parametrize("preset", game_class("tactego").presets)
@pytest.mark.parametrize("setup", SETUPS)
def test_ready_made_set_ups_use_the_whole_army(preset: str, setup: str) -> None:
    game: TactegoGame = game_class("tactego").from_preset(preset)  # type: ignore[assignment]
    armies = [ready(game, side, setup, random.Random(side)) for side in range(2)]
    state = start(game, armies)
    assert gridhouse.parse(str(state)) == state  # which counts the pieces
    if setup != "random":
        assert "F" in armies[0][: game.cols]
        assert "F" in armies[1][-game.cols :]

"""Players of the house as competitors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gridhouse
from gridhouse.arena.competitors.house import HouseCompetitor
from gridhouse.players import Choice
from gridhouse.players.simple import GreedyPlayer

if TYPE_CHECKING:
    import pytest


def test_what_is_compiled_is_there_before_a_clock_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = []

    def choose(player: GreedyPlayer, state: gridhouse.State, limits: object) -> Choice:
        chosen.append(player)
        return Choice(state.legal_actions()[0])

    monkeypatch.setattr(GreedyPlayer, "choose", choose)
    game = gridhouse.load("binary", rows=3, cols=3)
    competitor = HouseCompetitor("greedy", game)
    assert len(chosen) == 1
    competitor.begin(game.new_initial_state(), 0, 0)
    assert len(chosen) == 1

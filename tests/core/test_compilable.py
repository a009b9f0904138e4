"""The rules are written in the part of Python that Numba compiles, and mean the same compiled.

Here every index is checked as well, which compiled code otherwise leaves out.  Each game's
functions are compiled over a record with the fields of its position; random games are played by
both and compared move by move.
"""

from __future__ import annotations

import random
import types
from functools import cache
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import pytest

import gridhouse
from gridhouse.conformance import random_source
from gridhouse.core import chance as sources
from gridhouse.core import contract
from gridhouse.core.records import from_record, to_records
from walks import SMALL

if TYPE_CHECKING:
    from gridhouse.core.position import Position

GAMES = [*SMALL, "collapse(rows=4,cols=4,digits=3,scoring=samegame)"]


@cache
def compiled(module: Any) -> dict[str, Any]:
    """Return the functions of a module compiled over each other."""
    twin: dict[str, Any] = dict(vars(module))
    if "chance" in twin:
        twin["chance"] = types.ModuleType("chance")
        vars(twin["chance"]).update(compiled(sources))
    for name, value in vars(module).items():
        if isinstance(value, types.FunctionType):
            copy = types.FunctionType(value.__code__, twin, name, value.__defaults__)
            twin[name] = numba.njit(copy, boundscheck=True)
    return twin


def same_fields(position: Position, record: Any) -> bool:
    """Tell whether a record holds what a position holds."""
    other = position.copy()
    from_record(record, other)
    return other == position


def same_draws(state: Any, record: Any, seed: int, name: str, function: Any, *args: int) -> None:
    """Compare what a function of the rules draws interpreted and compiled."""
    position, drawn = state.position.copy(), record.copy()
    numbers = random_source(seed)
    compiled_numbers = to_records(numbers)[0]
    getattr(state.game.rules, name)(position, *args, numbers)
    function(drawn, *args, compiled_numbers)
    assert same_fields(position, drawn)
    assert same_fields(numbers, compiled_numbers)


@pytest.mark.slow("compiles with every index checked")
@pytest.mark.parametrize("text", GAMES)
def test_compiled_rules_are_the_interpreted_ones(text: str) -> None:
    chance = random.Random(1)
    for seed in range(5):
        state = gridhouse.parse(f"{text}#{seed}")
        game, rules = state.game, state.game.rules
        functions = compiled(rules)
        record = to_records(state.position)[0]
        size = len(state.observation_tensor(0))
        same_draws(state, record, seed, "randomize_start", functions["randomize_start"])
        for _ in range(60):
            out = np.zeros(game.num_actions, np.int64)
            count = functions["legal_actions"](record, out)
            assert out[:count].tolist() == state.legal_actions()
            assert bool(functions["is_terminal"](record)) == state.is_terminal()
            assert functions["current_player"](record) == rules.current_player(state.position)
            made = np.zeros(game.num_players)
            functions["returns"](record, made)
            assert made.tolist() == state.returns()
            for player in range(game.num_players):
                seen, tensor = record.copy(), np.zeros(size)
                functions["redact"](seen, player)
                functions["observation_planes"](seen, player, tensor)
                assert same_fields(state.observation(player), seen)
                assert tensor.tolist() == state.observation_tensor(player)
                same_draws(state, record, seed, "resample", functions["resample"], player)
            tried = chance.sample(range(game.num_actions), min(20, game.num_actions))
            for action in tried:
                assert functions["refusal"](record, action) == state.refusal(action)
            if not count:
                break
            action = chance.choice(state.legal_actions())
            functions["apply_action"](record, action)
            state.apply_action(action)
            assert same_fields(state.position, record)


@pytest.mark.parametrize("name", gridhouse.games())
def test_rules_speak_one_vocabulary_and_import_nothing_heavy(name: str) -> None:
    rules = gridhouse.load(name).rules
    assert rules.NUM_PLANES > 0
    for function in {*contract.REQUIRED, *contract.DEFAULTS} - {"NUM_PLANES"}:
        assert callable(getattr(rules, function))
    assert next(iter(rules.Position.fields)) == name
    imported = {
        value.__name__ for value in vars(rules).values() if isinstance(value, types.ModuleType)
    }
    assert imported <= {"gridhouse.core.position", "gridhouse.core.chance"}

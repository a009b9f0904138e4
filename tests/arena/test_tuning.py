"""Tuning: SPSA finds the best of a noisy function, and goes on to the same end after a break."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from gridhouse.arena import tune_command
from gridhouse.arena.tune_command import Tuning, match_gain, tune, tuning_of
from gridhouse.arena.tuning import Constant, Spsa
from gridhouse.core.compile_queue import cache_folder
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TINY = "binary(rows=3,cols=3)"
SINKS = "sinks(rows=8,cols=8)"


def tiny(*constants: str, **changed: Any) -> Tuning:
    options: dict[str, Any] = {"iterations": 3, "pairs": 1, "limit": "20p"} | changed
    return tuning_of("mcts", TINY, constants or ["exploration=1.0:0.1:3.0"], **options)


@pytest.mark.parametrize("seed", range(5))
def test_spsa_finds_the_best_of_a_noisy_quadratic(seed: int) -> None:
    """A choice wins by how much nearer it is to the best, in unlike units, as pairs of games do."""
    texts = ["LEFT=100:0:1000", "RIGHT=900:0:1000", "middle=0.5:0.0:1.0", "EDGE=3:0:20"]
    best = [600, 500, 0.2, 20]
    spsa = Spsa([Constant.parse(text) for text in texts], 400, seed)
    rng = random.Random(seed)

    def loss(values: Sequence[float]) -> float:
        return sum(
            ((value - goal) / (one.upper - one.lower)) ** 2
            for one, value, goal in zip(spsa.constants, values, best, strict=True)
        )

    before = loss(spsa.values)
    while not spsa.is_over:
        ahead, back = spsa.trials()
        chance = 0.5 + max(-0.5, min(0.5, loss(back) - loss(ahead)))
        spsa.take(sum(2 * (rng.random() < chance) - 1 for _ in range(32)) / 32)
    assert loss(spsa.values) < before / 20
    assert all(
        one.lower <= value <= one.upper
        for one, value in zip(spsa.constants, spsa.values, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "default", "setting"),
    [
        ("PUSH=:0:200", 60, "PUSH=60"),
        ("PUSH=50.5:0:200", 60, "PUSH=51"),
        ("PUSH=50:0:200", 0.5, "PUSH=50.0"),
        ("depth=3:1:8:2", None, "depth=3"),
        ("exploration=1.2345:0.1:3", None, "exploration=1.234"),
        ("WEIGHT=0.0001:0.0:0.001", None, "WEIGHT=0.0001000"),
    ],
)
def test_a_constant_is_written_as_players_read_it(
    text: str, default: float | None, setting: str
) -> None:
    constant = Constant.parse(text, default)
    assert constant.setting(constant.start) == setting


@pytest.mark.parametrize(
    ("constant", "said"),
    [
        ("PUSH", "write a constant as NAME="),
        ("PUSH=1:2", "write a constant as NAME="),
        ("PUSH=one:0:2", "'one' is not a number"),
        ("PUSH=nan:0:2", "'nan' is not a number"),
        (f"PUSH=1:0:{'9' * 400}", "is not a number up to 1000000000"),
        ("PUSH=5:0:2", "5 is not between 0 and 2"),
        ("PUSH=2:2:2", "2 is not between 2 and 2"),
        ("PUSH=1:0:2:0", "the step must be from 1 to 2"),
        ("horizon=:0:2", "'horizon' has no default"),
        ("PUSHED=1:0:2", "no constant 'PUSHED'"),
        ("pushed=1:0:2", "no setting 'pushed'"),
    ],
)
def test_what_is_wrong_with_a_constant_is_said(constant: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        tuning_of("mcts", SINKS, [constant])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"constants": []}, "no constant to tune"),
        ({"constants": ["PUSH=:0:9", "PUSH=:0:9"]}, "is there twice"),
        ({"player": "cat"}, "no player of the house"),
        ({"game": "sliding"}, "not a game of two"),
        ({"iterations": 0}, "iterations must be"),
        ({"pairs": 0}, "games must be"),
        ({"limit": "fast"}, "no time control"),
    ],
)
def test_what_is_wrong_with_a_tuning_is_said(changed: dict[str, Any], said: str) -> None:
    right: dict[str, Any] = {"player": "mcts", "game": SINKS, "constants": ["rave=1:0:2"]}
    with pytest.raises(UsageError, match=said):
        tuning_of(**right | changed)


def test_the_better_choice_gains() -> None:
    tuning = tiny(pairs=8, limit="50p")
    texts = ["mcts", "random"]
    assert match_gain(tuning, 0, texts, 2) == -match_gain(tuning, 0, texts[::-1], 1) > 0.2


@pytest.mark.slow("compiles searches three times")
def test_an_interrupted_tuning_ends_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    values = tune(tiny(), one, 2)
    said = capsys.readouterr().out
    assert "exploration=" in said
    assert f'gridhouse match "mcts:exploration={values[0]:.3f}" "mcts" --game "binary(' in said

    def broken(tuning: Tuning, number: int, *rest: Any) -> float:
        if number == 1:
            raise KeyboardInterrupt
        return match_gain(tuning, number, *rest)

    monkeypatch.setattr(tune_command, "match_gain", broken)
    with pytest.raises(KeyboardInterrupt):
        tune(tiny(), other, 1)
    monkeypatch.undo()
    assert len(json.loads(other.read_text())["gains"]) == 1
    assert tune(tiny(), other, 1) == values
    assert one.read_text() == other.read_text()
    capsys.readouterr()
    assert tune(tiny(), one) == values
    assert not capsys.readouterr().err  # nothing was played again

    with pytest.raises(UsageError, match="another tuning: its seed is '0', not '1'"):
        tune(tiny(seed=1), one)
    gains = ("2", "NaN", "9" * 400)
    for none in (
        "{}",
        "[" * 10_000,
        *(f'{{"settings": {{}}, "gains": [{gain}]}}' for gain in gains),
    ):
        one.write_text(none)
        with pytest.raises(UsageError, match="this is no tuning"):
            tune(tiny(), one)


@pytest.mark.slow("compiles a search for each choice of constants")
def test_a_bad_constant_becomes_better_and_leaves_no_code() -> None:
    game, constant = "tactego(rows=6,cols=6)", "NUMBER=-200:-400:400:200"
    tuning = tuning_of("alphabeta", game, [constant], iterations=1, pairs=12, limit="500n")
    match_gain(tuning, 0, ["alphabeta", "random"], 1)  # what is not tuned is compiled to stay
    before = set(cache_folder().glob("*"))
    assert tune(tuning)[0] > -100
    assert set(cache_folder().glob("*")) == before

"""The command ``gridhouse solve binary``."""

from __future__ import annotations

import json

import pytest

from binary_helpers import run_cli


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(monkeypatch, "2", "3") == 0
    assert capsys.readouterr().out.startswith("the player to move loses\nnimber: 0\n0 nodes in ")
    assert run_cli(monkeypatch, "5", "3", "--json", "--no-proved", "--off", "order") == 0
    facts = json.loads(capsys.readouterr().out)
    assert set(facts) == {"outcome", "moves", "nimber", "nodes", "seconds"}
    assert (facts["outcome"], len(facts["moves"]), facts["nimber"]) == ("win", 1, None)
    assert run_cli(monkeypatch, "binary(rows=2,cols=3) 0./..", "--json") == 2
    assert run_cli(monkeypatch, "binary(rows=2,cols=3) 0../...", "--json", "--nimber") == 0
    assert json.loads(capsys.readouterr().out)["nimber"] == 1


@pytest.mark.parametrize(
    "words",
    [
        ["0", "3"], ["3", "21"], ["3"], ["3", "x"], ["1", "2", "3"], ["sinks(rows=8,cols=8)#1"],
        ["binary(rows=1,cols=2) 00"], ["3", "3", "--time", "0"], ["3", "3", "--off", "luck"],
    ],
)  # fmt: skip
def test_what_the_command_cannot_use_gets_one_line(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, *words) == 2
    run = capsys.readouterr()
    assert run.out == ""
    assert run.err.count("\n") == 1


@pytest.mark.parametrize("words", [["5"], ["a", "b"]])
def test_what_is_no_position_is_called_that(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, *words) == 2
    line = f"gridhouse: '{' '.join(words)}' is neither WIDTH HEIGHT nor a position's text\n"
    assert capsys.readouterr().err == line

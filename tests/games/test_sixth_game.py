"""A game is added by a folder alone: one that is made here is found, played and parsed."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import gridhouse
from gridhouse import cli
from gridhouse.conformance import check_game
from gridhouse.core import components, game, registry
from gridhouse.search.batch import Batch
from gridhouse.terminal.menu import menu
from harness import ROOT, run_here
from web_helpers import Clock, Visitor, open_house

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GAMES = ROOT / "examples/games"
BROKEN_EVALUATION = """
def move_score(state, action):
    if state.left >= 0:
        raise ValueError("what was that")
    return 0
"""


@pytest.fixture(autouse=True)
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the folder of a sixth game beside the five."""
    shutil.copytree(GAMES / "nim", tmp_path / "nim", ignore=shutil.ignore_patterns("__pycache__"))
    package = importlib.import_module("gridhouse.games")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    yield
    for name in [name for name in sys.modules if name.startswith("gridhouse.games.nim")]:
        del sys.modules[name]
    registry.game_class.cache_clear()
    components.sibling.cache_clear()
    game.view_beside.cache_clear()


def change(folder: Path, module: str, before: str, after: str) -> None:
    """Change the text of a module of the game in a folder."""
    file = folder / "nim" / f"{module}.py"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


def test_it_is_found_played_and_parsed() -> None:
    assert "nim" in gridhouse.games()
    state = gridhouse.load("nim", cols=4).new_initial_state()
    state.play("2")
    assert str(state) == "nim(rows=1,cols=4) oo!"
    assert gridhouse.parse(str(state)) == state
    assert state.legal_moves() == ["1", "2"]
    assert state.observation_tensor() == [1, 1, 0, 0]
    state.play("2")
    assert state.returns() == [-1, 1]


def test_it_is_on_the_menu() -> None:
    number = gridhouse.games().index("nim") + 1
    run = run_here(menu, typed=f"{number}\nlong\n\n2\n2\n2\n2\n2\n1\nq\n")
    assert "Not possible: '2' is not legal: so many stones are not there." in run.out
    assert "\n\nFirst has won\n" in run.out
    assert (run.err, run.status) == ("", 0)


def test_it_is_an_environment() -> None:
    env = Batch(gridhouse.load("nim"), 4, jit=False)
    env.step(np.array([1, 1, 0, 0]))
    assert env.masks().tolist() == [[1, 1]] * 4
    assert env.observations()[0].ravel().tolist() == [1, 1, 1, 0, 0]


def test_it_is_played_in_the_browser(tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        table = visitor.new("nim", preset="standard", opponent="machine", level="8", side="0")
        with visitor.at(table) as seat:
            assert seat.view["board"].count("<circle") == 5
            assert seat.view["gestures"] == [["1", [4], ""], ["2", [3], ""]]
            seat.move("2")
            seat.wait("view", 2)
            seat.move("1")
            if not seat.view["over"]:
                seat.wait("view", 4)
            assert seat.view["heading"] in ("First has won", "Second has won")


def test_it_is_played_in_the_browser_without_a_picture(tmp_path: Path) -> None:
    (tmp_path / "nim" / "view.py").unlink()
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        assert "Take one or two stones." in visitor.get("/").text
        assert "<svg xmlns" not in visitor.get("/rules/nim").text
        table = visitor.new("nim", preset="standard", opponent="hotseat")
        page = visitor.get(table).text
        assert "<pre>ooooo</pre>" in page
        assert "Save the picture" not in page
        assert visitor.get(f"{table}/picture.svg").status_code == 404
        with visitor.at(table) as seat:
            assert seat.view["gestures"] == [["1", [], "1"], ["2", [], "2"]]
            for move in ("2", "2"):
                seat.move(move)
            assert seat.view["board"] == "o"
            assert seat.refused("why", cells=[0]) == "no move begins with these cells"
            assert "so many stones" in seat.refused("move", move="2", ply=2)
            seat.move("1")
            assert seat.view["heading"] == "First has won"


def test_a_machine_that_fails_in_the_browser_moves_at_random(tmp_path: Path) -> None:
    (tmp_path / "nim" / "evaluation.py").write_text(BROKEN_EVALUATION)
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        table = visitor.new("nim", preset="long", opponent="machine", level="8", side="0")
        with visitor.at(table) as seat:
            seat.move("1")
            assert seat.wait("view", 2)["heading"] == (
                "The machine failed and made a random move. Your turn, First"
            )
            seat.move("1")
            assert seat.wait("view", 4)["acts"]


def test_a_machine_that_fails_in_the_terminal_moves_at_random(tmp_path: Path) -> None:
    (tmp_path / "nim" / "evaluation.py").write_text(BROKEN_EVALUATION)
    number = gridhouse.games().index("nim") + 1
    typed = f"{number}\n\n\nmachine 8\n1\n1\n1\n1\n1\nq\nq\n"
    run = run_here(menu, typed=typed)
    assert "The machine failed and makes a random move: ValueError: what was that" in run.out
    assert " has won\n" in run.out
    assert (run.err, run.status) == ("", 0)


def test_one_for_one_has_a_daily_puzzle_by_its_class_alone(tmp_path: Path) -> None:
    """Without a solver and without pictures: the best is what somebody has reached."""
    (tmp_path / "nim" / "view.py").unlink()
    change(tmp_path, "rules", "state.turn = 1 - state.turn", "pass")
    change(tmp_path, "rules", "out[state.turn] = -1", "out[0] = 7")
    change(tmp_path, "rules", "out[1 - state.turn] = 1", "pass")
    one = '("Player",)\n    daily = {"cols": 3}\n    max_return = 7'
    change(tmp_path, "game", '("First", "Second")', one)
    with open_house(tmp_path, now=Clock()) as client:
        visitor = Visitor(client)
        page = visitor.get("/daily").text
        path = page.partition('action="/daily/nim')[2].partition('"')[0]
        assert visitor.get(f"/daily/nim{path}/picture.svg").status_code == 404
        assert "You will see the best result when you finish" in visitor.get("/daily/nim").text
        table = visitor.post(f"/daily/nim{path}").headers["location"]
        with visitor.at(table) as seat:
            seat.move("2")
            assert seat.move("1")["heading"] == "7 points. 7 points"
        page = visitor.get(f"/daily/nim{path}").text
        assert "The best known result is 7 points." in page
        assert "7 points, equal to the best known result. Place 1 of 1." in page


def test_the_command_goes_without_its_exact_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["gridhouse", "--help"])
    with pytest.raises(SystemExit):
        cli.main()
    assert "binary" in capsys.readouterr().out


def test_check_game_finds_nothing_wrong() -> None:
    """As a user calls it, with the folder named by the environment."""
    done = subprocess.run(
        [sys.executable, "-m", "gridhouse", "check-game", "nim"],
        env={**os.environ, "GRIDHOUSE_GAMES": str(GAMES)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [
        f"preset {preset}: 30 positions keep 8 laws; 3 random games are the same compiled; "
        "players random, greedy, alphabeta, mcts, pomcp, level move"
        for preset in ("standard", "long")
    ]


@pytest.mark.parametrize(
    ("module", "before", "after", "problem"),
    [
        ("rules", "state.left == 0\n", "not any(state.left > n for n in range(1))\n",
         "nim(rows=1,cols=5), compiled: rules.py:55 cannot be compiled: The use of yield in a"),
        ("rules", "out[cell] = 1", "out[cell + 9] = 1",
         "law 'observations have their shape': rules.py:73: IndexError: list assignment index"),
        ("rules", "chance.zobrist(state.left * 2 + state.turn)", "5",
         "law 'key tells positions apart': key stays the same after a move"),
        ("rules", "count = min(MOST, state.left)", "count = min(1, state.left)",
         "law 'legal actions are not refused': legal_actions gives [0], refusal allows [0, 1]"),
        ("rules", "out[1 - state.turn] = 1", "out[1 - state.turn] = 2",
         "law 'returns add up': returns [2.0, -1.0] are above max_return"),
        ("game", 'players = ("First", "Second")', "pass",
         "preset standard: NimGame does not define players"),
        ("game", 'refusals = {Refusal.TOO_MANY: "so many stones are not there"}', "refusals = {}",
         "law 'refused actions change nothing': refusals has no words for <Refusal.TOO_MANY: 1>"),
        ("game", "return str(action + 1)", 'return "1"',
         "law 'moves parse back': two legal actions have the same text: ['1', '1']"),
        ("game", '"o" * position.left + "!" * position.turn', '"o" * position.left',
         "law 'text parses back': 'nim(rows=1,cols=5) ' parses as another position"),
        ("rules", "return state.turn\n", "return state.turn\n\n\ndef redact(state, player):\n"
         "    state.left = 1\n",
         "redact hides from player 0, against has_hidden_information"),
    ],
)  # fmt: skip
def test_check_game_says_what_is_wrong(
    tmp_path: Path, module: str, before: str, after: str, problem: str
) -> None:
    change(tmp_path, module, before, after)
    assert problem in check_game("nim").problems[0]


def test_the_tutorial_has_the_files_of_the_example() -> None:
    text = (GAMES.parent.parent / "docs/tutorial-add-a-game.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    files = [(GAMES / "nim" / f"{name}.py").read_text() for name in ("rules", "game", "view")]
    assert blocks == files
    assert sum(len(file.splitlines()) for file in files[:2]) < 150


def test_rules_without_a_required_function_say_so(tmp_path: Path) -> None:
    change(tmp_path, "rules", "def key(", "def kee(")
    with pytest.raises(gridhouse.RulesError, match=r"nim\.rules does not define key\(state\)"):
        gridhouse.load("nim")

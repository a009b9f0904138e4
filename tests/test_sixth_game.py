"""A game is added by a folder alone: one that is made here is found, played and parsed."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse import cli, table
from gridhouse.core import registry
from harness import run_here
from test_web_daily import Clock
from web_helpers import Visitor, open_house

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RULES = '''
"""Nim on a row of stones: take one or two from the left; who cannot has lost."""

from enum import IntEnum

from gridhouse.core import position

NUM_PLANES = 1


class Refusal(IntEnum):
    NONE = 0
    TOO_MANY = 1


class Position(position.Position):
    nim = position.integer("int8")
    left = position.integer("int8")
    turn = position.integer("int8")


def refusal(state, action):
    return Refusal.TOO_MANY if action + 1 > state.left else Refusal.NONE


def legal_actions(state, out):
    count = min(2, state.left)
    for action in range(count):
        out[action] = action
    return count


def apply_action(state, action):
    state.left -= action + 1
    state.turn = 1 - state.turn


def current_player(state):
    return state.turn


def is_terminal(state):
    return state.left == 0


def returns(state, out):
    if state.left == 0:
        out[state.turn] = -1
        out[1 - state.turn] = 1


def hide(state, player):
    pass


def planes(state, player, out):
    for cell in range(state.left):
        out[cell] = 1
'''

RETURNS = """
def returns(state, out):
    out[0] = 7 * (state.left == 0)


def hide(state, player):
    pass
"""

GAME = '''
"""Nim to the outside."""

from gridhouse.core.game import Game, Parameter
from gridhouse.games.nim import rules
from gridhouse.games.nim.rules import Position, Refusal


class NimGame(Game):
    name = "nim"
    title = "Nim"
    summary = "Take one or two stones."
    how_to_play = "Take one or two stones; who cannot has lost."
    players = ("First", "Second")
    parameters = (
        Parameter("rows", 1, "rows", low=1, high=1),
        Parameter("cols", 5, "stones", low=1, high=9),
    )
    presets = {"standard": {}, "long": {"cols": 9}}
    move_form = "count"
    file_holds = "nothing"
    rules = rules
    num_actions = 2
    refusals = {Refusal.TOO_MANY: "so many stones are not there"}

    def prepare(self):
        pass

    def initial_position(self, seed):
        return self.read("." * 0 + "o" * self.values["cols"])

    def write(self, position):
        return "o" * position.left + ("" if position.turn == 0 else "!")

    def read(self, text):
        position = Position()
        position.left = text.count("o")
        position.turn = int(text.endswith("!"))
        return position

    def write_move(self, position, action):
        return str(action + 1)

    def read_move(self, position, text):
        return int(text) - 1 if text in ("1", "2") else None

    def board(self, position):
        return ["o" * position.left]

    def outcome(self, position):
        return f"{self.players[1 - position.turn]} wins"


GAME = NimGame
'''


@pytest.fixture(autouse=True)
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the folder of a sixth game beside the five."""
    folder = tmp_path / "nim"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""Nim."""\n')
    (folder / "rules.py").write_text(RULES)
    (folder / "game.py").write_text(GAME)
    package = importlib.import_module("gridhouse.games")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    yield
    for name in [name for name in sys.modules if name.startswith("gridhouse.games.nim")]:
        del sys.modules[name]
    registry.game_class.cache_clear()


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
    run = run_here(table.menu, typed=f"{number}\nlong\n\n2\n2\n2\n2\n2\n1\nq\n")
    assert "Not possible: '2' is not legal: so many stones are not there." in run.out
    assert "\n\nFirst wins\n" in run.out
    assert (run.err, run.status) == ("", 0)


def test_it_is_played_in_the_browser_without_a_picture(tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        assert "Take one or two stones." in visitor.get("/").text
        assert "<svg" not in visitor.get("/rules/nim").text
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
            assert seat.refused("why", cells=[0]) == "no move leads there"
            assert "so many stones" in seat.refused("move", move="2", ply=2)
            seat.move("1")
            assert seat.view["heading"] == "First wins"


def test_one_for_one_has_a_daily_puzzle_by_its_class_alone(tmp_path: Path) -> None:
    """Without a solver and without pictures: the best is what somebody has reached."""
    alone = RULES.replace("state.turn = 1 - state.turn", "pass")
    (tmp_path / "nim" / "rules.py").write_text(alone.partition("def returns")[0] + RETURNS)
    game = GAME.replace('("First", "Second")', '("Player",)\n    daily = {"cols": 3}')
    (tmp_path / "nim" / "game.py").write_text(game.replace("[1 - position.turn]", "[0]"))
    with open_house(tmp_path, now=Clock()) as client:
        visitor = Visitor(client)
        page = visitor.get("/daily").text
        path = page.partition('action="/daily/nim')[2].partition('"')[0]
        assert visitor.get(f"/daily/nim{path}/picture.svg").status_code == 404
        assert "The best is not known yet." in visitor.get("/daily/nim").text
        table = visitor.post(f"/daily/nim{path}").headers["location"]
        with visitor.at(table) as seat:
            seat.move("2")
            assert seat.move("1")["heading"] == "Player wins. 7 points"
        page = visitor.get(f"/daily/nim{path}").text
        assert "The best known is 7 points." in page
        assert "7 points, as good as the best known. Place 1 of 1." in page


def test_the_command_goes_without_its_exact_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["gridhouse", "--help"])
    with pytest.raises(SystemExit):
        cli.main()
    assert "binary" in capsys.readouterr().out

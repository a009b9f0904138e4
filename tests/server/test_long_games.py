"""Long games: views with what is new, positions that are kept, and a most number of moves."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse.core.registry import parse
from gridhouse.server.storage.records import Ply, StoredTable
from gridhouse.server.tables.table import KEPT_EVERY, Table
from gridhouse.server.tables.visibility import Snapshot, viewpoint_of
from web_helpers import Visitor, open_house

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

    from gridhouse.server.tables.service import TableService


def long_game(text: str, count: int) -> tuple[StoredTable, list[int]]:
    """Return the record of a random game of so many moves at most, and its actions."""
    state, chance = parse(text), random.Random(text)
    start, moves = str(state), list[Ply]()
    while len(moves) < count and not state.is_terminal():
        action = chance.choice(state.legal_actions())
        moves.append(Ply(state.action_to_string(action)))
        state.apply_action(action)
    seats = dict.fromkeys(range(state.game.num_players), "anna")
    return StoredTable("t", start, "hotseat", seated_visitors=seats, moves=moves), state.history()


@pytest.mark.parametrize("game", gridhouse.games())
def test_every_earlier_position_is_reached_with_its_pieces(game: str) -> None:
    record, actions = long_game(f"{gridhouse.load(game)}#1", 3 * KEPT_EVERY)
    table = Table(record)
    state = parse(record.start)
    for ply, action in enumerate([*actions, None]):
        past = table.past(ply)
        assert past.history() == actions[:ply]
        if ply % 10 in (0, 9):
            assert past.open_picture().inline() == state.open_picture().inline()
        if action is not None:
            state.apply_action(action)


def test_taking_back_goes_on_from_a_kept_position() -> None:
    record, actions = long_game("sliding(rows=4,cols=4)#2", 2 * KEPT_EVERY + 3)
    table = Table(record)
    before = table.state.open_picture().inline()
    back = table._change()._replace(standing=KEPT_EVERY - 1)
    earlier = table.after(back)
    assert earlier.state.history() == actions[: KEPT_EVERY - 1]
    again = earlier.after(earlier._change()._replace(standing=len(actions)))
    assert again.plies == table.plies
    assert again.state.open_picture().inline() == before
    assert [again.past(ply).history() for ply in (0, KEPT_EVERY, 2 * KEPT_EVERY)] == [
        actions[:ply] for ply in (0, KEPT_EVERY, 2 * KEPT_EVERY)
    ]
    assert len(table.plies) == len(actions)  # a table in use stays as it is


def test_looking_back_in_a_long_game_takes_no_longer_than_in_a_short_one() -> None:
    record, actions = long_game("sliding(rows=4,cols=4)#3", 10_000)
    assert len(actions) == 10_000
    table = Table(record)
    began = time.thread_time()
    for ply in range(9_000, 9_100):
        Snapshot(table, ply).picture(viewpoint_of(table, "anna", None))
    assert time.thread_time() - began < 0.5  # replayed from the start it takes a second or more


def test_a_view_has_the_moves_that_are_new(client: TestClient) -> None:
    visitor = Visitor(client)
    table = visitor.new("binary", preset="small", opponent="analysis")
    with visitor.at(table) as seat:
        for number, move in enumerate(("0 0 1", "1 0 0", "2 0 1")):
            seat.move(move)
            assert (seat.raw["since"], len(seat.raw["moves"])) == (number, 1)
        seat.say("look", ply=1)
        seat.wait("view")
        assert (seat.raw["since"], seat.raw["moves"]) == (3, [])
        for ply in (2, 1):
            seat.say("undo")
            seat.wait("view", ply)
        assert (seat.raw["since"], seat.raw["moves"], seat.raw["notes"]) == (1, [], [])
        seat.move("1 0 1")
        assert seat.raw["moves"] == [["Player 2", "1 0 1"]]
        seat.say("undo")
        seat.wait("view", 1)
        seat.move("1 1 1")  # another move at the same place
        assert seat.view["moves"] == [["Player 1", "0 0 1"], ["Player 2", "1 1 1"]]
        with visitor.at(table) as other:
            assert (other.raw["since"], other.view["moves"]) == (0, seat.view["moves"])


def test_what_was_hidden_comes_when_the_game_is_over(client: TestClient) -> None:
    anna, bert = Visitor(client), Visitor(client)
    table = anna.new("sinks", start="sinks(rows=8,cols=8)#1", opponent="friends")
    with anna.at(table) as seat:
        bert.post(seat.view["invitation"])
    with anna.at(table) as one, bert.at(table) as two:
        one.move("0 1 b")
        assert two.wait("view", 1)["moves"] != one.view["moves"] == [["Light", "0 1 b"]]
        one.say("resign")
        while not two.view["over"]:
            two.listen()
        assert two.view["moves"] == [["Light", "0 1 b"]]


def test_programs_ask_for_the_moves_that_are_new(client: TestClient) -> None:
    asked = {"game": "binary", "opponent": "analysis"}
    made = client.post("/api/tables", json=asked).json()
    address = f"/api/tables/{made['table']['id']}"
    said = {"authorization": f"Bearer {made['token']}"}
    for ply, move in enumerate(("0 0 1", "1 0 0")):
        answer = client.post(
            f"{address}/moves?since={ply}", json={"move": move, "ply": ply}, headers=said
        )
        assert [each["move"] for each in answer.json()["moves"]] == [move]
    assert len(client.get(address, headers=said).json()["moves"]) == 2
    assert client.get(f"{address}?since=9", headers=said).json()["moves"] == []


def test_a_table_takes_so_many_moves_and_says_so_in_time(tmp_path: Path) -> None:
    with open_house(tmp_path, max_moves=3) as client:
        visitor = Visitor(client)
        with visitor.at(visitor.new("binary", opponent="analysis")) as seat:
            assert seat.view["heading"] == "Player 1 to move; this table takes 3 more moves"
            seat.move("0 0 1")
            seat.move("1 0 0")
            assert seat.view["heading"].endswith("; this table takes 1 more move")
            seat.move("2 0 1")
            full = "this table takes no more moves; begin another one"
            assert seat.view["heading"] == full.capitalize()
            assert seat.refused("move", move="3 0 0", ply=3) == full
            seat.say("undo")
            assert seat.wait("view", 2)["heading"].endswith("takes 1 more move")
        with visitor.at(visitor.new("binary", level="1")) as seat:
            seat.move("0 0 1")
            seat.wait("view", 2)
            seat.move(seat.view["gestures"][0][0])
            service: TableService = client.app.state.service  # type: ignore[attr-defined]
            [live] = [live for live in service._live.values() if live.table.machine is not None]
            assert live.table.mover == live.table.machine
            seat.say("here")
            seat.wait("here")
            assert live.thinking is None or live.thinking.done()

"""After a game: its result, the rematch, and the review."""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from gridhouse.server.fair_pool import FairPool
from gridhouse.server.storage.records import Ply, StoredTable
from gridhouse.server.tables import review
from gridhouse.server.tables.review import Evaluation, GameReview, mark_of, move_accuracy
from gridhouse.server.tables.table import Table
from web_helpers import Visitor, moves_out, open_house

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient


ROW = "binary(rows=1,cols=6) ......"
GAME = ("1 0 0", "2 0 1", "0 0 0", "5 0 0", "4 0 1")  # the first player makes the last move
GROUPS = "collapse(rows=2,cols=3,digits=3,scoring=linear) 0 112/112"
FIGHT = "tactego(rows=4,cols=2,pieces=Fx1 5x1 4x1,hidden=True) R 0 RF,R5/B5,R4/,/BF,B4"
PATIENCE = 60.0  # seconds


@pytest.fixture
def friend(client: TestClient) -> Visitor:
    return Visitor(client)


def meet(visitor: Visitor, friend: Visitor, game: str = "binary", **form: str) -> str:
    """Return a table at which two friends sit."""
    table = visitor.new(game, opponent="friends", **form)
    with visitor.at(table) as seat:
        assert friend.post(seat.view["invitation"]).status_code == 303
    return table


def finish(visitor: Visitor, table: str, friend: Visitor | None = None) -> None:
    """Play the whole game."""
    with visitor.at(table) as mine, (friend or visitor).at(table) as theirs:
        for ply, move in enumerate(GAME):
            seats = (mine, theirs)
            seats[ply % 2].move(move)
            seats[1 - ply % 2].wait("view", ply + 1)


def seen(visitor: Visitor, table: str) -> dict[str, Any]:
    with visitor.at(table) as seat:
        return seat.view


def reviewed(visitor: Visitor, table: str) -> dict[str, Any]:
    """Wait for the whole review."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found: dict[str, Any] = visitor.get(f"{table}/review.json").json()
        assert not found["failed"]
        if found["done"] == found["positions"]:
            return found
        time.sleep(0.05)
    raise AssertionError("the review does not end")


# The result.


def test_each_player_is_told_their_own_result(visitor: Visitor, friend: Visitor) -> None:
    table = meet(visitor, friend, start=ROW)
    assert seen(visitor, table)["result"] is None
    finish(visitor, table, friend)
    watcher = Visitor(visitor.client)
    results = [seen(who, table)["result"] for who in (visitor, friend, watcher)]
    assert [result["title"] for result in results] == ["You won", "You lost", "Player 1 won"]
    assert [result["you"] for result in results] == ["won", "lost", ""]
    assert {result["reason"] for result in results} == {"Player 2 has no move left."}


def test_who_resigns_is_named(visitor: Visitor) -> None:
    table = visitor.new("binary", start=ROW)
    with visitor.at(table) as seat:
        seat.say("resign")
        result = seat.wait("view")["result"]
    assert (result["title"], result["reason"]) == ("You lost", "Player 1 resigned.")
    assert "You lost" in visitor.get(table).text


def test_two_at_one_screen_are_told_who_won(visitor: Visitor) -> None:
    table = visitor.new("binary", opponent="hotseat", start=ROW)
    finish(visitor, table)
    assert seen(visitor, table)["result"]["title"] == "Player 1 won"


def test_a_result_is_said_once(visitor: Visitor) -> None:
    table = visitor.new("collapse", start=GROUPS)
    with visitor.at(table) as seat:
        assert seat.view["status"] == "Score: 0"
        seat.move("1 1")
        view = seat.move("1 1")
    assert view["result"]["title"] == "8 points"
    assert view["result"]["reason"] == "The board is cleared."
    assert view["status"] == ""


# The rematch.


def test_the_machine_plays_again_from_the_other_side(visitor: Visitor) -> None:
    table = visitor.new("binary", start=ROW, level="4")
    assert visitor.post(f"{table}/rematch").status_code == 409  # the game goes on
    with visitor.at(table) as seat:
        seat.say("resign")
        seat.wait("view")
    for level, wanted in (("", 4), ("5", 5), ("3", 3)):
        answer = visitor.post(f"{table}/rematch", {"level": level} if level else {})
        assert answer.status_code == 303
        again = visitor.client.get(
            f"/api/tables/{answer.headers['location'][3:]}", headers=visitor._headers(None)
        ).json()
        assert again["level"] == wanted
        assert [seat["taken_by"] for seat in again["seats"]] == ["machine", "you"]
        assert again["position"] == ROW or again["ply"] > 0
    assert visitor.post(f"{table}/rematch", {"level": "9"}).status_code == 409
    assert visitor.post(f"{table}/rematch", {"level": "x"}).status_code == 409
    assert visitor.post(f"{table}/rematch", origin="http://elsewhere.test").status_code == 403
    assert Visitor(visitor.client).post(f"{table}/rematch").status_code == 409


def test_a_friend_is_offered_the_rematch_and_both_get_there(
    visitor: Visitor, friend: Visitor
) -> None:
    table = meet(visitor, friend, start=ROW)
    finish(visitor, table, friend)
    with friend.at(table) as theirs:
        offered = visitor.post(f"{table}/rematch").headers["location"]
        rematch = theirs.wait("view")["rematch"]
    assert rematch == {"address": offered, "offered": True}
    assert seen(visitor, table)["rematch"] == {"address": offered, "offered": False}
    assert seen(Visitor(visitor.client), table)["rematch"] is None
    for who in (friend, friend, visitor):  # again changes nothing
        assert who.post(f"{table}/rematch").headers["location"] == offered
    assert not seen(visitor, offered)["acts"]
    assert seen(friend, offered)["acts"]
    app: Any = visitor.client.app
    kept = Table(app.state.service.store.load(table.removeprefix("/t/")))
    assert kept.rematch == (offered.removeprefix("/t/"), 0)


def test_friends_who_ask_for_the_rematch_at_once_meet(visitor: Visitor, friend: Visitor) -> None:
    table = meet(visitor, friend, start=ROW)
    finish(visitor, table, friend)
    app: Any = visitor.client.app
    service = app.state.service

    async def ask_both() -> list[str]:
        live = await service.get(table.removeprefix("/t/"))
        both = [who for _, who in sorted(live.table.seated_visitors.items())]
        return list(await asyncio.gather(*(service.rematch(live, who) for who in both)))

    assert visitor.client.portal is not None
    first, second = visitor.client.portal.call(ask_both)
    assert first == second
    assert all(seen(who, f"/t/{first}")["ply"] == 0 for who in (visitor, friend))
    for who in service.store.load(first).seated_visitors.values():
        assert sorted(service.store.names_of_own(who)) == sorted([first, table[3:]])


def test_a_random_start_is_drawn_anew(visitor: Visitor) -> None:
    table = visitor.new("tactego", preset="small")
    first = seen(visitor, table)["position"]
    with visitor.at(table) as seat:
        seat.say("resign")
        seat.wait("view")
    again = visitor.post(f"{table}/rematch").headers["location"]
    with visitor.at(again) as seat:
        assert seat.view["position"].partition(" ")[0] == first.partition(" ")[0]
        assert seat.view["position"].split()[-1] != first.split()[-1]


# Tactego's fights.


def test_each_side_hears_of_a_fight_in_its_own_words(visitor: Visitor, friend: Visitor) -> None:
    table = meet(visitor, friend, "tactego", start=FIGHT)
    with visitor.at(table) as mine, friend.at(table) as theirs:
        view = mine.move("0 1 1 0")
        theirs.wait("view", 1)
        watching = seen(Visitor(visitor.client), table)
        assert view["comment"] == "Your 5 beats the 5"
        assert theirs.view["comment"] == "The 5 beats your 5"
        assert watching["comment"] == "5 beats 5"
        assert [each["notes"] for each in (view, watching)] == [["5 beats 5"]] * 2
        assert [(token["side"], token["icon"]) for token in view["tokens"]] == [
            (1, "fallen"),
            (1, "5"),
        ]
        assert view["status"] == "Blue: 1 fallen, 1 strength 5"
        assert "unknown" in watching["board"]  # the flags stay hidden


# The review.


def test_accuracy_is_the_formula_of_the_manual() -> None:
    """By hand: 103.1668 e^(-0.04354 loss) - 3.1669, between 0 and 100."""
    for loss in (0.0, 5.0, 10.0, 33.3, 100.0):
        wanted = 103.1668 * math.e ** (-0.04354 * loss) - 3.1669
        assert move_accuracy(loss) == pytest.approx(min(100, max(0, wanted)))
    assert move_accuracy(0) > 99.9
    assert move_accuracy(100) == 0
    assert [mark_of(loss, review.LOSSES) for loss in (9.9, 10, 20, 30)] == [
        "",
        "inaccuracy",
        "mistake",
        "blunder",
    ]


def reviewed_by_hand(values: list[float]) -> GameReview:
    """Return a review of the short game with these values of its positions."""
    record = StoredTable("t", ROW, "hotseat", moves=[Ply(move) for move in GAME])
    found = GameReview(Table(record), FairPool(1, "test"))
    found.positions = dict(filter(None, found._replayed()))
    for ply, value in enumerate(values):
        found.evaluations[ply] = Evaluation(value, line=(0,))
    return found


def test_losses_are_those_of_the_mover() -> None:
    found = reviewed_by_hand([0.0, -0.5, 0.3, 0.1, -1.0, 0.2])
    assert [found.loss(ply) for ply in range(5)] == pytest.approx([25, 40, 10, 0, 0])
    accuracy = [found.accuracy(player) for player in (0, 1)]
    first = sum(map(move_accuracy, (25, 10, 0))) / 3
    second = sum(map(move_accuracy, (40, 0))) / 2
    assert accuracy == pytest.approx([first, second])
    report = found.report([0])
    marks = [move["mark"] for move in report["moves"]]
    assert marks == ["mistake", "blunder", "inaccuracy", "", ""]
    assert report["moments"] == [0, 1, 2]
    assert report["moves"][1]["text"] == "Player 2's chance to win fell from 75% to 35%."


def test_a_review_knows_the_end_and_what_is_proved(visitor: Visitor) -> None:
    table = visitor.new("binary", opponent="hotseat", start=ROW)
    assert visitor.get(f"{table}/review").status_code == 409
    assert visitor.get(f"{table}/review.json").status_code == 409
    finish(visitor, table)
    assert "Review" in visitor.get(f"{table}/review").text
    found = reviewed(visitor, table)
    assert found["values"][-1] == 1
    assert found["proved"][-2:] == [True, True]
    assert found["texts"][-1] == "Proved: Player 1 wins"
    assert len(found["moves"]) == len(GAME)
    past = visitor.get(f"{table}/past.json?ply=1").json()
    state = gridhouse.parse(ROW)
    state.play(GAME[0])
    assert [move for move, _, _ in past["gestures"]] == state.legal_moves()
    assert "<svg" in past["board"]
    for wrong in ("", "?ply=-1", "?ply=9", "?ply=x"):
        assert visitor.get(f"{table}/past.json{wrong}").status_code == 422


def test_a_puzzle_is_reviewed_against_the_optimum(visitor: Visitor) -> None:
    start = str(gridhouse.load("sliding", rows=2, cols=2).new_initial_state(3))
    table = visitor.new("sliding", start=start)
    way = moves_out(gridhouse.parse(start))
    state = gridhouse.parse(start)
    detour = next(move for move in state.legal_moves() if move != way[0])
    state.play(detour)
    moves = [detour, *moves_out(gridhouse.parse(str(state)))]
    with visitor.at(table) as seat:
        for move in moves:
            seat.move(move)
        assert seat.view["result"]["reason"] == "Solved."
    found = reviewed(visitor, table)
    assert found["best"] == f"{len(way)} moves"
    assert found["values"][0] == len(way)
    assert found["values"][-1] == len(moves)
    assert found["accuracy"] == [pytest.approx(100 * len(way) / len(moves))]
    assert found["moments"] == [0]
    assert found["moves"][0]["better"][0] == way[0]
    tried = visitor.get(f"{table}/try.json?ply=0&move={way[0]}").json()
    assert tried["right"]
    assert not visitor.get(f"{table}/try.json?ply=0&move={detour}").json()["right"]
    assert visitor.get(f"{table}/try.json?ply=0&move=nonsense").status_code == 422
    assert visitor.get(f"{table}/try.json?ply={len(moves)}&move=U").status_code == 409


def test_long_games_are_reviewed_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "MAX_POSITIONS", 3)
    found = reviewed_by_hand([0.0, 0.0, 0.0, 0.0, 1.0, -1.0])
    assert found.every == 2
    assert not any(move["mark"] for move in found.report([])["moves"])
    assert found.wanted == [5, 4, 2, 0]


def test_a_visitor_has_one_review_at_a_time(tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        tables = []
        for _ in range(2):
            tables.append(visitor.new("binary", opponent="hotseat", start=ROW))
            finish(visitor, tables[-1])
        for table in tables:
            visitor.get(f"{table}/review.json")
        app: Any = client.app
        first, second = app.state.service.reviews._kept.values()
        assert not first.seen
        assert second.seen
        assert first._running.cancelled() or first._running.cancelling() or first.done


def test_reviews_that_nobody_looks_at_go_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review, "MAX_KEPT", 2)
    with open_house(tmp_path) as client:
        anna, bert = Visitor(client), Visitor(client)
        tables = []
        for visitor in (anna, bert, bert, bert):
            tables.append(visitor.new("binary", opponent="hotseat", start=ROW))
            finish(visitor, tables[-1])
            visitor.get(f"{tables[-1]}/review.json")
        app: Any = client.app
        kept = [f"/t/{name}" for name in app.state.service.reviews._kept]
        assert kept == [tables[0], tables[-1]]

"""The form for a new game: what it offers, armies that are arranged, and the analysis board."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from starlette.testclient import TestClient

import gridhouse
from gridhouse.core.registry import game_class
from gridhouse.players.levels import LEVEL_NAMES
from gridhouse.server.app import create_app
from gridhouse.server.settings import MOVE_SIZE, MOVES_AHEAD
from web_helpers import HIDDEN, Visitor, settings_of, uncovered

if TYPE_CHECKING:
    from pathlib import Path


OWN = {
    "preset": "own",
    "p-rows": "6",
    "p-cols": "3",
    "p-pieces": "5x1 4x1 Fx1 Mx1",
    "p-hidden": "on",
}
AHEAD = MOVES_AHEAD * MOVE_SIZE  # as which an unfinished game counts
ENOUGH = "have more games than the house keeps for one visitor"
ARMY = "5 M F 4"  # fills a row and begins the next one


def checked(page: str, name: str) -> str:
    """Return the chosen value of a field of a form."""
    found = re.search(rf'name="{name}" value="([^"]*)" checked', page)
    if found is None:
        select = page.partition(f'<select name="{name}">')[2].partition("</select>")[0]
        found = re.search(r'value="([^"]*)" selected', select)
    return found[1] if found else ""


def army_of(visitor: Visitor, table: str, side: str) -> list[str]:
    """Return the pieces of a side, row by row, as its player sees them on the table."""
    board = visitor.get(table).text
    return re.findall(rf'aria-label="row \d+ column \d+: {side} (\w+)"', board)


def arranged(visitor: Visitor, **form: str) -> str:
    answer = visitor.get(f"/new/tactego/arrange?{urlencode(form)}")
    assert answer.status_code == 200
    return str(answer.text)


@pytest.mark.parametrize("name", gridhouse.games())
def test_the_form_speaks_of_boards_and_not_of_parameters(visitor: Visitor, name: str) -> None:
    cls, page = game_class(name), visitor.get(f"/new/{name}").text
    for preset in cls.presets.values():
        assert f"<strong>{preset.title}</strong> <small>{preset.about}</small>" in page
    assert checked(page, "preset") == cls.usual
    for parameter in cls.parameters:
        assert f"{parameter.label} <small>" in page
        assert f"{parameter.name} {parameter.about}" not in page
    for number, level in enumerate(LEVEL_NAMES, 1):
        assert (f"{number} · {level}" in page) == (len(cls.players) == 2)


def test_a_table_says_what_is_played_and_against_whom(visitor: Visitor) -> None:
    table = visitor.new("binary", preset="standard", level="2", side="1")
    board, machine = "Binary Game: Standard, 7 by 7", "Player 1 is the machine (level 2, Beginner)"
    assert f"{board} · you are Player 2 · {machine}" in visitor.get(table).text
    assert f"{board} · {machine}" in Visitor(visitor.client).get(table).text
    own = visitor.new("collapse", preset="own", **{"p-rows": "3", "p-cols": "4"})
    assert "Collapse: 3 by 4<" in visitor.get(own).text


@pytest.mark.parametrize(
    ("game", "form"),
    [
        ("binary", {"preset": "large", "opponent": "machine", "level": "7", "side": "1"}),
        ("sinks", {"preset": "small", "opponent": "friends", "side": "1", "clock": "5+3"}),
        ("tactego", {**OWN, "opponent": "hotseat"}),
        ("sliding", {"preset": "hard"}),
    ],
)
def test_new_keeps_board_opponent_and_level(
    visitor: Visitor, game: str, form: dict[str, str]
) -> None:
    page = visitor.get(visitor.new(game, **form)).text
    link = unescape(page.partition('class="unseen"> game</span>')[0].rpartition('href="')[2])
    address = link.partition('"')[0]
    asked = {name: value for name, [value] in parse_qs(urlsplit(address).query).items()}
    assert {**asked, **form, "p-hidden": ""} == {**asked, "p-hidden": ""}
    again = visitor.get(address).text
    for name in ("preset", "opponent", "level", "side"):
        if name in form:
            assert checked(again, name) == form[name]
    if "p-rows" in form:
        assert 'name="p-rows" value="6"' in again
        assert 'name="p-hidden" checked' in again


def test_the_front_door_leads_to_a_hidden_game_with_a_ready_made_army(visitor: Visitor) -> None:
    table = visitor.new("tactego")
    assert visitor.get(f"{table}/position.txt").status_code == 403
    assert (
        "Skirmish, 6 by 6 · you are Red · Blue is the machine (level 3" in visitor.get(table).text
    )
    link = re.search(r'href="(/new/tactego/arrange[^"]*)">Arrange', visitor.get(table).text)
    assert link
    assert 'name="preset" value="skirmish"' in visitor.get(unescape(link[1])).text
    own = army_of(visitor, table, "Red")
    assert "flag" in own[:6]  # in the last row
    assert set(army_of(visitor, table, "Blue")) == {"unknown"}


@pytest.mark.parametrize("side", ["0", "1"])
def test_an_army_stands_as_it_was_arranged(visitor: Visitor, side: str) -> None:
    table = visitor.new("tactego", **OWN, side=side, army=ARMY)
    names = ("Red", "Blue")
    assert army_of(visitor, table, names[int(side)]) == ["5", "mine", "flag", "4"]
    assert army_of(visitor, table, names[1 - int(side)]) == ["unknown"] * 4
    page = arranged(visitor, **OWN, side=side, army=ARMY)
    assert f'name="army" id="army" value="{ARMY}"' in page
    assert page.count("unknown") == 4  # nothing else of the enemy is on the page
    with visitor.at(table) as seat:
        assert seat.view["acts"] == (side == "0")


def test_the_other_army_is_drawn_anew_for_every_game(visitor: Visitor) -> None:
    start = {**OWN, "p-hidden": "", "army": ARMY, "opponent": "friends"}
    del start["p-hidden"]
    found = {visitor.get(visitor.new("tactego", **start) + "/position.txt").text for _ in range(50)}
    assert len(found) > 3
    assert all(" R 0 R5,RM,RF/R4," in text for text in found)


@pytest.mark.parametrize(
    ("army", "said"),
    [
        ("5 4 M M", "nor the pieces of this game"),
        ("5 4 M", "nor the pieces of this game"),
        ("5 4 M F F", "nor the pieces of this game"),
        ("clever", "nor the pieces of this game"),
        ("<script>", "nor the pieces of this game"),
    ],
)
def test_another_army_is_refused_and_kept(visitor: Visitor, army: str, said: str) -> None:
    form = {**OWN, "army": army, "level": "5"}
    for answer in (
        visitor.post("/new/tactego", form),
        visitor.get(f"/new/tactego/arrange?{urlencode(form)}"),
    ):
        assert answer.status_code == 422
        assert said in answer.text
        assert "<script>" not in answer.text
        assert unescape(checked(answer.text, "army")) == army
        assert checked(answer.text, "level") == "5"


def test_an_army_that_cannot_move_is_refused(visitor: Visitor) -> None:
    own = {**OWN, "p-cols": "2", "p-pieces": "5x1 Fx1 Mx2"}
    for side, player, army in (("0", "Red", "F 5 M M"), ("1", "Blue", "M M F 5")):
        answer = visitor.post("/new/tactego", {**own, "side": side, "army": army})
        assert answer.status_code == 422
        assert f"Army: {player} could not move." in answer.text
    visitor.new("tactego", **own, army="F M M 5")


def test_where_nothing_can_be_arranged_the_form_says_so(visitor: Visitor) -> None:
    answer = visitor.get("/new/binary/arrange")
    assert (answer.status_code, "has nothing to arrange" in answer.text) == (422, True)
    answer = visitor.get(f"/new/tactego/arrange?{urlencode({'start': HIDDEN})}")
    assert (answer.status_code, "cannot be arranged" in answer.text) == (422, True)
    assert visitor.get("/new/chess/arrange").status_code == 404


def test_the_analysis_board_hides_nothing_and_takes_everything_back(visitor: Visitor) -> None:
    table = visitor.new("tactego", start=HIDDEN, opponent="analysis", clock="1+0")
    assert "Tactego: 3 by 2 · analysis board" in visitor.get(table).text
    with visitor.at(table) as seat:
        assert seat.view["handing"] is None
        assert "Red flag" in seat.view["board"]
        assert "Blue flag" in seat.view["board"]
        assert seat.view["position"] == HIDDEN.replace(")", ",limit=200)")
        assert (seat.view["helps"], seat.view["clocks"]) == (True, None)
        seat.move("0 1 1 1")
        assert seat.view["side"] == 0  # it is not turned with every move
        seat.say("show")
        assert seat.wait("frame")["last"]
        seat.say("undo")
        assert seat.wait("view", 0)["moves"] == []
        assert seat.refused("resign") == "a game at one screen cannot be resigned"


def test_one_press_opens_the_curtain(visitor: Visitor) -> None:
    table = visitor.new("tactego", start=HIDDEN, opponent="hotseat")
    with visitor.at(table) as seat, visitor.at(table) as other:
        uncovered(seat)
        uncovered(other)
        seat.move("0 1 1 1")
        assert seat.view["handing"]["button"] == "Only Blue looks at the screen"
        assert "flag" not in seat.view["board"]
        assert other.wait("view", 1)["handing"]
        uncovered(seat)
        assert seat.view["acts"]
        seat.move("2 0 1 0")
        assert seat.view["handing"]["button"] == "Only Red looks at the screen"
        assert other.wait("view", 2)["handing"]  # here Red had looked last, but one turn ago


@pytest.mark.parametrize(
    ("address", "behind_proxy", "allowed"),
    [
        ("127.0.0.1", False, True),
        ("::1", False, True),
        ("127.0.0.1", True, False),
        ("192.0.2.7", False, False),
    ],
)
def test_the_owner_of_the_house_is_not_locked_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, behind_proxy: bool, allowed: bool
) -> None:
    monkeypatch.setattr("gridhouse.server.app.MAX_TABLES", 2)
    app = create_app(settings_of(tmp_path, proxies=("127.0.0.1",) if behind_proxy else ()))
    with TestClient(app, base_url="http://house.test", client=(address, 5000)) as client:
        visitor = Visitor(client)
        answers = [visitor.post("/new/sliding").status_code for _ in range(3)]
    assert answers == [303, 303, 303 if allowed else 429]


def test_who_is_invited_is_told_that_the_host_chose_what_is_hidden(client: TestClient) -> None:
    for form, chosen in (({"start": HIDDEN}, True), ({**OWN, "army": ARMY}, False)):
        anna, bert = Visitor(client), Visitor(client)
        table = anna.new("tactego", opponent="friends", listed="", **form)
        with anna.at(table) as seat:
            page = bert.get(seat.view["invitation"]).text
        assert ("Your host chose the start, and may know what it hides." in page) == chosen
        [about] = [one["about"] for one in bert.get("/api/tables").json() if one["id"] in table]
        assert ("against a host who chose the start" in about) == chosen
        assert about in bert.get("/lobby").text
        assert bert.get(f"/api/tables{table[2:]}").json()["given"] == chosen


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"p-pieces": f"{'9' * 60_000}x1 Fx1"}, "is longer than"),
        ({"p-pieces": f"{'9' * 41}x1 Fx1"}, "a strength has at most 40 digits"),
        (
            {"start": f"tactego(rows=20,cols=20,pieces=Fx1 {'1' * 40}x199)#1"},
            "position in the browser may have at most 10000 characters",
        ),
    ],
)
def test_long_texts_are_refused(visitor: Visitor, form: dict[str, str], problem: str) -> None:
    answer = visitor.post("/new/tactego", {"preset": "own", **form})
    assert answer.status_code == 422
    assert problem in unescape(answer.text)


def test_a_visitor_has_so_many_tables(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridhouse.server.tables.service.MAX_KEPT", 3 * AHEAD + 200)
    made = [visitor.post("/new/binary", {"preset": "small"}).status_code for _ in range(5)]
    assert made == [303, 303, 303, 422, 422]
    assert visitor.post("/daily/sliding/2026-11-20").status_code in (303, 404, 409)
    assert Visitor(visitor.client).post("/new/binary").status_code == 303


def test_moves_count_for_what_is_kept_of_a_visitor(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridhouse.server.tables.service.MAX_KEPT", 2 * AHEAD + 350)
    with visitor.at(visitor.new("binary", preset="small", opponent="hotseat")) as seat:
        for _ in range(3):
            seat.move(seat.view["gestures"][0][0])
    assert visitor.post("/new/binary", {"preset": "small"}).status_code == 422


def keep(patch: pytest.MonkeyPatch, most: int) -> None:
    """Have the house keep so many characters of a visitor, and ask for every fourth move."""
    patch.setattr("gridhouse.server.tables.service.MOVES_AHEAD", 4)
    patch.setattr("gridhouse.server.tables.service.MAX_KEPT", most)


def test_a_visitor_with_enough_games_can_end_them_but_not_go_on(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Visitor(visitor.client)
    table = visitor.new("binary", opponent="friends")
    with visitor.at(table) as first:
        other.post(urlsplit(first.view["invitation"]).path)
        with other.at(table) as second:
            seats = [first, second] * 3
            for ply, seat in enumerate(seats):
                while seat.view["ply"] < ply:
                    seat.wait("view")
                move = seat.view["gestures"][0][0]
                if ply >= 4:  # the first one of each player among the next ones
                    with monkeypatch.context() as patch:
                        keep(patch, 0)
                        assert ENOUGH in seat.refused("move", move=move, ply=ply)
                        assert visitor.post("/new/binary").status_code == 422
                keep(monkeypatch, 0 if ply < 4 else 20_000)
                seat.move(move)
            keep(monkeypatch, 0)
            first.say("resign")
            while not first.view["over"]:
                first.wait("view")


def test_whoever_has_enough_games_joins_no_other(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.new("binary", opponent="hotseat")
    other = Visitor(visitor.client)
    table = other.new("binary", opponent="friends", listed="1")
    with other.at(table) as seat:
        invitation = urlsplit(seat.view["invitation"]).path
    with monkeypatch.context() as patch:
        keep(patch, AHEAD + 200)
        answer = visitor.post(invitation)
        assert (answer.status_code, ENOUGH in answer.text) == (409, True)
        seats = f"/api{table.replace('/t/', '/tables/')}/seats"
        token = {"authorization": f"Bearer {visitor.token}"}
        assert visitor.client.post(seats, json={}, headers=token).status_code == 409
    assert visitor.post(invitation).status_code == 303


def test_a_finished_game_is_not_gone_on_with_for_more_than_is_kept(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with visitor.at(
        visitor.new("binary", start="binary(rows=1,cols=2) ..", opponent="hotseat")
    ) as seat:
        while not seat.view["over"]:
            seat.move(seat.view["gestures"][0][0])
        keep(monkeypatch, 0)
        assert ENOUGH in seat.refused("undo")

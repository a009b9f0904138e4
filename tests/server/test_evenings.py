"""Evenings: the pairs, a whole evening of four visitors, and what it refuses."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from typer.testing import CliRunner

from gridhouse.cli import complete_app
from gridhouse.server import clock, upkeep
from gridhouse.server.evenings import storage
from gridhouse.server.evenings.pairing import FreePlayer, Pair, pair_up
from gridhouse.server.evenings.service import AWAY_AFTER, PATIENCE, PAUSE
from gridhouse.server.settings import MAX_OWN_EVENINGS
from web_helpers import Visitor, open_house, visitor_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FORM = {"name": "Tuesday club", "board": "binary small", "clock": "3+2", "minutes": "30"}
ROW = re.compile(r"<td>(\d+)</td><td><bdi>(\w+)</bdi>.*?</td><td>(\d+)</td><td>(\d+)</td>")


class Time:
    """The time of the house, which stands still until it is moved on."""

    def __init__(self) -> None:
        self.now = clock.now()

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    still = Time()
    monkeypatch.setattr(clock, "now", still)
    return still


class Player(Visitor):
    """Somebody who looks at an evening."""

    def __init__(self, client: TestClient, evening: str, name: str) -> None:
        super().__init__(client)
        self.evening = evening
        answer = self.post(f"{evening}/join", {"name": name})
        assert answer.status_code == 303, answer.text

    def table(self) -> str:
        """Look, and return the address of the own game, "" without one."""
        return str(self.get(f"{self.evening}/state").json()["table"])


def start(client: TestClient, **others: str) -> str:
    """Start an evening and return its address."""
    answer = Visitor(client).post("/evenings", FORM | others)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def rounds(time: Time, players: list[Player]) -> list[str]:
    """Let everybody look until the next round is over; return the tables of all."""
    for player in players:
        player.table()
    time.now += PAUSE
    players[0].table()
    return [player.table() for player in players]


def resign(player: Player, table: str) -> None:
    with player.at(table) as seat:
        seat.say("resign")
        while not seat.view["over"]:
            seat.wait("view")


def standings(player: Visitor, evening: str) -> list[tuple[int, str, int, int]]:
    """Return place, name, games and points of every row."""
    found = ROW.findall(player.get(evening).text)
    return [(int(place), name, int(games), int(points)) for place, name, games, points in found]


def test_a_whole_evening(time: Time, tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        evening = start(client)
        names = ("Anna", "Bert", "Cora", "Dirk")
        players = [Player(client, evening, name) for name in names]
        tables = rounds(time, players)
        assert "" not in tables
        assert sorted(map(tables.count, tables)) == [2] * 4
        assert "Your game is on." in players[0].get(evening).text
        assert Visitor(client).get(evening).text.count("Watch<") == 2
        rival = next(at for at in (1, 2, 3) if tables[at] == tables[0])
        others = [at for at in (1, 2, 3) if at != rival]
        page = players[0].get(tables[0]).text
        assert f'href="{evening}"' in page
        assert "Rematch" not in page
        resign(players[rival], tables[0])
        # While others play, nobody is paired with the same opponent again, but not for ever.
        again = rounds(time, players)
        assert (again[0], again[rival]) == ("", "")
        loser = others[0]
        resign(players[loser], tables[loser])
        second = rounds(time, players)
        assert "" not in second
        assert second[0] != second[rival]
        assert second[0] == second[others[1]]  # both have won, so their scores are the closest
        won = sorted((names[0], names[others[1]]))
        assert sorted(row[1] for row in standings(players[0], evening)[:2]) == won
        assert [row[2:] for row in standings(players[0], evening)] == [(1, 2)] * 2 + [(1, 0)] * 2
    with open_house(tmp_path) as client:  # a restart changes nothing
        for player in players:
            player.client = client
        assert [player.table() for player in players] == second
        time.now += 31 * clock.MINUTE
        resign(players[0], second[0])
        resign(players[rival], second[rival])
        assert rounds(time, players) == [""] * 4
        final = standings(players[0], evening)
        assert final[0][1:] == (names[others[1]], 2, 4)
        assert [row[0] for row in final] == [1, 2, 2, 4]
        assert [row[3] for row in final] == [4, 2, 2, 0]
        text = players[0].get(evening).text
        assert "The evening is over." in text
        late = Visitor(client).post(f"{evening}/join", {"name": "Eva"})
        assert (late.status_code, "This evening is over." in late.text) == (422, True)


def test_whoever_pauses_or_goes_is_not_paired(client: TestClient, time: Time) -> None:
    evening = start(client)
    anna, bert, cora = (Player(client, evening, name) for name in ("Anna", "Bert", "Cora"))
    bert.post(f"{evening}/pause")
    time.now += AWAY_AFTER  # Cora has closed the page
    assert rounds(time, [anna, bert]) == ["", ""]
    assert "takes a break" in anna.get(evening).text
    bert.post(f"{evening}/join")
    tables = rounds(time, [bert, anna])
    assert tables[0] == tables[1] != ""
    resign(anna, tables[0])
    assert rounds(time, [anna, bert])[0] not in ("", tables[0])  # nobody else is there
    assert cora.table() == ""


def test_whoever_has_enough_games_is_not_paired(
    client: TestClient, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = start(client)
    players = [Player(client, evening, name) for name in ("Anna", "Bert")]
    with monkeypatch.context() as patch:
        patch.setattr("gridhouse.server.tables.service.MAX_KEPT", 0)
        assert rounds(time, players) == ["", ""]
        for player in players:
            told = player.post(f"{evening}/join")
            assert "more games than the house keeps" in told.text
    for player in players:
        player.post(f"{evening}/join")
    assert "" not in rounds(time, players)


def test_two_wait_for_others_but_not_for_ever(client: TestClient, time: Time) -> None:
    evening = start(client)
    players = [Player(client, evening, name) for name in ("Anna", "Bert", "Cora", "Dirk")]
    tables = rounds(time, players)
    two = [player for player, table in zip(players, tables, strict=True) if table == tables[0]]
    resign(two[0], tables[0])
    assert rounds(time, two) == ["", ""]
    time.now += PATIENCE
    again = rounds(time, two)
    assert again[0] == again[1] != ""


def test_whoever_never_moves_loses_on_time(client: TestClient, time: Time) -> None:
    evening = start(client)
    players = [Player(client, evening, name) for name in ("Anna", "Bert")]
    table, _ = rounds(time, players)
    views = []
    for player in players:
        with player.at(table) as seat:
            views.append(seat.view)
    first = next(at for at, view in enumerate(views) if view["gestures"])
    time.now += 3 * clock.MINUTE + 1
    with players[first].at(table) as seat:
        seat.say("move", move=views[first]["gestures"][0][0], ply=0)
        while not seat.view["over"]:
            seat.wait("view")
        assert not seat.view["undo"]
    players[0].table()
    rows = standings(players[0], evening)
    assert [row[1:] for row in rows] == [
        (("Bert", "Anna")[first], 1, 2),
        (("Anna", "Bert")[first], 1, 0),
    ]


def test_moves_stand(client: TestClient, time: Time) -> None:
    evening = start(client)
    players = [Player(client, evening, name) for name in ("Anna", "Bert")]
    table, _ = rounds(time, players)
    for player in players:
        with player.at(table) as seat:
            if seat.view["gestures"]:
                seat.move(seat.view["gestures"][0][0])
                assert seat.refused("undo") == "moves at the table of an evening stand"
                assert seat.refused("hint") != ""
    assert players[0].post(f"{table}/rematch").status_code == 409


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("name", " ", "Give the evening a name."),
        ("board", "sliding easy", "is not a game for two"),
        ("board", "binary nowhere", "nowhere"),
        ("board", "chess", "chess"),
        ("clock", "none", "Clock: must be one of"),
        ("minutes", "9", "a number from 10 to 240"),
        ("minutes", "many", "a number from 10 to 240"),
    ],
)
def test_wrong_fields_are_told(client: TestClient, field: str, value: str, reason: str) -> None:
    answer = Visitor(client).post("/evenings", FORM | {field: value})
    assert answer.status_code == 422
    assert reason in answer.text


def test_who_loads_a_refused_form_again_comes_to_the_page_above(client: TestClient) -> None:
    evening = start(client)
    visitor = Visitor(client)
    for place in ("join", "pause"):
        answer = visitor.get(f"{evening}/{place}")
        assert (answer.status_code, answer.headers["location"]) == (303, evening)
    assert visitor.get("/evening/%00").status_code == 404
    assert visitor.get("/me/forget").headers["location"] == "/me"
    assert visitor.get("/t/x/rematch").headers["location"] == "/t/x"


def test_players_of_one_name_are_told_apart(client: TestClient) -> None:
    evening = start(client)
    for _ in range(2):
        Player(client, evening, "Bob")
    shown = Visitor(client).get(evening).text
    assert "<bdi>Bob (1)</bdi>" in shown
    assert "<bdi>Bob (2)</bdi>" in shown


def test_nobody_takes_the_plain_name_of_whoever_came_first(client: TestClient) -> None:
    evening = start(client)
    anna = Player(client, evening, "Anna")
    assert "<bdi>Anna</bdi>" in anna.get(evening).text
    while True:  # until a later visitor stands before her in the database
        other = Visitor(client)
        other.post("/me", {"name": "anna"})
        if visitor_of(other) < visitor_of(anna):
            break
    other.post(f"{evening}/join", {"name": "anna"})
    assert sorted(re.findall("<bdi>(a.*?)</bdi>", anna.get(evening).text, re.IGNORECASE)) == [
        *("Anna (2)", "anna (1)")
    ]


def test_limits(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "MAX_EVENINGS", 1)
    monkeypatch.setattr(storage, "MAX_PLAYERS", 1)
    evening = start(client)
    answer = Visitor(client).post("/evenings", FORM)
    assert (answer.status_code, "going on in this house already" in answer.text) == (422, True)
    anna = Player(client, evening, "Anna")
    assert anna.post(f"{evening}/join", {"name": "Anne"}).status_code == 303
    assert "Anne" in anna.get("/me").text
    answer = Visitor(client).post(f"{evening}/join", {"name": "Bert"})
    assert "has 1 players already" in answer.text
    answer = Visitor(client).post(f"{evening}/join", {"name": ""})
    assert "Give yourself a name." in answer.text


def refusal(host: Visitor) -> str:
    """Return the reason why an evening cannot be started, "" if it was."""
    answer = host.post("/evenings", FORM)
    assert answer.status_code in (303, 422)
    found = re.search(r"You and others at your address have .*? is over\.", answer.text)
    return found[0] if found else ""


def test_a_visitor_or_an_address_has_few_evenings_at_once(client: TestClient, time: Time) -> None:
    other = TestClient(client.app, str(client.base_url), client=("203.0.113.9", 1))
    host = Visitor(client)
    for at in range(MAX_OWN_EVENINGS):
        assert refusal(host if at else Visitor(client)) == ""
    reason = (
        "You and others at your address have 3 evenings going on already; wait until one is over."
    )
    assert refusal(Visitor(client)) == reason
    host.client = other
    assert refusal(host) == ""  # elsewhere the host has two
    assert refusal(host) == reason
    assert refusal(Visitor(other)) == ""
    time.now += 31 * clock.MINUTE
    assert refusal(host) == refusal(Visitor(client)) == ""
    assert len(client.app.state.evenings._started) == 2  # type: ignore[attr-defined]


def test_whoever_runs_the_house_lists_and_ends_evenings(
    client: TestClient, time: Time, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRIDHOUSE_DATABASE_URL", f"sqlite:///{tmp_path / 'house.db'}")
    monkeypatch.setenv("COLUMNS", "200")
    host = Visitor(client)
    evening = str(host.post("/evenings", FORM).headers["location"])
    players = [Player(client, evening, name) for name in ("Anna", "Bert")]
    table, _ = rounds(time, players)
    with sqlite3.connect(tmp_path / "house.db") as connection:
        connection.execute(
            "INSERT INTO evenings SELECT 'damaged', host, name, game, initial, increment, listed, "
            "'zz' FROM evenings"
        )
    connection.close()
    name = evening.rpartition("/")[2]

    def run(*words: str) -> str:
        return str(CliRunner().invoke(complete_app(), ["admin", *words]).output)

    listed = run("evenings")
    row = rf"^{name} +Tuesday club +{visitor_of(host)[:12]} +binary +30 +2 *$"
    assert re.search(row, listed, re.MULTILINE)
    assert re.search("^damaged +cannot be read", listed, re.MULTILINE)
    assert run("end-evening", name) == f"{name}: over\n"
    assert run("end-evening", "damaged") == "damaged: over\n"
    assert "no such evening" in run("end-evening", name)
    assert name not in run("evenings")
    resign(players[0], table)
    assert rounds(time, players) == ["", ""]  # no other game begins
    assert "The evening is over." in players[0].get(evening).text
    assert standings(players[0], evening)[0] == (1, "Bert", 1, 2)


@pytest.mark.parametrize("hours", [-3, -1, 0, 1, 3])
def test_an_evening_is_ended_whatever_the_clock_of_the_command_says(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    host = Visitor(client)
    address = host.post("/evenings", FORM | {"minutes": "120", "listed": "on"}).headers["location"]
    name = address.rpartition("/")[2]
    engine = client.app.state.service.store.engine  # type: ignore[attr-defined]
    house = clock.now
    monkeypatch.setattr(clock, "now", lambda: house() + hours * 60 * clock.MINUTE)
    for is_there in (True, False):
        with engine.begin() as connection:
            assert upkeep.end_evening(connection, name) == is_there
    monkeypatch.setattr(clock, "now", house)
    assert "The evening is over." in host.get(address).text
    assert f'"{address}"' in host.get("/evenings").text


def test_only_listed_evenings_are_found_by_others(client: TestClient) -> None:
    host = Visitor(client)
    host.post("/evenings", FORM)
    start(client, name="Open evening", listed="on")
    mine, others = host.get("/evenings").text, Visitor(client).get("/evenings").text
    assert ("Tuesday club" in mine, "Open evening" in mine) == (True, True)
    assert ("Tuesday club" in others, "Open evening" in others) == (False, True)
    assert Visitor(client).get("/evening/unknown").status_code == 404
    assert host.post("/evenings", FORM, origin="http://else.test").status_code == 403


def test_games_of_an_evening_stay_in_memory(
    client: TestClient, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridhouse.server.tables.service.MAX_IDLE", 0)
    evening = start(client)
    players = [Player(client, evening, name) for name in ("Anna", "Bert")]
    table, _ = rounds(time, players)
    for _ in range(2):
        players[0].get(players[0].new("binary"))
    known = client.app.state.service._live  # type: ignore[attr-defined]
    assert table.removeprefix("/t/") in known
    assert len(known) == 2


def least(players: list[FreePlayer], count: Callable[[Pair], int]) -> int:
    """Return the least number of repetitions, by trying all pairs."""
    if len(players) < 2:
        return 0
    ways = []
    if len(players) % 2:
        ways += [least(players[:at] + players[at + 1 :], count) for at in range(len(players))]
        return min(ways)
    for at in range(1, len(players)):
        pair = Pair(players[0], players[at])
        ways.append(count(pair) + least(players[1:at] + players[at + 1 :], count))
    return min(ways)


@given(st.data())
def test_everybody_is_paired_once_and_repeats_no_game_without_need(data: st.DataObject) -> None:
    names = [f"v{number}" for number in range(data.draw(st.integers(0, 8)))]
    players = [
        FreePlayer(
            name,
            data.draw(st.integers(0, 6)),
            data.draw(st.integers(-1, 1)),
            data.draw(
                st.sampled_from([None, "gone", *(other for other in names if other != name)])
            ),
        )
        for name in names
    ]
    pairs = pair_up(players)
    paired = [player for pair in pairs for player in pair]
    assert len(set(paired)) == len(paired) == len(players) // 2 * 2
    assert set(paired) <= set(players)
    assert all(pair.first.balance <= pair.second.balance for pair in pairs)
    assert sum(pair.repeats for pair in pairs) == least(players, lambda pair: pair.repeats)


def test_many_are_paired_by_their_points() -> None:
    hub = [FreePlayer(f"v{at:03}", at // 20, opponent="v100") for at in range(200) if at != 100]
    players = [*hub, FreePlayer("v100", 5)]
    pairs = pair_up(players)
    assert len(pairs) == 100
    assert sum(pair.repeats for pair in pairs) == 1  # of v100, who has played everybody
    fresh = pair_up([FreePlayer(f"v{at:03}", at // 20) for at in range(200)])
    assert all(pair.first.points == pair.second.points for pair in fresh)

"""Other people: who is at a table, what friends say, who fills the lobby, and how to reach them."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from browser_helpers import Hands
from gridhouse.server import serve
from gridhouse.server.tables import live_table
from web_helpers import Visitor

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from starlette.testclient import TestClient

ROW = "binary(rows=1,cols=6) ......"


@pytest.fixture
def friend(client: TestClient) -> Visitor:
    return Visitor(client)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a closed page count as closed at once."""
    monkeypatch.setattr(live_table, "AWAY_AFTER", 0.01)


def meet(visitor: Visitor, friend: Visitor) -> str:
    """Return a table at which two friends sit."""
    table = visitor.new("binary", opponent="friends", start=ROW)
    with visitor.at(table) as seat:
        link = seat.view["invitation"]
    assert friend.post(link).status_code == 303
    return table


def test_a_page_hears_who_comes_and_goes(visitor: Visitor, friend: Visitor, soon: None) -> None:
    table = meet(visitor, friend)
    with visitor.at(table) as mine:
        assert (mine.view["present"], mine.view["watchers"]) == ([True, False], 0)
        with friend.at(table) as theirs:
            assert theirs.view["present"] == [True, True]
            assert mine.wait("presence")["present"] == [True, True]
            with Visitor(visitor.client).at(table) as watching:
                assert watching.view["watchers"] == 1
                assert mine.wait("presence")["watchers"] == 1
                mine.move("0 0 0")
                assert (mine.view["present"], mine.view["watchers"]) == ([True, True], 1)
            assert mine.wait("presence")["watchers"] == 0
        assert mine.wait("presence")["present"] == [True, False]


def test_a_page_that_is_loaded_again_has_never_left(visitor: Visitor, friend: Visitor) -> None:
    table = meet(visitor, friend)
    with visitor.at(table) as mine:
        for _ in range(2):
            with friend.at(table):
                pass
        mine.move("0 0 0")
        assert mine.view["present"] == [True, True]
    assert sum('"presence"' in text for text in mine.heard) == 1


def test_many_who_come_at_once_are_told_of_together(visitor: Visitor, friend: Visitor) -> None:
    table = meet(visitor, friend)
    with visitor.at(table) as mine, ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(Visitor(visitor.client).at(table))
        while mine.wait("presence")["watchers"] < 8:
            pass
        mine.move("0 0 0")
    heard = sum('"presence"' in text for text in mine.heard)
    assert heard < 8 / 2


def test_the_machine_is_always_there(visitor: Visitor) -> None:
    with visitor.at(visitor.new("sinks", level="3")) as seat:
        assert seat.view["present"] == [True, True]
        assert seat.view["names"] == ["Anonymous", "The machine, level 3, Casual"]
    with visitor.at(visitor.new("sinks", opponent="hotseat")) as seat:
        assert seat.view["names"] == ["", ""]


def test_friends_have_six_phrases(
    visitor: Visitor, friend: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.post("/me", {"name": "Anna"})
    table = meet(visitor, friend)
    with (
        visitor.at(table) as mine,
        friend.at(table) as theirs,
        Visitor(visitor.client).at(table) as watching,
    ):
        mine.say("phrase", number=1)
        for page in (mine, theirs, watching):
            told = page.wait("phrase")
            assert told == {"type": "phrase", "name": "Anna", "text": "Good luck"}
        assert mine.refused("phrase", number=0) == "wait a moment before you say something again"
        theirs.say("phrase", number=5)
        for page in (mine, watching):
            assert page.wait("phrase")["name"] == "Player 2"
        for number in (6, -1, True, "0", None):
            assert "from 0 to 5" in mine.refused("phrase", number=number)
        assert "watching" in watching.refused("phrase", number=0)
        monkeypatch.setattr(live_table, "PHRASE_PAUSE", 0.0)
        mine.say("phrase", number=3)
        assert mine.wait("phrase")["text"] == "Good game"
    with visitor.at(visitor.new("binary")) as seat:
        assert "between friends" in seat.refused("phrase", number=0)


def listed(client: TestClient) -> list[str]:
    return [table["id"] for table in client.get("/api/tables").json()]


def test_nobody_fills_the_lobby(client: TestClient, visitor: Visitor, friend: Visitor) -> None:
    own = {"opponent": "friends", "listed": "on"}
    tables = [visitor.new("binary", **own).removeprefix("/t/") for _ in range(7)]
    assert sorted(listed(client)) == sorted(tables[2:])  # the oldest left
    assert visitor.get(f"/t/{tables[0]}").status_code == 200
    friend.new("binary", **own)  # who forgets the cookie has the same address
    assert len(listed(client)) == 5
    visitor.new("binary", opponent="friends")
    assert len(listed(client)) == 5
    client.cookies.clear()
    made = client.post("/api/tables", json={"game": "binary", "listed": True}).json()
    assert made["table"]["id"] in listed(client)
    assert len(listed(client)) == 5


def test_nobody_fills_the_lobby_by_rematches(
    client: TestClient, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = visitor.new("sliding", start="sliding(rows=2,cols=2) ab c/abcd", listed="on")
    with visitor.at(table) as seat:
        seat.move("R")
        assert seat.view["over"]
    names = [visitor.post(f"{table}/rematch").headers["location"] for _ in range(7)]
    assert sorted(listed(client)) == sorted(name.removeprefix("/t/") for name in names[2:])
    monkeypatch.setattr("gridhouse.server.app.MAX_TABLES", 8)
    assert visitor.post(f"{table}/rematch").status_code == 429


def test_the_lobby_is_filtered_and_knows_ones_own(visitor: Visitor, friend: Visitor) -> None:
    table = visitor.new("binary", opponent="friends", listed="on")
    visitor.new("sliding", listed="on")
    page = visitor.get("/lobby?game=binary").text
    assert "(yours)" in page
    assert f'<a class="button" href="{table}">Continue' in page
    assert f"{table}/join/" not in page
    assert "No game is in play now." in page
    page = friend.get("/lobby?game=sliding").text
    assert "(yours)" not in page
    assert "No table is open." in page
    assert f"{table}/join/" in friend.get("/lobby?game=nothing").text


def test_an_invitation_names_an_address_of_this_machine(
    client: TestClient, visitor: Visitor
) -> None:
    table = visitor.new("binary", opponent="friends")
    state = client.app.state  # type: ignore[attr-defined]
    local = {"host": "127.0.0.1:8017"}
    state.origins = ["http://192.168.1.5:8017", "http://10.0.0.2:8017"]
    page = visitor.get(table, **local).text
    assert 'data-origin="http://192.168.1.5:8017"' in page
    assert "put another address of this machine into it: http://10.0.0.2:8017" in page
    assert "data-origin" not in visitor.get(table).text  # opened at a name that others know
    link = visitor.post("/me/link", host="127.0.0.1:8017").text
    assert 'value="http://192.168.1.5:8017/me/link/' in link
    state.origins = []
    assert "<code>--host 0.0.0.0</code>" in visitor.get(table, **local).text
    assert "--host" not in visitor.get(table).text


def test_a_house_knows_where_others_find_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "outward_address", lambda: "192.168.1.5")
    monkeypatch.setattr(serve, "named_addresses", lambda: ["127.0.1.1", "192.168.1.5", "10.0.0.2"])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        found = serve.network_origins("0.0.0.0", listening)
        assert found == [f"http://192.168.1.5:{port}", f"http://10.0.0.2:{port}"]
        for host in ("127.0.0.1", "localhost", "::1"):
            assert serve.network_origins(host, listening) == []
        assert serve.network_origins("192.168.1.9", listening) == [f"http://192.168.1.9:{port}"]
        monkeypatch.undo()
        assert all("//127." not in origin for origin in serve.network_origins("::", listening))


@pytest.mark.slow("drives a browser")
def test_friends_see_each_other_come_speak_and_go(
    address: str, visit: Callable[..., Page], soon: None
) -> None:
    anna = visit(address)
    anna.goto(address + "/me")
    anna.fill("input[name=name]", "Anna")
    anna.click("text=Save")
    anna.goto(address)
    Hands(anna).begin("Binary Game", opponent="friends")
    bert = visit(address)
    bert.goto(anna.input_value("#invitation-link"))
    assert "Anna invites you to a game." in bert.inner_text("main")
    bert.click("button.main")
    anna.wait_for_selector("#company li:has-text('Anonymous plays Player 2')")
    anna.wait_for_selector("text=(away)", state="detached")
    anna.click("text=Say something")
    anna.click("text=Well played")
    for page in (anna, bert):
        page.wait_for_selector("#phrase:has-text('Anna: Well played')")
    watching = visit(address)
    watching.goto(anna.url)
    bert.wait_for_selector("text=1 person is watching")
    assert watching.locator("#phrases").count() == 0
    bert.close()
    anna.wait_for_selector("#phrase:has-text('Anonymous has left the table.')")
    anna.wait_for_selector("#company li:has-text('plays Player 2 (away)')")


@pytest.mark.slow("drives a browser")
def test_a_link_opens_ones_games_in_another_browser(
    address: str, visit: Callable[..., Page]
) -> None:
    anna = visit(address)
    anna.click("form[action='/new/sliding'] button")
    hands = Hands(anna)
    hands.wait(0)
    anna.fill("#move", anna.evaluate("'U'"))
    anna.click("#typed button")
    anna.goto(address + "/me")
    anna.fill("input[name=name]", "Anna")
    anna.check("input[name=picture][value='3']")
    anna.click("text=Save")
    anna.click("text=Make a link")
    phone = visit(address)
    phone.goto(anna.input_value("input.link"))
    phone.click("text=Use this device")
    phone.wait_for_selector("h1:has-text('My games')")
    assert phone.inner_text(".who bdi") == "Anna"
    phone.click("text=Continue")
    Hands(phone).wait(1)
    assert phone.is_enabled("#move")

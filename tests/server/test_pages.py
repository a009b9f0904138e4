"""The house in the browser, from the side of the server: pages, forms, tables, what is kept."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from starlette.websockets import WebSocketDisconnect

import gridhouse
from gridhouse.core.registry import game_class
from gridhouse.server import settings as limits
from gridhouse.server.pages import assets, forms
from gridhouse.server.storage.records import Change, Ply, StaleError, StoredTable
from gridhouse.server.storage.store import Store, metadata, write
from gridhouse.server.tables import visibility
from gridhouse.server.tables.table import Table, gesture
from gridhouse.server.tables.visibility import Snapshot
from web_helpers import Visitor, open_house, playout, uncovered

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection
    from starlette.testclient import TestClient

    from gridhouse.core.game import State


NAMES = gridhouse.games()


def test_the_front_door_leads_to_every_game(visitor: Visitor) -> None:
    page = visitor.get("/").text
    for name in NAMES:
        assert game_class(name).summary in page
        rules = visitor.get(f"/rules/{name}").text
        assert game_class(name).move_form in rules
        for shown in (page, rules):  # pictures without names, which would come twice
            pictures = shown[shown.index("<svg xmlns") : shown.rindex("</svg>")]
            assert " id=" not in pictures
            assert "aria-label" not in pictures


@pytest.mark.parametrize("name", NAMES)
def test_one_click_begins_a_game(visitor: Visitor, name: str) -> None:
    table = visitor.new(name)
    assert "<svg " in visitor.get(table).text
    with visitor.at(table) as seat:
        assert seat.view["acts"]
        assert [move for move, _, _ in seat.view["gestures"]]


def test_the_first_game_offers_its_lesson(visitor: Visitor) -> None:
    offer = '<a class="button" href="/learn/sinks">'
    other, first = visitor.new("binary"), visitor.new("sinks")
    assert offer not in visitor.get(other).text
    assert offer in visitor.get(first).text
    assert offer in visitor.get(visitor.new("sinks", opponent="friends")).text
    with visitor.at(first) as seat:
        seat.move(seat.view["gestures"][0][0])
    assert offer not in visitor.get(first).text
    assert offer not in visitor.get(visitor.new("sinks")).text


def test_every_answer_keeps_to_itself(visitor: Visitor) -> None:
    paths = ("/", "/nowhere", "/static/table.js", visitor.new("binary"))
    for path in paths:
        headers = visitor.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "cross-origin-opener-policy" not in headers  # over HTTP no browser takes it
    for base in ("http://localhost", "https://house.test"):
        headers = visitor.client.get(base + "/").headers
        assert headers["cross-origin-opener-policy"] == "same-origin"
    assert (
        visitor.get(f"{paths[-1]}/picture.svg")
        .headers["content-security-policy"]
        .startswith("default-src 'none'; style-src 'unsafe-inline'")
    )


def test_pages_name_no_other_host_and_hold_no_style_of_their_own(visitor: Visitor) -> None:
    table = visitor.new("sinks")
    for path in ("/", "/rules/sinks", "/new/sinks", table):
        page = visitor.get(path).text.replace("http://www.w3.org/2000/svg", "")
        assert "http" not in page
        assert "style=" not in page
        assert "<style" not in page


def test_scripts_are_asked_after_and_the_style_is_kept(visitor: Visitor) -> None:
    script = visitor.get("/static/table.js")
    assert script.headers["cache-control"] == "no-cache"
    headers = {"if-none-match": script.headers["etag"]}
    assert visitor.get("/static/table.js", **headers).status_code == 304
    address = visitor.get("/").text.partition('rel="stylesheet" href="')[2].partition('"')[0]
    style = visitor.get(address)
    assert "immutable" in style.headers["cache-control"]
    assert "--ground" in style.text
    assert ".cards" in style.text


def test_a_cookie_comes_with_a_seat_and_not_before(visitor: Visitor) -> None:
    for path in ("/", "/new/binary", "/rules/binary"):
        assert "set-cookie" not in visitor.get(path).headers
    cookie = visitor.post("/new/binary").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


@pytest.mark.parametrize(
    ("game", "form", "start"),
    [
        ("binary", {"preset": "small"}, "binary(rows=5,cols=5) ...../...../...../...../....."),
        ("binary", {"preset": "own", "p-rows": "1", "p-cols": "2"}, "binary(rows=1,cols=2) .."),
        ("binary", {"start": "binary(rows=1,cols=2) .1 \r\n"}, "binary(rows=1,cols=2) .1"),
        ("binary", {"start": "0.\r\n.1\r\n"}, "binary(rows=2,cols=2) 0./.1"),
        (
            "collapse",
            {"start": "1 2\n2 2\n"},
            "collapse(rows=2,cols=2,digits=3,scoring=linear) 0 12/22",
        ),
    ],
)
def test_what_a_form_asks_for_is_on_the_table(
    visitor: Visitor, game: str, form: dict[str, str], start: str
) -> None:
    table = visitor.new(game, **form)
    assert visitor.get(f"{table}/position.txt").text == start + "\n"


def test_a_hidden_game_can_be_asked_for(visitor: Visitor) -> None:
    own = {"preset": "own", "p-rows": "4", "p-cols": "4", "p-pieces": "5x1 Fx1"}
    open_table = visitor.new("tactego", **own)
    assert visitor.get(f"{open_table}/position.txt").status_code == 200
    hidden = visitor.new("tactego", **own, **{"p-hidden": "on"})
    assert visitor.get(f"{hidden}/position.txt").status_code == 403


@pytest.mark.parametrize(
    ("game", "form", "problem"),
    [
        ("binary", {"preset": "huge"}, "There is no preset"),
        ("binary", {"preset": "own", "p-rows": "x"}, "is not a whole number"),
        ("binary", {"preset": "own", "p-rows": "99"}, "rows: 99 is not in 1..20."),
        ("binary", {"start": "binary(rows=2,cols=2) 9"}, "needs 2 rows of 2 cells"),
        ("binary", {"start": "012"}, "a cell is 0, 1 or a dot"),
        ("binary", {"opponent": "nobody"}, "machine, friends, hotseat or analysis"),
        ("binary", {"level": "9"}, "a number from 1 to 8"),
        ("binary", {"level": ""}, "a number from 1 to 8"),
        ("binary", {"side": "2"}, "there is no player"),
        ("collapse", {"preset": "own", "p-rows": "999", "p-cols": "999"}, "at most 400 cells"),
        ("collapse", {"start": "collapse(rows=900,cols=900,digits=3)#1"}, "at most 400 cells"),
        ("collapse", {"start": "1 " * 500}, "at most 400 cells"),
        ("sliding", {"start": "no words of this length"}, "there are no words of 3 letters"),
    ],
)
def test_a_bad_form_comes_back_with_the_reason_and_what_was_typed(
    visitor: Visitor, game: str, form: dict[str, str], problem: str
) -> None:
    answer = visitor.post(f"/new/{game}", form)
    assert answer.status_code == 422
    said = answer.text.partition('role="alert">')[2].partition("<")[0]
    assert problem.lower() in said.lower()
    assert form.get("start", "").strip()[:30] in answer.text
    assert "set-cookie" not in answer.headers


def test_errors_are_pages_that_can_be_read(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("/nowhere", "/rules/chess", "/t/nothing", "/static/none.js"):
        answer = visitor.get(path)
        assert answer.status_code == 404
        assert "Back to the front page" in answer.text
    assert visitor.post("/").status_code == 405
    long = visitor.post("/new/binary", {"start": "x" * limits.MAX_BODY})
    assert long.status_code == 413
    assert "longer than 64 KiB" in long.text
    broken = visitor.client.post("/new/binary", content=b"\xff\xfe")
    assert broken.status_code == 400
    monkeypatch.setattr("gridhouse.server.pages.views.game_class", lambda name: 1 / 0)
    failed = visitor.get("/rules/binary")
    assert failed.status_code == 500
    assert "It was logged" in failed.text
    assert "ZeroDivision" not in failed.text


def test_forms_and_sockets_of_others_are_refused(visitor: Visitor) -> None:
    other = "http://elsewhere.test"
    assert visitor.post("/new/binary", origin=other).status_code == 403
    table = visitor.new("binary")
    assert visitor.post("/new/binary", origin="http://house.test").status_code == 303
    with visitor.at(table, origin="http://house.test") as seat:
        assert seat.view["ply"] == 0
    with pytest.raises(WebSocketDisconnect), visitor.at(table, origin=other):
        pass
    with pytest.raises(WebSocketDisconnect), visitor.at("/t/nothing"):
        pass


def test_an_address_opens_so_many_tables_in_an_hour(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridhouse.server.app.MAX_TABLES", 2)
    now = 1000.0
    monkeypatch.setattr("gridhouse.server.app.time", SimpleNamespace(monotonic=lambda: now))
    for _ in range(2):
        now += 60
        visitor.new("sliding")
        assert visitor.post("/new/sliding", {"preset": "none"}).status_code == 422  # is no table
    answer = visitor.post("/new/sliding")
    assert answer.status_code == 429
    assert "Only 2 new games are allowed in an hour; try again in 59 minutes." in answer.text
    now += 3500
    assert "in 1 minute." in visitor.post("/new/sliding").text
    now += 41
    visitor.new("sliding")


@pytest.mark.parametrize("name", NAMES)
def test_a_random_game_is_played_to_its_end(visitor: Visitor, name: str) -> None:
    """Every move is told by its gesture; the page says the outcome."""
    start = f"{game_class(name)()}#1"  # the rules' own board, on which nothing is hidden
    table = visitor.new(name, start=start, opponent="hotseat")
    position = visitor.get(f"{table}/position.txt").text
    state = gridhouse.parse(position.rstrip("\n"))
    actions = playout(state, 3)[:60]
    with visitor.at(table) as seat:
        for action in actions:
            if seat.view["handing"]:
                uncovered(seat)
            gestures = {move: (cells, choice) for move, cells, choice in seat.view["gestures"]}
            move = state.action_to_string(action)
            assert gestures[move] == state.gesture(action)
            assert len(gestures) == len(state.legal_actions())
            seat.move(move)
            state.apply_action(action)
        assert len(seat.view["moves"]) == len(actions)
        if state.is_terminal():
            assert seat.view["heading"] == state.game.outcome(state.position)
            assert seat.view["gestures"] == []


def test_refusals_are_said_in_words(visitor: Visitor) -> None:
    table = visitor.new("binary", start="binary(rows=1,cols=3) 00.", opponent="hotseat")
    with visitor.at(table) as seat:
        assert seat.refused("move", move="2 0 0", ply=0) == "'2 0 0' is not legal: three in a row"
        assert "is not a move (x y digit)" in seat.refused("move", move="hello", ply=0)
        assert (
            seat.refused("move", move="2 0 1", ply=5) == "the table has changed; look at it again"
        )
        assert seat.refused("why", cells=[0]) == "occupied"
        assert seat.refused("why", cells=["x"]) == "no move begins with these cells"
        assert seat.refused("why", cells=[77]) == "no move begins with these cells"
        assert seat.refused("dance") == "the request has an unknown type"
        assert seat.refused("answer", agrees=True) == "there is no request to answer"
        assert "no move to take back" in seat.refused("undo")
        seat.move("2 0 1")
        assert seat.view["heading"] == "Player 1 wins"
        assert seat.refused("move", move="0 0 0", ply=1) == "the game is over"
        assert seat.refused("hint") == "the game is over"
        assert seat.refused("why", cells=[0]) == "the game is over"


def test_a_reason_is_looked_for_among_the_actions_of_a_cell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = "tactego(rows=20,cols=20,pieces=5x199 Fx1,limit=0)#1"
    snapshot = Snapshot(Table(StoredTable("", start, "hotseat")))
    snapshot.no_move_reason_for([1])  # finds the actions of all cells, once for a position
    asked: list[int] = []

    def noted(state: State, action: int) -> tuple[list[int], str]:
        asked.append(action)
        return gesture(state, action)

    monkeypatch.setattr(visibility, "gesture", noted)
    reason, _ = snapshot.no_move_reason_for([0])
    assert reason == "your own piece is there"
    assert 0 < len(asked) <= 8  # directions


def test_of_many_reasons_the_commonest_is_said(visitor: Visitor) -> None:
    table = visitor.new("sinks", opponent="hotseat")
    with visitor.at(table) as seat:
        assert seat.refused("why", cells=[55]) == "the piece does not belong to the right player"
        assert seat.refused("why", cells=[5]) == "there is no piece or sink on this field"
    both = visitor.new("binary", start="00.\n..1\n..1", opponent="hotseat")
    with visitor.at(both) as seat:
        assert seat.refused("why", cells=[2]) == "three in a row"


@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_pointed_at_has_an_answer(visitor: Visitor, name: str) -> None:
    table = visitor.new(name, opponent="hotseat")
    with visitor.at(table) as seat:
        for cell in range(30):
            assert seat.refused("why", cells=[cell])


def test_noise_on_a_socket_ends_it(visitor: Visitor) -> None:
    table = visitor.new("binary", opponent="hotseat")
    for noise in ("", "{", "[1]", "{}", '{"type": 3}', "[" * 4000, '"' + "x" * 5000 + '"'):
        with visitor.at(table) as seat:
            seat.socket.send_text(noise)
            with pytest.raises(WebSocketDisconnect):
                seat.listen()
    with visitor.at(table) as seat:
        seat.socket.send_bytes(b"\x00")
        with pytest.raises(WebSocketDisconnect):
            seat.listen()


def test_a_page_may_say_so_much_and_no_more(tmp_path: Path) -> None:
    with open_house(tmp_path, burst=20, rate=0.1) as client:
        visitor = Visitor(client)
        with visitor.at(visitor.new("binary")) as seat:
            for _ in range(20):
                assert seat.refused("dance")
            seat.say("dance")
            with pytest.raises(WebSocketDisconnect):
                seat.listen()


def test_a_table_has_room_for_so_many(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridhouse.server.tables.live_table.MAX_SUBSCRIBERS", 1)
    table, other = visitor.new("binary"), Visitor(visitor.client)
    with other.at(table), pytest.raises(WebSocketDisconnect), other.at(table):
        pass
    with other.at(table), visitor.at(table) as seat:  # who plays has a place
        assert seat.view["acts"]
    monkeypatch.undo()
    monkeypatch.setattr("gridhouse.server.tables.live_table.MAX_WATCHERS_OF_ADDRESS", 1)
    with other.at(table), pytest.raises(WebSocketDisconnect), other.at(table):
        pass


def test_two_at_one_screen_take_back_freely(visitor: Visitor) -> None:
    table = visitor.new("binary", preset="small", opponent="hotseat")
    with visitor.at(table) as seat, visitor.at(table) as other:
        seat.move("0 0 1")
        seat.move("1 0 0")
        assert seat.view["undo"]
        other.say("undo")
        assert seat.wait("view", 1)["moves"] == [["Player 1", "0 0 1"]]
        seat.move("1 0 1")
    assert visitor.get(f"{table}/record.txt").text.splitlines()[1:] == [
        "Player 1: 0 0 1",
        "Player 2: 1 0 1",
    ]


def test_a_board_is_seen_from_who_moves_and_from_any_viewpoint(client: TestClient) -> None:
    anna, carl = Visitor(client), Visitor(client)
    table = anna.new("sinks", opponent="hotseat")
    state = gridhouse.load("sinks").new_initial_state()
    with anna.at(table) as seat, carl.at(table) as watching:
        assert watching.view["board"] == seat.view["board"] == state.open_picture(0, 1).inline()
        assert tuple(seat.view["cameras"]) == state.cameras()
        watching.say("turn")
        assert watching.wait("view")["board"] == state.open_picture(0, 2).inline()
        watching.say("turn", to=8)
        assert watching.wait("view")["camera"] == 8
        watching.say("turn")
        assert watching.wait("view")["board"] == state.open_picture(0, 0).inline()
        wrongs: tuple[object, ...] = (9, -1, True, 1.0, "1", [])
        for wrong in wrongs:
            assert watching.refused("turn", to=wrong) == "the viewpoints are 0 to 8"
        for move in ("3 3 l", "3 1 d"):
            state.play(move)
            assert seat.move(move)["board"] == state.picture(0, state.current_player()).inline()
        assert seat.view["side"] == 1
        assert watching.wait("view", 2)["board"] == state.open_picture(0, 0).inline()
    for asked, camera in (("0", 0), ("8", 8), ("9", 1), ("-1", 1), ("x", 1), ("", 1)):
        with carl.at(table, f"?camera={asked}") as watching:
            assert watching.view["camera"] == camera
    with anna.at(anna.new("binary"), "?camera=1") as seat:
        assert seat.view["camera"] == 0
        assert seat.view["cameras"] == []
        assert seat.refused("turn") == "this board is seen from one viewpoint only"


def test_a_view_has_what_a_roll_covers_and_counts_of_the_status(visitor: Visitor) -> None:
    with visitor.at(visitor.new("sinks", opponent="hotseat")) as seat:
        landings = seat.view["landings"]
        assert landings["3 3 l"] == [31, 32]
        assert landings["1 1 l"] == [10, 20]  # a sink lights the fields that it will newly cover
        assert landings["1 1 r"] == [13, 23]
        assert "3 3 f" not in landings
        assert "0 0 b" not in landings
        light = [token["icon"] for token in seat.view["tokens"] if token["side"] == 0]
        assert light == ["sunk", "freeze", "push", "moves"]
    with visitor.at(visitor.new("binary")) as seat:
        assert seat.view["landings"] == {}
        assert seat.view["tokens"] == []


def test_a_refusal_says_what_stands_in_the_way(visitor: Visitor) -> None:
    with visitor.at(visitor.new("sinks", opponent="hotseat")) as seat:
        seat.say("why", cells=[44])
        refusal = seat.wait("refusal")
        assert (refusal["text"], refusal["cells"]) == ("the way is not free", [34, 35, 43, 53])
        seat.say("why", cells=[34])
        assert seat.wait("refusal")["cells"] == []  # it is not one's own


def test_friends_meet_by_a_link_and_take_back_by_consent(client: TestClient) -> None:
    anna, bert, carl = Visitor(client), Visitor(client), Visitor(client)
    table = anna.new("binary", preset="small", opponent="friends", side="1")
    with anna.at(table) as first:
        link = first.view["invitation"]
        assert "Play as Player 1" in bert.get(link).text
        assert first.refused("move", move="0 0 0", ply=0) == "it is not your turn"
        assert anna.post(link).status_code == 409
        assert bert.get(link[:-3] + "xxx").status_code == 404
        assert bert.post(link[:-3] + "xxx").status_code == 404
        assert bert.post(link, origin="http://elsewhere.test").status_code == 403
        assert bert.post(link).headers["location"] == table
        assert "invitation" not in first.wait("view")
        taken = carl.post(link)
        assert taken.status_code == 409
        assert "seat is taken" in taken.text
        assert "This seat is taken." in carl.get(link).text
        for sitter in (anna, bert):  # who sits there comes to the table
            assert sitter.get(link).headers["location"] == table
        with bert.at(table) as second, carl.at(table) as third:
            assert third.view["gestures"] == []
            assert not third.view["acts"]
            assert "watch" in third.refused("move", move="0 0 0", ply=0)
            assert "You are watching this game" in carl.get(table).text
            second.move("0 0 1")
            first.wait("view", 1)
            assert "no move to take back" in first.refused("undo")
            first.move("1 0 0")
            second.wait("view", 2)
            second.say("undo")
            assert first.wait("view")["asked"] == "Player 1 asks to take back the last 2 moves."
            assert second.wait("view")["asked"] == ""
            first.say("answer", agrees=False)
            assert first.wait("view")["ply"] == 2
            second.wait("view")
            second.say("undo")
            first.wait("view")
            second.wait("view")
            first.say("answer", agrees=True)
            assert first.wait("view")["moves"] == []
            assert second.wait("view")["acts"]


def test_the_machine_answers_and_undo_leads_back_to_my_turn(visitor: Visitor) -> None:
    table = visitor.new("binary", preset="small", level="1", side="1")
    with visitor.at(table) as seat:
        if seat.view["ply"] == 0:
            assert seat.view["heading"].startswith("Player 1")
            seat.wait("view", 1)
        assert "no move to take back" in seat.refused("undo")
        seat.move(seat.view["gestures"][0][0])
        seat.wait("view", 3)
        seat.say("undo")
        assert seat.wait("view", 1)["acts"]
        seat.say("hint")
        hint = seat.wait("hint")
        assert hint["move"] in [move for move, _, _ in seat.view["gestures"]]
        assert hint["ply"] == 1


def test_the_machine_plays_a_game_to_its_end(visitor: Visitor) -> None:
    table = visitor.new("binary", preset="small", level="1", side="random")
    with visitor.at(table) as seat:
        while not seat.view["over"]:
            if seat.view["acts"]:
                seat.move(seat.view["gestures"][0][0])
            else:
                seat.wait("view")
        assert seat.view["heading"].endswith(" wins")


def test_a_table_is_as_it_was_when_the_house_opens_again(tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        table = visitor.new("collapse", preset="small")
        with visitor.at(table) as seat:
            for _ in range(3):
                seat.move(seat.view["gestures"][0][0])
            before = seat.view
    with open_house(tmp_path) as client:
        visitor.client = client
        with visitor.at(table) as seat:
            assert seat.view == before


def test_the_migrations_make_the_tables_that_are_declared(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'new.db'}")
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    secret = store.secret()
    store.close()
    again = Store(f"sqlite:///{tmp_path / 'new.db'}")
    assert again.secret() == secret
    again.close()


def test_a_move_that_is_not_on_disk_is_not_shown(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = visitor.new("binary", preset="small", opponent="hotseat")
    written: list[Change] = []

    def fail_once(connection: Connection, changes: list[Change]) -> None:
        written.extend(changes)
        if len(written) == 1:
            raise OSError("the disk is full")
        write(connection, changes)

    monkeypatch.setattr("gridhouse.server.storage.store.write", fail_once)
    with visitor.at(table) as seat:
        seat.say("move", move="0 0 1", ply=0)
        assert "could not be saved" in seat.wait("refusal")["text"]
        assert seat.move("0 0 0")["moves"] == [["Player 1", "0 0 0"]]


def test_two_moves_in_one_place_are_refused(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'new.db'}")
    store.add(
        StoredTable("t", "binary(rows=1,cols=2) ..", "hotseat", seated_visitors={0: "a", 1: "a"})
    )
    first, second = (
        store.append(Change("t", 0, standing=0, added=Ply(move))) for move in ("0 0 1", "0 0 0")
    )
    first.result()
    with pytest.raises(StaleError):
        second.result()
    found = store.load("t")
    assert found is not None
    assert found.moves == [Ply("0 0 1")]
    assert found.version == 1
    store.close()


def test_the_documentation_is_shown_where_it_has_been_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_house(tmp_path) as client:
        monkeypatch.setattr(assets, "DOCS", tmp_path / "nothing")
        assert "/docs/" not in client.get("/").text
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.html").write_text("<p>How it works</p>")
    monkeypatch.setattr(assets, "DOCS", docs)
    with open_house(tmp_path) as client:
        assert 'href="/docs/"' in client.get("/").text
        found = client.get("/docs/")
        assert "How it works" in found.text
        # Its pages have scripts in them; all others may not.
        assert "unsafe-inline" in found.headers["content-security-policy"]
        assert "unsafe-inline" not in client.get("/").headers["content-security-policy"]


def test_a_long_form_is_read_off_the_loop(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, threads = forms.fields_of, []

    def fields_of(body: bytes) -> dict[str, str]:
        threads.append(threading.current_thread().name)
        return read(body)

    monkeypatch.setattr(forms, "fields_of", fields_of)
    for name in ("Anna", "%41" * 1000, "\u00e9" * 10_000):
        visitor.post("/me", {"name": name})
    assert len(threads) == 3
    assert threads[0] not in threads[1:]

"""The API for programs: tables, seats, moves, who may what, and errors that can be read."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from starlette.websockets import WebSocketDisconnect

import gridhouse
from gridhouse.core.registry import game_class
from gridhouse.server.api import access
from web_helpers import HIDDEN, Visitor, open_house, playout

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

ROW = "binary(rows=1,cols=6) ......"


class Program:
    """A program that plays: it has a token once it sits somewhere."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.token = ""

    def ask(self, method: str, path: str, **given: Any) -> Any:
        self.client.cookies.clear()
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        return self.client.request(method, f"/api/{path}", headers=headers, **given)

    def get(self, path: str, **query: Any) -> Any:
        answer = self.ask("GET", path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def do(self, path: str, **facts: Any) -> Any:
        answer = self.ask("POST", path, json=facts)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def sit(self, path: str, **facts: Any) -> Any:
        """Found a table or take a seat, and keep the token."""
        joined = self.do(path, **facts)
        self.token = joined["token"] or self.token
        return joined["table"]

    def refused(self, status: int, path: str, method: str = "POST", **facts: Any) -> str:
        answer = self.ask(method, path, json=facts)
        assert answer.status_code == status, answer.text
        detail = answer.json()["detail"]
        assert detail[0] in "'\"" or detail[0].isupper() or ":" in detail
        assert detail.endswith(".")
        assert "\n" not in detail
        return str(detail)


@pytest.fixture
def anna(client: TestClient) -> Program:
    return Program(client)


@pytest.fixture
def bert(client: TestClient) -> Program:
    return Program(client)


def test_every_game_is_listed_with_what_it_takes(anna: Program) -> None:
    listed = anna.get("games")
    assert [game["name"] for game in listed] == gridhouse.games()
    for game in listed:
        cls = game_class(game["name"])
        usual = {parameter["name"]: parameter["default"] for parameter in game["parameters"]}
        assert cls(**usual) == cls()
        for values in game["presets"].values():
            made = anna.sit("tables", game=game["name"], parameters=values)
            assert made["game"] == str(cls(**values))
            assert made["seats"][0]["taken_by"] == "you"
        assert anna.get(f"games/{game['name']}") == game
    assert anna.refused(404, "games/chess", "GET").startswith("There is no game 'chess'")


@pytest.mark.parametrize(
    ("asked", "position"),
    [
        (
            {"game": "binary", "preset": "small", "opponent": "machine"},
            "binary(rows=5,cols=5) " + "/".join(5 * ["....."]),
        ),
        ({"position": "binary(rows=1,cols=2) .1"}, "binary(rows=1,cols=2) .1"),
        ({"game": "binary", "position": "0.\n.1"}, "binary(rows=2,cols=2) 0./.1"),
        ({"position": HIDDEN}, None),
        ({"game": "sinks", "parameters": {"rows": 8, "cols": 8, "limit": 0}}, None),
        ({"game": "tactego", "parameters": {"hidden": True, "rows": 7}}, None),
    ],
)
def test_tables_are_founded(anna: Program, asked: dict[str, Any], position: str | None) -> None:
    made = anna.sit("tables", **asked)
    assert made["opponent"] == "machine"
    assert made["level"] == 3
    assert [seat["taken_by"] for seat in made["seats"]] == ["you", "machine"]
    assert position in (None, made["position"])
    for name, value in asked.get("parameters", {}).items():
        assert f"{name}={value}" in made["game"]


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({}, "a game or a position"),
        ({"game": "chess"}, "no game 'chess'"),
        ({"game": 3}, "game: "),
        ({"game": "binary", "level": 9}, "level: "),
        ({"game": "binary", "level": True}, "level: "),
        ({"game": "binary", "level": 3.0}, "level: "),
        ({"game": "binary", "side": 2}, "side: "),
        ({"game": "binary", "opponent": "nobody"}, "opponent: "),
        ({"game": "binary", "listed": 1}, "listed: "),
        ({"game": "binary", "clock": "never"}, "'never'"),
        ({"game": "binary", "preset": "huge"}, "preset 'huge'"),
        ({"game": "binary", "preset": "small", "parameters": {}}, "preset or parameters"),
        ({"game": "binary", "parameters": {"rows": 99}}, "99"),
        ({"game": "binary", "parameters": {"rows": "9"}}, "'9'"),
        ({"game": "binary", "parameters": {"rows": True}}, "'True'"),
        ({"game": "binary", "parameters": {"rows": 2.5}}, "parameters.rows: "),
        ({"game": "binary", "parameters": {"rows": 10**30}}, "parameters.rows: "),
        ({"game": "binary", "parameters": {"depth": 9}}, "'depth'"),
        ({"game": "binary", "seed": 1}, "seed: "),
        ({"game": "binary", "\x00 é": 1}, "'\\x00 é': "),
        ({f"x{at}": 1 for at in range(51)}, "more than 50 fields"),
        (
            {"game": "binary", "parameters": {f"x{at}": [] for at in range(51)}},
            "more than 50 fields",
        ),
        ({"position": "\x00"}, "'\\x00'"),
        ({"game": "sliding", "position": "ab\x00 cde"}, ""),
        ({"game": "sinks", "parameters": {"setup": "\x00"}}, ""),
        ({"game": "tactego", "position": "5x1\x00"}, ""),
        ({"game": "collapse", "position": "1\x001"}, ""),
        ({"position": "binary(rows=20,cols=21) ."}, "21"),
    ],
)
def test_what_cannot_be_founded_is_said_in_one_sentence(
    anna: Program, asked: dict[str, Any], named: str
) -> None:
    assert named in anna.refused(422, "tables", **asked)


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[" * 5000, "application/json", 400),
        (b"1" * 5000, "application/json", 400),
        (b"\xff", "application/json", 400),
        (b'{"game":"\\ud800"}', "application/json", 422),
        (b"[]", "application/json", 422),
        (b"", "application/json", 422),
        (b'{"game":"binary"}', "text/plain", 415),
        (b'{"game":"binary"}', "application/jsonx", 415),
        (b'{"game":5}', "Application/JSON; charset=utf-8", 422),
        (b'"' + b"x" * 70_000 + b'"', "application/json", 413),
    ],
)
def test_what_is_no_json_is_refused(anna: Program, content: bytes, kind: str, status: int) -> None:
    answer = anna.ask("POST", "tables", content=content)
    assert answer.status_code in (415, status)
    headers = {"content-type": kind}
    answer = anna.client.post("/api/tables", content=content, headers=headers)
    assert answer.status_code == status
    assert answer.json()["detail"].endswith(".")


def test_friends_play_a_game_by_requests_alone(anna: Program, bert: Program) -> None:
    made = anna.sit("tables", position=ROW, opponent="friends", side=1)
    table = f"tables/{made['id']}"
    assert made["seats"][0]["taken_by"] == "nobody"
    assert "invitation" not in bert.get(table) or bert.get(table)["invitation"] is None
    link = made["invitation"]
    assert "invitation" in bert.refused(403, f"{table}/seats", invitation=link[:-2])
    assert "not in the lobby" in bert.refused(403, f"{table}/seats")
    seated = bert.sit(f"{table}/seats", invitation=link)
    assert seated["your_turn"]
    assert seated["invitation"] is None
    assert bert.token not in ("", anna.token)
    assert "already play" in bert.refused(409, f"{table}/seats", invitation=link)
    assert "not your turn" in anna.refused(409, f"{table}/moves", move="0 0 0", ply=0)
    state, sides, played = gridhouse.parse(ROW), [bert, anna], []
    for action in playout(state, 5):
        move, ply = state.action_to_string(action), len(state.history())
        mover = sides[state.current_player()]
        seen = mover.get(table)
        assert seen["legal"] == state.legal_moves()
        assert seen["position"] == str(state)
        played.append({"player": state.current_player(), "move": move})
        state.apply_action(action)
        after = mover.do(f"{table}/moves", move=move, ply=ply)
        assert after["ply"] == ply + 1
        assert after["legal"] == []
    done = Program(anna.client).get(table)
    assert done["over"]
    assert done["to_move"] is None
    assert done["outcome"] == state.game.outcome(state.position)
    assert done["returns"] == state.returns()
    assert done["moves"] == played
    assert "over" in anna.refused(409, f"{table}/moves", move="0 0 0", ply=done["ply"])


def test_moves_are_refused_in_the_games_own_words(anna: Program) -> None:
    table = f"tables/{anna.sit('tables', position=ROW, opponent='hotseat')['id']}/moves"
    assert anna.do(table, move="0 0 0", ply=0)["ply"] == 1
    assert anna.do(table, move="1 0 0", ply=1)["ply"] == 2
    assert anna.refused(422, table, move="2 0 0", ply=2) == "'2 0 0' is not legal: three in a row."
    assert "is not a move (x y digit)" in anna.refused(422, table, move="\x00", ply=2)
    assert "look at it again" in anna.refused(409, table, move="5 0 1", ply=1)
    assert anna.refused(422, table, move="5 0 1", ply=2.0).startswith("ply: ")
    assert anna.refused(422, table, move="5 0 1", ply=True).startswith("ply: ")
    assert anna.refused(422, table, move=None, ply=2).startswith("move: ")
    assert anna.refused(422, table, move="1" * 201, ply=2).startswith("move: ")


def test_who_agrees_agrees_to_the_request_that_was_shown(anna: Program, bert: Program) -> None:
    made = anna.sit("tables", position="binary(rows=1,cols=6) ......", opponent="friends")
    table = f"tables/{made['id']}"
    bert.sit(f"{table}/seats", invitation=made["invitation"].rpartition("/")[2])
    for ply, move in enumerate(("0 0 0", "1 0 0", "2 0 1", "3 0 1")):
        (anna, bert)[ply % 2].do(f"{table}/moves", move=move, ply=ply)
    anna.do(f"{table}/undo")
    assert bert.do(f"{table}/answer", agrees=True)["ply"] == 2
    anna.do(f"{table}/redo")
    assert "withdraw your other request" in anna.refused(409, f"{table}/undo").lower()
    assert bert.do(f"{table}/answer", agrees=True)["ply"] == 4


def test_undo_redo_answer_resign(anna: Program, bert: Program) -> None:
    made = anna.sit("tables", position=ROW, opponent="friends")
    table = f"tables/{made['id']}"
    bert.sit(f"{table}/seats", invitation=made["invitation"].rpartition("/")[2])
    assert "no move to take back" in anna.refused(409, f"{table}/undo")
    anna.do(f"{table}/moves", move="0 0 0", ply=0)
    assert anna.do(f"{table}/undo")["asked"] == {"kind": "undo", "player": 0}
    assert anna.refused(422, f"{table}/answer", agrees=1).startswith("agrees: ")
    assert "no request to answer" in anna.refused(409, f"{table}/answer", agrees=True).lower()
    assert anna.do(f"{table}/answer", agrees=False)["asked"] is None  # never mind
    assert "no request to answer" in bert.refused(409, f"{table}/answer", agrees=True).lower()
    anna.do(f"{table}/undo")
    assert bert.do(f"{table}/answer", agrees=True)["ply"] == 0
    assert anna.get(table)["redo"]
    anna.do(f"{table}/redo")
    assert bert.do(f"{table}/answer", agrees=True)["ply"] == 1
    over = bert.do(f"{table}/resign")
    assert over["over"]
    assert over["outcome"] == "Player 2 resigns; Player 1 wins"
    assert over["returns"] == [1.0, -1.0]
    assert anna.refused(409, f"{table}/resign") == "The game is over."


def test_a_table_of_the_lobby_needs_no_invitation(anna: Program, bert: Program) -> None:
    pieces = {"rows": 4, "cols": 3, "pieces": "5x1 4x1 Fx1"}
    anna.sit("tables", game="binary", opponent="friends")
    made = anna.sit("tables", game="tactego", parameters=pieces, opponent="friends", listed=True)
    [listed] = bert.get("tables")
    assert listed["id"] == made["id"]
    assert listed["game"] == made["game"]  # with blanks among its parameters
    assert listed["free_seat"] == "Blue"
    assert bert.sit(f"tables/{made['id']}/seats")["seats"][1]["taken_by"] == "you"
    assert [listed["free_seat"] for listed in bert.get("tables")] == [None]


def test_a_table_that_has_left_the_lobby_needs_an_invitation(anna: Program, bert: Program) -> None:
    made = anna.sit("tables", game="binary", opponent="friends", listed=True)
    app: Any = anna.client.app
    app.state.service.store.unlist_oldest("", [made["id"]], 0)
    assert "not in the lobby" in bert.refused(403, f"tables/{made['id']}/seats")


def live_of(program: Program, made: Any) -> Any:
    """Return a table as the house has it in memory."""
    app: Any = program.client.app
    return app.state.service._live[made["id"]]


def test_one_waits_for_a_change_and_no_longer(
    anna: Program, bert: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = anna.sit("tables", position=ROW, opponent="hotseat")
    table, live = f"tables/{made['id']}", live_of(anna, made)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(bert.get, table, after=made["version"], wait=30)
        while not live.subscribers:
            time.sleep(0.01)
        assert anna.do(f"{table}/moves", move="0 0 0", ply=0)["ply"] == 1
        assert waiting.result()["ply"] == 1
    assert not live.subscribers
    assert anna.get(table, after=made["version"], wait=30)["ply"] == 1
    assert anna.get(table, after=made["version"] + 1, wait=1)["ply"] == 1
    assert anna.refused(422, f"{table}?wait=31", "GET").startswith("wait: ")
    assert anna.refused(422, f"{table}?after=x", "GET").startswith("after: ")
    monkeypatch.setattr("gridhouse.server.tables.live_table.MAX_SUBSCRIBERS", 0)
    full = f"{table}?wait=1&after={made['version'] + 1}"
    assert "Too many viewers" in bert.refused(429, full, "GET")
    assert anna.get(full)["ply"] == 1  # who plays has a place
    monkeypatch.undo()
    monkeypatch.setattr("gridhouse.server.tables.live_table.MAX_WATCHERS_OF_ADDRESS", 1)
    live.subscribers[str] = "testclient"
    assert "Too many viewers" in bert.refused(429, full, "GET")
    live.subscribers[str] = "203.0.113.9"
    assert bert.get(full)["ply"] == 1


def test_the_machine_thinks_for_a_program_that_asks(
    anna: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = anna.sit("tables", position=ROW, level=1, side=1)
    table, seen = f"tables/{made['id']}", made
    while not seen["over"]:
        if seen["your_turn"]:
            seen = anna.do(f"{table}/moves", move=seen["legal"][0], ply=seen["ply"])
        else:
            seen = anna.get(table, after=seen["version"], wait=30)
    assert {made["player"] for made in seen["moves"]} == {0, 1}
    live = live_of(anna, made)
    assert len(live.subscribers) == 1
    monkeypatch.setattr(access, "LINGER", 0.0)
    anna.get(table)
    anna.get(table, after=seen["version"], wait=1)
    assert not live.subscribers


def test_who_one_is(anna: Program, bert: Program, client: TestClient) -> None:
    made = anna.sit("tables", position=ROW, opponent="hotseat")
    again = anna.do("tables", position=ROW, opponent="hotseat")
    assert again["token"] is None
    path = f"tables/{made['id']}"
    move: dict[str, Any] = {"move": "0 0 0", "ply": 0}
    assert "token" in bert.refused(401, f"{path}/moves", **move)
    bert.token = ("y" if anna.token[0] == "x" else "x") + anna.token[1:]
    for method, asked in (("GET", path), ("POST", f"{path}/undo"), ("GET", "games")):
        assert bert.refused(401, asked, method) == "The house does not know this token."
    answer = client.get("/api/games", headers={"authorization": "Basic eDp5"})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    bert.token = ""
    bert.sit("tables", game="binary")
    assert (
        bert.refused(403, f"{path}/moves", **move) == "You are watching this game, not playing it."
    )
    assert "do not play that player" in bert.refused(403, f"{path}?player=0", "GET")
    assert anna.get(path, player=1)["your_turn"]
    assert "do not play that player" in anna.refused(403, f"{path}?player=2", "GET")


def test_a_cookie_alone_changes_nothing_from_elsewhere(client: TestClient) -> None:
    visitor = Visitor(client)
    table = visitor.new("binary", start=ROW, opponent="hotseat")
    path, cookie = f"/api/tables{table[2:]}", f"gridhouse={visitor.token}"
    move = {"move": "0 0 0", "ply": 0}

    def post(address: str, said: Any, **headers: str) -> Any:
        return client.post(address, json=said, headers=headers)

    client.cookies.clear()
    assert client.get(path, headers={"cookie": cookie}).json()["your_turn"]
    for where in ({}, {"origin": "http://elsewhere.test"}, {"origin": "null"}):
        assert post(f"{path}/moves", move, cookie=cookie, **where).status_code == 403
    there = {"origin": "http://elsewhere.test"}
    assert post("/api/tables", {"game": "binary"}, **there).status_code == 403
    own = {"origin": "http://house.test", "cookie": cookie}
    assert post(f"{path}/moves", move, **own).json()["ply"] == 1
    founded = post("/api/tables", {"game": "binary"}, **own)
    assert founded.json()["token"] is None  # a script cannot read the cookie by this
    assert visitor.token not in founded.text


def test_the_socket_takes_a_token(anna: Program, bert: Program) -> None:
    made = anna.sit("tables", position=ROW, opponent="friends")
    table, visitor = f"/t/{made['id']}", Visitor(anna.client)
    with visitor.at(table, authorization=f"Bearer {anna.token}") as seat:
        assert seat.view["invitation"] == made["invitation"]
        assert seat.move("0 0 0")["ply"] == 1
    bert.sit("tables", game="binary")
    with visitor.at(table, authorization=f"Bearer {bert.token}") as seat:
        assert "you are watching" in seat.refused("move", move="1 0 0", ply=1)
    for false in ("Bearer x.y", "Bearer"):
        with pytest.raises(WebSocketDisconnect), visitor.at(table, authorization=false):
            pass


def test_a_proxy_may_have_passwords(client: TestClient) -> None:
    visitor, password = Visitor(client), "Basic eDp5"
    made = visitor.post("/new/binary", {"opponent": "hotseat", "start": ROW}).headers["location"]
    with visitor.at(made, authorization=password) as seat:
        assert seat.move("0 0 0")["ply"] == 1
    path, before = f"/api{made.replace('/t/', '/tables/')}", visitor.token
    assert visitor.get(path, authorization=password).json()["your_turn"]
    assert visitor.post("/me", {"name": "Anna"}, authorization=password).status_code == 303
    assert visitor.token == before
    with Visitor(client).at(made, authorization=password) as seat:
        assert "you are watching" in seat.refused("move", move="1 0 0", ply=1)


def test_a_token_is_the_same_visitor_on_pages(anna: Program) -> None:
    made = anna.sit("tables", position=ROW, opponent="friends")
    said = {"authorization": f"Bearer {anna.token}"}
    assert made["id"] in anna.client.get("/games", headers=said).text
    assert made["id"] not in anna.client.get("/games").text


def test_one_may_ask_so_much_and_no_more(tmp_path: Path) -> None:
    with open_house(tmp_path, burst=20, rate=0.1) as client:
        anna, bert = Program(client), Program(client)
        anna.sit("tables", game="binary")
        for _ in range(20):
            anna.get("games")
        assert "Too many requests" in anna.refused(429, "games", "GET")
        assert anna.ask("GET", "games").headers["retry-after"] == "1"
        bert.get("games")


def test_only_so_many_callers_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridhouse.server.budgets.MAX_CALLERS", 2)
    pace = access.RateLimiter(1, 0)
    for caller in ("a", "b", "c", "a"):
        pace.count(caller)


def test_new_tables_are_counted_with_those_of_the_pages(
    anna: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridhouse.server.app.MAX_TABLES", 2)
    Visitor(anna.client).new("binary")
    anna.sit("tables", game="binary")
    assert "in an hour" in anna.refused(429, "tables", game="binary")


def test_pictures_and_addresses(anna: Program) -> None:
    made = anna.sit("tables", position=ROW)
    answer = anna.ask("GET", f"tables/{made['id']}/picture.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.startswith("<svg ")
    assert answer.headers["cache-control"] == "no-store"
    for path in ("", "x", "docs", "redoc", "tables/nowhere", "tables/%00", f"tables/{'x' * 99}"):
        assert anna.refused(404, path, "GET").startswith("There is no")
    assert anna.refused(405, "games") == "This address does not accept that method."


def test_what_goes_wrong_inside_is_said_and_noted(
    anna: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridhouse.server.api.serializers.game_info", lambda cls: cls.nothing)
    assert anna.refused(500, "games", "GET").startswith("An internal error occurred.")


def test_the_document_names_every_field_and_no_other_host(anna: Program) -> None:
    document = anna.ask("GET", "openapi.json").json()
    assert document["servers"] == [{"url": "/api"}]
    assert "http" not in json.dumps(document).replace("HTTP", "").replace('"type": "http"', "")
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation["description"], (method, path)
            assert {"401", "429"} <= set(operation["responses"])
            assert operation["security"][0] == {"token": []}

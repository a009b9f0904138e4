"""A visitor's own games: the list, the file that holds them, ratings, name, and other devices."""

from __future__ import annotations

import gc
import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

import gridhouse
from gridhouse.server import clock, fair_pool, logs
from gridhouse.server.names import NoNameError, read_name
from gridhouse.server.pages import mine
from gridhouse.server.pages.game_files import GameFile, read_games, write_games
from gridhouse.server.pages.identicons import PICTURES, identicon
from gridhouse.server.pages.mine import PAGE
from gridhouse.server.ratings import LevelResult, rating
from gridhouse.server.storage.records import Ply, StoredTable
from gridhouse.server.storage.store import Store
from gridhouse.server.storage.visitors import Profile
from web_helpers import HIDDEN, Visitor, open_house, playout, upload, visitor_of
from window_helpers import wait_for
from wire_helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from starlette.testclient import TestClient

ROW = "binary(rows=1,cols=6) ......"
LAST = "binary(rows=1,cols=2) 0."  # one move from its end


def rows(visitor: Visitor, query: str = "") -> list[str]:
    """Return the text of the rows on the page of a visitor's games."""
    page = visitor.get(f"/games{query}").text
    listed = page.partition('<ul class="games">')[2].partition("</ul>")[0]
    found = re.findall(r"<li.*?>(.*?)</li>", listed, re.DOTALL)
    return [" ".join(re.sub("<[^>]*>", " ", row).split()) for row in found]


def store_of(visitor: Visitor) -> Store:
    store: Store = visitor.client.app.state.service.store  # type: ignore[attr-defined]
    return store


def finished(visitor: Visitor, name: str, level: int, *, won: bool) -> StoredTable:
    """Return a game against a level that was resigned."""
    ended = f"resigned {1 if won else 0}"
    seats = {0: visitor_of(visitor)}
    return StoredTable(
        name, ROW, "machine", level, 1, seats, [Ply("0 0 0")], ended=ended, changed=clock.now()
    )


def test_games_are_listed_open_ones_first_with_whose_turn_it_is(client: TestClient) -> None:
    anna, bert = Visitor(client), Visitor(client)
    assert "You have no games yet." in anna.get("/games").text
    assert "set-cookie" not in anna.get("/games").headers
    anna.new("sinks")  # nobody has moved there, so it is not worth a line
    friendly = anna.new("binary", opponent="friends", start=ROW)
    with anna.at(friendly) as seat:
        link = seat.view["invitation"]
    assert re.search(r"Your turn Continue Binary Game, \d+ \w+ \d{4}$", rows(anna)[0])
    bert.post("/me", {"name": "Bert"})
    bert.post(link)
    with anna.at(friendly) as seat:
        seat.move("0 0 0")
    alone = anna.new("sliding", start="sliding(rows=2,cols=2) ab c/abcd")
    with anna.at(alone) as seat:
        seat.move("R")
    first, second = rows(anna)
    assert first.startswith("Binary Game against Bert 1 by 6, ")
    assert "Bert is to move Open" in first
    assert "Sliding word puzzle Warm-up, 2 by 2" in second
    assert "Solved, 1 move Open" in second
    assert f'href="{alone}/review"' in anna.get("/games").text
    assert f'href="{friendly}/review"' not in anna.get("/games").text
    assert "Your turn Continue" in rows(bert)[0]
    assert "against Anonymous" in rows(bert)[0]


def test_the_strip_leads_back_to_games_in_play(client: TestClient) -> None:
    anna, bert = Visitor(client), Visitor(client)
    table = anna.new("tactego", preset="small", level="1")
    assert "Continue" not in anna.get("/lobby").text
    with anna.at(table) as seat:
        seat.move(seat.view["gestures"][0][0])
    for path in ("/lobby", "/rules/sinks"):
        assert f'<a class="button" href="{table}">Tactego' in anna.get(path).text
        assert "All my games" not in bert.get(path).text
    with anna.at(table) as seat:
        seat.say("resign")
        while not seat.view["over"]:
            seat.wait("view")
    assert "All my games" not in anna.get("/lobby").text
    assert "Lost by resignation" in rows(anna)[0]


def test_games_are_filtered_and_paged(visitor: Visitor) -> None:
    visitor.post("/me", {"name": "Anna"})
    store = store_of(visitor)
    store.add(*(finished(visitor, f"t{number}", 1, won=True) for number in range(PAGE + 1)))
    seats = {0: visitor_of(visitor)}
    store.add(
        StoredTable(
            "s",
            "sliding(rows=2,cols=2) ab c/abcd",
            "hotseat",
            seated_visitors=seats,
            moves=[Ply("U")],
        )
    )
    assert len(rows(visitor)) == PAGE
    assert rows(visitor)[0].startswith("Sliding")  # it is still open
    assert len(rows(visitor, "?page=2")) == 2
    assert "Page 2 of 2" in visitor.get("/games?page=77").text
    assert len(rows(visitor, "?game=sliding")) == 1
    assert len(rows(visitor, "?state=open")) == 1
    assert rows(visitor, "?game=sliding&state=over") == []
    assert "No game fits." in visitor.get("/games?game=sliding&state=over").text
    assert (
        "game=binary&amp;state=over&amp;page=2" in visitor.get("/games?game=binary&state=over").text
    )
    for odd in ("?page=x", "?page=-1", "?game=%27&state=none", "?added=x"):
        assert visitor.get(f"/games{odd}").status_code == 200


def test_a_game_that_cannot_be_read_leaves_the_others(visitor: Visitor) -> None:
    visitor.post("/me", {"name": "Anna"})
    seats = {0: visitor_of(visitor)}
    store_of(visitor).add(
        StoredTable("a", ROW, "hotseat", seated_visitors=seats, moves=[Ply("9 9 9")]),
        finished(visitor, "b", 3, won=True),
    )
    assert len(rows(visitor)) == 1
    assert visitor.get("/").status_code == 200


def test_a_file_takes_games_to_another_house(
    tmp_path: Path, client: TestClient, visitor: Visitor
) -> None:
    del client
    start = gridhouse.load("binary", rows=4, cols=4).new_initial_state(1)
    table = visitor.new("binary", start=str(start), opponent="hotseat")
    state = start.clone()
    with visitor.at(table) as seat:
        for action in playout(start, 3):
            seat.move(state.action_to_string(action))
            state.apply_action(action)
        assert seat.view["over"]
    record = visitor.get(f"{table}/record.txt").text
    going = visitor.new("binary", start=ROW, level="2", side="0")
    with visitor.at(going) as seat:
        seat.move("0 0 0")
        while seat.view["ply"] < 2:  # until the machine has moved
            seat.wait("view")
    text = visitor.get("/games/export.json").text
    assert [game["opponent"] for game in json.loads(text)["games"]] == ["machine", "hotseat"]
    assert "Binary Game , two at one screen" in rows(visitor)[1]
    (tmp_path / "other").mkdir()
    with open_house(tmp_path / "other") as elsewhere:
        other = Visitor(elsewhere)
        for told in ("2 games were added.", "0 games were added. 2 were here already."):
            answer = upload(other, text)
            assert answer.status_code == 303
            assert told in other.get(answer.headers["location"]).text
            assert len(rows(other)) == 2
        addresses = re.findall(r'href="(/t/[\w-]+)">', other.get("/games").text)
        assert other.get(f"{addresses[1]}/record.txt").text == record
        with other.at(addresses[0]) as seat:
            assert seat.view["ply"] >= 1
            assert seat.view["names"][1] == "The machine, level 2, Beginner"
        again = other.get("/games/export.json").text
    # At home nothing doubles, not even after the way back.
    assert upload(visitor, text).headers["location"] == "/games?added=0&known=2"
    first, second = (json.loads(file)["games"][1] | {"table": ""} for file in (again, text))
    assert first == second
    with visitor.at(going) as seat:  # a game that has gone on is not doubled either
        seat.say("resign")
        while not seat.view["over"]:
            seat.wait("view")
    assert upload(visitor, text).headers["location"] == "/games?added=0&known=2"


def test_the_file_tells_nothing_that_is_hidden(visitor: Visitor) -> None:
    table = visitor.new("tactego", start=HIDDEN, opponent="friends")
    file = json.loads(visitor.get("/games/export.json").text)
    assert file == {"gridhouse": 1, "games": [], "left_out": 1}
    with visitor.at(table) as seat:
        seat.say("resign")
        seat.wait("view")
    file = json.loads(visitor.get("/games/export.json").text)
    assert [game["start"] for game in file["games"]] == [str(gridhouse.parse(HIDDEN))]


def game(**changed: object) -> str:
    """Return a file with one game."""
    facts = {"start": ROW, "moves": ["0 0 0"], "opponent": "machine", "level": 2, "seats": [0]}
    return json.dumps({"gridhouse": 1, "games": [facts | {"ended": None, "changed": 5} | changed]})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "Choose a file first."),
        ("{", "This is not a file of games from Gridhouse."),
        (b"\xff\xfe\x00", "This is not a file of games from Gridhouse."),
        ('{"gridhouse": 2, "games": []}', "Gridhouse: Input should be 1."),
        (game(level=9), "Game 1 of the file, level:"),
        (game(moves=["9 9 9"]), "Game 1 of the file: '9 9 9' names no move"),
        (game(start="chess() x"), "Game 1 of the file: "),
        (game(start="collapse(rows=900,cols=900,digits=3)#1"), "at most 400 cells"),
        (game(start="sliding(rows=2,cols=2) ab c/abcd", moves=[]), "has no opponent"),
        (game(seats=[0, 1]), "do not go with its opponent"),
        (game(opponent="friends"), "do not go with its opponent"),
        (game(start=LAST, moves=["1 0 1", "1 0 1"]), "comes after the end of the game"),
        (game(ended="rules"), "its end is not that of its moves"),
        (game(ended="time 2"), "Game 1 of the file, ended:"),
        (
            game(opponent="hotseat", level=None, seats=[0, 1], ended="resigned 0"),
            "nobody can lose on time or resign at one screen",
        ),
        (game(more="x" * 10), "Game 1 of the file, more:"),
    ],
)
def test_a_bad_file_adds_nothing_and_says_why(
    visitor: Visitor, content: str | bytes, why: str
) -> None:
    answer = upload(visitor, content)
    assert answer.status_code == 422
    told = re.findall('role="alert">(.*?)</p>', answer.text)[0].replace("&#39;", "'")
    assert why.lower() in told.lower()
    assert "\n" not in told
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"gridhouse": 1, "games": [{"moves": [1] * 2000}] * 250}),
        json.dumps({"gridhouse": 1, "games": [{f"x{at}": 1 for at in range(1000)}] * 80}),
        json.dumps({"gridhouse": 1, "games": [], **{f"x{at}": 1 for at in range(80_000)}}),
    ],
)
def test_of_many_mistakes_in_a_file_few_are_collected(content: str) -> None:
    with pytest.raises(ValidationError) as caught:
        GameFile.model_validate_json(content)
    assert caught.value.error_count() < 20


def test_an_analysis_board_goes_along(visitor: Visitor) -> None:
    table = visitor.new("tactego", start=HIDDEN, opponent="analysis")
    with visitor.at(table) as seat:
        seat.move(seat.view["gestures"][0][0])
    text = visitor.get("/games/export.json").text
    other = Visitor(visitor.client)
    assert upload(other, text).headers["location"] == "/games?added=1&known=0"
    assert "analysis board" in rows(other)[0]


@pytest.mark.parametrize("path", ["/games/export.json", "/games/import"])
def test_the_file_of_many_games_keeps_nobody_from_theirs(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    anna, bert = Visitor(client), Visitor(client)
    anna.post("/me", {"name": "Anna"})
    store, files = store_of(anna), client.app.state.service.files  # type: ignore[attr-defined]
    store.add(*(finished(anna, f"t{number}", 1, won=True) for number in range(9)))
    has_begun, was_answered, read = threading.Event(), threading.Event(), list[str]()
    load = store.load

    def load_in_turn(name: str) -> StoredTable | None:
        read.append(name)
        if len(read) == 1:
            has_begun.set()
            while not files._waiting:  # until Bert has come
                time.sleep(0.001)
        assert len(read) < 9 or was_answered.wait(PATIENCE)
        return load(name)

    monkeypatch.setattr(store, "load", load_in_turn)
    monkeypatch.setattr(fair_pool, "SLICE", -1)  # every step is a turn
    with ThreadPoolExecutor() as pool:
        is_import = path == "/games/import"
        long = pool.submit(partial(upload, anna, game()) if is_import else partial(anna.get, path))
        assert has_begun.wait(PATIENCE)
        short = pool.submit(bert.get, "/games/export.json")
        short.add_done_callback(lambda _: was_answered.set())
        assert json.loads(short.result().text)["games"] == []
        assert long.result().status_code == (303 if is_import else 200)
    assert len(read) == 9


def test_who_asks_twice_for_the_file_of_games_gets_one(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = Visitor(client)
    visitor.post("/me", {"name": "Anna"})
    store_of(visitor).add(finished(visitor, "t", 1, won=True))
    exports = client.app.state.exports  # type: ignore[attr-defined]
    written, has_both = list[str](), threading.Event()

    def slowly(store: Store, visitor: str) -> Generator[None, None, str]:
        written.append(visitor)
        assert has_both.wait(PATIENCE)
        return (yield from write_games(store, visitor))

    monkeypatch.setattr(mine, "write_games", slowly)
    with ThreadPoolExecutor() as pool:
        asked = [pool.submit(visitor.get, "/games/export.json")]
        wait_for(lambda: written, "the first file")
        collect = client.app.state.service.files.collect  # type: ignore[attr-defined]

        def noted(work: object) -> Any:
            has_both.set()
            return collect(work)

        monkeypatch.setattr(client.app.state.service.files, "collect", noted)  # type: ignore[attr-defined]
        asked.append(pool.submit(visitor.get, "/games/export.json"))
        first, second = (answer.result() for answer in asked)
    assert first.content == second.content
    assert len(json.loads(first.text)["games"]) == len(written) == 1
    gc.collect()
    assert not exports


def test_steps_of_a_file_are_moves_as_well(visitor: Visitor) -> None:
    start = gridhouse.load("binary", rows=4, cols=4).new_initial_state(1)
    state, moves = start.clone(), list[str]()
    for action in playout(start, 3):
        moves.append(state.action_to_string(action))
        state.apply_action(action)
    own, store = visitor_of(visitor), store_of(visitor)
    seats, plies = {0: own, 1: own}, [Ply(move) for move in moves]
    store.add(StoredTable("t", str(start), "hotseat", seated_visitors=seats, moves=plies))
    assert len(list(write_games(store, own))) >= len(moves)
    file = game(start=str(start), moves=moves, opponent="hotseat", level=None, seats=[0, 1])
    assert len(list(read_games(file.encode(), "somebody"))) >= len(moves)


def test_files_are_bounded(visitor: Visitor) -> None:
    assert upload(visitor, "x" * (2 << 20)).status_code == 413
    many = {"gridhouse": 1, "games": json.loads(game())["games"] * 501}
    assert "at most 500" in upload(visitor, json.dumps(many)).text
    assert upload(visitor, game()).status_code == 303
    for _ in range(7):
        upload(visitor, "")
    assert upload(visitor, game()).status_code == 429
    assert visitor.post("/games/import", origin="http://elsewhere.test").status_code == 403


PART = b"--x\r\nContent-Disposition: form-data"
NESTED = b"".join(
    b"--x%d\r\nContent-Type: multipart/mixed; boundary=x%d\r\n\r\n" % (depth, depth + 1)
    for depth in range(300)
)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/mixed; boundary=x0", NESTED + b"a\r\n" * 300_000),
        ("multipart/form-data; boundary=x", PART + b"; " * 500_000),
        (
            "multipart/form-data; boundary=x",
            PART + b"; name=f; filename*=idna''%ff\r\n\r\n\r\n--x--",
        ),
        ("multipart/form-data; boundary*=idna''%ff", b""),
        (
            "multipart/form-data; boundary=x; charset=undefined",
            PART + b"; name=f\r\n\r\n\xff\r\n--x--",
        ),
        ("message/rfc822", b"Content-Type: message/rfc822\r\n\r\n" * 30_000),
        ("", b"x"),
    ],
)
def test_what_is_no_form_with_a_file_is_refused_at_once(
    visitor: Visitor, kind: str, body: bytes
) -> None:
    began = time.process_time()
    answer = visitor.client.post("/games/import", content=body, headers={"content-type": kind})
    assert answer.status_code == 422
    assert time.process_time() - began < 3  # some took half a minute


def test_an_added_game_is_no_result_of_a_daily_puzzle_and_gets_no_help(visitor: Visitor) -> None:
    state = gridhouse.load("collapse", rows=8, cols=10, digits=6).new_initial_state(3)
    moves = [state.legal_moves()[0]]
    file = game(start=str(state), moves=moves, opponent="hotseat", level=None)
    assert upload(visitor, file).status_code == 303
    address = re.findall(r'href="(/t/[\w-]+)">', visitor.get("/games").text)[0]
    with visitor.at(address) as seat:
        assert "no help from a given position" in seat.refused("hint")


# Ratings.


def results(level: int, wins: int, games: int) -> list[LevelResult]:
    return [LevelResult(level, 1.0)] * wins + [LevelResult(level, 0.0)] * (games - wins)


def test_ratings_follow_results() -> None:
    assert rating(results(8, 9, 9)) is None
    even = rating(results(4, 5, 10))
    assert even is not None
    assert abs(even - (600 + 3 * 150)) < 20  # half the points: as strong as level 4
    strong, weak = rating(results(8, 10, 10)), rating(results(1, 0, 10))
    assert strong is not None
    assert weak is not None
    assert 1650 < strong < 2400
    assert 0 < weak < 600
    values = [rating(results(5, wins, 40)) or 0 for wins in range(41)]
    assert values == sorted(set(values))


def test_a_rating_comes_after_ten_games_of_a_kind(visitor: Visitor) -> None:
    visitor.post("/me", {"name": "Anna"})
    store = store_of(visitor)
    store.add(*(finished(visitor, f"t{number}", 4, won=number % 2 == 0) for number in range(9)))
    assert "You get a rating in a game after 10 finished games" in visitor.get("/games").text
    store.add(finished(visitor, "last", 4, won=False))
    page = visitor.get("/games").text
    found = re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", page)
    assert [title for title, _ in found] == ["Binary Game"]
    assert abs(int(found[0][1]) - 1050) < 20


def test_the_moves_of_a_game_are_read_once(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.post("/me", {"name": "Anna"})
    store, read = store_of(visitor), list[list[str]]()
    names = [f"read{number}" for number in range(10)]
    store.add(*(finished(visitor, name, 4, won=True) for name in names))
    records = Store._records

    def noted(*given: Any, **named: Any) -> list[StoredTable]:
        found = records(*given, **named)
        if any(record.moves for record in found):
            read.append([record.id for record in found])
        return found

    monkeypatch.setattr(Store, "_records", noted)
    assert len(rows(visitor)) == 10
    assert sorted(read) == [[name] for name in names]
    assert len(rows(visitor)) == 10
    assert len(read) == 10


# Name and picture.


def test_a_name_is_short_and_can_be_seen(visitor: Visitor) -> None:
    for given, kept in (
        ("Anna", "Anna"),
        ("  two\twords \n", "two words"),
        ("x" * 30, "x" * 30),
        ("O'Hara & <b>co</b>", "O&#39;Hara &amp; &lt;b&gt;co&lt;/b&gt;"),
        ("\u05d0\u05e0\u05d4", "\u05d0\u05e0\u05d4"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940"),
        ("I \u2764\ufe0f Go", "I \u2764\ufe0f Go"),
        ("The machinery", "The machinery"),
        ("e\u0302\u0301" * 30, "\u1ebf" * 30),
        ("Ame\u0301lie", "Am\u00e9lie"),
    ):
        assert (
            visitor.post("/me", {"name": given, "picture": "1"}).headers["location"] == "/me?saved"
        )
        assert f"<bdi>{kept}</bdi>" in visitor.get("/games").text
    for given, why in (
        ("x" * 31, "A name may have at most 30 characters."),
        ("\ufdfa" * 6, "A name may have at most 30 characters."),  # each is 18 letters in one
        ("a\u202eb", "invisible characters"),
        ("a\x00b", "invisible characters"),
        ("\u200b", "invisible characters"),
        ("\ue000", "invisible characters"),
        ("Ada\u034f", "invisible characters"),
        ("Ada\U000e0100", "invisible characters"),
        ("\u3164", "invisible characters"),
        ("\u115f", "invisible characters"),
        ("\u2800", "invisible characters"),
        ("\ufe0f", "invisible characters"),
        ("The Machine, strong", "This is what the machine is called"),
        ("die maschine , stark", "This is what the machine is called"),
        ("a" + "\u0316" * 3, "A letter of a name may have at most 2 marks."),
    ):
        answer = visitor.post("/me", {"name": given})
        assert answer.status_code == 422, given
        assert why in answer.text
    assert "Am\u00e9lie" in visitor.get("/games").text
    visitor.post("/me", {"name": ""})
    assert "You have no name yet." in visitor.get("/games").text
    assert visitor.post("/me", {"name": "x"}, origin="http://elsewhere.test").status_code == 403


def test_a_name_that_is_far_too_long_is_refused_at_once() -> None:
    began = time.thread_time()
    with pytest.raises(NoNameError, match="at most 30 characters"):
        read_name("\u0301" * 16_000 + "\u0323" * 16_000)
    assert time.thread_time() - began < 0.1  # normalizing it would take two seconds


def test_too_many_names_are_refused(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridhouse.server.app.MAX_TABLES", 2)
    for name in "xy":
        assert visitor.post("/me", {"name": name}).status_code == 303
    full = visitor.post("/me/link")
    assert full.status_code == 429
    assert "Only 2 new names are allowed in an hour" in full.text


def test_a_picture_is_ones_own(visitor: Visitor) -> None:
    visitor.post("/me", {"name": "Anna", "picture": "5"})
    own = visitor_of(visitor)
    for name in (own, *map(str, range(10_000))):
        assert len({identicon(name, number) for number in PICTURES}) == len(PICTURES)
    assert identicon(own, 5) in visitor.get("/games").text
    assert identicon(own, 5) != identicon(own[::-1], 5)
    assert own[:12] not in visitor.get("/me").text
    assert visitor.post("/me", {"picture": "77"}).status_code == 303
    assert identicon(own, 0) in visitor.get("/games").text


def test_names_are_seen_at_the_table_and_in_the_lobby(client: TestClient) -> None:
    anna, bert = Visitor(client), Visitor(client)
    anna.post("/me", {"name": "<i>Anna</i>"})
    table = anna.new("binary", opponent="friends", listed="on", clock="3+2", start=ROW)
    shown = "<bdi>&lt;i&gt;Anna&lt;/i&gt;</bdi>"
    assert shown in bert.get("/lobby").text
    with anna.at(table) as seat:
        assert seat.view["names"] == ["<i>Anna</i>", ""]
        link = seat.view["invitation"]
        page = bert.get(link).text
        assert f"{shown} invites you to a game." in page
        assert "Board: 1 by 6." in page
        assert "Each of you has 3 minutes, and 2 seconds more for each move." in page
        assert "You play Player 2." in page
        bert.post(link)
        while seat.view["names"] != ["<i>Anna</i>", "Anonymous"]:
            seat.wait("view")
        bert.post("/me", {"name": "Bert"})
        while seat.view["names"] != ["<i>Anna</i>", "Bert"]:
            seat.wait("view")
    assert f"{shown} plays Player 1" in bert.get(table).text


def test_old_names_of_leaderboards_are_kept(tmp_path: Path) -> None:
    from alembic import command
    from alembic.config import Config

    from gridhouse.server.storage import store
    from gridhouse.server.storage.visitors import Visitors

    opened = Store(f"sqlite:///{tmp_path / 'old.db'}")
    visitors = Visitors(opened.engine)
    visitors.set_profile("a", Profile("A name of more than 20 letters", 3))
    visitors.set_profile("b", Profile("", 2))
    config = Config()
    config.set_main_option("script_location", store.MIGRATIONS)
    for target, step in (("0003", command.downgrade), ("head", command.upgrade)):
        with opened.engine.begin() as connection:
            config.attributes["connection"] = connection
            step(config, target)
    assert visitors.profiles("ab") == {"a": Profile("A name of more than ", 0)}
    opened.close()


# Other devices.


def new_link(visitor: Visitor) -> str:
    """Return the address of a new link to a visitor's games."""
    page = visitor.post("/me/link")
    assert page.headers["cache-control"] == "no-store"
    return str(re.findall(r'value="http://house.test(/me/link/[\w-]+)"', page.text)[0])


def test_a_link_takes_games_to_another_device(client: TestClient) -> None:
    anna, phone = Visitor(client), Visitor(client)
    anna.post("/me", {"name": "Anna"})
    table = anna.new("binary", start=ROW, level="1")
    with anna.at(table) as seat:
        seat.move("0 0 0")
    link = new_link(anna)
    assert link not in anna.get("/me").text  # it is shown once
    assert "You made a link on" in anna.get("/me").text
    page = phone.get(link)
    assert "Anna" in page.text
    assert "set-cookie" not in page.headers  # opening it changes nothing
    assert phone.post(link, origin="http://elsewhere.test").status_code == 403
    assert phone.post(link).headers["location"] == "/games"
    assert visitor_of(phone) == visitor_of(anna)
    assert phone.cookies != anna.cookies
    assert len(rows(phone)) == 1
    with phone.at(table) as seat:
        assert seat.view["resign"]
    assert "This device has these games already." in phone.get(link).text
    other = Visitor(client)
    other.new("sinks")
    assert "You have played on this device before." in other.get(link).text


def test_a_link_can_be_taken_back(client: TestClient) -> None:
    anna, other = Visitor(client), Visitor(client)
    first = new_link(anna)
    second = new_link(anna)
    assert other.get(first).status_code == 404
    assert other.get(second).status_code == 200
    assert anna.post("/me/link/remove").status_code == 303
    for link in (second, "/me/link/x"):
        assert "This link is no longer valid." in other.get(link).text
        assert other.post(link).status_code == 404
    assert other.cookies == {}


def test_a_link_leaves_no_trace(client: TestClient, visitor: Visitor) -> None:
    link = new_link(visitor)
    token = link.rpartition("/")[2]
    auth = client.app.state.auth  # type: ignore[attr-defined]
    cookie = auth.device_cookie(visitor_of(visitor))
    for secret in (token, cookie):
        for text in (f"GET {link} failed", f"cookie: gridhouse={cookie}; x", f"'{secret}'"):
            assert secret not in logs.scrub(text)
    assert logs.scrub("at /me/link/abc?x") == "at /me/link/(hidden)"
    engine = store_of(visitor).engine
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM links").all()
    assert len(rows) == 1
    assert token not in str(rows)

"""Nothing that anybody may ask for holds up the event loop, and with it everybody else."""

from __future__ import annotations

import asyncio
import gc
import gzip
import http.client
import json
import random
import re
import threading
import time
import urllib.parse
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from uvicorn.config import LOOP_FACTORIES
from websockets.sync.client import connect

import gridhouse
from browser_helpers import served
from gridhouse.core.registry import parse
from gridhouse.server.auth import COOKIE, Auth, visitor_id
from gridhouse.server.daily.service import daily_games
from gridhouse.server.storage.records import Ply, StoredTable
from gridhouse.server.storage.store import Store
from window_helpers import wait_for
from wire_helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from websockets.sync.connection import Connection

MOST = 0.002  # processor seconds, of a machine that counts as fast as this:
COUNTED, COUNTING = 100_000, 0.0025
NOISE = 2.0  # times as much time takes a thread beside which another one works on the same core
TRIES = 5  # of which the quickest counts: the first ones load modules
LONG = 10_000  # moves
IMPORTED = 2000  # of a file's game
TOKEN = "anna"
# The largest boards that the forms take.
LARGEST = {
    "tactego": "tactego(rows=20,cols=20,pieces=5x199 Fx1,limit=0)#1",
    "hidden": "tactego(rows=20,cols=20,pieces=5x190 4x9 Fx1,limit=0,hidden=True)#1",
    "binary": "binary(rows=20,cols=20)#1",
    "collapse": "collapse(rows=20,cols=20)#1",
    "sinks": "sinks(rows=10,cols=10)#1",
    "sliding": "sliding(rows=14,cols=14)#1",
}


def most() -> float:
    """Return the processor seconds that a callback may take here; a slower machine has more."""
    took = []
    for _ in range(TRIES):
        began = time.thread_time()
        for _ in range(COUNTED):
            pass
        took.append(time.thread_time() - began)
    return NOISE * MOST * max(1.0, min(took) / COUNTING)


class Watch:
    """How long the callbacks of event loops in other threads than this one take."""

    def __init__(self) -> None:
        self.took: list[tuple[float, str]] = []
        self.seen = 0  # callbacks

    def longest(self) -> tuple[float, str]:
        """Return the processor seconds of the longest new callback, and its name."""
        took, self.took = self.took, []
        return max(took, default=(0.0, "nothing"))


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    """Measure callbacks by the processor time of their thread, which other work does not change."""
    watch, original, own = Watch(), asyncio.events.Handle._run, threading.get_ident()
    limit, tracer = most(), threading.gettrace()
    threading.settrace(None)  # coverage would count as well

    def timed(handle: asyncio.events.Handle) -> None:
        began = time.thread_time()
        original(handle)
        took = time.thread_time() - began
        if threading.get_ident() != own:
            watch.seen += 1
            if took > limit:
                watch.took.append((took, repr(handle)))

    monkeypatch.setattr(asyncio.events.Handle, "_run", timed)
    # The callbacks of uvloop cannot be watched; they are the same.
    monkeypatch.setitem(LOOP_FACTORIES, "auto", LOOP_FACTORIES["asyncio"])
    gc.disable()
    yield watch
    gc.enable()
    threading.settrace(tracer)
    assert watch.seen


class Anna:
    """A visitor who has a seat at every table that was prepared.

    She reads German: what the house says to her takes longer than in English.
    """

    def __init__(self, address: str, cookie: str) -> None:
        self.place = urllib.parse.urlsplit(address).netloc
        self.language = {"accept-language": "de"}
        self.headers = {"cookie": f"{COOKIE}={cookie}", "accept-encoding": "gzip", **self.language}

    def get(self, path: str) -> bytes:
        return self._ask("GET", path)[1]

    def state(self, table: str) -> Any:
        """Return a table as the API shows it."""
        return json.loads(self.get(f"/api/tables/{table}"))

    def is_tried(self, path: str) -> bool:
        """Try a move in a review; return whether its position is evaluated already."""
        return self._ask("GET", path, but=409)[1] != b""

    def send(self, path: str, **content: object) -> None:
        """Send what a page's program sends."""
        self._ask("POST", path, json.dumps(content))

    def press(self, path: str) -> str:
        """Press a button; return the page that it shows."""
        return self._ask("POST", path)[1].decode()

    def post(self, path: str, form: dict[str, str]) -> str:
        """Send a form; return where that leads."""
        return self._ask("POST", path, urllib.parse.urlencode(form))[0]

    def upload(self, content: str) -> None:
        """Send a file of games."""
        form = 'content-disposition: form-data; name="games"; filename="games.json"'
        body = f"--cut\r\n{form}\r\n\r\n{content}\r\n--cut--\r\n"
        more = {"content-type": "multipart/form-data; boundary=cut"}
        assert self._ask("POST", "/games/import", body, more)[0].startswith("/games?added=")

    def call(self, path: str, **content: object) -> Any:
        """Call the API; return what it answers."""
        token = self.headers["cookie"].partition("=")[2]
        kind = {"content-type": "application/json", "authorization": f"Bearer {token}"}
        return json.loads(self._ask("POST", f"/api/{path}", json.dumps(content), kind)[1])

    def refused(self, path: str, content: bytes, more: dict[str, str]) -> None:
        """Send what is wrong."""
        connection = http.client.HTTPConnection(self.place, timeout=PATIENCE)
        connection.request("POST", path, content, self.headers | more)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        assert answer.status == 422, (path, answer.status)

    def _ask(
        self,
        method: str,
        path: str,
        body: str | None = None,
        more: dict[str, str] | None = None,
        *,
        but: int = 0,
    ) -> tuple[str, bytes]:
        connection = http.client.HTTPConnection(self.place, timeout=PATIENCE)
        connection.request(method, path, body, self.headers | (more or {}))
        answer = connection.getresponse()
        said = answer.read()
        connection.close()
        if answer.status == but:
            return "", b""
        assert answer.status < 400, (path, said)
        if answer.getheader("content-encoding") == "gzip":
            said = gzip.decompress(said)
        return answer.getheader("location", ""), said

    @contextmanager
    def at(self, table: str) -> Iterator[Connection]:
        """Look at a table."""
        address = f"ws://{self.place}/t/{table}/socket"
        headers = {"cookie": self.headers["cookie"], **self.language}
        with connect(address, additional_headers=headers, max_size=None) as socket:
            wait(socket, "view")
            yield socket

    def asks(self, table: str, kind: str, **facts: object) -> Callable[[], None]:
        """Return what asks for something at a table, and waits until it has come."""

        def ask() -> None:
            with self.at(table) as socket:
                socket.send(json.dumps({"type": kind, **facts}))
                wait(socket, ANSWERS.get(kind, "view"))

        return ask


ME: dict[str, dict[str, str]] = {  # her forms
    "/me": {"name": "Anna", "picture": "1"},
    "/me/link": {},
    "/me/link/remove": {},
    "/language": {"language": "en"},
}
RESIGNING = {"type": "resign"}
ANSWERS = {"why": "refusal", "here": "here", "hint": "hint", "judge": "judge", "show": "frame"}


def wait(socket: Connection, kind: str) -> dict[str, Any]:
    """Return the next message of a kind."""
    while True:
        message: dict[str, Any] = json.loads(socket.recv(timeout=PATIENCE))
        if message["type"] == kind:
            return message
        assert message["type"] != "refusal", message


def random_moves(text: str, count: int) -> list[str]:
    """Return the first moves of a game at random."""
    state, chance, moves = parse(text), random.Random(text), []
    for _ in range(count):
        action = chance.choice(state.legal_actions())
        moves.append(state.action_to_string(action))
        state.apply_action(action)
    return moves


def prepared(database: str) -> tuple[str, str]:
    """Prepare a table on each of the largest boards and a long game.

    Return the cookies of Anna and of Bert, who has none of them.
    """
    store = Store(database)
    for name, text in LARGEST.items():
        state = parse(text)
        moves = [Ply(move) for move in random_moves(text, LONG if name == "sliding" else 3)]
        seats = dict.fromkeys(range(state.game.num_players), visitor_id(TOKEN))
        opponent = "hotseat" if name == "hidden" or len(seats) == 1 else "analysis"
        start = str(parse(text))
        store.add(StoredTable(name, start, opponent, seated_visitors=seats, moves=moves))
    state = parse(LARGEST["binary"])
    moves = [Ply(state.action_to_string(action)) for action in state.legal_actions()[:1]]
    seats = {0: visitor_id(TOKEN)}
    store.add(StoredTable("over", str(state), "machine", 1, 1, seats, moves, ended="resigned 0"))
    cookies = Auth(store.secret())._cookies
    store.close()
    return cookies.sign(TOKEN).decode(), cookies.sign("bert").decode()


def file_of_games() -> str:
    """Return a file with a long game on each of the largest boards that hide nothing."""
    usual = {"level": None, "ended": None, "changed": 1}
    games = []
    for name, text in LARGEST.items():
        if name != "hidden":
            moves = random_moves(text, IMPORTED if name == "sliding" else 3)
            seats = [*range(parse(text).game.num_players)]
            opponent = "hotseat" if len(seats) == 1 else "analysis"
            facts = {"start": str(parse(text)), "moves": moves, "seats": seats}
            games.append({**usual, **facts, "opponent": opponent})
    return json.dumps({"gridhouse": 1, "games": games})


def pages(anna: Anna) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the pages that show no table, with their names."""
    for path in ("/", "/lobby", "/games", "/games/export.json", "/me", "/evenings", "/daily"):
        yield path, lambda path=path: anna.get(path)  # type: ignore[misc]
    for path in ("/puzzles", "/api/games", "/api/tables", "/static/style.css", "/privacy"):
        yield path, lambda path=path: anna.get(path)  # type: ignore[misc]
    for game in gridhouse.games():
        for path in (f"/rules/{game}", f"/new/{game}", f"/learn/{game}/1", f"/puzzles/{game}/1"):
            yield path, lambda path=path: anna.get(path)  # type: ignore[misc]
        for path in (f"/learn/{game}/1", f"/puzzles/{game}/1"):
            yield f"show {path}", lambda path=path: anna.send(path, shows=True)  # type: ignore[misc]
    for cls in daily_games():
        day = f"/daily/{cls.name}/{datetime.now(UTC).date()}"
        for path in (day, f"{day}/picture.svg"):
            yield path, lambda path=path: anna.get(path)  # type: ignore[misc]
        yield f"play {day}", lambda day=day: anna.post(day, {})  # type: ignore[misc]


def visits(anna: Anna) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield whatever may be asked for at a table, with its name."""
    for path in ("", "/review", "/review.json", "/past.json?ply=1"):
        yield f"over{path}", lambda path=path: anna.get(f"/t/over{path}")  # type: ignore[misc]
    yield "try", lambda: try_another_move(anna)
    yield "hint", anna.asks("binary", "hint")
    columns = iter(range(TRIES))
    yield "half a move", lambda: move_by_halves(anna, f"{next(columns)}")
    for name, text in LARGEST.items():
        drawn = f"/api/tables/{name}/picture.svg"
        yield drawn, lambda drawn=drawn: anna.get(drawn)  # type: ignore[misc]
        paths = ["", "/picture.svg"] + [f"/{text}.txt" for text in ("record", "position")]
        for path in (f"/t/{name}{path}" for path in paths[: 2 if name == "hidden" else 4]):
            yield path, lambda path=path: anna.get(path)  # type: ignore[misc]
        yield f"/api/{name}", lambda name=name: anna.get(f"/api/tables/{name}")  # type: ignore[misc]
        game = text.partition("(")[0]
        start = {"start": text, "opponent": "hotseat"}
        yield f"new {name}", lambda game=game, start=start: anna.post(f"/new/{game}", start)  # type: ignore[misc]
        new = {"position": text, "opponent": "hotseat"}
        yield f"found {name}", lambda new=new: anna.call("tables", **new)  # type: ignore[misc]
        yield f"here at {name}", anna.asks(name, "here")
        yield f"look at {name}", anna.asks(name, "look", ply=1)
        if name != "hidden":
            yield f"why at {name}", anna.asks(name, "why", cells=[0])
            yield f"why at {name} without cells", anna.asks(name, "why", cells=[])
            yield f"judge at {name}", anna.asks(name, "judge")
            yield f"show at {name}", anna.asks(name, "show")
            yield f"move at {name}", lambda name=name: move_otherwise(anna, name)  # type: ignore[misc]
            yield f"undo at {name}", lambda name=name: undo_and_redo(anna, name)  # type: ignore[misc]


def acts(anna: Anna, bert: Anna) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield whatever may be done besides looking at tables, with its name."""
    yield "rematch", lambda: anna.post("/t/over/rematch", {})
    yield "turn", anna.asks("sinks", "turn")
    yield "uncover", anna.asks("hidden", "uncover")
    yield "move at hidden", lambda: uncover_and_move(anna)
    content = file_of_games()
    yield "import", lambda: anna.upload(content)
    yield "evening", lambda: play_an_evening(anna, bert)
    for way, form in ME.items():
        yield f"form {way}", lambda way=way, form=form: anna.post(way, form)  # type: ignore[misc]
    for name in ("tactego", "hidden"):
        way = "/new/tactego/arrange?" + urllib.parse.urlencode(army_of(LARGEST[name]))
        yield f"arrange {name}", lambda way=way: anna.get(way)  # type: ignore[misc]
    for name in ("tactego", "hidden", "binary", "sinks"):
        yield f"join {name}", lambda name=name: join(anna, bert, name)  # type: ignore[misc]
        yield f"resign {name}", lambda name=name: resign(anna, bert, name)  # type: ignore[misc]
    yield "answer", lambda: answer(anna, bert)
    yield "wait", lambda: wait_for_news(anna, bert)
    yield "link", lambda: go_to_another_device(anna)
    # The last of all: nothing of hers is left.
    yield "forget", lambda: anna.post("/me/forget", {})


def undo_and_redo(anna: Anna, name: str) -> None:
    """Take a move back and make it again, by the socket and by the API."""
    with anna.at(name) as socket:
        for kind in ("undo", "redo"):
            socket.send(json.dumps({"type": kind}))
            wait(socket, "view")
    for kind in ("undo", "redo"):
        anna.call(f"tables/{name}/{kind}")


def move_otherwise(anna: Anna, name: str) -> None:
    """Take a move back and make any, by the socket and by the API."""
    with anna.at(name) as socket:
        socket.send(json.dumps({"type": "undo"}))
        make_move(socket, wait(socket, "view"))
    state = anna.call(f"tables/{name}/undo")
    anna.call(f"tables/{name}/moves", move=state["legal"][0], ply=state["ply"])


def move_by_halves(anna: Anna, word: str) -> None:
    """Ask for a move by a word with which many moves begin."""
    with anna.at("binary") as socket:
        socket.send(json.dumps({"type": "look"}))
        ply = wait(socket, "view")["ply"]
        socket.send(json.dumps({"type": "move", "move": word, "ply": ply}))
        assert "kann" in wait(socket, "refusal")["text"]


def uncover_and_move(anna: Anna) -> None:
    """Make a move that others must not see."""
    with anna.at("hidden") as socket:
        socket.send(json.dumps({"type": "uncover"}))
        make_move(socket, wait(socket, "view"))


def make_move(socket: Connection, view: dict[str, Any]) -> None:
    """Make a move that a page offers."""
    facts = {"move": view["gestures"][0][0], "ply": view["ply"]}
    socket.send(json.dumps({"type": "move", **facts}))
    wait(socket, "view")


def join(anna: Anna, bert: Anna, name: str, *, by_link: bool | None = None) -> str:
    """Join Bert's tables, by a link and by the API or by one of them; return the last one."""
    for is_link in (True, False) if by_link is None else (by_link,):
        facts = {"position": LARGEST[name], "opponent": "friends", "listed": True}
        table: dict[str, str] = bert.call("tables", **facts)["table"]
        if is_link:
            link = urllib.parse.urlsplit(table["invitation"]).path
            anna.get(link)
            anna.post(link, {})
        else:
            anna.call(f"tables/{table['id']}/seats")
    return table["id"]


def resign(anna: Anna, bert: Anna, name: str) -> None:
    """Say something and resign, by the socket and by the API."""
    with anna.at(table := join(anna, bert, name, by_link=False)) as socket:
        for message, kind in (({"type": "phrase", "number": 1}, "phrase"), (RESIGNING, "view")):
            socket.send(json.dumps(message))
            wait(socket, kind)
    assert bert.state(table)["over"]
    assert anna.call(f"tables/{join(anna, bert, name, by_link=False)}/resign")["over"]


def answer(anna: Anna, bert: Anna) -> None:
    """Agree that moves are taken back, by the socket and by the API."""
    for by_socket in (True, False):
        table = join(anna, bert, "binary", by_link=False)
        for visitor in (bert, anna):
            state = visitor.state(table)
            if state["legal"]:
                visitor.call(f"tables/{table}/moves", move=state["legal"][0], ply=0)
                mover, other = visitor, anna if visitor is bert else bert
                break
        assert mover.call(f"tables/{table}/undo")["asked"]
        if by_socket:
            with other.at(table) as socket:
                socket.send(json.dumps({"type": "answer", "agrees": True}))
                assert wait(socket, "view")["ply"] == 0
        else:
            assert other.call(f"tables/{table}/answer", agrees=True)["ply"] == 0


def wait_for_news(anna: Anna, bert: Anna) -> None:
    """Wait by the API until Bert resigns."""
    table = join(anna, bert, "tactego", by_link=False)
    version = anna.state(table)["version"]
    waits = threading.Thread(
        target=anna.get, args=(f"/api/tables/{table}?after={version}&wait=20",)
    )
    waits.start()
    bert.call(f"tables/{table}/resign")
    waits.join(PATIENCE)
    assert not waits.is_alive()


def try_another_move(anna: Anna) -> None:
    """Try another move than that of the game that is over, as soon as that is evaluated."""
    state = parse(LARGEST["binary"])
    move = state.action_to_string(state.legal_actions()[1])
    query = urllib.parse.urlencode({"ply": 0, "move": move})
    anna.get("/t/over/review.json")
    wait_for(lambda: anna.is_tried(f"/t/over/try.json?{query}"), "the evaluation")


def go_to_another_device(anna: Anna) -> None:
    """Make a link for another device, and use it there."""
    found = re.search('/me/link/[^"<> ]+', anna.press("/me/link"))
    assert found is not None
    anna.get(found[0])
    anna.post(found[0], {})


def play_an_evening(anna: Anna, bert: Anna) -> None:
    """Begin an evening, be paired, and leave."""
    form = {"name": "Club", "board": "tactego", "clock": "3+2", "minutes": "30"}
    evening = anna.post("/evenings", form)
    for visitor, name in ((anna, "Anna"), (bert, "Bert")):
        visitor.post(f"{evening}/join", {"name": name})
    for path in ("/evenings", evening, f"{evening}/state"):
        anna.get(path)
    anna.post(f"{evening}/pause", {})


def army_of(text: str) -> dict[str, str]:
    """Return the form by which an army for a board is arranged."""
    game = parse(text).game
    values = {f"p-{key}": str(value) for key, value in game.values.items() if value is not False}
    return {"preset": "own", **values}


def slow(asked: Iterable[tuple[str, Callable[[], object]]], watch: Watch) -> dict[str, Any]:
    """Ask for everything, and return what holds the loop up each time, with how long."""
    found = {}
    for name, ask in asked:
        watch.longest()
        tries: list[tuple[float, str]] = []
        while not tries or (tries[-1][0] and len(tries) < TRIES):
            ask()
            tries.append(watch.longest())
        if min(tries)[0]:
            found[name] = min(tries)
    return found


@pytest.mark.slow("asks for everything on the largest boards")
def test_nothing_holds_up_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cookies = prepared(f"sqlite:///{tmp_path / 'house.db'}")
    with watched(monkeypatch) as watch, served(tmp_path, patience=0.1) as address:
        anna, bert = (Anna(address, cookie) for cookie in cookies)
        assert slow((*pages(anna), *visits(anna), *acts(anna, bert)), watch) == {}


def wrong(anna: Anna) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the largest wrong inputs, with their names."""
    form = {"content-type": "application/x-www-form-urlencoded"}
    token = anna.headers["cookie"].partition("=")[2]
    call = {"content-type": "application/json", "authorization": f"Bearer {token}"}
    name = "name=x" + "\u0301" * 16_000 + "\u0323" * 15_000
    fields: dict[str, list[int]] = {f"{at:x}": [] for at in range(5000)}
    for path, body, more in (
        ("/evenings", f"board=binary&{name}", form),
        ("/me", name, form),
        ("/me", "name=" + "%41" * 20_000, form),
        ("/me", "name=" + "\u00e9%41" * 12_000, form),
        ("/api/tables", json.dumps({"game": "binary", "parameters": fields}), call),
        ("/api/tables", json.dumps({"game": "binary", **fields}), call),
    ):
        content = body.encode()
        yield (
            f"{path} {body[:20]}",
            lambda path=path, content=content, more=more: anna.refused(  # type: ignore[misc]
                path, content, more
            ),
        )


def test_no_wrong_input_holds_up_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(f"sqlite:///{tmp_path / 'house.db'}")
    cookie = Auth(store.secret())._cookies.sign(TOKEN).decode()
    store.close()
    with watched(monkeypatch) as watch, served(tmp_path) as address:
        assert slow(wrong(Anna(address, cookie)), watch) == {}

"""Visitors of a house in the browser, without a browser: pages, forms and sockets."""

from __future__ import annotations

import json
import random
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from starlette.testclient import TestClient

import gridhouse
from gridhouse.server.app import create_app
from gridhouse.server.settings import Settings
from walks import way_out
from wire_helpers import complete

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.testclient import WebSocketTestSession

    from gridhouse.core.game import State
    from gridhouse.server.storage.store import Store

TODAY = "2026-11-20"

SMALL = {"sliding": {"rows": 2, "cols": 2}, "collapse": {"rows": 5, "cols": 4, "digits": 4}}

HIDDEN = "tactego(rows=3,cols=2,pieces=Fx1 5x1,hidden=True) R 0 RF,R5/,/B5,BF"
MANY = 50  # messages in which something wanted has to come


def settings_of(folder: Path, **others: Any) -> Settings:
    """Return the settings of a house that keeps its tables in a folder and thinks interpreted."""
    usual: dict[str, Any] = {"pause": 0.0, "jit": False, "patience": 0.5, "burst": 10_000}
    return Settings(**{"database": f"sqlite:///{folder / 'house.db'}"} | usual | others)


@contextmanager
def open_house(folder: Path, address: str = "testclient", **others: Any) -> Iterator[TestClient]:
    """Open a house and yield a client of it, whose requests come from an address."""
    app = create_app(settings_of(folder, **others))
    with TestClient(
        app, "http://house.test", raise_server_exceptions=False, client=(address, 50_000)
    ) as client:
        yield client


class Visitor:
    """Somebody with a browser of their own."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.cookies: dict[str, str] = {}

    @property
    def token(self) -> str:
        """The token in the visitor's cookie, "" before there is one."""
        return next(iter(self.cookies.values()), "")

    def _headers(self, given: dict[str, str] | None) -> dict[str, str]:
        self.client.cookies.clear()
        pairs = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return ({"cookie": pairs} if pairs else {}) | (given or {})

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers=self._headers(headers), follow_redirects=False)

    def post(self, path: str, form: dict[str, str] | None = None, **headers: str) -> Any:
        """Send a form, and keep the cookies that come back."""
        answer = self.client.post(
            path, data=form or {}, headers=self._headers(headers), follow_redirects=False
        )
        self.cookies.update(answer.cookies)
        return answer

    def new(self, game: str, **form: str) -> str:
        """Open a table and return its address."""
        answer = self.post(f"/new/{game}", form)
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    @contextmanager
    def at(self, table: str, query: str = "?changes", **headers: str) -> Iterator[Seat]:
        """Look at a table as its page does."""
        path = f"ws://house.test{table}/socket{query}"
        with self.client.websocket_connect(path, headers=self._headers(headers)) as socket:
            yield Seat(socket)


def upload(visitor: Visitor, content: str | bytes) -> Any:
    """Send a file of games."""
    pairs = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    visitor.client.cookies.clear()
    answer = visitor.client.post(
        "/games/import",
        files={"games": ("games.json", content, "application/json")},
        headers={"cookie": pairs} if pairs else {},
        follow_redirects=False,
    )
    visitor.cookies.update(answer.cookies)
    return answer


def visitor_of(visitor: Visitor) -> str:
    """Return the id under which the house knows a visitor."""
    auth = visitor.client.app.state.auth  # type: ignore[attr-defined]
    return str(auth.verify(visitor.token))


def rows_of(store: Store, beginning: str) -> list[int]:
    """Return the list to which each statement that begins so adds the number of its rows."""
    counts: list[int] = []

    def count(_: object, cursor: Any, statement: str, *__: object) -> None:
        if statement.startswith(beginning):
            counts.append(cursor.rowcount)

    sa.event.listen(store.engine, "after_cursor_execute", count)
    return counts


class Seat:
    """The socket of a page that shows a table."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket
        self.heard: list[str] = []
        self.view: dict[str, Any] = {}
        self.wait("view")

    @property
    def raw(self) -> dict[str, Any]:
        """The last message as it came."""
        said: dict[str, Any] = json.loads(self.heard[-1])
        return said

    def listen(self) -> dict[str, Any]:
        """Return the next message; all of them are kept as they came."""
        self.heard.append(self.socket.receive_text())
        message: dict[str, Any] = json.loads(self.heard[-1])
        if message["type"] == "view":
            self.view = complete(message, self.view)
        return message

    def wait(self, kind: str, ply: int | None = None) -> dict[str, Any]:
        """Return the next message of a kind, and if it is wanted, of a ply."""
        for _ in range(MANY):
            message = self.listen()
            if message["type"] == kind and ply in (None, message.get("ply")):
                return message
        raise AssertionError(f"no {kind} came")

    def say(self, kind: str, **facts: object) -> None:
        self.socket.send_text(json.dumps({"type": kind, **facts}))

    def move(self, text: str) -> dict[str, Any]:
        """Play a move and return the view that shows it."""
        ply = self.view["ply"]
        self.say("move", move=text, ply=ply)
        return self.wait("view", ply + 1)

    def refused(self, kind: str, **facts: object) -> str:
        """Ask for what cannot be, and return the reason."""
        self.say(kind, **facts)
        while (message := self.listen())["type"] in ("view", "presence"):
            pass
        assert message["type"] == "refusal", message  # to wait on for one would be for ever
        return str(message["text"])


def playout(start: State, seed: int) -> list[int]:
    """Return the actions of a random game to its end."""
    chance = random.Random(seed)
    state = start.clone()
    while not state.is_terminal():
        state.apply_action(chance.choice(state.legal_actions()))
    return state.history()


def near_end(text: str, seed: int, left: int) -> tuple[State, list[int]]:
    """Return a position some moves before the end of a random game, and those moves."""
    start = gridhouse.parse(f"{text}#{seed}")
    actions = playout(start, seed)
    state = start.clone()
    for action in actions[:-left]:
        state.apply_action(action)
    return gridhouse.parse(str(state)), actions[-left:]


def uncovered(seat: Seat) -> None:
    """Show the screen to whoever is to move."""
    if seat.view["handing"]:
        assert not seat.view["acts"]
        seat.say("uncover")
        seat.wait("view")


class Clock:
    """A time that stands still until it is set."""

    def __init__(self, day: str = TODAY, hour: int = 12) -> None:
        self.time = datetime.fromisoformat(f"{day}T{hour:02}:00+00:00")

    def __call__(self) -> datetime:
        return self.time


def moves_out(start: State) -> list[str]:
    """Return the moves of the shortest way to the end of a puzzle."""
    state = start.clone()
    moves = []
    for action in way_out(start):
        moves.append(state.action_to_string(action))
        state.apply_action(action)
    return moves

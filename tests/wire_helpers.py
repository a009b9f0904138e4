"""Visitors of a house in another process, by real connections and without a browser."""

from __future__ import annotations

import http.client
import json
import urllib.parse
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from websockets.sync.client import connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from websockets.sync.connection import Connection

PATIENCE = 60.0  # seconds: other work may have the processor


class Caller:
    """Somebody with a cookie of their own, who can call at several houses of one database."""

    def __init__(self) -> None:
        self.cookie = ""

    def ask(self, house: str, path: str, form: dict[str, str] | None = None) -> tuple[str, str]:
        """Get a page, or send a form; return where that leads, and the page."""
        place = urllib.parse.urlsplit(house).netloc
        connection = http.client.HTTPConnection(place, timeout=PATIENCE)
        body = None if form is None else urllib.parse.urlencode(form)
        connection.request("GET" if body is None else "POST", path, body, {"Cookie": self.cookie})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        assert answer.status < 400, text
        self.cookie = answer.getheader("set-cookie", self.cookie).partition(";")[0]
        return answer.getheader("location", ""), text

    def new(self, house: str, game: str, **form: str) -> str:
        """Open a table and return its path."""
        return self.ask(house, f"/new/{game}", form)[0]

    @contextmanager
    def at(self, house: str, table: str) -> Iterator[Place]:
        """Look at a table as its page does."""
        place = urllib.parse.urlsplit(house).netloc
        address = f"ws://{place}{table}/socket?changes"
        with connect(address, additional_headers={"Cookie": self.cookie}) as socket:
            yield Place(socket)


def complete(view: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Return a view with what the one before it had, since it has only what is new."""
    changes = view.pop("changes")
    if changes is not None:
        lines = before["board"].split("\n")
        for first, gone, come in changes:
            lines[first : first + gone] = come
        view["board"] = "\n".join(lines)
    since = view.pop("since")
    for made in ("moves", "notes"):
        view[made] = before.get(made, [])[:since] + view[made]
    return view


class Place:
    """The socket of somebody who looks at a table."""

    def __init__(self, socket: Connection) -> None:
        self.socket = socket
        self.view: dict[str, Any] = {}
        self.wait(0)

    def wait(self, ply: int) -> None:
        """Listen until so many moves are made, and what they led to is known."""
        while not self.view or self.view["ply"] < ply:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            assert message["type"] == "view", message
            self.view = complete(message, self.view)

    def move(self, text: str) -> None:
        """Ask for a move, and do not wait for it."""
        asked = {"type": "move", "move": text, "ply": self.view["ply"]}
        self.socket.send(json.dumps(asked))

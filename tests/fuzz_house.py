"""The house as a reader, with texts for each of its addresses, for the fuzzer."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock
from urllib.parse import unquote

from fuzz_texts import SAVED
from gridhouse.core.notation import seed_bytes as raw  # the bytes of any text
from gridhouse.server.daily import service as daily
from gridhouse.server.settings import LOOPBACK
from web_helpers import Visitor, open_house

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.testclient import TestClient
    from starlette.types import ASGIApp, Message, Scope

    from web_helpers import Seat

SENT = (
    *("accept-language", "authorization", "cookie", "host", "origin", "referer", "range"),
    *("if-none-match", "accept-encoding", "content-type", "x-forwarded-for", "x-forwarded-proto"),
)
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
ONE_MOVE = "binary(rows=1,cols=1)#1"  # before the end
TEXTS_OF_HOUSE = 400
BODIES = (
    '{"game": "binary", "preset": "small", "opponent": "friends", "clock": "3+2", "side": 1}',
    '{"game": "tactego", "parameters": {"rows": 4, "pieces": "5x1 Fx1", "hidden": true}}',
    '{"position": "sinks(rows=8,cols=8)#1", "level": 3, "side": "random", "listed": true}',
    '{"game": "sliding", "position": "one\\ntwo\\nsix"}',
    '{"move": "0 0 1", "ply": 0}',
    '{"move": "1 1 l", "ply": 0}',
    '{"invitation": "/t/x/join/y"}',
    '{"agrees": true}',
    '{"moves": ["0 0 1"], "move": "", "cells": [1, 2], "shows": false}',
)
FORMS = (
    "preset=own&p-rows=6&p-cols=3&p-pieces=5x1+Fx1&p-hidden=on&army=5+F&opponent=friends&clock=3%2B2",
    "preset=small&level=3&side=random&start=&listed=",
    "start=sinks%28rows%3D8%2Ccols%3D8%29%231&opponent=hotseat",
    "start=5+1%0D%0AF+1&preset=own&p-rows=4&p-cols=4",
    "name=Anna&picture=3&board=binary+small&clock=3%2B2&minutes=60",
    "ply=0&move=0+0+1&language=de&back=%2Fme",
    "name=Zo%C3%AB&picture=9&grade=2&page=3&game=binary&state=over&after=1&wait=0",
)
SAID = (
    '{"type": "move", "move": "0 0 1", "ply": 0}',
    '{"type": "move", "move": "1 1 l", "ply": 0}',
    '{"type": "why", "cells": [0, 3]}',
    '{"type": "look", "ply": 1}',
    '{"type": "turn", "to": 2}',
    '{"type": "phrase", "number": 2}',
    *('{"type": "undo"}', '{"type": "redo"}', '{"type": "resign"}'),
    *('{"type": "answer", "agrees": true}', '{"type": "uncover"}'),
)


async def answer_to(app: ASGIApp, scope: Scope, body: bytes) -> tuple[int, bytes]:
    """Return the status and the body that an application answers to a request."""
    asked: list[Message] = [{"type": "http.request", "body": body}]
    said: list[Message] = []
    over = asyncio.Event()

    async def receive() -> Message:
        if not asked:
            await over.wait()
            return {"type": "http.disconnect"}
        return asked.pop()

    async def send(message: Message) -> None:
        said.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            over.set()

    await app(scope, receive, send)
    return said[0]["status"], b"".join(message.get("body", b"") for message in said)


class House:
    """A house without a network, which never answers that it has failed.

    It is started anew after some texts, so that what they leave behind does not slow it down.
    """

    def __init__(self) -> None:
        """Begin without a house."""
        self._opened = ExitStack()
        self._left = 0
        self.met: defaultdict[str, set[int]] = defaultdict(set)

    def read(self, how: Callable[[House, str], None], text: str) -> None:
        """Give the house a text."""
        if not self._left:
            self.start()
        self._left -= 1
        how(self, text)

    def start(self) -> None:
        """Start a house with a table of each kind that answers differ by."""
        self.close()
        self._opened.enter_context(mock.patch.object(daily, "SECONDS", 0.01))
        folder = self._opened.enter_context(tempfile.TemporaryDirectory())
        # A visitor on the machine of the house may create as many tables as they like.
        client = self._opened.enter_context(open_house(Path(folder), LOOPBACK[0], rate=1e9))
        database = f"sqlite:///{folder}/proxied.db"
        self.proxied = self._opened.enter_context(
            open_house(Path(folder), LOOPBACK[0], rate=1e9, proxies=LOOPBACK, database=database)
        )
        self.visitor = Visitor(client)
        self.going_on = self.visitor.new("sinks", opponent="hotseat")
        self.waiting = self.visitor.new("tactego", opponent="friends")
        self.over = self.visitor.new("binary", opponent="hotseat", start=ONE_MOVE)
        self.cookie = "; ".join(f"{key}={value}" for key, value in self.visitor.cookies.items())
        self.send(f"/api/tables{self.over[2:]}/moves", '{"move": "0 0 1", "ply": 0}', JSON)
        self._sockets = ExitStack()
        self._opened.push(self._sockets)
        self._seats: list[Seat] = []
        self._left = TEXTS_OF_HOUSE

    def close(self) -> None:
        """Close the house."""
        self._opened.close()

    def send(self, path: str, text: str, kind: str) -> None:
        """Send a body to an address."""
        bearer = f"Bearer {self.visitor.token}"
        given = {"content-type": kind, "authorization": bearer, "cookie": self.cookie}
        self.met[path].add(self.ask(self.visitor.client, "POST", path, given, raw(text)))

    def open(self, path: str, rest: str, cookie: str = "") -> None:
        """Open a page, the rest of whose address is made of a text."""
        headers = {"cookie": cookie or self.cookie}
        self.met[path].add(self.ask(self.visitor.client, "GET", path + rest, headers))

    def ask(
        self,
        client: TestClient,
        method: str,
        address: str,
        headers: dict[str, str],
        body: bytes = b"",
    ) -> int:
        """Return the status of the answer, which is no fault.

        Nor is it that of a limit, behind which nothing is read.  The client's own requests would
        take two to ten times as long.
        """
        path, _, query = address.partition("?")
        usual = {"host": "house.test", "content-length": str(len(body)), "accept-language": "de"}
        pairs = (usual | headers).items()  # what is said in English is translated as well
        scope: Scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode("ascii"),
            "root_path": "",
            "query_string": query.encode("ascii"),
            "headers": [(key.encode("ascii"), value.encode("latin-1")) for key, value in pairs],
            "client": (LOOPBACK[0], 50_000),
            "server": ("house.test", 80),
        }
        assert client.portal is not None  # while the house is open
        status, text = client.portal.call(answer_to, client.app, scope, body)
        assert status < 500, (address, status)
        assert status != 429, (address, text)
        return status

    def body(self, text: str) -> None:
        """Send a body to each call of the API, a lesson and a puzzle."""
        own = f"/api/tables{self.going_on[2:]}"
        for path in ("/api/tables", f"{own}/moves", f"{own}/seats", f"{own}/answer"):
            self.send(path, text, JSON)
        for path in ("/learn/sinks/1", "/puzzles/collapse/1"):
            self.send(path, text, JSON)

    def form(self, text: str) -> None:
        """Send a form to each page that has one, and as a query."""
        for path in ("/new/tactego", "/new/sinks", "/me", "/language", "/evenings"):
            self.send(path, text, FORM)
        self.send(f"{self.over}/rematch", text, FORM)
        query = "".join(letter if " " < letter < "\x7f" else "%ff" for letter in text[:500])
        for path in ("/new/tactego", "/new/tactego/arrange", "/games", "/lobby", "/puzzles/binary"):
            self.open(path, f"?{query}")
        for path in ("/past.json", "/try.json", "/picture.svg", "/position.txt", "/record.txt"):
            self.open(self.over + path, f"?{query}")
        for path in ("/api/tables", "/daily/collapse"):
            self.open(path, f"?{query}")

    def address(self, text: str) -> None:
        """Open a page whose address has a text in it."""
        part = "".join(f"%{byte:02x}" for byte in raw(text)[:6000])
        for before in ("/t/", "/learn/sinks/", "/puzzles/sinks/", "/daily/collapse/", "/me/link/"):
            self.open(before, part)
        self.open(f"{self.waiting}/join/", part)
        for before in ("/evening/", "/rules/", "/new/", "/static/", "/api/tables/", "/api/games/"):
            self.open(before, part, f"gridhouse={part[:200]}")

    def header(self, text: str) -> None:
        """Send a text as each header that is read, at once to see a page and alone to change it."""
        value = "".join(each if " " <= each <= "\xff" and each != "\x7f" else "?" for each in text)
        for path in ("/me", "/static/style.css", "/api/tables"):
            self.ask(self.proxied, "GET", path, dict.fromkeys(SENT, value.strip()))
        for name in SENT:
            given = {"content-type": FORM, name: value.strip()}
            self.ask(self.proxied, "POST", "/language", given, b"language=de")

    def upload(self, text: str) -> None:
        """Send a file of games, and the text as a form with a file."""
        part = (
            f'--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n{text}\r\n--x--'
        )
        for body in (part, text):
            self.send("/games/import", body, "multipart/form-data; boundary=x")

    def message(self, text: str) -> None:
        """Say something at each table."""
        if not self._seats:
            for table in (self.going_on, self.waiting):
                self._seats.append(self._sockets.enter_context(self.visitor.at(table)))
        for seat in self._seats:
            seat.socket.send_text(text)
            seat.say("here")
        for seat in self._seats:
            while True:  # a socket that closes has refused as well
                said = seat.socket.receive()
                if said["type"] == "websocket.close":
                    assert said["code"] == 1008, said
                    self._sockets.close()
                    self._seats.clear()
                    return
                kind = json.loads(said["text"])["type"]
                self.met[kind].add(0)
                if kind == "here":
                    break


HEADERS = (
    *("de, en;q=0.5, *;q=0", "10.0.0.1, [::1]:80, x", "https", "Bearer x.y", "bytes=0-1,5-,-3"),
    *('W/"abc", *', "gridhouse=x.y; language=de", "house.test:80", "http://[::1]:80/x?y=1"),
    *("application/json; charset=x", "multipart/form-data; boundary=x", "gzip;q=0, br"),
)
ADDRESSES = ("1", "2026-11-20", "binary", "a/b", ".", "style.css")
HOUSE: dict[str, tuple[Callable[[House, str], None], tuple[str, ...], int]] = {
    "bodies": (House.body, BODIES, 60),
    "forms": (House.form, FORMS, 40),
    "addresses": (House.address, ADDRESSES, 20),
    "headers": (House.header, HEADERS, 60),
    "uploads": (House.upload, SAVED, 60),
    "messages": (House.message, SAID, 60),
}

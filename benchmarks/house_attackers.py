"""Visitors who mean harm, beside whom a house has to serve the others.

    python benchmarks/house_attackers.py HOUSE [SECONDS]

``why``: fifteen sockets of one visitor ask, as fast as they are allowed, why no move begins with no
cells, or with one, on the largest board of Tactego. ``endless``: one visitor goes back and forth
in a sliding puzzle, and five sockets look back at it. ``halves``: 1,200 connections send half a
request each, and again whenever they are closed. Printed is how long the front page took
another visitor, alone and beside each of them, in milliseconds at the 50th and 99th percentile.
"""

from __future__ import annotations

import asyncio
import http.client
import itertools
import json
import sys
import time
import urllib.parse
from contextlib import suppress
from statistics import quantiles
from typing import TYPE_CHECKING, Any

from command_line import Seconds, start
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    Attack = Callable[[str, float], Coroutine[Any, Any, None]]

LARGEST = "tactego(rows=20,cols=20,pieces=5x199 Fx1,limit=0)#1"
SLIDING = "sliding(rows=4,cols=4)#1"
SOCKETS = 15
LOOKERS = 5
HALVES = 1200
PAGE_PAUSE = 0.05
RATE = 9.0  # messages a second, a little less than a page may send
BURST = 35


def found_table(house: str, position: str) -> tuple[str, dict[str, str]]:
    """Create a table for two at one screen, and return its address and the visitor's header."""
    place = urllib.parse.urlsplit(house).netloc
    connection = http.client.HTTPConnection(place, timeout=60)
    body = json.dumps({"position": position, "opponent": "hotseat"})
    connection.request("POST", "/api/tables", body, {"content-type": "application/json"})
    made = json.loads(connection.getresponse().read())
    address = f"ws://{place}/t/{made['table']['id']}/socket"
    return address, {"authorization": f"Bearer {made['token']}"}


async def ask(
    address: str, headers: dict[str, str], until: float, *messages: dict[str, Any]
) -> None:
    """Send messages as often as a page may, and connect again whenever the house hangs up."""
    texts = itertools.cycle([json.dumps(message) for message in messages])
    while time.monotonic() < until:
        with suppress(ConnectionClosed, OSError, TimeoutError):
            async with connect(
                address, additional_headers=headers, compression=None, max_size=None
            ) as socket:
                reading = asyncio.create_task(drain(socket))
                for _ in range(BURST):
                    await socket.send(next(texts))
                while time.monotonic() < until and not reading.done():
                    await socket.send(next(texts))
                    await asyncio.sleep(1 / RATE)
                reading.cancel()
        await asyncio.sleep(0.1)


async def drain(socket: ClientConnection) -> None:
    """Read what comes, and drop it."""
    with suppress(ConnectionClosed):
        async for _ in socket:
            pass


async def why(house: str, until: float) -> None:
    """Ask for reasons without end, from fifteen sockets of one visitor."""
    address, headers = await asyncio.to_thread(found_table, house, LARGEST)
    questions: list[dict[str, Any]] = [{"type": "why", "cells": cells} for cells in ([], [0])]
    await asyncio.gather(*(ask(address, headers, until, *questions) for _ in range(SOCKETS)))


async def endless(house: str, until: float) -> None:
    """Move back and forth without end, and look back from five sockets."""
    await wander_and_look(*await asyncio.to_thread(found_table, house, SLIDING), until)


async def wander_and_look(address: str, headers: dict[str, str], until: float) -> None:
    """Go on so at a table."""
    look = {"type": "look", "ply": 1}
    looks = [ask(address, headers, until, look) for _ in range(LOOKERS)]
    await asyncio.gather(wander(address, headers, until), *looks)


async def wander(address: str, headers: dict[str, str], until: float) -> None:
    """Make as many moves as a page may."""
    while time.monotonic() < until:
        with suppress(ConnectionClosed, OSError, TimeoutError):
            async with connect(
                address, additional_headers=headers, compression=None, max_size=None
            ) as socket:
                while time.monotonic() < until:
                    said = json.loads(await socket.recv())
                    if said["type"] != "view" or not said["gestures"]:
                        continue
                    move = said["gestures"][0][0]
                    await socket.send(
                        json.dumps({"type": "move", "move": move, "ply": said["ply"]})
                    )
                    await asyncio.sleep(1 / RATE)
        await asyncio.sleep(0.1)


async def halves(house: str, until: float) -> None:
    """Hold connections that wait for the rest of a request."""
    place = urllib.parse.urlsplit(house)

    async def hold() -> None:
        while time.monotonic() < until:
            with suppress(OSError, TimeoutError):
                reader, writer = await asyncio.open_connection(place.hostname, place.port)
                writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX-Half: ")
                left = until - time.monotonic()
                await asyncio.wait_for(reader.read(), max(0.0, left))
                writer.close()
            await asyncio.sleep(0.5)

    await asyncio.gather(*(hold() for _ in range(HALVES)))


ATTACKS: dict[str, Attack] = {"why": why, "endless": endless, "halves": halves}


async def attack(house: str, address: str, cookie: str, seconds: float) -> None:
    """Ask why, and go on at a table with a long game."""
    until = time.monotonic() + seconds
    await asyncio.gather(why(house, until), wander_and_look(address, {"cookie": cookie}, until))


async def pages(house: str, until: float) -> list[float]:
    """Return the milliseconds of requests for the front page, one after the other."""
    took = []
    while time.monotonic() < until:
        began = time.perf_counter()
        await asyncio.to_thread(front_page, house)
        took.append(1000 * (time.perf_counter() - began))
        await asyncio.sleep(PAGE_PAUSE)
    return took


def front_page(house: str) -> None:
    """Get the front page by a connection of its own."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(house).netloc, timeout=120)
    connection.request("GET", "/")
    connection.getresponse().read()
    connection.close()


async def measure(house: str, seconds: float) -> None:
    """Print how long a page takes, alone and beside each attack."""
    attacks: dict[str, Attack | None] = {"alone": None, **ATTACKS}
    for name, attack in attacks.items():
        until = time.monotonic() + seconds
        attacking = None if attack is None else asyncio.create_task(attack(house, until))
        cuts = quantiles(await pages(house, until), n=100)
        print(f"{name}: 50 % {cuts[49]:.1f} ms, 99 % {cuts[98]:.1f} ms", flush=True)
        if attacking is not None:
            await attacking
        await asyncio.sleep(2)


def main(house: str, seconds: Seconds = 20.0) -> None:
    """Measure a house at an address beside visitors who mean harm."""
    sys.stdout.flush()
    asyncio.run(measure(house, seconds))


if __name__ == "__main__":
    start(main)

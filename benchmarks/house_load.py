"""The load of the server: tables with random moves, and many viewers.

    python benchmarks/house_load.py [SECONDS] [MOVES A SECOND] [TABLES] [SOCKETS A TABLE] [ATTACKED]

A house is opened in a process of its own, on a database of its own. At every table one visitor
plays at random and the others look on, each table from an address of its own; all games take turns,
and when a game is over its people go on to the next table. With 1 as ATTACKED two visitors of
house_attackers.py do their worst meanwhile, the second in a game of many thousand moves. Printed
are the moves a second that were made; how long it took from a click until each of the others had
the new picture, at the 50th and 99th percentile, in milliseconds; what a client costs in memory, in
KiB; how long a page took meanwhile; without attackers, how long a click takes while the machine
thinks at ten tables; and as a yardstick of this machine
how long a message takes there and back through a server of the same libraries that does nothing.
"""

from __future__ import annotations

import asyncio
import gc
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

import uvloop
from command_line import Count, Seconds, Some, start
from websockets.asyncio.client import ClientConnection, connect

import gridhouse
from gridhouse.core.registry import game_class
from gridhouse.players.levels import LEVELS
from gridhouse.server.auth import COOKIE, Auth, visitor_id
from gridhouse.server.storage.records import Ply, StoredTable
from gridhouse.server.storage.store import Store

if TYPE_CHECKING:
    from gridhouse.core.game import State

SERVER = """
import sys
from gridhouse.server.app import create_app
from gridhouse.server.serve import listen, serve
from gridhouse.server.settings import Settings
listening = listen("127.0.0.1", 0)
print(listening.getsockname()[1], flush=True)
serve(create_app(Settings(database=sys.argv[1])), listening)
"""
ATTACK = """
import asyncio, sys
import house_attackers
house, address, cookie, seconds = sys.argv[1:]
asyncio.run(house_attackers.attack(house, address, cookie, float(seconds)))
"""
ECHO = """
import uvicorn
from gridhouse.server.serve import config_of, listen
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        for kind in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{kind}.complete"})
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})
listening = listen("127.0.0.1", 0)
print(listening.getsockname()[1], flush=True)
uvicorn.Server(config_of(app)).run(sockets=[listening])
"""
TOKEN = "load"
LONG = 9000  # moves
MOST_BEGUN = 20  # moves: a game has some more
ECHOES = 300
MACHINES = 10
THOUGHT = 20.0  # seconds
WARM_UP = 2.0
SETTLING = 1.0  # seconds: opening all sockets at once holds moves up


class Slot:
    """A group of tables that the same two clients play one after the other."""

    def __init__(
        self, port: int, tables: list[str], watchers: int, cookie: str, number: int = 0
    ) -> None:
        """Set up the tables; the number decides from which address they are visited."""
        self.port = port
        self.here = f"127.1.{number // 250}.{1 + number % 250}", 0
        self.tables = tables
        self.watchers = watchers
        self.cookie = cookie
        self.sent = (-1, 0.0)
        self.delays: list[float] = []
        self.sent_bytes = 0  # to those who look on
        self.moves = 0
        self.following = 0.0  # the time of the next move
        self.ready = asyncio.Event()

    async def play(self, pause: float, until: asyncio.Event) -> None:
        """Make a move at regular intervals, on one table after the other."""
        for table in self.tables:
            await self._play_at(table, pause, until)
            if until.is_set():
                return

    async def _play_at(self, table: str, pause: float, until: asyncio.Event) -> None:
        address = f"ws://127.0.0.1:{self.port}/t/{table}/socket?changes"
        cookies = {"Cookie": f"{COOKIE}={self.cookie}"}
        usual: Any = {"compression": None, "ping_interval": None, "local_addr": self.here}
        player = await connect(address, additional_headers=cookies, **usual)
        others = [await connect(address, **usual) for _ in range(self.watchers)]
        context_of = [asyncio.create_task(self._look(other)) for other in others]
        self.sent = (-1, 0.0)
        view = await self._shown(player, 0)
        self.ready.set()
        self.restart(pause)
        while view["gestures"] and not until.is_set():
            await asyncio.sleep(max(0.0, self.following - time.perf_counter()))
            self.following += pause
            move = random.choice(view["gestures"])[0]
            self.sent = (view["ply"] + 1, time.perf_counter())
            await player.send(json.dumps({"type": "move", "move": move, "ply": view["ply"]}))
            view = await self._shown(player, view["ply"] + 1)
            if view["handing"]:  # after a bomb the screen is handed over
                await player.send(json.dumps({"type": view["handing"]["does"]}))
                view = await self._shown(player, view["ply"])
            while view["handing"] and view["handing"]["does"] == "uncover":
                await player.send(json.dumps({"type": "uncover"}))
                view = await self._shown(player, view["ply"])
            self.moves += 1
        for socket in (player, *others):
            await socket.close()
        await asyncio.gather(*context_of)

    def restart(self, pause: float) -> None:
        """Make the next move within a pause, and none of those that were missed."""
        self.following = time.perf_counter() + pause * random.random()

    async def _shown(self, player: ClientConnection, ply: int) -> dict[str, Any]:
        while True:
            view: dict[str, Any] = json.loads(await player.recv())
            assert view["type"] in ("view", "presence"), view
            if view["type"] == "view" and view["ply"] >= ply:
                return view

    async def _look(self, socket: ClientConnection) -> None:
        async for text in socket:
            # Only the head of a view is parsed, so that this process is not the bottleneck.
            ply = str(text)[:40].partition('"type":"view","ply":')[2].partition(",")[0]
            if ply == str(self.sent[0]):
                self.delays.append(time.perf_counter() - self.sent[1])
                self.sent_bytes += len(text)


def prepare(database: str, count: int, players: int) -> tuple[list[str], list[str]]:
    """Return the names of tables of all games in turn, and the cookies of their players.

    The first table of each player has some moves already, so that not all games end at once.
    """
    store = Store(database)
    sign = Auth(store.secret())._cookies.sign
    tokens = [f"{TOKEN}{number}" for number in range(players)]
    names = []
    games = gridhouse.games()
    for number in range(count):
        state = game_class(games[number % len(games)])().new_initial_state(number)
        seats = range(state.game.num_players)
        names.append(f"load{number}")
        sitting = dict.fromkeys(seats, visitor_id(tokens[number % players]))
        begun = random.randrange(MOST_BEGUN) if number < players else 0
        start, moves = str(state), random_moves(state, begun)
        store.add(StoredTable(names[-1], start, "hotseat", seated_visitors=sitting, moves=moves))
    store.close()
    return names, [sign(token).decode() for token in tokens]


def random_moves(state: State, count: int) -> list[Ply]:
    """Try so many moves at random, and return those that do not end the game."""
    moves: list[Ply] = []
    for _ in range(count):
        action = random.choice(state.legal_actions())
        move = Ply(state.action_to_string(action))
        state.apply_action(action)
        if state.is_terminal():
            state.undo()
        else:
            moves.append(move)
    return moves


def prepare_long_game(database: str, count: int = LONG) -> tuple[str, str]:
    """Return the name of a table with a long game, and its player's cookie."""
    store = Store(database)
    state = game_class("sliding")().new_initial_state(0)
    start, moves = str(state), random_moves(state, count)
    seats = {0: visitor_id("attacker")}
    store.add(StoredTable("long", start, "hotseat", seated_visitors=seats, moves=moves))
    cookie = Auth(store.secret())._cookies.sign("attacker").decode()
    store.close()
    return "long", cookie


def prepare_machines(database: str) -> list[str]:
    """Return the names of tables at which the strongest machine is to move."""
    store = Store(database)
    names = []
    games = [name for name in gridhouse.games() if len(game_class(name).players) == 2]
    for number in range(MACHINES):
        state = game_class(games[number % len(games)])().new_initial_state(number)
        names.append(f"machine{number}")
        seated_visitors = {1: visitor_id(f"{TOKEN}0")}
        store.add(StoredTable(names[-1], str(state), "machine", LEVELS[-1], 0, seated_visitors))
    store.close()
    return names


def facts(process: int, file: str) -> dict[int, str]:
    """Return what /proc tells of a process and of those that it has started and that go on."""
    started = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    texts = {}
    for number in (process, *map(int, started)):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            texts[number] = Path(f"/proc/{number}/{file}").read_text()
    return texts


def memory(process: int) -> float:
    """Return the KiB that a process and those that it has started have in memory."""
    texts = facts(process, "status").values()
    return sum(float(text.partition("VmRSS:")[2].split()[0]) for text in texts)


def processor(process: int) -> dict[int, float]:
    """Return the processor seconds of a process, and of those that it has started."""
    ticks = os.sysconf("SC_CLK_TCK")
    seconds = {}
    for number, text in facts(process, "stat").items():
        fields = text.rpartition(")")[2].split()
        seconds[number] = (int(fields[11]) + int(fields[12])) / ticks
    return seconds


def page(port: int) -> float:
    """Return the seconds of a request for the front page."""
    began = time.perf_counter()
    urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()
    return time.perf_counter() - began


async def echo() -> list[float]:
    """Return the round-trip times of messages through an echo server."""
    server = subprocess.Popen([sys.executable, "-c", ECHO], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    port = int(server.stdout.readline())
    delays = []
    async with connect(f"ws://127.0.0.1:{port}/", compression=None) as socket:
        for _ in range(ECHOES):
            began = time.perf_counter()
            await socket.send("x" * 100)
            await socket.recv()
            delays.append(time.perf_counter() - began)
    server.kill()
    return delays


async def think(port: int, cookie: str, machines: list[str], name: str, own: str) -> None:
    """Print the time of a click at one table while the machine thinks at many."""

    async def seat(table: str, cookie: str) -> ClientConnection:
        address = f"ws://127.0.0.1:{port}/t/{table}/socket"
        cookies = {"Cookie": f"{COOKIE}={cookie}"}
        return await connect(address, additional_headers=cookies, compression=None)

    thinking = [await seat(table, cookie) for table in machines]
    player = await seat(name, own)
    view = json.loads(await player.recv())
    delays = []
    end = time.perf_counter() + THOUGHT
    while time.perf_counter() < end:
        await asyncio.sleep(0.25)
        began = time.perf_counter()
        move = random.choice(view["gestures"])[0]
        await player.send(json.dumps({"type": "move", "move": move, "ply": view["ply"]}))
        view = json.loads(await player.recv())
        delays.append(1000 * (time.perf_counter() - began))
    cuts = quantiles(delays, n=100)
    print(
        f"a click while the machine thinks at {len(thinking)} tables: 50 % {cuts[49]:.1f} ms, "
        f"99 % {cuts[98]:.1f} ms, the longest {max(delays):.1f} ms"
    )


async def warm_up(port: int, tables: list[tuple[str, str]]) -> None:
    """Play some moves of every game, so that one-time loading is not measured."""
    until = asyncio.Event()
    playing = [
        asyncio.create_task(Slot(port, [name], 1, cookie).play(0.1, until))
        for name, cookie in tables
    ]
    await asyncio.sleep(WARM_UP)
    until.set()
    await asyncio.gather(*playing)


async def measure(port: int, server: int, slots: list[Slot], seconds: float, rate: float) -> None:
    """Let all clients play for a while and print the measurements."""
    gc.collect()
    gc.freeze()
    gc.disable()  # a pause here would look like one of the house
    idle = memory(server)
    until = asyncio.Event()
    pause = len(slots) / rate
    playing = [asyncio.create_task(slot.play(pause, until)) for slot in slots]
    await asyncio.gather(*(slot.ready.wait() for slot in slots))
    await asyncio.sleep(SETTLING)
    for slot in slots:
        slot.restart(pause)
    await asyncio.sleep(SETTLING)
    for slot in slots:
        slot.delays.clear()
        slot.moves = slot.sent_bytes = 0
    began, used, own = time.perf_counter(), processor(server), time.process_time()
    pages = []
    while time.perf_counter() - began < seconds:
        pages.append(await asyncio.to_thread(page, port))
        await asyncio.sleep(0.5)
    took = time.perf_counter() - began
    spent = [now - used.get(number, 0.0) for number, now in processor(server).items()]
    own = time.process_time() - own
    moves = sum(slot.moves for slot in slots)
    delays = sorted(1000 * delay for slot in slots for delay in slot.delays)
    clients = sum(1 + slot.watchers for slot in slots)
    grown = memory(server) - idle
    until.set()
    await asyncio.gather(*playing)
    cuts = quantiles(delays, n=100)
    print(f"sockets {clients}, tables {len(slots)}")
    print(f"moves a second {moves / took:.0f} of {rate:.0f} wanted", end="; ")
    size = sum(slot.sent_bytes for slot in slots) / len(delays) / 1024
    print(f"pictures sent {len(delays)}, {size:.1f} KiB each")
    print(f"click to the others' picture: 50 % {cuts[49]:.1f} ms, 99 % {cuts[98]:.1f} ms")
    shares = " and ".join(f"{share / took:.0%}" for share in spent)
    print(f"processor: {1000 * sum(spent) / moves:.2f} ms a move, {shares} of a core;", end=" ")
    print(f"the clients' own {own / took:.0%}")
    print(f"memory a client {grown / clients:.1f} KiB (with a share of tables and of the renderer)")
    print(f"front door meanwhile {1000 * median(pages):.0f} ms")


def main(
    seconds: Seconds = 20.0,
    rate: Seconds = 500.0,
    tables: Count = 100,
    sockets: Count = 5,
    attacked: Some = 0,
) -> None:
    """Measure a server on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/house.db"
        games = len(gridhouse.games())
        rounds = 2 + int(rate / tables * (seconds + 3) / 20)  # a game has twenty moves or more
        # The last tables are for the warm-up.
        names, cookies = prepare(database, tables * (rounds + math.ceil(games / tables)), tables)
        spare = {
            gridhouse.games()[number % games]: (names[number], cookies[number % tables])
            for number in range(len(names) - games, len(names))
        }
        machines = prepare_machines(database)
        long, attacker = prepare_long_game(database)
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER, database], stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        port = int(server.stdout.readline())
        slots = [
            Slot(port, names[place::tables][:rounds], sockets - 1, cookies[place], place)
            for place in range(tables)
        ]
        place = f"127.0.0.1:{port}"
        attack = [sys.executable, "-c", ATTACK, f"http://{place}", f"ws://{place}/t/{long}/socket"]
        attack += [f"{COOKIE}={attacker}", str(seconds + THOUGHT)]
        processes = [server]
        try:
            uvloop.run(warm_up(port, list(spare.values())))
            if attacked:
                here = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
                processes.append(subprocess.Popen(attack, env=here, text=True))
            uvloop.run(measure(port, server.pid, slots, seconds, rate))
            if not attacked:
                uvloop.run(think(port, cookies[0], machines, *spare["sliding"]))
        finally:
            for process in processes:
                process.kill()
    echoes = [1000 * delay for delay in uvloop.run(echo())]
    print(f"a message there and back through a server that does nothing: {median(echoes):.2f} ms")


if __name__ == "__main__":
    start(main)

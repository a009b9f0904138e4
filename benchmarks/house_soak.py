"""The memory of the server over time, under a mixed load.

    python benchmarks/house_soak.py [MINUTES] [VISITORS] [SECONDS BETWEEN LINES]

A house is opened in a process of its own, on a database of its own. Every visitor begins games of
all kinds on boards of many sizes, against the machine at any level or alone, plays some moves,
asks for all kinds of help, looks back, resigns, looks at the review, and opens pages. Printed is
the house's resident memory from time to time, as a number of MiB and as a bar, and in the end the
growth after the first ten minutes or the first third, whichever is less.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from typing import Any

from command_line import Count, Seconds, start
from house_load import SERVER, memory
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from gridhouse.core.registry import game_class, games
from gridhouse.players.levels import LEVELS

# Sides of boards beside the presets.
SIDES = {"binary": (3, 10), "collapse": (4, 12), "sinks": (8, 10), "sliding": (2, 5)}
PATIENCE = 15.0  # seconds for an answer
MOVES = 12
SETTLED = 600.0  # seconds
BAR = 20  # MiB of a sign
HELP = ("hint", "judge", "show")
SITES = ("/", "/lobby", "/games", "/daily", "/evenings", "/puzzles")


class Visitor:
    """Somebody who does a bit of everything."""

    def __init__(self, port: int, seed: int) -> None:
        """Begin without a name."""
        self.port = port
        self.chance = random.Random(seed)
        self.token = ""
        self.games = 0

    async def live(self, until: float) -> None:
        """Play one game after the other."""
        while time.monotonic() < until:
            with suppress(ConnectionClosed, InvalidStatus, TimeoutError, OSError, HTTPException):
                await self.play()
            self.games += 1

    async def play(self) -> None:
        """Begin a game, play and look around."""
        await self.ask("GET", self.chance.choice(SITES))
        made = await self.ask("POST", "/api/tables", self.wishes())
        if "table" not in made:
            return
        self.token = made["token"] or self.token
        path = f"/t/{made['table']['id']}"
        await self.ask("GET", path)
        headers = {"authorization": f"Bearer {self.token}"}
        address = f"ws://127.0.0.1:{self.port}{path}/socket?changes"
        async with connect(address, additional_headers=headers, max_size=None) as socket:
            view = await heard(socket)
            for _ in range(MOVES):
                if view["over"]:
                    break
                view = await self.turn(socket, view)
            await socket.send(json.dumps({"type": "resign"}))
            await asyncio.sleep(0.1)
        for _ in range(3):
            await self.ask("GET", f"{path}/review.json")
            await asyncio.sleep(0.5)

    async def turn(self, socket: ClientConnection, view: dict[str, Any]) -> dict[str, Any]:
        """Ask for help perhaps, look back perhaps, and move if it is time to."""
        if not view["acts"]:
            return await heard(socket)
        if self.chance.random() < 0.3:
            await socket.send(json.dumps({"type": self.chance.choice(HELP)}))
            await asyncio.sleep(self.chance.uniform(0.2, 2.0))
        if view["ply"] and self.chance.random() < 0.2:
            for ply in (self.chance.randrange(view["ply"]), None):
                await socket.send(json.dumps({"type": "look", "ply": ply}))
        if view["handing"]:
            await socket.send(json.dumps({"type": "uncover"}))
            return await heard(socket)
        move = self.chance.choice(view["gestures"])[0]
        await socket.send(json.dumps({"type": "move", "move": move, "ply": view["ply"]}))
        while True:
            after = await heard(socket)
            if after["ply"] > view["ply"] or after["over"]:
                return after

    def wishes(self) -> dict[str, Any]:
        """Return the game that this visitor wants."""
        game = self.chance.choice(games())
        cls = game_class(game)
        opponent = self.chance.choice(("machine", "machine", "analysis", "hotseat"))
        wishes: dict[str, Any] = {"game": game}
        if len(cls.players) > 1:
            wishes["opponent"] = opponent
            if opponent == "machine":
                wishes["level"] = self.chance.choice(LEVELS)
        if game in SIDES and self.chance.random() < 0.6:
            low, high = SIDES[game]
            sides = ("rows", "cols")
            wishes["parameters"] = {side: self.chance.randint(low, high) for side in sides}
        else:
            wishes["preset"] = self.chance.choice(list(cls.presets))
        return wishes

    async def ask(self, method: str, path: str, content: Any = None) -> Any:
        """Return the answer to a request, {} if it is not JSON."""
        return await asyncio.to_thread(self._ask, method, path, content)

    def _ask(self, method: str, path: str, content: Any) -> Any:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=4 * PATIENCE)
        headers = {"content-type": "application/json"}
        if self.token:
            headers |= {
                "authorization": f"Bearer {self.token}",
                "cookie": f"gridhouse={self.token}",
            }
        body = None if content is None else json.dumps(content)
        connection.request(method, path, body, headers)
        said = connection.getresponse().read()
        connection.close()
        try:
            return json.loads(said)
        except ValueError:
            return {}


async def heard(socket: ClientConnection) -> dict[str, Any]:
    """Return the next view."""
    while True:
        async with asyncio.timeout(PATIENCE):
            said: dict[str, Any] = json.loads(await socket.recv())
        if said["type"] == "view" and said["looking"] is None:
            return said


async def soak(port: int, server: int, minutes: float, visitors: int, pause: float) -> None:
    """Let visitors play for some minutes, and print the memory meanwhile."""
    began = time.monotonic()
    until = began + 60 * minutes
    everybody = [Visitor(port, seed) for seed in range(visitors)]
    living = asyncio.gather(*(visitor.live(until) for visitor in everybody))
    seen = []
    while time.monotonic() < until:
        await asyncio.sleep(min(pause, max(0.1, until - time.monotonic())))
        passed, size = time.monotonic() - began, memory(server) / 1024
        seen.append((passed, size))
        played = sum(visitor.games for visitor in everybody)
        bar = "#" * round(size / BAR)
        print(f"{passed / 60:5.1f} min {size:6.0f} MiB {played:5} games {bar}", flush=True)
    await living
    settled = min(SETTLED, 20 * minutes)
    later = [size for passed, size in seen if passed >= settled]
    if later:
        print(f"after {settled / 60:.0f} minutes {later[0]:.0f} MiB, ", end="")
        print(f"in the end {later[-1]:.0f} MiB, at most {max(later):.0f} MiB")


def main(minutes: Seconds = 60.0, visitors: Count = 8, pause: Seconds = 30.0) -> None:
    """Measure the memory of a server on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/house.db"
        command = [sys.executable, "-c", SERVER, database]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        port = int(server.stdout.readline())
        print(f"  0.0 min {memory(server.pid) / 1024:6.0f} MiB", flush=True)
        try:
            asyncio.run(soak(port, server.pid, minutes, visitors, pause))
        finally:
            server.kill()


if __name__ == "__main__":
    start(main)

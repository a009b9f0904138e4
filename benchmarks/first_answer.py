"""A new user's waiting time for the first answer of every command and game, cold and warm.

``python benchmarks/first_answer.py [cold | warm]`` starts each command, and a house, with a cache
folder of its own: empty, or filled by ``gridhouse warm``.  Seconds are of the whole process, or
from request to answer; nodes are the work of a search, which is the same on every machine
if the search ends by itself.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

from websockets.sync.client import connect

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = [sys.executable, "-m", "gridhouse"]
COMMANDS = {
    "--help": ["--help"],
    "solve binary 5 3 --nimber --no-proved": ["solve", "binary", "5", "3", "--nimber",
                                              "--no-proved"],
    "solve sliding 3x3": ["solve", "sliding", "fhg bcade", "--goal", "abcdefghi"],
    "solve sliding, a 15-puzzle of 9 moves": [
        "solve", "sliding", "--tiles", "5 1 2 4 9 6 3 8 13 10 7 11 0 14 15 12"],
    "solve collapse 7x11": ["solve", "collapse", "collapse(rows=7,cols=11,digits=5)#3"],
}  # fmt: skip
LEVELS = (1, 5, 8)
PATIENCE = 120


def environment(folder: str) -> dict[str, str]:
    """Return an environment whose caches and data are in a folder."""
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "XDG_CACHE_HOME": folder, "XDG_DATA_HOME": folder, "TERM": "dumb"}


def report(seconds: float, name: str, more: str = "") -> None:
    """Print a line of the table."""
    print(f"{seconds:7.2f}  {name:42} {more}", flush=True)


def commands(folder: str) -> None:
    """Time the commands."""
    for name, arguments in COMMANDS.items():
        begun = time.perf_counter()
        run = subprocess.run(
            [*COMMAND, *arguments], env=environment(folder), capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        found = re.search(r"[\d,]+ nodes", run.stdout)
        report(time.perf_counter() - begun, name, found[0] if found else "")


@contextmanager
def house(folder: str) -> Iterator[str]:
    """Open a house with caches of its own; yield its address."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [*COMMAND, "play", "--port", "0", "--no-open"],
        env=environment(folder),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        report(time.perf_counter() - begun, "the house opens")
        try:
            yield re.findall(r"http://[^/]+", line)[0]
        finally:
            process.terminate()


def request(address: str, path: str, body: object = None, token: str = "") -> Any:
    """Return the answer of the house's API."""
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"{address}/api/{path}", data, headers), timeout=PATIENCE) as answer:
        return json.load(answer)


def first_answers(address: str) -> None:
    """Time the front page, and for each game the machine's first move, a hint and an evaluation."""
    begun = time.perf_counter()
    with urlopen(address) as answer:
        answer.read()
    report(time.perf_counter() - begun, "front page")
    for game in request(address, "games"):
        name = game["name"]
        if len(game["players"]) == 2:
            for level in LEVELS:
                machine(address, name, level)
        for what in ("hint", "judge"):
            help_of(address, name, what)


def create_table(address: str, game: str, level: int) -> tuple[Any, str]:
    """Return a new table against the machine, which plays second, and the token."""
    options = {"game": game, "opponent": "machine", "level": level, "side": 0}
    opened = request(address, "tables", options)
    return opened["table"], opened["token"]


def machine(address: str, game: str, level: int) -> None:
    """Time the machine's answer to a first move."""
    table, token = create_table(address, game, level)
    place = f"tables/{table['id']}"
    while table["legal"]:  # in Sinks a turn has two moves
        begun = time.perf_counter()
        body = {"move": table["legal"][0], "ply": len(table["moves"])}
        table = request(address, f"{place}/moves", body, token)
    made = len(table["moves"])
    while len(table["moves"]) == made:
        table = request(address, f"{place}?after={table['version']}&wait=20", token=token)
    report(time.perf_counter() - begun, f"{game}: machine, level {level}")


def help_of(address: str, game: str, what: str) -> None:
    """Time a hint or an evaluation on a socket."""
    table, token = create_table(address, game, 1)
    place = f"{address.replace('http', 'ws', 1)}/t/{table['id']}/socket"
    with connect(place, additional_headers={"authorization": f"Bearer {token}"}) as socket:
        json.loads(socket.recv())
        begun = time.perf_counter()
        socket.send(json.dumps({"type": what, "ply": 0}))
        said: dict[str, Any] = {}
        while said.get("type") not in (what, "refusal"):
            said = json.loads(socket.recv(timeout=PATIENCE))
        report(time.perf_counter() - begun, f"{game}: {what}", said.get("text", ""))


def warm(folder: str) -> None:
    """Compile everything, and print the time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    subprocess.run([*COMMAND, "warm"], env=environment(folder), capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report(time.perf_counter() - begun, "gridhouse warm", f"{spent:.0f} s of the processor")


def main(which: list[str]) -> None:
    """Measure cold, then warm."""
    for state in which or ("cold", "warm"):
        print(f"{state}:")
        with tempfile.TemporaryDirectory() as folder:
            if state == "warm":
                warm(folder)
            commands(folder)
            with house(folder) as address:
                first_answers(address)


if __name__ == "__main__":
    main(sys.argv[1:])

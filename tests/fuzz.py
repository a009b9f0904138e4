"""Give every reader of the project texts that nobody would write, and see that it says so.

``python tests/fuzz.py [READER ...] [--seconds N]`` tries each reader for N seconds with texts by
chance; with ``--guided`` it tries one, guided by the coverage of its code, for which the package
``atheris`` has to be installed.  A reader may raise the errors that it declares and nothing else,
and the house never answers with a status of 500 or more.  ``tests/test_fuzz.py`` tries a number of
texts for each reader, always the same ones.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import gridhouse
from gridhouse.arena.engine_program import EngineProgram, game_of
from gridhouse.arena.protocol import read_info
from gridhouse.arena.time_control import TimeControl
from gridhouse.arena.tournament_file import load_tournament
from gridhouse.core.console import UsageError
from gridhouse.core.errors import GridhouseError
from gridhouse.core.registry import game_class, parse_game
from gridhouse.games.tactego import arrangement
from gridhouse.games.tactego.game import TactegoGame
from gridhouse.grading.rubric import default_rubric, load_rubric, rubric_text
from gridhouse.server.clock import Clock
from gridhouse.server.names import NoNameError, read_name
from gridhouse.server.pages.game_files import GameFileError, read_games
from web_helpers import Visitor, open_house

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_CELLS = 400  # larger boards are read by the same code, slowly
WORDS = (
    *("-1", "10", "400", "9" * 19, "9" * 400, "9" * 5000, "1e999", "nan", "%ed%a0%80", "[" * 200),
    *("\ud800", "\udc80", "\u0660", "\xb2", "\xe9", "e\u0301", "\U0001f600", "true", "null"),
    *("False", "B?", "la33", "s211"),
    *"0123+-.*#/|<=,() \t\n\r\0'\"\\{}[]:&%xRFb",
)
POSITIONS = (
    "binary(rows=2,cols=3) 0../...",
    "collapse(rows=2,cols=3,digits=3,scoring=samegame) -7 01./12.",
    "sinks(rows=8,cols=8) l 1 b 2/1 2/2 0/3 33<32 quiet=3 laid=2/0 blown=1 la33 db45-* x00 bl07",
    "sliding(rows=2,cols=2) ab c/abcd",
    "tactego(rows=3,cols=2,pieces=Fx1 5x1,hidden=True,limit=20) R 3 RF,R5!/,/B5',BF",
    *(f"{name}()#7" for name in gridhouse.games()),
)
FILES = ("0./.1", "1 2\n3 1\n", "lb33 s127 x00 #\n3 3 l\n", "one\ntwo\nsix\n", "5 1\nF 1\n", "")
STARTS = tuple(
    gridhouse.parse(text) for text in (*POSITIONS[:5], "sinks()#1", "tactego(hidden=true)#2")
)
MOVES = ("0 0 1", "1 2", "3 3 l", "U", "1 0 1 1", "3 3", "")
RUBRIC = "until = 2026-12-24\n" + rubric_text(default_rubric("binary"))
TOURNAMENT = (
    'game = "binary(rows=5,cols=5)"\nplayers = ["random", {name = "x", player = "level=3", '
    'time = "1+0.1"}]\nlimit = "0.1s"\nmargin = 0.1\ngames = 4\nformat = "swiss"\nrounds = 1\n'
    "[openings]\nplies = 3\nseed = 1\n[adjudication]\nlength = 9\n[sprt]\nelo0 = 0\nelo1 = 5.0\n"
    "alpha = 0.05\nbeta = 0.05\n"
)
COMMANDS = (
    *("list_commands", "game 5 5", "game sinks(rows=8,cols=8)", "position 0./..", "play 0 0 1"),
    *("undo", "timelimit 0.5", "nodelimit 10", "playoutlimit 3", "time_left 1 0.1 2", "name x"),
)
SAVED = json.dumps(
    {
        "gridhouse": 1,
        "games": [
            {
                "start": "binary(rows=2,cols=2) ../..",
                "moves": ["0 0 1", "1 1 1"],
                "opponent": "machine",
                "level": 3,
                "seats": [0],
                "ended": "resigned 1",
                "changed": 1,
                "result": "",
                "table": "t",
            }
        ],
        "left_out": 0,
    }
)
BODIES = (
    '{"game": "binary", "preset": "small", "opponent": "friends", "clock": "3+2", "side": 1}',
    '{"game": "tactego", "parameters": {"rows": 4, "pieces": "5x1 Fx1", "hidden": true}}',
    '{"position": "sinks(rows=8,cols=8)#1", "level": 3, "side": "random", "listed": true}',
    '{"game": "sliding", "position": "one\\ntwo\\nsix"}',
    '{"move": "0 0 1", "ply": 0}',
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
    "name=Zo%C3%AB&picture=9&grade=2&page=3&game=binary&state=over&after=1&wait=0",
)
SAID = (
    '{"type": "move", "move": "0 0 1", "ply": 0}',
    '{"type": "why", "cells": [0, 3]}',
    '{"type": "look", "ply": 1}',
    '{"type": "turn", "to": 2}',
    '{"type": "phrase", "number": 2}',
    *('{"type": "undo"}', '{"type": "answer", "agrees": true}', '{"type": "uncover"}'),
)


class Reader(NamedTuple):
    """A reader, texts of its kind, the errors that it declares, and how many texts CI tries."""

    read: Callable[[str], object]
    seeds: tuple[str, ...]
    errors: tuple[type[Exception], ...] = (GridhouseError,)
    texts: int = 400


def read_position(text: str) -> None:
    """Read a position; what can be read is written so that it is read as the same again."""
    game, _ = parse_game(text)
    if game.rows * game.cols > MOST_CELLS:
        return
    state = gridhouse.parse(text)
    again = gridhouse.parse(str(state))
    assert again == state, str(state)
    assert state.is_terminal() or state.legal_actions() or state.returns()
    assert state.board()
    state.has_secrets()


def read_file(text: str) -> None:
    """Read a start file of every game."""
    for name in gridhouse.games():
        game = game_class(name)()
        try:
            gridhouse.parse(str(game.start_from_file(text, 0)))
        except GridhouseError:
            continue


def read_move(text: str) -> None:
    """Read a move of every game."""
    for state in STARTS:
        try:
            state.clone().play(text)
        except GridhouseError:
            continue


def read_army(text: str) -> None:
    """Read an army that is arranged."""
    game = TactegoGame(hidden=True)
    chance = random.Random(1)
    arrangement.start(game, [arrangement.read(game, side, text, chance) for side in range(2)])


def read_toml(load: Callable[[Path], object], text: str) -> None:
    """Read a file of settings."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.toml"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        load(path)


def read_command(text: str) -> None:
    """Answer a command of the engine protocol, each of whose lines says what it is."""
    program = EngineProgram("random")
    for line in ("game binary(rows=3,cols=3)", *text.splitlines()):
        if line.strip():
            answer = program.answer(line)
            assert answer[-1].startswith("="), answer
    read_info(text)
    game_of(text)


class House:
    """A house without a network, which never answers that it has failed."""

    def __init__(self, visitor: Visitor) -> None:
        """Found a table of each kind that answers differ by."""
        self.visitor = visitor
        self.tables = [visitor.new(name, opponent="friends") for name in ("sinks", "tactego")]
        self.token = visitor.token

    def send(self, path: str, text: str, kind: str, **headers: str) -> None:
        """Send a body to an address."""
        body = text.encode("utf-8", "surrogatepass")
        given = {"content-type": kind, "authorization": f"Bearer {self.token}", **headers}
        answer = self.visitor.client.post(path, content=body, headers=given, follow_redirects=False)
        assert answer.status_code < 500, (path, answer.status_code)

    def body(self, text: str) -> None:
        """Send a body to each call of the API and to a lesson."""
        own = f"/api/tables{self.tables[0][2:]}"
        for path in ("/api/tables", *(f"{own}/{name}" for name in ("moves", "seats", "answer"))):
            self.send(path, text, "application/json")
        self.send("/learn/sinks/1", text, "application/json")

    def form(self, text: str) -> None:
        """Send a form to each page that has one, and as a query."""
        for path in ("/new/tactego", "/new/sinks", "/me", "/evenings", f"{self.tables[0]}/rematch"):
            self.send(path, text, "application/x-www-form-urlencoded")
        query = "".join(letter if " " < letter < "\x7f" else "%ff" for letter in text[:500])
        query = query.replace("#", "%23")
        for path in ("/new/tactego", "/new/tactego/arrange", "/games", "/lobby", "/puzzles/binary"):
            answer = self.visitor.get(f"{path}?{query}")
            assert answer.status_code < 500, (path, answer.status_code)

    def address(self, text: str) -> None:
        """Open a page whose address has a text in it."""
        part = "".join(f"%{byte:02x}" for byte in text.encode("utf-8", "surrogatepass")[:6000])
        for before in ("/t/", "/learn/sinks/", "/puzzles/sinks/", "/daily/collapse/", "/me/link/"):
            answer = self.visitor.get(before + part)
            assert answer.status_code < 500, (before, answer.status_code)
        for before in ("/evening/", "/rules/", "/new/", "/static/", "/api/tables/", "/api/games/"):
            answer = self.visitor.get(before + part, cookie=f"gridhouse={part[:200]}")
            assert answer.status_code < 500, (before, answer.status_code)

    def upload(self, text: str) -> None:
        """Send a file of games, and the text as a form with a file."""
        part = (
            f'--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n{text}\r\n--x--'
        )
        for body in (part, text):
            self.send("/games/import", body, "multipart/form-data; boundary=x")

    def message(self, text: str) -> None:
        """Say something at each table."""
        for table in self.tables:
            with self.visitor.at(table) as seat:
                seat.socket.send_text(text)
                seat.say("here")
                while True:  # a socket that closes has refused as well
                    said = seat.socket.receive()
                    if said["type"] == "websocket.close":
                        assert said["code"] == 1008, said
                        break
                    if json.loads(said["text"])["type"] == "here":
                        break


PLAIN: dict[str, Reader] = {
    "positions": Reader(read_position, POSITIONS, texts=1500),
    "files": Reader(read_file, FILES),
    "moves": Reader(read_move, MOVES),
    "armies": Reader(read_army, ("5 3 2 2 1 1 1 F", "balanced", "random")),
    "clocks": Reader(Clock.read, ("3+2", "none", "180+180")),
    "limits": Reader(TimeControl.parse, ("1+0.1", "0.1s", "2000p", "20000n")),
    "names": Reader(read_name, ("Anna", "Zoe\u0308 and Bo"), (NoNameError,)),
    "commands": Reader(read_command, COMMANDS, (GridhouseError,)),
    "rubrics": Reader(
        partial(read_toml, partial(load_rubric, game="binary")), (RUBRIC,), (UsageError,)
    ),
    "tournaments": Reader(partial(read_toml, load_tournament), (TOURNAMENT,), (UsageError,)),
    "saved": Reader(
        lambda text: read_games(text.encode("utf-8", "surrogatepass"), "anna"),
        (SAVED,),
        (GameFileError,),
    ),
}


HOUSE = ("bodies", "forms", "addresses", "uploads", "messages")


@contextmanager
def readers() -> Iterator[dict[str, Reader]]:
    """Open a house, and yield all readers by their names."""
    with tempfile.TemporaryDirectory() as folder, open_house(Path(folder), rate=1e9) as client:
        house = House(Visitor(client))
        yield PLAIN | {
            "bodies": Reader(house.body, BODIES, (), 60),
            "forms": Reader(house.form, FORMS, (), 40),
            "addresses": Reader(house.address, ("1", "2026-11-20", "binary", "a/b", "."), (), 20),
            "uploads": Reader(house.upload, (SAVED,), (), 60),
            "messages": Reader(house.message, SAID, (), 60),
        }


def mutated(seeds: tuple[str, ...], chance: random.Random) -> str:
    """Return one of the texts with some places changed."""
    text = chance.choice(seeds)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.choice((0, 0, 1, 1, 2, 4, 16)))
        other = chance.choice(seeds)
        at = chance.randint(0, len(other))
        piece = chance.choice(
            (
                "",
                chance.choice(WORDS),
                chance.choice(WORDS),
                other[at : at + chance.choice((1, 3, 10))],
                text[start:end] * 3,
                chr(chance.choice((chance.randrange(128), chance.randrange(0x300)))),
            )
        )
        text = text[:start] + piece + text[end:]
    return text


def attempt(reader: Reader, text: str) -> bool:
    """Let a reader read a text; return whether it was right."""
    try:
        reader.read(text)
    except reader.errors as error:
        assert len(str(error)) < 1000, error  # one line that quotes little of a long text
        assert "\n" not in str(error), error
        return False
    return True


def by_chance(name: str, reader: Reader, seconds: float) -> bool:
    """Try texts for some seconds, and tell how many; return whether all went well."""
    chance, count, end = random.Random(), 0, time.monotonic() + seconds
    places: set[str] = set()
    while time.monotonic() < end:
        text = mutated(reader.seeds, chance)
        try:
            attempt(reader, text)
        except Exception as error:
            place = f"{type(error).__name__} at {traceback.extract_tb(error.__traceback__)[-1]}"
            if place not in places:
                print(f"{name}: {place}: {str(error)[:200]!r}, of {text[:2000]!r}", flush=True)
            places.add(place)
        count += 1
    print(f"{name}: {count} texts in {seconds:g} s, {len(places)} faults", flush=True)
    return not places


def by_coverage(reader: Reader, seconds: float) -> None:
    """Try texts for some seconds, those first that reach new code; ends the process."""
    atheris: Any = importlib.import_module("atheris")
    modules = [module for name, module in sys.modules.items() if name.startswith("gridhouse.")]
    classes = [
        kind for module in modules for kind in vars(module).values() if isinstance(kind, type)
    ]
    for owner in (*modules, *classes):
        for function in vars(owner).values():
            if isinstance(function, FunctionType) and function.__module__.startswith("gridhouse"):
                atheris.instrument_func(function)
    with tempfile.TemporaryDirectory() as corpus:
        for number, text in enumerate(reader.seeds):
            Path(corpus, str(number)).write_bytes(text.encode("utf-8", "surrogatepass"))
        words = [sys.argv[0], f"-max_total_time={seconds:g}", "-timeout=20", corpus]
        atheris.Setup(words, lambda sent: attempt(reader, sent.decode("utf-8", "replace")) and None)
        atheris.Fuzz()


def main() -> None:
    """Try the readers that are named, all without a name."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("names", nargs="*", metavar="READER")
    asked.add_argument("--seconds", type=float, default=60.0)
    asked.add_argument("--guided", action="store_true", help="one reader, with the package atheris")
    options = asked.parse_args()
    with readers() as known:
        names = options.names or list(known)
        if options.guided:
            by_coverage(known[names[0]], options.seconds)
        well = [by_chance(name, known[name], options.seconds) for name in names]
    sys.exit(not all(well))


if __name__ == "__main__":
    main()

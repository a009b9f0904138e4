"""Give every reader of the project texts that nobody would write, and see that it says so.

``python tests/fuzz.py [READER ...] [--seconds N]`` tries each reader for N seconds with texts by
chance.  With ``--guided`` it tries one, guided by the coverage of its code, for which the package
``atheris`` has to be installed.  The folder ``--corpus`` keeps the texts that reach new code, and
the next run goes on from them.  A reader may raise the errors that it declares and nothing else.
The house never answers with a status of 500 or more.  ``tests/test_fuzz.py`` tries a number of
texts for each reader, always the same ones.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import random
import re
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

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
from gridhouse.server.daily import service as daily
from gridhouse.server.names import NoNameError, read_name
from gridhouse.server.pages.game_files import GameFileError, read_games
from gridhouse.server.settings import LOOPBACK
from web_helpers import Visitor, open_house

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from web_helpers import Seat

SENT = (
    *("accept-language", "authorization", "cookie", "host", "origin", "referer", "range"),
    *("if-none-match", "accept-encoding", "content-type", "x-forwarded-for", "x-forwarded-proto"),
)
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
ONE_MOVE = "binary(rows=1,cols=1)#1"  # before the end
TEXTS_OF_HOUSE = 400
MOST_CELLS = 400  # larger boards are read by the same code, slowly
WORDS = (
    *("-1", "10", "400", "9" * 19, "9" * 400, "9" * 5000, "1e999", "nan", "%ed%a0%80", "[" * 200),
    *("\ud800", "\udc80", "\u0660", "\xb2", "\xe9", "e\u0301", "\U0001f600", "true", "null"),
    *("False", "B?", "la33", "s211"),
    *"0123+-.*#/|<=,() \t\n\r\0'\"\\{}[]:&%xRFb",
)
ODD = (None, True, False, 0, -1, 2**63, 10**400, 1e308, float("nan"), float("inf"), [], {}, *WORDS)
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


def saved(start: str, opponent: str, level: int | None = None, ended: str | None = None) -> str:
    """Return a file with a game of a few moves."""
    state = gridhouse.parse(start)
    seats = [0, 1] if state.game.num_players == 2 and opponent in ("hotseat", "analysis") else [0]
    game: dict[str, Any] = {"start": str(state), "opponent": opponent, "level": level}
    moves = []
    for _ in range(3):
        moves.append(state.action_to_string(state.legal_actions()[0]))
        state.play(moves[-1])
    game |= {
        "seats": seats,
        "moves": moves,
        "ended": ended,
        "changed": 1,
        "result": "",
        "table": "t",
    }
    return json.dumps({"gridhouse": 1, "games": [game], "left_out": 0})


SAVED = (
    saved("binary(rows=2,cols=3)#1", "machine", 3, "resigned 1"),
    saved("collapse(rows=5,cols=4,digits=3)#1", "hotseat"),
    saved("sinks(rows=8,cols=8)#1", "friends", ended="time 0"),
    saved("sliding(rows=3,cols=3)#1", "hotseat"),
    saved("tactego(rows=3,cols=3,pieces=Fx1 5x1,hidden=True)#1", "analysis"),
)
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


def raw(text: str) -> bytes:
    """Return the bytes of a text, which may have halves of characters."""
    return text.encode("utf-8", "surrogatepass")


def read_toml(load: Callable[[Path], object], text: str) -> None:
    """Read a file of settings."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.toml"
        path.write_bytes(raw(text))
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
        self.token = self.visitor.token
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
        given = {"content-type": kind, "authorization": f"Bearer {self.token}"}
        post = self.visitor.client.post
        self.check(path, post(path, content=raw(text), headers=given, follow_redirects=False))

    def open(self, path: str, rest: str, **headers: str) -> None:
        """Open a page, the rest of whose address is made of a text."""
        self.check(path, self.visitor.get(path + rest, **headers))

    def check(self, path: str, answer: Any) -> None:
        """Check that an answer is no fault, nor that of a limit, behind which nothing is read."""
        assert answer.status_code < 500, (path, answer.status_code)
        assert answer.status_code != 429, (path, answer.text)
        self.met[path].add(answer.status_code)

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
        query = query.replace("#", "%23")
        for path in ("/new/tactego", "/new/tactego/arrange", "/games", "/lobby", "/puzzles/binary"):
            self.open(path, f"?{query}")
        for path in ("/past.json", "/try.json"):
            self.open(self.over + path, f"?{query}")

    def address(self, text: str) -> None:
        """Open a page whose address has a text in it."""
        part = "".join(f"%{byte:02x}" for byte in raw(text)[:6000])
        for before in ("/t/", "/learn/sinks/", "/puzzles/sinks/", "/daily/collapse/", "/me/link/"):
            self.open(before, part)
        for before in ("/evening/", "/rules/", "/new/", "/static/", "/api/tables/", "/api/games/"):
            self.open(before, part, cookie=f"gridhouse={part[:200]}")

    def header(self, text: str) -> None:
        """Send a text as each header that is read, at once to see a page and alone to change it."""
        value = "".join(each if " " <= each <= "\xff" and each != "\x7f" else "?" for each in text)
        headers = {name.encode(): value.strip().encode("latin-1") for name in SENT}
        for path in ("/me", "/static/style.css", "/api/tables"):
            self.check(path, self.proxied.get(path, headers=headers))
        for name in headers:
            post = partial(self.proxied.post, "/language", data={"language": "de"})
            alone = {name: headers[name]}
            self.check("/language", post(headers=alone, follow_redirects=False))

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
        lambda text: read_games(raw(text), "anna"),
        SAVED,
        (GameFileError,),
    ),
}


HEADERS = (
    *("de, en;q=0.5, *;q=0", "10.0.0.1, [::1]:80, x", "https", "Bearer x.y", "bytes=0-1,5-,-3"),
    *(
        'W/"abc", *',
        "gridhouse=x.y; language=de",
        "house.test:80",
        "http://house.test/new/sinks?x=1",
    ),
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


@contextmanager
def readers() -> Iterator[dict[str, Reader]]:
    """Yield all readers by their names."""
    with closing(House()) as house:
        yield PLAIN | {
            name: Reader(partial(house.read, how), seeds, (), texts)
            for name, (how, seeds, texts) in HOUSE.items()
        }


def changed(value: Any, chance: random.Random) -> Any:
    """Return a JSON value with one place changed, added or left out."""
    if not isinstance(value, dict | list) or not value or chance.random() < 0.1:
        return chance.choice((*ODD, value * 2 if isinstance(value, int | str) else value))
    copy: Any = value.copy()
    key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
    how = chance.random()
    if how < 0.1:
        del copy[key]
    elif how > 0.2:
        copy[key] = changed(value[key], chance)
    elif isinstance(value, dict):
        copy[chance.choice(WORDS)] = value[key]
    else:
        copy.insert(key, value[key])
    return copy


def with_other_values(text: str, chance: random.Random) -> str | None:
    """Return a JSON text with some values changed; None for other texts, and half of the time."""
    if chance.random() < 0.5:
        return None
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            value = changed(value, chance)
        return json.dumps(value)
    return None


def mutated(seeds: tuple[str, ...], chance: random.Random) -> str:
    """Return one of the texts with some places changed."""
    text = chance.choice(seeds)
    if (other_values := with_other_values(text, chance)) is not None:
        return other_values
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


def own_functions() -> set[FunctionType]:
    """Return the functions and methods of the package, each once."""
    modules = [module for name, module in sys.modules.items() if name.startswith("gridhouse.")]
    kinds = [kind for module in modules for kind in vars(module).values() if isinstance(kind, type)]
    found = set()
    for owner in (*modules, *kinds):
        for value in vars(owner).values():
            for inner in ("__func__", "fget", "func"):  # of methods of classes and of properties
                value = getattr(value, inner, value)
            function = inspect.unwrap(value)
            if isinstance(function, FunctionType) and function.__module__.startswith("gridhouse"):
                found.add(function)
    return found


def by_coverage(reader: Reader, seconds: float, corpus: Path, dictionary: Path) -> None:
    """Try texts for some seconds, those first that reach new code; ends the process."""
    atheris: Any = importlib.import_module("atheris")
    for function in own_functions():
        atheris.instrument_func(function)
    for number, text in enumerate(reader.seeds):
        (corpus / str(number)).write_bytes(raw(text))
    words = {*WORDS, *(word for text in reader.seeds for word in re.findall(r"\w+", text))}
    lines = ["".join(f"\\x{byte:02x}" for byte in raw(word)) for word in sorted(words)]
    dictionary.write_text("".join(f'"{line}"\n' for line in lines))
    options = [f"-max_total_time={seconds:g}", "-timeout=20", "-len_control=0"]

    def text_of(data: bytes) -> str:
        # What is no UTF-8 becomes a text that no encoding has, which readers of files meet as well.
        return data.decode("utf-8", "surrogateescape")

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        text = with_other_values(text_of(data), random.Random(seed))
        return atheris.Mutate(data, most) if text is None else raw(text)[:most]

    atheris.Setup(
        [sys.argv[0], *options, f"-dict={dictionary}", str(corpus)],
        lambda data: attempt(reader, text_of(data)) and None,
        custom_mutator=mutate,
    )
    atheris.Fuzz()


def main() -> None:
    """Try the readers that are named, all without a name."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("names", nargs="*", metavar="READER")
    asked.add_argument("--seconds", type=float, default=60.0)
    asked.add_argument("--guided", action="store_true", help="one reader, with the package atheris")
    asked.add_argument("--corpus", type=Path, help="a folder that keeps the guided texts")
    options = asked.parse_args()
    with readers() as known, tempfile.TemporaryDirectory() as folder:
        names = options.names or list(known)
        if options.guided:
            corpus = options.corpus or Path(folder, "corpus")
            corpus.mkdir(parents=True, exist_ok=True)
            by_coverage(known[names[0]], options.seconds, corpus, Path(folder, "dictionary"))
        well = [by_chance(name, known[name], options.seconds) for name in names]
    sys.exit(not all(well))


if __name__ == "__main__":
    main()

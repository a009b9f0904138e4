"""Readers of texts and files, with texts of their kinds, for the fuzzer."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import tarfile
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import gridhouse
from gridhouse.arena.competitors.remote import RemoteCompetitor
from gridhouse.arena.engine_program import EngineProgram, game_of
from gridhouse.arena.openings import read_book
from gridhouse.arena.protocol import read_info
from gridhouse.arena.records import GameRecord, PlayedMove, Termination
from gridhouse.arena.reports import export
from gridhouse.arena.reports.page import write_pages
from gridhouse.arena.reports.summary import Heading
from gridhouse.arena.time_control import TimeControl
from gridhouse.arena.tournament_file import load_tournament
from gridhouse.arena.tuning import Constant
from gridhouse.core.console import UsageError
from gridhouse.core.errors import GridhouseError
from gridhouse.core.notation import seed_bytes as raw  # the bytes of any text
from gridhouse.core.registry import game_class, parse_game
from gridhouse.games.binary.patterns import PatternError, parse_patterns
from gridhouse.games.sliding.solver.command import parse_line
from gridhouse.games.tactego import arrangement
from gridhouse.games.tactego.game import TactegoGame
from gridhouse.grading.collect import collect
from gridhouse.grading.games import grading_of, sessions_of
from gridhouse.grading.reference import transcript
from gridhouse.grading.rubric import default_rubric, load_rubric, rubric_text
from gridhouse.players import parse_player
from gridhouse.server.clock import Clock
from gridhouse.server.names import NoNameError, read_name
from gridhouse.server.pages.game_files import GameFileError, read_games

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.core.sessions import Session


MOST_CELLS = 400  # larger boards are read by the same code, slowly
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
    "timelimit 0.5\ntime_left 1 0.1 2\ngenmove\nundo\nplay 0 0 1\nplay 1 1 0\ngenmove",
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
SMALL = gridhouse.load("binary", rows=2, cols=3)
HEADING = Heading("A match", str(SMALL), "5+0.05")
RECORD = GameRecord(
    number=0,
    opening="binary(rows=2,cols=3) 0../...",
    players=("anna", "bo"),
    score=1.0,
    termination=Termination.TIME,
    reason="bo had no time",
    moves=(PlayedMove("1 0 1", 0.5, 0.25, 12), PlayedMove("1 1 1", 1.5)),
)
RECORDS = (export.to_text([RECORD], HEADING), export.to_json([RECORD], HEADING))


def archives() -> tuple[str, ...]:
    """Return a zip archive and tar archives, packed and not, as texts."""
    packed, rolled = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("work/a.py", "print(1)\n" * 9)
        file.writestr("readme.md", "")
    with tarfile.open(fileobj=rolled, mode="w") as tar:
        member = tarfile.TarInfo("work/a.py")
        member.size = 9
        tar.addfile(member, io.BytesIO(b"print(1)\n"))
    plain = rolled.getvalue()[:2048]  # without what only fills a block
    forms = (
        packed.getvalue(),
        plain,
        gzip.compress(plain),
        lzma.compress(plain),
        bz2.compress(plain),
    )
    return tuple(map(text_of, forms))


METADATA = (
    "---\nsubmission_1:\n  :created_at: 2026-11-20\n  :submitters:\n  - :name: Zo\u00eb 'B'\n"
    '    :sid: "1"\n  :results: {}\n'
)


def typed_session(game: str) -> Session:
    """Return a session in which somebody types to a game's exact program, by its files alone."""
    sessions = (session for _, session in sessions_of(grading_of(game), 50, "0"))
    return next(session for session in sessions if session.calls in ((), ("main()",)))


TYPED = {name: typed_session(name) for name in gridhouse.games()}


class Reader(NamedTuple):
    """A reader, texts of its kind, the errors that it declares, and how many texts CI tries."""

    read: Callable[[str], object]
    seeds: tuple[str, ...]
    errors: tuple[type[Exception], ...] = (GridhouseError,)
    texts: int = 400


def text_of(content: bytes) -> str:
    """Return the text whose bytes these are; halves of characters stand for what is no UTF-8."""
    return content.decode("utf-8", "surrogateescape")


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


def read_as_file(load: Callable[[Path], object], text: str) -> None:
    """Read a file that holds a text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(raw(text))
        load(path)


def read_records(path: Path) -> None:
    """Read games of the arena; those that can be read are written again, and as pages."""
    games = export.read(str(path))[:2]
    export.write(games, HEADING, path.with_suffix(".txt"))
    write_pages(games, HEADING, path.with_suffix(".pages"))


def read_class(text: str) -> None:
    """Collect a class with archives, and with a file in which Gradescope has written names."""
    with tempfile.TemporaryDirectory() as folder:
        for at, kind in enumerate(("zip", "tar")):
            path = Path(folder, "class", f"submission_{at}", f"work.{kind}")
            path.parent.mkdir(parents=True)
            path.write_bytes(raw(text))
        Path(folder, "class", "submission_metadata.yml").write_bytes(raw(text))
        collect(Path(folder, "class"), Path(folder, "copy"))


def read_session(text: str) -> None:
    """Type a text to each exact program, and let it read the text as its file."""
    text = text_of(raw(text))  # what a terminal or a file can hold
    for name, session in TYPED.items():
        transcript(game_class(name), session._replace(lines=tuple(text.split("\n"))))
        for file, _ in session.files:
            transcript(game_class(name), session._replace(files=((file, text),)))


def read_command(text: str) -> None:
    """Answer a command of the engine protocol, each of whose lines says what it is."""
    program = EngineProgram("random")
    for line in ("game binary(rows=3,cols=3)", *text.splitlines()):
        if line.strip():
            answer = program.answer(line)
            assert answer[-1].startswith("="), answer
    read_info(text)
    game_of(text)


PLAIN: dict[str, Reader] = {
    "positions": Reader(read_position, POSITIONS, texts=1500),
    "files": Reader(read_file, FILES),
    "moves": Reader(read_move, MOVES),
    "armies": Reader(read_army, ("5 3 2 2 1 1 1 F", "balanced", "random")),
    "clocks": Reader(Clock.read, ("3+2", "none", "180+180")),
    "limits": Reader(TimeControl.parse, ("1+0.1", "0.1s", "2000p", "20000n")),
    "names": Reader(read_name, ("Anna", "Zoe\u0308 and Bo"), (NoNameError,)),
    "commands": Reader(read_command, COMMANDS, (GridhouseError,)),
    "sessions": Reader(
        read_session,
        tuple(text for each in TYPED.values() for text in (each.typed, *dict(each.files).values())),
    ),
    "rubrics": Reader(
        partial(read_as_file, partial(load_rubric, game="binary")), (RUBRIC,), (UsageError,)
    ),
    "tournaments": Reader(partial(read_as_file, load_tournament), (TOURNAMENT,), (UsageError,)),
    "records": Reader(partial(read_as_file, read_records), RECORDS, (UsageError,)),
    "players": Reader(
        partial(parse_player, game=SMALL),
        (
            *("random", "greedy", "level:5", "perfect", "pomcp@0.1s", "nested:level=2@100p"),
            *("mcts:rave=500,memory=1@2000p", "alphabeta:hash=1,threads=1,PUSH=0.5@300n"),
        ),
    ),
    "houses": Reader(
        partial(RemoteCompetitor, game=SMALL),
        ("http://127.0.0.1:8017?wait=600&level=3", "https://[::1]/t/a/join/b.c"),
        (UsageError,),
    ),
    "constants": Reader(
        Constant.parse, ("PUSH=60:0:200", "PUSH=1.5:0:200:5", "A=:0:1"), (UsageError,)
    ),
    "books": Reader(
        partial(read_as_file, partial(read_book, game=SMALL)),
        ("binary(rows=2,cols=3) 0../...\t0.5\nbinary(rows=2,cols=3)#1\t\n",),
        (UsageError,),
    ),
    "patterns": Reader(parse_patterns, ("..0X1 1 0.5 # why\n11.00 0 3",), (PatternError,)),
    "puzzles": Reader(
        lambda text: [parse_line(text, rows, "first") for rows in (None, 2)],
        ("3,1,2,0", "ab c/abcd", "sliding(rows=2,cols=2) ab c/abcd", "0 1 2 3 4 5"),
        (UsageError, GridhouseError),
    ),
    "classes": Reader(read_class, (*archives(), METADATA), (UsageError,)),
    "saved": Reader(lambda text: read_games(raw(text), "anna"), SAVED, (GameFileError,)),
}

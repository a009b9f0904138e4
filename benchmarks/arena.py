"""What a referee adds to a move: ``python benchmarks/arena.py [GAMES] [SECONDS] [FASTCHESS]``.

The first table has the milliseconds of a move in a match of players that choose at random, in a
bare loop that asks the same players and plays their moves, and the difference.  The bare loop of
programs writes the same commands to their pipes and reads the answers.  GAMES (10) are played each
way, in five turns of which the fastest counts.

The second has the games that a core plays in an hour where a move of the house's alpha-beta search
takes SECONDS (0.05), from ten games a board through the whole arena: a process for the
games, a file for their records.

Peers are measured where they can be had: OpenSpiel's loop with the house's Sinks, Connect X of
kaggle-environments, and the program FASTCHESS with chess by the package chess, whose engine is in
this file.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import time
import warnings
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from command_line import Count, start

import gridhouse
from gridhouse.arena.competitors.house import HouseCompetitor
from gridhouse.arena.competitors.program import ProgramCompetitor, Starter
from gridhouse.arena.openings import openings_for
from gridhouse.arena.referee import play
from gridhouse.arena.runner import Run
from gridhouse.arena.store import Store
from gridhouse.arena.time_control import TimeControl
from gridhouse.arena.tournament_command import openings_of
from gridhouse.arena.tournament_file import parse_tournament
from gridhouse.arena.workers import Workers
from gridhouse.core.registry import parse_game
from gridhouse.players import Limits, parse_player
from gridhouse.programs.files import base_python

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gridhouse.core.game import Game

TURNS = 5
KIT = Path(gridhouse.__file__).parent / "arena" / "kit"
CONTROL = TimeControl.parse("5+0.05")
BOARDS = ("binary(rows=6,cols=6)", "sinks(rows=8,cols=8)", "tactego(rows=6,cols=4)")
PROGRAMS_BOARD = "binary(rows=4,cols=4)"
TIMED_BOARDS = ("sinks(rows=8,cols=8)", "sinks(rows=10,cols=10)")
TIMED_GAMES = 10
LENIENT = 60.0  # seconds; a busy machine is to end no game
LONGEST_CHESS = 50  # moves of each side
CHESS_GAMES = 200  # so many that the start, which is subtracted, tells little
CHESS = """
import random, sys
import chess

board, known = chess.Board(), []
for line in sys.stdin:
    name, *words = line.split() or [""]
    if name == "uci":
        print("id name random\\nuciok")
    elif name == "isready":
        print("readyok")
    elif name == "ucinewgame":
        board, known = chess.Board(), []
    elif name == "position":
        moves = words[2:]
        if moves[:len(known)] != known:
            board, known = chess.Board(), []
        for move in moves[len(known):]:
            board.push_uci(move)
        known = moves
    elif name == "go":
        print("bestmove", random.choice(list(board.legal_moves) or ["0000"]))
    elif name == "quit":
        break
    sys.stdout.flush()
"""


class Span(NamedTuple):
    """The moves of some games, and the seconds that they took."""

    moves: int
    seconds: float

    @property
    def each(self) -> float:
        """The milliseconds of a move."""
        return 1000 * self.seconds / self.moves


def timed(work: Callable[[], int]) -> Span:
    """Return the span of a function that plays some moves and returns how many."""
    started = time.perf_counter()
    moves = work()
    return Span(moves, time.perf_counter() - started)


def row(name: str, *works: Callable[[], int]) -> None:
    """Print the line of a match, and of its bare loop where there is one."""
    for work in works:
        work()
    spans = [[timed(work) for work in works] for _ in range(TURNS)]
    print_row(name, *(min(span.each for span in spent) for spent in zip(*spans, strict=True)))


def print_row(name: str, match: float, bare: float = 0.0) -> None:
    """Print milliseconds a move."""
    print(f"| {name} | {match:.3f} | {bare:.3f} | {match - bare:.3f} |", flush=True)


def house(board: str, games: int) -> None:
    """Measure the house's players."""
    game = parse_game(board)[0]
    openings = list(openings_for(game, games, balanced=False))
    competitors = [HouseCompetitor("random", game) for _ in range(2)]
    players = [parse_player("random", game, seed=side)[0] for side in range(2)]

    def match() -> int:
        records = [
            play(opening, competitors, CONTROL, number=number)
            for number, opening in enumerate(openings)
        ]
        return sum(len(record.moves) for record in records)

    def bare() -> int:
        moves = 0
        for opening in openings:
            state = opening.clone()
            while not state.is_terminal():
                choice = players[state.current_player()].choose(state, Limits())
                state.apply_action(choice.action)
                moves += 1
        return moves

    row(f"house, {game.name}", match, bare)


class Piped:
    """A program on bare pipes."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it."""
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def ask(self, command: str, last: bytes) -> bytes:
        """Send a command and return the first line of its answer, whose last begins so."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        first = b""
        for line in self.process.stdout:
            first = first or line.strip()
            if line.startswith(last):
                return first
        raise EOFError

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.communicate()


def program(name: str, command: list[str], games: int, *, sandboxed: bool) -> None:
    """Measure a program that plays the Binary Game."""
    game: Game = parse_game(PROGRAMS_BOARD)[0]
    opening = game.new_initial_state()
    with ExitStack() as open_now:
        competitors = [
            open_now.enter_context(ProgramCompetitor(Starter(command, sandboxed=sandboxed)))
            for _ in range(2)
        ]
        piped = [Piped(command) for _ in range(2)]
        for each in piped:
            open_now.callback(each.end)

        def match() -> int:
            records = [play(opening, competitors, CONTROL) for _ in range(games)]
            return sum(len(record.moves) for record in records)

        def bare() -> int:
            moves = 0
            for _ in range(games):
                for each in piped:
                    each.ask(f"game {game.cols} {game.rows}", b"=")
                side = 0
                while (move := piped[side].ask("genmove", b"=").decode()) != "resign":
                    moves += 1
                    side = 1 - side
                    piped[side].ask(f"play {move}", b"=")
            return moves

        row(name, match, bare)


def programs(games: int) -> None:
    """Measure the players of the kit."""
    python = [base_python(), "-E", str(KIT / "random_player.py")]
    program("program in Python", python, games, sandboxed=False)
    program("program in Python, sandboxed", python, games, sandboxed=True)
    compiler = shutil.which("cc")
    if compiler is None:
        return
    with TemporaryDirectory() as folder:
        made = str(Path(folder) / "player")
        subprocess.run([compiler, "-O2", "-o", made, str(KIT / "player.c")], check=True)
        program("program in C", [made], games, sandboxed=False)
        program("program in C, sandboxed", [made], games, sandboxed=True)


def spiel(games: int) -> None:
    """Measure OpenSpiel's loop."""
    import pyspiel
    from open_spiel.python.algorithms.evaluate_bots import evaluate_bots

    from gridhouse.adapters.openspiel import register

    register()
    game = pyspiel.load_game("gridhouse_sinks(rows=8,cols=8)")
    bots = [pyspiel.make_uniform_random_bot(side, side) for side in range(2)]

    def begun() -> pyspiel.State:
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(random.choice(state.legal_actions()))
        return state

    def match() -> int:
        moves = 0
        for _ in range(games):
            state = begun()
            before = len(state.history())
            evaluate_bots(state, bots, random)
            moves += len(state.history()) - before
        return moves

    def bare() -> int:
        moves = 0
        for _ in range(games):
            state = begun()
            while not state.is_terminal():
                state.apply_action(bots[state.current_player()].step(state))
                moves += 1
        return moves

    row(f"OpenSpiel {pyspiel.__version__}, sinks", match, bare)


def kaggle(games: int) -> None:
    """Measure kaggle-environments, where the loop cannot be had without the referee."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import kaggle_environments

    env = kaggle_environments.make("connectx")

    def match() -> int:
        return sum(len(env.run(["random", "random"])) - 1 for _ in range(games))

    row(f"kaggle-environments {kaggle_environments.__version__}, connectx", match)


def fastchess(command: str) -> None:
    """Measure fastchess; what its start takes is left out."""
    with TemporaryDirectory() as folder, ExitStack() as open_now:
        engine = Path(folder) / "engine.py"
        engine.write_text(f"#!{sys.executable}\n{CHESS}", encoding="utf-8")
        engine.chmod(0o700)

        def match(count: int) -> Span:
            pgn = Path(folder) / f"{time.monotonic_ns()}.pgn"
            words = [command, "-concurrency", "1", "-rounds", str(count // 2), "-games", "2"]
            words += ["-maxmoves", str(LONGEST_CHESS), "-each", "nodes=1", f"cmd={engine}"]
            words += ["-engine", "name=a", "-engine", "name=b", "-pgnout", f"file={pgn}"]
            started = time.perf_counter()
            done = subprocess.run(words, capture_output=True, text=True, cwd=folder, check=False)
            seconds = time.perf_counter() - started
            if done.returncode or not pgn.exists():
                raise SystemExit(f"{command} failed: {done.stdout[-500:]}{done.stderr[-500:]}")
            plies = re.findall(r'\[PlyCount "(\d+)"\]', pgn.read_text(encoding="utf-8"))
            return Span(sum(map(int, plies)), seconds)

        piped = [Piped([str(engine)]) for _ in range(2)]
        for each in piped:
            open_now.callback(each.end)

        def bare() -> int:
            moves: list[str] = []
            played = 0
            for _ in range(CHESS_GAMES):
                moves = []
                for each in piped:
                    each.ask("ucinewgame\nisready", b"readyok")
                while len(moves) < 2 * LONGEST_CHESS:
                    side = piped[len(moves) % 2]
                    found = side.ask(
                        f"position startpos moves {' '.join(moves)}\ngo nodes 1", b"bestmove"
                    )
                    move = found.split()[1].decode()
                    if move == "0000":
                        break
                    moves.append(move)
                played += len(moves)
            return played

        whole, least = match(CHESS_GAMES + 2), match(2)
        span = Span(whole.moves - least.moves, whole.seconds - least.seconds)
        print_row("fastchess, chess", span.each, timed(bare).each)


def print_hour(board: str, seconds: float) -> None:
    """Print how many games a core plays in an hour."""
    tournament = parse_tournament(
        {
            "game": board,
            "players": [{"name": name, "player": "alphabeta"} for name in ("one", "other")],
            "limit": f"{seconds:g}s",
            "margin": LENIENT,
            "games": TIMED_GAMES,
        }
    )
    with (
        TemporaryDirectory() as folder,
        Store(Path(folder) / "games.sqlite", tournament.settings()) as store,
        Workers(tournament, 1) as workers,
    ):
        run = Run(tournament, store, list(openings_of(tournament)))
        started = time.perf_counter()
        records = list(run.play(workers))
        spent = time.perf_counter() - started
    moves = sum(len(record.moves) for record in records)
    thought = sum(move.seconds for record in records for move in record.moves)
    print(
        f"| {board} | {moves / len(records):.0f} | {1000 * thought / moves:.1f} "
        f"| {1000 * (spent - thought) / moves:.1f} | {3600 * len(records) / spent:.0f} |",
        flush=True,
    )


def main(
    games: Count = 10,
    seconds: Annotated[float, typer.Argument(min=0.001)] = 0.05,
    chess: Annotated[str, typer.Argument(metavar="[FASTCHESS]")] = "",
) -> None:
    """Print the tables."""
    print("| match | ms a move | bare loop | overhead |\n|---|---|---|---|")
    for board in BOARDS:
        house(board, games)
    programs(games)
    if find_spec("pyspiel"):
        spiel(games)
    if find_spec("kaggle_environments"):
        kaggle(games)
    if chess and find_spec("chess"):
        fastchess(chess)
    print(
        "\n| board | moves a game | ms, chosen | other ms | games an hour |\n|---|---|---|---|---|"
    )
    for board in TIMED_BOARDS:
        print_hour(board, seconds)


if __name__ == "__main__":
    start(main)

"""Programs as competitors: failures are told apart, none hangs, and the next game is played."""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from gridhouse.arena.competitors.base import Competitor, Reply
from gridhouse.arena.competitors.house import HouseCompetitor
from gridhouse.arena.competitors.program import ProgramCompetitor, Starter
from gridhouse.arena.protocol import Client, moves_from_start, read_info
from gridhouse.arena.records import Termination
from gridhouse.arena.referee import play
from gridhouse.arena.time_control import TimeControl
from gridhouse.core.console import UsageError
from gridhouse.core.game import State
from gridhouse.programs.files import placed

if TYPE_CHECKING:
    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.time_control import Turn
    from gridhouse.sandbox import Process

pytestmark = pytest.mark.slow("starts some eighty programs that fail in their ways")

KIT = Path(gridhouse.__file__).parent / "arena" / "kit"
ZOO = Path(__file__).parent / "zoo.py"
START = gridhouse.load("binary", rows=4, cols=4).new_initial_state()
NEXT = gridhouse.load("binary", rows=3, cols=5).new_initial_state()
TIMED = TimeControl.parse("0.3s", margin=0)
NODES = TimeControl.parse("1000n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in (KIT / "engine.py", KIT / "random_player.py", ZOO):
        shutil.copy(path, tmp_path)
    return tmp_path


def program(folder: Path, fault: str, *, sandboxed: bool = True) -> ProgramCompetitor:
    starter = Starter([sys.executable, str(folder / "zoo.py"), fault], sandboxed=sandboxed)
    return ProgramCompetitor(starter, fault, longest_wait=0.4, lateness=0.2)


def game(competitor: Competitor, control: TimeControl, start: State = START) -> GameRecord:
    """Play against the house's player at random, which has the second side."""
    return play(start, [competitor, HouseCompetitor("random", start.game)], control)


ENDS = {
    "silent": (Termination.TIME, "did not answer 'genmove' in 0.5"),
    "late": (Termination.TIME, "the move came after 0."),
    "crash": (Termination.CRASH, "status 1: 'ZeroDivisionError: division by zero'"),
    "signal": (Termination.CRASH, "ended by signal 11"),
    "illegal": (Termination.ILLEGAL, "'0 0 7'"),
    "chatty stdout": (Termination.GARBLED, "without a status"),
    "endless line": (Termination.GARBLED, "a line of more than 65536 bytes"),
    "long line": (Termination.GARBLED, "a line of more than 65536 bytes"),
    "closed output": (Termination.DISCONNECTION, "it has closed its output"),
    "closed input": (Termination.TIME, "did not answer"),
    "child": (Termination.CRASH, "exited with status 3"),
    "no move": (Termination.GARBLED, "without a move"),
    "status": (Termination.GARBLED, "'= fine' is no status"),
    "garbage": (Termination.ILLEGAL, "'let me think'"),
    "resign": (Termination.RESIGNATION, "it resigned"),
    "killed at the start": (Termination.CRASH, "ended by signal 9, after 'game 4 4'"),
    "refuses": (Termination.GARBLED, "'game 4 4' with '= -1'"),
}


@pytest.mark.parametrize("fault", ENDS)
def test_zoo(folder: Path, fault: str) -> None:
    termination, reason = ENDS[fault]
    with program(folder, fault) as competitor:
        record = game(competitor, TIMED)
        assert (record.termination, record.score) == (termination, 0)
        assert reason in record.reason
        assert game(competitor, TIMED, NEXT).termination is Termination.RULES


@pytest.mark.parametrize("fault", ["silent", "crash", "closed output", "child", "endless line"])
def test_zoo_without_walls(folder: Path, fault: str) -> None:
    termination, reason = ENDS[fault]
    with program(folder, fault, sandboxed=False) as competitor:
        record = game(competitor, TIMED)
        assert (record.termination, record.score) == (termination, 0)
        assert reason in record.reason
        assert game(competitor, TIMED, NEXT).termination is Termination.RULES


@pytest.mark.parametrize("fault", ["silent", "closed input"])
def test_stall_at_fixed_nodes(folder: Path, fault: str) -> None:
    with program(folder, fault) as competitor:
        started = time.monotonic()
        record = game(competitor, NODES)
        assert record.termination is Termination.STALL
        assert time.monotonic() - started < 5


def test_two_answers(folder: Path) -> None:
    """Who answers twice is out of step: its next answer is none to what was asked."""
    with program(folder, "two answers") as competitor:
        assert game(competitor, TIMED).termination in (Termination.GARBLED, Termination.ILLEGAL)


def test_chatty_program_plays_on(folder: Path) -> None:
    """More on the standard error than any pipe or limit holds costs nothing."""
    with program(folder, "chatty") as competitor:
        assert game(competitor, TimeControl.parse("5s")).termination is Termination.RULES


def test_move_in_another_spelling(folder: Path) -> None:
    """A move that the referee takes is not told to the program again."""
    (folder / "engine.py").write_text(
        (KIT / "engine.py").read_text().replace("append(move)", "append(move.replace('+', ''))")
    )
    with program(folder, "signs") as competitor:
        record = game(competitor, TIMED)
    assert record.termination is Termination.RULES
    assert record.moves[0].text[0].isdigit()  # the record has it as everybody writes it


@pytest.mark.parametrize("sandboxed", [True, False])
def test_nothing_stays(folder: Path, sandboxed: bool) -> None:
    with program(folder, "child", sandboxed=sandboxed) as competitor:
        game(competitor, TIMED)
    assert not any("61.25" in text for text in command_lines())


def command_lines() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_text())
        except OSError:
            continue
    return found


def test_end_between_games(folder: Path) -> None:
    """A program that has ended after a game is started again, and loses nothing."""
    with program(folder, "") as competitor:
        assert game(competitor, TIMED).termination is Termination.RULES
        assert competitor._client is not None
        competitor._client.process.send(b"exit\n")
        time.sleep(0.3)
        assert game(competitor, TIMED).termination is Termination.RULES


def test_random_start_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = gridhouse.load("tactego", limit=4).new_initial_state(0)
    starter = Starter([sys.executable, str(folder / "random_player.py")], sandboxed=False)
    with ProgramCompetitor(starter) as mine:
        house = HouseCompetitor("random", start.game)
        sent, record = sent_in(monkeypatch, start, [mine, house], "5s")
    assert record.termination is Termination.RULES
    assert sent[2] == f"position {start.game.write(start.position)}"


def test_exit_that_is_ignored(folder: Path) -> None:
    with program(folder, "ignores exit") as competitor:
        game(competitor, TIMED, NEXT)
        started = time.monotonic()
    assert time.monotonic() - started < 4


@pytest.mark.parametrize("sandboxed", [True, False])
def test_no_such_program(sandboxed: bool) -> None:
    with ProgramCompetitor(Starter("no-such-program", sandboxed=sandboxed)) as competitor:
        record = game(competitor, TIMED)
    assert record.termination is Termination.CRASH
    assert "no-such-program: No such file or directory" in record.reason


def test_restart_only_where_needed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = []
    start = Starter.start

    def counted(self: Starter) -> Process:
        starts.append(self)
        return start(self)

    monkeypatch.setattr(Starter, "start", counted)
    with program(folder, "illegal") as competitor:
        for _ in range(3):
            game(competitor, TIMED)
    assert len(starts) == 1  # an illegal move does not bring the talk out of step


@pytest.mark.parametrize("command", ["", "'", ["a\0b"]])
def test_no_command(command: str | list[str]) -> None:
    with pytest.raises(UsageError, match="is no command line"):
        Starter(command)


# What is sent


def sent_in(
    monkeypatch: pytest.MonkeyPatch, start: State, competitors: list[Competitor], control: str
) -> tuple[list[str], GameRecord]:
    """Return the commands that a program gets in a game, and the record."""
    sent = []
    ask = Client.ask

    def recorded(self: Client, command: str, seconds: float) -> Any:
        sent.append(command)
        return ask(self, command, seconds)

    with monkeypatch.context() as patch:
        patch.setattr(Client, "ask", recorded)
        record = play(start, competitors, TimeControl.parse(control))
    return sent, record


LIMITS = {
    "1000n": ["nodelimit 1000"],
    "20p": ["playoutlimit 20"],
    "0.5s": ["timelimit 0.5"],
    "3+0.5": ["time_left 3.000 0.5 3.000"],
}


@pytest.mark.parametrize("control", LIMITS)
def test_commands_of_a_game(folder: Path, monkeypatch: pytest.MonkeyPatch, control: str) -> None:
    opening = gridhouse.parse("binary(rows=3,cols=5) 0..../...../....1")
    with program(folder, "") as mine:
        house = HouseCompetitor("random", opening.game)
        sent, record = sent_in(monkeypatch, opening, [mine, house], control)
    assert record.termination is Termination.RULES
    begin = ["list_commands", "game 5 3", "position 0..../...../....1"]
    first = [*begin, *LIMITS[control], "genmove"]
    assert sent[: len(first)] == first
    assert sent[len(first)] == f"play {record.moves[1].text}"
    limits = [command for command in sent if command.split()[0] in control_words()]
    turns = sent.count("genmove")
    assert len(limits) == (turns if "+" in control else 1)


def control_words() -> set[str]:
    return {command.split()[0] for commands in LIMITS.values() for command in commands}


def test_program_of_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `list_commands` an opening is sent as moves, and limits are whole seconds."""
    from gridhouse.export import export

    export("binary", str(tmp_path), "a1.py")
    opening = gridhouse.parse("binary(rows=3,cols=5) 0..../.1.../....1")
    house = HouseCompetitor("random", opening.game)
    for control, limit in (("0.5s", 1), ("90+1", 4)):
        with ProgramCompetitor(Starter(f"python3 {tmp_path}/a1.py")) as mine:
            sent, record = sent_in(monkeypatch, opening, [mine, house], control)
        assert record.termination is Termination.RULES
        moves = [f"play {move}" for move in ("0 0 0", "1 1 1", "4 2 1", record.moves[0].text)]
        assert sorted(sent[2:6]) == sorted(moves)
        assert sent[6:8] == [f"timelimit {limit}", "genmove"]
        assert not any(command.startswith(("position", "time_left")) for command in sent)


def test_time_before_the_move_counts(folder: Path) -> None:
    """Who thinks while it is told the opponent's move does not think for nothing."""
    script = folder / "zoo.py"
    slow = (
        "def do_play(self, words):\n        time.sleep(0.4)\n        super().do_play(words)\n\n    "
    )
    script.write_text(script.read_text().replace("def do_exit", slow + "def do_exit"))
    with program(folder, "") as competitor:
        assert game(competitor, TIMED).termination is Termination.TIME


# Hidden information


HIDDEN = '''
import random
import engine

def choose(player):
    """Step with any piece, from the text alone."""
    side, _, rows = player.start.split(" ")
    board = [row.split(",") for row in rows.split("/")]
    fields = {(r, c): text for r, row in enumerate(board) for c, text in enumerate(row)}
    return random.choice([
        "%d %d %d %d" % (*start, *end)
        for start, text in fields.items() if text[:1] == side and text[1] not in "FM"
        for end, other in fields.items() if other[:1] != side
        and start != end and abs(start[0] - end[0]) <= 1 and abs(start[1] - end[1]) <= 1
    ])

engine.run(choose)
'''


def secrets_in(sent: list[str]) -> list[str]:
    """Return the kinds of Blue's pieces that Red, who gets these commands, may not know."""
    positions = [command for command in sent if command.startswith("position ")]
    assert positions
    return [piece for text in positions for piece in re.findall(r"B[^?,/]+(?<!!)(?=[,/]|$)", text)]


def test_hidden_kinds_are_not_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "hidden.py").write_text(HIDDEN)
    hidden = gridhouse.load("tactego", rows=4, cols=4, pieces="3x2 2x1 1x1 Fx1 Mx1", hidden=True)
    start = hidden.new_initial_state(5)

    def commands() -> list[str]:
        with ProgramCompetitor(Starter(f"python3 {folder}/hidden.py")) as mine:
            house = HouseCompetitor("random", hidden)
            sent, record = sent_in(monkeypatch, start, [mine, house], "5s")
        assert record.termination is Termination.RULES
        return sent

    sent = commands()
    assert secrets_in(sent) == []
    assert not any(command.startswith("play") for command in sent)
    assert sent.count("genmove") == sum(command.startswith("position") for command in sent)
    monkeypatch.setattr(State, "observation_string", lambda self: self.game.write(self.position))
    assert secrets_in(commands()) != []


class Bomber(Competitor):
    """Lays a bomb whenever it can."""

    name = "bomber"

    def begin(self, state: State, side: int, number: int) -> None:
        pass

    def choose(self, state: State, turn: Turn) -> Reply:
        moves = state.legal_moves()
        bombs = [move for move in moves if move.endswith("b")]
        return Reply(random.Random(0).choice(bombs or moves))


def test_hidden_bombs_are_not_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = gridhouse.load("sinks", rows=8, cols=8, limit=20).new_initial_state()
    starter = Starter([sys.executable, str(folder / "random_player.py")], sandboxed=False)
    with ProgramCompetitor(starter) as mine:
        sent, record = sent_in(monkeypatch, start, [mine, Bomber()], "5s")
    assert record.termination is Termination.RULES
    assert any(move.text.endswith("b") for move in record.moves)
    assert not any(re.search(r" bd\d\d|^play", command) for command in sent)
    assert any(re.search(r"laid=\d/[1-9]", command) for command in sent)


# Parts


def test_info() -> None:
    assert read_info("info value -0.25 work 1234") == (-0.25, 1234)
    assert read_info("info depth 3 work 5 value 7") == (1, 5)
    for line in ("", "value 1", "info value nan work -3", "info value x work 2.5", "info value"):
        assert read_info(line) == (None, 0)


def test_moves_from_the_start() -> None:
    state = START.clone()
    for _ in range(6):
        state.play(state.legal_moves()[-1])
    moves = moves_from_start(state)
    assert moves is not None
    again = START.clone()
    for move in moves:
        again.play(move)
    assert again.history() == state.history()
    read = gridhouse.parse(str(state))
    assert sorted(moves_from_start(read) or []) == sorted(moves)
    for seed in (0, 3):
        assert moves_from_start(gridhouse.load("tactego").new_initial_state(seed)) is None


def test_where_a_command_belongs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = folder.resolve()
    script, usual = str(here / "zoo.py"), shutil.which("python3")
    assert placed(["python3", script, "x"]) == (["python3", "zoo.py", "x"], here, usual)
    python = str(here / "venv/bin/python3")
    assert placed([python, script]) == ([python, "zoo.py"], here, python)
    free_threaded = str(here / "venv/bin/python3.13t")
    assert placed([free_threaded, script]) == ([free_threaded, "zoo.py"], here, free_threaded)
    assert placed([script]) == (["./zoo.py"], here, "")
    monkeypatch.chdir(here)
    assert placed(["java", "Main"]) == (["java", "Main"], here, "")
    assert placed(["/bin/sh", "zoo.py"]) == (["/bin/sh", "zoo.py"], here, "")
    assert os.getcwd() == str(here)

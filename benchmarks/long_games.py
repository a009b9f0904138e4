"""The time per command at the start and at the end of long games, which should be equal.

``python benchmarks/long_games.py`` drives three exact programs over pipes, each command answered
before the next is sent, and prints the microseconds a command takes in the first and in the last
tenth of the session, their ratio, and the bytes answered, which are the same on every machine.
The tenths of the first two sessions hold the same commands; Collapse gets easier as its board
empties.
"""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import time
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING

from command_line import start

from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.collapse.game import CollapseGame

if TYPE_CHECKING:
    from gridhouse.core.game import State

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"


def binary_commands(count: int) -> list[str]:
    """Return the commands of repeated random games on 20x20, with the grid shown sometimes."""
    chance = random.Random(1)
    state = BinaryGame(rows=20, cols=20).new_initial_state()
    game = ["game 20 20"]
    for _ in range(200):
        move = state.action_to_string(chance.choice(state.legal_actions()))
        state.play(move)
        game += [f"play {move}", f"legal {move}", "winner", "show", "play 0 0 0"]
    game = game[:1000]
    return (game * (count // len(game) + 1))[:count]


def sinks_commands(count: int) -> list[str]:
    """Return moves of two dice in circles."""
    turns = ["3 3 u", "4 3 l", "6 6 d", "5 6 r", "4 2 d", "3 2 r", "5 7 u", "6 7 l"]
    return (turns * (count // len(turns) + 1))[:count]


def collapse_commands(game: CollapseGame, state: State) -> list[str]:
    """Return picks of random groups until none is left."""
    chance = random.Random(2)
    commands = []
    while not state.is_terminal():
        begin = chance.randrange(game.num_actions)
        order = chain(range(begin, game.num_actions), range(begin))
        action = next(action for action in order if not state.refusal(action))
        commands.append(state.action_to_string(action))
        state.apply_action(action)
    return commands


def drive(command: list[str], opening: str, commands: list[str], ends: list[bytes]) -> str:
    """Play a session and return the line of its figures.

    ``ends`` says how the answer to a command of the session ends.
    """
    times = []
    answered = 0
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(opening.encode())
        process.stdin.flush()
        answered += read_answer(process.stdout, ends)
        for line in commands:
            start = time.perf_counter()
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            answered += read_answer(process.stdout, ends)
            times.append(time.perf_counter() - start)
        process.stdin.close()
    tenth = len(times) // 10
    first, last = (1e6 * sum(part) / tenth for part in (times[:tenth], times[-tenth:]))
    return f"{len(times):8}{first:10.0f}{last:10.0f}{last / first:8.2f}{answered:12}"


def read_answer(stream: IO[bytes], ends: list[bytes]) -> int:
    """Read a complete answer and return its number of bytes."""
    data = b""
    while not any(data.endswith(end) for end in ends):
        data += os.read(stream.fileno(), 1 << 20)
    return len(data)


def main() -> None:
    """Print a line for each session."""
    print(f"{'session':16}{'commands':>8}{'first us':>10}{'last us':>10}{'ratio':>8}{'bytes':>12}")
    line = drive(
        ["python3", os.fspath(PROGRAMS / "binary/a1.py")],
        "game 20 20\n",
        binary_commands(100_000),
        [b"= 1\n\n", b"= -1\n\n", b"occupied\n\n", b"0\n\n", b"row\n\n"],
    )
    print(f"{'Binary 20x20':16}{line}")
    line = drive(
        ["python3", os.fspath(PROGRAMS / "sinks/sinks.py"), "10", "10", "0"],
        "l a 3 3 l b 3 6 d a 6 6 d b 6 3 #\n",
        sinks_commands(10_000),
        [b"0 |" + b"  |" * 10 + b"\n  +" + b"--+" * 10 + b"\n"],
    )
    print(f"{'Sinks 10x10':16}{line}")
    game = CollapseGame(rows=200, cols=200, digits=10)
    state = game.new_initial_state(3)
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(state.board())
        file.flush()
        line = drive(
            ["python3", os.fspath(PROGRAMS / "collapse/assignment3.py"), file.name],
            "",
            collapse_commands(game, state),
            [b"number: ", b"Game over\n"],
        )
    print(f"{'Collapse 200x200':16}{line}")


if __name__ == "__main__":
    start(main)

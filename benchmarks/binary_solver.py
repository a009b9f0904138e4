"""What each technique of the Binary Game's solver earns: nodes and seconds without it.

``python benchmarks/binary_solver.py techniques [SECONDS] [FILE]``: boards and mid-game positions
with all techniques and with each left out, at most SECONDS (20) each, beside a plain alpha-beta
search with a table of the positions as they stand.  FILE holds the course's test cases of
``solve``.
``python benchmarks/binary_solver.py random [SECONDS] [COUNT]``: how many random positions of each
number of playable cells are solved, and of each four numbers together.
``python benchmarks/binary_solver.py threads [COUNT]``: what COUNT (24) random positions of 23
playable cells take together with one thread and with two.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from command_line import Count, Seconds, Word, start

import gridhouse
from gridhouse.core import position
from gridhouse.core.console import read_file
from gridhouse.core.records import to_records
from gridhouse.core.specialize import rules_of, specialize
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import solve, warm
from gridhouse.games.binary.solver.api import TECHNIQUES

if TYPE_CHECKING:
    from collections.abc import Sequence

BOARDS = ((3, 3), (5, 3), (7, 3), (11, 1))
POSITIONS = (
    "binary(rows=5,cols=5) ...../....1/1..../...../..0..",
    "binary(rows=6,cols=6) 10.0../011.../...1../0..1../1.1.../..001.",
    "binary(rows=6,cols=5) .1.../..00./...1./.0.0./.1.1./.....",
)
SHARED = 23  # playable cells of the positions that threads search together
SIZES = ((19, 20, 21, 22), (23, 24, 25, 26), (27, 28, 29, 30))
SIDES = ((5, 5), (6, 5), (6, 6), (7, 6), (7, 7), (8, 6), (8, 8), (9, 7), (10, 10))
SMALL_SIDES = ((6, 5), (6, 6), (7, 6))  # where positions of so many cells are hard
ROOM = 1 << 22
DEPTH = 64

rules: Any = None


class Peer(position.Position):
    """What the plain search counts, and how it is stopped."""

    peer = position.field("int8")
    stop = position.field("int8")
    nodes = position.field("int64")


def plain(line: Any, moves: Any, table: Any, peer: Any, ply: int) -> bool:
    """Return whether the player to move wins, by alpha-beta with a table and nothing else."""
    state = line[ply]
    key = rules.key(state)
    at = key % len(table)
    if table[at] >> 1 == key:
        return bool(table[at] & 1)
    peer.nodes += 1
    count = rules.legal_actions(state, moves[ply])
    wins = False
    for index in range(count):
        line[ply + 1] = state
        rules.apply_action(line[ply + 1], moves[ply][index])
        if not plain(line, moves, table, peer, ply + 1):
            wins = True
            break
        if peer.stop:
            return True
    table[at] = key << 1 | wins
    return wins


def peer_line(text: str, seconds: float) -> str:
    """Return what the plain search makes of a position."""
    state = gridhouse.parse(text)
    kernels = specialize(sys.modules[__name__], "binary", rules=rules_of(state.game))
    line = to_records(state.position, DEPTH)
    moves = np.zeros((DEPTH, state.game.num_actions), np.int64)
    table = np.full(ROOM, -1)
    peer = to_records(Peer())

    def stop() -> None:
        peer[0].stop = 1

    kernels.plain(to_records(gridhouse.parse("binary(rows=1,cols=1)#0").position, 4), moves, table,
                  to_records(Peer())[0], 0)  # fmt: skip
    table[:] = -1
    timer = threading.Timer(seconds, stop)
    timer.start()
    begun = time.perf_counter()
    wins = kernels.plain(line, moves, table, peer[0], 0)
    timer.cancel()
    outcome = "unknown" if peer[0].stop else "win" if wins else "loss"
    return row("plain alpha-beta", outcome, int(peer[0].nodes), time.perf_counter() - begun)


def row(name: str, outcome: str, nodes: int, seconds: float) -> str:
    """Return a line of the table."""
    return f"  {name:<20} {outcome:<8} {nodes:>12} {seconds:>9.3f}"


def without(text: str, seconds: float) -> None:
    """Print nodes and seconds for a position with all techniques and with each left out."""
    print(text)
    choices: dict[str, dict[str, Any]] = {"all": {}, "all, two threads": {"threads": 2}}
    choices |= {f"without {name}": {"off": (name,)} for name in TECHNIQUES}
    choices["without any"] = {"off": tuple(TECHNIQUES)}
    for name, options in choices.items():
        options = {"threads": 1, "proof": False, "proved": False, "seconds": seconds} | options
        found = solve(gridhouse.parse(text), **options)
        print(row(name, found.outcome, found.nodes, found.seconds), flush=True)
    found = solve(gridhouse.parse(text), threads=1, proved=False, seconds=seconds)
    print(row("proof numbers first", found.outcome, found.nodes, found.seconds))
    print(peer_line(text, seconds), flush=True)


def random_position(
    chance: random.Random, live: int, sides: Sequence[tuple[int, int]] = SIDES
) -> str:
    """Return a position of random play in which just so many cells take a digit."""
    while True:
        rows, cols = chance.choice(sides)
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        count = rows * cols
        while count > live:
            state.apply_action(chance.choice(state.legal_actions()))
            count = len({action // 2 for action in state.legal_actions()})
        if count == live:
            return str(state)


def random_positions(seconds: Seconds = 10.0, count: Count = 24) -> None:
    """Print how many random positions of each size, and of four sizes together, are solved."""
    warm()
    for sizes in SIZES:
        times = []
        for live in sizes:
            chance = random.Random(live)
            texts = [random_position(chance, live) for _ in range(count)]
            times += [seconds_taken(text, seconds) for text in texts]
            print_solved(f"{live} cells", times[-count:], seconds)
        print_solved(f"{sizes[0]} to {sizes[-1]} cells", times, seconds)


def seconds_taken(text: str, seconds: float) -> float:
    """Return how long it takes to solve a position, ``seconds`` if that is too short a time."""
    found = solve(gridhouse.parse(text), seconds=seconds)
    return seconds if found.outcome == "unknown" else found.seconds


def print_solved(name: str, times: list[float], seconds: float) -> None:
    """Print how many positions were solved in the time there was, and how many in a second."""
    solved = sum(taken < seconds for taken in times)
    quick = sum(taken < 1 for taken in times)
    print(f"{name}: {solved} of {len(times)} in {seconds:g} s, {quick} in 1 s", flush=True)


def compare_threads(count: Count = 24) -> None:
    """Print the nodes and seconds of random positions with one thread and with two."""
    warm()
    chance = random.Random(SHARED)
    positions = [random_position(chance, SHARED, SMALL_SIDES) for _ in range(count)]
    for threads in (1, 2):
        found = [solve(gridhouse.parse(text), threads=threads) for text in positions]
        nodes = sum(each.nodes for each in found)
        seconds = sum(each.seconds for each in found)
        print(f"{threads} threads: {nodes:,} nodes, {seconds:.1f} s", flush=True)


def course_positions(file: str) -> list[str]:
    """Return the positions that the course's test file asks to be solved."""
    positions = []
    state = BinaryGame(rows=1, cols=1).new_initial_state()
    for line in read_file(file).splitlines():
        words = line.split()
        if words[:1] == ["game"]:
            state = BinaryGame(rows=int(words[2]), cols=int(words[1])).new_initial_state()
        elif words[:1] == ["play"]:
            state.play(" ".join(words[1:]))
        elif words == ["?solve"]:
            positions.append(str(state))
    return positions


def techniques(seconds: Seconds = 20.0, file: Word = "") -> None:
    """Print what each technique earns, and what the course's test cases take, if they are given."""
    positions = course_positions(file) if file else []
    warm()
    for text in positions:
        found = solve(gridhouse.parse(text), seconds=seconds)
        print(row(text[:20], found.outcome, found.nodes, found.seconds), flush=True)
    for width, height in BOARDS:
        without(f"binary(rows={height},cols={width})#0", seconds)
    for text in POSITIONS:
        without(text, seconds)


if __name__ == "__main__":
    start(techniques=techniques, random=random_positions, threads=compare_threads)

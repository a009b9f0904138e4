"""What it costs to run a script: bare, behind each kind of walls, and in the forks of a server.

``python benchmarks/sandbox.py [SESSIONS]`` runs a small script SESSIONS (100) times each way, in
five turns, and prints the median of milliseconds a session, of the clock and of the processor (with
that of all children), and how many sessions a core does in a second.  The last line is one line to
a program and one back.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from typing import TYPE_CHECKING

from command_line import Count, start

from gridhouse.sandbox import End, PythonServer, Sandbox, kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.sandbox import Result

TURNS = 5
TYPED = b"5 7\n" * 20
SCRIPT = """
import random, sys

def main():
    total = 0
    for line in sys.stdin:
        a, b = map(int, line.split())
        total += a * b + random.randrange(1)
        print(a + b)
    print(total)

main()
"""
ECHO = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"
ANSWER = b"12\n" * 20 + b"700\n"


def spent() -> float:
    """Return the seconds of the processor of this process and all its ended children."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def check(result: Result) -> None:
    """See that a session did what it should."""
    assert (result.stdout, result.status, result.end) == (ANSWER, 0, End.EXITED), result


def bare(folder: str, count: int) -> None:
    """Start the script as anybody does."""
    command = [sys.executable, "main.py"]
    for _ in range(count):
        done = subprocess.run(command, input=TYPED, cwd=folder, capture_output=True, check=True)
        assert done.stdout == ANSWER


def started(sandbox: Sandbox, count: int) -> None:
    """Start it in a sandbox each time."""
    for _ in range(count):
        check(sandbox.run([sandbox.python.executable, "main.py"], TYPED))


def forked(sandbox: Sandbox, count: int) -> None:
    """Fork it from one server."""
    with PythonServer(sandbox, "main.py") as server:
        for _ in range(count):
            check(server.run((), TYPED))


def cost(way: Callable[[int], None], count: int) -> tuple[float, float]:
    """Return seconds of the clock and of the processor of so many sessions, less those of one."""
    found = []
    for sessions in (1, count + 1):
        clock, processor = time.perf_counter(), spent()
        way(sessions)
        found.append((time.perf_counter() - clock, spent() - processor))
    return found[1][0] - found[0][0], found[1][1] - found[0][1]


def sessions(count: Count = 100) -> None:
    """Time all ways, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("main.py", SCRIPT), ("echo.py", ECHO)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        ways: dict[str, Callable[[int], None]] = {"bare": partial(bare, folder)}
        boxes = {kind.value: Sandbox(folder, kind=kind) for kind in kinds()}
        ways |= {f"{name}, started": partial(started, box) for name, box in boxes.items()}
        ways |= {f"{name}, forked": partial(forked, box) for name, box in boxes.items()}
        costs = {
            name: [cost(way, -(-count // TURNS)) for _ in range(TURNS)]
            for name, way in ways.items()
        }
        print("   clock  processor")
        for name, turns in costs.items():
            clock, processor = (statistics.median(column) for column in zip(*turns, strict=True))
            each = -(-count // TURNS)
            print(
                f"{clock / each * 1000:8.2f}  {processor / each * 1000:6.2f} ms"
                f"  {each / processor:6.0f}/s  {name}"
            )
        lines(Sandbox(folder))


def lines(sandbox: Sandbox, count: int = 2000) -> None:
    """Time a line to a program and one back."""
    with sandbox.start([sandbox.python.executable, "echo.py"]) as process:
        process.send(b"first\n")
        process.read_line()
        begun = time.perf_counter()
        for _ in range(count):
            process.send(b"a line\n")
            process.read_line()
        seconds = time.perf_counter() - begun
    print(f"{seconds / count * 1000:8.3f} ms  a line each way, {sandbox.kind.value}")


if __name__ == "__main__":
    start(sessions)

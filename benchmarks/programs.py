"""The start-up times of the exact programs, compared with an idle interpreter.

``python benchmarks/programs.py [RUNS]`` prints, for each program, the median time from its start
to its end on empty input, the median of ``python3 -c pass`` measured in turn with it, and what the
program may take: 1.5 times the interpreter and 40 ms.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from command_line import Count, start

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"
SCRIPTS = {
    "binary/a1.py": [],
    "collapse/assignment3.py": ["board.txt"],
    "sinks/sinks.py": ["10", "10", "0"],
    "sliding/a1.py": [],
    "tactego/tactego.py": [],
}
FACTOR = 1.5
MARGIN_MS = 40.0


def milliseconds(command: list[str], folder: str) -> float:
    """Return the seconds of a command on empty input."""
    start = time.perf_counter()
    subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=folder, check=True
    )
    return 1000 * (time.perf_counter() - start)


def main(runs: Count = 20) -> None:
    """Print a line for each program."""
    print(f"start to end on empty input, median of {runs} runs, ms")
    print(f"{'program':26}{'program':>9}{'pass':>7}{'ratio':>7}{'allowed':>9}")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "board.txt").write_text("1 1\n", encoding="utf-8")
        for script, arguments in SCRIPTS.items():
            command = ["python3", os.fspath(PROGRAMS / script), *arguments]
            pairs = [
                (milliseconds(command, folder), milliseconds(["python3", "-c", "pass"], folder))
                for _ in range(runs + 1)
            ][1:]
            ours, bare = (statistics.median(times) for times in zip(*pairs, strict=True))
            allowed = FACTOR * bare + MARGIN_MS
            verdict = "" if ours <= allowed else "  TOO SLOW"
            print(f"{script:26}{ours:9.1f}{bare:7.1f}{ours / bare:7.2f}{allowed:9.1f}{verdict}")


if __name__ == "__main__":
    start(main)

"""A player at random that does one thing wrong, on boards of four rows: ``zoo.py FAULT``.

It lies beside the kit's ``random_player.py`` when it runs.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from random_player import RandomPlayer

FOREVER = 60
CHILD = ["sleep", "61.25"]


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def flood(text: str) -> None:
    while True:
        write(text)


def close(file: int) -> None:
    os.close(file)
    time.sleep(FOREVER)


def leave_a_child() -> None:
    subprocess.Popen(CHILD)  # it holds the pipes
    os._exit(3)


# What is done instead of a second move; the move that is answered nevertheless, if any.
FAULTS = {
    "silent": lambda: time.sleep(FOREVER),
    "late": lambda: time.sleep(0.35),
    "crash": lambda: 1 / 0,
    "signal": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "illegal": lambda: "0 0 7",
    "chatty": lambda: sys.stderr.write("e" * 3_000_000) and None,
    "chatty stdout": lambda: flood(("x" * 99 + "\n") * 100),
    "endless line": lambda: flood("x" * 1000),
    "long line": lambda: write("x" * 70_000 + "\n"),
    "closed output": lambda: close(1),
    "closed input": lambda: close(0),
    "child": leave_a_child,
    "no move": lambda: write("= 1\n") or time.sleep(FOREVER),
    "status": lambda: write("0 0 0\n= fine\n") or time.sleep(FOREVER),
    "garbage": lambda: write("let me think\n") or None,
    "two answers": lambda: write("0 0 0\n= 1\n") or None,
    "resign": lambda: "resign",
}


class Zoo(RandomPlayer):
    fault = sys.argv[1]
    turns = 0

    @property
    def is_faulty(self) -> bool:
        return "rows=4" in self.game

    def do_game(self, words: list[str]) -> None:
        super().do_game(words)
        self.turns = 0
        if self.fault == "killed at the start" and self.is_faulty:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault == "refuses" and self.is_faulty:
            write("= -1\n")

    def do_exit(self, words: list[str]) -> None:
        if self.fault == "ignores exit":
            time.sleep(FOREVER)
        super().do_exit(words)

    def genmove(self) -> str | None:
        if self.fault == "signs":  # the same move in another spelling
            return "+" + super().genmove()
        self.turns += 1
        if self.is_faulty and self.turns == 2 and self.fault in FAULTS:
            return FAULTS[self.fault]() or super().genmove()
        return super().genmove()


if __name__ == "__main__":
    Zoo().serve()

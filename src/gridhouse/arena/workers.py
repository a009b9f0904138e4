"""Processes of this machine that play the games of a tournament side by side."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import Counter
from contextlib import suppress
from multiprocessing import connection
from typing import TYPE_CHECKING, Self

from gridhouse.arena.records import GameRecord, Termination
from gridhouse.arena.table import Job, Table, abandoned, made, wait_for_compiler
from gridhouse.core.console import UsageError
from gridhouse.core.processes import preloaded, run_to_exit

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from typing import Any

    from gridhouse.arena.referee import Watch
    from gridhouse.arena.tournament_file import Tournament

TRIES = 3  # processes that may die of a game
DIED = f"the process that played it was killed {TRIES} times, perhaps for want of memory"
PATIENCE = 5.0  # seconds in which a process closes its programs
NEWS = 1.0  # seconds from one record of a game in play to the next


class Retries:
    """The games of a tournament whose processes die: each begins again, and is given up at last."""

    def __init__(self, tournament: Tournament) -> None:
        """Count the deaths of processes by game."""
        self.tournament = tournament
        self._deaths: Counter[int] = Counter()

    def died(self, job: Job, again: Callable[[Job], None]) -> GameRecord | None:
        """Begin a game again; return its record instead once it has cost too many processes."""
        self._deaths[job.number] += 1
        if self._deaths[job.number] == TRIES:
            return abandoned(self.tournament, job, DIED)
        again(job)
        return None


class Workers:
    """So many processes, started when they are needed; a context manager that ends them.

    Each keeps its competitors over its games.  One that dies takes no other down: its game is
    played again, and given up in the end.
    """

    def __init__(self, tournament: Tournament, count: int) -> None:
        """Make ready; raises UsageError for a player that cannot be made."""
        check_players(tournament)
        self.capacity = count
        self._tournament = tournament
        self._context: Any = preloaded(__name__)
        self._idle: list[tuple[BaseProcess, Connection]] = []
        self._busy: dict[Connection, tuple[BaseProcess, Job]] = {}
        self._retries = Retries(tournament)

    def start(self, job: Job) -> None:
        """Begin a game in an idle process, or in a new one."""
        process, ours = self._idle.pop() if self._idle else self._started()
        self._busy[ours] = process, job
        with suppress(OSError):  # it has died while it was idle, which `wait` finds out
            ours.send(job)

    def _started(self) -> tuple[BaseProcess, Connection]:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=run_to_exit, args=(_work, self._tournament, theirs))
        process.start()
        theirs.close()
        return process, ours

    def wait(self) -> list[GameRecord]:
        """Wait for news of the games, and return the records that come; raises UsageError."""
        answers = map(self._answer, connection.wait(list(self._busy)))  # type: ignore[arg-type]
        return [record for record in answers if record is not None]

    def _answer(self, ours: Connection) -> GameRecord | None:
        """Return the record that a process sends; None if it has died and the game begins again."""
        process, job = self._busy.pop(ours)
        try:
            answer: GameRecord | UsageError = ours.recv()
        except (EOFError, OSError):
            ours.close()
            process.join()
            return self._retries.died(job, self.start)
        if isinstance(answer, GameRecord) and answer.termination is Termination.IN_PLAY:
            self._busy[ours] = process, job
            return answer
        self._idle.append((process, ours))
        if isinstance(answer, UsageError):
            raise answer
        return answer

    def __enter__(self) -> Self:
        """Return these workers."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes; games that they are playing are not recorded."""
        processes = [process for process, _ in (*self._idle, *self._busy.values())]
        for ours in (*self._busy, *(ours for _, ours in self._idle)):
            ours.close()
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + PATIENCE
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
            process.kill()
            process.join()


def _work(tournament: Tournament, ours: Connection) -> None:
    """Play the games that come, until nobody sends any."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    threading.Thread(target=leave_with_parent, daemon=True).start()
    wait_for_compiler()
    told = 0.0

    def tell(record: Callable[[], GameRecord]) -> None:
        nonlocal told
        if time.monotonic() >= told + NEWS:
            told = time.monotonic()
            with suppress(OSError):  # the parent has died, and this process ends
                ours.send(record())

    with Table(tournament) as table:
        while True:
            try:
                ours.send(played(table, ours.recv(), tell))
            except (EOFError, OSError):
                signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends already
                return


def check_players(tournament: Tournament) -> None:
    """Raise UsageError for a player that cannot be made; what that compiles is there for all."""
    wait_for_compiler()
    for player in range(len(tournament.players)):
        made(tournament, player).close()


def played(table: Table, job: Job, watch: Watch = lambda _: None) -> GameRecord | UsageError:
    """Play a game, but return the error of a player that cannot be made."""
    try:
        return table.play(job, watch)
    except UsageError as error:
        return error


def leave_with_parent() -> None:
    """End this process, which may be in a long game, once its parent has died."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os._exit(1)


def cores() -> int:
    """Return the number of processors, from Python 3.13 on those that this process may use."""
    return getattr(os, "process_cpu_count", os.cpu_count)() or 1


def note_on(count: int) -> str:
    """Return a line about more games at a time than there are processors, "" for no more."""
    if count <= cores():
        return ""
    return f"note: {count} games at a time share {cores()} cores, so timed players are weaker"

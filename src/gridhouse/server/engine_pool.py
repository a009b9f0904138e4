"""The engine pool: searches in a bounded number of threads, in the order of their requests.

Compiled searches let go of Python's lock, so pages are served meanwhile.
"""

from __future__ import annotations

import asyncio
import math
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from gridhouse.players import Choice, Player, player, strongest

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State
    from gridhouse.server.settings import Settings

STOP_RETRY_INTERVAL = 0.05  # seconds; a stop before the search has begun is lost
MOST_IDLE = 6  # players that are kept for the next move: each has a memory of its own


class Job:
    """One search, and whether its result is still wanted."""

    def __init__(self, state: State, level: int | None) -> None:
        """Note what is to be thought over and how well: at a level, or as well as can be."""
        self.state = state
        self.level = level
        self.unwanted = False
        self.player: Player | None = None
        self.began = math.inf  # by the clock, when the player has begun to think


class EnginePool:
    """The players of a server, each reused for the next search of its kind."""

    def __init__(self, settings: Settings) -> None:
        """Make room for so many searches at once."""
        self._settings = settings
        self._pool = ThreadPoolExecutor(settings.workers, thread_name_prefix="thinking")
        self._lock = threading.Lock()
        self._idle: list[tuple[int | None, Player]] = []
        self.running: set[Job] = set()

    async def choose(self, state: State, level: int | None = None) -> Choice:
        """Return the choice of the machine at a level, or of the strongest player there is.

        The house's patience begins with the search: neither waiting for a thread nor what has to be
        compiled first counts.  Cancelled, the search ends soon.
        """
        job = Job(state, level)
        loop = asyncio.get_running_loop()
        done = loop.run_in_executor(self._pool, self._work, job)
        try:
            while not done.done():
                await asyncio.wait({done}, timeout=STOP_RETRY_INTERVAL)
                if time.monotonic() - job.began > self._settings.patience:
                    self._stop_once(job)
        finally:
            job.unwanted = True
            if not done.done():
                done.cancel()
                self._stop_repeatedly(job)
        return done.result()

    def _work(self, job: Job) -> Choice:
        if job.unwanted:
            raise asyncio.CancelledError
        self.running.add(job)
        try:
            job.player = self._take(job.state.game, job.level)
            job.began = time.monotonic()
            return job.player.choose(job.state)
        finally:
            self._end(job)

    def _take(self, game: Game, level: int | None) -> Player:
        """Return a player that is idle, or a new one."""
        with self._lock:
            for at, (known, idle) in enumerate(self._idle):
                if known == level and idle.game == game:
                    del self._idle[at]
                    return idle
        seed = random.getrandbits(32)
        if level is None:
            return strongest(game, seed=seed, jit=self._settings.jit)
        return player("level", game, level=level, seed=seed, jit=self._settings.jit)

    def _end(self, job: Job) -> None:
        """Keep a job's player for the next one."""
        with self._lock:
            self.running.discard(job)
            if job.player is not None:
                self._idle.append((job.level, job.player))
                del self._idle[:-MOST_IDLE]

    def _stop_once(self, job: Job) -> None:
        """Tell a search once to come to its end.

        Its player is told under the lock, since it may be at another search as soon as this one has
        ended.
        """
        with self._lock:
            if job in self.running and job.player is not None:
                job.player.stop()

    def _stop_repeatedly(self, job: Job) -> None:
        """Tell a search to come to its end until it has, from a thread of its own."""

        def press() -> None:
            pause = threading.Event()
            while job in self.running:
                self._stop_once(job)
                pause.wait(STOP_RETRY_INTERVAL)

        threading.Thread(target=press, daemon=True).start()

    def close(self) -> None:
        """Have all searches stopped; what is being compiled cannot be, and is not waited for."""
        for job in list(self.running):
            job.unwanted = True
            self._stop_repeatedly(job)
        self._pool.shutdown(wait=False, cancel_futures=True)

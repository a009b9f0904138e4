"""The engine pool: searches in a bounded number of threads, which serve the visitors in turn.

Compiled searches release the GIL, so the server answers other requests meanwhile.
"""

from __future__ import annotations

import asyncio
import math
import random
import threading
import time
from typing import TYPE_CHECKING

from gridhouse.players import Choice, Player, player, strongest
from gridhouse.server import metrics
from gridhouse.server.fair_pool import FairPool

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State
    from gridhouse.players import Limits
    from gridhouse.server.settings import Settings

STOP_RETRY_INTERVAL = 0.05  # seconds; a stop before the start of the search has no effect
MAX_IDLE = 2  # players kept for later searches; each may have two hundred megabytes of its own
GRACE = 10.0  # seconds beyond its time after which a search does not answer any more


class Job:
    """One search, and whether its result is still wanted."""

    def __init__(self, state: State, level: int | None, limits: Limits | None = None) -> None:
        """Set up the search of a position at a level, or by the strongest player without one."""
        self.state = state
        self.level = level
        self.limits = limits
        self.unwanted = False
        self.asked = time.monotonic()
        self.player: Player | None = None
        self.began = math.inf  # monotonic time at which the search started


class EnginePool:
    """The players of a server, each reused for the next search of its kind."""

    def __init__(self, settings: Settings) -> None:
        """Start a pool with one thread for each worker."""
        self._settings = settings
        self._pool = FairPool(settings.workers, "thinking")
        self._lock = threading.Lock()
        self._idle: list[tuple[int | None, Player]] = []
        self.running: set[Job] = set()

    async def choose(
        self, state: State, level: int | None = None, limits: Limits | None = None
    ) -> Choice:
        """Return the choice of the machine at a level, or of the strongest player without one.

        The strongest player has these limits, or the usual ones.  The time limit starts with the
        search: neither the wait for a thread nor compilation counts.  If this task is cancelled,
        the search ends soon.
        """
        job = Job(state, level, limits)
        with metrics.WANTED.track_inprogress():
            return await self._result(job)

    async def _result(self, job: Job) -> Choice:
        """Return the choice of a search; if this task is cancelled, the search ends soon."""
        done = asyncio.wrap_future(self._pool.submit(self._work, job))
        try:
            patience = self._settings.patience
            while not done.done():
                # A search that has not begun yet has all its time.
                left = min(patience, job.began + patience - time.monotonic())
                if left <= 0.0:
                    self._stop_once(job)
                await asyncio.wait({done}, timeout=max(left, STOP_RETRY_INTERVAL))
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
        metrics.WAITS.observe(time.monotonic() - job.asked)
        try:
            with metrics.RUNNING.track_inprogress():
                job.player = self._take(job.state.game, job.level)
                job.began = time.monotonic()
                with metrics.SEARCHES.time():
                    return job.player.choose(job.state, job.limits)
        finally:
            self._end(job)

    def _take(self, game: Game, level: int | None) -> Player:
        """Return an idle player of this kind, or a new one."""
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
        """Return a job's player to the idle ones."""
        with self._lock:
            self.running.discard(job)
            if job.player is not None:
                self._idle.append((job.level, job.player))
                job.player = None  # the trace of a search that failed would keep it for long
                del self._idle[:-MAX_IDLE]

    def _stop_once(self, job: Job) -> None:
        """Ask a search once to stop.

        The lock is held, because the player may start another search as soon as this one has ended.
        """
        with self._lock:
            if job in self.running and job.player is not None:
                job.player.stop()

    def _stop_repeatedly(self, job: Job) -> None:
        """Ask a search to stop until it has ended, from a separate thread."""

        def press() -> None:
            pause = threading.Event()
            while job in self.running:
                self._stop_once(job)
                pause.wait(STOP_RETRY_INTERVAL)

        threading.Thread(target=press, daemon=True).start()

    def is_stuck(self) -> bool:
        """Tell whether a search has not ended although it was asked to."""
        latest = time.monotonic() - self._settings.patience - GRACE
        return any(job.began < latest for job in list(self.running))

    def close(self) -> None:
        """Stop all searches; compilation cannot be stopped, and nothing waits for it."""
        for job in list(self.running):
            job.unwanted = True
            self._stop_repeatedly(job)
        self._pool.close()

"""The renderer of a house: a process that renders views, so that the event loop has a core alone.

A house with few pages renders them itself; the process starts when there are many.  It has copies
of the tables that are looked at: each is sent once, and from then on its changes.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
import os
import pickle
import sys
import time
from typing import TYPE_CHECKING, Any, cast

from gridhouse.server import clock
from gridhouse.server.tables import render_worker
from gridhouse.server.tables.render_worker import HEAD
from gridhouse.server.tables.rendering import Rendered
from gridhouse.server.tables.table import NEWS

if TYPE_CHECKING:
    from gridhouse.server.storage.records import Change
    from gridhouse.server.tables.rendering import Wanted
    from gridhouse.server.tables.table import Table
    from gridhouse.server.tables.visibility import Snapshot

log = logging.getLogger("gridhouse.server")
MAX_SENT = 150  # moves of a table that is sent whole, which takes a moment on the event loop
MAX_NEW = 300  # moves that a page does not have yet
PATIENCE = 10.0  # seconds until a process that does not answer is ended
PAUSE = 60.0  # seconds between two starts
SHARED = (*NEWS, "seated_visitors")  # what may change without a change of the game


class LostError(Exception):
    """The process ended before it answered, or failed."""


def news_of(table: Table) -> dict[str, Any]:
    """Return the news of a table; what may change in place is copied."""
    found = {name: getattr(table, name) for name in SHARED}
    return {name: dict(it) if isinstance(it, dict) else it for name, it in found.items()}


class Sent:
    """What the process has of a table: its version and its news, and whether it ``has_failed``."""

    def __init__(self, version: int, news: dict[str, Any]) -> None:
        """Note a table that was sent."""
        self.version = version
        self.news = news
        self.has_failed = False


class Worker(asyncio.SubprocessProtocol):
    """One process that renders."""

    def __init__(self) -> None:
        """Start without tables."""
        self.is_ready = False
        self.is_closing = False
        self._is_damaged = False
        self._loop = asyncio.get_running_loop()
        self._heard = self._loop.time()
        self.end: asyncio.Future[None] = self._loop.create_future()
        self._sent: dict[int, Sent] = {}
        self._numbers = itertools.count()
        # The views that it was asked for, the oldest first, with the time of each.
        self._waiting: dict[int, tuple[int, asyncio.Future[Rendered], float]] = {}
        self._come = bytearray()
        self._going: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note that the process was started."""
        self.process = cast("asyncio.SubprocessTransport", transport)
        self._input = cast("asyncio.WriteTransport", self.process.get_pipe_transport(0))
        self._watch()

    def _watch(self) -> None:
        """End a process that does not answer any more."""
        oldest = next(iter(self._waiting.values()), None)
        if oldest is not None and self._loop.time() - max(oldest[2], self._heard) > PATIENCE:
            self.process.kill()
        else:
            self._watching = self._loop.call_later(PATIENCE, self._watch)

    def process_exited(self) -> None:
        """Let the house render what was asked for."""
        self.is_ready = False
        self._watching.cancel()
        self.process.close()
        self.end.set_result(None)
        if not self.is_closing:
            log.error("the process that renders pages has ended; the house renders them itself")
        for number in list(self._waiting):
            self._lose(number)

    def pipe_data_received(self, _: int, data: bytes) -> None:
        """Take answers; end a process whose answers cannot be read."""
        if self.end.done() or self._is_damaged:  # the end may be noted before the last ones
            return
        self._come += data
        at = 0
        while len(self._come) >= at + HEAD:
            start = at + HEAD
            end = start + int.from_bytes(self._come[at:start], "big")
            if end > len(self._come):
                break
            try:
                values = pickle.loads(self._come[start:end])
            except Exception as error:  # of any kind, by what is damaged
                log.error("the process that renders pages sent what cannot be read: %s", error)
                self._is_damaged = True
                self.process.kill()
                return
            self._heard = self._loop.time()
            self._answered(*values)
            at = end
        del self._come[:at]

    def _answered(self, *values: Any) -> None:
        if not values:
            self.is_ready = True
            return
        number, text, *rest = values
        if not rest:
            self._failed(number, text)
            return
        waiting = self._waiting.pop(number, None)
        if waiting is not None and not waiting[1].done():  # else nobody waits for it any more
            waiting[1].set_result(Rendered(text, *rest))

    def _failed(self, which: int, fault: str) -> None:
        """Let the house render a table."""
        sent = self._sent.get(which)
        if sent is not None and not sent.has_failed:  # else what was sent meanwhile fails as well
            log.error("the process that renders pages failed: %s", fault)
            sent.has_failed = True
        for number in [at for at, waiting in self._waiting.items() if waiting[0] == which]:
            self._lose(number)

    def _lose(self, number: int) -> None:
        _, promise, _ = self._waiting.pop(number)
        if not promise.done():
            promise.set_exception(LostError())

    def _send(self, *message: Any) -> None:
        if not self._going:
            self._loop.call_soon(self._flush)
        self._going.append(pickle.dumps(message))

    def _flush(self) -> None:
        if not self._input.is_closing():
            self._input.write(b"".join(self._going))
        self._going.clear()

    def change(self, which: int, change: Change) -> None:
        """Send a change of a table, if it is one to what was sent."""
        sent = self._sent.get(which)
        if sent is not None and not sent.has_failed and sent.version == change.version:
            also = change.also is not None
            self._send("change", which, change._replace(also=None) if also else change)
            sent.version += 1

    def render(self, which: int, snapshot: Snapshot, wanted: Wanted) -> asyncio.Future[Rendered]:
        """Have a view rendered."""
        if isinstance(wanted.board, tuple):
            wanted = wanted._replace(board=None)  # it is known here alone
        number = next(self._numbers)
        self._send("view", which, number, snapshot.ply, wanted.packed())
        promise: asyncio.Future[Rendered] = self._loop.create_future()
        self._waiting[number] = which, promise, self._loop.time()
        return promise

    def has(self, which: int, table: Table) -> bool:
        """Have the process have a table as it is now; return whether it is to be rendered there."""
        sent = self._sent.get(which)
        if sent is not None and (sent.has_failed or sent.version > table.version):
            return False  # the second while a change is written
        news = news_of(table)
        if sent is None or sent.version != table.version:
            if len(table.plies) + len(table.undone) > MAX_SENT:
                return False
            self._send("table", which, table)
            self._sent[which] = Sent(table.version, news)
        elif sent.news != news:
            self._send("news", which, news)
            sent.news = news
        return True

    def forget(self, which: int) -> None:
        """Drop a table."""
        if self._sent.pop(which, None) is not None:
            self._send("forget", which)


class Renderer:
    """The process that renders for a house, if there is one now."""

    def __init__(self, many: int) -> None:
        """Start without a process; it is wanted from so many open pages on."""
        self._many = many
        self._pages = 0
        self._started = -math.inf  # monotonic time
        self._starting: asyncio.Task[None] | None = None
        self._worker: Worker | None = None

    @property
    def process(self) -> int | None:
        """The number of the process, None without one that is ready."""
        ready = self._ready()
        return None if ready is None else ready.process.get_pid()

    def _ready(self) -> Worker | None:
        return self._worker if self._worker is not None and self._worker.is_ready else None

    def page_opened(self) -> None:
        """Count a page; start the process if they are many, and another core can have it."""
        self._pages += 1
        is_there = self._worker is not None and not self._worker.end.done()
        if self._pages < self._many or is_there or (os.cpu_count() or 1) < 2:
            return
        now = time.monotonic()
        if now - self._started >= PAUSE:
            self._started = now
            self._starting = asyncio.create_task(self._start())

    def page_closed(self) -> None:
        """Count a page no longer."""
        self._pages -= 1

    async def _start(self) -> None:
        first = time.monotonic_ns()  # pages may have boards of an earlier process
        # No module comes from the folder that the house was started in.
        words = ("-P", "-m", render_worker.__name__, str(clock.began()), str(first))
        loop = asyncio.get_running_loop()
        try:
            _, self._worker = await loop.subprocess_exec(
                Worker, sys.executable, *words, stderr=None, start_new_session=True
            )
        except (OSError, RuntimeError) as error:  # there is no room for a process, or a thread
            reason = getattr(error, "strerror", None) or error
            log.error("the process that renders pages cannot be started: %s", reason)

    def change(self, which: int, change: Change) -> None:
        """Note a change of a table."""
        if (worker := self._ready()) is not None:
            worker.change(which, change)

    def render(
        self, which: int, snapshot: Snapshot, wanted: Wanted
    ) -> asyncio.Future[Rendered] | None:
        """Have a view of a table rendered; None if the house has to do it.

        The promise raises LostError.
        """
        worker, table = self._ready(), snapshot.table
        is_long = len(table.plies) - wanted.moves > MAX_NEW
        if worker is None or is_long or not worker.has(which, table):
            return None
        return worker.render(which, snapshot, wanted)

    def forget(self, which: int) -> None:
        """Drop a table at which nobody looks."""
        if (worker := self._ready()) is not None:
            worker.forget(which)

    async def close(self) -> None:
        """End the process."""
        self._many = sys.maxsize
        if self._starting is not None:
            await self._starting
        if self._worker is not None and not self._worker.end.done():
            self._worker.is_closing = True
            self._worker.process.kill()
            await self._worker.end

"""Threads that serve their callers in turn, so that nobody waits behind all that another asked for.

Whatever takes more than a moment is done here, and not on the event loop, where it would delay
everybody.  A caller is a visitor, or without one a network address.  Addresses have turns, and at
each of them its callers, because one person can be many visitors.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter, OrderedDict, deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Given = ParamSpec("Given")
Result = TypeVar("Result")
Waiting = tuple[Future[Any], "Callable[[], Any]"]

QUICK = 0.001  # processor seconds that may be spent at once
SLICE = 0.02  # seconds of long work between two turns of others

# Who asked for what is done now; tasks and their subtasks inherit it.
caller: ContextVar[str] = ContextVar("caller", default="")
# The caller's network address, "" on this machine.
place: ContextVar[str] = ContextVar("place", default="")


class FairPool:
    """A bounded number of threads; of those who wait, each gets one thread in turn.

    If there are several, one address never has all of them, and if that leaves it several, one
    caller there never has all of these.  What comes from this machine has no such limit together.
    """

    def __init__(self, threads: int, name: str) -> None:
        """Start without work; ``name`` is that of the threads."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free = threads  # which serve nobody
        self._most_there = max(1, threads - 1)  # threads that one address may have
        self._share = max(1, threads - 2)  # threads that one caller there may have
        self._running: Counter[tuple[str, ...]] = Counter()  # by address, and by caller there
        self._lock = threading.Lock()
        # What waits of each caller at each address, who is to be served next first.
        self._waiting: OrderedDict[str, OrderedDict[str, deque[Waiting]]] = OrderedDict()

    def submit(
        self, work: Callable[Given, Result], *given: Given.args, **named: Given.kwargs
    ) -> Future[Result]:
        """Have a function called when it is the caller's turn, in the context of the caller."""
        promise: Future[Result] = Future()
        with self._lock:
            here = self._waiting.setdefault(place.get(), OrderedDict())
            mine = here.setdefault(caller.get(), deque())
            mine.append((promise, partial(copy_context().run, work, *given, **named)))
            if self._free:  # else one that serves takes it, as soon as it is its turn
                self._pool.submit(self._serve)
                self._free -= 1
        return promise

    async def run(
        self, work: Callable[Given, Result], *given: Given.args, **named: Given.kwargs
    ) -> Result:
        """Return what a function returns, which is called when it is the caller's turn."""
        return await asyncio.wrap_future(self.submit(work, *given, **named))

    async def collect(self, work: Iterator[Result | None] | LongWork[Result]) -> list[Result]:
        """Return what an iterator yields besides None; others have their turns in between."""
        work = work if isinstance(work, LongWork) else LongWork(work)
        while not await self.run(work.go_on):
            if work.is_running:  # in another thread
                await asyncio.sleep(SLICE)
        return work.found

    def _serve(self) -> None:
        """Work until nobody is left who may have another thread."""
        while (served := self._next()) is not None:
            counted, promise, work = served
            try:
                if promise.set_running_or_notify_cancel():
                    promise.set_result(work())
            except BaseException as error:
                promise.set_exception(error)
            finally:
                with self._lock:
                    self._running.subtract(counted)
                    self._running += Counter()  # drops those with none

    def _next(self) -> tuple[list[tuple[str, ...]], Future[Any], Callable[[], Any]] | None:
        """Take the oldest work of the caller whose turn it is; without any a thread is free."""
        with self._lock:
            for where, here in self._waiting.items():
                if where and self._running[where,] >= self._most_there:
                    continue
                for name, mine in here.items():
                    if self._running[where, name] < self._share:
                        promise, work = mine.popleft()
                        _take_turn(here, name)
                        _take_turn(self._waiting, where)
                        counted = [(where,), (where, name)]
                        self._running.update(counted)
                        return counted, promise, work
            self._free += 1
        return None

    def close(self) -> None:
        """Drop what waits; what runs goes on, and nothing waits for it."""
        with self._lock:
            waits = [mine for here in self._waiting.values() for mine in here.values()]
            self._waiting.clear()
            self._free += 1  # what comes now is for the threads, which refuse it
        for promise, _ in chain.from_iterable(waits):
            promise.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _take_turn(waiting: OrderedDict[str, Any], name: str) -> None:
    """Move whoever was served behind all others, or out if nothing of theirs waits."""
    waiting.move_to_end(name)
    if not waiting[name]:
        del waiting[name]


class LongWork(Generic[Result]):
    """Work in slices; whoever waits for it has it go on in their own turn."""

    def __init__(self, work: Iterator[Result | None]) -> None:
        """Begin with an iterator, which yields None for a pause."""
        self.found: list[Result] = []
        self._work = work
        self._lock = threading.Lock()
        self._error: BaseException | None = None

    @property
    def is_running(self) -> bool:
        """Whether a thread works on it now."""
        return self._lock.locked()

    def go_on(self) -> bool:
        """Work for a slice of time unless another thread does; return whether all is done."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self._error is not None:
                raise self._error
            until = time.monotonic() + SLICE
            for item in self._work:
                if item is not None:
                    self.found.append(item)
                if time.monotonic() > until:
                    return False
        except BaseException as error:
            self._error = error  # all who wait are told
            raise
        finally:
            self._lock.release()
        return True


class Habit:
    """Work of one kind: what was quick the last time is done at once, else by a pool.

    For most boards a view takes less time than the way to another thread and back.
    """

    def __init__(self, pool: FairPool) -> None:
        """Begin with the pool."""
        self._pool = pool
        self._is_quick = False

    def start(
        self, work: Callable[Given, Result], *given: Given.args, **named: Given.kwargs
    ) -> asyncio.Future[Result]:
        """Have a function called, and return the promise of its result."""
        if not self._is_quick:
            timed = partial(self._timed, partial(work, *given, **named))
            return asyncio.wrap_future(self._pool.submit(timed))
        promise: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        began = time.perf_counter()  # costs less than the time of the processor, and is no less
        try:
            promise.set_result(work(*given, **named))
        except Exception as error:
            promise.set_exception(error)
        self._is_quick = time.perf_counter() - began < QUICK
        return promise

    def _timed(self, work: Callable[[], Result]) -> Result:
        """Call a function, and note whether it was quick."""
        began = time.thread_time()
        try:
            return work()
        finally:
            self._is_quick = time.thread_time() - began < QUICK

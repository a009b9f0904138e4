"""Solving a position for good: one function for all games, and the watch over a long search.

A game is solved by ``solver`` in its folder, whose ``solve(state, **options)`` returns a
:class:`Solution`; ``solver.command`` is the command ``gridhouse solve`` for this game.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from abc import ABC, abstractmethod
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from gridhouse.core.console import UsageError
from gridhouse.core.errors import GridhouseError, SolverError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gridhouse.core.game import Game, State

T = TypeVar("T")

EXIT_FAILED = 1  # of many inputs some could not be answered
GLANCE = 0.25  # seconds between two looks at a search that runs
_INTERRUPTED = threading.Event()


class Advice(NamedTuple):
    """What a solver advises a player: how to go on, what it is worth, and what is known, in words.

    ``value`` is from -1 to 1 in games of two and the score in games of one; ``line`` is how play
    should go on.  It is empty where all moves are worth the same, and it is not known which of
    them is hardest to answer.
    """

    value: float
    line: tuple[int, ...]
    verdict: str

    @property
    def action(self) -> int:
        """The first move of the line."""
        return self.line[0]


class Solution(ABC):
    """What a solver found out about a position: for people ``str``, for programs ``facts``."""

    @abstractmethod
    def facts(self) -> dict[str, object]:
        """Return what is known, by names that stay, as JSON takes it."""

    @abstractmethod
    def __str__(self) -> str:
        """Tell what is known in some lines."""

    def best(self) -> tuple[int, bool] | None:
        """Return the best result found, as ``Game.result`` counts, and whether none is better.

        None where the solver looks for something else than a result.
        """
        return None


def solve(state: State, **options: Any) -> Solution:
    """Return what the game's solver finds out about a position; options are the solver's own.

    Raises SolverError if the game has no solver.
    """
    from gridhouse.core.components import component

    solver = component(type(state.game), "solver")
    if solver is None:
        raise SolverError(f"{state.game.name} has no solver")
    found: Solution = solver.solve(state, **options)
    return found


def check_limits(**limits: float | None) -> None:
    """Raise SolverError for a limit that is not above 0; None is no limit."""
    for name, limit in limits.items():
        if limit is not None and not limit > 0:
            raise SolverError(f"{name}: {limit} is not above 0")


def uses_compiled(game: Game) -> bool:
    """Tell whether the compiled code of a game's solver is there; if not, have it made beside."""
    from gridhouse.core.compile_queue import SOLVER, Unit, use_compiled

    return use_compiled(Unit(SOLVER, game))


def has_compiled(game: Game) -> bool:
    """Tell whether the compiled code of a game's solver is there."""
    from gridhouse.core.compile_queue import SOLVER, Unit, is_ready

    return is_ready(Unit(SOLVER, game))


def attempt_interpreted(
    game: Game, attempt: Callable[[bool], bool], pause: Callable[[], None]
) -> None:
    """Have a game's solver attempt a position interpreted until its compiled code is there.

    If it is before the attempt has ended, ``pause`` is called, and what ``attempt`` then tells to
    be incomplete is attempted anew, compiled.
    """
    from gridhouse.core.compile_queue import SOLVER, Awaited, Unit

    with Awaited(Unit(SOLVER, game), pause) as awaited:
        is_complete = attempt(False)
    if awaited.is_ready and not is_complete:
        attempt(True)


class Attempts:
    """A search that begins anew once it can be compiled, and that another thread may stop.

    ``make(jit=...)`` returns a search with ``run``, ``stop`` and ``status``, ``load`` has its code
    compiled if that is not there, and ``is_complete`` tells whether there is nothing left for it to
    find.
    """

    def __init__(
        self,
        game: Game,
        make: Callable[..., Any],
        is_complete: Callable[[Any], bool],
        *,
        jit: bool | None,
        load: Callable[[Any], object] = id,
    ) -> None:
        """Have the search ready: compiled if ``jit``, interpreted if it is false.

        If it is None, that is as soon as compiled code is there.
        """
        self._game = game
        self._make = make
        self._load = load
        self._is_complete = is_complete
        self._is_stopped = False
        self._waits = jit is None and not uses_compiled(game)
        self._begin(jit=not self._waits and jit is not False)

    def _begin(self, *, jit: bool) -> None:
        self.search = self._make(jit=jit)
        if jit and not has_compiled(self._game):
            self._load(self.search)  # what is there is loaded where it is first needed
        if self._is_stopped:
            self.search.stop()

    def run(self) -> None:
        """Search."""
        if self._waits:
            attempt_interpreted(self._game, self._attempt, self.pause)
        else:
            self.search.run()

    def _attempt(self, jit: bool) -> bool:
        if jit:
            self._begin(jit=True)
        self.search.run()
        return self._is_stopped or self._is_complete(self.search)

    def pause(self) -> None:
        """End the attempt that runs, whatever it has found."""
        getattr(self.search, "give_up", self.search.stop)()

    def stop(self) -> None:
        """End all attempts."""
        self._is_stopped = True
        self.search.stop()

    def status(self) -> str:
        """Return the line shown while the search runs."""
        text: str = self.search.status()
        return text


def watched(
    work: Callable[[], T],
    stop: Callable[[], None],
    *,
    seconds: float | None = None,
    status: Callable[[], str] | None = None,
) -> T:
    """Return what ``work`` returns; have it stopped when its time is up or on Ctrl-C.

    ``work`` runs in a thread of its own, so it should be compiled code, which lets others run, and
    should return soon after ``stop`` was called.  ``status`` makes the line that is shown
    meanwhile on standard error, if that is a terminal and the main thread waits.  However often
    Ctrl-C is pressed, what ``work`` returns is not lost.
    """
    # Who searches in another thread has no terminal, or uses it for something else.
    line = Line(status if _is_main() else None)
    with _interrupts_taken_by(stop), ThreadPoolExecutor(1) as pool:
        running = pool.submit(work)
        try:
            # A timer, since this thread may be looking away when time is up.
            with stopped_after(seconds, stop):
                return _result(running, line)
        finally:
            stop()
            line.clear()


def _result(running: Future[T], line: Line) -> T:
    """Return what runs in a thread, with a line about it meanwhile."""
    while True:
        try:
            return running.result(GLANCE)
        except TimeoutError:
            if running.done():
                raise
            line.show()


def was_interrupted() -> bool:
    """Tell whether Ctrl-C ended what was watched last; clears the flag."""
    was_set = _INTERRUPTED.is_set()
    _INTERRUPTED.clear()
    return was_set


def until_interrupted(things: Iterable[T]) -> Iterator[T]:
    """Yield things to be watched one after the other, until Ctrl-C ends one of them.

    Raises KeyboardInterrupt if any are left then.
    """
    interrupted = False
    for thing in things:
        if interrupted:
            raise KeyboardInterrupt
        yield thing
        interrupted = was_interrupted()


def tell(found: Solution, *, as_json: bool, name: str = "") -> None:
    """Print a solution, in words after a name or as one JSON object in a line."""
    text = f"{name}: {found}" if name else str(found)
    print(json.dumps(found.facts()) if as_json else text, flush=True)


def answer_each(
    inputs: Sequence[T],
    answer: Callable[[T], Solution],
    *,
    as_json: bool = False,
    names: Sequence[str] | None = None,
) -> int:
    """Print the answer to each input, in order, and return the exit status.

    An input that cannot be read or solved is answered by its error, ``{"error": ...}`` as JSON,
    and the status is 1 then.  ``names`` stand before the answers in text.  Ctrl-C ends the search
    with what it has found, and leaves out the inputs after it.
    """
    status = 0
    for number, given in enumerate(until_interrupted(inputs)):
        try:
            tell(answer(given), as_json=as_json, name=names[number] if names else "")
        except (GridhouseError, UsageError) as error:
            status = EXIT_FAILED
            print(json.dumps({"error": str(error)}) if as_json else f"Error: {error}", flush=True)
    return status


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def _interrupts_taken_by(stop: Callable[[], None]) -> Iterator[None]:
    """Have ``stop`` called on Ctrl-C meanwhile, where Python would raise KeyboardInterrupt.

    An exception could come anywhere, and what has been found would be lost.
    """
    # Only the main thread may say what a signal does.
    if not _is_main() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    _INTERRUPTED.clear()

    def interrupt(*_: object) -> None:
        _INTERRUPTED.set()
        stop()

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def stopped_after(seconds: float | None, stop: Callable[[], None]) -> Iterator[None]:
    """Have what runs meanwhile stopped when so many seconds are over, never without a number."""
    timer = threading.Timer(min(max(0.0, seconds or 0.0), threading.TIMEOUT_MAX), stop)
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


class Line:
    """A line on standard error that is written over again and again, if that is a terminal."""

    def __init__(self, text: Callable[[], str] | None) -> None:
        """Note what makes the line."""
        self._text = text if sys.stderr is not None and sys.stderr.isatty() else None
        self._length = 0

    def show(self) -> None:
        """Write the line as it is now."""
        if self._text is not None:
            text = self._text()
            print("\r" + text.ljust(self._length), end="", file=sys.stderr, flush=True)
            self._length = len(text)

    def clear(self) -> None:
        """Take the line away."""
        if self._length:
            print("\r" + " " * self._length + "\r", end="", file=sys.stderr, flush=True)
            self._length = 0

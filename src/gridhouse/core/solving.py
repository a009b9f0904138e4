"""Solving positions: one function for all games, and the control of a long search.

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
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from gridhouse.core.console import UsageError
from gridhouse.core.errors import GridhouseError, SolverError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol

    from gridhouse.core.game import Game, State

    class Search(Protocol):
        """A search that another thread can stop; ``give_up``, if it has one, ends it sooner."""

        def run(self) -> object:
            """Search until done or stopped."""

        def stop(self) -> object:
            """End the search; it keeps its result."""

        def status(self) -> str:
            """Return the text of the status line."""


T = TypeVar("T")
S = TypeVar("S", bound="Search")

EXIT_FAILED = 1  # the exit status if some of many inputs could not be answered
STATUS_SECONDS = 0.25  # between two updates of the status line
_INTERRUPTED = threading.Event()
HANGUP: int | None = getattr(signal, "SIGHUP", None)  # when a terminal is closed; not on Windows
ENDING = [signal.SIGTERM, *([] if HANGUP is None else [HANGUP])]


class Advice(NamedTuple):
    """The advice of a solver to a player.

    ``value`` is from -1 to 1 in games of two and the score in games of one; ``line`` is the best
    line of play, and ``verdict`` says in words what is proved.  The line is empty if all moves have
    the same value and the solver does not know which is hardest to answer.
    """

    value: float
    line: tuple[int, ...]
    verdict: str

    @property
    def action(self) -> int:
        """The first move of the line."""
        return self.line[0]


class Solution(ABC):
    """The result of a solver: ``str`` for people, ``facts`` for programs."""

    @abstractmethod
    def facts(self) -> dict[str, object]:
        """Return the facts by stable names, as JSON values."""

    @abstractmethod
    def __str__(self) -> str:
        """Return the facts in words, in some lines."""

    def best(self) -> tuple[int, bool] | None:
        """Return the best result found, as ``Game.result``, and whether it is proved optimal.

        It is None for a solver that does not look for a result.
        """
        return None


def solve(state: State, **options: Any) -> Solution:
    """Solve a position with the game's solver, which defines the options.

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


def request_compiled(game: Game) -> bool:
    """Return whether a game's solver is compiled; if not, have it compiled in the background."""
    from gridhouse.core.compile_queue import SOLVER, Unit, use_compiled

    return use_compiled(Unit(SOLVER, game))


def has_compiled(game: Game) -> bool:
    """Tell whether a game's solver is compiled."""
    from gridhouse.core.compile_queue import SOLVER, Unit, is_ready

    return is_ready(Unit(SOLVER, game))


def attempt_interpreted(
    game: Game, attempt: Callable[[bool], bool], pause: Callable[[], None]
) -> None:
    """Run an interpreted attempt, and a compiled one if compiled code is ready before its end.

    ``attempt(jit)`` returns whether its result is complete.  ``pause`` is called when compiled code
    is ready; it ends the interpreted attempt.
    """
    from gridhouse.core.compile_queue import SOLVER, Awaited, Unit

    with Awaited(Unit(SOLVER, game), pause) as awaited:
        is_complete = attempt(False)
    if awaited.is_ready and not is_complete:
        attempt(True)


class Attempts(Generic[S]):
    """A search that restarts once compiled code is ready, and that another thread may stop.

    ``make(jit=...)`` returns a search with ``run``, ``stop`` and ``status``; ``load`` compiles its
    code; ``is_complete`` tells whether its result cannot be improved.
    """

    def __init__(
        self,
        game: Game,
        make: Callable[..., S],
        is_complete: Callable[[S], bool],
        *,
        jit: bool | None,
        load: Callable[[S], object] | None = None,
    ) -> None:
        """Make the search: compiled if ``jit`` is true, interpreted if it is false.

        If ``jit`` is None, the search runs interpreted until compiled code is ready.
        """
        self._game = game
        self._make = make
        self._load = load
        self._is_complete = is_complete
        self._is_stopped = False
        self._waits = jit is None and not request_compiled(game)
        self._begin(jit=not self._waits and jit is not False)

    def _begin(self, *, jit: bool) -> None:
        self.search = self._make(jit=jit)
        if jit and self._load is not None and not has_compiled(self._game):
            self._load(self.search)  # compiled code on disk is loaded at the first call instead
        if self._is_stopped:
            self.search.stop()

    def run(self) -> None:
        """Run the search."""
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
        """End the current attempt."""
        getattr(self.search, "give_up", self.search.stop)()

    def stop(self) -> None:
        """End all attempts."""
        self._is_stopped = True
        self.search.stop()

    def status(self) -> str:
        """Return the line shown while the search runs."""
        return self.search.status()


def watched(
    work: Callable[[], T],
    stop: Callable[[], None],
    *,
    seconds: float | None = None,
    status: Callable[[], str] | None = None,
) -> T:
    """Return the result of ``work``; call ``stop`` after a number of seconds and on Ctrl-C.

    ``work`` runs in its own thread, so it should be compiled code, which releases Python's lock,
    and should return soon after ``stop``.  ``status`` returns the status line, which is shown on
    standard error if that is a terminal and this is the main thread.  The result is not lost,
    however often Ctrl-C is pressed.
    """
    # Other threads have no terminal, or use it for something else.
    line = StatusLine(status if _is_main() else None)
    with _stopped_by_interrupts(stop), ThreadPoolExecutor(1) as pool:
        running = pool.submit(work)
        try:
            # A timer, since this thread may be writing the status line when time is up.
            with stopped_after(seconds, stop):
                return _result(running, line)
        finally:
            stop()
            line.clear()


def _result(running: Future[T], line: StatusLine) -> T:
    """Wait for a result, and update the status line meanwhile."""
    while True:
        try:
            return running.result(STATUS_SECONDS)
        except TimeoutError:
            if running.done():
                raise
            line.show()


def consume_interrupt() -> bool:
    """Return whether Ctrl-C ended the last watched search, and forget that it did."""
    was_set = _INTERRUPTED.is_set()
    _INTERRUPTED.clear()
    return was_set


def until_interrupted(inputs: Iterable[T]) -> Iterator[T]:
    """Yield inputs of watched searches, until Ctrl-C ends one of the searches.

    Raises KeyboardInterrupt if any inputs are left then.
    """
    interrupted = False
    for given in inputs:
        if interrupted:
            raise KeyboardInterrupt
        yield given
        interrupted = consume_interrupt()


def tell(found: Solution, *, as_json: bool, name: str = "") -> None:
    """Print a solution: in words after a name, or as a JSON object on one line."""
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

    If an input cannot be read or solved, its answer is the error, ``{"error": ...}`` as JSON, and
    the status is 1.  ``names`` precede the answers in text.  Ctrl-C ends the current search with
    its result so far, and skips the inputs after it.
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
def _stopped_by_interrupts(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` on Ctrl-C; the exception that Python would raise could lose the result.

    A signal that asks a process to end does the same, and ends it when the work is done.
    """
    # Only the main thread may set signal handlers.
    usual = (signal.default_int_handler, signal.SIG_IGN)  # the latter in the background
    if not _is_main() or signal.getsignal(signal.SIGINT) not in usual:
        yield
        return
    _INTERRUPTED.clear()
    asked_to_end: list[int] = []

    def interrupt(*_: object) -> None:
        _INTERRUPTED.set()
        stop()

    def end(number: int, _: object) -> None:
        asked_to_end.append(number)
        stop()

    taken: dict[int, Callable[..., None]] = {signal.SIGINT: interrupt, **dict.fromkeys(ENDING, end)}
    before = {
        each: signal.signal(each, handler)
        for each, handler in taken.items()
        if signal.getsignal(each) is not signal.SIG_IGN  # as nohup wants it
    }
    try:
        yield
    except (GridhouseError, UsageError) as error:
        if asked_to_end:  # nobody else will say it
            print(f"Error: {error}", file=sys.stderr, flush=True)
        raise
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        if asked_to_end:
            signal.raise_signal(asked_to_end[0])


@contextmanager
def stopped_after(seconds: float | None, stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` after a number of seconds, unless the block ends before; None is no limit."""
    timer = threading.Timer(min(max(0.0, seconds or 0.0), threading.TIMEOUT_MAX), stop)
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


class StatusLine:
    """A line on standard error that is overwritten again and again, if that is a terminal."""

    def __init__(self, text: Callable[[], str] | None) -> None:
        """Take the function that returns the text of the line, None for no line."""
        self._text = text if sys.stderr is not None and sys.stderr.isatty() else None
        self._length = 0

    def show(self) -> None:
        """Write the current line."""
        if self._text is not None:
            text = self._text()
            print("\r" + text.ljust(self._length), end="", file=sys.stderr, flush=True)
            self._length = len(text)

    def clear(self) -> None:
        """Erase the line."""
        if self._length:
            print("\r" + " " * self._length + "\r", end="", file=sys.stderr, flush=True)
            self._length = 0

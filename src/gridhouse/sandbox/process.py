"""A program in its sandbox: its input, its output, its end."""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING, Self

from gridhouse.sandbox.launch import GRACE
from gridhouse.sandbox.results import End, Limits, Result
from gridhouse.sandbox.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.sandbox.launch import Launch
    from gridhouse.sandbox.own import OwnLaunch

STARTUP = 5.0  # seconds beyond the wall limit until the outside ends a run itself
LEAVING = 0.5  # seconds for which a program that has closed a pipe is taken to be ending
KILLED = -9
MEMORY_ERRORS = (b"MemoryError", b"std::bad_alloc")


def result_of(streams: Streams, limits: Limits, seconds: float) -> Result:
    """Return the result that a finished run's streams tell of."""
    stdout, stderr = bytes(streams.stdout), bytes(streams.stderr)
    words = (streams.report or b"").decode("utf-8", "replace").rstrip("\n").split(" ", 3)
    if words[0] == "failed" or words[0] not in ("ended", "stopped", "timeout"):
        said = " ".join(words[1:]) or stderr.decode("utf-8", "replace").strip()
        return Result(stdout, stderr, None, End.FAILED, seconds, said or "the sandbox has died")
    how, status, cpu, seconds = words[0], int(words[1]), float(words[2]), float(words[3])
    if streams.is_full:
        return Result(stdout, stderr, None, End.TOO_MUCH_OUTPUT, seconds)
    if how == "timeout":
        return Result(stdout, stderr, None, End.TIMED_OUT, seconds)
    if how == "stopped":
        return Result(stdout, stderr, KILLED, End.SIGNALLED, seconds)
    end = End.SIGNALLED if status < 0 else End.EXITED
    # The kernel holds the limit by counting ticks, and reports time that it has measured.
    if status == KILLED and cpu >= max(1, math.ceil(limits.cpu)) / 2:
        end = End.CPU_EXCEEDED
    elif status and any(word in stderr[-400:] for word in MEMORY_ERRORS):
        end = End.OUT_OF_MEMORY
    return Result(stdout, stderr, status, end, seconds)


class Process:
    """A running program; a context manager that leaves nothing of it behind.

    The time limits run from the start.  With a pipe to its standard input it is talked with: then
    the limit of the output is one of what has not been read yet, what has been read is forgotten,
    and so is all but the end of the standard error.  Not to be used by two threads at once.
    """

    def __init__(self, launch: Launch | OwnLaunch, limits: Limits, stdin: int | None) -> None:
        """Take over a start; ``stdin`` is a pipe to its standard input, if it has one."""
        assert launch.popen.stderr is not None
        self._launch = launch
        self._limits = limits
        self._stdin = stdin
        self._started = time.monotonic()
        self._deadline = self._started + limits.wall + STARTUP
        self._streams = Streams(
            launch.stdout,
            os.dup(launch.popen.stderr.fileno()),
            launch.control,
            limits.output,
            is_talk=stdin is not None,
        )
        launch.popen.stderr.close()
        self._result: Result | None = None
        if stdin is not None:
            os.set_blocking(stdin, False)

    def send(self, data: bytes, timeout: float | None = None) -> None:
        """Send bytes to the standard input.

        Raises TimeoutError if they are not taken within so many seconds, EOFError if the program
        has closed it or ended.
        """
        deadline = self._until(timeout)
        view = memoryview(data)
        while view:
            if self._is_over() or self._stdin is None:
                raise EOFError(f"nothing more can be sent: the program {self._state('input')}")
            try:
                view = view[os.write(self._stdin, view) :]
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise TimeoutError("the program does not read") from None
                self._streams.step(deadline - time.monotonic(), self._stdin)
            except BrokenPipeError:
                self.close_input()
                self._see_it_leave()

    def read_line(self, timeout: float | None = None) -> bytes:
        """Return the next line of the standard output, without its end.

        Raises TimeoutError if it is not there within so many seconds, EOFError if none comes any
        more; what stands before the end of the output without a line's end counts as a line.
        """
        try:
            line = self.read_until(b"\n", timeout)
        except EOFError:
            line = bytes(self._streams.stdout)
            if not line:
                raise
            self._streams.stdout.clear()
        return line.rstrip(b"\r\n")

    def read_until(
        self, wanted: bytes | Callable[[bytes], bool], timeout: float | None = None
    ) -> bytes:
        """Return the output up to and with some bytes, or as soon as a predicate accepts it.

        A function is asked about all that has not been read yet, whenever more has come.  Raises
        TimeoutError and EOFError as ``read_line`` does.
        """
        deadline = self._until(timeout)
        searched = 0
        output = self._streams.stdout
        while True:
            before = len(output)
            if isinstance(wanted, bytes):
                found = output.find(wanted, searched)
                end = found + len(wanted) if found >= 0 else -1
                searched = max(0, len(output) - len(wanted) + 1)
            else:
                end = len(output) if wanted(bytes(output)) else -1
            if end >= 0:
                break
            if self._is_over():
                if len(output) > before:
                    continue  # it came at the end
                raise EOFError(f"no more output: the program {self._state('output')}")
            if not self._streams.is_speaking:
                self._see_it_leave()
                if self._is_over():
                    continue
                raise EOFError(f"no more output: the program {self._state('output')}")
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("the program has not answered")
            self._streams.step(left)
        data = bytes(output[:end])
        del output[:end]
        return data

    @property
    def has_ended(self) -> bool:
        """Whether the program has ended, or had to be ended."""
        if self._result is None:
            self._streams.step(0)
        return self._is_over()

    def close_input(self) -> None:
        """Close the standard input: the program reads its end."""
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None

    def wait(self) -> Result:
        """Close the input, let the program run to its end or its limits, and return its result."""
        self.close_input()
        while not self._is_over():
            self._streams.step(self._deadline - time.monotonic())
        return self.close()

    def close(self) -> Result:
        """Kill the program if it still runs; return its result with the output that is kept."""
        if self._result is None:
            self.close_input()
            self._launch.stop()
            deadline = time.monotonic() + GRACE
            while self._streams.report is None and time.monotonic() < deadline:
                self._streams.step(deadline - time.monotonic())
            self._launch.end()
            self._streams.drain(GRACE)
            seconds = time.monotonic() - self._started
            self._result = result_of(self._streams, self._limits, seconds)
        return self._result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _until(self, timeout: float | None) -> float:
        return self._deadline if timeout is None else time.monotonic() + timeout

    def _is_over(self) -> bool:
        """Return whether the program has ended or has to; all its output is there then."""
        if self._result is not None:
            return True
        if (
            self._streams.is_full
            or self._streams.report is not None
            or time.monotonic() >= self._deadline
        ):
            self.close()
            return True
        return False

    def _see_it_leave(self) -> None:
        """Wait a little for the end of a program, whose pipes close before it is known."""
        deadline = time.monotonic() + LEAVING
        while self._streams.report is None and time.monotonic() < deadline:
            self._streams.step(deadline - time.monotonic())

    def _state(self, closed: str) -> str:
        if self._result is None:
            return f"has closed its {closed}"
        if self._result.end is End.EXITED:
            return f"exited with status {self._result.status}"
        return str(self._result.end.value)

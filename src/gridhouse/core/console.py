"""Running an exact program: its streams, the ends it can come to, its errors.

All five programs read with :func:`read_line` and write with ``print``, so that a test harness may
drive them over pipes or put its own functions in place of the built-in ones.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress

from gridhouse.core.errors import GridhouseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UTF16_LINES = tuple(mark.decode("utf-8", "surrogateescape") for mark in UTF16_MARKS)


class UsageError(ValueError):
    """A file or an argument that a program cannot use; the message is the line to print."""


def read_line(prompt: str = "") -> str:
    """Print the prompt, send all output on its way, and return the next line without its end.

    Raises EOFError at the end of input, and UsageError for UTF-16, of which no line can be read.
    """
    line = input(prompt)
    if line.startswith(UTF16_LINES) and "\0" in line:
        raise UsageError("standard input is UTF-16 text; it should be UTF-8")
    return line[:-1] if line.endswith("\r") else line


class Tokens:
    """The words of some lines, one at a time; a line is read when its words are needed."""

    def __init__(self, lines: Iterator[str] | None = None) -> None:
        """Read from these lines, or from standard input."""
        self._lines = _input_lines() if lines is None else lines
        self._words: Iterator[str] = iter(())

    def next(self) -> str:
        """Return the next word; raises EOFError when there is none."""
        while True:
            for word in self._words:
                return word
            line = next(self._lines, None)
            if line is None:
                raise EOFError
            self._words = iter(line.split())


def _input_lines() -> Iterator[str]:
    while True:
        yield read_line()


def read_text(name: str) -> str:
    """Return the text of a file, whatever its bytes; raises OSError, or ValueError for its name.

    A file is UTF-8, or UTF-16, which older versions of PowerShell write.
    """
    with open(name, "rb") as file:
        start = file.peek(2)[:2]
        if start in UTF16_MARKS:
            encoding = "utf-16"
        elif b"\0" in start and start != b"\0\0":  # one byte of an ASCII character is zero
            encoding = "utf-16-be" if start[0] == 0 else "utf-16-le"
        else:
            encoding = "utf-8-sig"
        errors = "surrogateescape" if encoding == "utf-8-sig" else "replace"
        with io.TextIOWrapper(file, encoding, errors) as text:
            return text.read()


def read_file(name: str) -> str:
    """Return the text of a file, whatever its bytes; raises UsageError if it cannot be read."""
    try:
        return read_text(name)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{name!r}: {reason}") from None


def run(program: Callable[[list[str]], int | None], arguments: list[str]) -> int:
    """Run a program and return its exit status.

    The end of input, a closed pipe and an interrupt end it quietly; a UsageError, output that
    cannot be written, or a machine without enough memory prints its line on standard error.
    """
    _prepare_streams()
    try:
        status = _run(program, arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = EXIT_INTERRUPTED
    except BrokenPipeError:
        status = 0
        _drop_output()
    except OSError as error:
        status = EXIT_USAGE
        _complain(f"standard output: {error.strerror}")
        _drop_output()
    return status


def _run(program: Callable[[list[str]], int | None], arguments: list[str]) -> int:
    try:
        return program(arguments) or 0
    except EOFError:
        return 0
    except (UsageError, GridhouseError, MemoryError) as error:
        sys.stdout.flush()
        is_full = isinstance(error, MemoryError)
        _complain("there is not enough memory" if is_full else str(error))
        return EXIT_USAGE


def _complain(line: str) -> None:
    with suppress(OSError):
        print(f"gridhouse: {line}", file=sys.stderr)


def _prepare_streams() -> None:
    """Let any bytes pass through the standard streams; one that is closed reads as empty."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            # A byte order mark may come in; none goes out.
            encoding = "utf-8-sig" if name == "stdin" else "utf-8"
            stream.reconfigure(encoding=encoding, errors="surrogateescape")


def _drop_output() -> None:
    """Send what is still unwritten nowhere: nobody reads it, and the interpreter would complain."""
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())

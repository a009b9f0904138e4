"""Running an exact program: its streams, its errors, and its exit status.

All five programs read with :func:`read_line` and write with ``print``, so that a test harness can
use pipes or replace the built-in functions.
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
    from pathlib import Path

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UTF16_LINES = tuple(mark.decode("utf-8", "surrogateescape") for mark in UTF16_MARKS)


class UsageError(ValueError):
    """A file or an argument that a program cannot use; the message is the line to print."""


def read_line(prompt: str = "") -> str:
    """Print the prompt, flush all output, and return the next line without its end.

    Raises EOFError at the end of input, and UsageError for UTF-16, whose lines cannot be read.
    """
    line = input(prompt)
    if line.startswith(UTF16_LINES) and "\0" in line:
        raise UsageError("standard input is UTF-16 text; it should be UTF-8")
    return line[:-1] if line.endswith("\r") else line


class Tokens:
    """The words of lines, one at a time; a line is read when its words are needed."""

    def __init__(self, lines: Iterator[str] | None = None) -> None:
        """Read from these lines, or from standard input."""
        self._lines = _input_lines() if lines is None else lines
        self._words: Iterator[str] = iter(())

    def next(self) -> str:
        """Return the next word; raise EOFError if there is none."""
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
    """Return the text of a file with any bytes; raise OSError, or ValueError for its name.

    The encoding is UTF-8, or UTF-16, which older versions of PowerShell write.
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
    """Return the text of a file with any bytes; raise UsageError if it cannot be read."""
    try:
        return read_text(name)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{name!r}: {reason}") from None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; raises UsageError."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise UsageError(f"{str(path)!r}: {error.strerror}") from None


def run(program: Callable[[list[str]], int | None], arguments: list[str]) -> int:
    """Run a program and return its exit status.

    The end of input, a closed pipe and an interrupt end it silently.  A UsageError, output that
    cannot be written, a file that fails, and a lack of memory print a line on standard error.
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
        _print_error(_reason(error))
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
        _print_error("there is not enough memory" if is_full else str(error))
        return EXIT_USAGE


def _reason(error: OSError) -> str:
    """Return the line of an error: what the system refuses has a number, a stream no name."""
    if error.errno is None:
        return str(error)
    place = "standard output" if error.filename is None else repr(error.filename)
    return f"{place}: {error.strerror}"


def _print_error(line: str) -> None:
    with suppress(OSError):
        print(f"gridhouse: {line}", file=sys.stderr)


def _prepare_streams() -> None:
    """Make the standard streams accept any bytes; a closed stream reads as empty."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        # Input may have a byte order mark; output has none.
        wanted = ("utf-8-sig" if name == "stdin" else "utf-8", "surrogateescape")
        # Not twice: input of which something was read, as an answer to a question, refuses it.
        if hasattr(stream, "reconfigure") and (stream.encoding, stream.errors) != wanted:
            stream.reconfigure(encoding=wanted[0], errors=wanted[1])


def _drop_output() -> None:
    """Discard unwritten output: nobody reads it, and the interpreter would report an error."""
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())

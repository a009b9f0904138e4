"""How programs end: quietly at the end of input, on a closed pipe and on an interrupt."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import pytest

from gridhouse.core import console
from harness import PROGRAMS, run_here

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPTS = {
    "binary": "binary/a1.py",
    "collapse": "collapse/assignment3.py",
    "sinks": "sinks/sinks.py",
    "sliding": "sliding/a1.py",
    "tactego": "tactego/tactego.py",
}


@pytest.fixture(params=sorted(SCRIPTS))
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the command of each program, with the arguments it needs."""
    board = tmp_path_factory.mktemp("board") / "board.txt"
    board.write_text("1 1\n1 2\n" * 100)
    arguments = {"collapse": [str(board)], "sinks": ["10", "10", "0"]}
    script = PROGRAMS / SCRIPTS[request.param]
    return [sys.executable, "-S", os.fspath(script), *arguments.get(request.param, [])]


RUBBISH = [
    b"",
    b"\n" * 50,
    b"\x00" * 100 + b"\n" + b"\x00 \x00 \x00\n",
    b"\xff\xfe\xc3\x28 \xf0\n" * 20,
    b"9" * 5000 + b" " + b"9" * 5000 + b" l\n",
    b"x" * 1_000_000 + b"\n",
    b"1 " * 500_000 + b"\n",
    b"\r\n\t \x0b\x0c\x1c\x85\n",
    "٣ ² ½ \u2028 \u202e ß\n".encode(),
    b"# # #\n#\n1 2 3\n",
]


def test_a_command_runs_another_after_a_question() -> None:
    code = (
        "from gridhouse.core.console import run\n"
        "run(lambda _: bool(input()) and run(lambda _: print('done'), []), [])"
    )
    done = subprocess.run([sys.executable, "-c", code], input="y\n", capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_an_error_without_a_number_is_said_in_its_own_words() -> None:
    code = (
        "from gridhouse.core.console import run\n"
        "def fail(_): raise OSError('AF_UNIX path too long')\n"
        "raise SystemExit(run(fail, []))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.endswith(": AF_UNIX path too long\n")
    assert "output" not in done.stderr
    assert done.returncode == 2


def test_a_folder_in_which_no_process_can_be_started_is_said(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 25)  # the path of a socket has some hundred characters at most
    folder.mkdir()
    code = (
        "from gridhouse.core.console import run\n"
        "from gridhouse.core.processes import preloaded\n"
        "run(lambda _: preloaded('json'), [])"
    )
    env = {**os.environ, "TMPDIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stderr.endswith(": processes cannot be started: AF_UNIX path too long\n")


@pytest.mark.parametrize("typed", RUBBISH, ids=range(len(RUBBISH)))
def test_rubbish_never_ends_in_a_traceback(command: list[str], typed: bytes) -> None:
    done = subprocess.run(command, input=typed, capture_output=True, timeout=60, check=False)
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 2)
    if done.returncode == 2:
        assert done.stderr.count(b"\n") == 1
        assert len(done.stderr) < 1000


SESSIONS = {
    "binary": "game 3 2\nplay 0 0 1\ntimelimit 1\nsolve\nshow\nlegal 1 0 0\nwinner\nexit\n",
    "collapse": "1 1\n1 x\n3 2\n",
    "sinks": "s 2 1 3 x 0 0\nl a 3 3 d b 6 6 #\n6 6 f 0 5 b 3 3 l\n3 2 u\n",
    "sliding": "2\nU\nL\nH\nGU\ny\n3\nGU\nn\n",
    "tactego": "seed\n{pieces}\n3\n2\n0 0\n1 0\n2 0\n1 1\n",
}


@pytest.mark.parametrize("name", sorted(SESSIONS))
def test_input_may_end_at_every_byte(name: str, tmp_path: Path) -> None:
    board, pieces = tmp_path / "board", tmp_path / "p"
    board.write_text("1 1\n1 2\n2 1\n")
    pieces.write_text("F 1\n5 1\n")
    typed = SESSIONS[name].format(pieces=pieces)
    program = importlib.import_module(f"gridhouse.games.{name}.program").main
    arguments = {"collapse": [str(board)], "sinks": ["10", "10", "0"]}.get(name, [])
    for end in range(len(typed) + 1):
        run = run_here(program, *arguments, typed=typed[:end])
        # A file name, a size or a command that is cut may be refused, in a line.
        assert run.err.count("\n") <= (1 if name in ("binary", "tactego") else 0)
        assert run.status in ((0, 2) if name == "tactego" else (0,))


def test_a_closed_input_is_the_end_of_input(command: list[str]) -> None:
    shell = ["sh", "-c", 'exec "$@" <&-', "sh", *command]
    done = subprocess.run(shell, capture_output=True, timeout=60, check=False)
    assert (done.stderr, done.returncode) == (b"", 0)


class Piped(NamedTuple):
    """A running program and its three streams."""

    process: subprocess.Popen[bytes]
    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]


@contextmanager
def piped(command: list[str]) -> Iterator[Piped]:
    """Start a program with pipes for its streams."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        yield Piped(process, process.stdin, process.stdout, process.stderr)


def test_a_closed_pipe_ends_a_program_quietly(command: list[str]) -> None:
    with piped(command) as run:
        run.stdout.close()
        with suppress(BrokenPipeError):
            run.stdin.write(b"game 2 2\nshow\n# 1 1\n" * 20_000)
            run.stdin.close()
        assert b"Traceback" not in run.stderr.read()
        assert run.process.wait(60) in (0, 2)


def test_an_interrupt_ends_a_program_quietly(command: list[str]) -> None:
    with piped(command) as run:
        if "a1.py" in command[2] or "sinks" in command[2]:  # these wait for a first line
            run.stdin.write(b"game 2 2\n" if "binary" in command[2] else b"l a 3 3 #\n")
            run.stdin.flush()
        assert run.stdout.read(1)
        for _ in range(60):  # a signal just before a read blocks is seen with the next one
            run.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                run.process.wait(1)
                break
        assert run.process.returncode == console.EXIT_INTERRUPTED
        assert run.stderr.read() == b""


def test_output_that_cannot_be_written_is_told_in_a_line(command: list[str]) -> None:
    typed = b"game 2 2\nshow\n" if "binary" in command[2] else b"l a 3 3 #\n"
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, input=typed, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert done.stderr == b"gridhouse: standard output: No space left on device\n"
    assert done.returncode == console.EXIT_USAGE


def test_a_file_that_fails_is_named() -> None:
    def program(arguments: list[str]) -> None:
        Path("no/such/file").read_text()

    run = run_here(program)
    assert run.err == "gridhouse: 'no/such/file': No such file or directory\n"
    assert run.status == console.EXIT_USAGE


def test_a_byte_order_mark_is_passed_over() -> None:
    def first(arguments: list[str]) -> None:
        print(console.read_line())

    assert run_here(first, typed=b"\xef\xbb\xbfgame 2 2\n").out == "game 2 2\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_files_of_other_makes_are_read(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    for text in ("1 2\r\n3 ä\r\n", "1", ""):
        file.write_bytes(text.encode(encoding))
        assert console.read_file(str(file)) == text.replace("\r", "")
    file.write_bytes(b"1\x00\xff")
    assert console.read_file(str(file))[0] == "1"


def test_typed_utf_16_is_told_by_its_name() -> None:
    def first(arguments: list[str]) -> None:
        print(console.read_line())

    said = "gridhouse: standard input is UTF-16 text; it should be UTF-8\n"
    for mark, encoding in zip(console.UTF16_MARKS, ("utf-16-le", "utf-16-be"), strict=True):
        assert run_here(first, typed=mark + "game 2 2\n".encode(encoding)) == ("", said, 2)
    assert run_here(first, typed=b"\xff\xfegame\n").status == 0


def test_an_interrupt_in_a_harness_is_quiet_too() -> None:
    def interrupted(arguments: list[str]) -> None:
        print("begun")
        raise KeyboardInterrupt

    assert run_here(interrupted) == ("begun\n", "", console.EXIT_INTERRUPTED)

    def unread(arguments: list[str]) -> None:
        raise BrokenPipeError

    assert run_here(unread) == ("", "", 0)


def test_no_program_needs_anything_heavy(command: list[str]) -> None:
    looks = (
        "import sys, runpy, io; sys.argv = sys.argv[1:]; sys.stdin = io.StringIO('');"
        "\ntry:\n    runpy.run_path(sys.argv[0], run_name='__main__')"
        "\nexcept SystemExit: pass"
        "\nheavy = {'numpy', 'numba', 'typer', 'rich', 'click', 'pygame', 'tkinter', 'asyncio'}"
        "\nprint(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", looks, *command[2:]], capture_output=True, timeout=60, check=False
    )
    assert done.stderr == b"[]\n"


def test_a_usage_error_is_a_line_on_standard_error() -> None:
    def fail(arguments: list[str]) -> None:
        print("said before")
        raise console.UsageError(f"{arguments[0]!r} is wrong")

    assert run_here(fail, "\udcff") == ("said before\n", "gridhouse: '\\udcff' is wrong\n", 2)


def test_too_little_memory_is_a_line_on_standard_error() -> None:
    def fail(_: list[str]) -> None:
        print("said before")
        raise MemoryError

    assert run_here(fail) == ("said before\n", "gridhouse: there is not enough memory\n", 2)


def test_the_status_of_a_program_is_passed_on() -> None:
    assert run_here(lambda arguments: None).status == 0
    tokens = []

    def read_two(arguments: list[str]) -> None:
        words = console.Tokens()
        tokens.extend([words.next(), words.next(), words.next()])

    assert run_here(read_two, typed="one\r\n\n  two").status == 0
    assert tokens == []
    assert run_here(read_two, typed="one\r\n\n  two three").status == 0
    assert tokens == ["one", "two", "three"]

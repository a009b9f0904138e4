"""Programs to talk with, and what a sandbox refuses."""

from __future__ import annotations

import os
import statistics
import threading
import time
from typing import TYPE_CHECKING

import pytest

from gridhouse.sandbox import (
    End,
    Kind,
    Limits,
    Sandbox,
    SandboxError,
    kinds,
    start_own,
    strongest,
)
from gridhouse.sandbox import sandbox as sandbox_module
from sandbox_helpers import python_for

if TYPE_CHECKING:
    from pathlib import Path

    from sandbox_helpers import Attempts

ENGINE = """
import sys
for line in sys.stdin:
    word = line.strip()
    if word == "quit":
        sys.exit(4)
    if word == "die":
        raise ValueError("as asked")
    if word == "flood":
        while True:
            print("x" * 1000)
    if word == "sleep":
        import time
        time.sleep(20)
    sys.stderr.write("e" * 1000)
    print(word.upper(), flush=True)
"""
COMMAND = ["python3", "main.py"]


@pytest.fixture
def sandbox(strongest: Attempts) -> Sandbox:
    strongest.write(ENGINE)
    return strongest.sandbox(Limits(wall=8, output=200_000))


def test_lines(sandbox: Sandbox) -> None:
    with sandbox.start(COMMAND) as engine:
        for number in range(150):  # more on the standard error than a pipe holds
            engine.send(b"go %d\n" % number)
            assert engine.read_line(5) == b"GO %d" % number
        engine.send(b"a\nb\nc\n")
        assert engine.read_until(b"B\n", 5) == b"A\nB\n"
        assert engine.read_until(lambda data: data.endswith(b"C\n"), 5) == b"C\n"
        engine.send(b"quit\n")
        with pytest.raises(EOFError, match="exited with status 4"):
            engine.read_line(5)
    result = engine.close()
    assert (result.status, result.end, len(result.stderr)) == (4, End.EXITED, 153_000)


def test_long_conversation(sandbox: Sandbox) -> None:
    """The limit is one of what has not been read; of the standard error the end is kept."""
    with sandbox.start(COMMAND) as engine:
        for number in range(450):
            word = b"%03d" % number + 500 * b"x"
            engine.send(word + b"\n")
            assert engine.read_line(5) == word.upper()
    result = engine.close()
    assert (result.stdout, len(result.stderr)) == (b"", 200_000)


@pytest.mark.parametrize("is_own", [False, True])
def test_closed_output(kind: Kind, submission: str, is_own: bool) -> None:
    """A program that closes its output but lives is told from one that ends."""
    command = ["sh", "-c", "exec 1>&-; sleep 60"]
    sandbox = Sandbox(submission, python=python_for(kind), kind=kind)
    with start_own(command) if is_own else sandbox.start(command) as engine:
        with pytest.raises(EOFError, match="has closed its output"):
            engine.read_line(5)
        assert not engine.has_ended


def test_own_program(submission: str) -> None:
    with start_own(["sh", "-c", "pwd; read line; exit 3"], folder=submission) as engine:
        assert engine.read_line(5) == os.path.realpath(submission).encode()
        engine.send(b"\n")
        with pytest.raises(EOFError, match="exited with status 3"):
            engine.read_line(5)
    with pytest.raises(SandboxError, match="no-such-program: No such file"):
        start_own(["no-such-program"])


def test_silence(sandbox: Sandbox) -> None:
    with sandbox.start(COMMAND) as engine:
        with pytest.raises(TimeoutError):
            engine.read_line(0.1)
        engine.send(b"sleep\n")
        with pytest.raises(TimeoutError):
            engine.send(bytes(1 << 20), 0.1)
    assert engine.close().status == -9


def test_end_of_input(sandbox: Sandbox) -> None:
    engine = sandbox.start(COMMAND)
    engine.send(b"last\n")
    result = engine.wait()
    assert (result.stdout, result.status) == (b"LAST\n", 0)
    with pytest.raises(EOFError):
        engine.send(b"x")


def test_crash(sandbox: Sandbox) -> None:
    with sandbox.start(COMMAND) as engine:
        engine.send(b"die\n")
        with pytest.raises(EOFError, match="exited with status 1"):
            engine.read_line(5)
    assert engine.close().stderr.endswith(b"ValueError: as asked\n")


def test_flood(sandbox: Sandbox) -> None:
    with sandbox.start(COMMAND) as engine:
        engine.send(b"flood\n")
        with pytest.raises(EOFError, match="wrote too much"):
            engine.read_until(b"never", 5)
        assert len(engine.read_line()) == 1000  # what has come is there to be read
    assert engine.close().end is End.TOO_MUCH_OUTPUT


def test_wall_of_a_conversation(strongest: Attempts) -> None:
    """The program is killed when its time is over, though nobody asks for it."""
    strongest.write(ENGINE)
    with strongest.sandbox(Limits(wall=0.3)).start(COMMAND) as engine:
        time.sleep(0.45)
        with pytest.raises(EOFError):
            engine.read_line(1)
    assert engine.close().end is End.TIMED_OUT


def test_line_costs_little(sandbox: Sandbox) -> None:
    with sandbox.start(COMMAND) as engine:
        times = []
        for _ in range(50):
            started = time.perf_counter()
            engine.send(b"go\n")
            engine.read_line(5)
            times.append(time.perf_counter() - started)
    assert statistics.median(times) < 0.002  # 0.05 ms on an idle machine


def test_started_by_a_thread_that_ends(sandbox: Sandbox) -> None:
    started = []

    def start() -> None:
        engine = sandbox.start(COMMAND)
        engine.send(b"first\n")
        engine.read_line(5)
        started.append(engine)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    time.sleep(0.1)
    with started[0] as engine:
        engine.send(b"there\n")
        assert engine.read_line(5) == b"THERE"


def test_unknown_command(sandbox: Sandbox) -> None:
    result = sandbox.run(["no-such-program"])
    assert (result.end, result.status) == (End.FAILED, None)
    assert result.message == "no-such-program: No such file or directory"


def test_signalled(sandbox: Sandbox) -> None:
    result = sandbox.run(["sh", "-c", "kill -SEGV $$"])
    assert (result.end, result.status) == (End.SIGNALLED, -11)


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", ".", ""])
def test_file_elsewhere(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(SandboxError):
        sandbox.run(["true"], files={name: b""})


def test_given_file_hides_a_file_of_the_submission(sandbox: Sandbox) -> None:
    assert sandbox.run(["cat", "main.py"], files={"main.py": b"given"}).stdout == b"given"
    assert sandbox.run(["cat", "main.py"]).stdout == ENGINE.encode()


def test_private_folder(sandbox: Sandbox, submission: str) -> None:
    """A submission that only its owner can read can run."""
    os.chmod(os.path.join(submission, "main.py"), 0o600)
    os.chmod(submission, 0o700)
    again = Sandbox(submission, kind=sandbox.kind)
    assert again.run(COMMAND, b"quit\n").status == 4
    assert os.stat(submission).st_mode & 0o777 == 0o700


def test_unsafe_is_refused(submission: str) -> None:
    with pytest.raises(SandboxError, match="no safe sandbox: file system"):
        Sandbox(submission, kind=Kind.PLAIN, require=True)


def test_no_folder(submission: str) -> None:
    with pytest.raises(SandboxError, match="not a folder"):
        Sandbox(os.path.join(submission, "nothing"))


def test_no_interpreter(submission: str) -> None:
    with pytest.raises(SandboxError, match="cannot be used"):
        Sandbox(submission, python="/no/python")


def test_without_bubblewrap(submission: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", submission)
    sandbox_module.works.cache_clear()
    try:
        assert Kind.BUBBLEWRAP not in kinds()
        assert strongest() is kinds()[0]
        with pytest.raises(SandboxError, match="bwrap"):
            Sandbox(submission, kind=Kind.BUBBLEWRAP).run(["true"])
    finally:
        sandbox_module.works.cache_clear()


def test_description(sandbox: Sandbox) -> None:
    lines = sandbox.describe().splitlines()
    assert lines[0] == f"walls: {sandbox.kind.value}"
    assert len(lines) == 11
    plain = Sandbox(sandbox.folder, kind=Kind.PLAIN).describe()
    assert "file system: NOT KEPT, opens whatever its user may" in plain


def test_programs_do_not_run_without_posix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridhouse.sandbox.sandbox.os.name", "nt")
    with pytest.raises(SandboxError, match="on Linux and macOS only"):
        Sandbox(tmp_path)

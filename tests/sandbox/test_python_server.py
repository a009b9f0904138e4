"""Sessions in forks have the results that starts have, and know nothing of each other."""

from __future__ import annotations

import os
import re

import pytest

import pythons
from gridhouse.sandbox import End, Kind, Limits, PythonServer, Result, Sandbox
from gridhouse.sandbox.walls import changes_user
from sandbox_helpers import LIMITS, Attempts

with open(os.path.join(os.path.dirname(__file__), "sessions.txt"), encoding="utf-8") as file:
    PARTS = [part.partition("\n") for part in file.read().split("=== ")[1:]]
SESSIONS = {name: script for name, _, script in PARTS} | {"null": "print('a')\n\0"}
TYPED = b"one\r\ntwo\rthree\n\xff\n"
FILES = {"given.txt": b"given"}


def comparable(result: Result) -> tuple[bytes, bytes, int | None, End]:
    """Return a result without addresses and ids, which differ from start to start."""
    outputs = []
    for output in (result.stdout, result.stderr):
        output = re.sub(rb"0x[0-9a-f]+", b"0x", output)
        outputs.append(re.sub(rb"gridhouse-scratch-\w+", b"scratch", output))
    return outputs[0], outputs[1], result.status, result.end


def put(folder: str, name: str, text: str) -> None:
    encoding = "latin-1" if text.startswith("# coding") else "utf-8"
    with open(f"{folder}/{name}", "w", encoding=encoding) as file:
        file.write(text)


@pytest.mark.parametrize("name", SESSIONS)
def test_same_results(strongest: Attempts, name: str) -> None:
    folder = strongest.folder
    put(folder, "main.py", SESSIONS[name])
    put(folder, "helper.py", "VALUE = 5")
    put(folder, "broken.py", "if")
    put(folder, "data.txt", "data")
    sandbox = strongest.sandbox()
    with PythonServer(sandbox, "main.py") as server:
        forked = [server.run(["a", "b"], TYPED, FILES) for _ in range(2)]
        refused = ("syntax-error", "indentation", "null")
        assert (server.refusal is not None) == (name in refused)
        assert server.starts == 1
    started = sandbox.run([sandbox.python.executable, "main.py", "a", "b"], TYPED, FILES)
    assert comparable(forked[0]) == comparable(started)
    assert comparable(forked[1]) == comparable(started)


@pytest.mark.parametrize("version", pythons.able())
def test_other_interpreters(submission: str, version: str) -> None:
    python = pythons.found()[version]
    sandbox = Sandbox(submission, python=python)
    script = "import sys\nprint(sys.version_info[:2], input('? '))\n" + SESSIONS["depth"]
    script += "\ndef g():\n    {}[1]\ng()"
    put(submission, "main.py", script)
    with PythonServer(sandbox, "main.py") as server:
        forked = server.run((), b"a\n")
        assert server.refusal is None
    started = sandbox.run([sandbox.python.executable, "main.py"], b"a\n")
    assert started.stdout.startswith(f"? ({version.replace('.', ', ')}) a\n".encode())
    assert comparable(forked) == comparable(started)


def test_nothing_leaks(strongest: Attempts) -> None:
    script = """
import builtins, math, os, random, sys
print(hasattr(builtins, "left"), math.pi, os.environ.get("LEFT"), "LEFT" in globals(),
      "left" in sys.modules, os.listdir("."), os.getcwd(), sys.argv, sys.getrecursionlimit())
sys.stderr.write(str(random.random()))
LEFT = builtins.left = math.pi = 3
os.environ["LEFT"] = "3"
sys.modules["left"] = sys
sys.argv.append("left")
sys.setrecursionlimit(5000)
open("left", "w").close()
os.mkdir("folder")
os.umask(0o777)
"""
    session = strongest.session(script)
    first, *others = [session() for _ in range(3)]
    assert first.stdout.startswith(b"False 3.14")
    assert {other.stdout for other in others} == {first.stdout}
    assert len({result.stderr for result in (first, *others)}) == 3  # each has its own chance


KILLER = """
import os, signal, sys
if input() == "kill":
    for pid in (os.getppid(), 1, 2):
        for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGINT, signal.SIGCHLD):
            if pid > 0 and (pid > 2 or PIDS):
                try:
                    os.kill(pid, number)
                except OSError:
                    pass
print("lives")
"""


def test_kills_its_parent(kind: Kind, submission: str) -> None:
    attempts = Attempts(kind, True, submission)
    isolated = kind in (Kind.BUBBLEWRAP, Kind.NAMESPACES)
    attempts.write(KILLER.replace("PIDS", str(isolated)))
    sandbox = attempts.sandbox(LIMITS)
    kept = next(wall for wall in sandbox.walls() if wall.name == "other processes").stands
    with PythonServer(sandbox, "main.py") as server:
        assert server.run((), b"no\n").stdout == b"lives\n"
        killed = server.run((), b"kill\n")
        assert server.run((), b"no\n").stdout == b"lives\n"
        assert server.run((), b"no\n").end is End.EXITED
        if kept:
            assert (killed.stdout, killed.end) == (b"lives\n", End.EXITED)
            assert server.starts == 1
        else:
            assert killed.end is End.FAILED
            assert server.starts == 2


FORGER = """
import ctypes, os, sys
if input() == "forge":
    for file in range(1024):
        try:
            os.write(file, b"ended 0 0.0 0.0\\n")
        except OSError:
            pass
    for pid in (os.getppid(), 1, 2):
        for name in ("mem", "fd", "environ"):
            try:
                print(open(f"/proc/{pid}/{name}", "r+b").read(8) if name == "mem"
                      else os.listdir(f"/proc/{pid}/fd") if name == "fd"
                      else open(f"/proc/{pid}/environ").read(), "read")
            except OSError:
                pass
        print(ctypes.CDLL(None).ptrace(16, pid, None, None))
    sys.exit(9)
sys.exit(4)
"""


def test_forges_results(kind: Kind, submission: str) -> None:
    attempts = Attempts(kind, True, submission)
    attempts.write(FORGER)
    with PythonServer(attempts.sandbox(), "main.py") as server:
        forged = server.run((), b"forge\n")
        assert forged.status == 9
        assert b"read" not in forged.stdout
        if server.sandbox.python.filters:
            assert forged.stdout.count(b"-1\n") == 3
        assert [server.run((), b"\n").status for _ in range(3)] == [4, 4, 4]
        assert server.starts == 1


def test_user_of_its_own(strongest: Attempts) -> None:
    sandbox = strongest.sandbox()
    if not changes_user(sandbox.kind, sandbox.python):
        pytest.skip("only root can give programs a user of their own")
    result = strongest.run("import os\nprint(os.getresuid(), os.getresgid(), os.getgroups())")
    user, group, groups = eval(
        f"({result.stdout.decode().replace(') (', '),(').replace(') [', '),[')})"
    )
    assert groups == []
    assert len({*user, *group}) == 1
    assert user[0] >= 61_000


def test_server_that_dies_is_started_again(strongest: Attempts) -> None:
    strongest.write("print('ok')")
    with PythonServer(strongest.sandbox(), "main.py") as server:
        assert server.run().stdout == b"ok\n"
        assert server._launch is not None
        server._launch.popen.kill()
        server._launch.popen.wait()
        assert server.run().end is End.FAILED
        assert server.run().stdout == b"ok\n"
        assert server.starts == 2


def test_limits_after_each_other(strongest: Attempts) -> None:
    script = """
import time
word = input()
if word == "sleep":
    time.sleep(9)
while word == "flood":
    print("x" * 1000)
print("ok")
"""
    session = strongest.session(script, Limits(wall=0.4, output=5000))
    for word, end in (
        ("ok", End.EXITED),
        ("sleep", End.TIMED_OUT),
        ("flood", End.TOO_MUCH_OUTPUT),
        ("flood", End.TOO_MUCH_OUTPUT),
        ("ok", End.EXITED),
    ):
        assert session((), word.encode()).end is end


def test_large_files_and_input(strongest: Attempts) -> None:
    script = "import os, sys\nprint(os.path.getsize('a'), len(sys.stdin.read()))"
    session = strongest.session(script)
    size = 6 << 20
    for _ in range(2):
        assert session((), b"x" * size, {"a": bytes(size)}).stdout == b"%d %d\n" % (size, size)

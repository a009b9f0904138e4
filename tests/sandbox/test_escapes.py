"""One real attempt at each wall, by each way to run a program and behind each kind of walls."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from gridhouse.sandbox import End, Kind, Limits, Sandbox, SandboxError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sandbox_helpers import Attempts

MIB = 1 << 20
DYING = 3.0  # seconds
SECRET = "the-reference-solution"
NAMED = """
import ctypes, os, signal, sys, time
ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)
"""


def alive(name: str) -> list[str]:
    """Return the processes of this machine that call themselves so and stay alive.

    One that was killed may take a moment to die on a busy machine.
    """
    deadline = time.monotonic() + DYING
    while (found := named(name)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def named(name: str) -> list[str]:
    """Return the processes of this machine that call themselves so."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                line = file.read()
        except OSError:
            continue
        if f"({name})" in line and line.rpartition(")")[2].split()[0] != "Z":
            found.append(pid)
    return found


@pytest.fixture
def name() -> str:
    return f"gh-{os.urandom(5).hex()}"


@pytest.fixture
def neighbour() -> Iterator[subprocess.Popen[bytes]]:
    """Start a process of the same user, with a secret in its environment."""
    environment = {**os.environ, "TOKEN": SECRET}
    with subprocess.Popen(["sleep", "20"], env=environment) as process:
        yield process
        process.kill()


def test_processes_are_few(attempts: Attempts, name: str) -> None:
    attempts.need("number of processes")
    script = """
count = 1
try:
    while count < 60:
        if os.fork() == 0:
            signal.pause()
        count += 1
except OSError:
    pass
print(count)
"""
    result = attempts.run(NAMED + script, name, limits=Limits(processes=8))
    assert 8 <= int(result.stdout) < 14
    assert not alive(name)


def test_fork_bomb(attempts: Attempts, name: str) -> None:
    attempts.need("number of processes")
    script = """
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
    result = attempts.run(NAMED + script, name, limits=Limits(wall=0.3))
    assert result.end is End.TIMED_OUT
    assert result.seconds < 2
    assert not alive(name)


def test_memory(attempts: Attempts) -> None:
    script = "print('before', flush=True)\nhog = bytearray(1 << 30)\nprint('after')"
    result = attempts.run(script, limits=Limits(memory=256 * MIB))
    assert result.stdout == b"before\n"
    assert result.end is End.OUT_OF_MEMORY


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output(attempts: Attempts, stream: str) -> None:
    script = f"import sys\nwhile True:\n    sys.{stream}.write('x' * 1000)\n"
    result = attempts.run(script, limits=Limits(wall=5, output=100_000))
    assert result.end is End.TOO_MUCH_OUTPUT
    assert getattr(result, stream) == b"x" * 100_000
    assert result.seconds < 4


def test_endless_loop(attempts: Attempts, name: str) -> None:
    script = """
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGXCPU, signal.SIGHUP, signal.SIGALRM):
    signal.signal(number, signal.SIG_IGN)
print("so far", flush=True)
while True:
    pass
"""
    result = attempts.run(NAMED + script, name, limits=Limits(wall=0.3))
    assert result.end is End.TIMED_OUT
    assert result.stdout == b"so far\n"
    assert 0.3 <= result.seconds < 2
    assert not alive(name)


def test_time_of_the_processor(attempts: Attempts) -> None:
    if attempts.kind is not Kind.PLAIN or not attempts.is_forked:
        pytest.skip("the limit is the same everywhere, and takes a second to reach")
    script = """
import signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True:
    pass
"""
    result = attempts.run(script, limits=Limits(wall=8, cpu=0.5))
    assert result.end is End.CPU_EXCEEDED


def test_secret_files(attempts: Attempts, folder: str) -> None:
    attempts.need("file system")
    with open(os.path.join(folder, "secret"), "w") as file:
        file.write(SECRET)
    script = """
import os, sys
for path in sys.argv[1:]:
    for reads in (lambda: open(path).read(), lambda: os.listdir(path)):
        try:
            print("read", path, reads())
        except OSError:
            pass
for path in ("/proc/1/root", "/proc/self/root", f"/proc/{os.getppid()}/root"):
    try:
        print("read", open(path + sys.argv[1]).read())
    except OSError:
        pass
"""
    here = os.path.abspath(__file__)
    result = attempts.run(script, file.name, folder, here, "/etc/passwd", "/var/log")
    assert (result.stdout, result.status) == (b"", 0)


def test_home(attempts: Attempts) -> None:
    """What of it is seen leads to the interpreter."""
    attempts.need("file system")
    home = os.path.expanduser("~")
    script = (
        "import os, sys\ntry:\n    print(*os.listdir(sys.argv[1]), sep='\\n')\nexcept OSError:\n"
    )
    seen = attempts.run(script + "    pass", home).stdout.decode().split()
    paths = [os.path.join(home, name) for name in seen]
    assert all(any(f.startswith(p) for f in attempts.sandbox().python.folders) for p in paths)


def test_writing(attempts: Attempts, folder: str) -> None:
    attempts.need("file system")
    places = ["/usr", "/var/tmp", "/dev/shm", "/tmp", folder, attempts.folder, os.getcwd(), "/"]
    script = """
import os, sys
for place in [*sys.argv[2:], os.path.dirname(os.path.realpath("main.py")), "."]:
    try:
        open(os.path.join(place, sys.argv[1]), "w").write("was here")
        print(place)
    except OSError:
        pass
for act in (
    lambda: open("main.py", "a").write("#"),
    lambda: os.chmod("main.py", 0o700),
    lambda: os.chmod(os.open("main.py", os.O_RDONLY), 0o700),
    lambda: os.utime("main.py", (1, 1)),
    lambda: os.truncate("main.py", 0),
    lambda: os.unlink(os.path.realpath("main.py")),
):
    try:
        act()
    except OSError:
        pass
"""
    mark = f"gh-{os.urandom(5).hex()}"
    session = attempts.session(script)
    before = os.stat(os.path.join(attempts.folder, "main.py"))
    written = set(session((mark, *places)).stdout.decode().split())
    own = {"/tmp", "/dev/shm"} if attempts.kind in (Kind.BUBBLEWRAP, Kind.NAMESPACES) else set()
    assert {"."} <= written <= own | {"."}  # with its own names for the scratch folder
    assert not [place for place in places if os.path.exists(os.path.join(place, mark))]
    with open(os.path.join(attempts.folder, "main.py")) as file:
        assert file.read() == script
    after = os.stat(file.name)
    assert (after.st_mode, after.st_mtime) == (before.st_mode, before.st_mtime)


def test_network(attempts: Attempts) -> None:
    attempts.need("network")
    script = """
import socket, sys
port = int(sys.argv[1])
for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)),
    (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port)),
    (socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + sys.argv[2]),
):
    try:
        client = socket.socket(family, kind)
        client.settimeout(0.3)
        client.connect(address)
        client.send(b"it is out")
        print("reached", address)
    except OSError:
        pass
"""
    name = f"gh-{os.urandom(5).hex()}"
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        socket.socket(socket.AF_UNIX) as local,
    ):
        port = listener.getsockname()[1]
        datagrams.bind(("127.0.0.1", port))
        local.bind("\0" + name)
        local.listen()
        attempts.run(script, str(port), name)
        for own in (listener, local):
            own.setblocking(False)
            with pytest.raises(BlockingIOError):
                own.accept()
        datagrams.setblocking(False)
        with pytest.raises(BlockingIOError):
            datagrams.recv(100)


def test_daemon(attempts: Attempts, name: str) -> None:
    script = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 256)
        while True:
            time.sleep(1)
    os._exit(0)
os.wait()
print("it lives on")
"""
    result = attempts.run(NAMED + script, name)
    assert result.stdout == b"it lives on\n"
    assert result.status == 0
    assert result.seconds < 2
    assert not alive(name)


def test_neighbours(attempts: Attempts, neighbour: subprocess.Popen[bytes]) -> None:
    attempts.need("other processes")
    script = """
import os, sys
for number in (9, 19):
    try:
        os.kill(int(sys.argv[1]), number)
        print("signalled")
    except OSError:
        pass
for pid in filter(str.isdigit, os.listdir("/proc") if os.access("/proc", os.R_OK) else []):
    try:
        print(open(f"/proc/{pid}/environ").read())
    except OSError:
        pass
"""
    result = attempts.run(script, str(neighbour.pid))
    assert b"signalled" not in result.stdout
    assert SECRET.encode() not in result.stdout
    assert neighbour.poll() is None


def test_environment(attempts: Attempts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    result = attempts.run("import os\nprint(sorted(os.environ))")
    settings = ["PYGAME_HIDE_SUPPORT_PROMPT", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"]
    expected = ["HOME", "LANG", "PATH", *settings, "SDL_VIDEODRIVER"]
    assert result.stdout.decode() == f"{expected}\n"


def test_rights(attempts: Attempts) -> None:
    script = """
import ctypes, struct, subprocess, sys
def rights():
    data = ctypes.create_string_buffer(24)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.capget(ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0), 8), data)
    return struct.unpack("6I", data.raw), libc.prctl(39, 0, 0, 0, 0), libc.unshare(0x10000000)
if len(sys.argv) == 1:
    print(rights(), flush=True)
    subprocess.run([sys.executable, "main.py", "again"])
else:
    print(rights())
"""
    lines = attempts.run(script).stdout.decode().splitlines()
    denied = -1 if attempts.sandbox().python.filters else 0
    assert lines == [str(((0,) * 6, 1, denied))] * 2


def test_disk(attempts: Attempts) -> None:
    is_isolated = attempts.kind in (Kind.BUBBLEWRAP, Kind.NAMESPACES)
    script = """
import os, sys
def fill(names, size):
    total = 0
    try:
        for name in names:
            with open(name, "wb", buffering=0) as file:
                for _ in range(size):
                    total += file.write(bytes(1 << 20))
    except OSError:
        pass
    return total
print(fill(["one"], 40))
os.unlink("one")
print(fill(map(str, range(40)), 1))
made = 0
try:
    while made < int(sys.argv[1]):
        open(f"e{made}", "w").close()
        made += 1
except OSError:
    pass
print(made)
"""
    result = attempts.run(script, "6000" if is_isolated else "0", limits=Limits(disk=4 * MIB))
    one, many, made = map(int, result.stdout.split())
    assert 3 * MIB <= one <= 4 * MIB
    if is_isolated:
        assert 3 * MIB <= many <= 4 * MIB
        assert made < 5000


def test_pipes_closed(attempts: Attempts) -> None:
    script = "import os, time\nfor file in range(256):\n    try:\n        os.close(file)\n"
    script += "    except OSError:\n        pass\ntime.sleep(0.1)\nos._exit(3)"
    assert attempts.run(script).status == 3


def test_typed_and_never_read(attempts: Attempts) -> None:
    result = attempts.run("print('done')", typed=b"y\n" * (MIB // 2))
    assert (result.stdout, result.status) == (b"done\n", 0)


def test_read_beyond_the_end(attempts: Attempts) -> None:
    script = "import sys\nprint(len(sys.stdin.read()), flush=True)\ninput()"
    result = attempts.run(script, typed=b"y\n" * (MIB // 2))
    assert (result.stdout, result.status) == (f"{MIB}\n".encode(), 1)
    assert result.stderr.endswith(b"EOFError: EOF when reading a line\n")


def test_escape_codes(attempts: Attempts) -> None:
    codes = b"\x1b[2J\x1b]0;mine\x07\xff\x00"
    script = f"import sys\nsys.stdout.buffer.write({codes!r})"
    assert attempts.run(script).stdout == codes


def test_deletes_itself(attempts: Attempts) -> None:
    script = """
import os
for path in (os.path.realpath("main.py"), "main.py"):
    try:
        os.unlink(path)
    except OSError:
        pass
print(os.listdir("."))
"""
    attempts.need("file system")
    session = attempts.session(script)
    assert session().stdout == b"[]\n"
    assert session().stdout == b"[]\n"


def test_what_is_left_behind(attempts: Attempts) -> None:
    script = """
import os
print(sorted(os.listdir(".")))
os.makedirs("a/b")
for place in ("left", "a/b/left", "/tmp/left", "/dev/shm/left"):
    try:
        open(place, "w").close()
    except OSError:
        pass
os.chmod("a/b", 0)
"""
    if attempts.kind is Kind.PLAIN:
        script = script.replace("/tmp/left", "left").replace("/dev/shm/left", "left")
    session = attempts.session(script)
    assert session(files={"more/x": b""}).stdout == b"['main.py', 'more']\n"
    assert session().stdout == b"['main.py']\n"


def test_time_is_kept(attempts: Attempts) -> None:
    started = time.monotonic()
    result = attempts.run("import time\ntime.sleep(30)", limits=Limits(wall=0.2))
    assert result.end is End.TIMED_OUT
    assert time.monotonic() - started < 3


def test_hidden_folders(attempts: Attempts, tmp_path: Path) -> None:
    """What lies below a readable folder can be hidden where there are mounts; else it is said."""
    above = tmp_path / "open"
    (above / "secret").mkdir(parents=True)
    (above / "secret" / "solution.py").write_text(SECRET)
    for path in (tmp_path, above, above / "secret"):
        path.chmod(0o755)
    sandbox = attempts.sandbox()
    options: dict[str, Any] = {"python": sandbox.python.executable, "kind": sandbox.kind}
    options |= {"readable": [above], "hidden": [above / "secret"]}
    if not sandbox.enclosure.is_isolated:
        with pytest.raises(SandboxError, match=r"no safe sandbox"):
            Sandbox(sandbox.folder, require=True, **options)
        return
    listed = Sandbox(sandbox.folder, require=True, **options).run(
        ["sh", "-c", f"ls {above} && ls -A {above}/secret; touch {above}/secret/x"]
    )
    assert listed.stdout == b"secret\n"
    assert b"Read-only" in listed.stderr

"""Opening the house from the command line."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from browser_helpers import house_process
from gridhouse.core.console import UsageError
from gridhouse.server import serve
from harness import command
from wire_helpers import Caller

if TYPE_CHECKING:
    from pathlib import Path


def test_small_answers_are_sent_at_once() -> None:
    with (
        serve.listen("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_address_is_printed_and_opened_where_there_is_a_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setenv("GRIDHOUSE_DATABASE_URL", f"sqlite:///{tmp_path / 'house.db'}")
    monkeypatch.setattr("gridhouse.server.serve.webbrowser.open", opened.append)
    monkeypatch.setattr(serve, "serve", lambda app, listening: listening.close())
    monkeypatch.setattr("gridhouse.server.serve.threading.Timer", AtOnce)
    monkeypatch.setattr("gridhouse.server.serve.sys.platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    for display, opens, expected in (("", True, 0), (":0", False, 0), (":0", True, 1)):
        monkeypatch.setenv("DISPLAY", display)
        serve.play("127.0.0.1", 0, opens)
        assert len(opened) == expected
    assert f"The house is open at {opened[0]} " in capsys.readouterr().out


class AtOnce:
    """A timer that does not wait."""

    def __init__(self, seconds: float, does: Any, given: list[str]) -> None:
        del seconds
        self.start = lambda: does(*given)


def test_tables_are_kept_in_the_folder_for_the_users_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GRIDHOUSE_DATABASE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(serve, "serve", lambda app, listening: listening.close())
    serve.play("127.0.0.1", 0, False)
    assert (tmp_path / "gridhouse" / "house.db").exists()


def test_addresses_for_a_browser() -> None:
    with serve.listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        assert serve.address_of("0.0.0.0", listening) == f"http://127.0.0.1:{port}/"
        assert serve.address_of("::1", listening) == f"http://[::1]:{port}/"
        with pytest.raises(UsageError, match=f"^127.0.0.1 port {port}: Address already in use"):
            serve.listen("127.0.0.1", port)


def test_a_usual_port_that_is_taken_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(serve, "DEFAULT_PORT", taken.getsockname()[1])
        with serve.listen("127.0.0.1", None) as listening:
            assert listening.getsockname()[1] != taken.getsockname()[1]


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("nonsense", "Could not parse SQLAlchemy URL"),
        ("sqlite:////nowhere/at/all.db", "unable to open database file"),
        ("nosuch://x/y", "Can't load plugin"),
        ("postgresql://h:notaport/x", "the port in its URL is not a number"),
        ("sqlite:///file:house.db?uri=true", "its URL should be like sqlite:////folder/house.db"),
    ],
)
def test_a_database_that_cannot_be_used_is_one_line(
    monkeypatch: pytest.MonkeyPatch, url: str, problem: str
) -> None:
    monkeypatch.setenv("GRIDHOUSE_DATABASE_URL", url)
    with pytest.raises(UsageError, match=problem) as caught:
        serve.play("127.0.0.1", 0, False)
    assert "\n" not in str(caught.value)


def test_an_address_that_cannot_be_had_is_one_line() -> None:
    run = command("play", "--no-open", "--host", "no.such.host.invalid")
    assert run.status == 2
    assert run.err.startswith("gridhouse: ")
    assert run.err.count("\n") == 1


def test_without_the_extra_one_line_says_what_is_missing() -> None:
    code = "import sys; sys.modules['starlette'] = None; from gridhouse.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "play"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.endswith("the extra web: pip install 'gridhouse[web]'\n")
    assert done.stderr.count("\n") == 1


def test_an_interrupt_closes_the_house_quietly(tmp_path: Path) -> None:
    with house_process(f"sqlite:///{tmp_path / 'house.db'}") as house:
        house.process.send_signal(signal.SIGINT)
        printed, _ = house.process.communicate(timeout=30)
        assert printed == f"The house is open at {house.address}/ (Ctrl-C closes it)\n"
        assert house.process.returncode == 130


def test_a_second_interrupt_leaves_no_trace(tmp_path: Path) -> None:
    with house_process(f"sqlite:///{tmp_path / 'house.db'}") as house:
        table = Caller().new(house.address, "binary", opponent="hotseat").rpartition("/")[2]
        place = urlsplit(house.address)
        with socket.create_connection((place.hostname, place.port)) as waiting:
            request = f"GET /api/tables/{table}?after=0&wait=20 HTTP/1.1\r\nHost: {place.netloc}"
            waiting.sendall(f"{request}\r\n\r\n".encode())
            time.sleep(0.5)
            house.process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            house.process.send_signal(signal.SIGINT)
            printed, _ = house.process.communicate(timeout=30)
        assert "Traceback" not in printed
        assert house.process.returncode == 130


def growth(code: str) -> int:
    """Return by how many MiB a process has grown since ``before``, which the code sets."""
    allocator = (
        "import ctypes, os, threading\n"
        "from gridhouse.server import memory\n"
        "def resident():\n"
        "    with open('/proc/self/statm') as file:\n"
        "        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') >> 20\n"
        "memory.give_back_freed_memory()\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]\n"
    )
    code = f"{allocator}{code}print(resident() - before)\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="needs the allocator of glibc")
def test_freed_tables_are_given_back_to_the_system() -> None:
    """Small blocks lie between them, as others' games do."""
    code = (
        "libc.free(libc.malloc(30 << 20))\n"
        "before = resident()\n"
        "tables = []\n"
        "for _ in range(50):\n"
        "    tables.append(libc.malloc(4 << 20))\n"
        "    ctypes.memset(tables[-1], 1, 4 << 20)\n"
        "    libc.malloc(100_000)\n"
        "for table in tables[:-1]:\n"
        "    libc.free(table)\n"
    )
    assert growth(code) < 50


@pytest.mark.skipif(sys.platform != "linux", reason="needs the allocator of glibc")
def test_a_thread_uses_the_memory_that_another_has_freed() -> None:
    code = (
        "turn, all_done = threading.Lock(), threading.Barrier(9)\n"
        "def work():\n"
        "    with turn:\n"
        "        blocks = [libc.malloc(64 << 10) for _ in range(320)]\n"
        "        for block in blocks:\n"
        "            ctypes.memset(block, 1, 64 << 10)\n"
        "        libc.malloc(1000)\n"
        "        for block in blocks:\n"
        "            libc.free(block)\n"
        "    all_done.wait()\n"
        "before = resident()\n"
        "for _ in range(8):\n"
        "    threading.Thread(target=work).start()\n"
        "all_done.wait()\n"
    )
    assert growth(code) < 80  # 20 MiB in each of eight arenas would be 160

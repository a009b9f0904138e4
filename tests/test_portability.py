"""What only POSIX has is not there on Windows: neither programs nor package need it."""

from __future__ import annotations

import ast
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gridhouse import export
from harness import PROGRAMS, ROOT, SESSIONS, golden

if TYPE_CHECKING:
    from pathlib import Path

# "Availability: Unix" in Python's documentation, as far as anybody would think of using it.
MODULES = {"crypt", "fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    "os": """
        chown fchmod fork forkpty getegid geteuid getgid getloadavg getpgid getuid killpg lchown
        mkfifo mknod nice openpty posix_spawn pread pwrite register_at_fork sched_getaffinity
        sched_setaffinity sendfile setpriority setsid setuid statvfs sync uname wait wait3 WNOHANG
    """,
    "signal": """
        SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 SIGWINCH
        alarm pause pthread_kill pthread_sigmask setitimer siginterrupt sigwait
    """,
    "socket": "AF_UNIX",
    "time": "clock_settime tzset",
}
BY_OTHERS = ("socket", "fchmod")  # by these go Python's own loop of events and filelock here
TAKEN = {
    module: [name for name in names.split() if name not in BY_OTHERS]
    for module, names in NAMES.items()
    if module not in BY_OTHERS
}
# The sandbox says in a line that it runs on POSIX alone; its program inside is never imported.
SOURCES = sorted(path for path in (ROOT / "src").rglob("*.py") if path.parent.name != "sandbox")

# Run before a program: what only POSIX has is taken away.
TAKEN_AWAY = f"""
import os, signal, socket, sys, time
for module in {sorted(MODULES)!r}:
    sys.modules[module] = None
for module, names in {TAKEN!r}.items():
    for name in names:
        if hasattr(sys.modules[module], name):
            delattr(sys.modules[module], name)
"""
SCRIPT = TAKEN_AWAY + "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
# Other packages have Windows' own ways where they find themselves there: they are loaded before.
PACKAGE = (
    "import asyncio, multiprocessing.spawn, concurrent.futures.process, subprocess, tempfile\n"
    "import fastapi, filelock, httpx2, numba, sqlalchemy.dialects.sqlite, starlette.testclient\n"
    "import typer, uvicorn.server, websockets, alembic.command, rich.progress, platformdirs\n"
    + TAKEN_AWAY
)
IMPORT_ALL = """
import importlib, pkgutil, gridhouse
left_out = "openspiel", "pettingzoo", "gymnasium", "__main__", "migrations", "sandbox.inside"
for module in pkgutil.walk_packages(gridhouse.__path__, "gridhouse."):
    if not any(name in module.name for name in left_out):
        importlib.import_module(module.name)
from gridhouse.__main__ import main
for words in ["--version"], ["--help"], ["solve", "sliding", "ab c", "--goal", "abcd"]:
    sys.argv = ["gridhouse", *words]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code
"""
OPENED = """
from gridhouse.server.app import create_app
from gridhouse.server.settings import Settings, prepare_folder
from starlette.testclient import TestClient
prepare_folder()
with TestClient(create_app(Settings()), base_url="http://127.0.0.1") as client:
    print(client.get("/").status_code)
"""


def posix_names(path: Path) -> list[str]:
    """Return what a source names that only POSIX has."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tried = {  # imports that may fail
        id(line)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
        and any(ast.unparse(each.type or node) == "ImportError" for each in node.handlers)
        for line in node.body
    }
    found = []
    for node in ast.walk(tree):
        if id(node) in tried:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = NAMES.get(node.module, "").split()
            found += [node.module] * (node.module in MODULES)
            found += [alias.name for alias in node.names if alias.name in names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = NAMES.get(node.value.id, "").split()
            found += [f"{node.value.id}.{node.attr}"] * (node.attr in names)
    return found


def test_no_source_names_what_only_posix_has() -> None:
    assert {str(path): names for path in SOURCES if (names := posix_names(path))} == {}


def test_what_only_posix_has_is_found(tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    source.write_text("import os, fcntl\nfrom signal import SIGALRM\nos.fork()\nos.getpid()\n")
    assert posix_names(source) == ["fcntl", "SIGALRM", "os.fork"]


@pytest.mark.parametrize("name", SESSIONS)
def test_programs_run_without_what_only_posix_has(name: str, tmp_path: Path) -> None:
    program, printed = golden(name)
    export.export(program.game, str(tmp_path), program.script)
    for script in (PROGRAMS / program.game / program.script, tmp_path / program.script):
        done = subprocess.run(
            [sys.executable, "-S", "-c", "import sys; del sys.argv[0]\n" + SCRIPT, str(script),
             *program.arguments],
            input=program.typed,
            cwd=program.folder,
            env={"PYTHONIOENCODING": "cp1252"},
            capture_output=True,
            timeout=60,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout == printed


def test_the_package_runs_without_what_only_posix_has(tmp_path: Path) -> None:
    """On a console that is not UTF-8."""
    done = subprocess.run(
        [sys.executable, "-c", PACKAGE + IMPORT_ALL + OPENED],
        env={"PYTHONIOENCODING": "cp1252", "XDG_CACHE_HOME": str(tmp_path),
             "XDG_DATA_HOME": str(tmp_path), "COLUMNS": "100", "HOME": str(tmp_path)},
        capture_output=True,
        timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    printed = done.stdout.decode()
    assert "Tools:" in printed
    assert "Moves: R" in printed
    assert printed.endswith("\n200\n")

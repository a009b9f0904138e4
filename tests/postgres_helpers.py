"""A PostgreSQL server of one's own, which lives as long as a test."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ports import reserved_port

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = "/usr/lib/postgresql/*/bin"  # where Debian keeps the programs of each version
PATIENCE = "60"  # seconds
HASTE = ("-c", "fsync=off", "-c", "full_page_writes=off")  # a test's data need not last


def programs() -> Path:
    """Return the folder of initdb; skip where there is none, but in CI, which installs it, fail."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/").glob(PLACES[1:]))
    if not folders:
        reason = "PostgreSQL is missing: apt install postgresql"
        assert "CI" not in os.environ, reason
        pytest.skip(reason)
    return folders[-1]


@contextmanager
def postgres() -> Iterator[str]:
    """Start a server and yield the address of an empty database."""
    folder = programs()
    # PostgreSQL does not run as root; Debian's package makes a user for it.
    is_root = os.getuid() == 0
    user = "postgres" if is_root else None
    with tempfile.TemporaryDirectory(prefix="pg") as data, reserved_port() as port:
        if user is not None:
            shutil.chown(data, user)

        def call(program: str, *words: str) -> None:
            command = [str(folder / program), *words]
            done = subprocess.run(
                command, user=user, cwd=data, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr

        call("initdb", "-D", f"{data}/db", "-A", "trust", "-U", "house", "--no-sync")
        options = f"-p {port} -k {data} -h 127.0.0.1 {' '.join(HASTE)}"
        log = f"{data}/log"
        call("pg_ctl", "-D", f"{data}/db", "-l", log, "-o", options, "-w", "-t", PATIENCE, "start")
        try:
            yield f"postgresql://house@127.0.0.1:{port}/postgres"
        finally:
            call("pg_ctl", "-D", f"{data}/db", "-m", "immediate", "-w", "stop")

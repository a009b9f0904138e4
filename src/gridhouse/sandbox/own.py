"""One's own programs: started without walls, and talked with as with those behind them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
from typing import TYPE_CHECKING

from gridhouse.core.processes import users_environment
from gridhouse.sandbox.results import SandboxError

if TYPE_CHECKING:
    from collections.abc import Sequence


class OwnLaunch:
    """A program with the rights of whoever starts it; it reports its end as ``Launch`` does."""

    def __init__(self, command: Sequence[str], stdin: int, folder: str | os.PathLike[str]) -> None:
        """Start it in a folder; raises SandboxError where it cannot be started."""
        try:
            self.popen = subprocess.Popen[bytes](
                command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=users_environment(),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise SandboxError(f"{command[0]}: {reason}") from None
        assert self.popen.stdout is not None
        with self.popen.stdout as output:
            self.stdout = os.dup(output.fileno())
        self.control, self._report = socket.socketpair()
        self._started = time.monotonic()
        self._waiter = threading.Thread(target=self._wait, daemon=True)
        self._waiter.start()

    def _wait(self) -> None:
        status = self.popen.wait()
        seconds = time.monotonic() - self._started
        with self._report, contextlib.suppress(OSError):
            self._report.sendall(f"ended {status} 0 {seconds}\n".encode())

    def stop(self) -> None:
        """Kill the program, and what it has started that has not left its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)

    def end(self) -> None:
        """Do the same, and return when it has ended."""
        self.stop()
        self._waiter.join()
        self.control.close()

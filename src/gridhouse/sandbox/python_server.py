"""Many sessions of one Python script, each a fork of an interpreter that is started once."""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import TYPE_CHECKING, Self

from gridhouse.sandbox.launch import GRACE, Launch, checked_files, input_file, message
from gridhouse.sandbox.process import STARTUP, result_of
from gridhouse.sandbox.results import End, Result
from gridhouse.sandbox.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gridhouse.sandbox.sandbox import Sandbox


class PythonServer:
    """Runs a script of a sandbox's folder again and again, a hundred times faster than by starts.

    Each session has the result that ``sandbox.run([python, script, *arguments])`` has, and is as
    far from the others: new globals, an empty scratch folder, limits and time of its own.  It runs
    in a fork of a server that runs no line of the script.  A script that cannot be compiled, or a
    server that cannot be started, is run by starts; ``refusal`` says why.

    Sessions of one server follow each other; threads take turns.
    """

    def __init__(self, sandbox: Sandbox, script: str) -> None:
        """Make ready to run a script, named from the sandbox's folder."""
        self.sandbox = sandbox
        self.script = script
        self.refusal: str | None = None
        self.starts = 0
        self._launch: Launch | None = None
        self._lock = threading.Lock()

    def run(
        self,
        arguments: Sequence[str] = (),
        typed: bytes = b"",
        files: Mapping[str, bytes] | None = None,
    ) -> Result:
        """Run one session and return its result.

        A session that brings the server down has FAILED; the next one gets a new server.
        """
        contents = checked_files(files)
        with self._lock:
            if self.refusal is None and self._launch is None:
                self._start()
            if self._launch is not None:
                result = self._session(self._launch, list(arguments), typed, contents)
                if result.end is End.FAILED:
                    self._end()
                return result
        command = [self.sandbox.python.executable, self.script, *arguments]
        return self.sandbox.run(command, typed, contents)

    def close(self) -> None:
        """End the server."""
        with self._lock:
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> None:
        self.starts += 1
        self._launch = Launch(self.sandbox.enclosure, script=self.script)
        self._launch.control.settimeout(self.sandbox.limits.wall + STARTUP)
        try:
            answer = self._launch.control.recv(1 << 16).decode("utf-8", "replace").strip()
        except OSError as error:
            answer = str(error)
        if answer != "ready":
            self.refusal = answer or "the server died at its start"
            self._end()

    def _end(self) -> None:
        if self._launch is not None:
            launch, self._launch = self._launch, None
            launch.end()
            os.close(launch.stdout)
            assert launch.popen.stderr is not None
            launch.popen.stderr.close()

    def _session(
        self, launch: Launch, arguments: list[str], typed: bytes, files: dict[str, bytes]
    ) -> Result:
        limits = self.sandbox.limits
        started = time.monotonic()
        stdin = input_file(typed)
        stdout, theirs = os.pipe()
        stderr, also_theirs = os.pipe()
        streams = Streams(stdout, stderr, launch.control, limits.output)
        content = message({"arguments": arguments, "files": files})
        try:
            sent = socket.send_fds(launch.control, [content], [stdin, theirs, also_theirs])
            launch.control.sendall(content[sent:])
        except OSError:  # the server is dead, which the report tells
            pass
        finally:
            for file in (stdin, theirs, also_theirs):
                os.close(file)
        deadline = started + limits.wall + STARTUP
        is_stopped = False
        while streams.report is None and time.monotonic() < deadline:
            streams.step(deadline - time.monotonic())
            if streams.is_full and not is_stopped:
                is_stopped = True
                try:
                    launch.control.sendall(message(None))
                except OSError:
                    break
        if streams.report is None:
            self._end()
        streams.drain(GRACE)
        return result_of(streams, limits, time.monotonic() - started)

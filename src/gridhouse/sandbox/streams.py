"""Reads the output of a run and the report on it, without ever waiting for only one of them."""

from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

CHUNK = 1 << 16


class Streams:
    """The standard output, the standard error and the control socket of one run.

    ``is_full`` says that one of them held more than the limit; what is beyond it is dropped.  In a
    conversation, which may go on for days, only the end of the standard error is kept instead.
    """

    def __init__(
        self, stdout: int, stderr: int, control: socket.socket, limit: int, *, is_talk: bool = False
    ) -> None:
        """Read from these; the two files are closed at the end."""
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.is_full = False
        self.report: bytes | None = None
        self._limit = limit
        self._is_talk = is_talk
        self._control = control
        self._reported = bytearray()
        self._buffers = {stdout: self.stdout, stderr: self.stderr}
        self._poll = select.poll()
        for file in (stdout, stderr):
            os.set_blocking(file, False)
            self._poll.register(file, select.POLLIN)
        self._poll.register(control, select.POLLIN)

    @property
    def is_speaking(self) -> bool:
        """Return whether more can come on the standard output."""
        return any(buffer is self.stdout for buffer in self._buffers.values())

    def step(self, seconds: float, writing: int | None = None) -> bool:
        """Wait at most ``seconds`` and read all available output.

        Returns whether the file ``writing`` takes more.
        """
        if writing is not None:
            self._poll.register(writing, select.POLLOUT)
        is_writable = False
        for file, _ in self._poll.poll(max(0.0, seconds * 1000)):
            if file == writing:
                is_writable = True
            elif file in self._buffers:
                self._read(file)
            else:
                self._receive(file)
        if writing is not None:
            self._poll.unregister(writing)
        return is_writable

    def drain(self, seconds: float) -> None:
        """Read the rest of the output, when all that could write it has ended."""
        deadline = time.monotonic() + seconds
        while self._buffers and time.monotonic() < deadline:
            self.step(deadline - time.monotonic())
        self.close()

    def close(self) -> None:
        """Close the files."""
        for file in list(self._buffers):
            self._end(file)

    def _read(self, file: int) -> None:
        buffer = self._buffers[file]
        data = os.read(file, CHUNK)
        if not data:
            self._end(file)
        if self._is_talk and buffer is self.stderr:
            buffer += data
            del buffer[: -self._limit]
            return
        room = self._limit - len(buffer)
        self.is_full = self.is_full or len(data) > room
        buffer += data[:room]

    def _end(self, file: int) -> None:
        self._poll.unregister(file)
        del self._buffers[file]
        os.close(file)

    def _receive(self, file: int) -> None:
        try:
            data = self._control.recv(CHUNK)
        except ConnectionError:
            data = b""
        self._reported += data
        if not data or self._reported.endswith(b"\n"):
            self._poll.unregister(file)
            self.report = bytes(self._reported)

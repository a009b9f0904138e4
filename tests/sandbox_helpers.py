"""Scripts behind each kind of walls, by starts and in forks."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from gridhouse.sandbox import Kind, Limits, PythonServer, Result, Sandbox, SandboxError
from gridhouse.sandbox.walls import changes_user, interpreter

if TYPE_CHECKING:
    from collections.abc import Callable

DEBIAN = "/usr/bin/python3"
LIMITS = Limits(wall=8, cpu=5)


def python_for(kind: Kind) -> str:
    """Return an interpreter that another user can reach, where the walls need one and there is."""
    for python in (sys.executable, DEBIAN):
        try:
            if changes_user(kind, interpreter(python)):
                return python
        except SandboxError:
            continue
    return sys.executable


@dataclass
class Attempts:
    """Runs scripts behind one kind of walls, by a start each or in forks of a server."""

    kind: Kind
    is_forked: bool
    folder: str
    servers: list[PythonServer] = field(default_factory=list)

    def sandbox(self, limits: Limits = LIMITS) -> Sandbox:
        return Sandbox(self.folder, limits, python=python_for(self.kind), kind=self.kind)

    def write(self, script: str) -> None:
        with open(os.path.join(self.folder, "main.py"), "w") as file:
            file.write(script)

    def session(self, script: str, limits: Limits = LIMITS) -> Callable[..., Result]:
        """Return what runs a script, with arguments, typed text and files."""
        self.write(script)
        sandbox = self.sandbox(limits)
        if self.is_forked:
            server = PythonServer(sandbox, "main.py")
            self.servers.append(server)
            return server.run

        def run(
            arguments: tuple[str, ...] = (),
            typed: bytes = b"",
            files: dict[str, bytes] | None = None,
        ) -> Result:
            return sandbox.run(["python3", "main.py", *arguments], typed, files)

        return run

    def run(
        self, script: str, *arguments: str, typed: bytes = b"", limits: Limits = LIMITS
    ) -> Result:
        return self.session(script, limits)(arguments, typed)

    def need(self, wall: str) -> None:
        """Skip a test of a wall that is said not to stand."""
        found = next(item for item in self.sandbox().walls() if item.name == wall)
        if not found.stands:
            pytest.skip(str(found))

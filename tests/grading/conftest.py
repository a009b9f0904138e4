"""What tests of grading share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness import run_command

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Return what runs a command here and returns its status, output and errors."""

    def command(*words: object) -> tuple[int, str, str]:
        status = run_command(monkeypatch, *words)
        out, err = capfd.readouterr()
        return status, out, err

    return command

"""The clocks of a house whose machine is set to another time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gridhouse.server import clock

if TYPE_CHECKING:
    import pytest


def test_nobody_loses_by_a_clock_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    before, wall = clock.now(), time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: wall() + 3600 * 10**9)
    assert 0 <= clock.now() - before < 60 * clock.SECOND
    assert clock.dated() - before >= 3600 * clock.SECOND

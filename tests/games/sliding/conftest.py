"""No test of the sliding puzzle finds databases that another made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gridhouse.games.sliding.solver.databases import disk_cache
from gridhouse.games.sliding.solver.optimal import stages

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep databases in a folder of the test's own."""
    monkeypatch.setattr(disk_cache, "folder", lambda: tmp_path / "patterns")
    stages.CACHE.clear()
    return tmp_path / "patterns"

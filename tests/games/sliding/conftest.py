"""No test of the sliding puzzle finds databases that another made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gridhouse.games.sliding.solver import bidirectional
from gridhouse.games.sliding.solver.beam import beam_heuristic
from gridhouse.games.sliding.solver.databases import disk_cache, good_partitions
from gridhouse.games.sliding.solver.optimal import stages

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep databases in a folder of the test's own."""
    monkeypatch.setattr(disk_cache, "folder", lambda: tmp_path / "patterns")
    stages.CACHE.clear()
    return tmp_path / "patterns"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nothing solved before there is compiled code."""
    monkeypatch.setattr(bidirectional, "SMALL_CELLS", 0)
    monkeypatch.setattr(bidirectional, "MAX_DISTANCE", -1)


@pytest.fixture
def kept_from_seventeen_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have boards of more than sixteen cells count as large ones, whose databases are kept."""
    monkeypatch.setattr(good_partitions, "SMALL", 16)
    beam_heuristic.CACHE.clear()

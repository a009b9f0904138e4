"""No test of the sliding puzzle finds databases that another made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gridhouse.games.sliding import _cache, _optimal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep databases in a folder of the test's own."""
    monkeypatch.setattr(_cache, "folder", lambda: tmp_path / "patterns")
    _optimal._shelf.cache_clear()
    return tmp_path / "patterns"

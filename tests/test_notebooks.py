"""The notebooks of the documentation run from the first cell to the last."""

from __future__ import annotations

import re
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from harness import ROOT

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.md"))
CELL = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow("trains an agent and grades a class")
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRIDHOUSE_COMPILE", "never")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cells = CELL.findall(notebook.read_text(encoding="utf-8"))
    assert len(cells) >= 5
    names: dict[str, Any] = {}
    for number, cell in enumerate(cells, 1):
        exec(compile(cell, f"{notebook.name}, cell {number}", "exec"), names)

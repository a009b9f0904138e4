"""The site of the documentation: it is made without a warning, and is whole."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import gridhouse
from harness import ROOT

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]


def test_every_name_that_is_supported_is_described() -> None:
    page = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    described = re.findall(r"auto\w+:: (\w+)", page)
    assert sorted(described) == sorted(set(gridhouse.__all__) - {"__version__"})


@pytest.mark.slow("reads all documents")
def test_the_site_is_made_without_a_dead_link(tmp_path: Path) -> None:
    made = subprocess.run(
        [*COMMAND, "-d", tmp_path / "read", ROOT / "docs", tmp_path / "site"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    commands = (tmp_path / "site/reference/commands.html").read_text(encoding="utf-8")
    assert 'id="gridhouse-solve-binary"' in commands
    listed = commands.partition("<strong>Commands</strong>")[2].partition("<section")[0]
    assert "match" in listed
    assert "…" not in listed  # no summary is cut short
    requests = (tmp_path / "site/reference/http-requests.html").read_text(encoding="utf-8")
    assert "POST /api/tables" in requests

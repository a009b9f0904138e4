"""The bot of the documentation plays whole games."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest

from browser_helpers import served
from harness import ROOT

if TYPE_CHECKING:
    from pathlib import Path

BOT = ROOT / "examples" / "random_bot.py"
PATIENCE = 100  # seconds


def start(*given: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", str(BOT), *given]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def ended(bot: subprocess.Popen[str]) -> str:
    """Return the last line of a bot that comes to the end of its game."""
    printed, _ = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0, printed
    return printed.splitlines()[-1]


def test_the_documentation_holds_the_bot() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert f"```python\n{BOT.read_text(encoding='utf-8')}```\n" in page


@pytest.mark.slow("plays at the pace of a house")
def test_two_bots_play_a_game_to_its_end(tmp_path: Path) -> None:
    with served(tmp_path) as house:
        first = start(f"{house}/", "binary")
        assert first.stdout is not None
        link = first.stdout.readline().strip()
        second = start(link)
        outcomes = {ended(first), ended(second)}
        with urllib.request.urlopen(f"{house}/api/tables/{link.split('/')[4]}") as answer:
            table = json.load(answer)
    assert table["over"]
    assert outcomes == {table["outcome"]}
    assert table["ply"] > 4

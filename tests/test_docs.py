"""The examples of the documentation do what they say."""

from __future__ import annotations

import doctest
import re

import pytest

import gridhouse
from harness import PAGES, ROOT


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("README.md", 5),
        ("docs/positions.md", 4),
        *(
            pytest.param(page, least, marks=pytest.mark.slow("compiles solvers and environments"))
            for page, least in (
                ("docs/how-to/use-from-python.md", 15),
                ("docs/adapters.md", 15),
                ("docs/how-to/solve-a-position.md", 14),
                ("docs/how-to/train-an-agent.md", 20),
            )
        ),
    ],
)
def test_the_examples_do_what_they_say(page: str, least: int) -> None:
    results = doctest.testfile(
        str(ROOT / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert results.failed == 0
    assert results.attempted >= least


def test_the_positions_that_are_explained_can_be_read() -> None:
    text = (ROOT / "docs/positions.md").read_text(encoding="utf-8")
    shown = re.findall(rf"`((?:{'|'.join(gridhouse.games())})\([^`]*\) [^`]+)`", text)
    assert sorted(line.partition("(")[0] for line in shown) == gridhouse.games()
    for line in shown:
        state = gridhouse.parse(line)
        assert state.legal_moves()
        assert str(state).endswith(line.partition(") ")[2])
    tables = text.partition("## Sinks")[2].partition("## ")[0]
    parts = next(line for line in shown if line.startswith("sinks")).split()[1:]
    explained = re.findall(r"`([^`]+)`", tables.replace("\\|", "|"))[1:]
    assert {part.rstrip("*") for part in parts} - set(explained) <= {"da44"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_is_named_is_there(page: object) -> None:
    text = (ROOT / str(page)).read_text(encoding="utf-8")
    named = re.findall(r"(?:programs|docs|tests|src|benchmarks)/[\w./-]*\w", text)
    for path in named:
        assert (ROOT / path).exists(), path


def test_make_knows_every_target_that_is_named() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in PAGES:
        for target in re.findall(r"`make (\w+)", page.read_text(encoding="utf-8")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target

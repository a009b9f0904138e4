"""Readers and the house under texts that nobody would write; ``tests/fuzz.py`` tries many more."""

from __future__ import annotations

import random
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import fuzz
import gridhouse
from fuzz_house import HOUSE, House
from fuzz_texts import PLAIN
from gridhouse.core.errors import GridhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz_texts import Reader


@pytest.fixture(scope="module")
def readers() -> Iterator[dict[str, Reader]]:
    with fuzz.readers() as found:
        yield found


@pytest.mark.slow("sends thousands of texts")
@pytest.mark.parametrize("name", [*PLAIN, *HOUSE])
def test_whatever_is_read_is_right_or_refused(readers: dict[str, Reader], name: str) -> None:
    reader, chance = readers[name], random.Random(name)
    by_chance = (fuzz.mutated(reader.seeds, chance) for _ in range(reader.texts))
    for text in (*reader.seeds, *by_chance):
        try:
            fuzz.attempt(reader, text)
        except Exception as error:
            error.add_note(f"the text was {text!r}")
            raise


def test_the_house_takes_some_texts_at_almost_each_address() -> None:
    with closing(House()) as house:
        for how, seeds, _ in HOUSE.values():
            for text in seeds:
                house.read(how, text)
    refused = {path for path, statuses in house.met.items() if min(statuses) >= 400}
    # These want the name of a table or evening, or something that is asked before.
    names = ("/t/", f"{house.waiting}/join/", "/evening/", "/api/tables/", "/me/link/")
    asked = (f"/api/tables{house.going_on[2:]}/{call}" for call in ("seats", "answer"))
    assert refused == {*names, *asked}
    assert {"view", "phrase"} <= {*house.met}  # the answers to messages


@pytest.mark.parametrize(
    "text",
    [
        "sinks(rows=8,cols=8) l 0 - 2/2 2/2 0/0 - *",  # an object of nothing
        "sinks(rows=8,cols=8) l 0 - 2/2 2/2 0/0 - -*",
        f"tactego(pieces={'9' * 41}x1 Fx1)#1",
        f"tactego(pieces=Fx{'0' * 60_000}1)#1",
        f"sinks(setup={'x00 ' * 200})#1",
        f"collapse(scoring={'linear' * 20})#1",
    ],
)
def test_texts_that_no_game_means(text: str) -> None:
    with pytest.raises(GridhouseError) as caught:
        gridhouse.parse(text)
    assert len(str(caught.value)) < 300


def test_half_a_character_is_a_seed_like_any_other() -> None:
    assert gridhouse.parse("collapse()#\ud800") != gridhouse.parse("collapse()#\udc80")

"""What differs between two boards, and what of it a page is sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridhouse
from gridhouse.core.errors import PictureError
from gridhouse.core.game import State
from gridhouse.server.tables.rendering import encode
from gridhouse.server.tables.splices import splices
from web_helpers import Visitor

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from gridhouse.server.tables.rendering import Parts


part = st.text("ab\n", max_size=3)
parts = st.lists(part, min_size=1, max_size=8)


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[Parts, Parts]:
    """Return two boards, of which the second often has much of the first."""
    before = draw(parts)
    now = before[:]
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(now)))
        now[at : at + draw(st.integers(0, 2))] = draw(st.lists(part, max_size=2))
    return tuple(before), tuple(now or [""])


@given(neighbours())
def test_splices_make_the_second_board(boards: tuple[Parts, Parts]) -> None:
    before, now = boards
    text = "\n".join(now)
    found = splices(before, now)
    if found is None:
        return
    lines = "\n".join(before).split("\n")
    for first, gone, come in found:
        lines[first : first + gone] = come
    assert "\n".join(lines) == text
    assert sum(len(line) for _, _, come in found for line in come) <= len(text) / 2


def test_only_what_differs_is_sent() -> None:
    before = ("<svg>", "one\ntwo", "", "three", "</svg>")
    assert splices(before, before) == []
    assert splices(before, ("<svg>", "one\ntwo", "new", "three", "</svg>")) == [(3, 1, ["new"])]
    changed = ("<svg>", "1\n2", "", "3", "</svg>")
    assert splices(before, changed) == [(4, 1, ["3"]), (1, 2, ["1", "2"])]
    assert splices(before, before[:1] + before[2:]) == [(1, 2, [])]
    assert splices((), before) is None


def test_a_page_is_sent_what_is_new_of_its_board(client: TestClient) -> None:
    anna, carl = Visitor(client), Visitor(client)
    for game in gridhouse.games():
        table = anna.new(game, opponent="analysis")
        state = gridhouse.parse(anna.get(f"{table}/position.txt").text.strip())
        with anna.at(table) as seat, carl.at(table) as watching:
            assert seat.raw["changes"] is None
            for count in range(1, 4):
                move = seat.view["gestures"][0][0]
                state.play(move)
                for view in (seat.move(move), watching.wait("view", count)):
                    assert view["board"] == state.open_picture().inline()
                for page in (seat, watching):
                    assert page.raw["board"] == ""
                    assert len(json.dumps(page.raw["changes"])) < 9_000
            # A page that comes later has other lines than those that were there.
            with carl.at(table) as late:
                assert late.view["board"] == late.raw["board"] == seat.view["board"]


def test_who_does_not_ask_for_changes_is_sent_the_whole_board(client: TestClient) -> None:
    anna = Visitor(client)
    with anna.at(anna.new("binary", opponent="analysis"), "") as seat:
        for move in ("0 0 1", "1 0 0"):
            seat.move(move)
            assert seat.raw["changes"] is None
            assert seat.raw["board"].startswith("<svg")


def test_a_board_without_a_picture_is_sent_by_lines(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PictureError("none")

    monkeypatch.setattr(State, "_view", refuse)
    anna = Visitor(client)
    table = anna.new("binary", opponent="analysis")
    with anna.at(table) as seat:
        before = seat.view["board"]
        seat.move("0 0 1")
        assert not seat.view["drawn"]
        [(line, gone, [new])] = seat.raw["changes"]
        assert gone == 1
        lines = before.split("\n")
        assert seat.view["board"].split("\n") == [*lines[:line], new, *lines[line + 1 :]]


@pytest.mark.parametrize("value", ["Jörg\n", "\ud800", 2**70])
def test_every_message_becomes_json(value: object) -> None:
    message: Any = {"type": "refusal", "text": value}
    text = encode(message)
    assert json.loads(text) == message
    assert "\n" not in text

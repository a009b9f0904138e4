"""Openings that favour neither side, and their books."""

from __future__ import annotations

from typing import TYPE_CHECKING

import platformdirs
import pytest

import gridhouse
from gridhouse.arena import openings
from gridhouse.arena.adjudication import prover_for
from gridhouse.arena.openings import BALANCED, book_for, make_book, openings_for, read_book
from gridhouse.core.console import UsageError
from gridhouse.core.errors import PlayerError
from gridhouse.core.registry import parse_game
from gridhouse.players import player

if TYPE_CHECKING:
    from pathlib import Path

TACTEGO = parse_game("tactego(rows=6,cols=4)")[0]
BINARY = parse_game("binary(rows=6,cols=6)")[0]


def texts(*arguments: object, **options: object) -> list[str]:
    return [str(state) for state in openings_for(*arguments, **options)]  # type: ignore[arg-type]


def test_openings_are_balanced_and_repeat_with_their_seed_alone() -> None:
    found = list(openings_for(TACTEGO, 3, seed=3))
    for state in found:
        search = player("alphabeta", TACTEGO, jit=True, table=openings.JUDGE_TABLE)
        value = search.choose(state, openings.JUDGE_LIMITS).value
        assert value is not None
        assert abs(value) <= BALANCED
    first = [str(state) for state in found]
    assert texts(TACTEGO, 2, seed=3) == first[:2]
    assert texts(TACTEGO, 1, seed=4) != first[:1]
    assert texts(TACTEGO, 3, seed=3, balanced=False) != first


def test_no_opening_is_decided_by_the_solver_if_there_are_others() -> None:
    prover = prover_for(BINARY)
    assert prover is not None
    found = list(openings_for(BINARY, 60, plies=2))
    assert len({str(state) for state in found}) == 60
    assert all(prover(state) is None for state in found)
    # Some are lost by symmetry, so there was something to leave out.
    assert any(prover(state) for state in openings_for(BINARY, 400, plies=2, balanced=False))


def test_a_game_that_is_always_decided_has_openings_all_the_same() -> None:
    small = gridhouse.load("binary", rows=3, cols=4)
    found = texts(small, 70, plies=2)
    assert len(set(found)) == 70
    assert not any(gridhouse.parse(text).is_terminal() for text in found)


def test_openings_come_again_only_when_there_are_no_others() -> None:
    small = gridhouse.load("binary", rows=1, cols=2)
    found = texts(small, 8, plies=1)
    assert len(set(found[:4])) == 4
    assert len(found) == 8
    assert set(texts(small, 3, plies=9)) <= {*found, str(small.new_initial_state())}


def test_nothing_is_hidden_in_an_opening_but_what_is_at_every_start() -> None:
    sinks = gridhouse.load("sinks", rows=8, cols=8)
    for state in openings_for(sinks, 30, plies=6, balanced=False):
        assert not state.has_secrets()
    hidden = parse_game("tactego(rows=6,cols=4,hidden=True)")[0]
    assert len(set(texts(hidden, 5))) == 5


def test_what_has_no_openings_says_so() -> None:
    with pytest.raises(PlayerError, match="sliding is not a game of two"):
        openings_for(gridhouse.load("sliding"), 1)
    over = parse_game("tactego(rows=2,cols=1,pieces=Fx1)")[0]
    with pytest.raises(PlayerError, match="is over at its start"):
        list(openings_for(over, 1))


def test_a_book_is_read_as_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    make_book(TACTEGO, 3, path, seed=5)
    book = read_book(path, TACTEGO)
    assert [str(state) for state in book] == texts(TACTEGO, 3, seed=5)
    values = [float(line.split("\t")[1]) for line in path.read_text().splitlines()]
    assert all(-BALANCED <= value <= BALANCED for value in values)
    drawn = texts(TACTEGO, 5, seed=1, book=book)
    assert sorted(drawn[:3]) == sorted(map(str, book))
    assert len(drawn) == 5
    assert drawn == texts(TACTEGO, 5, seed=1, book=book)


def test_a_book_of_a_small_game_has_each_opening_once(tmp_path: Path) -> None:
    small = gridhouse.load("binary", rows=1, cols=2)
    make_book(small, 10, tmp_path / "book.txt", plies=1)
    assert len(read_book(tmp_path / "book.txt", small)) == 4


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "there are no openings"),
        (["binary(rows=2,cols=2) 0./..", ""], "line 2: '' is not of the form"),
        (["binary(rows=2,cols=2) 0./..\t0", "binary(rows=2,cols=2) 0./.."], "line 2: the opening"),
        (["binary(rows=2,cols=3) .../..."], "line 1: a position of binary.*, not of binary"),
        (["chess e4"], "line 1: "),
        (["binary(rows=2,cols=2) 0./.x"], "line 1: .*a cell is 0, 1 or a dot"),
        (["binary(rows=2,cols=2) 01/10"], "line 1: the game is over in this position"),
    ],
)
def test_a_wrong_book_is_told_by_its_line(tmp_path: Path, lines: list[str], reason: str) -> None:
    path = tmp_path / "book.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(UsageError, match=reason) as error:
        read_book(path, gridhouse.load("binary", rows=2, cols=2))
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


def test_the_book_of_the_house_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda _: str(tmp_path))
    made = book_for(TACTEGO, 2)
    (path,) = (tmp_path / "openings").iterdir()
    text = path.read_text()
    monkeypatch.setattr(openings, "_made", None)  # must not be asked again
    assert book_for(TACTEGO, 2) == made
    monkeypatch.undo()
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda _: str(tmp_path))
    path.write_text("rubbish")
    assert book_for(TACTEGO, 2) == made
    assert path.read_text() == text

"""The course's module ``stdio``, for programs that are graded."""

from __future__ import annotations

import io
import sys

import pytest

from gridhouse.games.sinks.libraries import color, picture, stdarray, stddraw, stdio


def test_words_lines_and_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("s 1\t2\n\n rest of it \n0.5 true\nx\n1 2"))
    assert (stdio.readString(), stdio.readInt(), stdio.readInt()) == ("s", 1, 2)
    assert [stdio.readLine() for _ in range(3)] == ["", "", " rest of it "]
    assert (stdio.readFloat(), stdio.readBool(), stdio.isEmpty()) == (0.5, True, False)
    with pytest.raises(ValueError, match="x"):
        stdio.readBool()
    assert stdio.hasNextLine()
    assert stdio.readAllInts() == [1, 2]
    assert stdio.isEmpty()
    assert not stdio.hasNextLine()
    for read in (stdio.readString, stdio.readLine):
        with pytest.raises(EOFError):
            read()
    stdio.write(1)
    stdio.writeln()
    stdio.writef("%d-%s", 1, "a")
    assert capsys.readouterr().out == "1\n1-a"


def test_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a\n1 0 1"
    for read, found in (
        (stdio.readAllLines, ["a", "1 0 1"]),
        (stdio.readAllStrings, ["a", "1", "0", "1"]),
        (stdio.readAll, text),
    ):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        assert read() == found
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 0"))
    assert stdio.readAllBools() == [True, False]
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 0"))
    assert stdio.readAllFloats() == [1.0, 0.0]


def test_rows_are_not_the_same_list() -> None:
    grid = stdarray.create2D(2, 3, 0)
    grid[0][1] = 5
    assert grid == [[0, 5, 0], [0, 0, 0]]
    assert stdarray.create1D(2) == [None, None]


def test_modules_for_a_window_take_any_call_and_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stddraw", stddraw)  # as it stands beside a program
    stddraw.setCanvasSize(500, 500)
    stddraw.show(color.Color(1, 2, 3), picture.Picture("x.png").width())
    with pytest.raises(AttributeError, match="__path__"):
        stddraw.__path__  # noqa: B018  # what Python asks for is not there

"""The commands of the arena, as typed: what they print, keep and write, and their errors."""

from __future__ import annotations

import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse.arena.reports import export

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

KIT = Path(gridhouse.__file__).parent / "arena" / "kit"
SMALL = ("--game", "binary(rows=2,cols=3)")
PAIR = ("match", "random", "random", *SMALL, "--limit", "100n", "--games", 4)


def test_a_match_is_kept_shown_and_replayed(run: Run, tmp_path: Path) -> None:
    store, text, pages = tmp_path / "games.sqlite", tmp_path / "games.txt", tmp_path / "pages"
    kept = ("--store", store, "--export", text, "-o", pages)
    status, out, err = run(*PAIR, *kept)
    assert status == 0
    assert err.count("Game ") == 4
    assert "random (1)  random (2)" in out
    assert "Ends: rules 4." in out
    assert [record.number for record in export.read(str(text))] == [0, 1, 2, 3]
    assert (pages / "index.html").is_file()
    # The same again plays nothing; another match in the same file is refused.
    assert run(*PAIR, *kept) == (0, out, "")
    status, out, err = run(*PAIR, "--store", store, "--seed", 1)
    assert (status, err.count("\n")) == (2, 1)
    assert "this is another tournament: its openings" in err
    for file in (store, text):
        status, out, _ = run("replay", file, 2)
        assert status == 0
        assert "by the rules" in out
    assert run("replay", store)[1].count("\n") == 4


def test_a_test_stops_a_match(run: Run) -> None:
    words = ("match", "greedy", "random", "--game", "tactego(rows=4,cols=3,pieces=2x1 1x1 Fx1)")
    status, out, err = run(*words, "--limit", "1s", "--games", 400, "--sprt", "0,400")
    assert status == 0
    assert out.rstrip().endswith("H1")
    assert err.count("Game ") < 100


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("match", "random", "nobody", *SMALL, "--limit", "1s"), "neither a player"),
        (("match", "random", "random", *SMALL), "give one of time and limit"),
        (("match", "random", "greedy", "--game", "chess", "--limit", "1s"), "no game 'chess'"),
        ((*PAIR, "--sprt", "20"), "--sprt 20: give two Elo differences"),
        ((*PAIR, "--book", "none.txt"), "none.txt"),
        (("tournament",), "give a tournament's file"),
        (("tournament", "none.toml"), "'none.toml': No such file"),
        (("tournament", "--class", "none", *SMALL, "--limit", "1s"), "'none': No such file"),
        (("replay", "none.sqlite"), "'none.sqlite': No such file"),
        (("compliance", "no-such-program"), "no-such-program"),
        (("opening-book", "book.txt", "--game", "collapse"), "collapse is not a game of two"),
    ],
)
def test_errors_are_one_line(words: tuple[object, ...], said: str, run: Run) -> None:
    status, out, err = run(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_a_class_meets_and_who_cannot_run_is_named(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "class"
    for name in ("ann", "bob"):
        (folder / name).mkdir(parents=True)
        shutil.copy(KIT / "engine.py", folder / name)
        shutil.copy(KIT / "random_player.py", folder / name / "player.py")
    (folder / "cy").mkdir()
    (folder / "dan.py").write_text("raise SystemExit('not ready')\n")
    words = ("tournament", "--class", folder, *SMALL, "--limit", "2s")
    status, out, err = run(*words)
    assert status == 0
    assert "'cy' does not play: " in err
    assert "it exited with status 1: 'not ready'" in err
    for name in ("ann", "bob", "dan"):
        assert name in out
    assert "crashes" in out


def test_a_tournament_file_and_a_book(run: Run, tmp_path: Path) -> None:
    book, file = tmp_path / "book.txt", tmp_path / "cup.toml"
    assert run("opening-book", book, *SMALL, "--count", 3, "--plies", 1)[0] == 0
    assert len(book.read_text().splitlines()) == 3
    file.write_text(
        f'game = "binary(rows=2,cols=3)"\nlimit = "50p"\nformat = "knock-out"\n'
        f'players = ["random", "greedy", "mcts"]\n[openings]\nbook = "{book}"\n'
    )
    assert tomllib.loads(file.read_text())["format"] == "knock-out"
    status, out, _ = run("tournament", file)
    assert status == 0
    assert "knock-out" in out


@pytest.mark.slow("starts many programs")
def test_players_of_the_house_keep_the_protocol(run: Run) -> None:
    status, out, err = run(
        "compliance", f"{sys.executable} -m gridhouse engine level:2", "--no-sandbox"
    )
    assert (status, err) == (0, "")
    assert "findings: 0 that it must change" in out, out

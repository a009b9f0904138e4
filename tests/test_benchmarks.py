"""The benchmarks refuse words that do not fit as programs do, without a traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from strength import COLUMNS, FILES, written

from gridhouse.arena.tournament_file import load_tournament
from gridhouse.core.console import EXIT_USAGE, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness import Run


@pytest.mark.slow("runs the benchmarks")
@pytest.mark.parametrize(
    "command",
    [
        "arena.py none",
        "binary_book.py",
        "binary_book.py three some",
        "binary_player.py match 2 soon",
        "binary_row.py",
        "binary_row.py 32",
        "binary_row.py 3 0",
        "binary_solver.py random 1 0",
        "collapse_plot.py FILE",
        "grading.py --all",
        "collapse_solver.py best FILE 1",
        "collapse_solver.py linear 2 2 2 1",
        "collapse_solver.py linear 2 2 2 1 1 1",
        "collapse_solver.py linear 2 2 2 0 1",
        "collapse_solver.py linear 2 2 2 1 soon",
        "collapse_solver.py",
        "collapse_solver.py samegame FILE",
        "collapse_solver.py samegame FILE 1 0 2",
        "collapse_solver.py samegame FILE 1 1 2 3",
        "collapse_solver.py runs FILE 9",
        "collapse_solver.py runs FILE 9 1 0",
        "error_rates.py many",
        "error_rates.py 1 some",
        "graders.py",
        "graders.py binary",
        "graders.py sliding FOLDER 1",
        "house_load.py 1 1 0",
        "house_memory_plot.py FILE",
        "learn.py sinks(rows=8,cols=8)",
        "learn.py sinks(rows=8,cols=8) FILE 0",
        "long_games.py 1",
        "make_puzzles.py --all",
        "programs.py all",
        "random_games.py -1",
        "sliding_plot.py",
        "sliding_solver.py korf",
        "strength.py --games 1",
    ],
)
def test_words_that_do_not_fit_are_refused(benchmark: Callable[[str], Run], command: str) -> None:
    run = benchmark(command)
    assert (run.out, run.status) == ("", EXIT_USAGE)
    assert f"Usage: {command.split()[0]}" in run.err
    assert "Traceback" not in run.err


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("binary_book.py prove 4 4", "there is no book of 4 4, only of 5 5, 9 3"),
        ("binary_solver.py techniques 1 missing", "'missing': No such file or directory"),
        (
            "collapse_solver.py samegame missing 1,",
            "'1,' are not numbers above 0, with commas between them",
        ),
        *[
            (
                f"collapse_solver.py runs missing 9 {rounds}",
                f"'{rounds}' are not whole numbers above 0, with commas between them",
            )
            for rounds in ("1,a", "0.5")
        ],
        ("graders.py binary missing", "'missing': No such file or directory"),
        ("graders.py sliding .", "'.' holds no test_a1.py"),
        (
            "grading.py chess",
            "chess: there are faults of binary, collapse, sinks, sliding, tactego",
        ),
        ("house_memory_plot.py missing FILE", "'missing': No such file or directory"),
        (
            "sliding_solver.py words5 1 1 a,b",
            "'a,b' are not whole numbers above 0, with commas between them",
        ),
    ],
)
def test_what_cannot_be_used_gets_one_line(
    benchmark: Callable[[str], Run], command: str, line: str
) -> None:
    assert benchmark(command) == ("", f"gridhouse: {line}\n", EXIT_USAGE)


def test_rows_take_the_place_of_those_of_their_game() -> None:
    table = f"{COLUMNS}\n| a | old |\n| a | older |\n| b | kept |\n"
    text = f"# Title\n\n## One\n\n{table}\n## Two\n\nAbove.\n\n{table}\nBelow.\n"
    again = written(text, "Two", ["| a | new |"])
    assert again == text[: text.index("## Two")] + text[text.index("## Two") :].replace(
        "| a | old |\n| a | older |", "| a | new |"
    )
    last = written(text, "One", ["| c | new |"])
    assert last == text.replace("| b | kept |\n", "| b | kept |\n| c | new |\n", 1)
    with pytest.raises(UsageError, match="there is no table below 'Three'"):
        written(text, "Three", ["| c | new |"])


@pytest.mark.parametrize("path", sorted(FILES.glob("*.toml")), ids=lambda path: path.stem)
def test_tournaments_of_strength_can_be_read(path: Path) -> None:
    assert load_tournament(path).games

"""The tables of the research notes: they follow from the rules, and the notes print them."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from statistics import mean
from typing import TYPE_CHECKING

import pytest
from research_data import BOARDS, row
from sliding_solver import words

import gridhouse
from binary_helpers import plain
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver.known_results import every_move_wins
from gridhouse.games.collapse import solver as collapse_solver
from gridhouse.games.sliding import solver as sliding_solver
from harness import ROOT
from naive.binary import Binary
from naive.binary_solver import all_nimbers, text

if TYPE_CHECKING:
    from collections.abc import Iterator

NOTES = ROOT / "docs" / "research"
ROW = 31  # cells of the longest row that was proved


def table(name: str) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with (NOTES / "data" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def printed(name: str) -> Iterator[list[str]]:
    """Yield the cells of each line of the tables that a note prints."""
    for line in (NOTES / f"{name}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def collapse_groups() -> dict[str, list[dict[str, str]]]:
    """Return the random boards of Collapse by size and digits."""
    groups = defaultdict(list)
    for board in table("collapse-boards"):
        groups[f"{board['rows']}x{board['cols']}, {board['digits']} digits"].append(board)
    return groups


def test_the_table_of_the_binary_game_is_whole_and_keeps_the_theorem() -> None:
    boards = table("binary-empty-boards")
    sizes = [(int(board["rows"]), int(board["cols"])) for board in boards]
    assert sizes == [
        (rows, cols) for rows in range(1, 21) for cols in range(rows, ROW + 1 if rows == 1 else 21)
    ]
    for board, (rows, cols) in zip(boards, sizes, strict=True):
        told = (board["outcome"], board["nimber"], board["winning_first_moves"])
        if rows * cols % 2 == 0:
            assert (*told, board["method"]) == ("loss", "0", "0", "half-turn theorem")
        elif board["method"]:
            assert told == ("win", "1", str(2 * rows * cols))
        else:
            assert told == ("unknown", "", "")
        if cols <= 20:
            assert every_move_wins(rows, cols) == (board["outcome"] == "win"), board


def test_small_boards_of_the_binary_game_are_as_recursion_and_search_find_them() -> None:
    for board in table("binary-empty-boards"):
        rows, cols = int(board["rows"]), int(board["cols"])
        if rows * cols > 7:
            continue
        assert all_nimbers(cols, rows)[text(Binary(cols, rows))] == int(board["nimber"]), board
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        found = plain(state, all_moves=True, nimber=True, jit=False)
        assert (found.outcome, found.nimber) == (board["outcome"], int(board["nimber"])), board
        assert len(found.moves) == int(board["winning_first_moves"]), board


def test_the_note_prints_the_table_of_the_binary_game() -> None:
    lines = [line for line in printed("half-turn-theorem") if line[1:2] == ["first player wins"]]
    proved = [board for board in table("binary-empty-boards") if board["outcome"] == "win"]
    assert sorted(lines) == sorted(
        [
            f"{board['cols']}x{board['rows']}",
            "first player wins",
            board["nimber"],
            f"{board['winning_first_moves']} of {2 * int(board['rows']) * int(board['cols'])}",
            board["nodes"],
            board["method"],
        ]
        for board in proved
    )


def test_the_note_prints_the_tables_of_collapse() -> None:
    lines = {line[0]: line[1:] for line in printed("collapse-cut-in-two")}
    for name, boards in collapse_groups().items():
        assert lines[name] == [
            str(len(boards)),
            str(sum(board["optimal"] == "yes" for board in boards)),
            str(sum(board["score"] == board["points"] for board in boards)),
            f"{mean(int(board['points']) - int(board['score']) for board in boards):.2f}",
        ]
    for cut in table("collapse-cuts"):
        by_parts, best, left = lines[
            f"{cut['rows']}x{cut['cols']}, {cut['digits']} digits, seed {cut['seed']}"
        ]
        assert best == f"{int(cut['nodes_best_cut']):,} nodes, {cut['seconds_best_cut']} s"
        assert left == cut["left"]
        assert ("no end" not in by_parts) == (cut["proved_by_parts"] == "yes")
        assert f"{cut['seconds_by_parts']} s" in by_parts


def test_the_boards_of_collapse_are_those_of_their_seeds() -> None:
    assert [len(boards) for boards in collapse_groups().values()] == [last for *_, last in BOARDS]
    left = {}
    for board in table("collapse-boards"):
        size = {name: int(board[name]) for name in ("rows", "cols", "digits")}
        state = gridhouse.load("collapse", **size).new_initial_state(int(board["seed"]))
        points, score, bound = (int(board[name]) for name in ("points", "score", "bound"))
        assert points == sum(cell for cell in state.position.cells if cell > 0)
        assert score <= bound <= points
        assert (score == bound) == (board["optimal"] == "yes")
        left[*size.values(), int(board["seed"])] = points - score
    for cut in table("collapse-cuts"):
        at = tuple(int(cut[name]) for name in ("rows", "cols", "digits", "seed"))
        assert left[at] == int(cut["left"])


@pytest.mark.parametrize("side", [4, 5])
def test_the_word_puzzles_are_those_of_the_benchmark_and_the_note(side: int) -> None:
    puzzles = table(f"sliding-words{side}")
    dealt = [row(at, state) for at, state in enumerate(words(side, len(puzzles)), 1)]
    assert [f"{puzzle['number']},{puzzle['puzzle']}" for puzzle in puzzles] == dealt
    found = [int(puzzle["found" if side == 5 else "optimal"]) for puzzle in puzzles]
    bounds = [int(puzzle["bound" if side == 5 else "optimal"]) for puzzle in puzzles]
    proved = sum(most == least for most, least in zip(found, bounds, strict=True))
    if side == 5:
        assert [puzzle["optimal"] for puzzle in puzzles].count("yes") == proved
    name = "four words of four letters" if side == 4 else "five words of five letters"
    (line,) = (line for line in printed("sliding-equal-letters") if line[0] == name)
    assert line[1:5] == [
        str(len(puzzles)),
        str(proved),
        f"{mean(found):.2f}",
        f"{mean(bounds):.2f}",
    ]


@pytest.mark.slow("searches, and may compile before")
def test_a_sample_of_the_tables_is_found_again() -> None:
    for boards in collapse_groups().values():
        for board in boards[:2]:
            size = {name: int(board[name]) for name in ("rows", "cols", "digits")}
            state = gridhouse.load("collapse", **size).new_initial_state(int(board["seed"]))
            found = collapse_solver.solve(state, seconds=200.0, jit=True)
            assert (found.score, found.bound) == (int(board["score"]), int(board["bound"])), board
    solved = table("sliding-words4")[:5]
    for puzzle, position in zip(solved, words(4, 5), strict=True):
        again = sliding_solver.solve_position(position, optimal=True, jit=True)
        assert again.length == int(puzzle["optimal"])


def test_the_readme_describes_every_column() -> None:
    readme = (NOTES / "data" / "README.md").read_text(encoding="utf-8")
    for path in (NOTES / "data").glob("*.csv"):
        assert path.name in readme
        for column in path.read_text(encoding="utf-8").partition("\n")[0].split(","):
            assert re.search(rf"`{column}`", readme), (path.name, column)

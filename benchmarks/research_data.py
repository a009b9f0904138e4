"""The tables of ``docs/research/data`` that are made of many short searches, as CSV.

``python benchmarks/research_data.py collapse [SECONDS]``: random boards of Collapse, each searched
for at most so many seconds (30): what can be scored, what no picks can beat, and whether the two
meet.
``python benchmarks/research_data.py words4 [COUNT]``: COUNT (500) puzzles of four words of four
letters, each with the fewest moves that solve it.
``python benchmarks/research_data.py words5``: the fifty puzzles of five words of five letters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from command_line import Count, Seconds, start
from sliding_solver import words

import gridhouse
from gridhouse.games.collapse import solver as collapse_solver
from gridhouse.games.sliding import solver as sliding_solver
from gridhouse.games.sliding.game import puzzle_text, solution_text

if TYPE_CHECKING:
    from gridhouse.games.sliding.rules import Position

# Rows, columns, digits and the number of boards, with the seeds from 0 on.
BOARDS = ((8, 8, 5, 100), (10, 10, 5, 100), (9, 9, 10, 40), (10, 10, 10, 100))


def collapse(seconds: Seconds = 30.0) -> None:
    """Print how well random boards of Collapse are solved."""
    print("rows,cols,digits,seed,points,score,bound,optimal", flush=True)
    for rows, cols, digits, count in BOARDS:
        game = gridhouse.load("collapse", rows=rows, cols=cols, digits=digits)
        for seed in range(count):
            state = game.new_initial_state(seed)
            found = collapse_solver.solve(state, seconds=seconds)
            points = sum(cell for cell in state.position.cells if cell > 0)
            optimal = "yes" if found.optimal else "no"
            print(
                f"{rows},{cols},{digits},{seed},{points},{found.score},{found.bound},{optimal}",
                flush=True,
            )


def words4(count: Count = 500) -> None:
    """Print puzzles of four words of four letters and the fewest moves that solve them."""
    print("number,puzzle,optimal", flush=True)
    for number, state in enumerate(words(4, count), 1):
        found = sliding_solver.solve_position(state, optimal=True, threads=1)
        assert found.optimal
        print(f"{row(number, state)},{found.length}", flush=True)


def words5() -> None:
    """Print the puzzles of five words of five letters."""
    print("number,puzzle")
    for number, state in enumerate(words(5, 50), 1):
        print(row(number, state))


def row(number: int, state: Position) -> str:
    """Return the fields of a puzzle, as `gridhouse solve sliding --file` reads it."""
    return f"{number},{puzzle_text(state)}/{solution_text(state)}"


if __name__ == "__main__":
    start(collapse=collapse, words4=words4, words5=words5)

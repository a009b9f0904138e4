"""The command ``gridhouse solve collapse``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from gridhouse.core.console import UsageError, read_file, run
from gridhouse.core.errors import GridhouseError
from gridhouse.core.game import State
from gridhouse.games.collapse.game import CollapseGame, read_board

Files = Annotated[list[str], typer.Argument(help="boards as the program takes them")]
Seconds = Annotated[float, typer.Option("--time", help="seconds for each board")]
Score = Annotated[str, typer.Option("--scoring", help="linear or samegame")]
Nodes = Annotated[int | None, typer.Option("--nodes", help="picks and rollouts for each board")]
Seed = Annotated[int, typer.Option("--seed", help="equal seeds give equal results with --nodes")]
Threads = Annotated[int, typer.Option("--threads", help="how many threads search")]
Json = Annotated[bool, typer.Option("--json", help="print one JSON object a board")]


def command(
    files: Files,
    seconds: Seconds = 10.0,
    scoring: Score = "linear",
    nodes: Nodes = None,
    seed: Seed = 0,
    threads: Threads = 2,
    as_json: Json = False,
) -> None:
    """Find the picks that score most on a board of Collapse, and what can be scored at most.

    Ctrl-C ends the search of a board with the best found so far.
    """

    def solve_files(names: list[str]) -> None:
        boards = [(name, board_of(name, scoring)) for name in names]
        for name, board in boards:
            solve_board(name if len(boards) > 1 else "", board)

    def solve_board(name: str, board: State) -> None:
        from gridhouse.games.collapse.solver import solve

        found = solve(board, seconds=seconds, seed=seed, nodes=nodes, threads=threads)
        if as_json:
            print(json.dumps(found.facts()), flush=True)
        else:
            print(f"{name}: {found}" if name else str(found), flush=True)

    raise typer.Exit(run(solve_files, files))


def board_of(name: str, scoring: str) -> State:
    """Return the position of a board file; raises GridhouseError or UsageError."""
    try:
        rows = read_board(read_file(name))
    except GridhouseError as error:
        raise UsageError(f"{name!a}: {error}") from None
    return State(*CollapseGame.from_board(rows, scoring))

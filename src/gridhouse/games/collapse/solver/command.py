"""The command ``gridhouse solve collapse``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from gridhouse.core import solving
from gridhouse.core.console import UsageError, read_file
from gridhouse.core.errors import GridhouseError, ParameterError, PositionError
from gridhouse.core.game import State
from gridhouse.core.notation import shown
from gridhouse.core.registry import games, parse
from gridhouse.games.collapse.game import CollapseGame, read_board

if TYPE_CHECKING:
    from gridhouse.core.solving import Solution

Boards = Annotated[
    list[str], typer.Argument(help="files of boards or of saved positions, or positions' texts")
]
Seconds = Annotated[float, typer.Option("--time", help="seconds for each board")]
Score = Annotated[
    str | None,
    typer.Option("--scoring", help="linear or samegame; else linear, or a position's own"),
]
Nodes = Annotated[int | None, typer.Option("--nodes", help="picks and rollouts for each board")]
Seed = Annotated[int, typer.Option("--seed", help="equal seeds give equal results with --nodes")]
Threads = Annotated[int, typer.Option("--threads", help="how many threads search")]
Memory = Annotated[int, typer.Option("--memory", help="megabytes for the exact search's tables")]
Json = Annotated[bool, typer.Option("--json", help="print one JSON object a board")]


def command(
    boards: Boards,
    seconds: Seconds = 10.0,
    scoring: Score = None,
    nodes: Nodes = None,
    seed: Seed = 0,
    threads: Threads = 2,
    memory: Memory = 512,
    as_json: Json = False,
) -> int:
    """Find the picks that score most on a board of Collapse, and a bound on the score.

    Ctrl-C ends the search with the best picks found so far; later boards are left out.
    """

    def solve_board(name: str) -> Solution:
        board = board_of(name, scoring)
        from gridhouse.games.collapse.solver import solve

        return solve(board, seconds=seconds, seed=seed, nodes=nodes, threads=threads, memory=memory)

    if len(boards) > 1:
        solving.check_limits(seconds=seconds, nodes=nodes, threads=threads, memory=memory)
        return solving.answer_each(boards, solve_board, as_json=as_json, names=boards)
    solving.tell(solve_board(boards[0]), as_json=as_json)
    return 0


def board_of(name: str, scoring: str | None) -> State:
    """Return the position of a file with a board or a saved position, or of a position's text.

    Raises UsageError, also for a board that is too large for the solver.
    """
    is_text = "(" in name and not os.path.exists(name)
    text = name if is_text else read_file(name)
    try:
        if is_text or text.startswith(tuple(f"{game}(" for game in games())):
            state = position_of(text.strip(), scoring)
        else:
            rows = read_board(text)
            state = State(*CollapseGame.from_board(rows, "linear" if scoring is None else scoring))
        from gridhouse.games.collapse.solver.api import check

        check(state, None, None, 1)
    except GridhouseError as error:
        raise UsageError(f"{shown(name) if is_text else repr(name)}: {error}") from None
    return state


def position_of(text: str, scoring: str | None) -> State:
    """Return the position of a text; raises GridhouseError, also if its scoring is another one."""
    state = parse(text)
    if not isinstance(state.game, CollapseGame):
        raise PositionError(f"this is a position of {state.game.title}, not of Collapse")
    own = state.game.values["scoring"]
    if scoring is not None and scoring != own:
        raise ParameterError(f"--scoring {shown(scoring)}, but the position has scoring={own}")
    return state

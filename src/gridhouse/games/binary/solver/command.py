"""The command ``gridhouse solve binary``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gridhouse.core.console import UsageError
from gridhouse.core.notation import parse_integer, shown
from gridhouse.core.registry import parse
from gridhouse.core.solving import tell
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver.api import solve
from gridhouse.games.binary.solver.solution import UnsavedError

if TYPE_CHECKING:
    from gridhouse.core.game import State
    from gridhouse.games.binary.solver.solution import BinarySolution


def read_position(words: list[str]) -> State:
    """Return the position of WIDTH and HEIGHT, or of a position's text."""
    sizes = [parse_integer(word) for word in words]
    if len(words) == 2 and None not in sizes:
        return BinaryGame(rows=sizes[1], cols=sizes[0]).new_initial_state()
    text = " ".join(words)
    if "(" not in text:
        raise UsageError(f"{shown(text)} is neither WIDTH HEIGHT nor a position's text")
    state = parse(text)
    if not isinstance(state.game, BinaryGame):
        raise UsageError(f"{shown(text)} is not a position of the Binary Game")
    return state


def command(
    position: Annotated[
        list[str], typer.Argument(help="Width and height of an empty board, or a position's text.")
    ],
    time: Annotated[float | None, typer.Option(help="Limit of the search in seconds.")] = None,
    memory: Annotated[int, typer.Option(help="Megabytes for the tables.")] = 1024,
    nimber: Annotated[bool, typer.Option("--nimber", help="Find the nimber too.")] = False,
    all_moves: Annotated[bool, typer.Option("--all", help="Find all winning moves.")] = False,
    threads: Annotated[int, typer.Option(help="Threads that share the table.")] = 2,
    off: Annotated[list[str] | None, typer.Option(help="A technique to leave out.")] = None,
    proof: Annotated[bool, typer.Option(help="Search large positions by proof numbers.")] = True,
    proved: Annotated[bool, typer.Option(help="Use boards proved once.")] = True,
    checkpoint: Annotated[
        str | None, typer.Option(help="A file that keeps the tables, to go on with.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Solve a position of the Binary Game: who wins, and by which moves."""

    def search() -> BinarySolution:
        return solve(
            read_position(position),
            seconds=time,
            memory=memory,
            nimber=nimber,
            all_moves=all_moves,
            threads=threads,
            off=tuple(off or ()),
            proof=proof,
            proved=proved,
            checkpoint=checkpoint,
        )

    try:
        tell(search(), as_json=as_json)
    except UnsavedError as error:
        tell(error.solution, as_json=as_json)
        raise

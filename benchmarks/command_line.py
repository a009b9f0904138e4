"""The command lines of the benchmarks, from the parameters of functions, and their boards."""

from __future__ import annotations

import sys
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from gridhouse.core.console import UsageError, run
from gridhouse.core.registry import game_class, games, parse_game

if TYPE_CHECKING:
    from collections.abc import Callable

Number = TypeVar("Number", int, float)
Word = Annotated[str, typer.Argument()]
Words = Annotated[list[str] | None, typer.Argument()]
Count = Annotated[int, typer.Argument(min=1)]
Counts = Annotated[list[int] | None, typer.Argument(min=1)]
Some = Annotated[int, typer.Argument(min=0)]  # 0 by default
Seconds = Annotated[float, typer.Argument(min=0)]


def need(*modules: str) -> None:
    """Exit with one line unless these modules are installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        sys.exit(f"missing here: {', '.join(missing)}; this benchmark needs the extra bench")


def with_other_games(boards: list[str], players: int = 0) -> list[str]:
    """Return the boards, and the default board of every game of ``players`` that has none yet.

    With 0 players, games for any number of players count.
    """
    named = {parse_game(board)[0].name for board in boards}
    others = [str(game_class(name)()) for name in games() if name not in named]
    return boards + [board for board in others if players in (0, parse_game(board)[0].num_players)]


def listed(words: str, kind: Callable[[str], Number]) -> list[Number]:
    """Return positive numbers separated by commas; raises UsageError."""
    try:
        found = [kind(word) for word in words.split(",")]
    except ValueError:
        found = []
    if not found or not all(number > 0 for number in found):
        whole = "whole " if kind is int else ""
        raise UsageError(f"{words!r} are not {whole}numbers above 0, with commas between them")
    return found


def start(work: Callable[..., None] | None = None, /, **works: Callable[..., None]) -> None:
    """Run a function on the command line; of several, the first word names the function.

    ``--help`` lists their parameters.  Words that do not fit are refused.
    """
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    if work is not None:
        app.command()(_ended(work))
    for name, other in works.items():
        app.command(name)(_ended(other))
    app()


def _ended(work: Callable[..., None]) -> Callable[..., None]:
    """Return what does the same work and ends as the programs do, whatever comes up."""

    @wraps(work)
    def ended(*values: object, **named: object) -> None:
        sys.exit(run(lambda _: work(*values, **named), []))

    return ended

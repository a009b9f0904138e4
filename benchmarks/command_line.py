"""How the benchmarks take the words of the command line: by the parameters of a function."""

from __future__ import annotations

import sys
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from gridhouse.core.console import UsageError, run

if TYPE_CHECKING:
    from collections.abc import Callable

Number = TypeVar("Number", int, float)
Word = Annotated[str, typer.Argument()]
Words = Annotated[list[str] | None, typer.Argument()]
Count = Annotated[int, typer.Argument(min=1)]
Counts = Annotated[list[int] | None, typer.Argument(min=1)]
Some = Annotated[int, typer.Argument(min=0)]  # 0 if nothing is said
Seconds = Annotated[float, typer.Argument(min=0)]


def need(*modules: str) -> None:
    """End with one line unless there are these modules."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        sys.exit(f"missing here: {', '.join(missing)}; this benchmark needs the extra bench")


def listed(words: str, kind: Callable[[str], Number]) -> list[Number]:
    """Return numbers of a kind, above 0, that stand between commas; raises UsageError."""
    try:
        found = [kind(word) for word in words.split(",")]
    except ValueError:
        found = []
    if not found or not all(number > 0 for number in found):
        whole = "whole " if kind is int else ""
        raise UsageError(f"{words!r} are not {whole}numbers above 0, with commas between them")
    return found


def start(work: Callable[..., None] | None = None, /, **works: Callable[..., None]) -> None:
    """Run a function on the words of the command line, of several the one that the first names.

    ``--help`` says what they take.  Words that do not fit are refused.
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

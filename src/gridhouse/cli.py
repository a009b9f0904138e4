"""The command ``gridhouse``: the menu, and every game's exact program under the game's name."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Annotated

import typer

from gridhouse import __version__
from gridhouse.core.console import run
from gridhouse.core.registry import game_class, games
from gridhouse.table import menu

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    help="A house for grid games. Without a game's name it opens the menu.",
)
RAW = {"allow_extra_args": True, "ignore_unknown_options": True}


def _say_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def house(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Open the menu unless a game is named."""
    del version
    if context.invoked_subcommand is None:
        raise typer.Exit(run(menu, []))


@app.command()
def warm() -> None:
    """Compile every game ahead of time, so that no later start waits for it."""
    raise typer.Exit(run(_warm, []))


def _warm(_: list[str]) -> None:
    from rich.progress import track

    from gridhouse.core.compiling import cache_folder
    from gridhouse.search.engine import Engine

    # Every preset, because boards of other sizes may be compiled apart.
    loaded = [cls(**values) for cls in map(game_class, games()) for values in cls.presets.values()]
    for game in track(loaded, "Compiling"):
        Engine(game).play_outs(game.initial_position(0), 1)
    print(f"Compiled into {cache_folder()}")


def _add_game(name: str) -> None:
    """Add the command that runs a game's exact program, if it has one, on the words given."""
    module = f"gridhouse.games.{name}.program"
    if importlib.util.find_spec(module) is None:
        return
    cls = game_class(name)
    program = importlib.import_module(module)

    @app.command(
        name,
        help=f"{cls.title}. {cls.summary}\n\n{program.ABOUT}\n\n{cls.how_to_play}",
        short_help=cls.summary,
        options_metavar=program.USAGE,
        context_settings=RAW,
    )
    def command(context: typer.Context) -> None:
        raise typer.Exit(run(program.main, context.args))


def main() -> None:
    """Run the command."""
    for name in games():
        _add_game(name)
    app(prog_name="gridhouse")

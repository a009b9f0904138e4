"""Commands of the house: the menu, the browser, compiling, pictures, checks of a game, exports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gridhouse import __version__
from gridhouse.cli.app import PLAY, PROGRAMS, TOOLS, app
from gridhouse.core.console import UsageError, run
from gridhouse.core.extras import missing
from gridhouse.core.registry import games, parse
from gridhouse.terminal.menu import menu

TournamentOption = Annotated[
    Path | None,
    typer.Option(help="Show everybody a tournament's file, which may still be played."),
]


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


@app.command(rich_help_panel=PLAY)
def play(
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", help="The port; else 8017, or any free port.", min=0, max=65535),
    ] = None,
    opens: Annotated[
        bool, typer.Option("--open/--no-open", help="Open a browser where there is a screen.")
    ] = True,
    tournament: TournamentOption = None,
) -> None:
    """Open the house in the browser."""
    report = None
    if tournament is not None:
        from gridhouse.arena.reports.live import LiveReport

        report = LiveReport(tournament)
    try:
        from gridhouse.server import serve
    except ModuleNotFoundError as error:
        raise missing(str(error.name), "the house in the browser", "web") from None
    serve.play(host, port, opens, report)


@app.command(rich_help_panel=TOOLS)
def warm() -> None:
    """Compile every game ahead of time, so that later starts need not wait."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed

    from rich.progress import track

    from gridhouse.core.compile_queue import cache_folder, has_compiler
    from gridhouse.core.processes import safe_path
    from gridhouse.warming import all_units, warm_all

    if not has_compiler():
        raise missing("Numba", "compiling", "fast")
    # Separate processes, because the compiler holds the GIL; one for each game, because its boards
    # share code that is then compiled once.
    spawn = multiprocessing.get_context("spawn")
    with safe_path(), ProcessPoolExecutor(mp_context=spawn, initializer=_end_by_interrupt) as pool:
        by_game = [[unit for unit in all_units() if unit.game.name == name] for name in games()]
        waiting = as_completed([pool.submit(warm_all, units) for units in by_game])
        try:
            for done in track(waiting, "Compiling", total=len(by_game)):
                done.result()
        except BaseException:
            for child in multiprocessing.active_children():
                child.terminate()  # an unfinished compilation is useless
            raise
    print(f"Compiled into {cache_folder()}")


def _end_by_interrupt() -> None:
    """End this process silently on an interrupt; the parent process reports it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


@app.command(rich_help_panel=TOOLS)
def picture(
    position: Annotated[str, typer.Argument(help="A position's text, or game(parameters)#seed.")],
    out: Annotated[
        str, typer.Option("--out", "-o", help="The file to write; else standard output.")
    ] = "",
    player: Annotated[
        int | None, typer.Option("--player", help="The viewer, 1 or 2; else the player to move.")
    ] = None,
    theme: Annotated[str, typer.Option("--theme", help="auto, light, dark or contrast.")] = "auto",
    camera: Annotated[
        int | None, typer.Option("--camera", help="The viewpoint, in Sinks 0 (above) to 8.")
    ] = None,
) -> None:
    """Draw a position as SVG."""
    state = parse(position)
    count = state.game.num_players
    if player is not None and not 1 <= player <= count:
        raise UsageError(f"--player {player}: the players are 1 to {count}")
    svg = state.picture(None if player is None else player - 1, camera=camera).svg(theme)
    if not out:
        print(svg, end="")
        return
    try:
        with open(out, "w", encoding="utf-8") as file:
            file.write(svg)
    except OSError as error:
        raise UsageError(f"{out!r}: {error.strerror}") from None


@app.command("check-game", rich_help_panel=TOOLS)
def check_game(
    name: Annotated[str, typer.Argument(help="The name of the game's folder.")],
) -> int:
    """Play and compile a game, and report problems of its rules."""
    from gridhouse.conformance import check_game

    report = check_game(name)
    print("\n".join([*report.tried, *(f"Wrong: {each}" for each in report.problems)]))
    return 1 if report.problems else 0


@app.command(rich_help_panel=PROGRAMS)
def export(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    folder: Annotated[
        str, typer.Argument(help="The folder for its program, '.' for the current one.")
    ],
    name: Annotated[
        str, typer.Option("--name", help="One of several scripts, for instance a4.py.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing script.")] = False,
) -> None:
    """Write a game's program into files that run with a bare Python 3.8 or later."""
    from gridhouse.export import export

    print("\n".join(export(game, folder, name, force=force)))

"""The command ``gridhouse``: the menu, tools, and every game's exact program."""

from __future__ import annotations

import typer  # noqa: TC002  # it looks the types up

from gridhouse.cli import admin, arena, grading, house  # noqa: F401  # they add their commands
from gridhouse.cli.app import PANELS, PROGRAMS, RAW, SOLVE, app, solving, verifying
from gridhouse.core.components import component
from gridhouse.core.registry import game_class, games

__all__ = ["PANELS", "complete_app", "main", "solving", "verifying"]


def _add_game(name: str) -> None:
    """Add the command that runs a game's exact program, if it has one."""
    cls = game_class(name)
    program = component(cls, "program")
    if program is None:
        return

    @app.command(
        name,
        help=f"{cls.title}. {cls.summary}\n\n{program.ABOUT}\n\n{cls.how_to_play}",
        short_help=cls.summary,
        options_metavar=program.USAGE,
        rich_help_panel=PROGRAMS,
        context_settings=RAW,
    )
    def command(context: typer.Context) -> int | None:
        status: int | None = program.main(context.args)
        return status


def _add_solver(name: str) -> None:
    """Add the commands that solve a game's positions and verify solutions, if it has them."""
    cls = game_class(name)
    module = component(cls, "solver.command")
    if module is not None:
        solving.command(name, short_help=cls.summary)(module.command)
        if hasattr(module, "verify_command"):
            verifying.command(name, short_help=cls.summary)(module.verify_command)


def complete_app() -> typer.Typer:
    """Return the command with those of all games."""
    # The games may have been added by an earlier call, as in tests.
    known = {command.name for command in app.registered_commands}
    for name in games():
        if name not in known:
            _add_game(name)
            _add_solver(name)
    groups = [info.typer_instance for info in app.registered_groups]
    for group in (solving, verifying):
        if group.registered_commands and group not in groups:
            app.add_typer(group, rich_help_panel=SOLVE)
    return app


def main() -> None:
    """Run the command."""
    complete_app()(prog_name="gridhouse")

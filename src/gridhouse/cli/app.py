"""The command and its groups, before they have commands, and options that commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from gridhouse.core.console import run

if TYPE_CHECKING:
    from collections.abc import Callable

PANELS = PLAY, SOLVE, ARENA, GRADE, PROGRAMS, TOOLS = (
    "Play",
    "Solve",
    "Match players",
    "Grade",
    "The exact programs",
    "Tools",
)
WIDEST = 100  # characters of a line of help
LONGEST = 200  # characters of a command's summary
PLAIN: Any = {"rich_markup_mode": None}  # formatted help would double the start-up time


class Panels(typer.core.TyperGroup):
    """A command group whose help lists the commands by panels."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each panel's commands, in the order in which they were added."""
        del ctx
        for panel in PANELS:
            rows = [
                (name, command.get_short_help_str(LONGEST))
                for name, command in self.commands.items()
                if getattr(command, "rich_help_panel", None) == panel
            ]
            with formatter.section(panel):
                formatter.write_dl(rows)


class Command(typer.core.TyperCommand):
    """A command whose errors are one line, and whose result is the status."""

    def invoke(self, ctx: Any) -> None:
        """Run the command."""
        raise typer.Exit(run(lambda _: super(Command, self).invoke(ctx), []))


class Commands(typer.Typer):
    """Commands whose errors are one line, and whose results are their status."""

    def command(self, *words: Any, **options: Any) -> Callable[[Any], Any]:
        """Add a function as a command."""
        return super().command(*words, cls=Command, **options)


app = Commands(
    cls=Panels,
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    **PLAIN,
    context_settings={"max_content_width": WIDEST},
    help="A house for grid games. Without a game's name it opens the menu.",
)
GROUP: Any = {"no_args_is_help": True, **PLAIN}
solving = Commands(name="solve", help="Solve a position exactly.", **GROUP)
verifying = Commands(name="verify", help="Replay solutions by the rules.", **GROUP)
RAW = {"allow_extra_args": True, "ignore_unknown_options": True}

PythonOption = Annotated[str, typer.Option(help="The Python that runs programs, or its version.")]
BuildOption = Annotated[
    str, typer.Option("--build", help="The command that builds a program in another language.")
]
RunOption = Annotated[str, typer.Option("--run", help="The command that runs such a program.")]
SandboxOption = Annotated[
    bool,
    typer.Option(
        "--require-sandbox", help="Refuse to run a program that files or network are open to."
    ),
]

"""The command ``gridhouse``: the menu, tools, and every game's exact program."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # typer reads it
from typing import Annotated, Any

import typer
import typer.core

from gridhouse import __version__
from gridhouse.core.components import component
from gridhouse.core.console import UsageError, run
from gridhouse.core.registry import game_class, games, parse
from gridhouse.terminal.menu import menu

PANELS = PLAY, SOLVE, GRADE, PROGRAMS, TOOLS = (
    "Play",
    "Solve",
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


app = typer.Typer(
    cls=Panels,
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    **PLAIN,
    context_settings={"max_content_width": WIDEST},
    help="A house for grid games. Without a game's name it opens the menu.",
)
GROUP: Any = {"no_args_is_help": True, **PLAIN}
solving = typer.Typer(name="solve", help="Solve a position exactly.", **GROUP)
verifying = typer.Typer(name="verify", help="Replay solutions by the rules.", **GROUP)
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
) -> None:
    """Open the house in the browser."""

    def serve(_: list[str]) -> None:
        try:
            from gridhouse.server import serve
        except ModuleNotFoundError as error:
            missing = f"{error.name} is missing; the house in the browser needs the extra web"
            raise UsageError(missing) from None
        serve.play(host, port, opens)

    raise typer.Exit(run(serve, []))


@app.command(rich_help_panel=TOOLS)
def warm() -> None:
    """Compile every game ahead of time, so that later starts need not wait."""
    raise typer.Exit(run(_warm, []))


def _warm(_: list[str]) -> None:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed

    from rich.progress import track

    from gridhouse.core.compile_queue import cache_folder
    from gridhouse.core.processes import safe_path
    from gridhouse.warming import all_units, warm_all

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
) -> None:
    """Draw a position as SVG."""

    def draw(_: list[str]) -> None:
        state = parse(position)
        count = state.game.num_players
        if player is not None and not 1 <= player <= count:
            raise UsageError(f"--player {player}: the players are 1 to {count}")
        svg = state.picture(None if player is None else player - 1).svg(theme)
        if not out:
            print(svg, end="")
            return
        try:
            with open(out, "w", encoding="utf-8") as file:
                file.write(svg)
        except OSError as error:
            raise UsageError(f"{out!r}: {error.strerror}") from None

    raise typer.Exit(run(draw, []))


@app.command("check-game", rich_help_panel=TOOLS)
def check_game(
    name: Annotated[str, typer.Argument(help="The name of the game's folder.")],
) -> None:
    """Play and compile a game, and report problems of its rules."""

    def check(_: list[str]) -> int:
        from gridhouse.conformance import check_game

        report = check_game(name)
        print("\n".join([*report.tried, *(f"Wrong: {each}" for each in report.problems)]))
        return 1 if report.problems else 0

    raise typer.Exit(run(check, []))


PythonOption = Annotated[str, typer.Option(help="The Python that runs programs.")]
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


@app.command("check", rich_help_panel=GRADE)
def check_program(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    program: Annotated[Path, typer.Argument(help="The program's file, or the folder it is in.")],
    profile: Annotated[
        str,
        typer.Option(
            help="What counts: strict, trailing (blanks at line ends do not), course (as the "
            "course's own tests), tokens (no white space) or caseless."
        ),
    ] = "course",
    sessions: Annotated[int, typer.Option(help="Sessions to run at most.", min=1)] = 300,
    seed: Annotated[str, typer.Option(help="Sessions are drawn with this seed.")] = "0",
    python: PythonOption = "",
    build: BuildOption = "",
    command: RunOption = "",
    seconds: Annotated[float, typer.Option(help="Time of one session.", min=0.1)] = 5.0,
    part: Annotated[
        list[str] | None, typer.Option(help="Check this part only; more than once for more parts.")
    ] = None,
    svg: Annotated[str, typer.Option(help="Write a picture of the position here.")] = "",
    require_sandbox: SandboxOption = False,
    watch: Annotated[bool, typer.Option("--watch", help="Check again when it changes.")] = False,
) -> None:
    """Compare a program with the document's, and show the shortest session that differs."""

    def check(_: list[str]) -> int:
        from gridhouse.grading.check_command import Options, check_command
        from gridhouse.grading.submissions import Commands

        commands = Commands(python, build, command)
        options = Options(
            profile, sessions, seed, commands, seconds, part or [], svg, require_sandbox
        )
        return check_command(game, program, options, watch=watch)

    raise typer.Exit(run(check, []))


@app.command("grade", rich_help_panel=GRADE)
def grade_class(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    submissions: Annotated[
        Path, typer.Argument(help="A folder or an archive with one file or folder a submission.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder for the reports.")
    ] = None,
    rubric: Annotated[
        Path | None, typer.Option(help="A rubric; gridhouse rubric GAME prints one to begin with.")
    ] = None,
    python: PythonOption = "",
    build: BuildOption = "",
    command: RunOption = "",
    single: Annotated[bool, typer.Option("--single", help="It is one submission.")] = False,
    workers: Annotated[
        int, typer.Option(help="Submissions at a time; one a processor by default.", min=0)
    ] = 0,
    store: Annotated[
        Path | None, typer.Option(help="Keep grades in this file, and go on from there.")
    ] = None,
    shard: Annotated[str, typer.Option(help="Grade a part only, 2/5 for the second of 5.")] = "",
    merge: Annotated[
        list[Path] | None, typer.Option(help="Take grades from this store of another shard.")
    ] = None,
    ray: Annotated[
        str | None, typer.Option(help="Grade on this Ray cluster: its address, or auto.")
    ] = None,
    require_sandbox: SandboxOption = False,
) -> None:
    """Grade the programs of a class, and write reports."""

    def grade(_: list[str]) -> int:
        from gridhouse.grading.grade_command import Options, grade_command
        from gridhouse.grading.submissions import Commands

        options = Options(
            Commands(python, build, command),
            rubric,
            output,
            store,
            merge or [],
            shard,
            single,
            workers,
            ray,
            require_sandbox,
        )
        return grade_command(game, submissions, options)

    raise typer.Exit(run(grade, []))


@app.command("package", rich_help_panel=GRADE)
def package_grader(
    system: Annotated[str, typer.Argument(help="gradescope, classroom50, github or gitlab.")],
    game: Annotated[str, typer.Argument(help="The game's name.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The zip file to write.")],
    rubric: Annotated[
        Path | None, typer.Option(help="A rubric; gridhouse rubric GAME prints one to begin with.")
    ] = None,
    build: BuildOption = "",
    command: RunOption = "",
    apt: Annotated[
        list[str] | None,
        typer.Option(help="Install this Debian package there, a compiler for instance."),
    ] = None,
    wheels: Annotated[
        Path | None, typer.Option(help="Take what Gridhouse needs from here, not from PyPI.")
    ] = None,
    allow_plain: Annotated[
        bool,
        typer.Option("--allow-plain", help="Grade without a safe sandbox too; see the document."),
    ] = False,
) -> None:
    """Write what grades in another system: an autograder or a workflow."""

    def write(_: list[str]) -> None:
        from gridhouse.grading.packages import Options, package_command

        options = Options(rubric, output, build, command, apt or [], wheels, allow_plain)
        package_command(system, game, options)

    raise typer.Exit(run(write, []))


@app.command("rubric", rich_help_panel=GRADE)
def print_rubric(game: Annotated[str, typer.Argument(help="The game's name.")]) -> None:
    """Print the rubric of a game's document, to change and to grade with."""

    def write(_: list[str]) -> None:
        from gridhouse.grading.rubric import default_rubric, rubric_text

        print(rubric_text(default_rubric(game)), end="")

    raise typer.Exit(run(write, []))


@app.command(rich_help_panel=GRADE)
def audit(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    tests: Annotated[Path, typer.Argument(help="A file of commands, or a folder of outputs.")],
    arguments: Annotated[
        str, typer.Option(help="The program's arguments, where a test has none of its own.")
    ] = "",
    call: Annotated[
        str, typer.Option(help="Call this function, 'main()' for instance, not the program.")
    ] = "",
    seed: Annotated[float, typer.Option(help="The seed of random before calls.")] = 0.0,
    seconds: Annotated[float, typer.Option(help="Time of one session.", min=0.1)] = 5.0,
    require_sandbox: SandboxOption = False,
    write: Annotated[
        str, typer.Option(help="Write tests that find the missed faults to this file or folder.")
    ] = "",
) -> None:
    """Tell what a course's own tests expect wrongly, and which faults they miss."""

    def check(_: list[str]) -> int:
        from gridhouse.grading.audit import Options, audit_command

        options = Options(arguments, call, seed, seconds, require_sandbox, write)
        return audit_command(game, tests, options)

    raise typer.Exit(run(check, []))


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

    def write(_: list[str]) -> None:
        from gridhouse.export import export

        print("\n".join(export(game, folder, name, force=force)))

    raise typer.Exit(run(write, []))


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
    def command(context: typer.Context) -> None:
        raise typer.Exit(run(program.main, context.args))


def _add_solver(name: str) -> None:
    """Add the commands that solve a game's positions and verify solutions, if it has them."""
    cls = game_class(name)
    module = component(cls, "solver.command")
    if module is not None:
        solving.command(name, short_help=cls.summary)(module.command)
        if hasattr(module, "verify_command"):
            verifying.command(name, short_help=cls.summary)(module.verify_command)


def main() -> None:
    """Run the command."""
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
    app(prog_name="gridhouse")

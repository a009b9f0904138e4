"""Commands that grade programs."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # typer reads it
from typing import Annotated

import typer

from gridhouse.cli.app import GRADE, BuildOption, PythonOption, RunOption, SandboxOption, app


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
) -> int:
    """Compare a program with the document's, and show the shortest session that differs."""
    from gridhouse.grading.check_command import Options, check_command
    from gridhouse.grading.submissions import Commands

    commands = Commands(python, build, command)
    options = Options(profile, sessions, seed, commands, seconds, part or [], svg, require_sandbox)
    return check_command(game, program, options, watch=watch)


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
) -> int:
    """Grade the programs of a class, and write reports."""
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
    from gridhouse.grading.packages import Options, package_command

    options = Options(rubric, output, build, command, apt or [], wheels, allow_plain)
    package_command(system, game, options)


@app.command("rubric", rich_help_panel=GRADE)
def print_rubric(game: Annotated[str, typer.Argument(help="The game's name.")]) -> None:
    """Print the rubric of a game's document, to change and to grade with."""
    from gridhouse.grading.rubric import default_rubric, rubric_text

    print(rubric_text(default_rubric(game)), end="")


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
) -> int:
    """Tell what a course's own tests expect wrongly, and which faults they miss."""
    from gridhouse.grading.audit import Options, audit_command

    options = Options(arguments, call, seed, seconds, require_sandbox, write)
    return audit_command(game, tests, options)

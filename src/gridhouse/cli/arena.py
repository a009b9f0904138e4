"""Commands that let players meet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridhouse.cli.app import ARENA, app
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from gridhouse.arena.tournament_command import Options

TimeOption = Annotated[
    str, typer.Option("--time", help="A clock in seconds with an increment, for instance 5+0.05.")
]
LimitOption = Annotated[
    str, typer.Option(help="Of a move: 0.1s, 20000n (nodes) or 2000p (playouts).")
]
GameOption = Annotated[
    str, typer.Option(help='The game, with parameters if wanted: "sinks(rows=10,cols=10)".')
]
StoreOption = Annotated[
    Path | None, typer.Option(help="Keep the games here, and go on from there when interrupted.")
]
ConcurrencyOption = Annotated[
    int, typer.Option(help="Games at a time; else one on each core.", min=0)
]
ReportOption = Annotated[
    Path | None, typer.Option("-o", "--report", help="Write pages into this folder.")
]
ExportOption = Annotated[
    Path | None, typer.Option("--export", help="Write all games to a .txt, .csv or .json file.")
]
RayOption = Annotated[
    str | None, typer.Option(help="Play on the Ray cluster at this address; 'local' starts one.")
]
HouseOption = Annotated[str, typer.Option(help="The house that pages link positions to.")]
ProofOption = Annotated[bool, typer.Option(help="End games whose result a solver proves.")]
LengthOption = Annotated[
    int, typer.Option(help="Count a game of so many moves as a draw; 0 for never.", min=0)
]
AgreementOption = Annotated[
    int,
    typer.Option(help="End games in which both sides agree for so many moves each.", min=0),
]
SeedOption = Annotated[int, typer.Option(help="Draws the openings.", min=0)]


@app.command(rich_help_panel=ARENA)
def match(
    first: Annotated[str, typer.Argument(help="A player of the house, or a program's command.")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    game: GameOption,
    games: Annotated[int, typer.Option(help="Games to play at most, an even number.", min=2)] = 100,
    time: TimeOption = "",
    limit: LimitOption = "",
    margin: Annotated[
        float | None, typer.Option(help="Seconds over a limit that are forgiven.", min=0)
    ] = None,
    book: Annotated[str, typer.Option(help="A file of openings, one a line.")] = "",
    plies: Annotated[
        int | None, typer.Option(help="Random moves of an opening; else as the game needs.", min=0)
    ] = None,
    seed: SeedOption = 0,
    sprt: Annotated[
        str, typer.Option(help="Stop as soon as a test between two Elo differences decides: 0,20.")
    ] = "",
    proof: ProofOption = False,
    agreement: AgreementOption = 0,
    length: LengthOption = 0,
    sandbox: Annotated[
        bool, typer.Option("--sandbox/--no-sandbox", help="Run programs behind walls.")
    ] = True,
    concurrency: ConcurrencyOption = 0,
    store: StoreOption = None,
    report: ReportOption = None,
    export: ExportOption = None,
    house: HouseOption = "",
    ray: RayOption = None,
) -> None:
    """Play a match of two players and tell who is the stronger, and by how much."""
    settings: dict[str, Any] = {
        "game": game,
        "players": [first, second] if first != second else _told_apart(first),
        "games": games,
        "sandbox": sandbox,
        "openings": _given(book=book, plies=plies, seed=seed),
        "adjudication": {"proof": proof, "agreement": agreement, "length": length},
        **_given(time=time, limit=limit, margin=margin),
    }

    from gridhouse.arena.tournament_command import Options, play_tournament
    from gridhouse.arena.tournament_file import parse_tournament

    if sprt:
        settings["sprt"] = _bounds(sprt)
    options = Options(store, concurrency, ray, report, export, house)
    play_tournament(parse_tournament(settings), options)


def _told_apart(player: str) -> list[dict[str, str]]:
    """Return a player twice, with two names."""
    return [{"name": f"{player} ({number})", "player": player} for number in (1, 2)]


def _given(**settings: object) -> dict[str, object]:
    """Return the settings that are given."""
    return {name: value for name, value in settings.items() if value not in ("", None)}


def _bounds(text: str) -> dict[str, float]:
    """Return the bounds of a test; raises UsageError."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise UsageError(f"--sprt {text}: give two Elo differences, for instance 0,20") from None
    return {"elo0": low, "elo1": high}


@app.command(rich_help_panel=ARENA)
def tournament(
    file: Annotated[
        Path | None, typer.Argument(help="The tournament's file, in TOML; see the document.")
    ] = None,
    submissions: Annotated[
        Path | None,
        typer.Option("--class", help="Let all submissions in this folder meet instead."),
    ] = None,
    game: Annotated[str, typer.Option(help="With --class: the game.")] = "",
    time: TimeOption = "",
    limit: LimitOption = "",
    games: Annotated[int, typer.Option(help="With --class: games of each pairing.", min=2)] = 2,
    form: Annotated[
        str,
        typer.Option(
            "--format", help="With --class: round-robin, gauntlet, knock-out, swiss or ladder."
        ),
    ] = "round-robin",
    concurrency: ConcurrencyOption = 0,
    store: StoreOption = None,
    report: ReportOption = None,
    export: ExportOption = None,
    house: HouseOption = "",
    ray: RayOption = None,
) -> None:
    """Play a tournament, or what is left of it: round robin, gauntlet, knock-out, Swiss, ladder."""
    settings = {"game": game, "games": games, "format": form, **_given(time=time, limit=limit)}

    from gridhouse.arena.tournament_command import Options, class_tournament, play_tournament
    from gridhouse.arena.tournament_file import load_tournament

    if (file is None) == (submissions is None):
        raise UsageError("give a tournament's file, or a folder with --class")
    options: Options = Options(store, concurrency, ray, report, export, house, "Tournament")
    if submissions is not None:
        play_tournament(class_tournament(submissions, settings), options)
    elif file is not None:
        play_tournament(load_tournament(file), options)


@app.command(rich_help_panel=ARENA)
def replay(
    file: Annotated[Path, typer.Argument(help="The file of a match or a tournament.")],
    number: Annotated[int | None, typer.Argument(help="The game; else all are listed.")] = None,
) -> None:
    """Show a game of a match move by move."""
    from gridhouse.arena.tournament_command import replay_file

    replay_file(file, number)


@app.command(rich_help_panel=ARENA)
def compliance(
    command: Annotated[str, typer.Argument(help="A program's command, in quotes.")],
    sandbox: Annotated[
        bool, typer.Option("--sandbox/--no-sandbox", help="Run it behind walls.")
    ] = True,
) -> int:
    """Hold a program to the engine protocol, and say line by line what it does wrong."""
    from gridhouse.arena.competitors.specs import starter_of
    from gridhouse.arena.compliance import check

    found = check(starter_of(command, sandboxed=sandbox))
    print(found)
    return found.status


@app.command(rich_help_panel=ARENA)
def engine(
    player: Annotated[str, typer.Argument(help="A player of the house: level:8.")] = "level:8",
) -> None:
    """Speak the engine protocol, with a player of the house."""
    from gridhouse.arena.engine_program import main

    main(player)


@app.command("opening-book", rich_help_panel=ARENA)
def opening_book(
    game: GameOption,
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    count: Annotated[int, typer.Option(help="Openings.", min=1)] = 100,
    plies: Annotated[int | None, typer.Option(help="Random moves of each.", min=0)] = None,
    seed: SeedOption = 0,
) -> None:
    """Write balanced openings of a game, from which matches begin."""
    from gridhouse.arena.openings import make_book
    from gridhouse.arena.tournament_file import read_game

    make_book(read_game("--game", game), count, file, seed=seed, plies=plies)


@app.command(rich_help_panel=ARENA)
def tune(
    player: Annotated[str, typer.Argument(help="The player whose constants are tuned: alphabeta.")],
    game: GameOption,
    constant: Annotated[
        list[str],
        typer.Option(help="NAME=START:LOW:HIGH[:STEP], without START from its default; repeat it."),
    ],
    pairs: Annotated[int, typer.Option(help="Pairs of games of an iteration.", min=1)] = 32,
    iterations: Annotated[int, typer.Option(help="Iterations.", min=1)] = 100,
    limit: LimitOption = "2000n",
    seed: SeedOption = 0,
    concurrency: ConcurrencyOption = 0,
    store: StoreOption = None,
) -> None:
    """Tune constants of an evaluation or a player by matches (SPSA)."""
    from gridhouse.arena.tune_command import tune, tuning_of

    tuning = tuning_of(
        player, game, constant, pairs=pairs, iterations=iterations, limit=limit, seed=seed
    )
    tune(tuning, store, concurrency)

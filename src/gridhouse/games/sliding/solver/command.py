"""The commands ``gridhouse solve sliding`` and ``gridhouse verify sliding``."""

from __future__ import annotations

import json
from functools import partial
from math import isqrt
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridhouse.core import solving
from gridhouse.core.console import UsageError, read_file
from gridhouse.core.errors import GridhouseError
from gridhouse.core.notation import shown
from gridhouse.games.sliding import game, rules, solver
from gridhouse.games.sliding.solver.puzzle import MOVES

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.games.sliding.rules import Position

    # Returns a position, and whether it is rotated by half a circle.
    Reader = Callable[[], tuple[Position, bool]]

BLANKS = ("first", "last")
POSITION = f"{game.GAME.name}("  # how the text of a position begins
ROTATED = {"U": "D", "D": "U", "L": "R", "R": "L"}

Puzzle = Annotated[
    str | None,
    typer.Argument(help="Letters row by row, a blank for the empty cell; or a position's text."),
]
Goal = Annotated[str | None, typer.Option(help="The letters of the solution, row by row.")]
Tiles = Annotated[str | None, typer.Option(help="Numbers row by row instead, 0 is the empty cell.")]
Rows = Annotated[int | None, typer.Option(help="Rows, of a board that is not square.")]
Blank = Annotated[str, typer.Option(help="Where the empty cell ends, of numbers: first or last.")]
File = Annotated[
    str | None,
    typer.Option(help="Solve one puzzle a line: PUZZLE/SOLUTION, a position, or numbers."),
]


def command(
    puzzle: Puzzle = None,
    goal: Goal = None,
    tiles: Tiles = None,
    rows: Rows = None,
    blank: Blank = BLANKS[1],
    file: File = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    optimal: Annotated[bool, typer.Option(help="Go on until a shortest one is proved.")] = False,
    time: Annotated[float | None, typer.Option(help="Seconds for one puzzle.")] = None,
    within: Annotated[float | None, typer.Option(help="Stop at so many times the bound.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads, all cores by default.")] = None,
) -> int:
    """Solve a sliding puzzle in few moves: of letters, or of numbers with --tiles.

    Ctrl-C ends the search with what it has found, and leaves out the puzzles after it.
    """

    def solve(read: Reader) -> solving.Solution:
        position, is_rotated = read()
        try:
            found = solver.solve_position(
                position, seconds=time, optimal=optimal, within=within, threads=threads
            )
        except GridhouseError as error:
            raise UsageError(f"{puzzle_name(position, is_rotated)}: {error}") from None
        if is_rotated:
            found = solver.Solution(rotated(found.moves), found.bound, found.nodes, found.seconds)
        return found

    puzzles = puzzle_readers(puzzle, goal, tiles, rows, blank, file)
    if file is not None:
        solver.check_options(time, within, threads)
        return solving.answer_each(puzzles, solve, as_json=as_json)
    solving.tell(solve(puzzles[0]), as_json=as_json)
    return 0


def verify_command(
    solutions: Annotated[
        str, typer.Argument(help="What gridhouse solve --json printed, or moves.")
    ],
    puzzle: Annotated[str | None, typer.Option(help="Letters row by row.")] = None,
    goal: Goal = None,
    tiles: Tiles = None,
    rows: Rows = None,
    blank: Blank = BLANKS[1],
    file: File = None,
) -> int:
    """Replay the solutions of a file by the rules, one a puzzle, one a line."""
    lines = [line for line in read_file(solutions).split("\n") if line.strip()]
    puzzles = puzzle_readers(puzzle, goal, tiles, rows, blank, file)
    if len(lines) != len(puzzles):
        raise UsageError(f"{len(lines)} solutions for {len(puzzles)} puzzles")
    status = 0
    for number, (line, read) in enumerate(zip(lines, puzzles, strict=True), 1):
        try:
            position, is_rotated = read()
            moves = moves_of(line)
            reason = refutation(position, rotated(moves) if is_rotated else moves)
            verdict = f"{len(moves)} moves, {reason or 'solved'}"
        except (GridhouseError, UsageError) as error:
            verdict = reason = f"Error: {error}"
        if reason:
            status = solving.EXIT_FAILED
        print(f"{number}: {verdict}")
    return status


def moves_of(line: str) -> str:
    """Return the moves of a line: JSON with ``moves``, or the moves themselves."""
    if not line.lstrip().startswith("{"):
        return line.strip()
    try:
        moves = json.loads(line)["moves"]
    except (ValueError, KeyError):
        moves = None
    if not isinstance(moves, str):
        raise UsageError(f"{shown(line)} is not an object with moves")
    return moves


def refutation(position: Position, moves: str) -> str:
    """Return the reason why moves do not solve a puzzle, empty if they do."""
    replayed = position.copy()
    for number, letter in enumerate(moves, 1):
        if letter not in MOVES:
            return f"move {number}, {shown(letter)}, is not one of U, D, L and R"
        if rules.is_terminal(replayed):
            return f"move {number}, {letter}, comes after the puzzle is solved"
        if rules.refusal(replayed, MOVES.index(letter)):
            return f"move {number}, {letter}, is not legal"
        rules.apply_action(replayed, MOVES.index(letter))
    return "" if rules.is_terminal(replayed) else "not solved"


def rotated(moves: str) -> str:
    """Return moves on the board rotated by half a circle."""
    return "".join(ROTATED.get(move, move) for move in moves)


def puzzle_name(position: Position, is_rotated: bool) -> str:
    """Return a puzzle as it was given, for errors."""
    if position.goal != goal_numbers(len(position.tiles)):
        return shown(game.puzzle_text(position))
    numbers = rotated_numbers(position.tiles) if is_rotated else position.tiles
    return shown(" ".join(map(str, numbers)))


def goal_numbers(cells: int) -> list[int]:
    """Return the solution of numbers; the last tile stands for the empty cell."""
    return list(range(1, cells + 1))


def rotated_numbers(numbers: list[int]) -> list[int]:
    """Return a board of numbers rotated by half a circle, with its tiles renumbered."""
    return [len(numbers) - number if number else 0 for number in reversed(numbers)]


def puzzle_readers(
    puzzle: str | None, goal: str | None, tiles: str | None, rows: int | None, blank: str,
    file: str | None,
) -> list[Reader]:  # fmt: skip
    """Return one function a puzzle, which parses it; raises UsageError."""
    if blank not in BLANKS:
        raise UsageError(f"--blank {shown(blank)} is neither first nor last")
    if sum(source is not None for source in (puzzle, tiles, file)) != 1:
        raise UsageError("one of a puzzle, --tiles and --file is needed")
    if puzzle is not None and goal is None and puzzle.startswith(POSITION):
        return [partial(parse_line, puzzle, rows, blank)]
    if (puzzle is None) != (goal is None):
        raise UsageError("a puzzle of letters and --goal belong together")
    if file is not None:
        lines = filter(str.strip, read_file(file).split("\n"))
        return [partial(parse_line, line, rows, blank) for line in lines]
    if tiles is not None:
        return [partial(parse_numbers, tiles, rows, blank)]
    return [lambda: (parse_letters(str(puzzle), str(goal), rows), False)]


def parse_line(line: str, rows: int | None, blank: str) -> tuple[Position, bool]:
    """Return the puzzle of a line: a position as it is saved, letters with a slash, or numbers."""
    if line.startswith(POSITION):
        from gridhouse.core.registry import parse

        position: Any = parse(line).position
        return position, False
    puzzle, slash, goal = line.partition(game.SEPARATOR)
    if slash:
        return parse_letters(puzzle, goal, rows), False
    return parse_numbers(line, rows, blank)


def board_sides(count: int, rows: int | None, text: str) -> tuple[int, int]:
    """Return rows and columns of a board of ``count`` cells; raises UsageError without any."""
    high = isqrt(count) if rows is None else rows
    wide = count // high if high > 0 else 0
    low, most = rules.MIN_SIDE, rules.MAX_SIDE
    if high * wide != count or not (low <= high <= most and low <= wide <= most):
        board = "square" if rows is None else f"board of {rows} rows"
        raise UsageError(f"{shown(text)}: {count} cells are no {board} of sides {low} to {most}")
    return high, wide


def parse_letters(puzzle: str, goal: str, rows: int | None) -> Position:
    """Return the puzzle of two texts; blanks missing at the end are added."""
    puzzle = puzzle.ljust(len(goal))
    if len(puzzle) > len(goal):
        sizes = f"{len(puzzle)} and {len(goal)} cells"
        raise UsageError(f"{shown(puzzle)} and {shown(goal)} are boards of {sizes}")
    high, wide = board_sides(len(goal), rows, goal)
    letters, wanted = sorted(puzzle), sorted(game.BLANK + goal[:-1])
    if letters != wanted:
        over = remove_letters(letters, wanted)
        missing = remove_letters(wanted, letters)
        raise UsageError(
            f"{shown(puzzle)} and {shown(goal)} have other letters: the puzzle should have "
            f"{shown(missing)} in place of {shown(over)} (the solution's last letter is left out)"
        )
    return game.GAME(rows=high, cols=wide).read(puzzle + game.SEPARATOR + goal)


def remove_letters(letters: list[str], others: list[str]) -> str:
    """Return the letters without the others, each taken out once."""
    left = letters[:]
    for letter in others:
        if letter in left:
            left.remove(letter)
    return "".join(left)


def parse_numbers(text: str, rows: int | None, blank: str) -> tuple[Position, bool]:
    """Return the puzzle of numbers, rotated by half a circle if its empty cell ends first."""
    try:
        numbers = [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise UsageError(f"{shown(text)}: these are not numbers") from None
    high, wide = board_sides(len(numbers), rows, text)
    cells = high * wide
    if sorted(numbers) != list(range(cells)):
        raise UsageError(f"{shown(text)}: every number from 0 to {cells - 1} is needed once")
    is_rotated = blank == BLANKS[0]
    if is_rotated:
        numbers = rotated_numbers(numbers)
    position = rules.Position(tiles=cells)
    position.rows, position.cols = high, wide
    position.tiles = numbers
    position.goal = goal_numbers(cells)
    rules.start(position)
    return position, is_rotated

"""A game in the terminal, move by move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.arena.reports import texts
from gridhouse.arena.reports.positions import positions
from gridhouse.core.console import UsageError, read_line
from gridhouse.reporting.text import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gridhouse.arena.records import GameRecord, PlayedMove

PROMPT = "[Enter] next move, [q] end: "


def replay(records: Sequence[GameRecord], number: int | None = None, *, ask: bool) -> None:
    """Print a game; of several games without a number, the list of them.

    With ``ask`` it waits for the Enter key before each move.  Raises UsageError for a number of no
    game, and for a game that cannot have been played.
    """
    if number is None and len(records) != 1:
        for record in records:
            print(title(record))
        return
    for block in blocks(chosen(records, number)):
        print(block)
        if ask and read_line(PROMPT).strip().lower() == "q":
            return


def chosen(records: Sequence[GameRecord], number: int | None) -> GameRecord:
    """Return the game of a number, or the only one; raises UsageError."""
    for record in records:
        if number is None or record.number == number:
            return record
    numbers = [record.number for record in records]
    known = f"; there are {min(numbers)} to {max(numbers)}" if numbers else ""
    raise UsageError(f"there is no game {number}{known}")


def title(record: GameRecord) -> str:
    """Return a game in one line."""
    players = " - ".join(map(harmless, record.players))
    end = f"{texts.result(record)} ({texts.end(record)})"
    return f"Game {record.number}: {players}, {end}, {len(record.moves)} moves"


def blocks(record: GameRecord) -> Iterator[str]:
    """Yield the start of a game, then each move and its board, and the end with the last one."""
    mover = 0
    for number, state in enumerate(positions(record)):
        board = f"{state.board()}\n{state.game.status(state.position)}".rstrip() + "\n"
        if number:
            side = state.game.players[mover]
            head = _said(number, side, record.players[mover], record.moves[number - 1])
        else:
            head = title(record)
        end = f"{texts.result(record)}, {texts.end(record)}\n"
        yield f"{head}\n\n{board}" + (f"\n{end}" if number == len(record.moves) else "")
        mover = state.current_player()


def _said(number: int, side: str, name: str, move: PlayedMove) -> str:
    """Return a move with what was said of it."""
    said = [texts.seconds(move.seconds)]
    said += [f"value {texts.signed(move.value, 2)}"] if move.value is not None else []
    said += [f"work {move.work}"] if move.work else []
    return f"{number}. {side} ({harmless(name)}): {harmless(move.text)}  [{', '.join(said)}]"

"""The games of a match as text that is read back, as CSV and as JSON.

The text has for each game lines ``[Name "value"]``, an empty line, and a line for each move::

    12. 3 4 r {0.051 s; value +0.35; work 1200}

A value in quotes has escapes as in JSON, and so has a move that is not plain.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING

from gridhouse.arena.records import GameRecord, PlayedMove, Termination
from gridhouse.arena.reports.positions import movers
from gridhouse.arena.reports.texts import RESULTS
from gridhouse.core.console import UsageError, read_file, write_whole
from gridhouse.core.notation import one_line, shown
from gridhouse.reporting.text import spreadsheet_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from gridhouse.arena.reports.summary import Heading

FORMAT = "gridhouse games 1"  # of the JSON, with its version
MOST_GAMES = 10**9
HEADER = re.compile(r'\[(\w+) (".*")\]')
MOVE = re.compile(
    r'\d+\. (?P<text>[^{}"]+|"(?:[^"\\]|\\.)*") \{(?P<seconds>[-+.\w]+) s'
    r"(?:; value (?P<value>[-+.\w]+))?(?:; work (?P<work>\d+))?\}"
)
PLAIN = re.compile(r'[^\s{}"]+( [^\s{}"]+)*')
COLUMNS = (
    "number", "first", "second", "score", "termination", "reason", "forfeited by", "moves",
    "seconds of first", "seconds of second", "opening",
)  # fmt: skip


def to_text(records: Iterable[GameRecord], heading: Heading) -> str:
    """Return games as readable text."""
    return "\n".join(_game_text(record, heading) for record in records)


def _game_text(record: GameRecord, heading: Heading) -> str:
    fields = {
        "Event": heading.title,
        "TimeControl": heading.control,
        "Number": str(record.number),
        "First": record.players[0],
        "Second": record.players[1],
        "Score": repr(record.score),
        "Termination": record.termination.value,
        "Reason": record.reason,
        "Opening": record.opening,
    }
    lines = [f"[{name} {_quoted(value)}]" for name, value in fields.items()]
    lines.append("")
    for number, move in enumerate(record.moves, 1):
        plain = PLAIN.fullmatch(move.text) and move.text.isprintable()
        comment = f"{move.seconds!r} s"
        comment += f"; value {move.value:+}" if move.value is not None else ""
        comment += f"; work {move.work}" if move.work else ""
        lines.append(f"{number}. {move.text if plain else _quoted(move.text)} {{{comment}}}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return a text in quotes; only what is not printable is escaped, besides quotes."""
    plain = (
        char if char.isprintable() and char not in '"\\' else json.dumps(char)[1:-1]
        for char in text
    )
    return f'"{"".join(plain)}"'


def to_json(records: Iterable[GameRecord], heading: Heading) -> str:
    """Return games as JSON, with everything."""
    games = [record.to_dict() for record in records]
    return json.dumps({"file": FORMAT, **heading._asdict(), "games": games}, indent=1) + "\n"


def to_csv(records: Iterable[GameRecord]) -> str:
    """Return a table with a row for each game; no spreadsheet evaluates what is in it.

    Raises UsageError for a game that cannot have been played.
    """
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(COLUMNS)
    for record in records:
        spent = [0.0, 0.0]
        for side, move in zip(movers(record), record.moves, strict=True):
            spent[side] += move.seconds
        names = map(spreadsheet_cell, record.players)
        reason, loser = map(spreadsheet_cell, (record.reason, record.forfeited))
        end = record.termination.value, reason, loser, len(record.moves)
        times = [f"{seconds:.6f}" for seconds in spent]
        opening = spreadsheet_cell(record.opening)
        score = record.score if record.is_result else ""
        rows.writerow([record.number, *names, score, *end, *times, opening])
    return file.getvalue()


def write(records: Sequence[GameRecord], heading: Heading, path: Path) -> None:
    """Write games into a file whose ending says the format: .txt, .csv or .json.

    Raises UsageError for another ending, and for a file that cannot be written.
    """
    match path.suffix.lower():
        case ".txt":
            content = to_text(records, heading).encode()
        case ".json":
            content = to_json(records, heading).encode()
        case ".csv":  # with this mark of its encoding spreadsheets read the names right
            content = to_csv(records).encode("utf-8-sig")
        case _:
            raise UsageError(f"{str(path)!r}: games are written to .txt, .csv or .json")
    write_whole(path, content)


def read(name: str) -> list[GameRecord]:
    """Return the games of a file with text or JSON; raises UsageError."""
    text = read_file(name)
    try:
        return read_json(text) if text.lstrip().startswith("{") else read_text(text)
    except UsageError as error:
        raise UsageError(f"{name!r}: {one_line(str(error))}") from None


def read_json(text: str) -> list[GameRecord]:
    """Return the games of a JSON text; raises UsageError."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this is no JSON: {error}") from None
    if not isinstance(data, dict) or data.get("file") != FORMAT:
        raise UsageError(f"this has no {FORMAT!r}")
    try:
        return [_checked(GameRecord.from_dict(game)) for game in data["games"]]
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"these are no games: {type(error).__name__}: {error}") from None


def read_text(text: str) -> list[GameRecord]:
    """Return the games of a text from ``to_text``; raises UsageError that names the line."""
    games: list[tuple[dict[str, str], list[PlayedMove]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        header, move = HEADER.fullmatch(line), MOVE.fullmatch(line)
        try:
            if header:
                if not games or games[-1][1] or header[1] in games[-1][0]:
                    games.append(({}, []))
                games[-1][0][header[1]] = json.loads(header[2])
            elif move and games:
                games[-1][1].append(_move(move))
            elif line:
                raise ValueError
        except ValueError:
            raise UsageError(f"line {number}: {shown(line)} is no line of a game") from None
    return [_record(fields, moves) for fields, moves in games]


def _move(found: re.Match[str]) -> PlayedMove:
    text, value = found["text"], found["value"]
    return PlayedMove(
        json.loads(text) if text.startswith('"') else text,
        float(found["seconds"]),
        None if value is None else float(value),
        int(found["work"] or 0),
    )


def _record(fields: dict[str, str], moves: Sequence[PlayedMove]) -> GameRecord:
    try:
        record = GameRecord(
            number=int(fields["Number"]),
            opening=fields["Opening"],
            players=(fields["First"], fields["Second"]),
            score=float(fields["Score"]),
            termination=Termination(fields["Termination"]),
            reason=fields["Reason"],
            moves=tuple(moves),
        )
        return _checked(record)
    except KeyError as error:
        raise UsageError(f"a game has no {error.args[0]}") from None
    except ValueError as error:
        raise UsageError(f"game {shown(fields.get('Number', ''))}: {error}") from None


def _checked(record: GameRecord) -> GameRecord:
    """Return a record whose values are of the right kinds; raises ValueError."""
    texts = [record.opening, *record.players, record.reason, *(move.text for move in record.moves)]
    numbers = [record.number, *(number for move in record.moves for number in _numbers(move))]
    are_texts = all(isinstance(text, str) for text in texts)
    if not are_texts or not all(isinstance(number, (int, float)) for number in numbers):
        raise ValueError("a text and a number are confused")
    if not isinstance(record.number, int) or not 0 <= record.number <= MOST_GAMES:
        raise ValueError("its number is not one of a game")
    if record.score not in RESULTS:
        raise ValueError(f"{record.score} is no result")
    return record


def _numbers(move: PlayedMove) -> tuple[float, float, int]:
    return move.seconds, 0 if move.value is None else move.value, move.work

"""A second implementation of Sinks, slow and plain, that tests hold against the rules.

It is written from the course's document alone and shares no code with the real rules.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Field = tuple[int, int]
Fields = frozenset[Field]

OBJECT_TYPES = ["s", "x", "d", "l"]
SINK_TYPES = {"1": 1, "2": 2}
PIECE_SIDES = {"a": 1, "b": 1, "c": 1, "d": 2}
PIECE_HEIGHTS = {"a": 1, "b": 2, "c": 3, "d": 2}
PIECE_VALUES = {"a": 1, "b": 2, "c": 3, "d": 4}
DIRECTIONS = {"l": (0, -1), "r": (0, 1), "u": (1, 0), "d": (-1, 0)}
NAMES = {"l": "Light", "d": "Dark"}
OTHER = {"l": "d", "d": "l"}
ENOUGH = 4
OUTER = 3


class Piece:
    """A playing piece, with its owner, its type, the fields it covers and its height now."""

    def __init__(self, owner: str, kind: str, fields: Fields) -> None:
        """Stand the piece upright on its fields."""
        self.owner = owner
        self.kind = kind
        self.fields = fields
        self.height = PIECE_HEIGHTS[kind]


class Sink:
    """A sink, with its size and the fields it covers."""

    def __init__(self, size: int, fields: Fields) -> None:
        """Lay the sink on its fields."""
        self.size = size
        self.fields = fields


class FirstMove:
    """What the first move of a turn moved, and how it lay before."""

    def __init__(self, thing: Piece | Sink, fields: Fields, height: int) -> None:
        """Remember the thing, the fields it had and the height it had."""
        self.thing = thing
        self.fields = fields
        self.height = height


def coordinate(token: str, limit: int) -> int | None:
    """Return the number a token stands for if it is from 0 to limit - 1, else None."""
    if re.fullmatch(r"[+-]?[0-9]+", token) is None:
        return None
    negative = token.startswith("-")
    digits = token.lstrip("+-").lstrip("0")
    if digits == "":
        return 0
    if negative or len(digits) > 3 or int(digits) >= limit:
        return None
    return int(digits)


def square(row: int, column: int, side: int) -> Fields:
    """Return the fields of a square whose bottom-left field is given."""
    rows = range(row, row + side)
    columns = range(column, column + side)
    return frozenset((r, c) for r in rows for c in columns)


def bottom_left(fields: Fields) -> Field:
    """Return the field that names a piece or a sink."""
    return min(row for row, _ in fields), min(column for _, column in fields)


def shifted(fields: Fields, direction: str) -> Fields:
    """Return the fields one step further in a direction."""
    up, right = DIRECTIONS[direction]
    return frozenset((row + up, column + right) for row, column in fields)


def rolled(fields: Fields, height: int, direction: str) -> tuple[Fields, int]:
    """Return the fields and the height of a piece once it is rolled over one edge.

    The side that faced the direction is the new base: the old height lies along the
    direction, and what lay along the direction before is the new height.
    """
    rows = sorted({row for row, _ in fields})
    columns = sorted({column for _, column in fields})
    if direction == "r":
        first = columns[-1] + 1
        return box(rows, list(range(first, first + height))), len(columns)
    if direction == "l":
        return box(rows, list(range(columns[0] - height, columns[0]))), len(columns)
    if direction == "u":
        first = rows[-1] + 1
        return box(list(range(first, first + height)), columns), len(rows)
    return box(list(range(rows[0] - height, rows[0])), columns), len(rows)


def box(rows: list[int], columns: list[int]) -> Fields:
    """Return every field in some rows and columns."""
    return frozenset((row, column) for row in rows for column in columns)


def beside(one: Fields, other: Fields) -> bool:
    """Tell whether a field of one is left of, right of, above or below a field of the other."""
    return any(shifted(one, direction) & other for direction in DIRECTIONS)


def type_fault(tokens: list[str]) -> str | None:
    """Return the error for the object type or the piece type, as far as they are read."""
    kind = tokens[0]
    if kind not in OBJECT_TYPES:
        return f"ERROR: Invalid object type {kind}"
    if kind == "x" or len(tokens) == 1:
        return None
    known = list(SINK_TYPES) if kind == "s" else list(PIECE_VALUES)
    if tokens[1] not in known:
        return f"ERROR: Invalid piece type {tokens[1]}"
    return None


def token_count(kind: str) -> int:
    """Return how many tokens a set-up object of a legal type has."""
    return 3 if kind == "x" else 4


def not_on_board(row: str, column: str) -> str:
    """Return the error for a field outside the board, its tokens as they were given."""
    return f"ERROR: Field {row} {column} not on board"


def not_free(field: Field) -> str:
    """Return the error for a taken field."""
    return f"ERROR: Field {field[0]} {field[1]} not free"


class Sinks:
    """One game, from set-up to its end."""

    def __init__(self, rows: int, columns: int, limit: int = 0) -> None:
        """Begin with an empty board; with a limit, so many quiet moves are a draw."""
        self.rows = rows
        self.columns = columns
        self.blocked: set[Field] = set()
        self.pieces: list[Piece] = []
        self.sinks: list[Sink] = []
        self.limit = limit
        self.quiet = 0
        self.laid = {"l": 0, "d": 0}
        self.blown = 0
        self.bombs: dict[Field, str] = {}
        self.frozen: list[Piece] = []
        self.player = "l"
        self.moves = 0
        self.bombed = False
        self.first_move: FirstMove | None = None
        self.freezings = {"l": 2, "d": 2}
        self.sink_moves = {"l": 2, "d": 2}
        self.sunk = {"l": 0, "d": 0}
        self.playing = False
        self.verdict: str | None = None

    # Set-up

    def place(self, tokens: list[str]) -> str | None:
        """Place one set-up object, or return its error line and change nothing."""
        fault = type_fault(tokens)
        if fault is not None:
            return fault
        field = self._field(tokens[-2], tokens[-1])
        if field is None:
            return not_on_board(tokens[-2], tokens[-1])
        if tokens[0] == "x":
            return self._place_block(field)
        if tokens[0] == "s":
            return self._place_sink(SINK_TYPES[tokens[1]], field)
        return self._place_piece(tokens[0], tokens[1], field)

    def _place_block(self, field: Field) -> str | None:
        """Block a field, or return the error line."""
        if self._taken(field):
            return not_free(field)
        self.blocked.add(field)
        return None

    def _place_sink(self, size: int, field: Field) -> str | None:
        """Place a sink, or return the error line."""
        fields = square(field[0], field[1], size)
        if not all(self._on_board(each) and self._outer(each) for each in fields):
            return "ERROR: Sink in the wrong position"
        for each in sorted(fields):
            if self._taken(each):
                return not_free(each)
        if any(beside(fields, sink.fields) for sink in self.sinks):
            return "ERROR: Sink cannot be next to another sink"
        self.sinks.append(Sink(size, fields))
        return None

    def _place_piece(self, owner: str, kind: str, field: Field) -> str | None:
        """Place a piece upright, or return the error line."""
        fields = square(field[0], field[1], PIECE_SIDES[kind])
        if any(not self._on_board(each) or self._outer(each) for each in fields):
            return "ERROR: Piece in the wrong position"
        for each in sorted(fields):
            if self._taken(each):
                return not_free(each)
        self.pieces.append(Piece(owner, kind, fields))
        return None

    def start(self) -> None:
        """End the set-up and begin to play."""
        self.playing = True
        self._judge("l")

    # What is where

    def _field(self, row: str, column: str) -> Field | None:
        """Return the field two tokens name, or None if it is not on the board."""
        row_number = coordinate(row, self.rows)
        column_number = coordinate(column, self.columns)
        if row_number is None or column_number is None:
            return None
        return row_number, column_number

    def _on_board(self, field: Field) -> bool:
        """Tell whether a field is on the board."""
        return 0 <= field[0] < self.rows and 0 <= field[1] < self.columns

    def _outer(self, field: Field) -> bool:
        """Tell whether a field belongs to the outer three rows or columns."""
        row, column = field
        if row < OUTER or row >= self.rows - OUTER:
            return True
        return column < OUTER or column >= self.columns - OUTER

    def _thing_at(self, field: Field) -> Piece | Sink | None:
        """Return the piece or the sink that covers a field, if any."""
        for piece in self.pieces:
            if field in piece.fields:
                return piece
        for sink in self.sinks:
            if field in sink.fields:
                return sink
        return None

    def _taken(self, field: Field) -> bool:
        """Tell whether a field holds a block, a piece or a sink."""
        return field in self.blocked or self._thing_at(field) is not None

    def _sink_around(self, fields: Fields) -> Sink | None:
        """Return the sink that some fields lie wholly inside, if any."""
        for sink in self.sinks:
            if fields <= sink.fields:
                return sink
        return None

    # Why an action is refused

    def _fault(self, row: str, column: str, action: str) -> str | None:
        """Return the error line for an action, or None if it may be played."""
        field = self._field(row, column)
        if field is None:
            return not_on_board(row, column)
        if action == "b":
            return self._bomb_fault(field)
        if action == "f":
            return self._freeze_fault(field)
        return self._move_fault(field, action)

    def _bomb_fault(self, field: Field) -> str | None:
        """Return why no bomb may be laid on a field, or None."""
        if self._taken(field):
            return not_free(field)
        if self.moves > 0 or self.bombed:
            return "ERROR: Cannot place bomb after move"
        return None

    def _freeze_fault(self, field: Field) -> str | None:
        """Return why the piece on a field may not be frozen, or None."""
        thing = self._thing_at(field)
        if not isinstance(thing, Piece):
            return f"ERROR: No piece on field {field[0]} {field[1]}"
        if self.freezings[self.player] == 0:
            return "ERROR: No freezings left"
        if thing.owner == self.player:
            return "ERROR: Piece does not belong to the correct player"
        return None

    def _move_fault(self, field: Field, direction: str) -> str | None:
        """Return why the thing on a field may not move in a direction, or None."""
        thing = self._thing_at(field)
        if thing is None:
            return f"ERROR: No piece on field {field[0]} {field[1]}"
        if direction not in DIRECTIONS:
            return f"ERROR: Invalid direction {direction}"
        if isinstance(thing, Piece):
            return self._piece_fault(thing, direction)
        return self._sink_fault(thing, direction)

    def _piece_fault(self, piece: Piece, direction: str) -> str | None:
        """Return why a piece may not roll in a direction, or None."""
        if piece.owner != self.player:
            return "ERROR: Piece does not belong to the correct player"
        if piece in self.frozen:
            return "ERROR: Cannot move frozen piece"
        if piece.kind == "d" and self.moves > 0:
            return "ERROR: Cannot move a 2x2x2 piece on the second move"
        fields, height = rolled(piece.fields, piece.height, direction)
        if not all(self._on_board(field) for field in fields):
            return "ERROR: Cannot move beyond the board"
        if self._sink_around(fields) is None:
            for field in sorted(fields):
                if self._taken(field):
                    return not_free(field)
        return self._return_fault(piece, fields, height)

    def _sink_fault(self, sink: Sink, direction: str) -> str | None:
        """Return why a sink may not move in a direction, or None."""
        if self.sink_moves[self.player] == 0:
            return "ERROR: No sink moves left"
        fields = shifted(sink.fields, direction)
        if not all(self._on_board(field) for field in fields):
            return "ERROR: Cannot move beyond the board"
        for field in sorted(fields):
            if not self._sink_may_cover(sink, fields, field):
                return not_free(field)
        others = [other for other in self.sinks if other is not sink]
        if any(beside(fields, other.fields) for other in others):
            return "ERROR: Sink cannot be next to another sink"
        return self._return_fault(sink, fields, 0)

    def _sink_may_cover(self, sink: Sink, fields: Fields, field: Field) -> bool:
        """Tell whether a sink that comes to lie on some fields may cover one of them."""
        if field in self.blocked:
            return False
        thing = self._thing_at(field)
        if thing is None or thing is sink:
            return True
        return isinstance(thing, Piece) and thing.fields <= fields

    def _return_fault(self, thing: Piece | Sink, fields: Fields, height: int) -> str | None:
        """Return the error for a second move that takes back the first, or None."""
        first = self.first_move
        if first is None or first.thing is not thing:
            return None
        if first.fields == fields and first.height == height:
            return "ERROR: Piece cannot be returned to starting position"
        return None

    # Playing

    def act(self, row: str, column: str, action: str) -> str | None:
        """Play one action, or return its error line and change nothing."""
        if not self.playing or self.verdict is not None:
            raise RuntimeError("no game is being played")
        fault = self._fault(row, column, action)
        if fault is not None:
            return fault
        field = self._field(row, column)
        assert field is not None
        mover = self.player
        if action == "b":
            self._lay_bomb(field)
        elif action == "f":
            self._freeze(field)
        else:
            self._move(field, action)
        self._judge(mover)
        return None

    def _lay_bomb(self, field: Field) -> None:
        """Hide a bomb under a field, or let it and the one already there explode."""
        if field in self.bombs:
            del self.bombs[field]
        else:
            self.bombs[field] = self.player
        self.laid[self.player] += 1
        self.bombed = True

    def _freeze(self, field: Field) -> None:
        """Freeze the piece on a field."""
        piece = self._thing_at(field)
        assert isinstance(piece, Piece)
        if piece not in self.frozen:
            self.frozen.append(piece)
        self.freezings[self.player] -= 1

    def _move(self, field: Field, direction: str) -> None:
        """Move the piece or the sink on a field, and end the turn if it is used up."""
        thing = self._thing_at(field)
        assert thing is not None
        pieces = len(self.pieces)
        if isinstance(thing, Piece):
            self.first_move = FirstMove(thing, thing.fields, thing.height)
            self._move_piece(thing, direction)
        else:
            self.first_move = FirstMove(thing, thing.fields, 0)
            self._move_sink(thing, direction)
        self.quiet += 1
        if len(self.pieces) < pieces or self.limit == 0:
            self.quiet = 0
        self.moves += 1
        if isinstance(thing, Piece) and thing.kind == "d":
            self.moves += 1
        if self.moves >= 2:
            self._end_turn()

    def _move_piece(self, piece: Piece, direction: str) -> None:
        """Roll a piece, into a sink, onto a bomb or just onto free fields."""
        piece.fields, piece.height = rolled(piece.fields, piece.height, direction)
        if self._sink_around(piece.fields) is not None:
            self._sink_piece(piece)
            return
        hit = [field for field in sorted(piece.fields) if field in self.bombs]
        for field in hit:
            del self.bombs[field]
        if hit:
            self._remove(piece)
            self.blown += 1

    def _move_sink(self, sink: Sink, direction: str) -> None:
        """Move a sink by one field, and sink every piece it comes to lie under."""
        sink.fields = shifted(sink.fields, direction)
        self.sink_moves[self.player] -= 1
        for piece in list(self.pieces):
            if piece.fields <= sink.fields:
                self._sink_piece(piece)
        for field in sink.fields:
            if field in self.bombs:
                del self.bombs[field]

    def _sink_piece(self, piece: Piece) -> None:
        """Take a piece off the board and count its value for its owner."""
        self._remove(piece)
        self.sunk[piece.owner] += PIECE_VALUES[piece.kind]

    def _remove(self, piece: Piece) -> None:
        """Take a piece off the board."""
        self.pieces.remove(piece)
        if piece in self.frozen:
            self.frozen.remove(piece)

    def _end_turn(self) -> None:
        """Thaw the pieces of the player whose turn ends and hand the turn over."""
        self.frozen = [piece for piece in self.frozen if piece.owner != self.player]
        self.player = OTHER[self.player]
        self.moves = 0
        self.bombed = False
        self.first_move = None

    def _judge(self, mover: str) -> None:
        """Decide whether the game is over, after an action of the mover."""
        for player in [mover, OTHER[mover]]:
            if self.sunk[player] >= ENOUGH:
                self.verdict = f"{NAMES[player]} wins!"
                return
        if not self._legal_moves():
            self.verdict = f"{NAMES[self.player]} loses"
        elif 0 < self.limit <= self.quiet:
            self.verdict = f"Draw: {self.limit} moves without a sinking or a loss"

    # Looking at the game

    def _legal_moves(self) -> list[str]:
        """Return the legal moves of pieces and sinks."""
        named = [piece.fields for piece in self.pieces] + [sink.fields for sink in self.sinks]
        return [
            f"{row} {column} {direction}"
            for row, column in map(bottom_left, named)
            for direction in DIRECTIONS
            if self._fault(str(row), str(column), direction) is None
        ]

    def legal(self) -> list[str]:
        """Return every accepted action, pieces and sinks named by their bottom-left field."""
        if not self.playing or self.verdict is not None:
            return []
        actions = self._legal_moves()
        for row, column in sorted(square(0, 0, max(self.rows, self.columns))):
            if self._fault(str(row), str(column), "b") is None:
                actions.append(f"{row} {column} b")
        for piece in self.pieces:
            row, column = bottom_left(piece.fields)
            if self._fault(str(row), str(column), "f") is None:
                actions.append(f"{row} {column} f")
        return actions

    def result(self) -> str | None:
        """Return the message of a game that is over, or None."""
        return self.verdict

    def board(self) -> str:
        """Return the board as the document prints it."""
        heading = "   " + "  ".join(str(column) for column in range(self.columns))
        rule = "  +" + "--+" * self.columns
        lines = [heading, rule]
        for row in reversed(range(self.rows)):
            cells = [self._cell((row, column)) for column in range(self.columns)]
            lines.append(f"{row} |" + "|".join(cells) + "|")
            lines.append(rule)
        return "\n".join(lines) + "\n"

    def _cell(self, field: Field) -> str:
        """Return the two characters of one field."""
        if field in self.blocked:
            return " x"
        thing = self._thing_at(field)
        if thing is None:
            return "  "
        if isinstance(thing, Sink):
            return " s"
        row, column = bottom_left(thing.fields)
        if field != (row, column):
            return str(row * self.columns + column).ljust(2)
        if thing.owner == "d":
            return " " + thing.kind.upper()
        return " " + thing.kind

    def facts(self) -> dict[str, object]:
        """Return the whole state as plain values."""
        return {
            "player": self.player,
            "moves": self.moves,
            "quiet": self.quiet,
            "laid": (self.laid["l"], self.laid["d"]),
            "blown": self.blown,
            "bombed": self.bombed,
            "freezings": (self.freezings["l"], self.freezings["d"]),
            "sink_moves": (self.sink_moves["l"], self.sink_moves["d"]),
            "sunk": (self.sunk["l"], self.sunk["d"]),
            "bombs": dict(self.bombs),
            "frozen": sorted(bottom_left(piece.fields) for piece in self.frozen),
            "pieces": sorted(
                (*bottom_left(piece.fields), piece.owner, piece.kind, sorted(piece.fields))
                for piece in self.pieces
            ),
            "sinks": sorted((*bottom_left(sink.fields), sink.size) for sink in self.sinks),
        }


def read_object(tokens: Iterator[str]) -> list[str] | None:
    """Read one set-up object, or None if the input ends within it.

    Reading stops early at the "#" and at a wrong object type or piece type.
    """
    kind = next(tokens, None)
    if kind is None:
        return None
    item = [kind]
    if kind == "#":
        return item
    while type_fault(item) is None and len(item) < token_count(kind):
        token = next(tokens, None)
        if token is None:
            return None
        item.append(token)
    return item


def read_move(tokens: Iterator[str]) -> list[str] | None:
    """Read the three tokens of a move, or None if the input ends within them."""
    move: list[str] = []
    while len(move) < 3:
        token = next(tokens, None)
        if token is None:
            return None
        move.append(token)
    return move


def set_up(game: Sinks, tokens: Iterator[str]) -> tuple[bool, str]:
    """Read the set-up, and return whether play begins and what is printed until then."""
    while True:
        item = read_object(tokens)
        if item is None:
            return False, ""
        if item == ["#"]:
            game.start()
            return True, game.board() + verdict_line(game)
        fault = game.place(item)
        if fault is not None:
            return False, fault + "\n"


def verdict_line(game: Sinks) -> str:
    """Return the line of a game that is over, or nothing."""
    verdict = game.result()
    return "" if verdict is None else verdict + "\n"


def session(rows: int, columns: int, text: str) -> str:
    """Return the exact standard output of the program in text mode for a whole input."""
    game = Sinks(rows, columns)
    tokens = iter(text.split())
    begun, output = set_up(game, tokens)
    while begun and game.result() is None:
        move = read_move(tokens)
        if move is None:
            break
        fault = game.act(move[0], move[1], move[2])
        if fault is not None:
            return output + fault + "\n"
        if move[2] != "f":
            output += game.board()
        output += verdict_line(game)
    return output

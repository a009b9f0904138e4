"""The exact program of the Sinks document: ``sinks.py ROWS COLUMNS GUI`` and standard input."""

from __future__ import annotations

from gridhouse.core.console import UsageError, read_tokens
from gridhouse.core.notation import parse_integer
from gridhouse.games.sinks import rules
from gridhouse.games.sinks.game import (
    BLOCK,
    PIECE_TYPES,
    SIDES,
    SINK,
    SINK_TYPES,
    VERBS,
    SinksGame,
    piece_kind,
    sink_kind,
)
from gridhouse.games.sinks.rules import Position, Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

USAGE = "ROWS COLUMNS GUI"
ABOUT = (
    "ROWS and COLUMNS are 8 to 10. GUI is 0 for text mode: set-up and moves are read from "
    "standard input; 1 opens a window, with the set-up from standard input if it is piped."
)

END_OF_SETUP = "#"
NUM_ARGUMENTS = 3

MESSAGES = {
    Refusal.WRONG_PLAYER: "Piece does not belong to the correct player",
    Refusal.FROZEN: "Cannot move frozen piece",
    Refusal.CUBE_SECOND: "Cannot move a 2x2x2 piece on the second move",
    Refusal.OFF_BOARD: "Cannot move beyond the board",
    Refusal.RETURNED: "Piece cannot be returned to starting position",
    Refusal.NO_SINK_MOVES: "No sink moves left",
    Refusal.SINKS_TOUCH: "Sink cannot be next to another sink",
    Refusal.BOMB_AFTER_MOVE: "Cannot place bomb after move",
    Refusal.NO_FREEZINGS: "No freezings left",
    Refusal.SINK_POSITION: "Sink in the wrong position",
    Refusal.PIECE_POSITION: "Piece in the wrong position",
}


class SinksError(Exception):
    """An error of the document; the message is what follows ``ERROR: ``."""


class EndOfInput(Exception):
    """Standard input has ended."""


class Tokens:
    """The words of standard input, one at a time."""

    def __init__(self, words: Iterator[str]) -> None:
        """Take the words from an iterator."""
        self._words = words

    def next(self) -> str:
        """Return the next word; raises EndOfInput."""
        for word in self._words:
            return word
        raise EndOfInput


def parse_arguments(arguments: list[str]) -> tuple[int, int, int]:
    """Return rows, columns and the GUI indicator; raises SinksError."""
    if len(arguments) < NUM_ARGUMENTS:
        raise SinksError("Too few arguments")
    if len(arguments) > NUM_ARGUMENTS:
        raise SinksError("Too many arguments")
    rows, cols, gui = (parse_integer(argument) for argument in arguments)
    sizes = range(rules.MIN_SIDE, rules.MAX_SIDE + 1)
    if rows not in sizes or cols not in sizes or gui not in (0, 1):
        raise SinksError("Illegal argument")
    return rows, cols, gui


def parse_field(game: SinksGame, row: str, col: str) -> int:
    """Return the cell of two words; raises SinksError if they are no field of the board."""
    numbers = parse_integer(row), parse_integer(col)
    cell = None
    if numbers[0] is not None and numbers[1] is not None:
        cell = game.cell(numbers[0], numbers[1])
    if cell is None:
        raise SinksError(f"Field {row} {col} not on board")
    return cell


def field_text(game: SinksGame, cell: int) -> str:
    """Return a cell as the messages name it."""
    return f"field {cell // game.cols} {cell % game.cols}"


def not_free(game: SinksGame, cell: int) -> str:
    """Return the message for a field that is taken."""
    return f"{field_text(game, cell).capitalize()} not free"


def read_object_kind(tokens: Tokens) -> int | None:
    """Return the kind of the next object of the set-up, or None at its end; raises SinksError."""
    object_type = tokens.next()
    if object_type == END_OF_SETUP:
        return None
    if object_type == BLOCK:
        return rules.BLOCK
    if object_type not in (SINK, *SIDES):
        raise SinksError(f"Invalid object type {object_type}")
    piece_type = tokens.next()
    if object_type == SINK:
        if piece_type in SINK_TYPES and len(piece_type) == 1:
            return sink_kind(piece_type)
    elif piece_type in PIECE_TYPES and len(piece_type) == 1:
        return piece_kind(SIDES.index(object_type), piece_type)
    raise SinksError(f"Invalid piece type {piece_type}")


def place(game: SinksGame, position: Position, cell: int, kind: int) -> None:
    """Place an object of the set-up; raises SinksError."""
    refusal = rules.setup_refusal(position, cell, kind)
    if refusal == Refusal.NOT_FREE:
        row, col = divmod(cell, game.cols)
        taken = rules.first_taken(position, row, col, kind, rules.UPRIGHT, rules.NOWHERE)
        raise SinksError(not_free(game, taken))
    if refusal:
        raise SinksError(MESSAGES[Refusal(refusal)])
    rules.put(position, cell, kind, rules.UPRIGHT)


def read_setup(game: SinksGame, tokens: Tokens) -> Position:
    """Return the position that the set-up describes; raises SinksError or EndOfInput."""
    position = Position(cells=game.rows * game.cols)
    rules.start(position, game.rows, game.cols)
    while True:
        kind = read_object_kind(tokens)
        if kind is None:
            return position
        row, col = tokens.next(), tokens.next()
        place(game, position, parse_field(game, row, col), kind)


def parse_action(game: SinksGame, position: Position, cell: int, verb: str) -> int:
    """Return the action of a verb at a field; raises SinksError if there is none.

    That nothing stands on the field is told before that the verb is unknown.
    """
    anchor = rules.named(position, cell)
    if len(verb) != 1 or verb not in VERBS:
        if rules.move_refusal(position, anchor, rules.LEFT) == Refusal.NO_PIECE:
            raise SinksError(f"No piece on {field_text(game, cell)}")
        raise SinksError(f"Invalid direction {verb}")
    number = VERBS.index(verb)
    return game.action(cell if number == rules.BOMB else anchor, number)


def error_text(game: SinksGame, position: Position, cell: int, action: int, refusal: int) -> str:
    """Return the document's words for an action, typed with this field, that is refused."""
    anchor, verb = divmod(action, rules.NUM_VERBS)
    if refusal == Refusal.NO_PIECE:
        return f"No piece on {field_text(game, cell)}"
    if refusal == Refusal.NOT_FREE:
        taken = cell if verb == rules.BOMB else rules.first_taken_on_way(position, anchor, verb)
        return not_free(game, taken)
    return MESSAGES[Refusal(refusal)]


def act(game: SinksGame, position: Position, row: str, col: str, verb: str) -> int:
    """Play what three words say and return the verb; raises SinksError and changes nothing."""
    cell = parse_field(game, row, col)
    action = parse_action(game, position, cell, verb)
    refusal = rules.refusal(position, action)
    if refusal:
        raise SinksError(error_text(game, position, cell, action, refusal))
    rules.apply_action(position, action)
    return action % rules.NUM_VERBS


def print_board(game: SinksGame, position: Position) -> None:
    """Print the board."""
    print("\n".join(game.board(position)))


def play_text(game: SinksGame, tokens: Tokens) -> None:
    """Play the game of standard input; raises SinksError or EndOfInput."""
    position = read_setup(game, tokens)
    print_board(game, position)
    while not rules.is_terminal(position):
        row, col, verb = tokens.next(), tokens.next(), tokens.next()
        if act(game, position, row, col, verb) != rules.FREEZE:
            print_board(game, position)
    print(game.outcome(position))


def main(arguments: list[str]) -> None:
    """Run the program in text mode or open its window."""
    try:
        rows, cols, gui = parse_arguments(arguments)
        game = SinksGame(rows=rows, cols=cols)
        tokens = Tokens(read_tokens())
        if gui:
            open_window(game, tokens)
        else:
            play_text(game, tokens)
    except SinksError as error:
        print(f"ERROR: {error}")
    except EndOfInput:
        pass


def open_window(game: SinksGame, tokens: Tokens) -> None:
    """Open the game's window, with the set-up of standard input if that is piped."""
    try:
        import stddraw  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"the window needs the extra 'gui' ({error}): pip install 'gridhouse[gui]'"
        ) from None
    raise NotImplementedError

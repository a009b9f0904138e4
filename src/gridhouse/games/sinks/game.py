"""The game Sinks: set-ups, texts of positions and moves, and the printed board."""

from __future__ import annotations

from gridhouse.core.console import Tokens
from gridhouse.core.errors import ParameterError
from gridhouse.core.game import Game, Parameter, Preset, State, Token
from gridhouse.core.notation import parse_integer, parse_integers, shown
from gridhouse.games.sinks import rules
from gridhouse.games.sinks.document import END_OF_SETUP, read_setup
from gridhouse.games.sinks.notation import (
    BLOCK,
    FREE,
    LIES,
    PIECE_TYPES,
    SIDE_NAMES,
    SIDES,
    SINK,
    SINK_TYPES,
    VERBS,
    object_text,
    piece_kind,
    sink_kind,
)
from gridhouse.games.sinks.rules import NOWHERE, Position, Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

STANDARD = "standard"
COUNTS = ("quiet", "laid", "blown")
MAX_LAID = 10**9
MAX_BLOWN = rules.MAX_CELLS


def sinks_of(rows: int, cols: int) -> list[str]:
    """Return four sinks near the corners, two of each size."""
    return ["s211", f"s2{rows - 3}{cols - 3}", f"s12{cols - 3}", f"s1{rows - 3}2"]


def mirrored_setup(rows: int, cols: int, pieces: str) -> str:
    """Return a set-up that is symmetric under a half turn with a swap of the players.

    The types of ``pieces`` are repeated over the inner fields from the bottom left; Light and Dark
    alternate, and the other player gets the same type on the opposite field.
    """
    margin = rules.MARGIN
    inner = [(r, c) for r in range(margin, rows - margin) for c in range(margin, cols - margin)]
    objects = sinks_of(rows, cols)
    for number in range(len(inner) // 2):
        (row, col), (row_image, col_image) = inner[number], inner[-1 - number]
        piece = pieces[number % len(pieces)]
        side, other = SIDES[number % 2], SIDES[1 - number % 2]
        objects += [f"{side}{piece}{row}{col}", f"{other}{piece}{row_image}{col_image}"]
    return " ".join(objects)


def standard_setup(rows: int, cols: int) -> str:
    """Return a set-up with blocks of all sizes; on 10x10 it is the document's illustration."""
    if rows == cols == rules.MAX_SIDE:
        pieces = "la56 la65 lb33 lc44 ld53 da34 da43 db66 dc55 dd35"
        return " ".join([*sinks_of(rows, cols), pieces])
    return mirrored_setup(rows, cols, "cba")


def long_setup(rows: int, cols: int) -> str:
    """Return a set-up with blocks of heights 2 and 3 only."""
    return mirrored_setup(rows, cols, "bc")


def corner_setup(rows: int, cols: int) -> str:
    """Return an open set-up: four large sinks, and a few blocks in the corners of the inner board.

    It is the document's second example with blocks instead of dice.
    """
    bottom, top, left, right = rules.MARGIN, rows - 4, rules.MARGIN, cols - 4
    sinks = ["s211", f"s21{cols - 3}", f"s2{rows - 3}1", f"s2{rows - 3}{cols - 3}"]
    light = [f"lc{bottom}{left}", f"lb{bottom}{right}"]
    dark = [f"dc{top}{right}", f"db{top}{left}"]
    return " ".join(sinks + light + dark)


SETUPS = {STANDARD: standard_setup, "long": long_setup, "corners": corner_setup}


def bombs_on_board(position: Position) -> list[int]:
    """Return the number of each player's bombs on the board."""
    return [rules.num_bombs(position, player) for player in range(2)]


class SinksGame(Game):
    """A board of ``rows`` by ``cols`` with a set-up; a move is ``row col`` and l, r, u, d, b or f.

    ``setup`` is a name of ``SETUPS``, or the objects, each as the document's line without its
    blanks: ``s211 s177 la33 db66 x00``.
    """

    name = "sinks"
    title = "Sinks"
    summary = "Roll your blocks into the sinks. Sink 4 points to win."
    how_to_play = (
        "Light and Dark take turns. A turn is two moves, with one block or with two. A block "
        "rolls over its edge onto free fields. A standing block of height 2 or 3 falls over. "
        "A lying one stands up over its short end, and keeps lying over its long side. The "
        "cube of 2x2x2 moves by two fields and takes the whole turn. A block that lands "
        "wholly inside a sink is sunk, and counts the number on it (a is 1, b is 2, c is 3, "
        "the cube d is 4). 4 points win. A player who cannot move loses. The second move may "
        "not undo the first. The game is a draw after 100 moves (or the limit) without a sunk "
        "or lost block.\n"
        "Before the first move of a turn you may lay a hidden bomb on a free field. The next "
        "block on it is lost. Twice a game you may freeze an enemy block for its owner's next "
        "turn. Twice a game you may push a sink by one field: that is a move, and it sinks "
        "the blocks that are then inside.\n"
        "A move is row col and a letter, counted from 0 at the bottom left: l, r, u, d roll "
        "or push, b lays a bomb, f freezes."
    )
    players = SIDE_NAMES
    parameters = (
        Parameter("rows", 10, "rows of the board", low=rules.MIN_SIDE, high=rules.MAX_SIDE),
        Parameter(
            "cols",
            10,
            "columns of the board",
            low=rules.MIN_SIDE,
            high=rules.MAX_SIDE,
            label="Columns",
        ),
        Parameter(
            "setup",
            STANDARD,
            "standard, long, corners, or the objects: 's211 la33 x00'",
            label="Set-up",
            longest=rules.MAX_SIDE**2 * len("lb33 "),
        ),
        Parameter(
            "limit",
            100,
            "moves without a sinking or a loss after which the game is a draw; 0: none",
            high=rules.MAX_LIMIT,
            label="Draw after",
        ),
    )
    presets = {
        "small": Preset("Close quarters", "8 by 8. The quickest fight.", rows=8, cols=8),
        "middle": Preset("Middle", "9 by 9. A little more room.", rows=9, cols=9),
        "standard": Preset("Standard", "10 by 10. The full board."),
    }
    move_form = "row col l|r|u|d|b|f"
    file_holds = "a set-up, perhaps with moves"
    limit: int
    rules = rules
    perfect_information = False
    leaves_board = "it would leave the board"
    refusals = {
        Refusal.GAME_OVER: "the game is over",
        Refusal.NOT_ANCHOR: "a piece or sink is named by its bottom-left field",
        Refusal.NO_PIECE: "there is no piece or sink on this field",
        Refusal.WRONG_PLAYER: "the piece does not belong to the right player",
        Refusal.FROZEN: "the piece is frozen",
        Refusal.CUBE_SECOND: "a 2x2x2 piece takes both moves of a turn",
        Refusal.OFF_BOARD: leaves_board,
        Refusal.NOT_FREE: "the way is not free",
        Refusal.RETURNED: "the second move may not undo the first",
        Refusal.NO_SINK_MOVES: "no sink moves are left",
        Refusal.SINKS_TOUCH: "a sink cannot be next to another sink",
        Refusal.BOMB_AFTER_MOVE: "a bomb comes before the first move, once a turn",
        Refusal.NO_FREEZINGS: "no freezings are left",
        Refusal.SINK_POSITION: "a sink starts in the outer three rows or columns",
        Refusal.PIECE_POSITION: "a piece starts inside the outer three rows and columns",
    }

    def prepare(self) -> None:
        """Place the set-up; raises ParameterError if it cannot be placed."""
        self.num_actions = rules.NUM_VERBS * self.rows * self.cols
        self.limit = int(self.values["limit"])
        self._start = Position()
        rules.start(self._start, self.rows, self.cols, self.limit)
        setup = str(self.values["setup"])
        if setup in SETUPS:
            setup = SETUPS[setup](self.rows, self.cols)
        for token in setup.split():
            self._place(token)
        rules.note_end(self._start)

    def _place(self, token: str) -> None:
        kind, cell = self._object(token)
        if kind is None:
            raise ParameterError(f"setup: {shown(token)} is no object; write s211, lb33 or x00")
        refusal = rules.setup_refusal(self._start, cell, kind)
        if refusal:
            raise ParameterError(f"setup: {shown(token)}: {self.refusals[refusal]}")
        rules.put(self._start, cell, kind, rules.UPRIGHT)

    def _object(self, token: str) -> tuple[int | None, int]:
        """Return the kind and the anchor of an object's text; the kind is None for no object."""
        cell = self._cell(token[-2:])
        shape = token[:-2]
        if cell is None:
            return None, 0
        if shape == BLOCK:
            return rules.BLOCK, cell
        if len(shape) == 2 and shape[0] in SIDES and shape[1] in PIECE_TYPES:
            return piece_kind(SIDES.index(shape[0]), shape[1]), cell
        if len(shape) == 2 and shape[0] == SINK and shape[1] in SINK_TYPES:
            return sink_kind(shape[1]), cell
        return None, 0

    def _cell(self, text: str) -> int | None:
        """Return the cell of two digits, row and column, None if they are not valid."""
        numbers = parse_integers(" ".join(text), 2)
        return self.cell(*numbers) if numbers else None

    def initial_position(self, seed: int | str) -> Position:
        """Return the set-up with Light to move; the seed is not used."""
        del seed
        return self._start.copy()

    def start_from_file(self, text: str, seed: int | str) -> State:
        """Start from the document's input: a set-up, and the moves after its ``#``.

        The ``#`` may be missing.
        """
        del seed
        try:
            tokens = Tokens(iter([text, END_OF_SETUP]))
            state = State(self, read_setup(self.rows, self.cols, self.limit, tokens))
        except EOFError:
            raise self.wrong_position(text, "the set-up ends within an object") from None
        words = text.partition(END_OF_SETUP)[2].split()
        while words and not state.is_terminal():
            state.play(" ".join(words[:3]))
            del words[:3]
        return state

    def cell_text(self, position: Position, cell: int) -> str:
        """Return the two characters that the document prints for a field."""
        if position.covered[cell] == 0:
            return "  "
        anchor = position.covered[cell] - 1
        kind = position.kind[anchor]
        if kind == rules.BLOCK:
            return " " + BLOCK
        if not rules.is_piece(kind):
            return " " + SINK
        if anchor != cell:
            return f"{anchor:<2}"
        letter = PIECE_TYPES[rules.worth(kind) - 1]
        return " " + (letter.upper() if rules.owner(kind) else letter)

    def board(self, position: Position) -> list[str]:
        """Return the board as the document prints it, the highest row first."""
        edge = "  +" + "--+" * self.cols
        lines = ["   " + "  ".join(str(col) for col in range(self.cols)), edge]
        for row in reversed(range(self.rows)):
            cells = range(row * self.cols, (row + 1) * self.cols)
            texts = "|".join(self.cell_text(position, cell) for cell in cells)
            lines += [f"{row} |{texts}|", edge]
        return lines

    def status(self, position: Position) -> str:
        """Return both players' sunk points and remaining special moves, and the visible bombs."""
        parts = [
            f"{name}: sunk {position.sunk[side]} of {rules.WORTH_TO_WIN}, "
            f"freezings {position.freezings[side]}, sink moves {position.sink_moves[side]}"
            for side, name in enumerate(SIDE_NAMES)
        ]
        if not position.over:
            parts.append(f"moves left in this turn: {2 - position.moves}")
        if 2 * position.quiet > position.limit:
            parts.append(f"moves to a draw: {position.limit - position.quiet}")
        for side, name in enumerate(SIDE_NAMES):
            cells = [cell for cell in self._bombed(position) if position.bomb[cell] == side + 1]
            fields = [f"{cell // self.cols} {cell % self.cols}" for cell in cells]
            if fields:
                parts.append(f"{name}'s bombs: {', '.join(fields)}")
        return " - ".join(parts)

    def status_tokens(self, position: Position) -> list[Token]:
        """Return what ``status`` counts: points, special moves, bombs on the board, moves left."""
        tokens = []
        for side in range(2):
            tokens += [
                Token(f"points sunk of {rules.WORTH_TO_WIN}", position.sunk[side], "sunk", side),
                Token("freezings left", position.freezings[side], "freeze", side),
                Token("sink moves left", position.sink_moves[side], "push", side),
            ]
            if bombs := rules.num_bombs(position, side):
                tokens.append(Token("bombs on the board", bombs, "bomb", side))
        if not position.over:
            left = 2 - position.moves
            tokens.append(Token("moves left in this turn", left, "moves", position.turn))
        if 2 * position.quiet > position.limit:
            tokens.append(Token("moves to a draw", position.limit - position.quiet, "draw"))
        return tokens

    @staticmethod
    def _bombed(position: Position) -> list[int]:
        return [cell for cell, bomb in enumerate(position.bomb) if bomb]

    def _coordinates(self, cell: int) -> str:
        row, col = divmod(cell, self.cols)
        return f"{row}{col}"

    def write(self, position: Position) -> str:
        """Return the position as blank-separated parts.

        They are: side to move, moves made, ``b`` once a bomb is laid, freezings left, sink moves
        left, points sunk, the first move of the turn (to and from), counts (see ``_counts``), the
        objects by their cells (``-`` across, ``|`` away, ``*`` frozen), the bombs by their cells.
        """
        parts = [SIDES[position.turn], str(position.moves), "b" if position.bombed else FREE]
        pairs = (position.freezings, position.sink_moves, position.sunk)
        parts += [f"{light}/{dark}" for light, dark in pairs]
        first = FREE
        if position.first_cell != NOWHERE:
            now, before = position.first_cell, position.first_from
            first = f"{self._coordinates(now)}<{self._coordinates(before)}"
        parts.append(first)
        parts += self._counts(position)
        parts += [
            object_text(kind, *divmod(cell, self.cols))
            + LIES[position.lie[cell]].strip()
            + "*" * position.frozen[cell]
            for cell, kind in enumerate(position.kind)
            if kind
        ]
        parts += [
            f"b{SIDES[position.bomb[cell] - 1]}{self._coordinates(cell)}"
            for cell in self._bombed(position)
        ]
        return " ".join(parts)

    @staticmethod
    def _counts(position: Position) -> list[str]:
        """Return ``quiet=3`` moves, ``laid=2/1`` bombs and ``blown=1`` pieces.

        Zeros are left out, and so is ``laid`` if all bombs are still on the board.
        """
        counts = [f"quiet={position.quiet}"] if position.quiet else []
        if position.laid != bombs_on_board(position):
            counts.append(f"laid={position.laid[0]}/{position.laid[1]}")
        if position.blown:
            counts.append(f"blown={position.blown}")
        return counts

    def read(self, text: str) -> Position:
        """Return the position of a text from ``write``."""
        parts = text.split()
        position = Position()
        rules.start(position, self.rows, self.cols, self.limit)
        if len(parts) < 7 or parts[0] not in SIDES or parts[1] not in ("0", "1"):
            self._refuse(
                text, "it begins with side, moves, bomb, freezings, sink moves, sunk, first"
            )
        if parts[2] not in ("b", FREE):
            self._refuse(text, "the third part is b or -")
        position.turn = SIDES.index(parts[0])
        position.moves = int(parts[1])
        position.bombed = int(parts[2] == "b")
        position.freezings = self._pair(text, parts[3], 2)
        position.sink_moves = self._pair(text, parts[4], 2)
        position.sunk = self._pair(text, parts[5], 99)
        counts: dict[str, str] = {}
        for part in parts[7:]:
            name, equals, count = part.partition("=")
            if equals and name in COUNTS and name not in counts:
                counts[name] = count
            else:
                self._read_object(position, text, part)
        self._read_counts(position, text, counts)
        if any(position.covered[cell] for cell in self._bombed(position)):
            self._refuse(text, "a bomb lies under an object")
        self._read_first(position, text, parts[6])
        rules.note_end(position)
        return position

    def _refuse(self, text: str, reason: str) -> NoReturn:
        raise self.wrong_position(text, reason)

    def _pair(self, text: str, part: str, highest: int) -> list[int]:
        """Return two numbers written ``2/1``, each at most the highest."""
        numbers = [parse_integer(number) for number in part.split("/")]
        values = [number for number in numbers if number is not None and 0 <= number <= highest]
        if len(values) != 2 or len(numbers) != 2:
            self._refuse(text, f"{shown(part)} is not two numbers from 0 to {highest}")
        return values

    def _read_counts(self, position: Position, text: str, counts: dict[str, str]) -> None:
        """Read the output of ``_counts``; the bombs must be on the board already."""
        on_board = bombs_on_board(position)
        position.laid = on_board
        if "laid" in counts:
            position.laid = self._pair(text, counts["laid"], MAX_LAID)
        if any(laid < lie for laid, lie in zip(position.laid, on_board)):
            self._refuse(text, "more bombs lie on the board than were laid")
        position.quiet = self._count(text, counts, "quiet", self.limit)
        position.blown = self._count(text, counts, "blown", MAX_BLOWN)
        if position.blown > sum(position.laid) - sum(on_board):
            self._refuse(text, "more pieces are blown up than bombs are gone")

    def _count(self, text: str, counts: dict[str, str], name: str, highest: int) -> int:
        """Return a count by its name, 0 if it is missing."""
        number = parse_integer(counts.get(name, "0"))
        if number is None or not 0 <= number <= highest:
            self._refuse(text, f"{name} is not a number from 0 to {highest}")
        return number

    def _read_object(self, position: Position, text: str, part: str) -> None:
        """Put an object or a bomb on the board."""
        if len(part) == 4 and part[0] == "b" and part[1] in SIDES:
            cell = self._cell(part[2:])
            if cell is None or position.bomb[cell]:
                self._refuse(text, f"no bomb can lie at {shown(part)}")
            position.bomb[cell] = SIDES.index(part[1]) + 1
            return
        name = part[:-1] if part.endswith("*") else part
        frozen = name != part
        lie = LIES.index(name[-1]) if name.endswith(tuple(LIES[1:])) else rules.UPRIGHT
        kind, cell = self._object(name[:-1] if lie else name)
        if kind is None:
            self._refuse(text, f"{shown(part)} is no object")
        lies_or_freezes = bool(lie) or frozen
        if lies_or_freezes and not rules.is_piece(kind):
            self._refuse(text, f"{shown(part)} cannot lie or be frozen")
        if lie and rules.worth(kind) not in (2, 3):
            self._refuse(text, f"{shown(part)} has no lying pose")
        row, col = divmod(cell, self.cols)
        if not rules.on_board(position, row, col, kind, lie):
            self._refuse(text, f"{shown(part)} hangs over the edge")
        if rules.first_taken(position, row, col, kind, lie, NOWHERE) != NOWHERE:
            self._refuse(text, f"{shown(part)} stands on another object")
        rules.put(position, cell, kind, lie)
        position.frozen[cell] = int(frozen)

    def _read_first(self, position: Position, text: str, part: str) -> None:
        """Read the first move of the turn, ``to<from``."""
        if part == FREE:
            return
        now, _, before = part.partition("<")
        first_cell = self._cell(now)
        first_from = self._cell(before)
        if (
            first_cell is None
            or first_from is None
            or not (position.moves and position.kind[first_cell])
        ):
            self._refuse(text, f"{shown(part)} is not the first move of this turn")
        position.first_cell = first_cell
        position.first_from = first_from

    def write_move(self, position: Position, action: int) -> str:
        """Return ``row col verb`` with the bottom-left field of the piece or sink."""
        del position
        cell, verb = divmod(action, rules.NUM_VERBS)
        row, col = divmod(cell, self.cols)
        return f"{row} {col} {VERBS[verb]}"

    def public_move(self, position: Position, action: int) -> str:
        """Return the move without the field of a bomb."""
        if action % rules.NUM_VERBS == rules.BOMB:
            return "a bomb is laid"
        return self.write_move(position, action)

    def read_move(self, position: Position, text: str) -> int | None:
        """Return the action of ``row col verb``, or None; any field of a piece or sink will do."""
        words = text.split()
        if len(words) != 3 or words[2] not in VERBS:
            return None
        numbers = parse_integers(f"{words[0]} {words[1]}", 2)
        cell = self.cell(*numbers) if numbers else None
        if cell is None:
            return None
        verb = VERBS.index(words[2])
        return self.action(cell if verb == rules.BOMB else rules.named(position, cell), verb)

    @staticmethod
    def action(cell: int, verb: int) -> int:
        """Return the action of a verb at a cell."""
        return rules.NUM_VERBS * cell + verb

    def outcome(self, position: Position) -> str:
        """Return the document's message for a win or a loss, or the announcement of a draw."""
        if position.over == rules.DRAWN:
            return f"Draw: {self.reason(position)}"
        best = rules.winner(position)
        if best == NOWHERE:
            return f"{SIDE_NAMES[position.turn]} loses"
        return f"{SIDE_NAMES[best]} wins!"

    def reason(self, position: Position) -> str:
        """Return who has sunk enough, who cannot move, or why it is a draw."""
        if position.over == rules.DRAWN:
            return f"{position.limit} moves without a sinking or a loss"
        best = rules.winner(position)
        if best == NOWHERE:
            return f"{SIDE_NAMES[position.turn]} cannot move"
        return f"{SIDE_NAMES[best]} has sunk {position.sunk[best]} points"


GAME = SinksGame

"""The game Tactego: armies, texts of positions and moves, and the printed board."""

from __future__ import annotations

from gridhouse.core.errors import ParameterError
from gridhouse.core.game import Game, Parameter, Preset, State, Token
from gridhouse.core.notation import parse_integer, parse_integers, seed_bytes, shown
from gridhouse.games.tactego import rules
from gridhouse.games.tactego.rules import Position, Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Shuffler(Protocol):
        """The random numbers that the set-up needs; the module ``random`` has them."""

        def shuffle(self, x: list[str], /) -> None:
            """Put a list into random order."""


SIDES = ("R", "B")
SIDE_NAMES = ("Red", "Blue")
LETTERS = {"F": rules.FLAG, "M": rules.MINE, "S": rules.SAPPER, "A": rules.ASSASSIN}
NAMES = {rules.UNKNOWN: "?", **{kind: letter for letter, kind in LETTERS.items()}}
WORDS = {
    rules.UNKNOWN: "unknown",
    rules.FLAG: "flag",
    rules.MINE: "mine",
    rules.SAPPER: "sapper",
    rules.ASSASSIN: "assassin",
}
ABILITIES = {
    rules.FLAG: "is to be captured",
    rules.MINE: "takes its attacker with it",
    rules.SAPPER: "removes mines, else strength 0",
    rules.ASSASSIN: "wins when it attacks, loses when attacked",
}
VERBS = {
    rules.ATTACKER_WINS: "beats",
    rules.DEFENDER_WINS: "loses to",
    rules.BOTH_LOST: "falls together with",
}
TAKING = {rules.FLAG: "captures", rules.MINE: "takes"}  # verbs for what cannot fight back
ZERO = "0"
MARKS = ("", "'", "!")  # unknown, moved, fought
MAX_STRENGTHS = 1000
MAX_DIGITS = 40  # of a strength
MAX_COUNT = rules.MAX_SIDE**2
CELL_WIDTH = 5


def parse_army(lines: list[str]) -> list[tuple[str, int]]:
    """Return kinds and counts, in their order, from lines ``STRENGTH COUNT``.

    A kind is a strength in decimal digits or one of F, M, S, A.  Empty lines are skipped.  Raises
    ParameterError for any other form, and for an army without a flag.
    """
    army = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words:
            kind = parse_kind(words[0]) if len(words) == 2 else None
            count = parse_integer(words[1]) if len(words) == 2 else None
            if kind is None or count is None or count < 0:
                raise ParameterError(
                    f"line {number}: {shown(line)} is not a strength (or F, M, S, A) and a count"
                )
            if len(kind) > MAX_DIGITS:
                raise ParameterError(
                    f"line {number}: a strength has at most {MAX_DIGITS} digits, not {len(kind)}"
                )
            if count > MAX_COUNT:
                raise ParameterError(f"line {number}: no board has room for {count} pieces")
            army.append((kind, count))
    if not any(kind == "F" and count > 0 for kind, count in army):
        raise ParameterError("there is no flag")
    if len(army) > MAX_STRENGTHS:
        raise ParameterError(f"there are more than {MAX_STRENGTHS} lines")
    return army


def parse_kind(word: str) -> str | None:
    """Return a kind in its canonical spelling, None if the word is not a kind."""
    if word in LETTERS:
        return word
    digits = word[1:] if word.startswith("+") else word
    return digits.lstrip("0") or "0" if digits.isascii() and digits.isdigit() else None


def by_strength(kind: str) -> tuple[int, str]:
    """Return the sort key of a strength in its canonical spelling."""
    return len(kind), kind


class TactegoGame(Game):
    """A board of ``rows`` by ``cols``; a move is ``row col row col``, from and to.

    ``pieces`` is each side's army, ``5x1 3x1 Fx1``: a strength or F, M, S, A, and a count.
    With ``hidden`` a player sees the kind of an enemy piece only once it has fought.  After
    ``limit`` moves without a capture the game is a draw; 0 is no limit.
    """

    name = "tactego"
    title = "Tactego"
    summary = "Capture the flag: a simplified Stratego with mines, sappers and assassins."
    how_to_play = (
        "Red and Blue take turns. A piece moves one step, straight or diagonally. Stepping "
        "onto an enemy piece attacks it: the stronger one wins, and between equals the "
        "attacker. The winner stays on the field. Flags (F) and mines (M) do not move. A mine "
        "takes its attacker with it, but a sapper (S) removes mines; otherwise a sapper has "
        "strength 0. An assassin (A) wins every attack and loses whenever it is attacked. "
        "Capture all enemy flags to win. A player who cannot move loses. The game is a draw "
        "after 200 moves (or the limit) without a capture.\n"
        "A move is row col row col, from and to, counted from 0 at the top left."
    )
    players = SIDE_NAMES
    parameters = (
        Parameter("rows", 6, "rows of the board", low=1, high=rules.MAX_SIDE),
        Parameter("cols", 4, "columns of the board", low=1, high=rules.MAX_SIDE, label="Columns"),
        Parameter(
            "pieces",
            "5x1 3x1 2x2 1x3 Fx1",
            "each side's army, '5x1 3x2 Fx1 Mx2'",
            label="Army",
            longest=MAX_STRENGTHS * (MAX_DIGITS + len(f"x{MAX_COUNT} ")),
        ),
        Parameter(
            "hidden", False, "enemy kinds show only once they have fought", label="Hidden pieces"
        ),
        Parameter(
            "limit",
            200,
            "moves without a capture after which the game is a draw; 0 for none",
            high=rules.MAX_LIMIT,
            label="Draw after",
        ),
    )
    presets = {
        "skirmish": Preset(
            "Skirmish",
            "6 by 6, twelve hidden pieces each. Ten minutes.",
            rows=6,
            cols=6,
            pieces="6x1 5x1 4x1 3x1 2x2 Sx2 Ax1 Mx2 Fx1",
            hidden=True,
        ),
        "battle": Preset(
            "Battle",
            "8 by 8, twenty-four hidden pieces each. Half an hour.",
            rows=8,
            cols=8,
            pieces="8x1 7x1 6x2 5x3 4x3 3x3 2x3 Sx3 Ax1 Mx3 Fx1",
            hidden=True,
        ),
        "hidden": Preset(
            "Campaign",
            "10 by 10, forty hidden pieces each. A whole evening.",
            rows=10,
            cols=10,
            pieces="10x1 9x1 8x2 7x3 6x4 5x4 4x4 3x5 2x6 Sx4 Ax1 Mx4 Fx1",
            hidden=True,
        ),
        "small": Preset("Race", "6 by 4, nothing hidden. Three minutes."),
        "special": Preset(
            "Open skirmish",
            "8 by 6, nothing hidden, with mines, sappers and an assassin.",
            rows=8,
            cols=6,
            pieces="6x1 5x2 4x2 2x3 1x4 Sx2 Ax1 Mx2 Fx1",
        ),
        "basic": Preset(
            "Open battle",
            "10 by 10, nothing hidden, numbers and the flag alone.",
            rows=10,
            cols=10,
            pieces="10x1 9x1 8x2 7x3 6x4 5x4 3x6 2x8 1x10 Fx1",
        ),
    }
    usual = "skirmish"
    move_form = "row col row col"
    file_holds = "pieces"
    rules = rules
    leaves_board = "it would leave the board"
    refusals = {
        Refusal.GAME_OVER: "the game is over",
        Refusal.NOT_YOURS: "you have no piece there",
        Refusal.IMMOVABLE: "flags and mines do not move",
        Refusal.OFF_BOARD: leaves_board,
        Refusal.OWN_PIECE: "your own piece is there",
    }

    @classmethod
    def from_army(
        cls, army: list[tuple[str, int]], rows: int, cols: int, **others: object
    ) -> TactegoGame:
        """Return the game of an army on a board, with other parameters."""
        pieces = " ".join(f"{kind}x{count}" for kind, count in army)
        return cls(rows=rows, cols=cols, pieces=pieces, **others)

    def prepare(self) -> None:
        """Read the army; raises ParameterError if it is not valid or does not fit twice."""
        self.hidden = bool(self.values["hidden"])
        self.perfect_information = not self.hidden
        self.limit = int(self.values["limit"])
        self.num_actions = rules.NUM_DIRECTIONS * self.rows * self.cols
        words = str(self.values["pieces"]).split()
        self.army = parse_army([word.replace("x", " ", 1) for word in words])
        total = sum(count for _, count in self.army)
        if 2 * total > self.rows * self.cols:
            raise ParameterError(
                f"two armies of {total} pieces do not fit on {self.rows} by {self.cols} fields"
            )
        present = {kind for kind, count in self.army if count}
        strengths = sorted(present - {*LETTERS, ZERO}, key=by_strength)
        self.kinds = dict(LETTERS)
        self.kinds.update((text, kind) for kind, text in enumerate(strengths, rules.NUMBER))
        if ZERO in present:
            self.kinds[ZERO] = rules.ZERO
        self.names = {**NAMES, **{kind: text for text, kind in self.kinds.items()}}
        self.cell_width = max(CELL_WIDTH, 3 + max(len(kind) for kind in present))

    def initial_position(self, seed: int | str) -> Position:
        """Return armies shuffled in the document's order: seed, shuffle Red's, shuffle Blue's."""
        import random

        return self.shuffled(random.Random(seed_bytes(seed)))

    def start_from_file(self, text: str, seed: int | str) -> State:
        """Start with the army of a pieces file on this game's board."""
        army = parse_army(text.split("\n"))
        game = self.from_army(army, self.rows, self.cols, hidden=self.hidden, limit=self.limit)
        return game.new_initial_state(seed)

    def _empty(self) -> Position:
        """Return the position without pieces."""
        position = Position(cells=self.rows * self.cols)
        position.rows = self.rows
        position.cols = self.cols
        position.hidden = int(self.hidden)
        position.limit = self.limit
        return position

    def shuffled(self, chance: Shuffler) -> Position:
        """Return a start: Red fills rows from the top left, Blue from the bottom left.

        If both armies reach the same row, Blue takes the free fields.
        """
        position = self._empty()
        armies = [[kind for kind, count in self.army for _ in range(count)] for _ in SIDES]
        for army in armies:
            chance.shuffle(army)
        for cell, kind in enumerate(armies[0]):
            position.board[cell] = self.kinds[kind]
        upwards = (r * self.cols + c for r in reversed(range(self.rows)) for c in range(self.cols))
        free = (cell for cell in upwards if not position.board[cell])
        for cell, kind in zip(free, armies[1]):
            position.board[cell] = -self.kinds[kind]
        position.flags_left = [army.count("F") for army in armies]
        return position

    def piece_text(self, piece: int) -> str:
        """Return the document's text of a cell: ``R5``, ``BF``, "" for an empty one."""
        return f"{SIDES[piece < 0]}{self.names[abs(piece)]}" if piece else ""

    def board(self, position: Position) -> list[str]:
        """Return the document's printed board, without blanks at the ends of lines."""
        label = len(str(self.rows - 1))
        heads = "".join(str(col).ljust(self.cell_width) for col in range(self.cols))
        lines = [" " * (label + 1) + heads]
        for row in range(self.rows):
            cells = position.board[row * self.cols : (row + 1) * self.cols]
            texts = "".join(self.piece_text(piece).ljust(self.cell_width) for piece in cells)
            lines.append(f"{row:<{label}} {texts}")
        return [line.rstrip() for line in lines]

    def write(self, position: Position) -> str:
        """Return side to move, moves since a capture and rows, ``R 3 RF,R1!,/,,B5'``.

        In the hidden game ``'`` marks a piece that has moved and ``!`` one that has fought.
        Without a limit the number of moves is always 0.
        """
        texts = [
            self.piece_text(piece) + MARKS[known]
            for piece, known in zip(position.board, position.known)
        ]
        rows = [texts[at : at + self.cols] for at in range(0, len(texts), self.cols)]
        board = "/".join(",".join(row) for row in rows)
        return f"{SIDES[position.turn]} {position.quiet} {board}"

    def read(self, text: str) -> Position:
        """Return the position of a text from ``write``."""
        side, _, rest = text.partition(" ")
        word, _, board = rest.partition(" ")
        rows = [row.split(",") for row in board.split("/")]
        if side not in SIDES:
            raise self.wrong_position(text, "it begins with R or B, the side to move")
        quiet = self._read_quiet(text, word)
        if len(rows) != self.rows or any(len(row) != self.cols for row in rows):
            raise self.wrong_position(text, f"it needs {self.rows} rows of {self.cols} cells")
        position = self._empty()
        position.turn = SIDES.index(side)
        position.quiet = quiet
        for cell, part in enumerate(part for row in rows for part in row):
            self._read_cell(position, text, cell, part)
        for player, name in enumerate(SIDE_NAMES):
            self._check_army(position, text, player, name)
        return position

    def _read_quiet(self, text: str, word: str) -> int:
        """Return the moves since a capture, which must be in canonical form."""
        quiet = parse_integer(word)
        if quiet is None or str(quiet) != word or not 0 <= quiet <= self.limit:
            reason = f"{shown(word)} is no number of moves without a capture, 0 to {self.limit}"
            raise self.wrong_position(text, reason)
        return quiet

    def _read_cell(self, position: Position, text: str, cell: int, part: str) -> None:
        if not part:
            return
        known = MARKS.index(part[-1]) if part[-1] in MARKS else 0
        name = part[:-1] if known else part
        kind = self.kinds.get(name[1:])
        if name[:1] not in SIDES or kind is None or (known and not self.hidden):
            raise self.wrong_position(text, f"{shown(part)} is no piece of this game")
        if known and kind in rules.IMMOVABLE:
            raise self.wrong_position(text, f"{shown(part)} can neither move nor win a combat")
        side = SIDES.index(name[0])
        position.board[cell] = -kind if side else kind
        position.known[cell] = known
        position.flags_left[side] += kind == rules.FLAG

    def _check_army(self, position: Position, text: str, player: int, name: str) -> None:
        """Raise PositionError for a side with more pieces of a kind than its army has."""
        pieces = [abs(piece) for piece in position.board if rules.belongs_to(piece, player)]
        for kind in set(pieces):
            most = sum(count for text, count in self.army if self.kinds.get(text) == kind)
            if pieces.count(kind) > most:
                raise self.wrong_position(text, f"{name} has more than {most} {self.names[kind]}")

    def action(self, start: int, end: int) -> int | None:
        """Return the move from a cell to one of its eight neighbours, or None."""
        row_step = end // self.cols - start // self.cols
        col_step = end % self.cols - start % self.cols
        steps = list(zip(rules.ROW_STEPS, rules.COL_STEPS))
        if (row_step, col_step) not in steps:
            return None
        return rules.NUM_DIRECTIONS * start + steps.index((row_step, col_step))

    def write_move(self, position: Position, action: int) -> str:
        """Return ``row col row col``, from and to."""
        del position
        cell, direction = divmod(action, rules.NUM_DIRECTIONS)
        row, col = divmod(cell, self.cols)
        return f"{row} {col} {row + rules.ROW_STEPS[direction]} {col + rules.COL_STEPS[direction]}"

    def read_move(self, position: Position, text: str) -> int | None:
        """Return the action of ``row col row col``, or None."""
        del position
        numbers = parse_integers(text, 4)
        start = self.cell(*numbers[:2]) if numbers else None
        end = self.cell(*numbers[2:]) if numbers else None
        return None if start is None or end is None else self.action(start, end)

    def outcome(self, position: Position) -> str:
        """Return the winner or the draw in words."""
        winner = rules.winner(position)
        if winner == rules.NOBODY:
            return f"Draw: {self.reason(position)}"
        return f"{SIDE_NAMES[winner]} has won the game"

    def reason(self, position: Position) -> str:
        """Return whose flag is captured, who cannot move, or why it is a draw."""
        if rules.flag_winner(position) != rules.NOBODY:
            return f"{SIDE_NAMES[rules.winner(position)]} captured the flag"
        if rules.winner(position) != rules.NOBODY:
            return f"{SIDE_NAMES[position.turn]} cannot move"
        return f"{self.limit} moves without a capture"

    def comment(self, position: Position, action: int, viewer: int | None) -> str:
        """Return how an attack ends; both kinds are public after it."""
        attacker = position.board[action // rules.NUM_DIRECTIONS]
        defender = position.board[rules.target(position, action)]
        if not defender:
            return ""
        result = rules.combat(abs(attacker), abs(defender))
        verb = VERBS[result]
        if result == rules.ATTACKER_WINS:
            verb = TAKING.get(abs(defender), verb)
        text = f"{self.named(attacker, viewer)} {verb} {self.named(defender, viewer)}"
        return f"{text[0].upper()}{text[1:]}"

    def named(self, piece: int, viewer: int | None) -> str:
        """Return a piece in a viewer's words: "your 5", "the mine", or without a viewer "5"."""
        kind = self.kind_name(abs(piece))
        if viewer is None:
            return kind
        return f"{'your' if rules.belongs_to(piece, viewer) else 'the'} {kind}"

    def kind_name(self, kind: int) -> str:
        """Return a kind in words."""
        return WORDS.get(kind, self.names[kind])

    def legend(self) -> list[Token]:
        """Return the army of each side, the strongest first."""
        tokens = []
        for kind, text in sorted(self.names.items(), reverse=True):
            count = sum(count for name, count in self.army if name == text)
            if count:
                label = f"{WORDS[kind]}: {ABILITIES[kind]}" if kind in WORDS else f"strength {text}"
                tokens.append(Token(label, count, text))
        return tokens

    def losses(self, position: Position) -> list[Token]:
        """Return the fallen of both sides, which are public: whoever has fallen has fought."""
        tokens = []
        for side in range(len(SIDES)):
            left = [abs(piece) for piece in position.board if rules.belongs_to(piece, side)]
            kinds = []
            for text, kind in self.kinds.items():
                fallen = sum(count for name, count in self.army if name == text) - left.count(kind)
                if fallen:
                    kinds.append(Token(WORDS.get(kind, f"strength {text}"), fallen, text, side))
            if kinds:
                total = sum(token.count for token in kinds)
                tokens += [Token("fallen", total, "fallen", side), *kinds]
        return tokens


GAME = TactegoGame

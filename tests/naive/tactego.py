"""Tactego, a second implementation, written from the course's document alone.

Slow and plain: tests hold it against the rules.
"""

import random
import re

FLAG = "F"
MINE = "M"
SAPPER = "S"
ASSASSIN = "A"
LETTERS = (FLAG, MINE, SAPPER, ASSASSIN)
CELL = 5
GAP = 2
TOO_MANY = 1_000_000
START_PROMPT = "Select Piece to Move by Position >> "
END_PROMPT = "Select Position to move Piece >> "
BAD_START = "You must select a starting position with one of your pieces, not a flag.\n"
STUCK = "That piece cannot move anywhere, you must select another one.\n"
BAD_END = "You must select an ending position which is either empty or has an enemy piece.\n"


class Tactego:
    """One game: a grid of "" and pieces such as "R5" or "BF", row 0 at the top."""

    def __init__(
        self, length: int, width: int, red: list[str], blue: list[str], limit: int = 0
    ) -> None:
        """Place both armies in the order given; the limit is the house's own, see drawn."""
        self.length = length
        self.width = width
        self.limit = limit
        self.peaceful = 0
        self.player = "R"
        self.grid = [[""] * width for _ in range(length)]
        self.fought: set[tuple[int, int]] = set()
        self.cell = max(CELL, max(len("R" + kind) for kind in red + blue) + GAP)
        self.place("R", red, list(range(length)))
        self.place("B", blue, list(range(length - 1, -1, -1)))

    def place(self, side: str, kinds: list[str], rows: list[int]) -> None:
        """Put one army on the free fields, row after row in this order, from the left."""
        fields = [(row, column) for row in rows for column in range(self.width)]
        free = [(row, column) for row, column in fields if self.grid[row][column] == ""]
        if len(kinds) > len(free):
            raise ValueError("the armies do not fit")
        for kind, (row, column) in zip(kinds, free, strict=False):
            self.grid[row][column] = side + kind

    def board(self) -> str:
        """Draw the board."""
        label = len(str(self.length - 1))
        heading = [str(column) for column in range(self.width)]
        lines = [drawn_line("", heading, label, self.cell)]
        for number, row in enumerate(self.grid):
            lines.append(drawn_line(str(number), row, label, self.cell))
        return "".join(lines)

    def start_refused(self, row: int, column: int) -> bool:
        """Say whether the player may not choose this field as a start."""
        if not self.on_board(row, column):
            return True
        piece = self.grid[row][column]
        if piece == "" or piece[0] != self.player:
            return True
        return piece[1:] in (FLAG, MINE)

    def stuck(self, row: int, column: int) -> bool:
        """Say whether a piece of the player has no field to go to."""
        return all(
            self.end_refused(row, column, to_row, to_column)
            for to_row in range(self.length)
            for to_column in range(self.width)
            if abs(to_row - row) <= 1 and abs(to_column - column) <= 1
        )

    def end_refused(self, row: int, column: int, to_row: int, to_column: int) -> bool:
        """Say whether a piece from the first field may not go to the second."""
        if not self.on_board(to_row, to_column):
            return True
        if (row, column) == (to_row, to_column):
            return True
        if abs(to_row - row) > 1 or abs(to_column - column) > 1:
            return True
        return self.grid[to_row][to_column].startswith(self.player)

    def on_board(self, row: int, column: int) -> bool:
        """Say whether there is such a field."""
        return 0 <= row < self.length and 0 <= column < self.width

    def moves(self) -> list[tuple[int, int, int, int]]:
        """List what the player could do by the rules of movement alone, sorted."""
        fields = [(row, column) for row in range(self.length) for column in range(self.width)]
        return [
            (row, column, row + down, column + right)
            for row, column in fields
            if not self.start_refused(row, column)
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
            if not self.end_refused(row, column, row + down, column + right)
        ]

    def legal(self) -> list[tuple[int, int, int, int]]:
        """List the legal moves, sorted; none when the game is over."""
        return [] if self.winner() or self.drawn() else self.moves()

    def play(self, row: int, column: int, to_row: int, to_column: int) -> None:
        """Move a piece, settle any combat and pass the turn."""
        start, end = (row, column), (to_row, to_column)
        attacker = self.grid[row][column]
        defender = self.grid[to_row][to_column]
        self.peaceful = self.peaceful + 1 if defender == "" else 0
        if defender == "":
            self.move_piece(start, end)
        else:
            self.settle(start, end, combat(attacker[1:], defender[1:]))
        self.player = other(self.player)

    def settle(self, start: tuple[int, int], end: tuple[int, int], result: str) -> None:
        """Carry out the result of a combat."""
        if result == "attacker":
            self.remove(end)
            self.move_piece(start, end)
        elif result == "defender":
            self.remove(start)
        else:
            self.remove(start)
            self.remove(end)
        if result != "neither":
            self.fought.add(end)

    def remove(self, field: tuple[int, int]) -> None:
        """Take a piece off the board."""
        self.grid[field[0]][field[1]] = ""
        self.fought.discard(field)

    def move_piece(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Carry a piece to an empty field, with what is known about it."""
        piece = self.grid[start[0]][start[1]]
        had_fought = start in self.fought
        self.remove(start)
        self.grid[end[0]][end[1]] = piece
        if had_fought:
            self.fought.add(end)

    def winner(self) -> str | None:
        """Name the winner: the other side has no flag, or has to move and cannot."""
        pieces = self.facts().values()
        if self.player + FLAG not in pieces:
            return other(self.player)
        if other(self.player) + FLAG not in pieces:
            return self.player
        if not self.moves():
            return other(self.player)
        return None

    def drawn(self) -> bool:
        """Say whether so many moves in a row took nothing that nobody wins any more."""
        return self.limit > 0 and self.peaceful >= self.limit and self.winner() is None

    def known(self, player: str) -> set[tuple[int, int]]:
        """Give the fields of the enemy's pieces that have fought and survived."""
        return {
            (row, column)
            for row, column in self.fought
            if self.grid[row][column][0] == other(player)
        }

    def facts(self) -> dict[tuple[int, int], str]:
        """Give every piece by its field."""
        return {
            (row, column): piece
            for row, line in enumerate(self.grid)
            for column, piece in enumerate(line)
            if piece != ""
        }


def drawn_line(name: str, cells: list[str], label: int, cell: int) -> str:
    """Draw one line of the board: a label, a space, then the padded cells."""
    line = name.ljust(label) + " " + "".join(text.ljust(cell) for text in cells)
    return line.rstrip() + "\n"


def other(player: str) -> str:
    """Name the opponent."""
    return "B" if player == "R" else "R"


def combat(attacker: str, defender: str) -> str:
    """Decide a combat: "attacker", "defender" or "neither" stays on the board."""
    if defender == FLAG:
        return "attacker"
    if attacker == ASSASSIN:
        return "attacker"
    if defender == ASSASSIN:
        return "attacker"
    if defender == MINE:
        return "attacker" if attacker == SAPPER else "neither"
    if defender == SAPPER:
        return "attacker"
    strength = 0 if attacker == SAPPER else number_of(attacker)
    return "attacker" if strength >= number_of(defender) else "defender"


def read_integer(word: str) -> int | None:
    """Read an optional sign and decimal digits, of any length; None for anything else."""
    if not re.fullmatch(r"[+-]?[0-9]+", word):
        return None
    value = 0
    for digit in word.lstrip("+-"):
        value = 10 * value + int(digit)
    return -value if word.startswith("-") else value


def number_of(word: str) -> int:
    """Read a word that has to be an integer."""
    value = read_integer(word)
    if value is None:
        raise ValueError("not an integer")
    return value


def read_lines(text: str) -> list[str]:
    """Split a text into lines, whatever the line ends; what ends no line at all is dropped."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def read_pieces(text: str) -> list[str]:
    """Give the kinds of a pieces file in its order, each as often as it says."""
    kinds: list[str] = []
    for line in read_lines(text):
        words = line.split()
        if not words:
            continue
        if len(words) != 2:
            raise ValueError("a line has another form")
        kind, count = read_kind(words[0]), number_of(words[1])
        if count < 0:
            raise ValueError("a count is negative")
        if len(kinds) + count > TOO_MANY:
            raise ValueError("more pieces than any board can hold")
        kinds += [kind] * count
    if FLAG not in kinds:
        raise ValueError("there is no flag")
    return kinds


def read_kind(word: str) -> str:
    """Read a letter, or a strength and write it without needless signs and zeros."""
    if word in LETTERS:
        return word
    number_of(word)
    if word.startswith("-"):
        raise ValueError("a strength is negative")
    return word.lstrip("+-").lstrip("0") or "0"


class EndOfInputError(Exception):
    """Nothing more was typed."""


class Talk:
    """What is typed and what is printed."""

    def __init__(self, text: str) -> None:
        """Begin with nothing printed."""
        self.lines = read_lines(text)
        self.output = ""

    def ask(self, prompt: str) -> str:
        """Print a prompt and take the next line."""
        self.output += prompt
        if not self.lines:
            raise EndOfInputError
        return self.lines.pop(0)

    def ask_field(self, prompt: str) -> tuple[int, int] | None:
        """Ask for two integers; None when something else was typed."""
        numbers = [read_integer(word) for word in self.ask(prompt).split()]
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
            return None
        return numbers[0], numbers[1]

    def ask_start(self, game: Tactego) -> tuple[int, int]:
        """Ask for a start until it is valid."""
        while True:
            field = self.ask_field(START_PROMPT)
            if field is None or game.start_refused(*field):
                self.output += BAD_START
            elif game.stuck(*field):
                self.output += STUCK
            else:
                return field

    def ask_end(self, game: Tactego, start: tuple[int, int]) -> tuple[int, int]:
        """Ask for an end until it is valid."""
        while True:
            field = self.ask_field(END_PROMPT)
            if field is not None and not game.end_refused(*start, *field):
                return field
            self.output += BAD_END

    def set_up(self, files: dict[str, str]) -> Tactego:
        """Ask the four questions and place the pieces; ValueError when something is refused."""
        dice = random.Random()
        dice.seed(self.ask("What is seed? "))
        name = self.ask("What is the filename for the pieces? ")
        length = number_of(self.ask("What is the length? ").strip())
        width = number_of(self.ask("What is the width? ").strip())
        if name not in files:
            raise ValueError("there is no such file")
        red = read_pieces(files[name])
        blue = list(red)
        if length < 1 or width < 1 or length * width > TOO_MANY:
            raise ValueError("there is no such board")
        dice.shuffle(red)
        dice.shuffle(blue)
        return Tactego(length, width, red, blue)

    def run(self, game: Tactego) -> None:
        """Play until one side has won."""
        while True:
            self.output += game.board()
            winner = game.winner()
            if winner is not None:
                self.output += f"{winner} has won the game\n"
                return
            start = self.ask_start(game)
            end = self.ask_end(game, start)
            game.play(*start, *end)


def session(stdin_text: str, files: dict[str, str]) -> str:
    """Give the exact standard output of the program for this typed input and these files."""
    talk = Talk(stdin_text)
    try:
        talk.run(talk.set_up(files))
    except (EndOfInputError, ValueError):
        return talk.output
    return talk.output

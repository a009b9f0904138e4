"""Binary Game, a second implementation, written from the course's document alone.

Slow and plain: tests hold it against the rules.
"""

import re

HELP = ["game", "show", "play", "legal", "genmove", "winner", "exit"]
LARGEST_SIDE = 20
LONGEST_TIME = 100
DEFAULT_WEIGHT = 10
REACH = 2


class Binary:
    """One game: a grid of ".", "0" and "1", rows from top to bottom."""

    def __init__(self, width: int, height: int) -> None:
        """Start with an empty grid."""
        self.width = width
        self.height = height
        self.grid = [["."] * width for _ in range(height)]

    def refusal(self, x: int, y: int, digit: int) -> str | None:
        """Say why this move on a field of the board is illegal, or None where it is legal."""
        if self.grid[y][x] != ".":
            return "occupied"
        after = [list(row) for row in self.grid]
        after[y][x] = str(digit)
        lines = all_lines(after)
        if any("000" in line or "111" in line for line in lines):
            return "three in a row"
        if any(line.count("0") > most_of_a_digit(line) for line in lines):
            return "too many 0"
        if any(line.count("1") > most_of_a_digit(line) for line in lines):
            return "too many 1"
        return None

    def legal(self) -> list[tuple[int, int, int]]:
        """List every legal move (x, y, digit) by x, then y, then digit."""
        return [
            (x, y, digit)
            for x in range(self.width)
            for y in range(self.height)
            for digit in (0, 1)
            if self.refusal(x, y, digit) is None
        ]

    def play(self, x: int, y: int, digit: int) -> None:
        """Put the digit on the grid."""
        self.grid[y][x] = str(digit)

    def to_move(self) -> int:
        """Name the player to move: 1 goes first and every move fills one cell."""
        filled = sum(1 for row in self.grid for cell in row if cell != ".")
        return 1 if filled % 2 == 0 else 2

    def winner(self) -> int | None:
        """Name the player who made the last move, or None while there is still a move."""
        if self.legal():
            return None
        return 2 if self.to_move() == 1 else 1

    def to_move_wins(self) -> bool:
        """Try every line of play to its end; only for tiny boards."""
        for x, y, digit in self.legal():
            self.play(x, y, digit)
            other_wins = self.to_move_wins()
            self.grid[y][x] = "."
            if not other_wins:
                return True
        return False

    def policy(self, patterns: dict[tuple[str, int], float]) -> list[tuple[int, int, int, float]]:
        """Give every legal move (x, y, digit) with its probability under the patterns."""
        moves = self.legal()
        weights = [self.weight(move, patterns) for move in moves]
        total = sum(weights)
        return [
            (x, y, digit, weight / total)
            for (x, y, digit), weight in zip(moves, weights, strict=True)
        ]

    def weight(self, move: tuple[int, int, int], patterns: dict[tuple[str, int], float]) -> float:
        """Add the weight of a move in its row and its weight in its column."""
        x, y, digit = move
        near = range(-REACH, REACH + 1)
        across = "".join(self.cell(x + step, y) for step in near)
        down = "".join(self.cell(x, y + step) for step in near)
        return pattern_weight(across, digit, patterns) + pattern_weight(down, digit, patterns)

    def cell(self, x: int, y: int) -> str:
        """Read one cell, "X" off the board."""
        if 0 <= x < self.width and 0 <= y < self.height:
            return self.grid[y][x]
        return "X"


def all_lines(grid: list[list[str]]) -> list[str]:
    """Give every row and every column as a string."""
    rows = ["".join(row) for row in grid]
    columns = ["".join(column) for column in zip(*grid, strict=True)]
    return rows + columns


def most_of_a_digit(line: str) -> int:
    """Say how often one digit may stand in a line: half its length, rounded up."""
    return (len(line) + 1) // 2


def pattern_weight(cells: str, digit: int, patterns: dict[tuple[str, int], float]) -> float:
    """Look five cells up as they stand, then reversed, then fall back on the default."""
    if (cells, digit) in patterns:
        return patterns[cells, digit]
    if (cells[::-1], digit) in patterns:
        return patterns[cells[::-1], digit]
    return DEFAULT_WEIGHT


def read_integer(word: str) -> int | None:
    """Read an optional sign and decimal digits, of any length; None for anything else."""
    if not re.fullmatch(r"[+-]?[0-9]+", word):
        return None
    value = 0
    for digit in word.lstrip("+-"):
        value = 10 * value + int(digit)
    return -value if word.startswith("-") else value


def read_lines(text: str) -> list[str]:
    """Split typed input into lines, whatever the line ends."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def within(word: str, lowest: int, highest: int) -> bool:
    """Say whether a word is an integer in the range, both ends included."""
    value = read_integer(word)
    return value is not None and lowest <= value <= highest


def number_of(word: str) -> int:
    """Read a word that is known to be an integer."""
    value = read_integer(word)
    if value is None:
        raise ValueError(word)
    return value


class Talk:
    """The text protocol: commands in, answers out."""

    def __init__(self) -> None:
        """Begin without a game."""
        self.game: Binary | None = None

    def answer(self, words: list[str]) -> str:
        """Give the whole answer to one command."""
        command, arguments = words[0], words[1:]
        if command == "play" and self.game is not None:
            reason = play_refusal(self.game, arguments)
            if reason is not None:
                return "= illegal move: " + " ".join(arguments) + " " + reason + "\n\n"
        output = self.output(command, arguments)
        if output is None:
            return "= -1\n\n"
        return "".join(line + "\n" for line in output) + "= 1\n\n"

    def output(self, command: str, arguments: list[str]) -> list[str] | None:
        """Carry a command out and give its lines, or None for a failure."""
        if command in ("help", "exit"):
            return HELP if command == "help" else []
        if command == "game":
            return self.new_game(arguments)
        if command == "timelimit":
            right = len(arguments) >= 1 and within(arguments[0], 1, LONGEST_TIME)
            return [] if right else None
        if self.game is None:
            return None
        return in_game(self.game, command, arguments)

    def new_game(self, arguments: list[str]) -> list[str] | None:
        """Start a new game, unless the arguments are wrong."""
        if len(arguments) != 2:
            return None
        if not all(within(word, 1, LARGEST_SIDE) for word in arguments):
            return None
        self.game = Binary(number_of(arguments[0]), number_of(arguments[1]))
        return []


def in_game(game: Binary, command: str, arguments: list[str]) -> list[str] | None:
    """Carry out a command that needs a board."""
    if command == "play":
        x, y, digit = (number_of(word) for word in arguments)
        game.play(x, y, digit)
        return []
    if command == "legal":
        if len(arguments) != 3:
            return None
        return ["yes" if play_refusal(game, arguments) is None else "no"]
    if command == "show":
        return ["".join(row) for row in game.grid]
    if command == "winner":
        return [str(game.winner() or "unfinished")]
    if command == "policy_moves":
        return policy_lines(game.policy({}))
    return None


def play_refusal(game: Binary, arguments: list[str]) -> str | None:
    """Check the arguments of play in the document's order; None when the move is legal."""
    if len(arguments) != 3:
        return "wrong number of arguments"
    x, y, digit = arguments
    if not (within(x, 0, game.width - 1) and within(y, 0, game.height - 1)):
        return "wrong coordinate"
    if digit not in ("0", "1"):
        return "wrong number"
    return game.refusal(number_of(x), number_of(y), number_of(digit))


def policy_lines(moves: list[tuple[int, int, int, float]]) -> list[str]:
    """Write all moves with their rounded probabilities in one line, or no line at all."""
    if not moves:
        return []
    return [" ".join(f"{x} {y} {digit} {round(chance, 3)}" for x, y, digit, chance in moves)]


def session(text: str) -> str:
    """Give the exact standard output of the program for this standard input."""
    talk = Talk()
    output = ""
    for line in read_lines(text):
        words = line.lower().split() or [""]
        output += talk.answer(words)
        if words[0] == "exit":
            break
    return output

"""Sliding word puzzle, a second implementation, written from the course's document alone.

It is slow and plain: a list of lists of letters. Tests hold it against the rules.
"""

import random
import re

WELCOME = """
Welcome to the big brain sliding puzzle game.
This game is based on the real life sliding puzzle: https://en.wikipedia.org/wiki/Sliding_puzzle
Try the game online here: https://www.helpfulgames.com/subjects/brain-training/sliding-puzzle.html

"""
CHOOSE = """
Choose your difficulty. The larger the puzzle, the harder it is to solve.
"""
DIFFICULTY_PROMPT = "How big do you want the puzzle to be? "
WRONG_DIFFICULTY = "The difficulty is a whole number from 2 to 14 for which there are words.\n"
DIRECTION_PROMPT = 'Please input a direction (enter "H" for instructions): '
INVALID = "That's not a valid input, try again.\n\n"
IMPOSSIBLE = "'{}' is not a possible move here. Please try again.\n\n"
HELP = (
    "\n"
    "Options:\n"
    "    H:          Display this help message\n"
    "    GU:         Stop the current game\n"
    "    [U|D|L|R]:  Move the empty cell in the up/down/left/right direction, \n"
    "                respectively.\n"
    "\n"
    "\n"
)
WON = (
    "Congratulations, you've won the game. Here's your candy:\n"
    '              ___      .-""-.      ___\n'
    '              \\  "-.  /      \\  .-"  /\n'
    "               > -=.\\/        \\/.=- <\n"
    "               > -='\\        /\\'=- <\n"
    "              /__.-'  \\      /  '-.__\\\n"
    "                       '-..-'\n"
    "    \n"
    "    \n"
)
GAVE_UP = "Aww, too bad. Better luck next time.\n\n"
AGAIN_PROMPT = "Do you want to play again? [Y/n] "
BYE = "Bye.\n\n"

DIRECTIONS = ["U", "D", "L", "R"]
ROW_STEP = {"U": -1, "D": 1, "L": 0, "R": 0}
COLUMN_STEP = {"U": 0, "D": 0, "L": -1, "R": 1}
SMALLEST = 2
LARGEST = 14
INTEGER = re.compile(r"[+-]?[0-9]+")


class Sliding:
    """A puzzle that is being slid towards its solution."""

    def __init__(self, puzzle: str, solution: str) -> None:
        """Set up the square of a puzzle, written from left to right and top to bottom."""
        self._rows = _square(puzzle)
        self._solution = solution

    def text(self) -> str:
        """Return the puzzle as one string."""
        return "".join("".join(row) for row in self._rows)

    def move(self, direction: str) -> bool:
        """Move the empty cell; False, and nothing changes, where it cannot go that way."""
        if direction not in self.legal():
            return False
        row, column = self._empty()
        to_row, to_column = row + ROW_STEP[direction], column + COLUMN_STEP[direction]
        self._rows[row][column] = self._rows[to_row][to_column]
        self._rows[to_row][to_column] = " "
        return True

    def legal(self) -> list[str]:
        """Return the directions the empty cell can go, in the order U D L R."""
        row, column = self._empty()
        inside = range(len(self._rows))
        return [
            direction
            for direction in DIRECTIONS
            if row + ROW_STEP[direction] in inside and column + COLUMN_STEP[direction] in inside
        ]

    def solved(self) -> bool:
        """Return whether all letters stand as in the solution and the last cell is empty."""
        return self.text() == self._solution[:-1] + " "

    def _empty(self) -> tuple[int, int]:
        places = [
            (row, column)
            for row, letters in enumerate(self._rows)
            for column, letter in enumerate(letters)
            if letter == " "
        ]
        return places[0]


def _square(puzzle: str) -> list[list[str]]:
    """Return the rows of a puzzle; ValueError where it does not fill a square."""
    for side in range(len(puzzle) + 1):
        if side * side == len(puzzle):
            return [list(puzzle[row * side : row * side + side]) for row in range(side)]
    raise ValueError(f"{puzzle!r} does not fill a square")


def grid(puzzle: str) -> str:
    """Return the printed grid of a puzzle or a solution."""
    rows = _square(puzzle)
    border = "+" + "---+" * len(rows) + "\n"
    printed = border
    for row in rows:
        printed += "|" + "".join(f" {letter} |" for letter in row) + "\n" + border
    return printed


def shuffle(solution: str) -> str:
    """Return a shuffled puzzle, made by an even number of swaps drawn from `random`."""
    letters = list(solution[:-1])
    for _ in range(2 * len(solution)):
        first, second = random.sample(range(len(letters)), k=2)
        letters[first], letters[second] = letters[second], letters[first]
    return "".join(letters) + " "


def session(typed: str, words: list[str], echo: bool = False) -> str:
    """Return the exact standard output of the game for all that is typed."""
    console = _Console(typed, echo)
    console.show(WELCOME)
    try:
        while True:
            _play(console, words)
            if console.ask(AGAIN_PROMPT) not in ["Y", "y", ""]:
                console.show(BYE)
                break
    except EOFError:
        pass
    return console.screen


class _Console:
    """What has been printed, and the typed lines that are still to be read."""

    def __init__(self, typed: str, echo: bool) -> None:
        lines = typed.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._lines = lines if lines[-1] != "" else lines[:-1]
        self._echo = echo
        self.screen = ""

    def show(self, text: str) -> None:
        """Print a text as it is."""
        self.screen += text

    def ask(self, prompt: str) -> str:
        """Print a prompt and return the next typed line; EOFError where there is none."""
        self.show(prompt)
        if not self._lines:
            raise EOFError
        line = self._lines.pop(0)
        if self._echo:
            self.show(line + "\n")
        return line


def _play(console: _Console, words: list[str]) -> None:
    """Play one game, from the choice of its difficulty to its win or the giving up."""
    side = _difficulty(console, words)
    fitting = [word for word in words if len(word) == side]
    solution = "".join(random.choices(fitting, k=side))
    game = Sliding(shuffle(solution), solution)
    while True:
        console.show("Solution:\n" + grid(solution) + "\n")
        console.show("Current position:\n" + grid(game.text()) + "\n")
        if game.solved():
            console.show(WON)
            return
        action = console.ask(DIRECTION_PROMPT)
        if action == "GU":
            console.show(GAVE_UP)
            return
        console.show(_act(game, action))


def _act(game: Sliding, action: str) -> str:
    """Carry out an action other than giving up and return what is printed about it."""
    if action == "H":
        return HELP
    if action not in DIRECTIONS:
        return INVALID
    return "" if game.move(action) else IMPOSSIBLE.format(action)


def _difficulty(console: _Console, words: list[str]) -> int:
    """Ask for the difficulty until it is one that there are words for."""
    lengths = {len(word) for word in words}
    while True:
        console.show(CHOOSE)
        side = _number(console.ask(DIFFICULTY_PROMPT))
        if SMALLEST <= side <= LARGEST and side in lengths:
            return side
        console.show(WRONG_DIFFICULTY)


def _number(line: str) -> int:
    """Return a typed whole number, or 0 (never a difficulty) for anything else."""
    word = line.strip()
    if not INTEGER.fullmatch(word) or word.startswith("-"):
        return 0
    digits = word.lstrip("+").lstrip("0")
    return int(digits) if 1 <= len(digits) <= 2 else 0

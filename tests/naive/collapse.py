"""Collapse, a second implementation, written from the course's document alone.

It is slow and plain: a list of columns, each a list of digits from the bottom up.
Tests hold it against the rules.
"""

import re

SIZE_MESSAGE = "Please enter a correct size!\n\n"
NO_MOVE_MESSAGE = "No movement happened try again\n\n"
GAME_OVER = "Game over\n"
PROMPT = "Please enter a row and a column number: "

INTEGER = re.compile(r"[+-]?[0-9]+")
FAR_OFF_THE_BOARD = 10**9
LONGEST_NUMBER = 9

Field = tuple[int, int]  # (column from the left, height from the bottom), both from 0


class Collapse:
    """A board of digits, and the score made on it so far."""

    def __init__(self, rows: list[list[int]], scoring: str = "linear") -> None:
        """Set up the board from its rows, the top row first; scoring linear or samegame."""
        self.score = 0
        self._scoring = scoring
        width = len(rows[0]) if rows else 0
        self._columns = [[row[column] for row in reversed(rows)] for column in range(width)]

    def lines(self) -> list[str]:
        """Return the board as it is printed, one string a row."""
        printed = []
        for height in reversed(range(self._printed_rows())):
            cells = [
                str(column[height]) if height < len(column) else " " for column in self._columns
            ]
            printed.append(" ".join(cells).rstrip(" "))
        return printed

    def verdict(self, row: int, column: int) -> str:
        """Return "ok", "size" or "none" for a pick counted from 1 as printed now."""
        field = self._field(row, column)
        if field not in self._fields():
            return "size"
        return "ok" if len(self._group(field)) >= 2 else "none"

    def pick(self, row: int, column: int) -> None:
        """Remove the group of a field; ValueError where that is not allowed."""
        verdict = self.verdict(row, column)
        if verdict != "ok":
            raise ValueError(f"row {row}, column {column} cannot be picked: {verdict}")
        field = self._field(row, column)
        group = self._group(field)
        digit = self._digit(field)
        fallen = [
            [digit for height, digit in enumerate(digits) if (index, height) not in group]
            for index, digits in enumerate(self._columns)
        ]
        self._columns = [digits for digits in fallen if digits]
        if self._scoring == "linear":
            self.score += digit * len(group)
        else:
            self.score += (len(group) - 2) ** 2 + self._last_words()

    def _last_words(self) -> int:
        """Return what SameGame gives or takes once the game is over."""
        if not self._columns:
            return 1000
        if not self.over():
            return 0
        cells = [digit for digits in self._columns for digit in digits]
        return -sum((cells.count(digit) - 2) ** 2 for digit in set(cells))

    def legal(self) -> list[tuple[int, int]]:
        """Return every field that can be picked as (row, column) from 1, sorted."""
        seen: set[Field] = set()
        pickable = []
        for field in self._fields():
            if field in seen:
                continue
            group = self._group(field)
            seen |= group
            if len(group) >= 2:
                pickable += [self._printed_place(member) for member in group]
        return sorted(pickable)

    def over(self) -> bool:
        """Return whether no field can be picked any more."""
        return not self.legal()

    def _printed_rows(self) -> int:
        return max((len(column) for column in self._columns), default=0)

    def _field(self, row: int, column: int) -> Field:
        return column - 1, self._printed_rows() - row

    def _printed_place(self, field: Field) -> tuple[int, int]:
        column, height = field
        return self._printed_rows() - height, column + 1

    def _fields(self) -> list[Field]:
        return [
            (column, height)
            for column, digits in enumerate(self._columns)
            for height in range(len(digits))
        ]

    def _digit(self, field: Field) -> int:
        column, height = field
        return self._columns[column][height]

    def _group(self, field: Field) -> set[Field]:
        """Return the group of a field: grow a set by equal neighbours until nothing is new."""
        alike = {other for other in self._fields() if self._digit(other) == self._digit(field)}
        group = {field}
        while True:
            grown = group | {near for member in group for near in _neighbours(member)} & alike
            if grown == group:
                return group
            group = grown


def _neighbours(field: Field) -> list[Field]:
    column, height = field
    return [
        (column - 1, height),
        (column + 1, height),
        (column, height - 1),
        (column, height + 1),
    ]


def read_board(text: str) -> list[list[int]]:
    """Read the rows of a board file; ValueError for anything but equally long rows of digits."""
    rows = [line.split() for line in _lines(text)]
    while rows and not rows[-1]:
        rows.pop()
    if not rows or not rows[0]:
        raise ValueError("the board has no first row")
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("the rows of the board are not equally long")
    if not all(cell in list("0123456789") for row in rows for cell in row):
        raise ValueError("the board holds something else than single digits")
    return [[int(cell) for cell in row] for row in rows]


def session(board_text: str, typed: str) -> str:
    """Return the exact standard output for a board file and all that is typed."""
    game = Collapse(read_board(board_text))
    screen = _state(game)
    for line in _lines(typed):
        if game.over():
            break
        screen += PROMPT + "\n" + _answer(game, line)
    return screen + (GAME_OVER if game.over() else PROMPT)


def _answer(game: Collapse, line: str) -> str:
    """Play one typed line and return what is printed about it."""
    numbers = [_number(word) for word in line.split()]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        return SIZE_MESSAGE
    row, column = numbers[0], numbers[1]
    verdict = game.verdict(row, column)
    if verdict == "size":
        return SIZE_MESSAGE
    if verdict == "none":
        return NO_MOVE_MESSAGE + _state(game)
    game.pick(row, column)
    return _state(game)


def _state(game: Collapse) -> str:
    """Return the printed board and score; a cleared board has no lines."""
    board = "".join(line + "\n" for line in game.lines())
    return f"{board}\nYour score is: {game.score}\n\n"


def _number(word: str) -> int | None:
    """Return a typed integer, or None; very long ones only as far off the board."""
    if not INTEGER.fullmatch(word):
        return None
    digits = word.lstrip("+-").lstrip("0") or "0"
    size = int(digits) if len(digits) <= LONGEST_NUMBER else FAR_OFF_THE_BOARD
    return -size if word.startswith("-") else size


def _lines(text: str) -> list[str]:
    """Split a text at any of the three kinds of line ends; the last line may lack one."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines

"""The sliding word puzzle: words, texts of positions and moves, and the printed grid."""

from __future__ import annotations

from functools import lru_cache

from gridhouse.core.errors import ParameterError
from gridhouse.core.game import Game, Parameter, Preset, State
from gridhouse.core.notation import seed_bytes
from gridhouse.games.sliding import rules, texts
from gridhouse.games.sliding.rules import Position, Refusal
from gridhouse.games.sliding.words import load_words, own_words_file, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    class Chance(Protocol):
        """The random numbers that a puzzle needs; the module ``random`` has them."""

        def choices(self, population: Sequence[str], /, *, k: int) -> list[str]:
            """Draw with repetition."""

        def sample(self, population: range, /, k: int) -> list[int]:
            """Draw without repetition."""


DIRECTIONS = (texts.UP, texts.DOWN, texts.LEFT, texts.RIGHT)
BLANK = texts.EMPTY
SEPARATOR = "/"


@lru_cache(maxsize=None)
def own_words(length: int) -> list[str]:
    """Return the words of a length that come with the game."""
    return load_words(own_words_file(), length)


def swap_position(puzzle: str, from_index: int, to_index: int) -> str:
    """Return the puzzle with two places exchanged."""
    tiles = list(puzzle)
    tiles[from_index], tiles[to_index] = tiles[to_index], tiles[from_index]
    return "".join(tiles)


def shuffle(solution: str, chance: Chance) -> str:
    """Return a solvable puzzle: an even number of swaps of two letters, the empty cell last."""
    puzzle = solution[:-1]
    if len(puzzle) > 1:
        for _ in range(2 * len(solution)):
            first, second = chance.sample(range(len(puzzle)), k=2)
            puzzle = swap_position(puzzle, first, second)
    return puzzle + BLANK


def position_of(puzzle: str, solution: str, rows: int, cols: int) -> Position:
    """Return the position with these letters, row by row; a blank is the empty cell."""
    position = Position(tiles=rows * cols)
    position.rows = rows
    position.cols = cols
    position.tiles = [rules.EMPTY if letter == BLANK else ord(letter) for letter in puzzle]
    position.goal = [ord(letter) for letter in solution]
    rules.start(position)
    return position


def puzzle_text(position: Position) -> str:
    """Return the letters of a position row by row, with a blank for the empty cell."""
    return "".join(chr(tile) if tile else BLANK for tile in position.tiles)


def solution_text(position: Position) -> str:
    """Return the letters of the solution row by row."""
    return "".join(map(chr, position.goal))


def grid_lines(letters: str, cols: int) -> list[str]:
    """Return the lines of the grid as the document prints it."""
    corner, side = texts.CORNER, texts.VERTICAL_WALL
    wall = corner + (3 * texts.HORIZONTAL_WALL + corner) * cols
    lines = [wall]
    for at in range(0, len(letters), max(1, cols)):
        lines += [side + "".join(f" {letter} {side}" for letter in letters[at : at + cols]), wall]
    return lines


class SlidingGame(Game):
    """A puzzle of ``rows`` words of ``cols`` letters; a move is U, D, L or R for the empty cell."""

    name = "sliding"
    title = "Sliding word puzzle"
    summary = "Slide the letters until every row shows its word."
    how_to_play = (
        "Slide letters into the empty cell until every row shows its word. The empty cell "
        "ends at the bottom right, in place of the last letter. Equal letters are "
        "interchangeable.\n"
        "A move is U, D, L or R, the direction in which the empty cell goes."
    )
    players = ("Player",)
    parameters = (
        Parameter("rows", 3, "rows, one word each", low=rules.MIN_SIDE, high=rules.MAX_SIDE),
        Parameter(
            "cols",
            3,
            "columns, the letters of a word",
            low=rules.MIN_SIDE,
            high=rules.MAX_SIDE,
            label="Columns",
        ),
    )
    presets = {
        "easy": Preset("Warm-up", "2 by 2. A few moves.", rows=2, cols=2),
        "standard": Preset("Standard", "3 by 3. Some twenty moves."),
        "hard": Preset("Hard", "4 by 4. Some fifty moves.", rows=4, cols=4),
        "giant": Preset("Giant", "8 by 8. For a rainy day.", rows=8, cols=8),
    }
    daily = {"rows": 3, "cols": 4}  # the solver proves the shortest solution at once
    fewer_is_better = True
    move_form = "U|D|L|R"
    file_holds = "words"
    rules = rules
    num_actions = rules.NUM_DIRECTIONS
    no_move = "only tiles in line with the gap can slide"
    refusals = {
        Refusal.GAME_OVER: "the puzzle is solved",
        Refusal.OFF_BOARD: "the empty cell would leave the grid",
    }

    def initial_position(self, seed: int | str) -> Position:
        """Return a shuffled puzzle of random words."""
        return self._unsolved(own_words(self.cols), seed)

    def _unsolved(self, words: list[str], seed: int | str) -> Position:
        """Return a puzzle that is not solved already, if the words allow one."""
        import random

        chance = random.Random(seed_bytes(seed))
        position = self.from_words(words, chance)
        for _ in range(rules.MAX_DRAWS):
            if not rules.is_terminal(position):
                break
            position = self.from_words(words, chance)
        return position

    def from_words(self, words: list[str], chance: Chance) -> Position:
        """Return a shuffled puzzle of words drawn from the given ones, all of the right length."""
        if not words:
            raise ParameterError(f"there are no words of {self.cols} letters")
        solution = "".join(chance.choices(words, k=self.rows))
        return position_of(shuffle(solution, chance), solution, self.rows, self.cols)

    def start_from_file(self, text: str, seed: int | str) -> State:
        """Start with words of a file, one a line."""
        return State(self, self._unsolved(words_of(text, self.cols), seed))

    def board(self, position: Position) -> list[str]:
        """Return the lines of the grid as the document prints it."""
        return grid_lines(puzzle_text(position), self.cols)

    def status(self, position: Position) -> str:
        """Return the words to reach."""
        solution = solution_text(position)
        words = [solution[at : at + self.cols] for at in range(0, len(solution), self.cols)]
        return f"Solution: {' '.join(words)}"

    def write(self, position: Position) -> str:
        """Return puzzle and solution, ``fhg bcade/abcdefghi``."""
        return puzzle_text(position) + SEPARATOR + solution_text(position)

    def read(self, text: str) -> Position:
        """Return the position of such a text; it need not be solvable."""
        size = self.rows * self.cols
        puzzle, solution = text[:size], text[size + 1 :]
        if len(text) != 2 * size + 1 or text[size] != SEPARATOR:
            raise self.wrong_position(text, f"it needs {size} letters, a slash, {size} letters")
        if puzzle.count(BLANK) != 1 or BLANK in solution:
            raise self.wrong_position(text, "just one cell of the puzzle is blank")
        if not text.isprintable():
            raise self.wrong_position(text, "a letter is a printable character")
        if sorted(puzzle) != sorted(BLANK + solution[:-1]):
            raise self.wrong_position(text, "puzzle and solution have other letters")
        return position_of(puzzle, solution, self.rows, self.cols)

    def write_move(self, position: Position, action: int) -> str:
        """Return U, D, L or R."""
        del position
        return DIRECTIONS[action]

    def read_move(self, position: Position, text: str) -> int | None:
        """Return the action of U, D, L or R, in upper or lower case, or None."""
        del position
        letter = text.upper()
        return DIRECTIONS.index(letter) if letter in DIRECTIONS else None

    def may_be_daily(self) -> bool:
        """Tell whether a board has the size of a daily puzzle, perhaps on its side."""
        return sorted((self.rows, self.cols)) == sorted((self.daily or {}).values())

    def outcome(self, position: Position) -> str:
        """Return the outcome in words."""
        del position
        return "Solved"

    def reason(self, position: Position) -> str:
        """Return that the puzzle is solved."""
        return self.outcome(position)

    def result(self, state: State) -> int:
        """Return the number of moves."""
        return len(state.history())

    def write_result(self, result: int) -> str:
        """Return a number of moves in words."""
        return f"{result} move" if result == 1 else f"{result} moves"


GAME = SlidingGame

"""The rules of the sliding word puzzle of a course assignment (Queensland, CSSE1001, 2021).

Action 0, 1, 2 or 3 moves the empty cell up, down, left or right.  The puzzle is solved when every
cell but the last shows the letter of the solution; equal letters are interchangeable.

Tiles are code points of letters, 0 is the empty cell.
"""

from __future__ import annotations

from enum import IntEnum

from gridhouse.core import chance, position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MIN_SIDE = 2
MAX_SIDE = 14
EMPTY = 0
UP = 0
DOWN = 1
LEFT = 2
RIGHT = 3
NUM_DIRECTIONS = 4
NUM_PLANES = 4
MAX_DRAWS = 100  # attempts to get an unsolved puzzle; equal letters may not allow one


class Refusal(IntEnum):
    """The reason why a move is not legal."""

    NONE = 0
    GAME_OVER = 1
    OFF_BOARD = 2


class Position(position.Position):
    """The tiles, the solution, the empty cell, and the number of misplaced letters."""

    sliding = position.field("int8")
    rows = position.field("int16")
    cols = position.field("int16")
    blank = position.field("int32")
    misplaced = position.field("int32")
    tiles = position.field("int32", "tiles")
    goal = position.field("int32", "tiles")


def start(state: Position) -> None:
    """Find the empty cell and count the misplaced letters, once tiles and goal are set."""
    last = state.rows * state.cols - 1
    state.misplaced = 0
    for cell in range(last + 1):
        if state.tiles[cell] == EMPTY:
            state.blank = cell
        if cell < last and state.tiles[cell] != state.goal[cell]:
            state.misplaced += 1


def is_off_board(state: Position, action: int) -> bool:
    """Tell whether the empty cell would leave the board, without unpredictable branches."""
    col = state.blank % state.cols
    up = (action == UP) & (state.blank < state.cols)
    down = (action == DOWN) & (state.blank >= (state.rows - 1) * state.cols)
    return up | down | (action == LEFT) & (col == 0) | (action == RIGHT) & (col == state.cols - 1)


def refusal(state: Position, action: int) -> int:
    """Return 0 if the action is legal, else the reason."""
    if state.misplaced == 0:
        return Refusal.GAME_OVER
    if is_off_board(state, action):
        return Refusal.OFF_BOARD
    return Refusal.NONE


def legal_actions(state: Position, out: list[int]) -> int:
    """Write the legal actions in ascending order; return their number."""
    count = 0
    for action in range(NUM_DIRECTIONS):
        if refusal(state, action) == Refusal.NONE:
            out[count] = action
            count += 1
    return count


def misplaced_at(state: Position, cell: int) -> int:
    """Return 1 if a cell other than the last shows a wrong letter, else 0."""
    last = state.rows * state.cols - 1
    return 1 if (cell < last) & (state.tiles[cell] != state.goal[cell]) else 0


def apply_action(state: Position, action: int) -> None:
    """Play a legal action."""
    step = state.cols if action in (UP, DOWN) else 1
    before = state.blank
    after = before - step if action in (UP, LEFT) else before + step
    state.misplaced -= misplaced_at(state, before) + misplaced_at(state, after)
    state.tiles[before] = state.tiles[after]
    state.tiles[after] = EMPTY
    state.blank = after
    state.misplaced += misplaced_at(state, before) + misplaced_at(state, after)


def key(state: Position) -> int:
    """Return a hash of the tiles."""
    result = 0
    for cell in range(state.rows * state.cols):
        result ^= chance.zobrist(int(state.tiles[cell]) << 8 | cell)
    return result


def current_player(state: Position) -> int:
    """Return the only player."""
    return 0


def is_terminal(state: Position) -> bool:
    """Tell whether the puzzle is solved."""
    return state.misplaced == 0


def returns(state: Position, out: list[float]) -> None:
    """Write 1 for a solved puzzle, else 0."""
    out[0] = 1 if state.misplaced == 0 else 0


def swap(state: Position, one: int, other: int) -> None:
    """Exchange two tiles."""
    tile = state.tiles[one]
    state.tiles[one] = state.tiles[other]
    state.tiles[other] = tile


def shuffle(state: Position, rng: Any) -> None:
    """Shuffle the letters uniformly over all solvable orders, with the empty cell last.

    With the empty cell at its goal these are the even permutations (Johnson and Story, 1879).
    """
    last = state.rows * state.cols - 1
    for cell in range(last):
        state.tiles[cell] = state.goal[cell]
    state.tiles[last] = EMPTY
    swaps = 0
    for cell in range(1, last):
        other = chance.randbelow(rng, cell + 1)
        swap(state, cell, other)
        swaps += 1 if other != cell else 0
    # One more swap maps the odd permutations one to one to the even ones.
    if swaps % 2 == 1:
        swap(state, 0, 1)
    start(state)


def randomize_start(state: Position, rng: Any) -> None:
    """Turn one start into another by shuffling the letters, unsolved if possible."""
    for _ in range(MAX_DRAWS):
        shuffle(state, rng)
        if not is_terminal(state):
            break


def observation_planes(state: Position, player: int, out: list[float]) -> None:
    """Write planes: letters and solution as code points over 128, empty cell, misplaced cells."""
    cells = state.rows * state.cols
    for cell in range(cells):
        out[cell] = state.tiles[cell] / 128
        out[cells + cell] = state.goal[cell] / 128
        out[2 * cells + cell] = 1 if cell == state.blank else 0
        out[3 * cells + cell] = misplaced_at(state, cell)

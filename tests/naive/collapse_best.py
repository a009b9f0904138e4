"""The best that can be made of a small Collapse board, by trying everything.

A board is a tuple of columns, each a tuple of digits from the bottom up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

Board = tuple[tuple[int, ...], ...]
Field = tuple[int, int]
Marked = tuple[int, int, int]  # a field, and the digit of its cell
Cell = TypeVar("Cell")


def board_of(rows: list[list[int]]) -> Board:
    """Return the board with these rows, the top row first."""
    return tuple(tuple(row[col] for row in reversed(rows)) for col in range(len(rows[0])))


def groups(board: Board) -> list[set[Field]]:
    """Return the groups of at least two fields."""
    left = {(col, level) for col, column in enumerate(board) for level in range(len(column))}
    found = []
    while left:
        group = {left.pop()}
        reached = list(group)
        while reached:
            col, level = reached.pop()
            for near in ((col - 1, level), (col + 1, level), (col, level - 1), (col, level + 1)):
                if near in left and board[near[0]][near[1]] == board[col][level]:
                    left.remove(near)
                    group.add(near)
                    reached.append(near)
        if len(group) > 1:
            found.append(group)
    return found


def without(board: tuple[tuple[Cell, ...], ...], group: set[Field]) -> tuple[tuple[Cell, ...], ...]:
    """Return the board after a group was picked."""
    columns = (
        tuple(digit for level, digit in enumerate(column) if (col, level) not in group)
        for col, column in enumerate(board)
    )
    return tuple(column for column in columns if column)


def best(board: Board, scoring: str, known: dict[Board, int] | None = None) -> int:
    """Return the most that can still be scored."""
    if known is None:
        known = {}
        if not groups(board):
            return 0
    if board not in known:
        choices = []
        for group in groups(board):
            col, level = next(iter(group))
            gain = board[col][level] * len(group) if scoring == "linear" else (len(group) - 2) ** 2
            choices.append(gain + best(without(board, group), scoring, known))
        known[board] = max(choices) if choices else last_words(board, scoring)
    return known[board]


def last_words(board: Board, scoring: str) -> int:
    """Return what a board without groups gives or takes."""
    if scoring == "linear":
        return 0
    if not board:
        return 1000
    cells = [digit for column in board for digit in column]
    return -sum((cells.count(digit) - 2) ** 2 for digit in set(cells))


def can_clear(board: Board) -> bool:
    """Tell whether all of a board can be removed."""
    return not board or any(can_clear(without(board, group)) for group in groups(board))


def reached(board: Board) -> Iterator[tuple[tuple[Marked, ...], ...]]:
    """Yield all that plays make of a board, every cell with its field as it is now."""
    start = tuple(
        tuple((col, level, digit) for level, digit in enumerate(column))
        for col, column in enumerate(board)
    )
    seen = {start}
    waiting = [start]
    while waiting:
        here = waiting.pop()
        yield here
        for group in groups(digits_of(here)):
            after = without(here, group)
            if after not in seen:
                seen.add(after)
                waiting.append(after)


def digits_of(marked: tuple[tuple[Marked, ...], ...]) -> Board:
    """Return the digits alone."""
    return tuple(tuple(cell[2] for cell in column) for column in marked)


def removable(board: Board) -> set[Field]:
    """Return the fields, as they are now, of all cells that some play removes."""
    return {
        here[col][level][:2]
        for here in reached(board)
        for group in groups(digits_of(here))
        for col, level in group
    }

"""Prove first moves of the Binary Game, and the openings of 5x5 and 9x3 as the package keeps them.

``python benchmarks/binary_book.py prove WIDTH HEIGHT [MEMORY]``: the moves that win for who begins,
whatever is answered, with MEMORY MiB (2000).  Progress goes to the standard error.
``python benchmarks/binary_book.py check WIDTH HEIGHT [COUNT]``: search the boards after the book's
last moves anew, each for itself, all or COUNT of them, and print how many are lost for the player
to move.
``python benchmarks/binary_book.py firsts WIDTH HEIGHT [MEMORY]``: search what first moves lead to,
those that are not images of each other, from the middle outwards, and print who wins there.
``python benchmarks/binary_book.py three [MEMORY]``: search all boards of three digits on 5x5 and
print how many are lost, and those that are not.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

from command_line import Count, start

import gridhouse
from gridhouse.core.console import UsageError
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import book
from gridhouse.games.binary.solver.api import solve
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.kernels.records import LOSS, UNKNOWN, WIN
from gridhouse.games.binary.solver.search import Search
from gridhouse.games.binary.solver.solution import OUTCOMES
from gridhouse.games.binary.solver.symmetry import image

if TYPE_CHECKING:
    from gridhouse.core.game import State

MEMORY = 2000
ALL = 1 << 40


def check(width: Count, height: Count, count: Count = ALL) -> None:
    """Search the boards after the last moves of the book, all or ``count`` of them."""
    size = width * height
    late = size - last_ply(width, height)
    boards = [one for one in book.moves() if len(one) == size and one.count(book.EMPTY) == late]
    if count < len(boards):
        boards = random.Random(count).sample(boards, count)
    lost = nodes = 0
    for board in boards:
        rows = "/".join(board[at : at + width] for at in range(0, size, width))
        state = gridhouse.parse(f"binary(rows={height},cols={width}) {rows}")
        action = book.winning_move(state.position)
        assert action is not None
        state.apply_action(action)
        found = solve(state, threads=1, proved=False)
        lost += found.outcome == "loss"
        nodes += found.nodes
    print(f"{lost} of {len(boards)} lost, {nodes} nodes")


def prove(width: Count, height: Count, memory: Count = MEMORY) -> None:
    """Prove the book and print it."""
    most = last_ply(width, height)
    state = BinaryGame(rows=height, cols=width).new_initial_state()
    search = Search(Board(state.position, Backend(jit=True)), memory=memory, threads=2)
    found: dict[str, str] = {}
    todo = [state]
    for state in todo:
        board, kind, swap = min(book.images(state.position))
        if board in found:
            continue
        assert search.follow(state.position)
        assert search.outcome() == WIN
        moves = sorted(search.moves(), key=lambda move: search.known_outcome((move,)) != LOSS)
        move = next(move for move in moves if search.outcome((move,)) == LOSS)
        action = search.board.action(move)
        row, col = image(state.position, *divmod(action >> 1, width), kind)
        found[board] = f"{board} {col} {row} {(action & 1) ^ swap}"
        print(len(found), "of", len(todo), search.nodes, "nodes", file=sys.stderr, flush=True)
        state.apply_action(action)
        if len(state.history()) < most:
            for answer in state.legal_actions():
                todo.append(state.clone())
                todo[-1].apply_action(answer)
    print("\n".join(sorted(found.values())))


def firsts(width: Count, height: Count, memory: Count = MEMORY) -> None:
    """Search the first moves, with the same memory: one helps to prove the next."""
    start = BinaryGame(rows=height, cols=width).new_initial_state()
    search = Search(Board(start.position, Backend(jit=True)), memory=memory, threads=2)
    seen = set()

    def distance(action: int) -> int:
        row, col = divmod(action >> 1, width)
        return (2 * row - height + 1) ** 2 + (2 * col - width + 1) ** 2

    for action in sorted(start.legal_actions(), key=distance):
        after = start.clone()
        after.apply_action(action)
        board = min(book.images(after.position))[0]
        if board not in seen:
            seen.add(board)
            before = search.nodes
            assert search.follow(after.position)
            outcome = OUTCOMES[search.outcome()]
            name = start.action_to_string(action)
            print(f"{name}: {outcome}, {search.nodes - before} nodes", flush=True)


def three(memory: Count = MEMORY) -> None:
    """Search all boards of three digits that are not images of each other."""
    start = BinaryGame(rows=book.SIDE, cols=book.SIDE).new_initial_state()
    states = {"": start}
    for _ in range(3):
        later: dict[str, State] = {}
        for state in states.values():
            for action in state.legal_actions():
                after = state.clone()
                after.apply_action(action)
                later.setdefault(min(book.images(after.position))[0], after)
        states = later
    search = Search(Board(start.position, Backend(jit=True)), memory=memory, threads=1)
    won = []
    for board in sorted(states, reverse=True):
        assert search.follow(states[board].position)
        value = search.outcome()
        assert value != UNKNOWN
        assert book.is_lost(states[board].position) == (value == LOSS)
        if value == WIN:
            won.append(board)
    print(f"{len(states) - len(won)} of {len(states)} lost, {search.nodes} nodes; won:", *won)


def last_ply(width: int, height: int) -> int:
    """Return the ply of the last moves of a board's book; raises UsageError without one."""
    if (width, height) not in book.LAST_PLY:
        boards = ", ".join(f"{wide} {high}" for wide, high in book.LAST_PLY)
        raise UsageError(f"there is no book of {width} {height}, only of {boards}")
    return book.LAST_PLY[width, height]


if __name__ == "__main__":
    start(check=check, prove=prove, firsts=firsts, three=three)

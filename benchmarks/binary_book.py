"""Prove the opening of the Binary Game on 5x5, and print it as the package keeps it.

``python benchmarks/binary_book.py [MEMORY]``: the moves that win for who begins, whatever is
answered, with so many MiB of memory (2000).  What it takes is said on the standard error.
``python benchmarks/binary_book.py check``: search every board after the book's last moves anew,
each for itself, and print how many are lost for who is to move.
``python benchmarks/binary_book.py three [MEMORY]``: search all boards of three digits and print
how many are lost, and those that are not.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import gridhouse
from gridhouse.games.binary import _frame, book
from gridhouse.games.binary._layout import Board, Memory
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import Search, solve
from gridhouse.games.binary.symmetry import image

if TYPE_CHECKING:
    from gridhouse.core.game import State

LATE = book.SIDE**2 - book.MOST_PLY


def check() -> None:
    """Search what the last moves of the book lead to."""
    boards = [board for board in book.moves() if board.count(book.EMPTY) == LATE]
    lost = nodes = 0
    for board in boards:
        rows = (board[at : at + book.SIDE] for at in range(0, len(board), book.SIDE))
        state = gridhouse.parse(f"binary(rows={book.SIDE},cols={book.SIDE}) {'/'.join(rows)}")
        action = book.winning_move(state.position)
        assert action is not None
        state.apply_action(action)
        found = solve(state, threads=1, proved=False)
        lost += found.outcome == "loss"
        nodes += found.nodes
    print(f"{lost} of {len(boards)} lost, {nodes} nodes")


def prove(memory: int) -> None:
    """Prove the book and print it."""
    state = BinaryGame(rows=book.SIDE, cols=book.SIDE).new_initial_state()
    search = Search(Board(state.position, Memory(jit=True)), memory=memory, threads=2)
    found: dict[str, str] = {}
    todo = [state]
    for state in todo:
        board, kind, swap = min(book.images(state.position))
        if board in found:
            continue
        assert search.follow(state.position)
        assert search.value() == _frame.WIN
        move = next(move for move in search.moves() if search.known((move,)) == _frame.LOSS)
        action = search.board.action(move)
        row, col = image(state.position, *divmod(action >> 1, book.SIDE), kind)
        found[board] = f"{board} {col} {row} {(action & 1) ^ swap}"
        print(len(found), "of", len(todo), search.nodes, "nodes", file=sys.stderr, flush=True)
        state.apply_action(action)
        if len(state.history()) < book.MOST_PLY:
            for answer in state.legal_actions():
                todo.append(state.clone())
                todo[-1].apply_action(answer)
    print("\n".join(sorted(found.values())))


def three(memory: int) -> None:
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
    search = Search(Board(start.position, Memory(jit=True)), memory=memory, threads=1)
    won = []
    for board in sorted(states, reverse=True):
        assert search.follow(states[board].position)
        value = search.value()
        assert value != _frame.UNKNOWN
        assert book.is_lost(states[board].position) == (value == _frame.LOSS)
        if value == _frame.WIN:
            won.append(board)
    print(f"{len(states) - len(won)} of {len(states)} lost, {search.nodes} nodes; won:", *won)


def main(arguments: list[str]) -> None:
    """Run what the arguments say."""
    if arguments == ["check"]:
        check()
        return
    memory = next((int(word) for word in arguments if word.isdigit()), 2000)
    if arguments[:1] == ["three"]:
        three(memory)
    else:
        prove(memory)


if __name__ == "__main__":
    main(sys.argv[1:])

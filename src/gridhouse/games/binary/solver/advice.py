"""What the solver advises a player: a winning move, or the reply that is hardest to answer."""

from __future__ import annotations

import math
import time

from gridhouse.core.solving import Advice, stopped_after
from gridhouse.games.binary.solver.api import BinarySolution, Work
from gridhouse.games.binary.solver.backend import Memory
from gridhouse.games.binary.solver.board_encoding import Board, TooLargeError
from gridhouse.games.binary.solver.search import Search, warm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import State

MEMORY = 128  # MiB
MOST_CELLS = 45  # cells that take a digit, above which a search would be a waste of time
# So is one that is not likely to end: half of the positions met in games on boards of 6x6 to 10x10
# took fewer than exp(GROWTH * cells at risk + FEWEST) nodes.
GROWTH = 0.6
FEWEST = -4.2
NODES_A_SECOND = 430_000
SETS_A_SECOND = 4_000_000  # that laying a board out looks at, on a slow machine


class Adviser:
    """Solves the positions of a game being played, as far as time allows.

    What was found out about one position is remembered for those that its moves lead to.
    """

    def __init__(self, *, jit: bool = True) -> None:
        """Bind the kernels, and use them once, so that no move waits for that."""
        self._memory = Memory(jit=jit)
        if jit:
            warm(self._memory)
        self._search: Search | None = None
        self._is_running = False

    def advise(self, state: State, seconds: float) -> Advice | None:
        """Return a move with what it is worth, 1 or -1, or None where neither can be proved.

        Where all is lost and there is no time to tell which reply is hardest, there is no move.
        """
        deadline = time.monotonic() + seconds
        solution = BinarySolution(state)
        work = Work(state, solution, nimber=False, all_moves=False)
        if work.knows_at_once(proved=True) and solution.moves:
            return proved(state, [state.string_to_action(solution.moves[0])], 1)
        if cells(state) > MOST_CELLS:
            return None
        search = self._search_of(state, seconds)
        if search is None or not is_worth_a_try(search, seconds):
            if search is not None and search.board.whole:
                self._search = None  # with more digits there are faster ways to lay a board out
            return None
        work.begin(search)
        self._is_running = True
        try:
            with stopped_after(deadline - time.monotonic(), search.stop):
                if solution.outcome != "loss":
                    work.run()
                if solution.moves:
                    return proved(state, [state.string_to_action(solution.moves[0])], 1)
                if solution.outcome == "loss":
                    left = deadline - time.monotonic()
                    replies = hardest(search) if is_countable(search, left) else []
                    return proved(state, [search.board.action(each) for each in replies], -1)
                return None
        finally:
            self._is_running = False

    def _search_of(self, state: State, seconds: float) -> Search | None:
        """Return a search that is at a position, None if laying it out would take too long."""
        if self._search is None or not self._search.follow(state.position):
            try:
                board = Board(state.position, self._memory, most=int(seconds * SETS_A_SECOND))
            except TooLargeError:
                return None
            self._search = Search(board, memory=MEMORY)
        return self._search

    def stop(self) -> None:
        """Make advice that another thread waits for come at once."""
        if self._search is not None and self._is_running:
            self._search.stop()


def likely_nodes(risk: int) -> float:
    """Return how many nodes half of the positions with so many cells at risk take at most."""
    return math.exp(GROWTH * risk + FEWEST)


def is_worth_a_try(search: Search, seconds: float) -> bool:
    """Tell whether a search is likely to end in so many seconds."""
    return likely_nodes(search.risk()) <= seconds * NODES_A_SECOND


def is_countable(search: Search, seconds: float) -> bool:
    """Tell whether the winning answers to all moves are likely to be counted in so many seconds."""
    nodes = likely_nodes(search.risk() - 1) * len(search.moves())
    return nodes <= seconds * NODES_A_SECOND


def proved(state: State, line: list[int], value: int) -> Advice:
    """Return the advice to play a line where it is proved who wins."""
    mover = state.current_player()
    winner = state.game.players[mover if value > 0 else 1 - mover]
    return Advice(float(value), tuple(line), f"Proved: {winner} wins with perfect play")


def cells(state: State) -> int:
    """Return how many cells take a digit."""
    return len({action >> 1 for action in state.legal_actions()})


def hardest(search: Search) -> list[int]:
    """Return, as a line, the move of a lost position that has the fewest winning answers.

    Among equals it is the one that leaves the most moves.  The line is empty if time is up before
    all were looked at.
    """
    moves = search.moves()
    best = (len(moves) + 1, 0, moves[0])
    for move in moves:
        replies, winning = search.answers(move, best[0])
        if search.stopped:
            return []
        best = min(best, (winning, -replies, move))
    return [best[2]]

"""The solver's advice to a player: a winning move, or the reply that is hardest to answer."""

from __future__ import annotations

import math
import time

from gridhouse.core.solving import Advice, stopped_after
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board, TooLargeError
from gridhouse.games.binary.solver.known_results import try_known
from gridhouse.games.binary.solver.search import Search, warm
from gridhouse.games.binary.solver.task import SolveTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import State

MEMORY = 128  # MiB
MOST_CELLS = 45  # cells that take a digit, above which a search is a waste of time
# Half of the positions met in games on boards of 6x6 to 10x10 took fewer nodes than
# exp(GROWTH * contested cells + OFFSET).
GROWTH = 0.6
OFFSET = -4.2
NODES_A_SECOND = 430_000
SETS_A_SECOND = 4_000_000  # sets of cells for the tables of a board, on a slow machine


class Adviser:
    """Solves the positions of a game being played, as far as time allows.

    Results for a position are remembered for those that its moves lead to.
    """

    def __init__(self, *, jit: bool = True) -> None:
        """Compile the kernels, so that no move waits for that."""
        self._backend = Backend(jit=jit)
        if jit:
            warm(self._backend)
        self._search: Search | None = None
        self._is_running = False

    def advise(self, state: State, seconds: float) -> Advice | None:
        """Return a move and its value, 1 or -1; None if neither can be proved in time.

        In a lost position without time to compare replies, the advice has no move.
        """
        deadline = time.monotonic() + seconds
        known = try_known(state.position)
        if known is not None and known.actions:
            return proved(state, [known.actions[0]], 1)
        if count_playable(state) > MOST_CELLS:
            return None
        search = self._search_of(state, seconds)
        if search is None or not is_worth_a_try(search, seconds):
            if search is not None and search.board.is_whole:
                self._search = None  # with more digits a board is encoded without symmetries
            return None
        task = SolveTask(state)
        task.use(search)
        self._is_running = True
        try:
            with stopped_after(deadline - time.monotonic(), search.stop):
                if known is None:
                    task.run()
                if task.solution.moves:
                    return proved(state, [state.string_to_action(task.solution.moves[0])], 1)
                if known is not None or task.solution.outcome == "loss":
                    left = deadline - time.monotonic()
                    replies = hardest_reply(search) if is_countable(search, left) else []
                    return proved(state, [search.board.action(each) for each in replies], -1)
                return None
        finally:
            self._is_running = False

    def _search_of(self, state: State, seconds: float) -> Search | None:
        """Return a search of a position, None if its tables would take too long to make."""
        if self._search is None or not self._search.follow(state.position):
            try:
                board = Board(state.position, self._backend, most=int(seconds * SETS_A_SECOND))
            except TooLargeError:
                return None
            self._search = Search(board, memory=MEMORY)
        return self._search

    def stop(self) -> None:
        """Make advice that another thread waits for come at once."""
        if self._search is not None and self._is_running:
            self._search.stop()


def likely_nodes(contested: int) -> float:
    """Return the median number of nodes for a number of contested cells."""
    return math.exp(GROWTH * contested + OFFSET)


def is_worth_a_try(search: Search, seconds: float) -> bool:
    """Return whether a search is likely to end in time."""
    return likely_nodes(search.count_contested()) <= seconds * NODES_A_SECOND


def is_countable(search: Search, seconds: float) -> bool:
    """Return whether the winning answers to all moves are likely to be counted in time."""
    nodes = likely_nodes(search.count_contested() - 1) * len(search.moves())
    return nodes <= seconds * NODES_A_SECOND


def proved(state: State, line: list[int], value: int) -> Advice:
    """Return the advice to play a line whose outcome is proved."""
    mover = state.current_player()
    winner = state.game.players[mover if value > 0 else 1 - mover]
    return Advice(float(value), tuple(line), f"Proved: {winner} wins with perfect play")


def count_playable(state: State) -> int:
    """Return how many cells can take a digit."""
    return len({action >> 1 for action in state.legal_actions()})


def hardest_reply(search: Search) -> list[int]:
    """Return, as a line, the move of a lost position that has the fewest winning answers.

    Among equals it is the one that leaves the most moves.  The line is empty if time is up before
    all moves were searched.
    """
    moves = search.moves()
    best = (len(moves) + 1, 0, moves[0])
    for move in moves:
        replies, winning = search.count_replies(move, best[0])
        if search.stopped:
            return []
        best = min(best, (winning, -replies, move))
    return [best[2]]

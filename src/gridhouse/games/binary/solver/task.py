"""What is to be found out about a position, by a search that another thread may stop."""

from __future__ import annotations

from gridhouse.games.binary.solver.kernels.records import LOSS, UNKNOWN, WIN
from gridhouse.games.binary.solver.solution import OUTCOMES, BinarySolution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import State
    from gridhouse.games.binary.solver.known_results import KnownResult
    from gridhouse.games.binary.solver.search import Search


class SolveTask:
    """Finds the outcome of a position and a winning move, or all of them, and the nimber."""

    def __init__(self, state: State, *, nimber: bool = False, all_moves: bool = False) -> None:
        """Begin with nothing known."""
        self.state = state
        self.solution = BinarySolution(state)
        self._nimber = nimber
        self._all_moves = all_moves
        self._search: Search | None = None
        self._is_stopped = False

    @property
    def search(self) -> Search:
        """The search, once there is one."""
        assert self._search is not None
        return self._search

    def use(self, search: Search) -> None:
        """Use a search of the position."""
        self._search = search
        if self._is_stopped:  # before there was one
            search.stop()

    def stop(self) -> None:
        """End the task soon."""
        self._is_stopped = True
        if self._search is not None:
            self._search.stop()

    def reset(self) -> None:
        """Forget all results, to begin anew with another search."""
        self.solution.outcome = OUTCOMES[UNKNOWN]
        self.solution.moves = []
        self.solution.all_moves = False
        self.solution.nimber = None

    def is_over(self) -> bool:
        """Return whether all that was asked for is found, or the task was stopped."""
        found = self.solution
        if self._is_stopped or found.outcome == OUTCOMES[LOSS]:
            return True
        has_moves = found.all_moves or (bool(found.moves) and not self._all_moves)
        return has_moves and (found.nimber is not None or not self._nimber)

    def note_known(self, known: KnownResult) -> None:
        """Record a result that needs no search."""
        self.solution.outcome = OUTCOMES[known.outcome]
        self.solution.nimber = known.nimber
        self.solution.all_moves = known.all_moves
        for action in known.actions:
            self._note_move(action)

    def run(self) -> None:
        """Search until all is found or the search is stopped."""
        search, solution = self.search, self.solution
        outcome = search.outcome()
        solution.outcome = OUTCOMES[outcome]
        if outcome == LOSS:
            solution.nimber = 0
            solution.all_moves = True
        elif outcome == WIN:
            self._find_moves(search)
            if self._nimber:
                self._find_nimber(search)

    def _find_moves(self, search: Search) -> None:
        """Find all winning moves, or one: if the tables have one, that."""
        if not self._all_moves:
            for move in search.moves():
                if search.known_outcome((move,)) == LOSS:
                    self._note_move(search.board.action(move))
                    return
        is_complete = self._all_moves
        for move in search.moves():
            outcome = search.outcome((move,))
            is_complete = is_complete and outcome != UNKNOWN
            if outcome == LOSS:
                self._note_move(search.board.action(move))
                if not self._all_moves:
                    return
        self.solution.all_moves = is_complete

    def _note_move(self, action: int) -> None:
        """Record a winning move; a move that the rules refuse raises an error."""
        self.state.clone().apply_action(action)
        self.solution.moves.append(self.state.action_to_string(action))

    def _find_nimber(self, search: Search) -> None:
        """Find the one heap that makes a lost position with this one."""
        heap = 1
        while True:
            outcome = search.outcome((), heap)
            if outcome != WIN:
                break
            heap += 1
        if outcome == LOSS:
            self.solution.nimber = heap

    def status(self) -> str:
        """Return the line shown while the search runs."""
        search = self._search
        if search is None:
            return "getting ready, which takes a minute the first time"
        return f"{search.nodes:,} nodes, {search.used:.1%} of the table used"

    def note_cost(self) -> None:
        """Record nodes and the use of the table."""
        self.solution.nodes = self.search.nodes
        self.solution.used = self.search.used

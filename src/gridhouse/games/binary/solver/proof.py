"""Who wins a position, as far as a number of nodes tells: the same on every machine."""

from __future__ import annotations

from gridhouse.games.binary.solver.advice import count_playable
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.kernels.records import LOSS, UNKNOWN, WIN
from gridhouse.games.binary.solver.known_results import try_known
from gridhouse.games.binary.solver.search import Search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import State

VALUES = {WIN: 1.0, LOSS: -1.0, UNKNOWN: None}
NODES = 5_000
MOST_CELLS = 24  # cells that take a digit, above which so few nodes seldom prove anything
MEMORY = 2  # MiB


class Prover:
    """Proves results; each proof begins anew, so that none depends on those before it."""

    def __init__(self, *, jit: bool = True) -> None:
        """Take the kernels, which are compiled at their first call."""
        self._backend = Backend(jit=jit)

    def __call__(self, state: State) -> float | None:
        """Return 1 if the player to move wins, -1 if it loses, None if that is unknown.

        At most ``NODES`` positions are searched.
        """
        known = try_known(state.position)
        if known is not None:
            return VALUES[known.outcome]
        if count_playable(state) > MOST_CELLS:
            return None
        board = Board(state.position, self._backend)
        # Depth first: on so few cells proof numbers save nothing, and cost more for each node.
        search = Search(board, memory=MEMORY, limit=NODES, proof=False)
        return VALUES[search.outcome()]

"""What the solver finds out about a position."""

from __future__ import annotations

from gridhouse.core.errors import SolverError
from gridhouse.core.solving import Solution
from gridhouse.games.binary.solver.kernels.records import LOSS, UNKNOWN, WIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import State

OUTCOMES = {LOSS: "loss", WIN: "win", UNKNOWN: "unknown"}


class BinarySolution(Solution):
    """What is known of a position: for the player to move, ``win``, ``loss`` or ``unknown``."""

    def __init__(self, state: State) -> None:
        """Begin with nothing known."""
        self.position = str(state)
        self.outcome = OUTCOMES[UNKNOWN]
        self.moves: list[str] = []  # that win
        self.all_moves = False  # whether these are all of them
        self.nimber: int | None = None
        self.nodes = 0
        self.seconds = 0.0
        self.used = 0.0  # part of the largest transposition table
        self.reason = ""  # why nothing was searched

    def facts(self) -> dict[str, object]:
        """Return outcome, winning moves, nimber, nodes and seconds."""
        return {
            "outcome": self.outcome,
            "moves": self.moves,
            "nimber": self.nimber,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        """Return the outcome, the moves, the nimber and the cost of the search in lines."""
        unknown = f"unknown who wins: {self.reason}" if self.reason else "unknown who wins"
        known = {"win": "the player to move wins", "loss": "the player to move loses"}
        lines = [known.get(self.outcome, unknown)]
        if self.moves:
            name = "all winning moves" if self.all_moves else "winning moves known"
            lines.append(f"{name}: {', '.join(self.moves)}")
        if self.nimber is not None:
            lines.append(f"nimber: {self.nimber}")
        lines.append(
            f"{self.nodes} nodes in {self.seconds:.2f} s, {self.used:.1%} of the table used"
        )
        return "\n".join(lines)


class UnsavedError(SolverError):
    """The checkpoint of a search could not be written; its result is in ``solution``."""

    def __init__(self, message: str, solution: BinarySolution) -> None:
        """Keep the solution beside the message."""
        super().__init__(message)
        self.solution = solution

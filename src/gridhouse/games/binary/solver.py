"""Who wins a position of the Binary Game: a plain depth-first search with a memory.

A position is won if some move leads to one that is lost for the other player.  Moves after which
the fewest replies are left come first.  It is exact, and gives up when its time is over.
"""

from __future__ import annotations

import time

from gridhouse.games.binary import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.rules import Position


class Solver:
    """A search with a deadline on the monotonic clock."""

    def __init__(self, seconds: float) -> None:
        """Start the clock."""
        self._deadline = time.monotonic() + seconds
        self._known: dict[tuple[int, ...], bool] = {}

    def winning_move(self, position: Position) -> int | None:
        """Return a move that wins for the player to move, or None if none does.

        Raises TimeoutError.
        """
        for _, action, child in self._children(position):
            if not self._is_win(child):
                return action
        return None

    def _is_win(self, position: Position) -> bool:
        key = tuple(position.stones)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.winning_move(position) is not None
        return known

    def _children(self, position: Position) -> list[tuple[int, int, Position]]:
        """Return the moves with the positions they lead to, those with fewest replies first."""
        if time.monotonic() >= self._deadline:
            raise TimeoutError
        buffer = [0] * (2 * position.rows * position.cols)
        children = []
        for action in buffer[: rules.legal_actions(position, buffer)]:
            child = position.copy()
            rules.apply_action(child, action)
            replies = rules.legal_actions(child, buffer[:])
            if replies == 0:
                return [(replies, action, child)]
            children.append((replies, action, child))
        children.sort(key=lambda child: child[:2])
        return children

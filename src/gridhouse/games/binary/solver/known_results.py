"""Positions whose outcome is known without search.

These are finished games, positions lost by symmetry, empty boards that were proved once
(``docs/research/half-turn-theorem.md`` has the commands), and openings in the book.
"""

from __future__ import annotations

from typing import NamedTuple

from gridhouse.games.binary import rules
from gridhouse.games.binary.solver import book
from gridhouse.games.binary.solver.kernels.records import LOSS, WIN
from gridhouse.games.binary.solver.symmetry import symmetry_of, winning_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.rules import Position

# The larger and the smaller side of empty boards on which every first move wins: nimber 1.  Boards
# of an even number of cells need no table: the second player wins by symmetry.
EVERY_MOVE_WINS = frozenset(
    {*((side, 1) for side in range(1, 20, 2)), (3, 3), (5, 3), (7, 3), (9, 3), (5, 5)}
)


class KnownResult(NamedTuple):
    """An outcome, winning actions, whether these are all of them, and the nimber if known."""

    outcome: int
    actions: tuple[int, ...] = ()
    all_moves: bool = False
    nimber: int | None = None


def try_known(
    position: Position, *, proved: bool = True, one_move: bool = True
) -> KnownResult | None:
    """Return the known result of a position, None if it has to be searched.

    Without ``proved`` neither the book nor proved boards count; without ``one_move`` a result with
    one winning move does not, but only one with all of them and the nimber.
    """
    if (
        rules.is_terminal(position)
        or symmetry_of(position) is not None
        or (proved and book.has_outcome(position) and book.is_lost(position))
    ):
        return KnownResult(LOSS, all_moves=True, nimber=0)
    best = book.winning_move(position) if proved else None
    if proved and position.ply == 0 and every_move_wins(position.rows, position.cols):
        actions = sorted(range(2 * position.rows * position.cols), key=lambda move: move != best)
        return KnownResult(WIN, tuple(actions), all_moves=True, nimber=1)
    if not one_move:
        return None
    if best is None:
        best = winning_reply(position)
    return None if best is None else KnownResult(WIN, (best,))


def every_move_wins(rows: int, cols: int) -> bool:
    """Return whether every first move was proved to win an empty board; its nimber is 1 then."""
    return (max(rows, cols), min(rows, cols)) in EVERY_MOVE_WINS

"""The kernels of the solver, compiled or interpreted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gridhouse.core import tables
from gridhouse.core.fast import np
from gridhouse.core.specialize import specialize
from gridhouse.games.collapse.solver.kernels import (
    beam_search,
    bitboard,
    byte_board,
    dead_cells,
    exact_search,
    half_board,
    interface_search,
    nrpa,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.core.position import Position

ROOM = 1024  # cells of scratch memory at least, so that most boards share compiled code


class Kernels(SimpleNamespace):
    """The modules of ``kernels``, each specialized over the others, and what makes their memory."""

    def __init__(self, *, jit: bool, words: int = 1) -> None:
        """Specialize the modules; the exact search has ``words`` words a plane."""

        def made(module: Any, name: str = "collapse", **bound: Any) -> Any:
            return specialize(module, name, jit=jit, **bound)

        board = made(byte_board)
        dead = made(dead_cells, byte_board=board)
        many = made(bitboard, f"collapse{words}", WORDS=words, byte_board=board)
        one = made(bitboard, "collapse1", WORDS=1, byte_board=board)
        half = made(half_board, byte_board=board, bitboard=one)
        super().__init__(
            byte_board=board,
            dead_cells=dead,
            beam_search=made(beam_search, byte_board=board, dead_cells=dead),
            nrpa=made(nrpa, byte_board=board),
            bitboard=many,
            exact_search=made(exact_search, f"collapse{words}", byte_board=board, bitboard=many),
            half_board=half,
            interface_search=made(interface_search, byte_board=board, half_board=half),
            tables=specialize(tables, "every game", jit=jit),
            to_records=records_of() if jit else plain_records,
            zeros=np.zeros if jit else plain_zeros,
            jit=jit,
        )

    def scratch(self, size: int) -> Any:
        """Return scratch memory for boards of ``size`` bytes."""
        room = max(size, ROOM) if self.jit else size
        return self.to_records(byte_board.Scratch(size=room))[0]


def records_of() -> Callable[..., Any]:
    """Return the function that makes records for compiled kernels."""
    from gridhouse.core.records import to_records

    return to_records


def plain_records(position: Position, count: int = 1) -> list[Position]:
    """Return positions in the place of records, for interpreted kernels."""
    return [position.copy() for _ in range(count)]


def plain_zeros(shape: tuple[int, int] | int, kind: str) -> Any:
    """Return lists in the place of an array, for interpreted kernels: twice as fast there."""
    return np.zeros(shape, kind).tolist()

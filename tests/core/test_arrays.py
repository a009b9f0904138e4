"""Tables begin where a line of memory does."""

from __future__ import annotations

import numpy as np
import pytest

import gridhouse
from gridhouse.core import arrays
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.search import Search
from gridhouse.games.collapse.solver.kernels import exact_search
from gridhouse.games.collapse.solver.kernels.bitboard import Workspace
from gridhouse.games.collapse.solver.search.backend import plain_records
from gridhouse.games.sliding.solver.beam import beam_search, board_beam


@pytest.mark.parametrize("kind", ["int8", "int32", "int64"])
@pytest.mark.parametrize("count", [1, 8, 100, 1 << 12, 1 << 20])
def test_zeros_begin_at_a_line_of_memory(count: int, kind: str) -> None:
    made = [arrays.zeros(count, kind) for _ in range(5)]
    for one in made:
        assert (len(one), one.dtype) == (count, np.dtype(kind))
        assert one.ctypes.data % arrays.LINE == 0
        assert not one.any()
        one[:] = 1  # of no other one
    assert all(one.all() for one in made)


def test_buckets_of_tables_lie_in_one_line() -> None:
    position = gridhouse.load("binary").new_initial_state().position
    search = Search(Board(position, Backend(jit=True)), memory=64)
    collapse = exact_search.make_memory(1, 1 << 12, 1, Workspace(), np.zeros, plain_records)
    larger = exact_search.enlarge(collapse, 8)
    pointers = np.zeros(0, np.int32)
    seen = beam_search.make_memory(board_beam.Child(), 1000, pointers).seen
    tables = [search.table, search.pn_table, collapse.table, larger.table, seen]
    assert {table.ctypes.data % arrays.LINE for table in tables} == {0}

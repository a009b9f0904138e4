"""The kernels of the solver, interpreted or compiled, with arrays to match."""

from __future__ import annotations

import sys

from gridhouse.games.binary.solver.kernels import (
    canonical_key,
    line_tables,
    long_lines,
    nodes,
    nogoods,
    proof_search,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OLDEST_COMPILED = (3, 11)


def has_compiler() -> bool:
    """Tell whether compiled code can be had here.

    A copy of the exact program does without, and so does an older Python than the package's.
    """
    from importlib.util import find_spec

    needed = ("numba", "gridhouse.core.compiling")
    return sys.version_info >= OLDEST_COMPILED and all(map(find_spec, needed))


class Memory:
    """How arrays are made: of records for compiled code, else lists of positions."""

    def __init__(self, *, jit: bool) -> None:
        """Bind the kernels."""
        self.jit = jit
        self.lines: Any = line_tables
        self.frame: Any = nodes
        self.search: Any = proof_search
        if jit:
            from gridhouse.core.specialize import specialize

            self.lines = specialize(line_tables, "binary")
            self.frame = specialize(
                nodes,
                "binary",
                nogoods=specialize(nogoods, "binary"),
                long_lines=specialize(long_lines, "binary"),
                canonical_key=specialize(canonical_key, "binary"),
            )
            self.search = specialize(proof_search, "binary", nodes=self.frame)

    def records(self, kind: Any, count: int = 1) -> Any:
        """Return so many records, all zero."""
        if self.jit:
            from gridhouse.core.records import to_records

            return to_records(kind(), count)
        return [kind() for _ in range(count)]

    def words(self, count: int) -> Any:
        """Return so many words, all zero."""
        if self.jit:
            from gridhouse.core import arrays

            return arrays.zeros(count, "int64")
        return [0] * count

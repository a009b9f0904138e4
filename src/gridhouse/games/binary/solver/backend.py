"""The kernels, interpreted or compiled, and the arrays that they run on."""

from __future__ import annotations

import sys

from gridhouse.games.binary.solver.kernels import (
    canonical_key,
    children,
    components,
    depth_first,
    line_tables,
    long_lines,
    nodes,
    nogoods,
    proof_number,
    transpositions,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gridhouse.core.position import Position

OLDEST_COMPILED = (3, 11)  # the oldest Python for compiled code


def has_compiler() -> bool:
    """Return whether kernels can be compiled here.

    A copy of the exact program runs interpreted, and so does a Python older than the package's.
    """
    from importlib.util import find_spec

    needed = ("numba", "gridhouse.core.compiling")
    return sys.version_info >= OLDEST_COMPILED and all(map(find_spec, needed))


class Backend:
    """The kernels as compiled modules over arrays, or as plain modules over lists."""

    def __init__(self, *, jit: bool) -> None:
        """Take the modules as they are, or specialize them to be compiled."""
        self.jit = jit
        self.line_tables: Any = line_tables
        self.nodes: Any = nodes
        self.transpositions: Any = transpositions
        self.children: Any = children
        self.proof_number: Any = proof_number
        if jit:
            self._specialize()

    def _specialize(self) -> None:
        from gridhouse.core.specialize import specialize

        bound: dict[str, Any] = {}
        for module in (
            line_tables,
            nogoods,
            long_lines,
            canonical_key,
            nodes,
            transpositions,
            children,
            components,
            depth_first,
            proof_number,
        ):
            used = {name: value for name, value in bound.items() if name in vars(module)}
            name = module.__name__.rpartition(".")[2]
            bound[name] = specialize(module, "binary", **used)
        vars(self).update((name, value) for name, value in bound.items() if name in vars(self))

    def records(self, kind: Callable[[], Position], count: int = 1) -> Any:
        """Return ``count`` records of a kind, all zero."""
        if self.jit:
            from gridhouse.core.records import to_records

            return to_records(kind(), count)
        return [kind() for _ in range(count)]

    def words(self, count: int) -> Any:
        """Return ``count`` 64-bit numbers, all zero."""
        if self.jit:
            from gridhouse.core import arrays

            return arrays.zeros(count, "int64")
        return [0] * count

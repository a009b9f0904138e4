"""Ways of the empty cell that need not be searched, since another way does the same.

Two ways *repeat* each other if they leave all tiles alike.  Of these the shorter one is as good, of
equally long ones the first in order; it can be gone wherever the other can, if it stays within the
same rows and columns.  A search that goes on from no way with such a *repeat* in it still finds the
first of all shortest solutions.  The repeats make a finite-state machine that reads a search's
moves (Taylor and Korf, Pruning duplicate nodes in depth-first search, 1993).

A machine is an array of whole numbers, four a state, by move: the next state and, in the lowest
four bits, which moves may follow there; nothing has been read in state 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from gridhouse.core.specialize import specialize
from gridhouse.games.sliding.solver.optimal import operator_sequences

MOVES = 4
MOVE_BITS = 2
ALL = (1 << MOVES) - 1
SEED = 1993


class Tree:
    """The repeats that are known, as a tree of moves; the nodes are the machine's states."""

    def __init__(self) -> None:
        """Know that no move is undone."""
        self.children = [[0] * MOVES]
        self.ends = [0]
        for move in range(MOVES):
            self.add([move, move ^ 1])

    def add(self, repeat: list[int]) -> None:
        """Enter a repeat."""
        at = 0
        for move in repeat[:-1]:
            if not self.children[at][move]:
                self.children[at][move] = len(self.children)
                self.children.append([0] * MOVES)
                self.ends.append(0)
            at = self.children[at][move]
        self.ends[at] |= 1 << repeat[-1]

    def machine(self) -> Any:
        """Return the machine that refuses them (Aho and Corasick, 1975)."""
        following = [[0] * MOVES for _ in self.children]
        allowed = [ALL & ~self.ends[0]] * len(self.children)
        shorter = [0] * len(self.children)  # the state of the longest end that begins a repeat
        order = [0]
        for state in order:
            back = shorter[state]
            allowed[state] = allowed[back] & ~self.ends[state]
            for move in range(MOVES):
                child = self.children[state][move]
                if child:
                    order.append(child)
                    shorter[child] = following[back][move] if state else 0
                following[state][move] = child or following[back][move]
        return np.array(
            [[to << MOVES | allowed[to] for to in row] for row in following], np.int32
        ).reshape(-1)


@lru_cache(maxsize=4)
def machine(longest: int, *, jit: bool = True) -> Any:
    """Return the machine that refuses all repeats of at most so many moves."""
    return repeats(longest, jit=jit).machine()


def repeats(longest: int, *, jit: bool = True) -> Tree:
    """Return all repeats of at most so many moves that have no shorter one in them."""
    kernel = specialize(operator_sequences, "sliding", jit=jit)
    side = 2 * longest + 1
    chance = np.random.default_rng(SEED)
    marks = chance.integers(-(2**63), 2**63, size=(side * side) ** 2)
    grid = np.arange(side * side)
    walk = np.zeros((3, longest + 1), np.int64)
    tree = Tree()
    known = [np.zeros((1, operator_sequences.FIELDS), np.int64)]
    for length in range(1, longest + 1):
        found = np.zeros((MOVES * len(known[-1]), operator_sequences.FIELDS), np.int64)
        count = kernel.enumerate_walks(length, side, tree.machine(), marks, grid, walk, found)
        earlier = np.concatenate(known[length % 2 :: 2] or [found[:0]])
        needless = _needless(earlier, found[:count])
        for way in found[needless, operator_sequences.WAY].tolist():
            tree.add([way >> MOVE_BITS * at & MOVES - 1 for at in reversed(range(length))])
        known.append(np.delete(found[:count], needless, axis=0))
    return tree


def _needless(earlier: Any, found: Any) -> Any:
    """Return which of the ways found, ordered as they are, repeat one before within its box."""
    ways = np.concatenate([earlier, found])
    order = np.argsort(ways[:, operator_sequences.MARK], kind="stable")
    marks = ways[order, operator_sequences.MARK]
    same = np.zeros(len(order) + 1, np.bool_)
    same[1:-1] = marks[1:] == marks[:-1]
    needless = []
    first = 0
    shared = np.flatnonzero(same[1:] | same[:-1])
    for place in shared.tolist():
        if not same[place]:
            first = place
        way = order[place]
        before = ways[order[first:place]]
        if (
            way >= len(earlier)
            and (before[:, operator_sequences.BOX :] <= ways[way, operator_sequences.BOX :])
            .all(1)
            .any()
        ):
            needless.append(way - len(earlier))
    return np.array(needless, np.int64)

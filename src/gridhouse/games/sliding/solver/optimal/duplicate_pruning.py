"""Pruning duplicate nodes: operator sequences that need not be searched.

Two sequences of moves are *duplicates* if they leave all tiles alike.  Of these the shorter one is
as good, of equally long ones the first in order; it is legal wherever the other is, if it stays
within the same rows and columns.  A search that follows no sequence with such a redundant one in it
still finds the first of all shortest solutions.  The redundant sequences make a finite-state
automaton that reads the moves of a search (Taylor and Korf, Pruning duplicate nodes in depth-first
search, 1993).

An automaton is an array of integers, four a state, by move: the next state and, in the lowest four
bits, the moves that may follow there.  State 0 is the start.
"""

from __future__ import annotations

from functools import lru_cache

from gridhouse.core.fast import np
from gridhouse.core.specialize import specialize
from gridhouse.games.sliding.solver.optimal import operator_sequences
from gridhouse.games.sliding.solver.optimal.operator_sequences import (
    BOX,
    HASH,
    MOVES,
    NUM_COLUMNS,
    NUM_MOVES,
)

MOVE_BITS = 2
ALL_MOVES = (1 << NUM_MOVES) - 1
SEED = 1993


class SequenceTrie:
    """The redundant sequences that are known, as a trie whose nodes are the automaton's states."""

    def __init__(self) -> None:
        """Begin with those that undo a move."""
        self.children = [[0] * NUM_MOVES]
        self.ends = [0]  # by node the moves, as bits, that complete a redundant sequence
        for move in range(NUM_MOVES):
            self.add([move, move ^ 1])

    def add(self, sequence: list[int]) -> None:
        """Add a redundant sequence."""
        at = 0
        for move in sequence[:-1]:
            if not self.children[at][move]:
                self.children[at][move] = len(self.children)
                self.children.append([0] * NUM_MOVES)
                self.ends.append(0)
            at = self.children[at][move]
        self.ends[at] |= 1 << sequence[-1]

    def automaton(self) -> np.ndarray:
        """Return the automaton that rejects the sequences (Aho and Corasick, 1975)."""
        following = [[0] * NUM_MOVES for _ in self.children]
        allowed = [ALL_MOVES & ~self.ends[0]] * len(self.children)
        suffix = [0] * len(self.children)  # the state of the longest proper suffix in the trie
        order = [0]
        for state in order:
            shorter = suffix[state]
            allowed[state] = allowed[shorter] & ~self.ends[state]
            for move in range(NUM_MOVES):
                child = self.children[state][move]
                if child:
                    order.append(child)
                    suffix[child] = following[shorter][move] if state else 0
                following[state][move] = child or following[shorter][move]
        return np.array(
            [[to << NUM_MOVES | allowed[to] for to in row] for row in following], np.int32
        ).reshape(-1)


@lru_cache(maxsize=4)
def automaton(longest: int, *, jit: bool = True) -> np.ndarray:
    """Return the automaton that rejects all redundant sequences of at most ``longest`` moves."""
    return find_redundant(longest, jit=jit).automaton()


def find_redundant(longest: int, *, jit: bool = True) -> SequenceTrie:
    """Return the redundant sequences of at most ``longest`` moves with no shorter one in them."""
    kernel = specialize(operator_sequences, "sliding", jit=jit)
    side = 2 * longest + 1
    rng = np.random.default_rng(SEED)
    memory = operator_sequences.Memory(
        automaton=np.zeros(0, np.int32),
        keys=rng.integers(-(2**63), 2**63, size=(side * side) ** 2),
        grid=np.arange(side * side),
        states=np.zeros(longest + 1, np.int64),
        cells=np.zeros(longest + 1, np.int64),
        moves=np.zeros(longest + 1, np.int64),
    )
    trie = SequenceTrie()
    known = [np.zeros((1, NUM_COLUMNS), np.int64)]
    for length in range(1, longest + 1):
        found = np.zeros((NUM_MOVES * len(known[-1]), NUM_COLUMNS), np.int64)
        memory = memory._replace(automaton=trie.automaton())
        found = found[: kernel.enumerate_sequences(memory, length, side, found)]
        shorter = np.concatenate(known[length % 2 :: 2] or [found[:0]])
        redundant = _redundant(shorter, found)
        for packed in found[redundant, MOVES].tolist():
            trie.add([packed >> MOVE_BITS * at & NUM_MOVES - 1 for at in reversed(range(length))])
        known.append(np.delete(found, redundant, axis=0))
    return trie


def _redundant(shorter: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return the numbers of the sequences found that have a duplicate within their box before them.

    Those before are the shorter ones, and those found earlier.
    """
    sequences = np.concatenate([shorter, found])
    order = np.argsort(sequences[:, HASH], kind="stable")
    hashes = sequences[order, HASH]
    is_like_before = np.zeros(len(order) + 1, np.bool_)
    is_like_before[1:-1] = hashes[1:] == hashes[:-1]
    redundant = []
    first = 0
    has_duplicates = np.flatnonzero(is_like_before[1:] | is_like_before[:-1])
    for place in has_duplicates.tolist():
        if not is_like_before[place]:
            first = place
        number = order[place]
        boxes = sequences[order[first:place], BOX:]
        fits = (boxes <= sequences[number, BOX:]).all(1).any()
        if number >= len(shorter) and fits:
            redundant.append(number - len(shorter))
    return np.array(redundant, np.int64)

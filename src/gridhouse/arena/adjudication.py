"""Proved results of positions: games that end by proof, and moves that threw a win away.

A game's own solver proves where it has one (``Prover`` in its module ``solver.proof``), else a
search to the end of the game.  Each proof takes at most ``NODES`` nodes (``solver.proof`` has its
own number) and begins anew, so it is the same on every machine and after any other proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gridhouse.core.components import component
from gridhouse.core.registry import parse
from gridhouse.core.specialize import specialize
from gridhouse.search import alphabeta, proof_evaluation
from gridhouse.search.alphabeta import DECIDED, MAX_PLY
from gridhouse.search.engine import Engine

if TYPE_CHECKING:
    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.referee import Prover
    from gridhouse.core.game import Game, State

NODES = 5_000
TABLE = 1 << 12  # entries
# Keys of positions leave the number of moves to a draw out while it is 32 or more, so that a longer
# win could be one of another position with the same key, which the draw comes before.
MOST_PLIES = 24
TURN_PLIES = 3  # of one player in a row, where information can be hidden


def prover_for(game: Game, *, jit: bool = True) -> Prover | None:
    """Return what proves results of positions that are not over, None for games of one.

    It returns 1 if the player to move wins whatever its opponent does, -1 if it loses whatever it
    does, None if neither is proved; draws are not.  What is hidden from a player proves nothing,
    even to who sees it.  One prover may not be used by two threads at once.
    """
    if game.num_players != 2:
        return None
    proof = component(type(game), "solver.proof")
    if proof is not None:
        made: Prover = proof.Prover(jit=jit)
        return made
    return SearchProver(game, jit=jit)


class SearchProver:
    """Proves results by alpha-beta search of all legal moves.

    The windows of the search ask for wins and losses alone.  A value beyond ``DECIDED`` is a proof
    if the search was not stopped: the loser's moves all lead there, and reduced depths, leaves and
    the table only leave proofs out.

    Where information can be hidden, a player may hide something at any later time (a bomb in Sinks)
    and the other cannot answer it.  So only wins by moves in a row of one player are proved there,
    from whom nothing is hidden.
    """

    def __init__(self, game: Game, *, jit: bool = True) -> None:
        """Set up for a game; the search is compiled at its first call."""
        self._game = game
        self._engine = engine = Engine(game, jit=jit)
        proofs = specialize(
            proof_evaluation,
            game.name,
            jit=jit,
            rules=engine.rules,
            evaluation=engine.evaluation,
        )
        self._kernels = specialize(
            alphabeta,
            game.name,
            jit=jit,
            rules=engine.rules,
            evaluation=proofs,
            playouts=engine.playouts,
        )
        actions = game.num_actions
        control = alphabeta.Control(actions=actions, history=2 * actions)
        control.num_actions = actions
        self._memory = alphabeta.Memory(
            engine.memory(game.initial_position(0), MAX_PLY + 1),
            engine.memory(alphabeta.Frame(actions=actions), MAX_PLY),
            engine.memory(alphabeta.Entry(), TABLE),
            engine.memory(control)[0],
        )

    def __call__(self, state: State) -> float | None:
        """Return 1 if the player to move wins, -1 if it loses, None if that is not proved."""
        memory = self._memory
        memory.positions[0] = self._engine.memory(state.position)[0]
        self._kernels.clear(memory.table, memory.control)
        self._kernels.age_history(memory.frames, memory.control)
        memory.control.nodes = 0
        memory.control.stop = 0
        memory.control.limit = NODES
        if self._game.perfect_information:
            return self._proved()
        if state.has_hidden_information():
            return None
        return self._proved_in_turn(state)

    def _proved(self) -> float | None:
        for depth in range(1, MOST_PLIES + 1):
            if self._exceeds(depth, DECIDED - 1):
                return 1.0
            if not self._exceeds(depth, -DECIDED):
                return None if self._memory.control.stop else -1.0
        return None

    def _proved_in_turn(self, state: State) -> float | None:
        for depth in range(1, TURN_PLIES + 1):
            if self._exceeds(depth, DECIDED - 1):
                return 1.0 if self._is_own(state.clone()) else None
        return None

    def _exceeds(self, depth: int, value: int) -> bool:
        """Tell whether the first position is worth more than a value; False if stopped."""
        found = int(self._kernels.search(self._memory, depth, value, value + 1))
        return not self._memory.control.stop and found > value

    def _is_own(self, state: State) -> bool:
        """Tell whether the winner alone moves in the win that was found.

        The variation of the search ends where the loser moves, since none of its moves is better
        for it than a loss.
        """
        winner = state.current_player()
        frame = self._memory.frames[0]
        for action in frame.pv[: frame.pv_length]:
            state.apply_action(int(action))
        return state.winner() == winner


@dataclass(frozen=True)
class Blunders:
    """What the moves of a game did with proved wins.

    ``moves`` says for each move whether it threw away a win, None if there was none or it is not
    proved what came of it.  ``made`` and ``chances`` count by side the moves that did, and those
    that did or kept the win.
    """

    moves: tuple[bool | None, ...]
    made: tuple[int, int]
    chances: tuple[int, int]


def blunders(record: GameRecord, prover: Prover) -> Blunders:
    """Return which moves of a game threw away a win, as far as a prover knows the positions."""
    state = parse(record.opening)
    value = _value(state, prover)
    moves: list[bool | None] = []
    counts = [[0, 0], [0, 0]]
    for move in record.moves:
        side = state.current_player()
        before, won = value, 1.0 if side == 0 else -1.0
        state.play(move.text)
        value = _value(state, prover)
        thrown = None if before != won or value is None else value != won
        moves.append(thrown)
        if thrown is not None:
            counts[side][0] += thrown
            counts[side][1] += 1
    (made_first, first), (made_second, second) = counts
    return Blunders(tuple(moves), (made_first, made_second), (first, second))


def _value(state: State, prover: Prover) -> float | None:
    """Return the proved result of a position for the first side, None if it is not proved."""
    if state.is_terminal():
        return state.returns()[0]
    value = prover(state)
    return value if value is None or state.current_player() == 0 else -value

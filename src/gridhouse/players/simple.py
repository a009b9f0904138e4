"""Players that look ahead one move at most: baselines for the others."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from gridhouse.core.chance import KEY
from gridhouse.players.base import Choice, Limits, Player

if TYPE_CHECKING:
    from typing import Any

    from gridhouse.core.game import Game, State
    from gridhouse.core.position import Position


class RandomPlayer(Player):
    """Plays a uniformly random legal action."""

    def __init__(self, game: Game, *, seed: int = 0, **settings: Any) -> None:
        """Set up for a game."""
        super().__init__(game, seed=seed, **settings)
        self._random = random.Random(seed)

    def _choose(self, state: State, limits: Limits) -> Choice:
        return Choice(self._random.choice(state.legal_actions()))


class GreedyPlayer(Player):
    """Plays the action with the highest immediate return, then move score; ties are random."""

    def __init__(self, game: Game, *, seed: int = 0, **settings: Any) -> None:
        """Set up for a game."""
        super().__init__(game, seed=seed, **settings)
        self._random = random.Random(seed)

    def _choose(self, state: State, limits: Limits) -> Choice:
        player = state.current_player()
        memory = self.engine.memory(state.position, 2)
        scratch = self.engine.scratch(self._random.getrandbits(60) & KEY)
        self.engine.rules.resample(memory[0], player, scratch)
        scores = {action: self._score(memory, player, action) for action in state.legal_actions()}
        best = max(scores.values())
        return Choice(self._random.choice([a for a, score in scores.items() if score == best]))

    def _score(self, memory: list[Position], player: int, action: int) -> tuple[float, int]:
        """Return the player's return right after an action, and the move score of the action."""
        score = int(self.engine.evaluation.move_score(memory[0], action))
        memory[1] = memory[0]
        self.engine.rules.apply_action(memory[1], action)
        returns = self.engine.scratch(0).returns
        self.engine.rules.returns(memory[1], returns)
        return float(returns[player]), score

"""Players that do not look ahead, or no further than one move: yardsticks for all the others."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from gridhouse.core.chance import KEY
from gridhouse.players.base import Choice, Limits, Player

if TYPE_CHECKING:
    from typing import Any

    from gridhouse.core.game import Game, State


class RandomPlayer(Player):
    """Plays any legal action, each as likely as any other."""

    def __init__(self, game: Game, *, seed: int = 0, **settings: Any) -> None:
        """Sit down to a game."""
        super().__init__(game, seed=seed, **settings)
        self._chance = random.Random(seed)

    def _choose(self, state: State, limits: Limits) -> Choice:
        return Choice(self._chance.choice(state.legal_actions()))


class GreedyPlayer(Player):
    """Takes what pays at once; among equals, what scores most; chance decides what is left."""

    def __init__(self, game: Game, *, seed: int = 0, **settings: Any) -> None:
        """Sit down to a game."""
        super().__init__(game, seed=seed, **settings)
        self._chance = random.Random(seed)

    def _choose(self, state: State, limits: Limits) -> Choice:
        player = state.current_player()
        memory = self.engine.memory(state.position, 2)
        source = self.engine.scratch(self._chance.getrandbits(60) & KEY)
        self.engine.rules.resample(memory[0], player, source)
        looks = {action: self._look(memory, player, action) for action in state.legal_actions()}
        best = max(looks.values())
        return Choice(self._chance.choice([a for a, look in looks.items() if look == best]))

    def _look(self, memory: Any, player: int, action: int) -> tuple[float, int]:
        """Return what the player has made right after an action, and its move score."""
        score = int(self.engine.evaluation.move_score(memory[0], action))
        memory[1] = memory[0]
        self.engine.rules.apply_action(memory[1], action)
        made = self.engine.scratch(0).made
        self.engine.rules.returns(memory[1], made)
        return float(made[player]), score

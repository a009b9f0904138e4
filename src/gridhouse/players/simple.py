"""Players that do not look ahead, or no further than one move: yardsticks for all the others."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from gridhouse.core.chance import KEY
from gridhouse.players.base import Choice, Limits, Player

if TYPE_CHECKING:
    from typing import Any

    from gridhouse.core.game import Game, State

OVER = 1 << 40  # more than any evaluation


class RandomPlayer(Player):
    """Plays any legal action, each as likely as any other."""

    def __init__(self, game: Game, *, seed: int = 0, **settings: Any) -> None:
        """Sit down to a game."""
        super().__init__(game, seed=seed, **settings)
        self._chance = random.Random(seed)

    def _choose(self, state: State, limits: Limits) -> Choice:
        return Choice(self._chance.choice(state.legal_actions()))


class GreedyPlayer(Player):
    """Plays what looks best right after it is played; chance decides between equals."""

    def __init__(self, game: Game, *, seed: int = 0, **settings: Any) -> None:
        """Sit down to a game."""
        super().__init__(game, seed=seed, **settings)
        self._chance = random.Random(seed)

    def _choose(self, state: State, limits: Limits) -> Choice:
        player = state.current_player()
        rules = self.engine.rules
        memory = self.engine.memory(state.position, 2)
        rules.guess(memory[0], player, self.engine.scratch(self._chance.getrandbits(60) & KEY))
        best: list[int] = []
        best_value = -2 * OVER
        for action in state.legal_actions():
            memory[1] = memory[0]
            rules.apply_action(memory[1], action)
            value = self._worth(memory[1], player)
            if value > best_value:
                best, best_value = [], value
            if value == best_value:
                best.append(action)
        return Choice(self._chance.choice(best))

    def _worth(self, record: Any, player: int) -> int:
        value = int(self.engine.evaluation.evaluate(record))
        if self.game.num_players == 1:
            return value
        if self.engine.rules.is_terminal(record):
            made = self.engine.scratch(0).made
            self.engine.rules.returns(record, made)
            value = OVER * int(made[0])
        return value if player == 0 else -value

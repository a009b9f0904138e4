"""What a search knows of a game that brings no evaluation of its own: its rules.

A game's ``evaluation.py`` replaces what it defines of these names, in the part of Python that can
be compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

rules: Any = None

# The most random moves before a leaf is evaluated, and how many visits of Monte-Carlo tree search
# the credit of moves played later is worth.
HORIZON = 1000
RAVE = 0.0

# Whether any action can have so high a move score that alpha-beta plays it out before it evaluates.
HAS_TACTICAL = False

# Which search plays the game best, where all is seen and where something may be hidden.
BEST = "mcts"
BEST_HIDDEN = "mcts"


def evaluate(state: Any) -> int:
    """Return how player 0 stands, in hundredths of what is a clear advantage in the game."""
    return 0


def move_score(state: Any, action: int) -> int:
    """Return how good a legal action looks without playing it; from TACTICAL on it changes much."""
    return 0


def candidates(state: Any, out: list[int]) -> int:
    """Write the legal actions that are worth a look; return how many, none if the game is over."""
    return int(rules.legal_actions(state, out))

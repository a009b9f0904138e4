"""What the sliding puzzle's document gives beside ``a1.py``: named texts and new solutions."""

import os.path
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../src"))

from gridhouse.games.sliding.program import get_game_solution
from gridhouse.games.sliding.texts import *  # noqa: F403

__all__ = ["get_game_solution"]

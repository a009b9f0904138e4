"""What the sliding puzzle's document gives beside ``a1.py``: named texts and new solutions.

``from a1_support import *`` brings the texts, the function and the module ``random``, on which the
course's own files rely.
"""

import os.path
import random  # noqa: F401
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../src"))

from gridhouse.games.sliding.program import get_game_solution  # noqa: F401
from gridhouse.games.sliding.texts import *  # noqa: F403

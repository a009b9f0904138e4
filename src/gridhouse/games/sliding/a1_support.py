"""What the sliding puzzle's document gives beside ``a1.py``: named texts and new solutions.

``from a1_support import *`` brings the texts, the function and the module ``random``, on which the
course's own files rely.
"""

import random  # noqa: F401

from gridhouse.games.sliding.texts import *  # noqa: F403
from gridhouse.games.sliding.words import get_game_solution  # noqa: F401

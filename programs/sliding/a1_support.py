"""What the sliding puzzle's document gives beside ``a1.py``: named texts and new solutions.

``from a1_support import *`` brings the texts, the function and the module ``random``, on which the
course's own files rely.
"""

import os.path
import sys

if sys.version_info < (3, 8):
    sys.exit("a1_support.py needs Python 3.8 or later; this is " + sys.version.split()[0])

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../src"))
try:
    import gridhouse  # noqa: F401
except ImportError:
    sys.exit(
        "a1_support.py needs the package gridhouse, which is not installed here;"
        " 'gridhouse export sliding FOLDER' writes a copy that does not"
    )

import random  # noqa: F401

from gridhouse.games.sliding.texts import *  # noqa: F403
from gridhouse.games.sliding.words import get_game_solution  # noqa: F401

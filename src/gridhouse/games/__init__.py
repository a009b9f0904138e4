"""The games: one folder each, found by name.

The environment variable ``GRIDHOUSE_GAMES`` names folders with more of them, separated as in PATH.
"""

import os

__path__ += [folder for folder in os.environ.get("GRIDHOUSE_GAMES", "").split(os.pathsep) if folder]

"""Collapse, the number board game: ``python3 assignment3.py input.txt``."""

import os.path
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../src"))

from gridhouse.core.console import run
from gridhouse.games.collapse.program import main

if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))

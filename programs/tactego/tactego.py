"""Tactego: ``python3 tactego.py`` asks four questions and plays."""

import os.path
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../src"))

from gridhouse.core.console import run
from gridhouse.games.tactego.program import main, tactego

__all__ = ["main", "tactego"]

if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))

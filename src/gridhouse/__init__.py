"""Gridhouse: a house for grid games."""

import sys
from importlib import import_module

if sys.version_info < (3, 11):  # noqa: UP036  # the scripts may meet any Python
    sys.exit(f"Gridhouse needs Python 3.11 or later; this is {sys.version.split()[0]}")

# The folder of the games is imported before the function of the same name: Python binds a
# subpackage to its name once, so from here on ``gridhouse.games()`` is the function.
import_module("gridhouse.games")

from gridhouse.core.registry import games, load, parse  # noqa: E402

__all__ = ["__version__", "games", "load", "parse"]
__version__ = "0.1.0"

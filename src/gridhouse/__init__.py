"""Gridhouse: a house for grid games."""

from gridhouse.core.registry import games, load, parse

__all__ = ["__version__", "games", "load", "parse"]
__version__ = "0.1.0"

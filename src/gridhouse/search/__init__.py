"""Searches that are generic over rules: they name ``rules``, and are specialized for a game."""

"""Searches that are generic over rules: they name ``rules``, and a twin is bound to a game."""

"""The games: one folder each, found by name."""

"""Playing in the terminal: a menu, and a table for every game."""

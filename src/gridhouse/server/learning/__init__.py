"""Learning a game: lessons, the pictures of its rules, and puzzles, from files in its folder."""

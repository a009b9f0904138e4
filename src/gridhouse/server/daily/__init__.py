"""The daily puzzles: their starts, the best known results, and the leaderboards."""

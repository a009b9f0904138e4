"""The daily puzzles: their starts, the best results, and who reached what."""

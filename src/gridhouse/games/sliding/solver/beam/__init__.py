"""Good solutions of boards of any size, by beam search."""

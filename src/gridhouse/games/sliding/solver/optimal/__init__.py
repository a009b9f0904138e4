"""Shortest solutions, by iterative-deepening A*."""

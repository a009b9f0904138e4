"""Collapse: pick a group of equal digits, and the board falls together."""

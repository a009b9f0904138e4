"""Nim on a row of stones."""

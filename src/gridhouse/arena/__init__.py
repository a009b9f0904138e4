"""Matches and tournaments between players and programs, and what their results say."""

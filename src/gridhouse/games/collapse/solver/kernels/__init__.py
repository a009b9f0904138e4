"""Boards and searches that run compiled: plain functions over arrays and records."""

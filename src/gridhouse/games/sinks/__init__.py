"""Sinks: roll blocks over the board and drop them into the sinks."""

"""The sliding word puzzle: slide letters until the words stand in their rows."""

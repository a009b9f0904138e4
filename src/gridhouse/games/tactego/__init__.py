"""Tactego: a simplified Stratego with flags, mines, sappers and assassins."""

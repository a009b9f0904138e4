"""Evenings: tournaments for a class or a club, in which the house pairs whoever is free."""

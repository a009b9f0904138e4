"""Competitors: players of the house, programs, bots of OpenSpiel, tables of another house."""

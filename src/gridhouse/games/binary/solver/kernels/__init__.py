"""The compiled part of the solver: from entries of lines up to the search of positions."""

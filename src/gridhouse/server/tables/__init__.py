"""Tables: the games that are played, what may be done at them, and who may see what."""

"""Tables: running games, the commands at them, and the views of their visitors."""

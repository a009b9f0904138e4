"""What is shown and exported of a match or a tournament: pages, tables, files, replays."""

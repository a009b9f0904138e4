"""Other people's programs: their files, their languages, and how they are built."""

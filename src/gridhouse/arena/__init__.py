"""The arena: matches and tournaments between players of any kind, and what they prove."""

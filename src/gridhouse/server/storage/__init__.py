"""The database: tables, moves and seats, and notifications between processes."""

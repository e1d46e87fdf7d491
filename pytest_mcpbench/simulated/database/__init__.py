"""A SQLite database in the attempt's directory: the books of a design studio."""

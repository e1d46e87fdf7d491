"""SQLite database in the attempt's directory, with the business records of a design studio."""

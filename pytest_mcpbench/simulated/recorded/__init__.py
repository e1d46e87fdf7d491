"""A stand-in for servers of which only records exist."""

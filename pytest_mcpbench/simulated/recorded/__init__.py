"""A stand-in for servers of which only recordings exist."""

"""Documentation of software libraries, by library and topic."""

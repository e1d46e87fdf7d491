"""Attempts that another process makes: what travels to it, what comes home, and the maker that works there."""

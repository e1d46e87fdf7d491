"""Servers with data of the invented studio Fernhill: the letters to its office, the web of its town, its shop."""

"""Entry point of the pytest plugin: hooks of one to three lines that delegate."""

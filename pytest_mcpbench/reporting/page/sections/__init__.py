"""Sections of the HTML page, each a function of a report's results."""

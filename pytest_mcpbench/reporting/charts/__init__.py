"""Charts as SVG, each with the table of its numbers."""

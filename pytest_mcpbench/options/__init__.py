"""Command-line options, ini values and the settings read from them."""

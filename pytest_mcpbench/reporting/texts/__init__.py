"""Reports as text for the terminal."""

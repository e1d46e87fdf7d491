"""Values and pure functions that everything else is built from."""

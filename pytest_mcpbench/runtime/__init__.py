"""Everything that waits, spawns or connects."""

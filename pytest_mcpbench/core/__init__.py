"""Values and pure functions that several of the other packages share."""

"""Pure functions from a task and a run to a score."""

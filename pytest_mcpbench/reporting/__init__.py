"""Reports: pure functions that turn a run's entries and records into text for people and scripts."""

"""Collection of tasks: files, items, jobs, tests with the marker, and everything that has a name."""

"""Text without knowledge of tasks: normal forms, order, search, patterns, JSON."""

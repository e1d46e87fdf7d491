"""Comments on pull requests: a report, and a comparison of two runs."""

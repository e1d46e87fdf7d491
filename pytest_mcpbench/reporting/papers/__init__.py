"""Tables and figures of the five papers, computed from the records of runs."""

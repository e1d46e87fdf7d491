"""Source files of the shipped suites: YAML in ``suites/<name>/source/`` that authors write by hand."""

"""Document store: bases with tables of records, and pages of text."""

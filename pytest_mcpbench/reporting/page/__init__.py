"""The HTML page of a report: sections with tables and charts, and the attempts as compressed data in the same file."""
